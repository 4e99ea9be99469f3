//! The tree search.

mod gumbel;
mod json;
mod moves;
mod params;
mod report;
mod request;
mod root;
mod run;
mod select;
mod signature;
mod trace;
mod tree;
mod words;
mod worker;

pub use gumbel::{
    Gumbel, GumbelParams, completed, considered_visits, improved_policy, logits, sigma,
};
pub use params::SearchParams;
pub use report::{Proof, RootMove, SearchReport};
pub use request::{Line, Observer, Request, SearchClock};
pub use run::Search;
pub use signature::signature;
pub use trace::TraceEntry;
