//! What the evaluator says before any search.

use crate::engine::Engine;
use crate::eval::Look;
use crate::game::{Color, Symmetry};
use crate::gtp::analysis::{numbered, raw_block};
use crate::gtp::args::{ArgError, Args};
use crate::gtp::commands::{Answer, Failure};

/// The arguments of `kata-raw-nn`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawQuestion {
    /// The side to move; otherwise it is as on the board.
    color: Option<Color>,
    symmetries: Symmetries,
    optimism: f32,
}

/// The symmetries that raw evaluations are asked for by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symmetries {
    One(u8),
    All,
}

impl RawQuestion {
    pub(super) fn read(args: &mut Args<'_>) -> Result<Self, ArgError> {
        let mut word = args.word("symmetry")?;
        let color = word.parse().ok();
        if color.is_some() {
            word = args.word("symmetry")?;
        }
        let symmetries = match word.parse() {
            _ if word == "all" => Symmetries::All,
            Ok(number @ 0..8) => Symmetries::One(number),
            _ => return Err(invalid(word, "symmetry from 0 to 7 and not `all`")),
        };
        let optimism = args.optional().map_or(Ok(0.0), |word| {
            let share = word.parse().ok().filter(|share| (0.0..=1.0).contains(share));
            share.ok_or_else(|| invalid(word, "optimism from 0 to 1"))
        })?;
        Ok(Self { color, symmetries, optimism })
    }

    /// One evaluation for each symmetry.
    pub(super) fn answer(self, engine: &Engine) -> Answer {
        let Self { color, symmetries, optimism } = self;
        let position = engine.state().position();
        let color = color.unwrap_or(position.to_move());
        let of_board = Symmetry::for_size(position.size());
        let numbers: Vec<u8> = match symmetries {
            Symmetries::One(number) => vec![number],
            Symmetries::All => (0..8).filter(|&n| of_board.contains(&numbered(n))).collect(),
        };
        let mut text = String::new();
        for number in numbers {
            let symmetry = numbered(number);
            if !of_board.contains(&symmetry) {
                let reason = "a board that is not square has symmetries 0 to 3 alone";
                return Err(Failure(reason.to_owned()));
            }
            let (position, opinion) = engine.look(color, Look { symmetry, optimism })?;
            text += &raw_block(number, &position, &opinion);
        }
        Ok(text)
    }
}

fn invalid(text: &str, expected: &'static str) -> ArgError {
    ArgError::Invalid { text: text.to_owned(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<RawQuestion, ArgError> {
        let words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        let mut args = Args::new(&words);
        let question = RawQuestion::read(&mut args)?;
        args.finish().map(|()| question)
    }

    #[test]
    fn color_comes_first_and_optimism_last() {
        let question =
            |color, symmetries, optimism| Ok(RawQuestion { color, symmetries, optimism });
        assert_eq!(read("3"), question(None, Symmetries::One(3), 0.0));
        assert_eq!(read("w all"), question(Some(Color::White), Symmetries::All, 0.0));
        assert_eq!(read("black 0 0.25"), question(Some(Color::Black), Symmetries::One(0), 0.25));
        for text in ["", "b", "8", "-1", "x", "0 b", "0 1.5", "0 -0.1", "0 nan", "0 0 0", "w w 0"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
