//! The layers that networks are made of.

use super::chunk::{Channels, Chunk, pack};
use super::cpu::{LANES, Lanes, ZERO, add};
use super::gemm::{Dense, Layer, Panels, Product, padded_bias};
use super::plan::{Method, Plan};
use super::{Activation, Cpu, PANEL, Scratch, padded};

/// A 3x3 convolution with zeros beyond the edge, packed for one [`Method`].
#[derive(Debug)]
pub struct Conv3x3 {
    method: Method,
    channels: Channels,
    weights: Panels,
    bias: Vec<f32>,
}

/// What a convolution is applied to.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// `[batch][points][padded inputs]`
    pub x: &'a [f32],
    /// Positions.
    pub batch: usize,
    /// `[batch][points][padded outputs]`, added before the activation.
    pub residual: Option<&'a [f32]>,
    /// Applied last.
    pub activation: Activation,
}

impl Conv3x3 {
    /// Packs weights `[outputs][inputs][3][3]` for the method of the plan.
    ///
    /// # Panics
    /// If the weights or the bias have another length.
    #[must_use]
    pub fn new(weights: &[f32], bias: &[f32], inputs: usize, outputs: usize, plan: &Plan) -> Self {
        assert_eq!(weights.len(), outputs * inputs * 9, "nine weights for each pair of channels");
        let channels = Channels { inputs, outputs };
        let method = plan.method();
        let weights = pack(weights, channels, method);
        Self { method, channels, weights, bias: padded_bias(bias, outputs) }
    }

    /// Channels of the input.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.channels.inputs
    }

    /// Channels of the output.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.channels.outputs
    }

    /// Floating point operations for each point, counted as if computed directly.
    #[must_use]
    pub fn operations(&self) -> usize {
        2 * 9 * self.channels.inputs * self.channels.outputs
    }

    /// Writes `[batch][points][padded outputs]` to `y`.
    ///
    /// # Panics
    /// If the plan has another method than the weights were packed for, or a length is wrong.
    pub fn run(&self, plan: &Plan, input: Input<'_>, y: &mut [f32], scratch: &mut Scratch) {
        assert_eq!(plan.method(), self.method, "weights are packed for one method");
        let from = plan.points() * padded(self.channels.inputs);
        let to = plan.points() * padded(self.channels.outputs);
        assert_eq!(input.x.len(), input.batch * from, "length of the input");
        assert_eq!(y.len(), input.batch * to, "length of the output");
        let residual = input.residual;
        assert!(residual.is_none_or(|r| r.len() == y.len()), "length of the residual");
        if y.is_empty() {
            return;
        }
        let positions = plan.chunk(input.batch);
        let chunks = input.x.chunks(positions * from).zip(y.chunks_mut(positions * to));
        for (index, (x, y)) in chunks.enumerate() {
            Chunk {
                plan,
                channels: self.channels,
                weights: &self.weights,
                bias: &self.bias,
                x,
                residual: residual.map(|r| &r[index * positions * to..][..y.len()]),
                activation: input.activation,
                y,
            }
            .run(scratch);
        }
    }
}

/// A fully connected layer, or a 1x1 convolution with the points as rows.
#[derive(Debug)]
pub struct Linear {
    weights: Panels,
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
    cpu: Cpu,
}

impl Linear {
    /// Packs weights `[outputs][inputs]`.
    ///
    /// # Panics
    /// If the weights or the bias have another length.
    #[must_use]
    pub fn new(weights: &[f32], bias: &[f32], inputs: usize, outputs: usize) -> Self {
        assert_eq!(weights.len(), outputs * inputs, "one weight for each pair of channels");
        let mut panels = Panels::zeros(1, inputs, outputs);
        for (index, &weight) in weights.iter().enumerate() {
            panels.set_one(index % inputs, index / inputs, weight);
        }
        let bias = padded_bias(bias, outputs);
        Self { weights: panels, bias, inputs, outputs, cpu: Cpu::detect() }
    }

    /// The same layer on other instructions.
    #[must_use]
    pub fn on(self, cpu: Cpu) -> Self {
        Self { cpu, ..self }
    }

    /// Floating point operations for each row.
    #[must_use]
    pub fn operations(&self) -> usize {
        2 * self.inputs * self.outputs
    }

    /// Computes `[rows][padded outputs]` from `[rows][padded inputs]`.
    ///
    /// # Panics
    /// If a length is wrong.
    pub fn run(&self, x: &[f32], rows: usize, activation: Activation, y: &mut [f32]) {
        self.run_on(Input { x, batch: rows, residual: None, activation }, y);
    }

    /// The same with what may be added before the activation; the rows are the batch.
    ///
    /// # Panics
    /// If a length is wrong.
    pub fn run_on(&self, input: Input<'_>, y: &mut [f32]) {
        let Input { x, batch: rows, residual, activation } = input;
        let stride = padded(self.inputs);
        assert_eq!(x.len(), rows * stride, "length of the input");
        assert_eq!(y.len(), rows * self.bias.len(), "length of the output");
        assert!(residual.is_none_or(|r| r.len() == y.len()), "length of the residual");
        self.cpu.run(Product {
            rows: Dense { data: x, stride },
            weights: &self.weights,
            matrix: 0,
            panels: 0..self.weights.width(),
            finish: Layer { bias: &self.bias, residual, activation },
            y,
        });
    }
}

/// Mean and maximum over the points of each position and channel: `[batch][points][channels]` to
/// `[batch][2][channels]`, means first. `channels` is the padded number of channels.
///
/// # Panics
/// If there are no points, the channels are not padded, or a length is wrong.
pub fn pool_mean_max(x: &[f32], batch: usize, points: usize, channels: usize, y: &mut [f32]) {
    assert!(points > 0 && channels.is_multiple_of(PANEL), "points, and padded channels");
    assert_eq!(x.len(), batch * points * channels, "length of the input");
    assert_eq!(y.len(), batch * 2 * channels, "length of the output");
    if channels == 0 {
        return;
    }
    let lanes = channels / LANES;
    let boards = x.as_chunks().0.chunks_exact(points * lanes);
    for (board, y) in boards.zip(y.as_chunks_mut().0.chunks_exact_mut(2 * lanes)) {
        let (means, maxima) = y.split_at_mut(lanes);
        for (lane, (mean, max)) in means.iter_mut().zip(maxima).enumerate() {
            let values = board.iter().skip(lane).step_by(lanes);
            (*mean, *max) = mean_max(values, points);
        }
    }
}

fn mean_max<'a>(values: impl Iterator<Item = &'a Lanes>, points: usize) -> (Lanes, Lanes) {
    let (mut sum, mut max) = (ZERO, [f32::NEG_INFINITY; LANES]);
    for &value in values {
        sum = add(sum, value);
        max = std::array::from_fn(|i| if value[i] > max[i] { value[i] } else { max[i] });
    }
    (sum.map(|sum| sum / points as f32), max)
}
