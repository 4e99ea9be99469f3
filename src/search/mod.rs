//! The tree search.

mod report;
mod request;
mod signature;
mod tree;
mod uct;

pub use report::{Proof, RootMove, SearchReport};
pub use request::{Line, Observer, Request};
pub use signature::signature;
pub use uct::{Search, SearchParams};
