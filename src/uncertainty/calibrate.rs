//! Estimates for many positions, and the thresholds that follow from them.

use super::data::{Shown, State};
use super::estimator::{NetEstimator, PolicyEstimator};
use super::metrics::Scores;
use super::params::UncertaintyParams;
use super::profile::Checkpoint;

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

    /// Checkpoints with the largest thresholds that catch a share of the positions that need more
    /// search; the first is at the start. Where the networks foresee regret, with the largest ones
    /// at which what is lost by ending the searches that are left stays within the limit.
    #[must_use]
    pub fn checkpoints(&self, states: &[State], params: &UncertaintyParams) -> Vec<Checkpoint> {
        let at_once = (0, self.at_once.as_slice());
        let during = self.during.iter().map(|(n, list)| (*n, list.as_slice()));
        let mut left: Vec<usize> = (0..states.len()).collect();
        [at_once]
            .into_iter()
            .chain(during)
            .map(|(simulations, list)| {
                let n = simulations.max(1);
                let scores = scores(states, list, n, params.epsilon);
                let threshold = if params.foresees_regret() {
                    let lost = |&i: &usize| (list[i], states[i].labels.regret(n));
                    threshold_by_loss(left.iter().map(lost).collect(), params.regret)
                } else {
                    scores.threshold(params.recall)
                };
                left.retain(|&i| list[i] >= threshold);
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

/// The largest threshold at which the searches that it ends, with what was said of them and what each
/// loses, lose no more than a limit in the mean; 0, which ends none, where there is no such threshold.
fn threshold_by_loss(mut said: Vec<(f64, f64)>, limit: f64) -> f64 {
    said.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut ended, mut threshold) = (0.0, 0.0, 0.0);
    let mut groups = said.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()).peekable();
    while let Some(equal) = groups.next() {
        sum += equal.iter().map(|(_, loss)| loss).sum::<f64>();
        ended += equal.len() as f64;
        if sum <= limit * ended {
            threshold = groups.peek().map_or(1.0, |next| next[0].0);
        }
    }
    threshold
}

/// What State-UN says of all positions.
#[must_use]
pub fn asked_at_once(states: &[State], net: &NetEstimator) -> Vec<f64> {
    states.iter().map(|state| net.ask(&state.position, &[], Shown::Both)).collect()
}

/// What MCTS-UN says of all positions after `n` simulations, shown a part of its input.
#[must_use]
pub fn asked_during(states: &[State], net: &NetEstimator, n: usize, shown: Shown) -> Vec<f64> {
    states.iter().map(|state| net.ask(&state.position, &state.features(n), shown)).collect()
}

/// What the policy says of all positions.
#[must_use]
pub fn asked_policy(states: &[State], temperature: f64) -> Vec<f64> {
    let estimator = PolicyEstimator { temperature };
    let ask = |state: &State| estimator.uncertainty(state.trace.moves.iter().map(|m| m.1));
    states.iter().map(ask).collect()
}

/// Estimates beside `U(s, n)`.
#[must_use]
pub fn scores(states: &[State], said: &[f64], n: usize, epsilon: f64) -> Scores {
    let truth = |state: &State| state.labels.is_uncertain(n, epsilon);
    Scores(states.iter().zip(said).map(|(state, &u)| (u, truth(state))).collect())
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
    fn a_threshold_keeps_the_loss_within_its_limit() {
        let said = vec![(0.3, 0.5), (0.1, 0.0), (0.2, 0.01), (0.2, 0.01), (0.4, -0.1)];
        // Means of what is ended: 0, then 0.02 / 3, then 0.52 / 4, then 0.42 / 5.
        let threshold = |limit| threshold_by_loss(said.clone(), limit);
        assert!((threshold(0.0) - 0.2).abs() < 1e-12);
        assert!((threshold(0.007) - 0.3).abs() < 1e-12);
        assert!((threshold(0.1) - 1.0).abs() < 1e-12, "the last one makes up for the one before");
        assert!(threshold_by_loss(vec![(0.1, 0.2)], 0.1).abs() < 1e-12);
        assert!(threshold_by_loss(Vec::new(), 0.1).abs() < 1e-12);
    }

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
