//! Generations of a network: what is to be done next, told by what is there.

mod params;
mod plan;

pub use params::{NotASchedule, RunParams, Schedule};
pub use plan::{Best, Folder, Gate, Meeting, Plan, Stage};
