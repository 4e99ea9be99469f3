//! Analysis of many positions: a queue with priorities, threads that search, and answers as they come.
//!
//! [`Service`] is the core: it takes a [`Query`] about some positions of a game and tells a [`Listener`] what the
//! searches find. It reads nothing and writes nothing. [`katago`] is a thin format above it: KataGo's JSON.

pub mod katago;
mod params;
mod query;
mod queue;
mod service;
mod worker;

pub use params::{AnalysisParams, History, Perspective};
pub use query::{Owners, Query, Reports};
pub use service::{Client, Listener, Service, Setup};
pub use worker::{Found, Outcome};
