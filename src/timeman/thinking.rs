//! One search on its budget: the plan, what the rules make of it, and the bounds that they keep to.

use std::time::Duration;

use super::stop::{Progress, StopReason, StopRule, Verdict};

/// Simulations between two looks at the root (Baier and Winands 2015: "e.g. 50 rollouts").
const EVERY: u64 = 50;

/// The time for one search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// What the search is to take.
    pub planned: Duration,
    /// Before this no rule may end it: the time would be lost.
    pub minimum: Duration,
    /// After this no rule may prolong it.
    pub hard: Duration,
}

impl Budget {
    /// Whether a search can neither end before the plan says so nor be prolonged.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.minimum >= self.planned && self.planned >= self.hard
    }
}

/// The rules of a strategy on a budget.
pub struct Thinking {
    budget: Budget,
    rules: Vec<Box<dyn StopRule>>,
    next_look: u64,
    last: Duration,
    /// How long a batch takes: the longest of late, older ones count less and less.
    batch: Duration,
    extended: Option<StopReason>,
}

impl Thinking {
    /// A search that is still to begin.
    #[must_use]
    pub fn new(budget: Budget, rules: Vec<Box<dyn StopRule>>) -> Self {
        Self {
            budget,
            rules,
            next_look: 0,
            last: Duration::ZERO,
            batch: Duration::ZERO,
            extended: None,
        }
    }

    /// The budget with all that the rules have added so far.
    #[must_use]
    pub const fn budget(&self) -> Budget {
        self.budget
    }

    /// How long a batch takes.
    #[must_use]
    pub const fn batch(&self) -> Duration {
        self.batch
    }

    /// Which rule has added time last.
    #[must_use]
    pub const fn extended(&self) -> Option<StopReason> {
        self.extended
    }

    fn measure(&mut self, progress: &Progress<'_>) {
        let took = progress.elapsed.saturating_sub(self.last.max(progress.before));
        self.last = progress.elapsed;
        self.batch = took.max(self.batch.saturating_sub(self.batch / 8));
    }

    /// Asks the rules in their order: the first that ends the search wins, and each may add time.
    fn ask(&mut self, progress: &Progress<'_>) -> Option<StopReason> {
        for rule in &mut self.rules {
            let planned = self.budget.planned;
            match rule.check(&Progress { planned, ..*progress }) {
                Verdict::Stop(reason) if progress.elapsed >= self.budget.minimum => {
                    return Some(reason);
                }
                Verdict::GoOn | Verdict::Stop(_) => {}
                Verdict::Extend(more, reason) => {
                    self.budget.planned = planned.saturating_add(more).min(self.budget.hard);
                    self.extended = Some(reason);
                }
            }
        }
        None
    }
}

impl StopRule for Thinking {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        self.measure(progress);
        let Budget { planned, hard, .. } = self.budget;
        if progress.elapsed + self.batch >= hard {
            let reason = if planned < hard { StopReason::Deadline } else { StopReason::Time };
            return Verdict::Stop(reason);
        }
        let at_end = progress.elapsed >= planned;
        if !at_end && progress.simulations < self.next_look {
            return Verdict::GoOn;
        }
        self.next_look = progress.simulations + EVERY;
        if let Some(reason) = self.ask(progress) {
            return Verdict::Stop(reason);
        }
        if progress.elapsed >= self.budget.planned {
            return Verdict::Stop(StopReason::Time);
        }
        Verdict::GoOn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says the same whenever it is asked.
    struct Always(Verdict);

    impl StopRule for Always {
        fn check(&mut self, _progress: &Progress<'_>) -> Verdict {
            self.0
        }
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn budget(planned: u64, minimum: u64, hard: u64) -> Budget {
        Budget { planned: ms(planned), minimum: ms(minimum), hard: ms(hard) }
    }

    /// Runs in steps of a millisecond and 100 simulations, and returns when and why it stopped.
    fn run(budget: Budget, rule: Verdict) -> (u64, StopReason) {
        let mut thinking = Thinking::new(budget, vec![Box::new(Always(rule))]);
        for step in 0.. {
            let progress =
                Progress { simulations: 100 * step, elapsed: ms(step), ..Progress::default() };
            match thinking.check(&progress) {
                Verdict::Stop(reason) => return (step, reason),
                Verdict::GoOn => {}
                Verdict::Extend(..) => panic!("a budget is the end of it"),
            }
        }
        unreachable!("the search stops")
    }

    #[test]
    fn rules_keep_to_the_bounds() {
        assert_eq!(run(budget(50, 0, 90), Verdict::GoOn), (50, StopReason::Time));
        let stop = Verdict::Stop(StopReason::CannotChange);
        assert_eq!(run(budget(50, 0, 90), stop), (0, StopReason::CannotChange));
        assert_eq!(run(budget(50, 30, 90), stop), (30, StopReason::CannotChange));
        // However often it is extended: one batch of a millisecond before the end.
        let extend = Verdict::Extend(ms(20), StopReason::Close);
        assert_eq!(run(budget(50, 0, 90), extend), (89, StopReason::Time));
        assert_eq!(run(budget(90, 0, 90), Verdict::GoOn), (89, StopReason::Time));
        assert_eq!(run(budget(0, 0, 0), Verdict::GoOn), (0, StopReason::Time));
    }

    #[test]
    fn rules_have_nothing_to_decide_on_a_fixed_budget() {
        assert!(budget(50, 50, 50).is_fixed());
        let stop = Verdict::Stop(StopReason::CannotChange);
        let extend = Verdict::Extend(ms(20), StopReason::Close);
        for rule in [Verdict::GoOn, stop, extend] {
            assert_eq!(run(budget(50, 50, 50), rule), (49, StopReason::Time));
        }
        // It can end before, or be prolonged.
        assert!(!budget(50, 49, 50).is_fixed() && !budget(50, 50, 51).is_fixed());
    }

    #[test]
    fn a_slow_batch_is_part_of_the_margin() {
        let mut thinking = Thinking::new(budget(80, 0, 100), Vec::new());
        let mut check = |elapsed| {
            let elapsed = ms(elapsed);
            thinking.check(&Progress { simulations: 1, elapsed, ..Progress::default() })
        };
        assert_eq!(check(30), Verdict::GoOn);
        assert_eq!(check(60), Verdict::GoOn);
        // Another 30 ms would be too late.
        assert_eq!(check(75), Verdict::Stop(StopReason::Deadline));
    }
}
