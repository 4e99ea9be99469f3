//! Layers of a model made ready for the kernels: normalisations that follow a convolution become
//! part of it, and convolutions of the same input are computed as one.

use super::model::{Conv, Dense, MatMul, Norm};
use crate::game::BoardSize;
use crate::nn::kernels::{
    Activation, Columns, Conv3x3, Input, Linear, Plan, Scratch, padded, pointwise,
};
use crate::nn::laps::LayerKind;

/// A convolution of either size.
pub(super) enum Convolution {
    Wide(Box<Conv3x3>),
    Point(Linear),
}

/// Convolutions of the same input, side by side in the output, each padded.
pub(super) struct Stack {
    conv: Convolution,
    /// What it is to a stopwatch, and its operations for each point.
    pub(super) kind: LayerKind,
    pub(super) operations: usize,
    /// Channels of the output, all of them together.
    pub(super) outputs: usize,
}

/// A normalisation for itself.
pub(super) struct Normalize {
    scale: Vec<f32>,
    bias: Vec<f32>,
    activation: Activation,
}

impl Stack {
    /// A convolution with the normalisation that follows it.
    pub(super) fn one(conv: &Conv, norm: Option<&Norm>, plan: &Plan) -> Self {
        Self::new(&[(conv, norm)], plan)
    }

    /// Convolutions of the same side, each with the normalisation that follows it but for its
    /// activation.
    pub(super) fn new(convs: &[(&Conv, Option<&Norm>)], plan: &Plan) -> Self {
        let (side, inputs) = (convs[0].0.side, convs[0].0.inputs);
        let size_of_output = inputs * side * side;
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for (conv, norm) in convs {
            let start = bias.len();
            for (output, kernel) in conv.weights.chunks_exact(size_of_output).enumerate() {
                let scale = norm.map_or(1.0, |norm| norm.scale[output]);
                weights.extend(kernel.iter().map(|weight| weight * scale));
                bias.push(norm.map_or(0.0, |norm| norm.bias[output]));
            }
            bias.resize(start + padded(conv.outputs), 0.0);
            weights.resize(bias.len() * size_of_output, 0.0);
        }
        let outputs = bias.len();
        let operations = 2 * convs.iter().map(|(conv, _)| conv.weights.len()).sum::<usize>();
        let (conv, kind) = if side == 3 {
            let conv = Conv3x3::new(&weights, &bias, inputs, outputs, plan);
            (Convolution::Wide(Box::new(conv)), LayerKind::Wide)
        } else {
            let layer = Linear::new(&weights, &bias, inputs, outputs);
            (Convolution::Point(layer), LayerKind::Point)
        };
        Self { conv, kind, operations, outputs }
    }

    /// Computes `[batch][points][outputs]`.
    pub(super) fn run(&self, plan: &Plan, input: Input<'_>, y: &mut [f32], scratch: &mut Scratch) {
        match &self.conv {
            Convolution::Wide(conv) => conv.run(plan, input, y, scratch),
            Convolution::Point(layer) => {
                layer.run_on(Input { batch: input.batch * plan.points(), ..input }, y);
            }
        }
    }
}

impl Normalize {
    pub(super) fn new(norm: &Norm) -> Self {
        let pad = |values: &[f32]| {
            let mut values = values.to_vec();
            values.resize(padded(values.len()), 0.0);
            values
        };
        Self { scale: pad(&norm.scale), bias: pad(&norm.bias), activation: norm.activation }
    }

    /// Channels with the padding.
    pub(super) fn channels(&self) -> usize {
        self.bias.len()
    }

    pub(super) fn run(&self, x: &[f32], y: &mut [f32]) {
        let columns = Columns { data: x, stride: self.bias.len() };
        pointwise(columns, Some(&self.scale), &self.bias, self.activation, y);
    }
}

/// A layer without a bias, its outputs scaled.
pub(super) fn linear(layer: &MatMul) -> Linear {
    Linear::new(&layer.weights, &vec![0.0; layer.outputs], layer.inputs, layer.outputs)
}

/// Layers of the same input, their outputs without a gap one after the other.
pub(super) fn joined(layers: &[&Dense]) -> Linear {
    let weights: Vec<f32> =
        layers.iter().flat_map(|dense| dense.layer.weights.iter().copied()).collect();
    let bias: Vec<f32> = layers.iter().flat_map(|dense| dense.bias.iter().copied()).collect();
    Linear::new(&weights, &bias, layers[0].layer.inputs, bias.len())
}

/// What KataGo's networks pool besides the mean: the mean times something that depends on the size
/// of the board, and in the place of the third the maximum or again such a product.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Third {
    Maximum,
    Product,
}

/// A layer behind a pool, for a board of one size, with the mean and the maximum of each channel as
/// its inputs, each padded.
pub(super) fn after_pool(
    layer: &MatMul,
    scale: Option<&[f32]>,
    bias: &[f32],
    third: Third,
    size: BoardSize,
) -> Linear {
    let channels = layer.inputs / 3;
    let stride = padded(channels);
    let [first, second] = products(size);
    let mut weights = vec![0.0; layer.outputs * 2 * stride];
    let rows = layer.weights.chunks_exact(layer.inputs);
    for (output, (row, to)) in rows.zip(weights.chunks_exact_mut(2 * stride)).enumerate() {
        let scale = scale.map_or(1.0, |scale| scale[output]);
        for channel in 0..channels {
            let [mean, product, last] = [0, 1, 2].map(|k| scale * row[k * channels + channel]);
            to[channel] = mean + first * product;
            match third {
                Third::Maximum => to[stride + channel] = last,
                Third::Product => to[channel] += second * last,
            }
        }
    }
    Linear::new(&weights, bias, 2 * stride, layer.outputs)
}

/// The factors of the mean: `(s - 14) / 10` and `((s - 14) / 10)² - 0.1`, where s is the side of
/// a square with as many points.
pub(super) fn products(size: BoardSize) -> [f32; 2] {
    let first = ((size.area() as f32).sqrt() - 14.0) * 0.1;
    [first, first * first - 0.1]
}
