//! The arguments of a command, taken one by one.

use std::str::FromStr;

use crate::game::{BoardSize, Color, Move, Point, VertexError};

/// The arguments do not fit the command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArgError {
    /// One is missing.
    #[error("syntax error: {0} is missing")]
    Missing(&'static str),
    /// One is not what it should be.
    #[error("syntax error: '{text}' is no {expected}")]
    Invalid {
        /// What was given.
        text: String,
        /// What was wanted.
        expected: &'static str,
    },
    /// There are too many.
    #[error("syntax error: '{0}' is one argument too many")]
    Leftover(String),
}

/// A cursor over the arguments of one command.
pub(super) struct Args<'a> {
    words: &'a [String],
}

impl<'a> Args<'a> {
    pub(super) const fn new(words: &'a [String]) -> Self {
        Self { words }
    }

    /// The next argument.
    pub(super) fn word(&mut self, name: &'static str) -> Result<&'a str, ArgError> {
        self.optional().ok_or(ArgError::Missing(name))
    }

    /// The next argument, if there is one.
    pub(super) fn optional(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    /// The next argument as a number or the like.
    pub(super) fn parse<T: FromStr>(&mut self, name: &'static str) -> Result<T, ArgError> {
        parse(self.word(name)?, name)
    }

    /// The next argument as a number or the like, if there is one.
    pub(super) fn parse_optional<T: FromStr>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, ArgError> {
        self.optional().map(|word| parse(word, name)).transpose()
    }

    /// The next argument as a count that may be written as a decimal number or be negative, as
    /// some clients do: fractions are dropped, and negative is 0.
    pub(super) fn count(&mut self, name: &'static str) -> Result<u32, ArgError> {
        let number: f64 = self.parse(name)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        Ok(number as u32)
    }

    /// The next argument as a player.
    pub(super) fn color(&mut self) -> Result<Color, ArgError> {
        self.parse("color (b, black, w or white)")
    }

    /// The next argument as a point or a pass.
    pub(super) fn vertex(&mut self) -> Result<VertexText, ArgError> {
        self.word("vertex").map(|word| VertexText(word.to_owned()))
    }

    /// All further arguments as pairs of a player and a vertex.
    pub(super) fn color_vertex_pairs(&mut self) -> Result<Vec<(Color, VertexText)>, ArgError> {
        let mut pairs = Vec::new();
        while !self.words.is_empty() {
            pairs.push((self.color()?, self.vertex()?));
        }
        Ok(pairs)
    }

    /// All further arguments.
    pub(super) fn rest(&mut self) -> &'a [String] {
        std::mem::take(&mut self.words)
    }

    /// Refuses arguments that nobody has asked for.
    pub(super) fn finish(self) -> Result<(), ArgError> {
        match self.words.first() {
            Some(word) => Err(ArgError::Leftover(word.clone())),
            None => Ok(()),
        }
    }
}

fn parse<T: FromStr>(word: &str, expected: &'static str) -> Result<T, ArgError> {
    word.parse().map_err(|_| ArgError::Invalid { text: word.to_owned(), expected })
}

/// A vertex as it was written; what it means depends on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexText(pub(super) String);

impl VertexText {
    pub(super) fn to_move(&self, size: BoardSize) -> Result<Move, VertexError> {
        size.parse_move(&self.0)
    }

    pub(super) fn to_point(&self, size: BoardSize) -> Result<Point, VertexError> {
        size.parse_point(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn arguments_are_taken_in_order_and_leftovers_refused() {
        let list = words("b D4 7 x");
        let mut args = Args::new(&list);
        assert_eq!(args.color(), Ok(Color::Black));
        assert_eq!(args.vertex(), Ok(VertexText("D4".to_owned())));
        assert_eq!(args.parse::<u32>("number"), Ok(7));
        assert_eq!(args.finish(), Err(ArgError::Leftover("x".to_owned())));
        let mut none = Args::new(&[]);
        assert_eq!(none.word("name"), Err(ArgError::Missing("name")));
        assert_eq!(none.optional(), None);
        assert_eq!(none.finish(), Ok(()));
    }

    #[test]
    fn counts_are_generous() {
        for (text, expected) in [("3", 3), ("3.7", 3), ("-5", 0), ("1e99", u32::MAX)] {
            assert_eq!(Args::new(&words(text)).count("stones"), Ok(expected));
        }
        assert!(Args::new(&words("x")).count("stones").is_err());
    }

    #[test]
    fn pairs_must_be_complete() {
        let list = words("b A1 white b2");
        assert_eq!(Args::new(&list).color_vertex_pairs().map(|pairs| pairs.len()), Ok(2));
        assert!(Args::new(&words("b A1 w")).color_vertex_pairs().is_err());
        assert!(Args::new(&words("x A1")).color_vertex_pairs().is_err());
    }
}
