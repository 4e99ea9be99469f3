//! Random games to the end, and what they say about a position.

mod evaluator;
mod uniform;

pub use evaluator::PlayoutEvaluator;
pub use uniform::Playout;
