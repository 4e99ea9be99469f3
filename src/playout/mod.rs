//! Games to the end, played by chance and by what is seen near the last moves, what they say about a
//! position, and what can be learnt from them.

mod chance;
mod evaluator;
mod go;
mod nakade;
mod nogo;
mod params;
mod pattern;
mod play;
mod prior;
mod replies;
mod uniform;
pub mod wls;

pub use evaluator::PlayoutEvaluator;
pub use params::{BetweenMoves, PlayoutMoves, PlayoutParams, PlayoutValue, ReplyLearning};
pub use play::Playout;
pub use wls::{Wls, WlsError};
