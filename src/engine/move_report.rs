//! What became of a move: the search, its time, and how certain it was.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::search::SearchReport;
use crate::timeman::{Account, Certainty};

/// The search for a move, with what the engine knows beside it.
#[derive(Clone, Debug, Serialize)]
pub struct MoveReport {
    /// What the search has found.
    #[serde(flatten)]
    pub search: SearchReport,
    /// What the search was given of the clock, and what it took; none for an analysis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Account>,
    /// What the estimator said last, and whether that ended the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// From the question to the answer.
    #[serde(skip)]
    pub used: Duration,
}

impl MoveReport {
    /// Everything in one line of JSON. All but the ownership is for the side to move.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("invariant: numbers and words are JSON values")
    }

    /// What the move was planned to take in seconds, if there is a clock.
    #[must_use]
    pub fn allotted(&self) -> Option<f64> {
        let time = self.time.as_ref();
        time.filter(|time| time.moves_left.is_some()).map(|time| time.allotted)
    }
}

impl From<SearchReport> for MoveReport {
    fn from(search: SearchReport) -> Self {
        Self { used: search.elapsed, search, time: None, certainty: None }
    }
}

impl fmt::Display for MoveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.search.fmt(f)
    }
}
