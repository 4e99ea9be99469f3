//! Games of an evaluator with itself, to learn from.

mod archive;
mod game;
mod params;
mod run;
mod worker;

pub use archive::Archive;
pub use game::{Played, Resignation};
pub use params::{SelfplayParams, Start};
pub use run::{Selfplay, SelfplayError, Stats};
