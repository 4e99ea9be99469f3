//! The blocks of a network made ready for the kernels.

use super::model::{self, Block};
use super::pack::{Normalize, Stack, Third, after_pool};
use super::packed_transformer::{PackedAttention, PackedFeedForward};
use crate::game::BoardSize;
use crate::nn::kernels::{Activation, Linear, Plan, padded};

pub(super) enum Packed {
    Residual(Box<Residual>),
    Attention(Box<PackedAttention>),
    FeedForward(Box<PackedFeedForward>),
}

/// `x + conv2(…(conv1(pre(x))))`. The normalisation behind the first convolution is part of it.
pub(super) struct Residual {
    pub(super) pre: Normalize,
    pub(super) conv1: Stack,
    pub(super) inner: Inner,
    pub(super) conv2: Stack,
}

/// What stands between two convolutions.
pub(super) enum Inner {
    Ordinary(Activation),
    Pooled(Pool),
    Nested(Vec<Packed>, Normalize),
}

/// The second half of a stack, pooled, is added to the first half.
pub(super) struct Pool {
    /// Channels of both halves with the padding.
    pub(super) main: usize,
    pub(super) pooled: usize,
    pub(super) inner: Activation,
    pub(super) to_bias: Linear,
    pub(super) activation: Activation,
}

/// What blocks need of a workspace.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needs {
    /// The widest layer that is kept for every point.
    pub(super) width: usize,
    /// How deep blocks are nested.
    pub(super) depth: usize,
    /// Queries, keys and values side by side.
    pub(super) asked: usize,
    /// The widest layer within a feed-forward block.
    pub(super) fed: usize,
}

impl Needs {
    pub(super) fn of(blocks: &[Packed]) -> Self {
        blocks.iter().map(Packed::needs).fold(Self::default(), Self::both)
    }

    fn both(self, other: Self) -> Self {
        Self {
            width: self.width.max(other.width),
            depth: self.depth.max(other.depth),
            asked: self.asked.max(other.asked),
            fed: self.fed.max(other.fed),
        }
    }
}

impl Packed {
    fn needs(&self) -> Needs {
        match self {
            Self::Residual(block) => block.needs(),
            Self::Attention(block) => Needs {
                width: block.width().max(block.heads().outputs()),
                asked: block.heads().inputs(),
                ..Needs::default()
            },
            Self::FeedForward(block) => {
                Needs { width: block.width(), fed: block.inner(), ..Needs::default() }
            }
        }
    }
}

impl Residual {
    /// Channels of what goes into the last convolution.
    pub(super) fn inner_channels(&self) -> usize {
        match &self.inner {
            Inner::Pooled(pool) => pool.main,
            Inner::Ordinary(_) | Inner::Nested(..) => self.conv1.outputs,
        }
    }

    fn needs(&self) -> Needs {
        let width = self.pre.channels().max(self.conv1.outputs);
        let own = Needs { width, ..Needs::default() };
        match &self.inner {
            Inner::Nested(blocks, _) => {
                let inside = Needs::of(blocks);
                own.both(Needs { depth: inside.depth + 1, ..inside })
            }
            Inner::Ordinary(_) | Inner::Pooled(_) => own,
        }
    }
}

/// Packs the parts of a model.
pub(super) struct Packer<'a> {
    pub(super) plan: &'a Plan,
    pub(super) size: BoardSize,
}

impl Packer<'_> {
    pub(super) fn blocks(&self, blocks: &[Block]) -> Vec<Packed> {
        blocks.iter().map(|block| self.block(block)).collect()
    }

    fn block(&self, block: &Block) -> Packed {
        let one = |conv, norm| Stack::one(conv, norm, self.plan);
        let (pre, conv1, inner, conv2) = match block {
            Block::Ordinary { pre, conv1, mid, conv2 } => {
                (pre, one(conv1, Some(mid)), Inner::Ordinary(mid.activation), conv2)
            }
            Block::Pooled { pre, conv1, pool, mid, conv2 } => {
                let convs = [(conv1, Some(mid)), (&pool.conv, Some(&pool.norm))];
                let conv1 = Stack::new(&convs, self.plan);
                (pre, conv1, Inner::Pooled(self.pool(pool, mid)), conv2)
            }
            Block::Nested { pre, conv1, blocks, post, conv2 } => {
                let inner = Inner::Nested(self.blocks(blocks), Normalize::new(post));
                (pre, one(conv1, None), inner, conv2)
            }
            Block::Attention(attention) => {
                return Packed::Attention(Box::new(PackedAttention::new(attention, self.size)));
            }
            Block::FeedForward(layers) => {
                return Packed::FeedForward(Box::new(PackedFeedForward::new(layers)));
            }
        };
        let (pre, conv2) = (Normalize::new(pre), one(conv2, None));
        Packed::Residual(Box::new(Residual { pre, conv1, inner, conv2 }))
    }

    /// The bias of a pool comes before a normalisation, and is scaled with it.
    pub(super) fn pool(&self, pool: &model::Pool, norm: &model::Norm) -> Pool {
        let none = vec![0.0; pool.to_bias.outputs];
        Pool {
            main: padded(pool.to_bias.outputs),
            pooled: padded(pool.conv.outputs),
            inner: pool.norm.activation,
            to_bias: after_pool(&pool.to_bias, Some(&norm.scale), &none, Third::Maximum, self.size),
            activation: norm.activation,
        }
    }
}
