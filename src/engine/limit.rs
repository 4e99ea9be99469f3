//! What ends the searches of the engine.

use std::time::Duration;

use super::cancel::Ticket;
use super::early::Early;
use crate::timeman::{Progress, StopReason, StopRule, Thinking, Verdict};

/// Simulations that are done however late it is: without them a move would be a random one. Only
/// the deadline does not wait for them.
pub(super) const MIN_SIMULATIONS: u64 = 50;

/// They are not waited for longer than this: those of a network take much longer than others, and its
/// first choice is no random move.
const MIN_TIME: Duration = Duration::from_millis(5);

/// What ends a search.
pub(super) struct Limit<'a> {
    pub(super) rule: &'a mut dyn StopRule,
    pub(super) simulations: Option<u64>,
    /// The end by real time.
    pub(super) deadline: Option<Duration>,
    /// Whether simulations are time.
    pub(super) virtual_time: bool,
}

impl<'a> Limit<'a> {
    /// A rule and an end: what the parameters say of simulations is for moves.
    pub(super) fn until(deadline: Duration, rule: &'a mut dyn StopRule) -> Self {
        Self { rule, simulations: None, deadline: Some(deadline), virtual_time: false }
    }
}

/// What may end the search for a move, asked in this order: who wants the answer now, who finds it certain,
/// and the time manager.
pub(super) struct MoveRules<'a> {
    pub(super) ticket: &'a Ticket,
    pub(super) early: &'a mut Early,
    pub(super) thinking: AtLeast<&'a mut Thinking>,
}

impl StopRule for MoveRules<'_> {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        let verdict = self.ticket.check(progress);
        if !matches!(verdict, Verdict::GoOn) {
            return verdict;
        }
        let verdict = self.early.check(progress);
        if !matches!(verdict, Verdict::GoOn) {
            return verdict;
        }
        self.thinking.check(progress)
    }
}

/// Ends the thinking on the opponent's time when there is something else to do.
pub(super) struct Wanted<'a>(pub(super) &'a dyn Fn() -> bool);

impl StopRule for Wanted<'_> {
    fn check(&mut self, _: &Progress<'_>) -> Verdict {
        if (self.0)() { Verdict::Stop(StopReason::Interrupted) } else { Verdict::GoOn }
    }
}

/// A rule that is not asked before a few simulations have been done.
pub(super) struct AtLeast<R> {
    pub(super) rule: R,
    /// Whether simulations are time.
    pub(super) virtual_time: bool,
}

impl<R: StopRule> StopRule for AtLeast<R> {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        let enough = progress.simulations >= MIN_SIMULATIONS
            || !self.virtual_time && progress.searched() >= MIN_TIME;
        if enough { self.rule.check(progress) } else { Verdict::GoOn }
    }
}
