//! Rules that end a search, or give it more time.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

/// What a search tells of itself while it runs.
#[derive(Clone, Copy, Default)]
pub struct SearchProgress<'a> {
    /// Simulations done.
    pub simulations: u64,
    /// Time since the question.
    pub elapsed: Duration,
    /// The part of it that was over before the first simulation began, which says nothing of the speed.
    pub before: Duration,
    /// Simulations that are still allowed, if their number is limited.
    pub simulations_left: Option<u64>,
    /// Visits of the root that earlier searches have left.
    pub reused: u64,
    /// The moves at the root, to be looked at where needed.
    pub root: Option<&'a dyn Root>,
}

/// What a rule is told about a running search.
#[derive(Clone, Copy, Default)]
pub struct Progress<'a> {
    /// What the search tells.
    pub search: SearchProgress<'a>,
    /// The time that the search is to take.
    pub planned: Duration,
}

impl SearchProgress<'_> {
    /// Time since the first simulation began.
    #[must_use]
    pub fn searched(&self) -> Duration {
        self.elapsed.saturating_sub(self.before)
    }
}

/// The moves at the root of a running search. Looking costs a little: rules do it now and then.
pub trait Root {
    /// The moves in short; none where something else than visits decides.
    fn summary(&self) -> Option<Summary>;
    /// The visits of all moves, always in the same order.
    fn visits(&self) -> Vec<u32>;
    /// The highest criticality of a point, if the evaluator tells owners.
    fn criticality(&self) -> Option<f64>;
    /// What the simulations of every move have found, by falling priors; nothing where the root
    /// does not tell.
    fn tallies(&self) -> Vec<Tally> {
        Vec::new()
    }
}

/// A move at the root with what its simulations have found, for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// The number of its point in reading order; none for a pass.
    pub point: Option<usize>,
    /// The evaluator's probability of the move.
    pub prior: f32,
    /// Simulations that began with it.
    pub visits: u32,
    /// Sum of their values.
    pub sum: f64,
    /// Sum of the squares of their values.
    pub squares: f64,
}

/// The moves at the root in short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Visits of the most visited move.
    pub best: u32,
    /// Visits of the next.
    pub second: u32,
    /// Share of games that the most visited move wins.
    pub win_rate: f64,
    /// Whether the most visited move also has the highest value.
    pub best_is_highest: bool,
}

/// Why a search ended or went on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The time for this move is over.
    Time,
    /// More time cannot be had.
    Deadline,
    /// As many simulations as allowed were done.
    Simulations,
    /// There was no choice.
    OnlyMove,
    /// The result is proven.
    Proven,
    /// Somebody asked for the answer.
    Interrupted,
    /// The best move will hardly be overtaken (STOP).
    CannotChange,
    /// Simulations do not change the visits any more (KLD).
    Settled,
    /// A random number said so.
    Chance,
    /// An estimator found it certain enough at a checkpoint.
    Certain,
    /// The criticality is low or high (KAPPA-CM).
    Criticality,
    /// What earlier searches left counts as time spent.
    Reuse,
    /// The player is behind (BEHIND).
    Behind,
    /// The most visited move is not the best (UNST).
    Unstable,
    /// Two moves are close (CLOSE).
    Close,
}

impl StopReason {
    /// The reason in a word or two.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Deadline => "deadline",
            Self::Simulations => "simulations",
            Self::OnlyMove => "only move",
            Self::Proven => "proven",
            Self::Interrupted => "interrupted",
            Self::CannotChange => "cannot change",
            Self::Settled => "settled",
            Self::Chance => "chance",
            Self::Certain => "certain",
            Self::Criticality => "criticality",
            Self::Reuse => "reuse",
            Self::Behind => "behind",
            Self::Unstable => "unstable",
            Self::Close => "close",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a rule thinks of going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No objection.
    GoOn,
    /// End the search.
    Stop(StopReason),
    /// Plan so much more time.
    Extend(Duration, StopReason),
}

/// One of the rules of a [`StopChain`](super::StopChain).
pub trait StopRule {
    /// Looks at the search so far.
    fn check(&mut self, progress: &Progress<'_>) -> Verdict;

    /// How certain the rule found the answer when it looked last, if it can tell.
    fn certainty(&self) -> Option<Certainty> {
        None
    }
}

/// Ends a search: asked after every batch of simulations, or every few milliseconds.
pub trait Stop {
    /// Why the search is to end now; none to go on.
    fn should_stop(&mut self, progress: &SearchProgress<'_>) -> Option<StopReason>;
}

impl<F: FnMut(&SearchProgress<'_>) -> Option<StopReason>> Stop for F {
    fn should_stop(&mut self, progress: &SearchProgress<'_>) -> Option<StopReason> {
        self(progress)
    }
}

/// How certain a search was at a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Certainty {
    /// Visits of the root.
    pub simulations: u64,
    /// Visits that were planned.
    pub of: u64,
    /// u: how likely it is that more search would have mattered.
    pub uncertainty: f64,
    /// Below this the search ends.
    pub threshold: f64,
}

impl Certainty {
    /// Whether this ended the search.
    #[must_use]
    pub fn stops(&self) -> bool {
        self.uncertainty < self.threshold
    }
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { simulations, of, uncertainty, threshold } = self;
        let (verb, sign) = if self.stops() { ("stopped", '<') } else { ("went on", '≥') };
        write!(f, "{verb} at {simulations} of {of}: u = {uncertainty:.3} {sign} {threshold:.3}")
    }
}

/// Ends a search when its time is over.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit(pub Duration);

impl Stop for TimeLimit {
    fn should_stop(&mut self, progress: &SearchProgress<'_>) -> Option<StopReason> {
        (progress.elapsed >= self.0).then_some(StopReason::Time)
    }
}

/// Ends a search after a number of simulations.
#[derive(Clone, Copy, Debug)]
pub struct SimulationLimit(pub u64);

impl Stop for SimulationLimit {
    fn should_stop(&mut self, progress: &SearchProgress<'_>) -> Option<StopReason> {
        (progress.simulations >= self.0).then_some(StopReason::Simulations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stop_when_reached_and_not_before() {
        let at = |simulations, millis| SearchProgress {
            simulations,
            elapsed: Duration::from_millis(millis),
            ..SearchProgress::default()
        };
        let mut time = TimeLimit(Duration::from_millis(500));
        assert_eq!(time.should_stop(&at(9, 499)), None);
        assert_eq!(time.should_stop(&at(9, 500)), Some(StopReason::Time));
        let mut simulations = SimulationLimit(10);
        assert_eq!(simulations.should_stop(&at(9, 9999)), None);
        assert_eq!(simulations.should_stop(&at(10, 0)), Some(StopReason::Simulations));
    }
}
