//! Games to learn from.

mod game;

pub use game::{Outcome, TrainingGame, Turn};
