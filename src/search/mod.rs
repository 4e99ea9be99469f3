//! The tree search.

mod report;
mod signature;
mod tree;
mod uct;

pub use report::{RootMove, SearchReport};
pub use signature::signature;
pub use uct::{Search, SearchParams};
