//! The two players.

use std::fmt;
use std::str::FromStr;

/// A player, and the colour of the stones that the player puts down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// Moves first in an even game.
    Black,
    /// Receives komi.
    White,
}

impl Color {
    /// Both players, Black first.
    pub const BOTH: [Color; 2] = [Color::Black, Color::White];

    /// The other player.
    #[must_use]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// 0 for Black and 1 for White, to index tables that hold something for each player.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter that GTP and SGF write: `B` or `W`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'B',
            Color::White => 'W',
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::Black => "black",
            Color::White => "white",
        })
    }
}

/// The text names no player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a color: write b, black, w or white")]
pub struct NotAColor(pub String);

impl FromStr for Color {
    type Err = NotAColor;

    /// Reads `b`, `black`, `w` or `white` in any case.
    fn from_str(text: &str) -> Result<Self, NotAColor> {
        match text.to_ascii_lowercase().as_str() {
            "b" | "black" => Ok(Color::Black),
            "w" | "white" => Ok(Color::White),
            _ => Err(NotAColor(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_color_is_read() {
        for text in ["b", "B", "black", "BLACK", "Black"] {
            assert_eq!(text.parse(), Ok(Color::Black));
        }
        for text in ["w", "W", "white", "WHITE"] {
            assert_eq!(text.parse(), Ok(Color::White));
        }
        assert!("grey".parse::<Color>().is_err());
        assert!("".parse::<Color>().is_err());
    }
}
