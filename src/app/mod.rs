//! What programs do with the parts: the only place where a [`Config`](crate::config::Config) becomes
//! an evaluator, an engine, a match, a generation, a self-play job or a stop profile.
//!
//! `cli` reads arguments, calls what is here, and prints. Errors are texts for people with their
//! causes, as nobody does anything about them but show them: `anyhow`.

pub mod analysis;
pub mod bench;
pub mod compare;
pub mod engine;
pub mod evaluators;
pub mod games;
pub mod generations;
pub mod import;
pub mod label;
pub mod loading;
pub mod matches;
pub mod net_bench;
pub mod pieces;
pub mod players;
pub mod progress;
pub mod review;
pub mod selfplay;
pub mod stop_model;
pub mod stop_profile;
pub mod store;
pub mod timetable;
pub mod training;
pub mod tune;
