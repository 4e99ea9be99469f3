//! How a search is looked at from outside.

use crate::game::Move;
use crate::search::Observer;

/// Who looks at a search while it runs, and which moves it may consider.
pub struct View<'a> {
    /// Which moves may be considered.
    pub allowed: &'a dyn Fn(Move) -> bool,
    /// Sees the search while it runs.
    pub observer: &'a mut dyn Observer,
}

impl<'a> View<'a> {
    /// Nobody looks, and all moves may be considered.
    pub fn none(nobody: &'a mut ()) -> Self {
        Self { allowed: &|_| true, observer: nobody }
    }
}
