//! The blocks of transformers made ready for the kernels, and their computation.
//!
//! The channels of each head are padded for themselves. Queries and keys have the first channels of
//! their pairs in one half and the second ones in the other, in which order the kernel turns them.

use super::model::MatMul;
use super::pack::linear;
use super::transformer::{Attention, FeedForward, RmsNorm};
use crate::game::BoardSize;
use crate::nn::kernels::{self, Activation, AttentionScratch, Heads, Input, Linear, gate, padded};

/// Rows of a feed-forward block that are computed together: its weights are read once for all of
/// them, and what stands between its layers stays in the cache.
const ROWS: usize = 72;

/// Pairs of channels are padded to so many.
const HALF: usize = 8;

pub(super) struct PackedAttention {
    norm: kernels::RmsNorm,
    /// Queries, keys and values side by side.
    project: Linear,
    attention: kernels::Attention,
    output: Linear,
}

pub(super) struct PackedFeedForward {
    norm: kernels::RmsNorm,
    /// The first layer and its gate side by side.
    first: Linear,
    last: Linear,
    /// Channels between the layers.
    inner: usize,
}

/// What the blocks of transformers need of a workspace.
pub(super) struct TransformerSpace {
    /// Queries, keys and values.
    asked: Vec<f32>,
    attention: AttentionScratch,
    /// Some rows within a feed-forward block.
    normed: Vec<f32>,
    both: Vec<f32>,
    gated: Vec<f32>,
}

impl TransformerSpace {
    /// Room for so many points with so many channels of queries, keys and values, and for rows of
    /// `width` channels with `fed` inside of a feed-forward block.
    pub(super) fn new(points: usize, asked: usize, width: usize, fed: usize) -> Self {
        let rows = if fed > 0 { ROWS } else { 0 };
        Self {
            asked: vec![0.0; points * asked],
            attention: AttentionScratch::new(),
            normed: vec![0.0; rows * width],
            both: vec![0.0; rows * 2 * fed],
            gated: vec![0.0; rows * fed],
        }
    }
}

impl PackedAttention {
    pub(super) fn new(attention: &Attention, size: BoardSize) -> Self {
        let Attention { queries, keys, asked, given, .. } = *attention;
        let half = attention.pairs().next_multiple_of(HALF);
        let heads = Heads { queries, keys, asked: 2 * half, given: padded(given) };
        let halves = |channel: usize| channel % 2 * half + channel / 2;
        let mut weights = Vec::new();
        place(&attention.query, (asked, heads.asked), halves, attention.factor(), &mut weights);
        place(&attention.key, (asked, heads.asked), halves, 1.0, &mut weights);
        place(&attention.value, (given, heads.given), |channel| channel, 1.0, &mut weights);
        let bias = vec![0.0; heads.inputs()];
        let angles = attention.angles(size).map(|angles| -> Vec<f32> {
            let pairs = angles.chunks_exact(attention.pairs());
            let pad = std::iter::repeat_n(0.0, half - attention.pairs());
            pairs.flat_map(|some| some.iter().copied().chain(pad.clone())).collect()
        });
        Self {
            norm: normalisation(&attention.norm),
            project: Linear::new(&weights, &bias, attention.query.inputs, heads.inputs()),
            attention: kernels::Attention::new(size.area(), heads, angles.as_deref()),
            output: spread(&attention.output, given, heads),
        }
    }

    pub(super) fn heads(&self) -> Heads {
        self.attention.heads()
    }

    /// Channels of the trunk with the padding.
    pub(super) fn width(&self) -> usize {
        self.norm.width()
    }

    /// Floating point operations for each point.
    pub(super) fn operations(&self) -> usize {
        self.project.operations() + self.attention.operations() + self.output.operations()
    }

    /// Computes `y = x + attention(x)` for rows of whole boards; `normed` and `values` are for what is
    /// between, as long as their layers.
    pub(super) fn run(
        &self,
        x: &[f32],
        y: &mut [f32],
        (normed, values): (&mut [f32], &mut [f32]),
        space: &mut TransformerSpace,
    ) {
        let rows = x.len() / self.width();
        let asked = &mut space.asked[..rows * self.heads().inputs()];
        let values = &mut values[..rows * self.heads().outputs()];
        let normed = &mut normed[..x.len()];
        self.norm.run(x, 1, normed);
        self.project.run(normed, rows, Activation::None, asked);
        self.attention.run(asked, values, &mut space.attention);
        let residual = Some(x);
        let activation = Activation::None;
        self.output.run_on(Input { x: values, batch: rows, residual, activation }, y);
    }
}

impl PackedFeedForward {
    pub(super) fn new(layers: &FeedForward) -> Self {
        let FeedForward { norm, first, gate, last } = layers;
        let inner = padded(first.outputs);
        let mut weights = Vec::new();
        for layer in [first, gate] {
            weights.extend_from_slice(&layer.weights);
            weights.resize(weights.len() + (inner - layer.outputs) * layer.inputs, 0.0);
        }
        let first = Linear::new(&weights, &vec![0.0; 2 * inner], first.inputs, 2 * inner);
        Self { norm: normalisation(norm), first, last: linear(last), inner }
    }

    /// Channels between the layers, with the padding.
    pub(super) fn inner(&self) -> usize {
        self.inner
    }

    /// Channels of the trunk with the padding.
    pub(super) fn width(&self) -> usize {
        self.norm.width()
    }

    /// Floating point operations for each point.
    pub(super) fn operations(&self) -> usize {
        self.first.operations() + self.last.operations()
    }

    /// Computes `y = x + layers(x)` for rows.
    pub(super) fn run(&self, x: &[f32], y: &mut [f32], space: &mut TransformerSpace) {
        let some = ROWS * self.width();
        for (x, y) in x.chunks(some).zip(y.chunks_mut(some)) {
            let rows = x.len() / self.width();
            let normed = &mut space.normed[..x.len()];
            self.norm.run(x, 1, normed);
            let both = &mut space.both[..rows * 2 * self.inner];
            self.first.run(normed, rows, Activation::None, both);
            let gated = &mut space.gated[..rows * self.inner];
            gate(both, self.inner, gated);
            let (residual, activation) = (Some(x), Activation::None);
            self.last.run_on(Input { x: gated, batch: rows, residual, activation }, y);
        }
    }
}

pub(super) fn normalisation(norm: &RmsNorm) -> kernels::RmsNorm {
    kernels::RmsNorm::new(&norm.scale, &norm.bias, norm.epsilon, norm.activation)
}

/// Appends the weights of heads of so many channels, each padded, times a factor; channel `c` of a
/// head goes to `to(c)`.
fn place(
    layer: &MatMul,
    (channels, stored): (usize, usize),
    to: impl Fn(usize) -> usize,
    factor: f32,
    weights: &mut Vec<f32>,
) {
    for head in layer.weights.chunks_exact(channels * layer.inputs) {
        let start = weights.len();
        weights.resize(start + stored * layer.inputs, 0.0);
        for (channel, row) in head.chunks_exact(layer.inputs).enumerate() {
            let target = &mut weights[start + to(channel) * layer.inputs..][..layer.inputs];
            for (target, weight) in target.iter_mut().zip(row) {
                *target = factor * weight;
            }
        }
    }
}

/// A layer behind heads of so many channels, which come padded.
fn spread(layer: &MatMul, channels: usize, heads: Heads) -> Linear {
    let mut weights = vec![0.0; layer.outputs * heads.outputs()];
    let rows = layer.weights.chunks_exact(layer.inputs);
    for (row, target) in rows.zip(weights.chunks_exact_mut(heads.outputs())) {
        for (head, target) in row.chunks_exact(channels).zip(target.chunks_exact_mut(heads.given)) {
            target[..channels].copy_from_slice(head);
        }
    }
    Linear::new(&weights, &vec![0.0; layer.outputs], heads.outputs(), layer.outputs)
}
