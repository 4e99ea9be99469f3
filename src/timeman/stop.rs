//! Rules that end a search.

use std::fmt;
use std::time::Duration;

/// What a rule is told about a running search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Simulations done.
    pub simulations: u64,
    /// Time since the search began.
    pub elapsed: Duration,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The time for this move is over.
    Time,
    /// As many simulations as allowed were done.
    Simulations,
    /// There was no choice.
    OnlyMove,
    /// The result is proven.
    Proven,
    /// Somebody asked for the answer.
    Interrupted,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Time => "time",
            StopReason::Simulations => "simulations",
            StopReason::OnlyMove => "only move",
            StopReason::Proven => "proven",
            StopReason::Interrupted => "interrupted",
        })
    }
}

/// What a rule thinks of going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No objection.
    GoOn,
    /// End the search.
    Stop(StopReason),
}

/// Decides after every batch of simulations whether to go on.
pub trait StopRule {
    /// Looks at the search so far.
    fn check(&mut self, progress: &Progress) -> Verdict;
}

/// Rules that are asked in their order; the first that objects ends the search.
#[derive(Default)]
pub struct Chain(pub Vec<Box<dyn StopRule>>);

impl StopRule for Chain {
    fn check(&mut self, progress: &Progress) -> Verdict {
        let objection = |rule: &mut Box<dyn StopRule>| match rule.check(progress) {
            Verdict::GoOn => None,
            stop @ Verdict::Stop(_) => Some(stop),
        };
        self.0.iter_mut().find_map(objection).unwrap_or(Verdict::GoOn)
    }
}

/// Ends a search when its time is over.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit(pub Duration);

impl StopRule for TimeLimit {
    fn check(&mut self, progress: &Progress) -> Verdict {
        if progress.elapsed >= self.0 { Verdict::Stop(StopReason::Time) } else { Verdict::GoOn }
    }
}

/// Ends a search after a number of simulations.
#[derive(Clone, Copy, Debug)]
pub struct SimulationLimit(pub u64);

impl StopRule for SimulationLimit {
    fn check(&mut self, progress: &Progress) -> Verdict {
        if progress.simulations >= self.0 {
            Verdict::Stop(StopReason::Simulations)
        } else {
            Verdict::GoOn
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stop_when_reached_and_not_before() {
        let at =
            |simulations, millis| Progress { simulations, elapsed: Duration::from_millis(millis) };
        let mut time = TimeLimit(Duration::from_millis(500));
        assert_eq!(time.check(&at(9, 499)), Verdict::GoOn);
        assert_eq!(time.check(&at(9, 500)), Verdict::Stop(StopReason::Time));
        let mut simulations = SimulationLimit(10);
        assert_eq!(simulations.check(&at(9, 9999)), Verdict::GoOn);
        assert_eq!(simulations.check(&at(10, 0)), Verdict::Stop(StopReason::Simulations));
    }
}
