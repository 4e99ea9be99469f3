//! Estimates for many positions, and the thresholds that follow from them.

use std::panic::resume_unwind;
use std::thread;

use super::data::{Shown, State};
use super::estimator::{NetEstimator, PolicyEstimator};
use super::metrics::Scores;
use super::params::UncertaintyParams;
use super::profile::Checkpoint;
use super::replay::ended_by;
use super::thresholds::{Choice, Outcome, thresholds_within};
use crate::timeman::EarlyStop;
use crate::util::threads_or_cores;

/// What the estimators say of positions at the start and at some numbers of simulations.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimates {
    /// By State-UN, for each position.
    pub at_once: Vec<f64>,
    /// Numbers of simulations with what MCTS-UN says after them, for each position.
    pub during: Vec<(usize, Vec<f64>)>,
}

impl Estimates {
    /// Asks both networks about all positions.
    pub fn new(
        states: &[State],
        (at_once, during): (&NetEstimator, &NetEstimator),
        checkpoints: &[usize],
    ) -> Self {
        Self {
            at_once: asked_at_once(states, at_once),
            during: checkpoints
                .iter()
                .map(|&n| (n, asked_during(states, during, n, Shown::Both)))
                .collect(),
        }
    }

    /// Checkpoints with their thresholds; the first is at the start. By `recall` each threshold is the
    /// largest that catches a share of the positions that need more search; by `loss` all of them
    /// together save as much as can be, beside STOP, for what may be lost.
    #[must_use]
    pub fn checkpoints(&self, states: &[State], params: &UncertaintyParams) -> Vec<Checkpoint> {
        let at_once = (0, self.at_once.as_slice());
        let during = self.during.iter().map(|(n, list)| (*n, list.as_slice()));
        let asked: Vec<(usize, &[f64])> = [at_once].into_iter().chain(during).collect();
        let scores: Vec<Scores> = asked
            .iter()
            .map(|(n, list)| scores(states, list, (*n).max(1), params.epsilon))
            .collect();
        let thresholds = if params.limits_loss() {
            together(states, &asked, params.loss)
        } else {
            scores.iter().map(|scores| scores.threshold(params.recall)).collect()
        };
        let points = asked.iter().zip(&scores).zip(thresholds);
        points
            .map(|((&(simulations, _), scores), threshold)| {
                let at = scores.at(threshold);
                Checkpoint {
                    simulations,
                    threshold: at.threshold,
                    recall: at.recall,
                    specificity: at.specificity,
                    reliability: scores.reliability(),
                }
            })
            .collect()
    }

    /// After how many simulations each search ends by Algorithm 1, `most` where it does not.
    #[must_use]
    pub fn stops(&self, points: &[(usize, f64)], most: usize) -> Vec<usize> {
        let list = |n: usize| match n {
            0 => Some(&self.at_once),
            n => self.during.iter().find(|(at, _)| *at == n).map(|(_, list)| list),
        };
        (0..self.at_once.len())
            .map(|index| {
                let ends = |&&(n, threshold): &&(usize, f64)| {
                    list(n).is_some_and(|list| list[index] < threshold)
                };
                points.iter().find(ends).map_or(most, |&(n, _)| n.max(1))
            })
            .collect()
    }
}

/// Thresholds that lose no more than a limit in the mean, over all searches, beside STOP.
fn together(states: &[State], asked: &[(usize, &[f64])], limit: f64) -> Vec<f64> {
    let at = |state: &State, n: usize| Outcome {
        lost: state.labels.regret(n),
        spent: n.min(state.labels.most()) as f64 / state.planned as f64,
    };
    // What STOP ends loses nothing: the move cannot change.
    let overtaken = |state| ended_by(&mut EarlyStop { p: 1.0 }, state);
    let ends: Vec<usize> = states.iter().map(overtaken).collect();
    let choices: Vec<Choice> = asked
        .iter()
        .map(|&(n, said)| Choice {
            said: said.to_vec(),
            ended: states.iter().zip(&ends).map(|(s, &end)| at(s, n.max(1).min(end))).collect(),
        })
        .collect();
    let whole: Vec<Outcome> = states.iter().zip(&ends).map(|(s, &end)| at(s, end)).collect();
    thresholds_within(&choices, &whole, limit)
}

/// What State-UN says of all positions.
#[must_use]
pub fn asked_at_once(states: &[State], net: &NetEstimator) -> Vec<f64> {
    asked(states, |state| net.ask(&state.position, &[], Shown::Both))
}

/// What MCTS-UN says of all positions after `n` simulations, shown a part of its input.
#[must_use]
pub fn asked_during(states: &[State], net: &NetEstimator, n: usize, shown: Shown) -> Vec<f64> {
    asked(states, |state| net.ask(&state.position, &state.features(n), shown))
}

/// What is said of each position, on all cores.
fn asked(states: &[State], ask: impl Fn(&State) -> f64 + Sync) -> Vec<f64> {
    let share = states.len().div_ceil(threads_or_cores(0)).max(1);
    let ask = &ask;
    thread::scope(|scope| {
        let work = |part: &'_ [State]| part.iter().map(ask).collect::<Vec<f64>>();
        let parts: Vec<_> =
            states.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        // A panic of a thread goes on here.
        let join = |part: thread::ScopedJoinHandle<'_, Vec<f64>>| {
            part.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        parts.into_iter().flat_map(join).collect()
    })
}

/// What the policy says of all positions.
#[must_use]
pub fn asked_policy(states: &[State], temperature: f64) -> Vec<f64> {
    let estimator = PolicyEstimator { temperature };
    let ask = |state: &State| estimator.uncertainty(state.trace.moves.iter().map(|m| m.1));
    states.iter().map(ask).collect()
}

/// Estimates beside `U(s, n)`, of the searches that go on so long.
#[must_use]
pub fn scores(states: &[State], said: &[f64], n: usize, epsilon: f64) -> Scores {
    let truth = |state: &State| state.labels.is_uncertain(n, epsilon);
    let asked = states.iter().zip(said).filter(|(state, _)| state.goes_on(n));
    Scores(asked.map(|(state, &u)| (u, truth(state))).collect())
}

/// The temperature at which the policy is calibrated best (Guo et al. 2017): that of the least
/// cross entropy between what it says and whether the search would have changed its mind.
#[must_use]
pub fn fitted_temperature(states: &[State], epsilon: f64) -> f64 {
    let loss = |temperature: f64| {
        let said = asked_policy(states, temperature);
        let term = |&(u, truth): &(f64, bool)| {
            let likely = if truth { u } else { 1.0 - u };
            -likely.max(1e-6).ln()
        };
        scores(states, &said, 1, epsilon).0.iter().map(term).sum::<f64>()
    };
    // From 0.2 to 5 in steps of 2 %.
    let steps = (0..163).map(|k| 0.2 * 1.02_f64.powi(k));
    steps.min_by(|&a, &b| loss(a).total_cmp(&loss(b))).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_checkpoint_below_its_threshold_ends_a_search() {
        let estimates = Estimates {
            at_once: vec![0.05, 0.5, 0.5, 0.5],
            during: vec![(10, vec![0.0, 0.1, 0.3, 0.9]), (40, vec![0.0, 0.0, 0.2, 0.9])],
        };
        let points = [(0, 0.1), (10, 0.2), (40, 0.3)];
        assert_eq!(estimates.stops(&points, 100), [1, 10, 40, 100]);
        assert_eq!(estimates.stops(&points[..1], 100), [1, 100, 100, 100]);
        // What was not asked stops nothing.
        assert_eq!(estimates.stops(&[(20, 1.0)], 100), [100; 4]);
    }
}
