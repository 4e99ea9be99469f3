//! Tedomari: a Go and NoGo engine that knows when to stop thinking.

pub mod analysis;
pub mod app;
pub mod arena;
pub mod chart;
pub mod cli;
pub mod config;
pub mod engine;
pub mod eval;
pub mod game;
pub mod gtp;
pub mod judge;
pub mod nn;
pub mod playout;
pub mod record;
pub mod review;
pub mod run;
pub mod search;
pub mod selfplay;
pub mod timeman;
pub mod train;
pub mod tune;
pub mod uncertainty;
pub mod util;
