//! Everything that may end a search, in one list, and the time budget that it obeys.

use std::time::Duration;

use super::stop::{Certainty, Progress, SearchProgress, Stop, StopReason, StopRule, Verdict};

/// Simulations between two looks at the root (Baier and Winands 2015: "e.g. 50 rollouts").
const EVERY: u64 = 50;

/// The time for one search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// What the search is to take.
    pub planned: Duration,
    /// Before this no rule may end it, as unused time would be lost.
    pub minimum: Duration,
    /// Rules may not prolong it beyond this. The search ends one gap between two looks before it.
    pub hard: Duration,
}

impl Budget {
    /// No end.
    pub const ENDLESS: Self =
        Self { planned: Duration::MAX, minimum: Duration::ZERO, hard: Duration::MAX };

    /// Whether a search can neither end before the plan says so nor be prolonged.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.minimum >= self.planned && self.planned >= self.hard
    }
}

/// Everything that may end one search, asked in this order: who wants the answer now, the estimator that may find it
/// certain, the hard limit, the rules of the strategy, and the planned end.
pub struct StopChain<'a> {
    budget: Budget,
    interrupt: Option<Box<dyn Stop + 'a>>,
    estimator: Option<Estimator>,
    rules: Vec<Box<dyn StopRule>>,
    floor: Floor,
    next_look: u64,
    last: Duration,
    /// The longest recent gap between two looks, which decays by an eighth each time.
    longest_gap: Duration,
    extended: Option<StopReason>,
}

/// The least that a search does, even when it is out of time: without it a move would be a random one. Neither the
/// strategy's rules nor the budget are asked before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Floor {
    /// So many simulations.
    pub simulations: u64,
    /// The longest wait for them: evaluations of a network are slow, and its first choice is no random move.
    pub time: Duration,
}

/// Asks until it is certain, and remembers that. The search ends once unused time stays on the clock.
struct Estimator {
    rule: Box<dyn StopRule>,
    minimum: Duration,
    certain: Option<StopReason>,
}

/// What became of a budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spent {
    /// The budget with all that the rules have added.
    pub budget: Budget,
    /// Which rule has added time last.
    pub extended: Option<StopReason>,
    /// The longest recent gap between two looks.
    pub longest_gap: Duration,
    /// How certain the answer was when the estimator looked last.
    pub certainty: Option<Certainty>,
}

impl<'a> StopChain<'a> {
    /// The rules of a strategy on a budget.
    #[must_use]
    pub fn new(budget: Budget, rules: Vec<Box<dyn StopRule>>) -> Self {
        Self {
            budget,
            interrupt: None,
            estimator: None,
            rules,
            floor: Floor::default(),
            next_look: 0,
            last: Duration::ZERO,
            longest_gap: Duration::ZERO,
            extended: None,
        }
    }

    /// A search that goes on until somebody wants the answer.
    #[must_use]
    pub fn until(interrupt: impl Stop + 'a) -> Self {
        Self::new(Budget::ENDLESS, Vec::new()).interrupted_by(interrupt)
    }

    /// Asks first whether somebody wants the answer now.
    #[must_use]
    pub fn interrupted_by(mut self, interrupt: impl Stop + 'a) -> Self {
        self.interrupt = Some(Box::new(interrupt));
        self
    }

    /// Asks an estimator after every batch; `at_once` ends the search even where unused time is lost.
    #[must_use]
    pub fn estimated_by(mut self, rule: Option<Box<dyn StopRule>>, at_once: bool) -> Self {
        let minimum = if at_once { Duration::ZERO } else { self.budget.minimum };
        self.estimator = rule.map(|rule| Estimator { rule, minimum, certain: None });
        self
    }

    /// Does some simulations in any case.
    #[must_use]
    pub const fn with_floor(mut self, floor: Floor) -> Self {
        self.floor = floor;
        self
    }

    /// What became of the budget so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        let Self { budget, extended, longest_gap, .. } = *self;
        let certainty = self.estimator.as_ref().and_then(|one| one.rule.certainty());
        Spent { budget, extended, longest_gap, certainty }
    }

    fn ask_estimator(&mut self, search: &SearchProgress<'_>) -> Option<StopReason> {
        let one = self.estimator.as_mut()?;
        if one.certain.is_none() {
            let verdict =
                one.rule.check(&Progress { search: *search, planned: self.budget.planned });
            match verdict {
                Verdict::GoOn => {}
                Verdict::Stop(reason) => one.certain = Some(reason),
                Verdict::Extend(more, reason) => {
                    extend(&mut self.budget, more);
                    self.extended = Some(reason);
                }
            }
        }
        one.certain.filter(|_| search.elapsed >= one.minimum)
    }

    fn measure(&mut self, search: &SearchProgress<'_>) {
        let took = search.elapsed.saturating_sub(self.last.max(search.before));
        self.last = search.elapsed;
        self.longest_gap = took.max(self.longest_gap.saturating_sub(self.longest_gap / 8));
    }

    /// Asks the rules in their order: the first that ends the search wins, and those before it may add time.
    fn ask_rules(&mut self, search: &SearchProgress<'_>) -> Option<StopReason> {
        for rule in &mut self.rules {
            let planned = self.budget.planned;
            match rule.check(&Progress { search: *search, planned }) {
                Verdict::Stop(reason) if search.elapsed >= self.budget.minimum => {
                    return Some(reason);
                }
                Verdict::GoOn | Verdict::Stop(_) => {}
                Verdict::Extend(more, reason) => {
                    extend(&mut self.budget, more);
                    self.extended = Some(reason);
                }
            }
        }
        None
    }

    fn ask_budget(&mut self, search: &SearchProgress<'_>) -> Option<StopReason> {
        self.measure(search);
        let Budget { planned, hard, .. } = self.budget;
        if search.elapsed.saturating_add(self.longest_gap) >= hard {
            return Some(if planned < hard { StopReason::Deadline } else { StopReason::Time });
        }
        let at_end = search.elapsed >= planned;
        if !at_end && search.simulations < self.next_look {
            return None;
        }
        self.next_look = search.simulations + EVERY;
        let is_over = |chain: &Self| search.elapsed >= chain.budget.planned;
        self.ask_rules(search).or_else(|| is_over(self).then_some(StopReason::Time))
    }
}

fn extend(budget: &mut Budget, more: Duration) {
    budget.planned = budget.planned.saturating_add(more).min(budget.hard);
}

impl Floor {
    /// Whether the search has come so far.
    #[must_use]
    pub fn is_reached(&self, search: &SearchProgress<'_>) -> bool {
        search.simulations >= self.simulations || search.searched() >= self.time
    }
}

impl Stop for StopChain<'_> {
    fn should_stop(&mut self, search: &SearchProgress<'_>) -> Option<StopReason> {
        if let Some(reason) = self.interrupt.as_mut().and_then(|one| one.should_stop(search)) {
            return Some(reason);
        }
        if let Some(reason) = self.ask_estimator(search) {
            return Some(reason);
        }
        if self.floor.is_reached(search) { self.ask_budget(search) } else { None }
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

    fn at(simulations: u64, elapsed: u64) -> SearchProgress<'static> {
        SearchProgress { simulations, elapsed: ms(elapsed), ..SearchProgress::default() }
    }

    fn budget(planned: u64, minimum: u64, hard: u64) -> Budget {
        Budget { planned: ms(planned), minimum: ms(minimum), hard: ms(hard) }
    }

    /// Runs in steps of a millisecond and 100 simulations, and returns when and why it stopped.
    fn run(budget: Budget, rule: Verdict) -> (u64, StopReason) {
        let mut chain = StopChain::new(budget, vec![Box::new(Always(rule))]);
        (0..).find_map(|step| Some((step, chain.should_stop(&at(100 * step, step))?))).unwrap()
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
        let mut chain = StopChain::new(budget(80, 0, 100), Vec::new());
        assert_eq!(chain.should_stop(&at(1, 30)), None);
        assert_eq!(chain.should_stop(&at(1, 60)), None);
        // Another 30 ms would be too late.
        assert_eq!(chain.should_stop(&at(1, 75)), Some(StopReason::Deadline));
    }

    /// Certain after ten simulations, if the plan reaches it.
    struct AfterTen;

    impl StopRule for AfterTen {
        fn check(&mut self, progress: &Progress<'_>) -> Verdict {
            assert_eq!(progress.planned, ms(9));
            match progress.search.simulations {
                10 => Verdict::Stop(StopReason::Certain),
                11.. => panic!("nobody need ask again"),
                _ => Verdict::GoOn,
            }
        }
    }

    #[test]
    fn an_estimator_does_not_lose_time() {
        let ends = |minimum, at_once| {
            let mut chain = StopChain::new(budget(9, minimum, 20), Vec::new())
                .estimated_by(Some(Box::new(AfterTen)), at_once);
            (0..).find_map(|now| Some((now, chain.should_stop(&at(5 * now, now))?)))
        };
        assert_eq!(ends(0, false), Some((2, StopReason::Certain)));
        assert_eq!(ends(7, false), Some((7, StopReason::Certain)));
        assert_eq!(ends(7, true), Some((2, StopReason::Certain)));
    }

    /// Adds two milliseconds once.
    struct More(bool);

    impl StopRule for More {
        fn check(&mut self, _: &Progress<'_>) -> Verdict {
            let asked_before = std::mem::replace(&mut self.0, true);
            if asked_before { Verdict::GoOn } else { Verdict::Extend(ms(2), StopReason::Close) }
        }
    }

    /// An estimator's wish for more time was once dropped.
    #[test]
    fn everybody_may_add_time() {
        for estimator in [false, true] {
            let more = || Box::new(More(false)) as Box<dyn StopRule>;
            let rules = if estimator { Vec::new() } else { vec![more()] };
            let mut chain =
                StopChain::new(budget(9, 0, 20), rules).estimated_by(estimator.then(more), false);
            let ended = (0..20).find(|&now| chain.should_stop(&at(100 * now, now)).is_some());
            assert_eq!(ended, Some(11));
            assert_eq!(chain.spent().extended, Some(StopReason::Close));
            assert_eq!(chain.spent().budget, budget(11, 0, 20));
        }
    }

    #[test]
    fn some_simulations_are_done_in_any_case() {
        let floor = |time| Floor { simulations: 50, time };
        let ends = |chain: StopChain<'_>, time| {
            let mut chain = chain.with_floor(floor(time));
            (0..).find_map(|now| Some((now, chain.should_stop(&at(5 * now, now))?))).unwrap()
        };
        let late = || StopChain::new(budget(0, 0, 0), Vec::new());
        assert_eq!(ends(late(), Duration::MAX), (10, StopReason::Time));
        assert_eq!(ends(late(), ms(4)), (4, StopReason::Time));
        // Whoever wants the answer now decides for himself.
        let interrupt = |_: &SearchProgress<'_>| Some(StopReason::Interrupted);
        let interrupted = StopChain::until(interrupt);
        assert_eq!(ends(interrupted, Duration::MAX), (0, StopReason::Interrupted));
    }
}
