//! How certain the answer of a search is: DS-MCTS (Lan, Wu, Wu and Wu 2021).
//!
//! A search of N_max simulations is traced; what it would have answered after fewer tells how many
//! it needed. Networks learn to foresee it from the position and the search so far, and thresholds
//! on what they say end searches early.

mod features;
mod label;
mod params;
mod research;
mod store;
mod trace;

pub use features::{CHANNELS, features};
pub use label::{Labels, best_checkpoint, expected_simulations};
pub use params::UncertaintyParams;
pub use research::research;
pub use store::{TRACES_EXTENSION, TRACES_VERSION, TraceFile, TracedGame, TracesError};
pub use trace::{Step, Trace};
