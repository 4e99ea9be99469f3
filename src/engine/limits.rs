//! What ends the engine's searches.

use std::time::Duration;

use super::MIN_SIMULATIONS;
use crate::timeman::{Progress, StopReason, StopRule, Verdict};

/// What ends a search.
pub(super) struct Limit<'a> {
    pub(super) rule: &'a mut dyn StopRule,
    pub(super) simulations: Option<u64>,
}

impl<'a> Limit<'a> {
    /// A rule alone: what the parameters say of simulations is for moves.
    pub(super) fn of(rule: &'a mut dyn StopRule) -> Self {
        Self { rule, simulations: None }
    }
}

/// Ends the thinking on the opponent's time.
pub(super) struct Wanted<'a> {
    pub(super) wanted: &'a dyn Fn() -> bool,
    pub(super) limit: Duration,
}

impl StopRule for Wanted<'_> {
    fn check(&mut self, progress: &Progress) -> Verdict {
        match () {
            () if (self.wanted)() => Verdict::Stop(StopReason::Interrupted),
            () if progress.elapsed >= self.limit => Verdict::Stop(StopReason::Time),
            () => Verdict::GoOn,
        }
    }
}

/// A rule that is not asked before a few simulations have been done.
pub(super) struct AtLeast<R>(pub(super) R);

impl<R: StopRule> StopRule for AtLeast<R> {
    fn check(&mut self, progress: &Progress) -> Verdict {
        if progress.simulations < MIN_SIMULATIONS { Verdict::GoOn } else { self.0.check(progress) }
    }
}
