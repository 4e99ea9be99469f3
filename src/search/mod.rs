//! The tree search.

mod gumbel;
mod report;
mod request;
mod signature;
mod tree;
mod uct;

pub use gumbel::{
    Gumbel, GumbelParams, completed, considered_visits, improved_policy, logits, sigma,
};
pub use report::{Proof, RootMove, SearchReport};
pub use request::{Line, Observer, Request};
pub use signature::signature;
pub use uct::{Search, SearchParams};
