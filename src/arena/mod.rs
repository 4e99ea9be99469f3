//! Matches between players that need not trust each other.

mod line;
pub mod report;

pub use line::{Fault, GameLine, Reason};
