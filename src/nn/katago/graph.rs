//! A KataGo network on any device of Candle, for accelerators.

use std::sync::Arc;

use candle_core::{DType, Device, Result, Tensor};

use super::evaluator::{NOT_GO, Outlook, check_optimism, outlook};
use super::features::{GLOBALS, PLANES, encode_by};
use super::graph_transformer::{Attention, FeedForward, RmsNorm};
use super::model::{self, Model, PassHead};
use super::net::RawOutput;
use super::pack::products;
use crate::eval::{EvalError, Evaluation, Evaluator, Look, Opinion};
use crate::game::{BoardSize, Game, Position};
use crate::nn::evaluator::Orientation;
use crate::nn::kernels::Activation;

/// Evaluates whole batches on a device. Put a batching decorator in front of it, so that many
/// threads fill the batches.
pub struct KataGoGraph {
    model: Arc<Model>,
    net: Net,
    device: Device,
    dtype: DType,
    orientation: Orientation,
}

impl KataGoGraph {
    /// Moves a network to a device; on accelerators it computes in half precision.
    pub fn new(model: Arc<Model>, device: Device, orientation: Orientation) -> Result<Self> {
        let dtype = if device.is_cpu() { DType::F32 } else { DType::F16 };
        let net = Mover { device: &device, dtype }.net(&model)?;
        Ok(Self { model, net, device, dtype, orientation })
    }

    /// What the network says of positions on boards of one size.
    pub(super) fn raw(
        &self,
        batch: &[&Position],
        orientation: Orientation,
        optimism: f32,
    ) -> Result<Vec<RawOutput>> {
        let size = batch[0].size();
        let points = size.area();
        let mut planes = vec![0.0; batch.len() * points * PLANES];
        let mut globals = vec![0.0; batch.len() * GLOBALS];
        let inputs =
            planes.chunks_exact_mut(points * PLANES).zip(globals.chunks_exact_mut(GLOBALS));
        for (position, (planes, globals)) in batch.iter().zip(inputs) {
            let symmetry = orientation.symmetry(position);
            encode_by(self.model.areas, position, symmetry, planes, globals);
        }
        let dims = (batch.len(), size.height(), size.width(), PLANES);
        let planes = Tensor::from_vec(planes, dims, &self.device)?.to_dtype(self.dtype)?;
        let planes = planes.permute((0, 3, 1, 2))?.contiguous()?;
        let globals = Tensor::from_vec(globals, (batch.len(), GLOBALS), &self.device)?;
        let output = self.net.forward(&planes, &globals.to_dtype(self.dtype)?, size)?;
        let rows = |tensor: &Tensor| tensor.to_dtype(DType::F32)?.to_vec2::<f32>();
        let moves = rows(&mixed(&output.moves, optimism)?.flatten_from(1)?)?;
        let passes = rows(&mixed(&output.pass, optimism)?)?;
        let (owners, scalars) = (rows(&output.ownership)?, rows(&output.scalars)?);
        let rest = owners.into_iter().zip(passes).zip(scalars);
        let raw =
            moves.into_iter().zip(rest).map(|(moves, ((ownership, pass), scalars))| RawOutput {
                moves,
                pass: pass[0],
                scalars: std::array::from_fn(|i| scalars[i]),
                ownership,
            });
        Ok(raw.collect())
    }

    fn outlooks(
        &self,
        batch: &[&Position],
        orientation: Orientation,
        optimism: f32,
    ) -> std::result::Result<Vec<Outlook>, EvalError> {
        if batch.iter().any(|position| position.rules().game != Game::Go) {
            return Err(EvalError::Device(NOT_GO.to_owned()));
        }
        let mut answers = Vec::with_capacity(batch.len());
        for some in batch.chunk_by(|a, b| a.size() == b.size()) {
            let raw = self.raw(some, orientation, optimism);
            let raw = raw.map_err(|error| EvalError::Device(error.to_string()))?;
            answers.extend(some.iter().zip(raw).map(|(position, raw)| {
                outlook(position, orientation.symmetry(position), &raw, &self.model)
            }));
        }
        Ok(answers)
    }
}

/// The first output of a policy with so much of the second one.
fn mixed(policy: &Tensor, optimism: f32) -> Result<Tensor> {
    let first = policy.narrow(1, 0, 1)?;
    if optimism == 0.0 {
        return Ok(first);
    }
    let second = policy.narrow(1, 1, 1)?;
    let share = f64::from(optimism);
    first.affine(1.0 - share, 0.0)? + second.affine(share, 0.0)?
}

impl Evaluator for KataGoGraph {
    fn evaluate(&self, batch: &[&Position]) -> std::result::Result<Vec<Evaluation>, EvalError> {
        let all = self.outlooks(batch, self.orientation, 0.0)?;
        Ok(all.into_iter().map(|outlook| outlook.evaluation).collect())
    }

    fn look(&self, position: &Position, look: Look) -> std::result::Result<Opinion, EvalError> {
        check_optimism(&self.model, look.optimism)?;
        let orientation = Orientation::Turned(look.symmetry);
        let mut said = self.outlooks(&[position], orientation, look.optimism)?;
        Ok(said.swap_remove(0).into())
    }
}

/// What comes out, each `[batch, …]`.
struct Output {
    moves: Tensor,
    pass: Tensor,
    scalars: Tensor,
    ownership: Tensor,
}

struct Net {
    stem: Conv,
    global: Tensor,
    blocks: Vec<Block>,
    tip: Tip,
    policy: Conv,
    pool: Pool,
    policy_norm: Norm,
    moves: Conv,
    pass: Vec<Dense>,
    value: Conv,
    value_norm: Norm,
    hidden: Dense,
    scalars: Dense,
    ownership: Conv,
}

enum Tip {
    Batch(Norm),
    Rms(RmsNorm),
}

enum Block {
    Plain { pre: Norm, conv1: Conv, pool: Option<Pool>, mid: Norm, conv2: Conv },
    Nested { pre: Norm, conv1: Conv, blocks: Vec<Block>, post: Norm, conv2: Conv },
    Attention(Attention),
    FeedForward(FeedForward),
}

struct Conv {
    /// `[outputs, inputs, side, side]`
    weights: Tensor,
    side: usize,
}

struct Norm {
    /// `[1, channels, 1, 1]`
    scale: Tensor,
    bias: Tensor,
    activation: Activation,
}

struct Pool {
    conv: Conv,
    norm: Norm,
    /// `[inputs, outputs]`
    to_bias: Tensor,
}

struct Dense {
    /// `[inputs, outputs]`
    weights: Tensor,
    bias: Option<Tensor>,
    activation: Activation,
}

impl Net {
    fn forward(&self, planes: &Tensor, globals: &Tensor, size: BoardSize) -> Result<Output> {
        let bias = spread(&globals.matmul(&self.global)?)?;
        let mut x = self.stem.forward(planes)?.broadcast_add(&bias)?;
        for block in &self.blocks {
            x = block.forward(&x, size)?;
        }
        let x = match &self.tip {
            Tip::Batch(norm) => norm.forward(&x)?,
            Tip::Rms(norm) => norm.forward(&x)?,
        };
        let pooled = self.pool.pooled(&x, size)?;
        let bias = spread(&pooled.matmul(&self.pool.to_bias)?)?;
        let policy = self.policy.forward(&x)?.broadcast_add(&bias)?;
        let moves = self.moves.forward(&self.policy_norm.forward(&policy)?)?;
        let mut pass = pooled;
        for layer in &self.pass {
            pass = layer.forward(&pass)?;
        }
        let value = self.value_norm.forward(&self.value.forward(&x)?)?;
        let mean = value.mean((2, 3))?;
        let [first, second] = products(size).map(f64::from);
        let pooled =
            Tensor::cat(&[&mean, &mean.affine(first, 0.0)?, &mean.affine(second, 0.0)?], 1)?;
        Ok(Output {
            moves,
            pass,
            scalars: self.scalars.forward(&self.hidden.forward(&pooled)?)?,
            ownership: self.ownership.forward(&value)?.flatten_from(1)?,
        })
    }
}

/// `[batch, channels]` as something to add to every point.
fn spread(x: &Tensor) -> Result<Tensor> {
    x.unsqueeze(2)?.unsqueeze(3)
}

pub(super) fn activate(x: &Tensor, activation: Activation) -> Result<Tensor> {
    match activation {
        Activation::None => Ok(x.clone()),
        Activation::Relu => x.relu(),
        Activation::Silu => x.silu(),
        Activation::Mish => {
            // See `kernels::cpu::mish`. Half precision overflows sooner, and does not tell mish from
            // x as long.
            let most = if x.dtype() == DType::F16 { 5.0 } else { 20.0 };
            let e = x.minimum(most)?.exp()?;
            let n = (&e * e.affine(1.0, 2.0)?)?;
            x * (&n / n.affine(1.0, 2.0)?)?
        }
    }
}

impl Block {
    fn forward(&self, x: &Tensor, size: BoardSize) -> Result<Tensor> {
        let (inner, conv2) = match self {
            Self::Plain { pre, conv1, pool, mid, conv2 } => {
                let normed = pre.forward(x)?;
                let mut inner = conv1.forward(&normed)?;
                if let Some(pool) = pool {
                    let bias = pool.pooled(&normed, size)?.matmul(&pool.to_bias)?;
                    inner = inner.broadcast_add(&spread(&bias)?)?;
                }
                (mid.forward(&inner)?, conv2)
            }
            Self::Nested { pre, conv1, blocks, post, conv2 } => {
                let mut inner = conv1.forward(&pre.forward(x)?)?;
                for block in blocks {
                    inner = block.forward(&inner, size)?;
                }
                (post.forward(&inner)?, conv2)
            }
            Self::Attention(attention) => return x + attention.forward(x)?,
            Self::FeedForward(layers) => return x + layers.forward(x)?,
        };
        x + conv2.forward(&inner)?
    }
}

impl Conv {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.conv2d(&self.weights, self.side / 2, 1, 1, 1)
    }
}

impl Norm {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = x.broadcast_mul(&self.scale)?.broadcast_add(&self.bias)?;
        activate(&x, self.activation)
    }
}

impl Pool {
    fn pooled(&self, x: &Tensor, size: BoardSize) -> Result<Tensor> {
        let x = self.norm.forward(&self.conv.forward(x)?)?;
        let mean = x.mean((2, 3))?;
        let [first, _] = products(size).map(f64::from);
        Tensor::cat(&[&mean, &mean.affine(first, 0.0)?, &x.flatten_from(2)?.max(2)?], 1)
    }
}

impl Dense {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = x.matmul(&self.weights)?;
        let x = self.bias.as_ref().map_or(Ok(x.clone()), |bias| x.broadcast_add(bias))?;
        activate(&x, self.activation)
    }
}

/// Moves the layers of a model to a device.
pub(super) struct Mover<'a> {
    pub(super) device: &'a Device,
    pub(super) dtype: DType,
}

impl Mover<'_> {
    fn net(&self, model: &Model) -> Result<Net> {
        let Model { trunk, policy, value, .. } = model;
        let pass = match &policy.pass {
            PassHead::Direct(layer) => vec![self.dense(&[layer], None, Activation::None)?],
            PassHead::Hidden(hidden, last) => vec![
                self.dense(&[&hidden.layer], Some(&hidden.bias), hidden.activation)?,
                self.dense(&[last], None, Activation::None)?,
            ],
        };
        let hidden = &value.hidden;
        let outputs = [&value.outcome.layer, &value.score.layer];
        let bias = [value.outcome.bias.as_slice(), &value.score.bias].concat();
        Ok(Net {
            stem: self.conv(&trunk.stem)?,
            global: self.mat_mul(&trunk.global)?,
            blocks: self.blocks(&trunk.blocks)?,
            tip: match &trunk.tip {
                model::Tip::Batch(norm) => Tip::Batch(self.norm(norm)?),
                model::Tip::Rms(norm) => Tip::Rms(self.rms_norm(norm)?),
            },
            policy: self.conv(&policy.conv)?,
            pool: self.pool(&policy.pool)?,
            policy_norm: self.norm(&policy.norm)?,
            moves: self.conv(&policy.moves)?,
            pass,
            value: self.conv(&value.conv)?,
            value_norm: self.norm(&value.norm)?,
            hidden: self.dense(&[&hidden.layer], Some(&hidden.bias), hidden.activation)?,
            scalars: self.dense(&outputs, Some(&bias), Activation::None)?,
            ownership: self.conv(&value.ownership)?,
        })
    }

    fn blocks(&self, blocks: &[model::Block]) -> Result<Vec<Block>> {
        blocks.iter().map(|block| self.block(block)).collect()
    }

    fn block(&self, block: &model::Block) -> Result<Block> {
        let plain = |pre, conv1, pool: Option<&model::Pool>, mid, conv2| {
            Ok(Block::Plain {
                pre: self.norm(pre)?,
                conv1: self.conv(conv1)?,
                pool: pool.map(|pool| self.pool(pool)).transpose()?,
                mid: self.norm(mid)?,
                conv2: self.conv(conv2)?,
            })
        };
        match block {
            model::Block::Ordinary { pre, conv1, mid, conv2 } => {
                plain(pre, conv1, None, mid, conv2)
            }
            model::Block::Pooled { pre, conv1, pool, mid, conv2 } => {
                plain(pre, conv1, Some(pool), mid, conv2)
            }
            model::Block::Nested { pre, conv1, blocks, post, conv2 } => Ok(Block::Nested {
                pre: self.norm(pre)?,
                conv1: self.conv(conv1)?,
                blocks: self.blocks(blocks)?,
                post: self.norm(post)?,
                conv2: self.conv(conv2)?,
            }),
            model::Block::Attention(attention) => Ok(Block::Attention(self.attention(attention)?)),
            model::Block::FeedForward(layers) => Ok(Block::FeedForward(self.feed_forward(layers)?)),
        }
    }

    pub(super) fn tensor(&self, values: &[f32], dims: &[usize]) -> Result<Tensor> {
        Tensor::from_slice(values, dims, self.device)?.to_dtype(self.dtype)
    }

    fn conv(&self, conv: &model::Conv) -> Result<Conv> {
        let dims = [conv.outputs, conv.inputs, conv.side, conv.side];
        Ok(Conv { weights: self.tensor(&conv.weights, &dims)?, side: conv.side })
    }

    fn norm(&self, norm: &model::Norm) -> Result<Norm> {
        let dims = [1, norm.scale.len(), 1, 1];
        Ok(Norm {
            scale: self.tensor(&norm.scale, &dims)?,
            bias: self.tensor(&norm.bias, &dims)?,
            activation: norm.activation,
        })
    }

    fn pool(&self, pool: &model::Pool) -> Result<Pool> {
        Ok(Pool {
            conv: self.conv(&pool.conv)?,
            norm: self.norm(&pool.norm)?,
            to_bias: self.mat_mul(&pool.to_bias)?,
        })
    }

    pub(super) fn mat_mul(&self, layer: &model::MatMul) -> Result<Tensor> {
        self.tensor(&layer.weights, &[layer.outputs, layer.inputs])?.t()?.contiguous()
    }

    /// Layers of the same input as one.
    fn dense(
        &self,
        layers: &[&model::MatMul],
        bias: Option<&[f32]>,
        activation: Activation,
    ) -> Result<Dense> {
        let weights = layers.iter().map(|layer| self.mat_mul(layer)).collect::<Result<Vec<_>>>()?;
        Ok(Dense {
            weights: Tensor::cat(&weights, 1)?,
            bias: bias.map(|bias| self.tensor(bias, &[1, bias.len()])).transpose()?,
            activation,
        })
    }
}
