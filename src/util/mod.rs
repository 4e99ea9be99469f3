//! Small things that every module may use.

mod choices;
mod date;
mod files;
mod journal;
mod machine;
mod panics;
mod params;
mod seed;
pub mod stats;
mod words;

pub use choices::{Choice, NoChoice, choice, choices, words};
pub use date::iso_date;
pub use files::{
    ReadError, file_size, is_temporary, list_folder, make_folder, open_file, open_log,
    read_limited, write_atomically, write_unsynced,
};
pub use journal::Journal;
pub use machine::{ProcessorTime, ThreadAccount, available_memory, threads_or_cores};
pub use panics::panic_text;
pub use params::{Any, Field, LimitError, Limits, OneOf, Params, Words, params};
pub use seed::{Rng, Seed, standard_normal};
pub use words::edit_distance;
