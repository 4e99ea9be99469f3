//! What a move was given, what it took, and why: the line that explains it.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::stop::StopReason;
use super::strategy::Strategy;

/// The time of one move; all times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Account {
    /// The strategy: as it was configured, and all its numbers.
    #[serde(flatten, serialize_with = "in_full")]
    pub strategy: Arc<Strategy>,
    /// What the move was planned to take.
    pub allotted: f64,
    /// What rules have added.
    pub extended: f64,
    /// The last rule that added something.
    #[serde(serialize_with = "in_words")]
    pub extended_by: Option<StopReason>,
    /// What it could have taken at the most.
    pub limit: f64,
    /// What the search took.
    pub used: f64,
    /// What is left of the plan.
    pub saved: f64,
    /// Own moves that were expected, this one included.
    pub moves_left: Option<f64>,
    /// The share of their plans that searches were thought to use.
    pub fraction: f64,
    /// The lag that the clocks have shown.
    pub lag: f64,
}

#[expect(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn in_words<S: Serializer>(reason: &Option<StopReason>, out: S) -> Result<S::Ok, S::Error> {
    match reason {
        Some(reason) => out.collect_str(reason),
        None => out.serialize_none(),
    }
}

fn in_full<S: Serializer>(strategy: &Arc<Strategy>, out: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Words<'a> {
        strategy: &'a str,
        parameters: String,
    }
    Words { strategy: strategy.text(), parameters: strategy.numbers() }.serialize(out)
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: allotted {:.3} s", self.strategy.text(), self.allotted)?;
        if let Some(reason) = self.extended_by {
            write!(f, ", extended by {:.3} s ({reason})", self.extended)?;
        }
        write!(f, ", used {:.3} s, saved {:.3} s", self.used, self.saved)?;
        if let Some(moves) = self.moves_left {
            write!(f, ", {moves:.1} moves expected")?;
        }
        write!(f, ", at most {:.3} s", self.limit)?;
        match self.strategy.numbers() {
            numbers if numbers.is_empty() => Ok(()),
            numbers => write!(f, ", {numbers}"),
        }
    }
}
