//! Tedomari: a Go and NoGo engine that knows when to stop thinking.

pub mod eval;
pub mod game;
pub mod playout;
pub mod timeman;
pub mod util;
