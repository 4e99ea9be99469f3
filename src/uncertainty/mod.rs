//! How certain the answer of a search is: DS-MCTS (Lan, Wu, Wu and Wu 2021).
//!
//! A search of `N_max` simulations is traced; what it would have answered after fewer tells how many
//! it needed. Networks learn to foresee it from the position and the search so far, and thresholds
//! on what they say end searches early.

mod builtin;
mod calibrate;
mod data;
mod estimator;
mod features;
mod label;
mod learn;
mod metrics;
mod params;
mod profile;
mod replay;
mod research;
mod rule;
mod store;
mod thresholds;
mod trace;

pub use builtin::BuiltInProfiles;
pub use calibrate::{
    Estimates, asked_at_once, asked_during, asked_policy, fitted_temperature, scores,
};
pub use data::{Shown, Split, State};
pub use estimator::{Estimator, Look, NetEstimator, PolicyEstimator};
pub use features::{CHANNELS, features};
pub use label::{Labels, best_checkpoint, expected_simulations};
pub use learn::{Course, Task, adapted, pruned};
pub use metrics::{AtThreshold, Quality, Scores, Tenth};
pub use params::{Target, ThresholdsBy, UncertaintyParams};
pub use profile::{Checkpoint, PROFILE_FORMAT, ProfileError, ProfileFiles, StopProfile, Stopper};
pub use replay::{Extrapolated, Replay, Replayed, ended_by};
pub use research::Research;
pub use rule::{Checks, DynamicStop};
pub use store::{TRACES_EXTENSION, TRACES_VERSION, TraceFile, TracedGame, TracesError};
pub use trace::{Step, Trace};
