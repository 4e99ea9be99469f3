//! How far a network is from what it should say, and in which direction to go.
//!
//! Losses and their derivatives are plain arithmetic on the outputs of the network; the graph is
//! only asked to carry the derivatives back.

use super::batch::Target;
use super::params::TrainParams;
use super::single;

/// What a network says of some positions, row by row.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    /// `[positions, points + 1]`.
    pub(super) policy: Vec<f32>,
    /// `[positions, points + 1]`.
    pub(super) reply: Vec<f32>,
    /// `[positions]`.
    pub(super) value: Vec<f32>,
    /// `[positions]`.
    pub(super) short_term: Vec<f32>,
    /// `[positions]`.
    pub(super) score: Vec<f32>,
    /// `[positions]`.
    pub(super) uncertainty: Vec<f32>,
    /// `[positions, points]`.
    pub(super) ownership: Vec<f32>,
}

impl Outputs {
    /// The same number of zeros, for derivatives.
    pub(super) fn zeros(&self) -> Self {
        let zeros = |values: &Vec<f32>| vec![0.0; values.len()];
        Self {
            policy: zeros(&self.policy),
            reply: zeros(&self.reply),
            value: zeros(&self.value),
            short_term: zeros(&self.short_term),
            score: zeros(&self.score),
            uncertainty: zeros(&self.uncertainty),
            ownership: zeros(&self.ownership),
        }
    }
}

/// A loss summed over positions, with the weight of those that have a target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// Weighted sum.
    pub sum: f64,
    /// Sum of the weights.
    pub weight: f64,
}

impl Sum {
    /// The mean over the positions with a target; 0 without any.
    #[must_use]
    pub fn mean(self) -> f64 {
        if self.weight > 0.0 { self.sum / self.weight } else { 0.0 }
    }

    pub(super) fn add(&mut self, value: f64, weight: f32) {
        self.sum += value * f64::from(weight);
        self.weight += f64::from(weight);
    }

    fn merge(&mut self, other: Self) {
        self.sum += other.sum;
        self.weight += other.weight;
    }
}

/// The losses of some positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Cross entropy of the policy, over legal moves.
    pub policy: Sum,
    /// Cross entropy of the value as a probability to win.
    pub value: Sum,
    /// Cross entropy of the reply.
    pub reply: Sum,
    /// Cross entropy of the owners, mean over the points.
    pub ownership: Sum,
    /// Huber loss of the score, in the unit of the network.
    pub score: Sum,
    /// Cross entropy of the value some turns later.
    pub short_term: Sum,
}

impl Losses {
    /// All by name.
    #[must_use]
    pub const fn named(&self) -> [(&'static str, Sum); 6] {
        [
            ("policy", self.policy),
            ("value", self.value),
            ("reply", self.reply),
            ("ownership", self.ownership),
            ("score", self.score),
            ("short_term", self.short_term),
        ]
    }

    /// Adds the losses of other positions.
    pub fn merge(&mut self, other: &Self) {
        self.policy.merge(other.policy);
        self.value.merge(other.value);
        self.reply.merge(other.reply);
        self.ownership.merge(other.ownership);
        self.score.merge(other.score);
        self.short_term.merge(other.short_term);
    }

    /// What is made small: the weighted sum of the losses of all positions, divided by `weight`.
    #[must_use]
    pub fn total(&self, params: &TrainParams, weight: f64) -> f64 {
        (self.policy.sum
            + params.value_weight * self.value.sum
            + params.reply_weight * self.reply.sum
            + params.ownership_weight * self.ownership.sum
            + params.score_weight * self.score.sum
            + params.short_term_weight * self.short_term.sum)
            / weight
    }
}

/// The losses of some positions, and the derivative of their total by every output. `weight` is
/// that of the whole batch, of which these positions may be a part.
pub(super) fn losses(
    outputs: &Outputs,
    targets: &[Target],
    params: &TrainParams,
    weight: f64,
) -> (Losses, Outputs) {
    let mut losses = Losses::default();
    let mut slopes = outputs.zeros();
    let count = targets.len().max(1);
    let (moves, points) = (outputs.policy.len() / count, outputs.ownership.len() / count);
    for (i, target) in targets.iter().enumerate() {
        let own = target.weight;
        let scale = |head: f64| single(f64::from(own) * head / weight);
        let row = i * moves..(i + 1) * moves;
        if !target.policy.is_empty() {
            let (logits, slope) = (&outputs.policy[row.clone()], &mut slopes.policy[row.clone()]);
            let loss = softmax(logits, Some(&target.legal), &target.policy, scale(1.0), slope);
            losses.policy.add(loss, own);
        }
        if !target.reply.is_empty() {
            let (logits, slope) = (&outputs.reply[row.clone()], &mut slopes.reply[row]);
            let loss = softmax(logits, None, &target.reply, scale(params.reply_weight), slope);
            losses.reply.add(loss, own);
        }
        if let Some(value) = target.value {
            let (loss, slope) = win(outputs.value[i], value);
            losses.value.add(loss, own);
            slopes.value[i] = slope * scale(params.value_weight);
        }
        if let Some(value) = target.short_term {
            let (loss, slope) = win(outputs.short_term[i], value);
            losses.short_term.add(loss, own);
            slopes.short_term[i] = slope * scale(params.short_term_weight);
        }
        if let Some(score) = target.score {
            let (loss, slope) = huber(outputs.score[i] - score);
            losses.score.add(loss, own);
            slopes.score[i] = slope * scale(params.score_weight);
        }
        if !target.ownership.is_empty() {
            let row = i * points..(i + 1) * points;
            let scale = scale(params.ownership_weight) / points as f32;
            let said = outputs.ownership[row.clone()].iter().zip(&mut slopes.ownership[row]);
            let mut sum = 0.0;
            for ((&said, to), &owner) in said.zip(&target.ownership) {
                let (loss, slope) = win(said, owner);
                sum += loss;
                *to = slope * scale;
            }
            losses.ownership.add(sum / points as f64, own);
        }
    }
    (losses, slopes)
}

/// Cross entropy between a target and the softmax of logits, over the legal moves if they are
/// given. The slope is written where a move is legal.
pub(super) fn softmax(
    logits: &[f32],
    legal: Option<&[bool]>,
    target: &[f32],
    scale: f32,
    slope: &mut [f32],
) -> f64 {
    let is_legal = |i: usize| legal.is_none_or(|legal| legal[i]);
    let chosen = || (0..logits.len()).filter(|&i| is_legal(i));
    let highest = chosen().map(|i| logits[i]).fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = chosen().map(|i| (logits[i] - highest).exp()).sum();
    let mut loss = 0.0;
    for i in chosen() {
        let log = logits[i] - highest - sum.ln();
        slope[i] = scale * (log.exp() - target[i]);
        loss -= f64::from(target[i] * log);
    }
    loss
}

/// Cross entropy of a value whose `tanh` is what the network says, as a probability to win of
/// `(1 + tanh x) / 2`, and its slope.
fn win(x: f32, target: f32) -> (f64, f32) {
    let (x, target) = (2.0 * f64::from(x), f64::from(f32::midpoint(target, 1.0)));
    let loss = x.max(0.0) + (-x.abs()).exp().ln_1p() - target * x;
    let probability = 1.0 / (1.0 + (-x).exp());
    (loss, single(2.0 * (probability - target)))
}

/// A square near zero, a straight line from 1 on (Huber 1964), and its slope.
fn huber(difference: f32) -> (f64, f32) {
    let size = f64::from(difference.abs());
    let loss = if size <= 1.0 { size * size / 2.0 } else { size - 0.5 };
    (loss, difference.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests;
