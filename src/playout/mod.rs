//! Random games to the end, what they say about a position, and what can be learnt from them.

mod evaluator;
mod uniform;
pub mod wls;

pub use evaluator::PlayoutEvaluator;
pub use uniform::Playout;
pub use wls::{Wls, WlsError};
