//! A network that learns how uncertain searches are, batch by batch.

use std::ops::Range;

use super::batch::{Batch, Target};
use super::graph::{Graph, tensors};
use super::loss::{Outputs, softmax};
use super::optimizer::{Place, layout};
use super::params::TrainParams;
use super::state::State;
use super::{TrainError, single};
use crate::nn::{NetShape, SCALARS, Tensors};

/// Which scalar of the value head is the uncertainty.
const UNCERTAINTY: usize = SCALARS - 1;

/// What a network is to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// All of it.
    Everything,
    /// The uncertainty alone, read off what the network computes for other purposes: only the last
    /// layer before it changes.
    HeadAlone,
}

/// A network that learns by equations 5 and 8 of Lan et al. 2021.
pub struct Learner {
    state: State,
    graph: Graph,
    layout: Vec<Place>,
    params: TrainParams,
    /// Weight of policy and value beside the uncertainty: c1.
    auxiliary: f32,
    lesson: Lesson,
}

impl Learner {
    /// A network with weights that fit the shape. Of the parameters, those of the optimizer count.
    pub fn new(
        shape: NetShape,
        start: &Tensors,
        params: TrainParams,
        auxiliary: f64,
        lesson: Lesson,
    ) -> Result<Self, TrainError> {
        let state = State::new(shape, start)?;
        let graph = Graph::new(&shape, &state.weights, params.thread_count())?;
        let layout = layout(&shape);
        Ok(Self { state, graph, layout, params, auxiliary: single(auxiliary), lesson })
    }

    /// Steps done.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.state.step
    }

    /// Learns a batch, and tells the mean loss of it before.
    pub fn step(&mut self, batch: &Batch) -> Result<f64, TrainError> {
        let (loss, mut gradient) = self.gradient(batch)?;
        let before = match self.lesson {
            Lesson::Everything => None,
            Lesson::HeadAlone => {
                let head = self.head();
                keep_ranges(&mut gradient, &head, |_| 0.0);
                Some((head, self.state.weights.clone()))
            }
        };
        // Weights that decay would forget what they are for.
        let hold = |weights: &mut [f32]| {
            if let Some((head, before)) = before {
                keep_ranges(weights, &head, |index| before[index]);
            }
        };
        if self.state.advance(&gradient, &self.layout, &self.params, hold).is_none() {
            return Err(TrainError::Diverged { step: self.state.step });
        }
        self.graph.set(&self.state.weights)?;
        Ok(loss)
    }

    /// The weights, averaged over the last steps.
    #[must_use]
    pub fn weights(&self) -> Tensors {
        tensors(&self.layout, &self.state.average)
    }

    /// The mean loss of a batch and its gradient by all weights.
    fn gradient(&self, batch: &Batch) -> Result<(f64, Vec<f32>), TrainError> {
        let count = batch.len().max(1) as f32;
        let (losses, gradient) =
            self.graph.gradient_of(batch, self.params.pieces, &|said, targets| {
                loss(said, targets, self.auxiliary, count)
            })?;
        Ok((losses.iter().sum(), gradient))
    }

    /// Where the layer is that makes the uncertainty.
    fn head(&self) -> Vec<Range<usize>> {
        let part = |name: &str| {
            let place = self.layout.iter().find(|place| place.name == name);
            let Place { start, end, .. } = place.expect("invariant: every network has this layer");
            let row = (end - start) / SCALARS;
            start + UNCERTAINTY * row..start + (UNCERTAINTY + 1) * row
        };
        vec![part("value.scalars.weight"), part("value.scalars.bias")]
    }
}

/// Sets all numbers outside some ranges.
fn keep_ranges(numbers: &mut [f32], ranges: &[Range<usize>], other: impl Fn(usize) -> f32) {
    for (index, number) in numbers.iter_mut().enumerate() {
        if !ranges.iter().any(|range| range.contains(&index)) {
            *number = other(index);
        }
    }
}

/// The mean over `count` positions of
/// `(u - U)^2 + c1 ((v - z)^2 - π^T log p)` (equations 5 and 8; the decay of weights is the
/// optimizer's), and its derivative by every output. Here `u` is the sigmoid and `v` the tanh of
/// what the network says.
fn loss(said: &Outputs, targets: &[Target], c1: f32, count: f32) -> (f64, Outputs) {
    let mut slopes = said.zeros();
    let moves = said.policy.len() / targets.len().max(1);
    let mut sum = 0.0;
    for (i, target) in targets.iter().enumerate() {
        if let Some(truth) = target.uncertainty {
            let u = 1.0 / (1.0 + (-said.uncertainty[i]).exp());
            sum += f64::from((u - truth).powi(2));
            slopes.uncertainty[i] = 2.0 * (u - truth) * u * (1.0 - u) / count;
        }
        if let Some(result) = target.result {
            let v = said.value[i].tanh();
            sum += f64::from(c1 * (v - result).powi(2));
            slopes.value[i] = c1 * 2.0 * (v - result) * (1.0 - v * v) / count;
        }
        if !target.policy.is_empty() {
            let row = i * moves..(i + 1) * moves;
            let (logits, slope) = (&said.policy[row.clone()], &mut slopes.policy[row]);
            let entropy = softmax(logits, Some(&target.legal), &target.policy, c1 / count, slope);
            sum += f64::from(c1) * entropy;
        }
    }
    (sum / f64::from(count), slopes)
}

#[cfg(test)]
mod tests;
