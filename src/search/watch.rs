//! Who watches a search and may find its answer certain.

use std::fmt;

use serde::Serialize;

use crate::game::Position;
use crate::timeman::StopRule;

/// Makes rules that end searches whose answer will not change.
pub trait Watcher: Send + Sync {
    /// A rule for a search of this position; none if the watcher knows nothing of such positions.
    fn watch(&self, position: &Position) -> Option<Box<dyn Watch>>;
}

/// A rule that ends one search when its answer is certain.
pub trait Watch: StopRule {
    /// What the rule has found when it looked last.
    fn certainty(&self) -> Option<Certainty>;
}

/// How certain a search was at a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Certainty {
    /// Visits of the root.
    pub simulations: u64,
    /// Visits that were planned.
    pub of: u64,
    /// u: how likely it is that more search would have mattered.
    pub uncertainty: f64,
    /// Below this the search ends.
    pub threshold: f64,
}

impl Certainty {
    /// Whether this ended the search.
    #[must_use]
    pub fn stops(&self) -> bool {
        self.uncertainty < self.threshold
    }
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { simulations, of, uncertainty, threshold } = self;
        let (verb, sign) = if self.stops() { ("stopped", '<') } else { ("went on", '≥') };
        write!(f, "{verb} at {simulations} of {of}: u = {uncertainty:.3} {sign} {threshold:.3}")
    }
}
