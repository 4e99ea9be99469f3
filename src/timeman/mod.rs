//! How long to think. Pure arithmetic: it is told the time and never reads a clock.

mod account;
mod allot;
mod chain;
mod clock;
mod lag;
mod learn;
mod manager;
mod params;
pub mod parts;
mod presets;
mod purse;
mod rules;
mod simulate;
mod stop;
mod strategy;
mod table;

pub use account::Account;
pub use allot::{Allotted, Memory, Situation, allot, expected_moves};
pub use chain::{Budget, Floor, Spent, StopChain};
pub use clock::{Clock, TimeSystem, seconds_to_duration};
pub use lag::Lag;
pub use learn::{Ply, learn_table};
pub use manager::{Manager, Outcome, Pace, Plan};
pub use params::{DsMcts, EarlyStopping, TimeParams};
pub use presets::{PRESETS, Preset};
pub use purse::Purse;
pub use rules::{
    Doubt, EarlyStop, KappaCurrent, KappaLine, KldGain, Prolong, RandomStop, Reuse,
    cannot_be_overtaken, expected_simulations,
};
pub use simulate::{GameModel, Simulated, Tells, Terms, simulate};
pub use stop::{
    Certainty, Progress, Root, SearchProgress, SimulationLimit, Stop, StopReason, StopRule,
    Summary, Tally, TimeLimit, Verdict,
};
pub use strategy::{Strategy, StrategyError};
pub use table::{
    Curve, Estimate, Expected, MAX_TABLE_BYTES, Table, TableError, TableGame, Timetable, quantile,
};
