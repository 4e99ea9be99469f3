//! What a search comes to.

use super::judge::Judgement;
use crate::game::Move;
use crate::search::SearchReport;
use crate::timeman::{Plan, Thinking};

/// What came of thinking about a move.
pub(super) struct Thought {
    pub(super) report: SearchReport,
    pub(super) choice: Option<Move>,
    pub(super) judgement: Option<Judgement>,
    pub(super) plan: Plan,
    pub(super) thinking: Thinking,
}
