//! Settings that are one of several words: the words, their types and what is said of a wrong one in one place.

use std::error::Error;
use std::fmt;

/// A type whose values are words. Made by [`choices!`](crate::util::choices).
pub trait Choice: Copy + 'static {
    /// All values, in the order in which they are told.
    const ALL: &'static [Self];

    /// The word for this one.
    fn word(self) -> &'static str;
}

/// A word that is none of those that are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoChoice {
    allowed: String,
}

impl fmt::Display for NoChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "allowed is {}", self.allowed)
    }
}

impl Error for NoChoice {}

/// The value with this word.
pub fn choice<T: Choice>(word: &str) -> Result<T, NoChoice> {
    let found = T::ALL.iter().copied().find(|value| value.word() == word);
    found.ok_or_else(|| NoChoice { allowed: words::<T>() })
}

/// All words of a type, as people are told them.
#[must_use]
pub fn words<T: Choice>() -> String {
    T::ALL.iter().map(|value| value.word()).collect::<Vec<_>>().join(", ")
}

/// Declares a type whose values are words:
///
/// ```
/// tedomari::util::choices! {
///     /// Where to go.
///     pub enum Way {
///         /// To the left.
///         Left = "left",
///         /// To the right.
///         Right = "right",
///     }
/// }
/// assert_eq!("left".parse(), Ok(Way::Left));
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident {
            $( $(#[doc = $doc:literal])+ $value:ident = $word:literal, )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[doc = $doc])+ $value, )+ }

        impl $crate::util::Choice for $name {
            const ALL: &'static [Self] = &[$( Self::$value ),+];

            fn word(self) -> &'static str {
                match self { $( Self::$value => $word, )+ }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str($crate::util::Choice::word(*self))
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::util::NoChoice;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                $crate::util::choice(word)
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str($crate::util::Choice::word(*self))
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = <::std::borrow::Cow<'de, str> as ::serde::Deserialize>::deserialize(from)?;
                word.parse().map_err(::serde::de::Error::custom)
            }
        }
    };
}

pub use crate::choices;

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    // The macro makes public types.
    #[allow(unreachable_pub)]
    mod sample {
        choices! {
            /// Where to go.
            pub enum Way {
                /// To the left.
                Left = "left",
                /// To the right.
                Right = "to-the-right",
            }
        }
    }

    use sample::Way;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Trip {
        way: Way,
    }

    #[test]
    fn words_are_read_and_written() {
        let trip: Trip = toml::from_str("way = \"to-the-right\"").unwrap();
        assert_eq!(trip, Trip { way: Way::Right });
        assert_eq!(toml::to_string(&trip).unwrap(), "way = \"to-the-right\"\n");
        assert_eq!(words::<Way>(), "left, to-the-right");
        let wrong = "up".parse::<Way>().unwrap_err().to_string();
        assert_eq!(wrong, "allowed is left, to-the-right");
        let wrong = toml::from_str::<Trip>("way = \"up\"").unwrap_err();
        assert_eq!(wrong.message(), "allowed is left, to-the-right");
        assert!(toml::from_str::<Trip>("way = 3").is_err());
    }
}
