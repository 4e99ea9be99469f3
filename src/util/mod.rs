//! Small things that every module may use.

mod files;
mod memory;
mod params;
mod seed;
pub mod stats;

pub use files::{ReadError, read_limited, write_atomically};
pub use memory::machine_memory;
pub use params::{Any, Field, LimitError, Limits, OneOf, Params, params};
pub use seed::{Rng, Seed};
