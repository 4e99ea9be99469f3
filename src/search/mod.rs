//! The tree search.

mod amaf;
#[cfg(test)]
mod fixtures;
mod gumbel;
mod json;
mod leaf;
mod limits;
mod look;
mod moves;
mod owners;
mod params;
mod pool;
mod proof;
mod report;
mod request;
mod root;
mod run;
mod select;
mod signature;
mod solve;
mod step;
mod stop_model;
mod throttle;
mod trace;
mod tree;
mod view;
mod words;
mod worker;

pub use gumbel::{
    Gumbel, GumbelParams, completed, considered_visits, improved_policy, logits, sigma,
};
pub use limits::{Limit, LimitKind, Limits};
pub use params::{FinalChoice, SearchParams, Selection, Unvisited};
pub use report::{Proof, RootMove, SearchReport};
pub use request::{Line, Observer, Request, SearchClock};
pub use run::Search;
pub use signature::signature;
pub use step::Stepper;
pub use stop_model::StopModel;
pub use trace::TraceEntry;
