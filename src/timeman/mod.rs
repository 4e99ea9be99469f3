//! How long to think. Pure arithmetic: it is told the time and never reads a clock.

mod clock;
mod share;
mod stop;

pub use clock::{Clock, TimeSystem, seconds_to_duration};
pub use share::{TimeParams, thinking_time};
pub use stop::{Chain, Progress, SimulationLimit, StopReason, StopRule, TimeLimit, Verdict};
