//! What a model file holds: layers with their weights, in the order of the computation.
//!
//! Batch normalisation is kept as the scale and the bias that it comes to, and weights are in the
//! order of the kernels.

use super::features::Areas;
use super::transformer::{Attention, FeedForward, RmsNorm};
use crate::nn::kernels::Activation;

/// The oldest model version that can be used: the g170 nets.
pub const OLDEST_VERSION: i64 = 8;
/// The newest.
pub const NEWEST_VERSION: i64 = 17;

/// A network as a file describes it.
#[derive(Debug)]
pub struct Model {
    /// What the file calls itself.
    pub name: String,
    /// Version of the format and of the heads.
    pub version: i64,
    pub(super) scales: Scales,
    /// How it sees areas.
    pub(super) areas: Areas,
    pub(super) trunk: Trunk,
    pub(super) policy: PolicyHead,
    pub(super) value: ValueHead,
}

/// What the outputs of the score head are multiplied with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scales {
    pub(super) score_mean: f32,
    pub(super) score_deviation: f32,
    pub(super) lead: f32,
}

#[derive(Debug)]
pub(super) struct Trunk {
    pub(super) stem: Conv,
    pub(super) global: MatMul,
    pub(super) blocks: Vec<Block>,
    pub(super) tip: Tip,
}

/// The normalisation at the end of the trunk.
#[derive(Debug)]
pub(super) enum Tip {
    Batch(Norm),
    Rms(RmsNorm),
}

#[derive(Debug)]
pub(super) enum Block {
    /// `x + conv2(norm2(conv1(norm1(x))))`
    Ordinary { pre: Norm, conv1: Conv, mid: Norm, conv2: Conv },
    /// The same with a bias from the pooled output of a second convolution before the second
    /// normalisation.
    Pooled { pre: Norm, conv1: Conv, pool: Pool, mid: Norm, conv2: Conv },
    /// Blocks between two 1x1 convolutions.
    Nested { pre: Norm, conv1: Conv, blocks: Vec<Block>, post: Norm, conv2: Conv },
    /// `x + attention(norm(x))`
    Attention(Attention),
    /// `x + last(silu(first(norm(x))) · gate(norm(x)))`, on each point for itself.
    FeedForward(FeedForward),
}

/// A convolution whose pooled output becomes a bias.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) conv: Conv,
    pub(super) norm: Norm,
    pub(super) to_bias: MatMul,
}

#[derive(Debug)]
pub(super) struct PolicyHead {
    pub(super) conv: Conv,
    pub(super) pool: Pool,
    pub(super) norm: Norm,
    pub(super) moves: Conv,
    pub(super) pass: PassHead,
}

#[derive(Debug)]
pub(super) enum PassHead {
    /// Straight from what is pooled.
    Direct(MatMul),
    /// With a layer between.
    Hidden(Dense, MatMul),
}

impl PolicyHead {
    /// Whether there is a second policy, of moves that turn out better than expected.
    pub(super) fn has_optimism(&self) -> bool {
        self.moves.outputs > 1
    }
}

#[derive(Debug)]
pub(super) struct ValueHead {
    pub(super) conv: Conv,
    pub(super) norm: Norm,
    pub(super) hidden: Dense,
    /// Win, loss and no result.
    pub(super) outcome: Dense,
    /// Mean and deviation of the score, lead, and what later versions add.
    pub(super) score: Dense,
    pub(super) ownership: Conv,
}

/// A convolution without a bias, `[output][input][row][column]`.
#[derive(Debug)]
pub(super) struct Conv {
    pub(super) name: String,
    /// Rows and columns.
    pub(super) side: usize,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) weights: Vec<f32>,
}

/// A scale and a bias for each channel, and what follows.
#[derive(Debug)]
pub(super) struct Norm {
    pub(super) scale: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) activation: Activation,
}

/// A fully connected layer without a bias, `[output][input]`.
#[derive(Debug)]
pub(super) struct MatMul {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) weights: Vec<f32>,
}

/// A fully connected layer.
#[derive(Debug)]
pub(super) struct Dense {
    pub(super) layer: MatMul,
    pub(super) bias: Vec<f32>,
    pub(super) activation: Activation,
}

impl Model {
    /// Blocks and channels of the trunk, and what is in it, as KataGo's nets are named: b6c96,
    /// b18c384nbt, b10c384h6nbttflrs. An attention and a feed-forward block count as one.
    #[must_use]
    pub fn shape(&self) -> String {
        let Trunk { stem, blocks, .. } = &self.trunk;
        let is_nested = |block: &&Block| matches!(block, Block::Nested { .. });
        let nested = if blocks.iter().any(|block| is_nested(&block)) { "nbt" } else { "" };
        let count = blocks.iter().filter(|block| !matches!(block, Block::FeedForward(_))).count();
        let first = first_attention(blocks);
        let heads = first.map_or_else(String::new, Attention::heads_in_words);
        let kind = first.map_or_else(String::new, Attention::kind_in_words);
        format!("b{count}c{}{heads}{nested}{kind}", stem.outputs)
    }

    /// Numbers in all layers, a normalisation counting two for each channel.
    #[must_use]
    pub fn parameters(&self) -> usize {
        let mut count = Count::default();
        self.count(&mut count);
        count.parameters
    }

    /// Floating point operations of one evaluation on a board of so many points, a multiplication
    /// and an addition counting two, convolutions counted as if computed directly.
    #[must_use]
    pub fn operations(&self, points: usize) -> f64 {
        let mut count = Count::default();
        self.count(&mut count);
        let pairs = count.of_pairs as f64 * points as f64;
        2.0 * ((count.of_points as f64 + pairs) * points as f64 + count.of_position as f64)
    }

    fn count(&self, count: &mut Count) {
        let Self { trunk, policy, value, .. } = self;
        count.conv(&trunk.stem);
        count.layer(&trunk.global);
        count.blocks(&trunk.blocks);
        match &trunk.tip {
            Tip::Batch(norm) => count.norm(norm),
            Tip::Rms(norm) => count.parameters += norm.scale.len() + norm.bias.len(),
        }
        count.conv(&policy.conv);
        count.pool(&policy.pool);
        count.norm(&policy.norm);
        count.conv(&policy.moves);
        match &policy.pass {
            PassHead::Direct(layer) => count.layer(layer),
            PassHead::Hidden(hidden, last) => {
                count.dense(hidden);
                count.layer(last);
            }
        }
        count.conv(&value.conv);
        count.norm(&value.norm);
        for dense in [&value.hidden, &value.outcome, &value.score] {
            count.dense(dense);
        }
        count.conv(&value.ownership);
    }
}

/// Sums over layers.
#[derive(Default)]
struct Count {
    parameters: usize,
    /// Multiplications for every point.
    of_points: usize,
    /// Multiplications for every two points.
    of_pairs: usize,
    /// Multiplications for every position.
    of_position: usize,
}

impl Count {
    fn conv(&mut self, conv: &Conv) {
        self.parameters += conv.weights.len();
        self.of_points += conv.weights.len();
    }

    fn norm(&mut self, norm: &Norm) {
        self.parameters += norm.scale.len() + norm.bias.len();
    }

    fn layer(&mut self, layer: &MatMul) {
        self.parameters += layer.weights.len();
        self.of_position += layer.weights.len();
    }

    fn dense(&mut self, dense: &Dense) {
        self.layer(&dense.layer);
        self.parameters += dense.bias.len();
    }

    fn pool(&mut self, pool: &Pool) {
        self.conv(&pool.conv);
        self.norm(&pool.norm);
        self.layer(&pool.to_bias);
    }

    /// A layer that is computed for every point.
    fn pointwise(&mut self, layer: &MatMul) {
        self.parameters += layer.weights.len();
        self.of_points += layer.weights.len();
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Ordinary { pre, conv1, mid, conv2 } => {
                    self.residual((pre, mid), (conv1, conv2));
                }
                Block::Pooled { pre, conv1, pool, mid, conv2 } => {
                    self.residual((pre, mid), (conv1, conv2));
                    self.pool(pool);
                }
                Block::Nested { pre, conv1, blocks, post, conv2 } => {
                    self.residual((pre, post), (conv1, conv2));
                    self.blocks(blocks);
                }
                Block::Attention(attention) => {
                    let Attention { norm, query, key, value, output, .. } = attention;
                    self.parameters += norm.scale.len() + attention.rotation.parameters();
                    for layer in [query, key, value, output] {
                        self.pointwise(layer);
                    }
                    self.of_pairs += query.outputs + output.inputs;
                }
                Block::FeedForward(FeedForward { norm, first, gate, last }) => {
                    self.parameters += norm.scale.len();
                    for layer in [first, gate, last] {
                        self.pointwise(layer);
                    }
                }
            }
        }
    }

    fn residual(&mut self, norms: (&Norm, &Norm), convs: (&Conv, &Conv)) {
        self.norm(norms.0);
        self.norm(norms.1);
        self.conv(convs.0);
        self.conv(convs.1);
    }
}

/// The first attention in blocks and in the blocks within them.
fn first_attention(blocks: &[Block]) -> Option<&Attention> {
    blocks.iter().find_map(|block| match block {
        Block::Attention(attention) => Some(attention),
        Block::Nested { blocks, .. } => first_attention(blocks),
        _ => None,
    })
}
