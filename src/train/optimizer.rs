//! The optimizer: Adam with weight decay, in one pass over all weights.

use super::params::TrainParams;
use super::single;
use super::state::State;
use crate::nn::NetShape;

/// What Adam remembers of the gradients (Kingma and Ba 2015; decay as Loshchilov and Hutter 2019).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Moments {
    /// Average of the gradients.
    pub(super) first: Vec<f32>,
    /// Average of their squares.
    pub(super) second: Vec<f32>,
}

impl Moments {
    pub(super) fn new(count: usize) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count] }
    }
}

/// Where a tensor is among all weights, and whether it decays: biases do not.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) dims: Vec<usize>,
    pub(super) start: usize,
    pub(super) end: usize,
    decays: bool,
}

/// The tensors of a network one after the other.
pub(super) fn layout(shape: &NetShape) -> Vec<Place> {
    let mut start = 0;
    shape
        .tensors()
        .into_iter()
        .map(|(name, dims)| {
            let end = start + dims.iter().product::<usize>();
            let decays = name.ends_with(".weight");
            let place = Place { name, dims, start, end, decays };
            start = end;
            place
        })
        .collect()
}

/// The length of the gradient as a vector.
fn norm(gradient: &[f32]) -> f64 {
    gradient.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>().sqrt()
}

/// What one step of Adam needs to know.
pub(super) struct Step {
    /// Counted from 1.
    pub(super) number: u64,
    pub(super) rate: f64,
    /// What the gradient is multiplied with, to shorten it.
    pub(super) scale: f32,
}

/// Moves the weights one step against the gradient.
pub(super) fn adam(
    weights: &mut [f32],
    moments: &mut Moments,
    gradient: &[f32],
    layout: &[Place],
    (params, step): (&TrainParams, &Step),
) {
    let (beta1, beta2) = (single(params.beta1), single(params.beta2));
    // Averages that began at zero are too small at first.
    let number = step.number as f64;
    let correct1 = single(1.0 / (1.0 - params.beta1.powf(number)));
    let correct2 = single(1.0 / (1.0 - params.beta2.powf(number)));
    let rate = single(step.rate);
    for place in layout {
        let keep = if place.decays { 1.0 - single(step.rate * params.weight_decay) } else { 1.0 };
        let range = place.start..place.end;
        let moments =
            moments.first[range.clone()].iter_mut().zip(&mut moments.second[range.clone()]);
        let weights = weights[range.clone()].iter_mut();
        for ((weight, (first, second)), &slope) in weights.zip(moments).zip(&gradient[range]) {
            let slope = slope * step.scale;
            *first = beta1 * *first + (1.0 - beta1) * slope;
            *second = beta2 * *second + (1.0 - beta2) * slope * slope;
            let root = (*second * correct2).sqrt() + 1e-8;
            *weight = keep * *weight - rate * (*first * correct1) / root;
        }
    }
}

/// Moves an average towards the weights. At first it forgets faster, so that the start does not
/// weigh for long.
fn average(average: &mut [f32], weights: &[f32], decay: f64, number: u64) {
    let number = number as f64;
    let keep = single(decay.min((1.0 + number) / (10.0 + number)));
    for (average, &weight) in average.iter_mut().zip(weights) {
        *average = keep * *average + (1.0 - keep) * weight;
    }
}

/// What a step has done.
pub(super) struct Advance {
    /// Length of the gradient.
    pub(super) norm: f64,
    /// Whether it was shortened.
    pub(super) clipped: bool,
}

impl State {
    /// One step against the gradient; none where it is not finite, and the weights stay as they are. `hold` may put
    /// weights back that are not to be learnt.
    pub(super) fn advance(
        &mut self,
        gradient: &[f32],
        layout: &[Place],
        params: &TrainParams,
        hold: impl FnOnce(&mut [f32]),
    ) -> Option<Advance> {
        let norm = norm(gradient);
        let rate = params.rate(self.step);
        self.step += 1;
        if !norm.is_finite() {
            return None;
        }
        let clipped = params.clip > 0.0 && norm > params.clip;
        let scale = if clipped { single(params.clip / norm) } else { 1.0 };
        let step = Step { number: self.step, rate, scale };
        adam(&mut self.weights, &mut self.moments, gradient, layout, (params, &step));
        hold(&mut self.weights);
        average(&mut self.average, &self.weights, params.average, self.step);
        Some(Advance { norm, clipped })
    }
}

#[cfg(test)]
mod tests;
