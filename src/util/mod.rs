//! Small things that every module may use.

mod files;
mod journal;
mod memory;
mod params;
mod seed;
pub mod stats;

pub use files::{
    ReadError, files_in, list_folder, make_folder, open_file, read_limited, write_atomically,
};
pub use journal::Journal;
pub use memory::machine_memory;
pub use params::{Any, Field, LimitError, Limits, OneOf, Params, params};
pub use seed::{Rng, Seed};
