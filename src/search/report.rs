//! What a search has found, and how it came to it.

use std::fmt;
use std::time::Duration;

use crate::eval::{Ownership, Value};
use crate::game::{BoardSize, Color, Move};
use crate::timeman::StopReason;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// Board of the position searched.
    pub size: BoardSize,
    /// Player to move in the position searched.
    pub color: Color,
    /// All moves looked at, most visited first; empty when there is no legal move.
    pub moves: Vec<RootMove>,
    /// Expected result for the side to move.
    pub value: Value,
    /// Most visited line of play.
    pub line: Vec<Move>,
    /// Mean ownership over the evaluations, if the evaluator gives it.
    pub ownership: Ownership,
    /// Descents through the tree.
    pub simulations: u64,
    /// Nodes in the tree at the end.
    pub nodes: usize,
    /// Time from the start to the end.
    pub elapsed: Duration,
    /// Why the search ended.
    pub reason: StopReason,
}

/// A move at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Simulations that began with it.
    pub visits: u32,
    /// Expected result for the side that makes it.
    pub value: Value,
}

impl SearchReport {
    /// The most visited move.
    #[must_use]
    pub fn best(&self) -> Option<&RootMove> {
        self.moves.first()
    }
}

impl fmt::Display for SearchReport {
    /// One line for logs and for those who ask for an explanation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line: Vec<_> = self.line.iter().map(|&mv| self.size.move_text(mv)).collect();
        write!(
            f,
            "{} wins {:.1} % after {} simulations in {:.2} s ({}), line {}",
            self.color,
            100.0 * self.value.win_rate(),
            self.simulations,
            self.elapsed.as_secs_f64(),
            self.reason,
            line.join(" "),
        )
    }
}
