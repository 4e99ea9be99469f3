//! Games to the end, played by chance and by what is seen near the last moves, and what they say about
//! a position.

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

pub use evaluator::PlayoutEvaluator;
pub use params::PlayoutParams;
pub use play::Playout;
