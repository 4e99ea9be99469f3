//! What may know when the answer of a search is certain.

use crate::game::Position;
use crate::timeman::StopRule;

/// Makes rules that end searches whose answer will not change.
pub trait StopModel: Send + Sync {
    /// A rule for a search of this position; none if the model knows nothing of such positions.
    fn rule(&self, position: &Position) -> Option<Box<dyn StopRule>>;
}
