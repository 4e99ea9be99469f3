//! Small things that every module may use.

mod files;
mod memory;
mod params;
mod seed;

pub use files::{ReadError, list_folder, make_folder, open_file, read_limited, write_atomically};
pub use memory::machine_memory;
pub use params::{Any, Field, LimitError, Limits, OneOf, Params, params};
pub use seed::{Rng, Seed};
