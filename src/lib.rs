//! Tedomari: a Go and NoGo engine that knows when to stop thinking.

pub mod game;
