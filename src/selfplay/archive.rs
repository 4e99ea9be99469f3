//! Earlier games as places to begin at (Trudeau and Bowling 2023).

use rand::RngExt as _;

use crate::game::{BoardSize, Game, Move};
use crate::record::TrainingGame;
use crate::util::Rng;

/// Move sequences of earlier games on one board.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    lines: Vec<Vec<Move>>,
}

impl Archive {
    /// An archive without games.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a game, if it is of this kind and board.
    pub fn add(&mut self, kind: Game, size: BoardSize, game: &TrainingGame) {
        if game.rules.game == kind
            && game.size == size
            && game.turns.len() > 1
            && game.stones.is_empty()
        {
            self.lines.push(game.turns.iter().map(|turn| turn.mv).collect());
        }
    }

    /// Games in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The moves to a random position of a random game; not its last.
    pub(super) fn draw(&self, rng: &mut Rng) -> Option<&[Move]> {
        if self.lines.is_empty() {
            return None;
        }
        let line = &self.lines[rng.random_range(0..self.lines.len())];
        Some(&line[..rng.random_range(0..line.len())])
    }
}
