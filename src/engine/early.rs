//! Ends searches whose answer is certain.

use std::sync::Arc;
use std::time::Duration;

use crate::game::Position;
use crate::search::{Certainty, Watch, Watcher};
use crate::timeman::{Budget, Progress, StopReason, StopRule, Verdict};

/// Asks who watches the search, if anybody does. Who finds it certain early need not be asked again:
/// it ends as soon as the time that is left is not lost.
pub(super) struct Early {
    watch: Option<Box<dyn Watch>>,
    planned: Duration,
    minimum: Duration,
    certain: bool,
}

impl Early {
    /// What the watcher thinks of a search of this position, by `time.ds_mcts`.
    pub(super) fn of(
        watcher: Option<&Arc<dyn Watcher>>,
        position: &Position,
        budget: Budget,
        mode: &str,
    ) -> Self {
        let watcher = watcher.filter(|_| mode != "off");
        let watch = watcher.and_then(|watcher| watcher.watch(position));
        Self::new(watch, budget, mode == "always")
    }

    /// The search of a budget; `always` ends it also where the time is lost.
    fn new(watch: Option<Box<dyn Watch>>, budget: Budget, always: bool) -> Self {
        let minimum = if always { Duration::ZERO } else { budget.minimum };
        Self { watch, planned: budget.planned, minimum, certain: false }
    }

    /// What was found when somebody looked last.
    pub(super) fn certainty(&self) -> Option<Certainty> {
        self.watch.as_ref().and_then(|watch| watch.certainty())
    }
}

impl StopRule for Early {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        if let Some(watch) = self.watch.as_mut().filter(|_| !self.certain) {
            let planned = self.planned;
            let verdict = watch.check(&Progress { planned, ..*progress });
            self.certain = matches!(verdict, Verdict::Stop(_));
        }
        let ends = self.certain && progress.elapsed >= self.minimum;
        if ends { Verdict::Stop(StopReason::Certain) } else { Verdict::GoOn }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Certain after ten simulations, if the plan reaches it.
    struct AfterTen;

    impl StopRule for AfterTen {
        fn check(&mut self, progress: &Progress<'_>) -> Verdict {
            assert_eq!(progress.planned, Duration::from_secs(9));
            match progress.simulations {
                10.. => Verdict::Stop(StopReason::Certain),
                _ => Verdict::GoOn,
            }
        }
    }

    impl Watch for AfterTen {
        fn certainty(&self) -> Option<Certainty> {
            None
        }
    }

    /// The second at which a search of five simulations a second ends.
    fn ends(minimum: u64, always: bool) -> Option<u64> {
        let second = Duration::from_secs;
        let budget = Budget { planned: second(9), minimum: second(minimum), hard: second(20) };
        let mut early = Early::new(Some(Box::new(AfterTen)), budget, always);
        (0..20).find(|&now| {
            let (simulations, elapsed) = (5 * now, second(now));
            let progress = Progress { simulations, elapsed, ..Progress::default() };
            early.check(&progress) == Verdict::Stop(StopReason::Certain)
        })
    }

    #[test]
    fn time_that_would_be_lost_is_used() {
        assert_eq!(ends(0, false), Some(2));
        assert_eq!(ends(7, false), Some(7));
        assert_eq!(ends(7, true), Some(2));
        let budget =
            Budget { planned: Duration::MAX, minimum: Duration::ZERO, hard: Duration::MAX };
        let mut nobody = Early::new(None, budget, true);
        assert_eq!(nobody.check(&Progress::default()), Verdict::GoOn);
    }
}
