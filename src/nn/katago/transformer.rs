//! The parts of transformers in a model: attention, feed-forward layers, and their normalisation.

use super::model::MatMul;
use crate::game::BoardSize;
use crate::nn::kernels::Activation;

/// Normalisation by the root of the mean square, with a scale and a bias for each channel and what
/// follows.
#[derive(Debug)]
pub(super) struct RmsNorm {
    pub(super) scale: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) epsilon: f32,
    /// Whether the mean is that over the whole board rather than that of each point.
    pub(super) spatial: bool,
    pub(super) activation: Activation,
}

/// Every point looks at all points of the board.
#[derive(Debug)]
pub(super) struct Attention {
    pub(super) norm: RmsNorm,
    /// Heads that ask, and heads that are asked, each by a group of the others.
    pub(super) queries: usize,
    pub(super) keys: usize,
    /// Channels of a query and of a key, and those of a value.
    pub(super) asked: usize,
    pub(super) given: usize,
    pub(super) query: MatMul,
    pub(super) key: MatMul,
    pub(super) value: MatMul,
    pub(super) output: MatMul,
    pub(super) rotation: Rotation,
}

/// How queries and keys depend on the point: two channels at a time, which are neighbours in the
/// file, are turned by an angle that grows with the column and the row.
#[derive(Clone, Debug)]
pub(super) enum Rotation {
    /// Not at all.
    None,
    /// By the powers of a number, all heads alike: the first half of the pairs by the row, the
    /// other by the column.
    Fixed { base: f32 },
    /// By learnt angles for each column and each row, `[key head][pair][column, row]`.
    Learnt(Vec<f32>),
}

/// Two layers on each point for itself, the first one with a gate.
#[derive(Debug)]
pub(super) struct FeedForward {
    pub(super) norm: RmsNorm,
    pub(super) first: MatMul,
    pub(super) gate: MatMul,
    pub(super) last: MatMul,
}

impl Rotation {
    pub(super) fn parameters(&self) -> usize {
        match self {
            Self::None | Self::Fixed { .. } => 0,
            Self::Learnt(angles) => angles.len(),
        }
    }

    /// The angles of so many pairs on a board, `[point][key head][pair]`, or without the heads
    /// where all turn alike. None if nothing turns.
    pub(super) fn angles(&self, pairs: usize, size: BoardSize) -> Option<Vec<f32>> {
        let steps: Vec<[f32; 2]> = match self {
            Self::None => return None,
            Self::Fixed { base } => (0..pairs).map(|pair| steps(*base, pair, pairs)).collect(),
            Self::Learnt(steps) => steps.as_chunks().0.to_vec(),
        };
        let turned = |point| {
            let (column, row) = size.coordinates(point);
            let (column, row) = (column as f32, row as f32);
            steps.iter().map(move |[x, y]| column * x + row * y)
        };
        Some(size.points().flat_map(turned).collect())
    }
}

impl Attention {
    /// Pairs of channels of a query; a last channel without a partner counts as one.
    pub(super) fn pairs(&self) -> usize {
        self.asked.div_ceil(2)
    }

    /// What scores are multiplied with.
    pub(super) fn factor(&self) -> f32 {
        1.0 / (self.asked as f32).sqrt()
    }

    /// The angles of the pairs on a board, see [`Rotation::angles`].
    pub(super) fn angles(&self, size: BoardSize) -> Option<Vec<f32>> {
        self.rotation.angles(self.pairs(), size)
    }

    /// How names tell of the heads: `h6`, or `h6kv3qk32v16` where there are groups of them.
    pub(super) fn heads_in_words(&self) -> String {
        let Self { queries, keys, asked, given, .. } = self;
        if queries == keys && asked == given {
            return format!("h{queries}");
        }
        format!("h{queries}kv{keys}qk{asked}v{given}")
    }

    /// How names tell of transformers: `tf`, of the rotation, and of gates, which all have.
    pub(super) fn kind_in_words(&self) -> String {
        let rotation = match self.rotation {
            Rotation::None => "",
            Rotation::Fixed { .. } => "r",
            Rotation::Learnt(_) => "lr",
        };
        format!("tf{rotation}s")
    }
}

/// The angle of a pair for each column and each row.
fn steps(base: f32, pair: usize, pairs: usize) -> [f32; 2] {
    let by_row = pairs / 2;
    let power = |index: usize| 1.0 / base.powf((2 * index) as f32 / pairs as f32);
    if pair < by_row { [0.0, power(pair)] } else { [power(pair - by_row), 0.0] }
}
