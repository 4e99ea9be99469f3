//! The blocks of transformers on a device.

use candle_core::{D, DType, Result, Tensor};

use super::graph::{Mover, activate};
use super::transformer::{self, Rotation};
use crate::game::BoardSize;
use crate::nn::kernels::Activation;

/// Normalisation by the root of the mean square.
pub(super) struct RmsNorm {
    /// `[1, channels, 1, 1]`
    scale: Tensor,
    bias: Tensor,
    epsilon: f64,
    spatial: bool,
    activation: Activation,
}

pub(super) struct Attention {
    norm: RmsNorm,
    /// `[inputs, outputs]`, the channels of each head in the order of the file.
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    queries: usize,
    keys: usize,
    factor: f64,
    rotation: Rotation,
}

pub(super) struct FeedForward {
    norm: RmsNorm,
    first: Tensor,
    gate: Tensor,
    last: Tensor,
}

impl RmsNorm {
    /// Squares are added in single precision, since half precision has no room for them.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let squares = x.to_dtype(DType::F32)?.sqr()?.mean_keepdim(1)?;
        let mean = if self.spatial { squares.mean_keepdim((2, 3))? } else { squares };
        let root = mean.affine(1.0, self.epsilon)?.sqrt()?.recip()?;
        let scaled = x.to_dtype(DType::F32)?.broadcast_mul(&root)?.to_dtype(x.dtype())?;
        let x = scaled.broadcast_mul(&self.scale)?.broadcast_add(&self.bias)?;
        activate(&x, self.activation)
    }
}

impl Attention {
    /// What is added to `x`.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (batch, _, height, width) = x.dims4()?;
        let rows = rows_of(&self.norm.forward(x)?)?;
        let heads = |weights: &Tensor, count: usize| -> Result<Tensor> {
            let y = rows.broadcast_matmul(weights)?;
            let channels = y.dim(2)? / count;
            y.reshape((batch, height * width, count, channels))?.transpose(1, 2)?.contiguous()
        };
        let (mut query, mut key) =
            (heads(&self.query, self.queries)?, heads(&self.key, self.keys)?);
        let size = BoardSize::new(width, height).map_err(candle_core::Error::wrap)?;
        if let Some(angles) = self.rotation.angles(query.dim(3)? / 2, size) {
            query = turned(&query, &angles)?;
            key = turned(&key, &angles)?;
        }
        let (key, value) = (self.repeated(&key)?, self.repeated(&heads(&self.value, self.keys)?)?);
        let scores = query.affine(self.factor, 0.0)?.matmul(&key.transpose(2, 3)?.contiguous()?)?;
        let values = softmax(&scores)?.matmul(&value)?;
        let rows = values.transpose(1, 2)?.contiguous()?.flatten_from(2)?;
        board_of(&rows.broadcast_matmul(&self.output)?, height, width)
    }

    /// Each head that is asked as often as it is asked.
    fn repeated(&self, x: &Tensor) -> Result<Tensor> {
        let (batch, keys, points, channels) = x.dims4()?;
        let group = self.queries / keys;
        let spread = x.unsqueeze(2)?.broadcast_as((batch, keys, group, points, channels))?;
        spread.contiguous()?.reshape((batch, self.queries, points, channels))
    }
}

impl FeedForward {
    /// What is added to `x`.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (_, _, height, width) = x.dims4()?;
        let rows = rows_of(&self.norm.forward(x)?)?;
        let first = rows.broadcast_matmul(&self.first)?.silu()?;
        let gated = (first * rows.broadcast_matmul(&self.gate)?)?;
        board_of(&gated.broadcast_matmul(&self.last)?, height, width)
    }
}

/// Turns neighbouring channels of `[batch, heads, points, channels]`.
fn turned(x: &Tensor, angles: &[f32]) -> Result<Tensor> {
    let (batch, heads, points, channels) = x.dims4()?;
    let pairs = channels / 2;
    let turns = angles.len() / (points * pairs);
    let group = heads.div_ceil(turns);
    // `[point][key head][pair]` becomes `[1, heads, points, pairs]`.
    let table = |function: fn(f32) -> f32| -> Result<Tensor> {
        let values: Vec<f32> = angles.iter().map(|&angle| function(angle)).collect();
        let table = Tensor::from_vec(values, (points, turns, 1, pairs), x.device())?;
        let table = table.broadcast_as((points, turns, group, pairs))?.contiguous()?;
        let table = table.reshape((points, turns * group, pairs))?.narrow(1, 0, heads)?;
        table.transpose(0, 1)?.contiguous()?.unsqueeze(0)?.to_dtype(x.dtype())
    };
    let (cosine, sine) = (table(f32::cos)?, table(f32::sin)?);
    let x = x.reshape((batch, heads, points, pairs, 2))?;
    let half = |index| x.narrow(4, index, 1)?.squeeze(4);
    let (a, b) = (half(0)?, half(1)?);
    let first = (a.broadcast_mul(&cosine)? - b.broadcast_mul(&sine)?)?;
    let second = (a.broadcast_mul(&sine)? + b.broadcast_mul(&cosine)?)?;
    Tensor::stack(&[&first, &second], 4)?.reshape((batch, heads, points, channels))
}

/// `[batch, channels, height, width]` as `[batch, points, channels]`.
fn rows_of(x: &Tensor) -> Result<Tensor> {
    x.flatten_from(2)?.transpose(1, 2)?.contiguous()
}

/// The other way round.
fn board_of(rows: &Tensor, height: usize, width: usize) -> Result<Tensor> {
    let (batch, _, channels) = rows.dims3()?;
    rows.transpose(1, 2)?.contiguous()?.reshape((batch, channels, height, width))
}

/// Over the last dimension, in single precision.
fn softmax(scores: &Tensor) -> Result<Tensor> {
    let dtype = scores.dtype();
    let scores = scores.to_dtype(DType::F32)?;
    let weights = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?)?.exp()?;
    weights.broadcast_div(&weights.sum_keepdim(D::Minus1)?)?.to_dtype(dtype)
}

impl Mover<'_> {
    pub(super) fn rms_norm(&self, norm: &transformer::RmsNorm) -> Result<RmsNorm> {
        let dims = [1, norm.scale.len(), 1, 1];
        Ok(RmsNorm {
            scale: self.tensor(&norm.scale, &dims)?,
            bias: self.tensor(&norm.bias, &dims)?,
            epsilon: f64::from(norm.epsilon),
            spatial: norm.spatial,
            activation: norm.activation,
        })
    }

    pub(super) fn attention(&self, attention: &transformer::Attention) -> Result<Attention> {
        let transformer::Attention { norm, query, key, value, output, .. } = attention;
        Ok(Attention {
            norm: self.rms_norm(norm)?,
            query: self.mat_mul(query)?,
            key: self.mat_mul(key)?,
            value: self.mat_mul(value)?,
            output: self.mat_mul(output)?,
            queries: attention.queries,
            keys: attention.keys,
            factor: f64::from(attention.factor()),
            rotation: attention.rotation.clone(),
        })
    }

    pub(super) fn feed_forward(&self, layers: &transformer::FeedForward) -> Result<FeedForward> {
        Ok(FeedForward {
            norm: self.rms_norm(&layers.norm)?,
            first: self.mat_mul(&layers.first)?,
            gate: self.mat_mul(&layers.gate)?,
            last: self.mat_mul(&layers.last)?,
        })
    }
}
