//! Why a file is no KataGo network that can be used.

use super::model::{NEWEST_VERSION, OLDEST_VERSION};
use crate::util::ReadError;

/// What stands in most messages: which nets do work.
macro_rules! usable {
    () => {
        "nets that can be used are those with residual, nested bottleneck and transformer blocks, \
         such as g170-b6c96 to g170-b40c256, kata1-b18c384nbt and b10c384h6nbttflrs"
    };
}

/// A KataGo network that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KataGoError {
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is damaged as a compressed file.
    #[error("the file cannot be unpacked ({0}): it is damaged, get it again")]
    Unpack(String),
    /// The file unpacks to more than any network.
    #[error(
        "the file unpacks to more than {limit} bytes, far more than a network of its size would: \
         it is damaged or no network"
    )]
    Bomb {
        /// Where the reader stopped.
        limit: u64,
    },
    /// The file does not begin as a network does.
    #[error(
        "the file is no KataGo network: it should begin with a name and a model version, as \
         .bin.gz and .txt.gz files of KataGo do"
    )]
    NotANet,
    /// The version is too old or too new.
    #[error(
        "the network has model version {found}; versions {OLDEST_VERSION} to {NEWEST_VERSION} can \
         be used: choose another net"
    )]
    Version {
        /// By the file.
        found: i64,
    },
    /// A block that this program does not know.
    #[error("{place} holds a block of the unknown kind '{kind}'; {}", usable!())]
    Block {
        /// The part of the network.
        place: String,
        /// What the file calls it.
        kind: String,
    },
    /// Something else that this program does not know.
    #[error("{place}: {what} cannot be computed here; {}", usable!())]
    Unsupported {
        /// The part of the network.
        place: String,
        /// What it wants.
        what: String,
    },
    /// The file ends too early.
    #[error("the file ends within {place}: it is damaged, get it again")]
    Ended {
        /// The part of the network.
        place: String,
    },
    /// There is something else than expected.
    #[error("{place}: found '{found}' where {expected} should be: the file is damaged")]
    Unexpected {
        /// The part of the network.
        place: String,
        /// What there is.
        found: String,
        /// What there should be.
        expected: &'static str,
    },
    /// Layers that do not fit together.
    #[error("{place} has {found} channels where {expected} are expected: the file is damaged")]
    Channels {
        /// The part of the network.
        place: String,
        /// What there is.
        found: usize,
        /// What there should be.
        expected: usize,
    },
    /// Infinities or what is not a number.
    #[error("{place} holds weights that are not finite numbers: the file is damaged")]
    NotFinite {
        /// The part of the network.
        place: String,
    },
}
