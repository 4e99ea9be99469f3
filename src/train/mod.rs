//! Training of networks on games.

mod batch;
mod graph;
mod learner;
mod loss;
mod optimizer;
mod params;
mod report;
mod run;
mod state;
mod validate;

use std::io;
use std::path::PathBuf;

pub use batch::{Batch, Learnt};
pub use learner::{Learner, Lesson};
pub use loss::{Losses, Sum};
pub use params::TrainParams;
pub use run::{CHECKPOINT, Control, Event, Job, Newer, Summary, train};
pub use state::steps_of_checkpoint;
pub use validate::{Agreement, Bin, Verdict};

use crate::nn::{CanaryError, NetShape, WeightsError};
use crate::record::{IllegalTurn, ShardError};
use crate::util::ReadError;

/// The nearest number of single precision.
#[expect(clippy::cast_possible_truncation, reason = "to round is the purpose")]
const fn single(number: f64) -> f32 {
    number as f32
}

/// A training could not go on. What was exported or checkpointed before stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The games cannot be read.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A game to learn from breaks its rules.
    #[error("a game of {turns} turns to learn from breaks its rules: {error}")]
    Illegal {
        /// Its length.
        turns: usize,
        /// Where.
        error: IllegalTurn,
    },
    /// There is nothing to learn from.
    #[error("the games have no position to learn from: import or play some first")]
    NoData,
    /// The network cannot be computed.
    #[error("the network cannot be computed: {0}")]
    Graph(#[from] candle_core::Error),
    /// The network cannot be written.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The network cannot be described.
    #[error(transparent)]
    Canary(#[from] CanaryError),
    /// The weights to start from lack a tensor.
    #[error("the weights to start from lack the tensor {0}")]
    Missing(String),
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// A checkpoint is not what was written.
    #[error(
        "the checkpoint {} is damaged: {what}; remove it to start again, from a network by --init",
        path.display()
    )]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The folder holds another training.
    #[error(
        "{} is of a {found} network, not of a {wanted} one: name another folder",
        path.display()
    )]
    OtherShape {
        /// The checkpoint.
        path: PathBuf,
        /// Its shape.
        found: Box<NetShape>,
        /// What was asked for.
        wanted: Box<NetShape>,
    },
    /// The parameters cannot be written down.
    #[error("the parameters cannot be written down: {0}")]
    Settings(String),
    /// The thread that prepares batches has ended.
    #[error("the thread that prepares positions has ended early")]
    Loader,
    /// The weights grow without limit.
    #[error(
        "the gradients are not finite at step {step} and before: lower learning_rate or clip, and \
         start again from the last checkpoint"
    )]
    Diverged {
        /// Steps done.
        step: u64,
    },
}
