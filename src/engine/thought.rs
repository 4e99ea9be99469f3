//! What a search comes to.

use super::judge::Judgement;
use super::timing::Planned;
use crate::game::Move;

/// What came of thinking about a move, beside the report.
pub(super) struct Thought {
    pub(super) choice: Option<Move>,
    pub(super) judgement: Option<Box<Judgement>>,
    pub(super) planned: Planned,
}
