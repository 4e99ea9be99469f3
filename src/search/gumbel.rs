//! The arithmetic of a Gumbel search at the root: which moves are looked at, how often, which one
//! is played and what a network learns from it. It knows nothing of a tree.
//!
//! Danihelka, Guez, Schrittwieser and Silver 2022, "Policy improvement by planning with Gumbel".
//! Slices have one entry for each action; values are for the side that chooses the action,
//! and priors need not sum to one.

use std::cmp::Ordering;
use std::iter::repeat_n;

use rand::Rng as _;

use crate::eval::Value;
use crate::util::Rng;

/// How a Gumbel root chooses; the defaults are those of `SearchParams`.
#[derive(Clone, Debug, PartialEq)]
pub struct GumbelParams {
    /// Actions that are considered at the most.
    pub considered: u32,
    /// Weight of values against priors before any visit: `c_visit` in
    /// `(c_visit + most visits) · c_scale · value`, values in [-1, 1].
    pub c_visit: f64,
    /// Weight of values against priors for each visit, see `c_visit`.
    pub c_scale: f64,
}

#[cfg(test)]
impl Default for GumbelParams {
    fn default() -> Self {
        Self { considered: 16, c_visit: 50.0, c_scale: 1.0 }
    }
}

/// The choice among the actions of one root, for a fixed number of simulations.
///
/// The noise is drawn once, and the root must not have been visited before.
#[derive(Clone, Debug)]
pub struct Gumbel {
    noise: Vec<f64>,
    logits: Vec<f64>,
    /// Indices of actions, best first by noise and logit.
    considered: Vec<usize>,
    schedule: Vec<u32>,
    params: GumbelParams,
}

impl Gumbel {
    /// Draws noise and the actions to be considered: the best by noise and logit, which is a sample
    /// from the priors without replacement (equations 3 to 5).
    #[must_use]
    pub fn new(logits: &[f64], simulations: u64, params: &GumbelParams, rng: &mut Rng) -> Self {
        let noise: Vec<f64> = logits.iter().map(|_| gumbel(rng)).collect();
        // A considered action wants a simulation.
        let most = u64::from(params.considered).min(simulations).max(1);
        let score = |action: usize| noise[action] + logits[action];
        let mut considered: Vec<usize> = (0..logits.len()).collect();
        considered.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        considered.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        let schedule = considered_visits(considered.len(), simulations);
        Self { noise, logits: logits.to_vec(), considered, schedule, params: params.clone() }
    }

    /// The actions that simulations may begin with, best first by noise and logit.
    #[must_use]
    pub fn considered(&self) -> &[usize] {
        &self.considered
    }

    /// The action that simulation number `simulation`, counted from 0, begins with: the best among
    /// those that have as many visits as the schedule wants (Algorithm 2). None after the last
    /// simulation, and none if no action has this number of visits because other actions than the
    /// selected ones were visited. A simulation that has been started counts as a visit.
    #[must_use]
    pub fn select(&self, simulation: u64, visits: &[u32], completed: &[f64]) -> Option<usize> {
        let wanted = *self.schedule.get(usize::try_from(simulation).ok()?)?;
        self.best_with(wanted, visits, completed)
    }

    /// The action to play: the best among the most visited, `A_{n+1}` of the paper. None only if
    /// there are no actions.
    #[must_use]
    pub fn best(&self, visits: &[u32], completed: &[f64]) -> Option<usize> {
        let most = self.considered.iter().map(|&action| visits[action]).max()?;
        self.best_with(most, visits, completed)
    }

    /// The considered action with this number of visits that has most noise + logit + σ(value),
    /// the first of equal ones.
    fn best_with(&self, wanted: u32, visits: &[u32], completed: &[f64]) -> Option<usize> {
        let max_visits = most_visits(visits);
        let score = |action: usize| {
            let value = sigma(completed[action], max_visits, &self.params);
            self.noise[action] + self.logits[action] + value
        };
        let able = self.considered.iter().copied().filter(|&action| visits[action] == wanted);
        able.map(|action| (action, score(action)))
            .reduce(
                |best, next| {
                    if next.1.total_cmp(&best.1) == Ordering::Greater { next } else { best }
                },
            )
            .map(|(action, _)| action)
    }
}

/// Sequential halving (Karnin, Koren and Somekh 2013) as a sequence: how many visits the actions
/// considered by simulation `i` have before it. As many entries as simulations, 4 bytes each.
///
/// Each of the `ceil(log2 m)` phases gets about an equal share of the simulations, at least one for
/// each of its actions, and passes half of its actions on to the next, at least two. What is left
/// at the end goes to the last two, and the sequence is cut where the simulations end.
#[must_use]
pub fn considered_visits(considered: usize, simulations: u64) -> Vec<u32> {
    let mut width = (considered as u64).min(simulations).max(1);
    // One action is one phase.
    let phases = u64::from(width.next_power_of_two().trailing_zeros()).max(1);
    let mut sequence = Vec::new();
    let (mut left, mut visits) = (simulations, 0_u32);
    while left > 0 {
        let rounds = (simulations / (phases * width)).max(1);
        for _ in 0..rounds {
            let count = width.min(left);
            sequence.extend(repeat_n(visits, usize::try_from(count).unwrap_or(usize::MAX)));
            left -= count;
            visits = visits.saturating_add(1);
        }
        width = (width / 2).max(2);
    }
    sequence
}

/// Logits of prior probabilities; a prior of zero counts as the smallest normal number.
#[must_use]
pub fn logits(priors: &[f32]) -> Vec<f64> {
    priors.iter().map(|&prior| positive(prior).ln()).collect()
}

/// The weight of a value in [-1, 1] against logits, equation 8:
/// `σ(q) = (c_visit + max_b N(b)) · c_scale · q`.
#[must_use]
pub fn sigma(value: f64, max_visits: u32, params: &GumbelParams) -> f64 {
    (params.c_visit + f64::from(max_visits)) * params.c_scale * value
}

/// Completed values, equation 10: visited actions keep their value, the others get the mixed value
/// of Appendix D, `v_mix = (v + ΣN · Σ π·q / Σ π) / (1 + ΣN)` with the inner sums over the visited
/// actions. `root_value` is the evaluator's own value v of the root. Entries of `values` for
/// unvisited actions are not looked at.
#[must_use]
pub fn completed(priors: &[f32], values: &[Value], visits: &[u32], root_value: Value) -> Vec<f64> {
    let (mut weighted, mut weights, mut total) = (0.0, 0.0, 0.0);
    for ((&prior, value), &visits) in priors.iter().zip(values).zip(visits) {
        if visits > 0 {
            weighted += positive(prior) * f64::from(value.get());
            weights += positive(prior);
            total += f64::from(visits);
        }
    }
    let root = f64::from(root_value.get());
    let mixed =
        if weights > 0.0 { (root + total * weighted / weights) / (1.0 + total) } else { root };
    values
        .iter()
        .zip(visits)
        .map(|(value, &visits)| if visits > 0 { f64::from(value.get()) } else { mixed })
        .collect()
}

/// The improved policy, equation 11: `π' = softmax(logits + σ(completed values))`, what a policy
/// learns. Its expected completed value is never below that of the priors.
#[must_use]
pub fn improved_policy(
    logits: &[f64],
    completed: &[f64],
    visits: &[u32],
    params: &GumbelParams,
) -> Vec<f64> {
    let max_visits = most_visits(visits);
    let scores: Vec<f64> = logits
        .iter()
        .zip(completed)
        .map(|(logit, &value)| logit + sigma(value, max_visits, params))
        .collect();
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - highest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

fn most_visits(visits: &[u32]) -> u32 {
    visits.iter().copied().max().unwrap_or(0)
}

fn positive(prior: f32) -> f64 {
    f64::from(prior.max(f32::MIN_POSITIVE))
}

/// A number from the standard Gumbel distribution, `-ln(-ln(u))` with u strictly between 0 and 1.
fn gumbel(rng: &mut Rng) -> f64 {
    // 52 bits, so that the half added to them is not rounded away.
    let unit = ((rng.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64;
    -(-unit.ln()).ln()
}

#[cfg(test)]
mod tests;
