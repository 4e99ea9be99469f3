//! How a search is looked at from outside.

use crate::game::Move;
use crate::search::Observer;

/// Who looks at a search while it runs, and which moves it may consider.
pub struct View<'a> {
    /// Which moves may be considered.
    pub allowed: &'a dyn Fn(Move) -> bool,
    /// Sees the search while it runs.
    pub observer: Option<&'a mut dyn Observer>,
}

impl View<'_> {
    /// Nobody looks, and all moves may be considered.
    #[must_use]
    pub fn none() -> Self {
        Self { allowed: &|_| true, observer: None }
    }
}
