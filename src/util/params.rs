//! Parameters with one default each, documented where they are declared.
//!
//! The [`params!`](crate::util::params) macro turns a list of fields, each with a doc line, a
//! default and its limits, into a struct that can be read from TOML, refuses unknown keys, checks
//! its limits and describes itself. `engine.toml` is generated from these descriptions.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::choices::{Choice, words};

/// One parameter as the user sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The key inside its section.
    pub name: &'static str,
    /// What it means.
    pub doc: String,
    /// What it may be, empty if anything of its type.
    pub limits: String,
    /// What it is.
    pub value: toml::Value,
}

/// A section of the configuration.
pub trait Params: Default {
    /// What the section is about.
    fn about() -> String;
    /// All parameters in the order of their declaration.
    fn fields(&self) -> Vec<Field>;
    /// Refuses values outside their limits.
    fn check(&self) -> Result<(), LimitError>;
}

/// A parameter is outside its limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value}, allowed is {limits}")]
pub struct LimitError {
    /// The key inside its section.
    pub name: &'static str,
    /// The value that was given.
    pub value: String,
    /// What is allowed.
    pub limits: String,
}

/// What a parameter may be.
pub trait Limits<T: ?Sized> {
    /// Whether a value is allowed.
    fn allow(&self, value: &T) -> bool;
    /// The limits in words, empty for none.
    fn describe(&self) -> String;
}

impl<T: PartialOrd + Display> Limits<T> for RangeInclusive<T> {
    fn allow(&self, value: &T) -> bool {
        self.contains(value)
    }

    fn describe(&self) -> String {
        format!("{} to {}", self.start(), self.end())
    }
}

/// No limits but the type's.
#[derive(Clone, Copy, Debug)]
pub struct Any;

impl<T: ?Sized> Limits<T> for Any {
    fn allow(&self, _value: &T) -> bool {
        true
    }

    fn describe(&self) -> String {
        String::new()
    }
}

/// The words of a [`Choice`].
#[derive(Clone, Copy, Debug)]
pub struct Words;

impl<T: Choice> Limits<T> for Words {
    fn allow(&self, _value: &T) -> bool {
        true
    }

    fn describe(&self) -> String {
        words::<T>()
    }
}

/// One of several words.
#[derive(Clone, Debug)]
pub struct OneOf(pub Vec<&'static str>);

impl Limits<String> for OneOf {
    fn allow(&self, value: &String) -> bool {
        self.0.iter().any(|word| word == value)
    }

    fn describe(&self) -> String {
        self.0.join(", ")
    }
}

/// Declares a section of parameters, see the [module](crate::util::Params).
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                pub $field:ident: $kind:ty = $default:expr, $limits:expr;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $( $(#[doc = $doc])+ pub $field: $kind, )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }

        impl $crate::util::Params for $name {
            fn about() -> String {
                [$($about),+].concat().trim().to_owned()
            }

            fn fields(&self) -> Vec<$crate::util::Field> {
                vec![$( $crate::util::Field {
                    name: stringify!($field),
                    doc: [$($doc),+].concat().trim().to_owned(),
                    limits: $crate::util::Limits::<$kind>::describe(&$limits),
                    value: ::toml::Value::try_from(&self.$field)
                        .expect("invariant: numbers, words and switches are TOML values"),
                }, )*]
            }

            fn check(&self) -> Result<(), $crate::util::LimitError> {
                $( if !$crate::util::Limits::<$kind>::allow(&$limits, &self.$field) {
                    return Err($crate::util::LimitError {
                        name: stringify!($field),
                        value: self.$field.to_string(),
                        limits: $crate::util::Limits::<$kind>::describe(&$limits),
                    });
                } )*
                Ok(())
            }
        }
    };
}

pub use crate::params;

#[cfg(test)]
mod tests {
    use super::*;

    // The macro makes public structs.
    #[allow(unreachable_pub)]
    mod sample {
        use super::*;

        params! {
        /// Things to try.
        pub struct Sample {
            /// How many.
            pub count: u32 = 3, 1..=10;
            /// Which one, in a
            /// sentence of two lines.
            pub word: String = "left".to_owned(), OneOf(vec!["left", "right"]);
            /// Whether at all.
            pub switch: bool = true, Any;
        }
        }
    }

    use sample::Sample;

    #[test]
    fn fields_describe_themselves() {
        let fields = Sample::default().fields();
        assert_eq!(Sample::about(), "Things to try.");
        assert_eq!(fields[0].limits, "1 to 10");
        assert_eq!(fields[0].value, toml::Value::Integer(3));
        assert_eq!(fields[1].doc, "Which one, in a sentence of two lines.");
        assert_eq!(fields[1].limits, "left, right");
        assert_eq!(fields[2].limits, "");
    }

    #[test]
    fn limits_are_checked_and_unknown_keys_refused() {
        assert_eq!(Sample::default().check(), Ok(()));
        let sample: Sample = toml::from_str("count = 11").unwrap();
        let error = sample.check().unwrap_err();
        assert_eq!(error.to_string(), "count is 11, allowed is 1 to 10");
        let sample: Sample = toml::from_str("word = \"up\"").unwrap();
        assert_eq!(sample.check().unwrap_err().name, "word");
        assert!(toml::from_str::<Sample>("cuont = 2").is_err());
        assert!(toml::from_str::<Sample>("count = -2").is_err());
    }
}
