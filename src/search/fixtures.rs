//! Reports for tests of what is made of them.

use std::time::Duration;

use super::{RootMove, SearchReport};
use crate::eval::{Ownership, Value};
use crate::game::{BoardSize, Color, Move};

impl SearchReport {
    /// A report in which nothing is known but the board and who is to move: tests fill in what they are about.
    pub(crate) fn blank(size: BoardSize, color: Color) -> Self {
        Self {
            size,
            color,
            moves: Vec::new(),
            policy: Vec::new(),
            value: Value::DRAW,
            score: None,
            proven: None,
            ownership: Ownership::of_black(size, vec![0.0; size.area()]),
            simulations: 0,
            visits: 0,
            nodes: 0,
            memory: 0,
            full: false,
            elapsed: Duration::ZERO,
            reason: None,
            criticality: None,
            owner_spread: None,
            playout_length: None,
        }
    }
}

impl RootMove {
    /// A move with so many visits and this value, of which no more is known.
    pub(crate) fn blank(mv: Move, visits: u32, value: Value) -> Self {
        Self { visits, lower_bound: value, ..Self::unvisited(mv, 0.0, value) }
    }
}
