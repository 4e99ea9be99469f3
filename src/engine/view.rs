//! How a search is looked at from outside.

use crate::search::{Limits, Observer};

/// Who looks at a search while it runs, what it is to tell, and which moves it must not consider.
pub struct View<'a> {
    /// Moves that must not be considered.
    pub limits: Limits,
    /// Whether to tell how far evaluations differ about owners, and the owners after each move.
    pub owner_spreads: bool,
    /// Sees the search while it runs.
    pub observer: Option<&'a mut dyn Observer>,
}

impl View<'_> {
    /// Nobody looks, and all moves may be considered.
    #[must_use]
    pub fn none() -> Self {
        Self { limits: Limits::default(), owner_spreads: false, observer: None }
    }
}
