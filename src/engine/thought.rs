//! What a search comes to.

use std::time::Duration;

use super::choice::Decision;
use super::timing::Planned;
use crate::game::Move;
use crate::search::SearchReport;
use crate::timeman::StopReason;

/// What came of thinking about a move.
pub(super) struct Thought {
    pub(super) report: SearchReport,
    pub(super) choice: Option<Move>,
    pub(super) planned: Planned,
}

/// A move with a few words on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brief {
    /// What was done.
    pub decision: Decision,
    /// Simulations of the search.
    pub simulations: u64,
    /// Why it ended.
    pub reason: Option<StopReason>,
    /// What the move was planned to take in seconds, if there is a clock.
    pub allotted: Option<f64>,
    /// Share of games that are expected to be won.
    pub win_rate: f32,
    /// What the move took.
    pub used: Duration,
}
