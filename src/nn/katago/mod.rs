//! KataGo's networks: their files, what they see, and what they compute.
//!
//! The format and the features are KataGo's (Wu, "Accelerating Self-Play Learning in Go", 2019, and
//! the project's sources); the code is our own.

mod area;
mod blocks;
mod error;
mod evaluator;
pub mod features;
mod format;
mod graph;
mod graph_transformer;
mod ladder;
mod model;
mod net;
mod pack;
mod packed_transformer;
mod source;
mod transformer;

pub use error::KataGoError;
pub use evaluator::{KataGoEvaluator, Outlook};
pub use graph::KataGoGraph;
pub use model::{Model, NEWEST_VERSION, OLDEST_VERSION};
pub use source::looks_like_katago;

#[cfg(test)]
mod tests;
