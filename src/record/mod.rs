//! Games to learn from.

mod codec;
mod contents;
mod game;
mod import;
mod label;
mod permute;
mod rating;
mod shard;
mod window;
mod writer;

pub use codec::{MAX_TURNS, NotAGame, UnwritableGame};
pub(crate) use codec::{
    Source, decode as decode_game, encode as encode_game, move_number, put_number,
};
pub use contents::Contents;
pub use game::{IllegalTurn, Label, Outcome, TrainingGame, Turn};
pub use import::{
    Filters, ImportError, ImportSummary, Imported, Importer, ResultFilter, ScoreTrust, Skipped,
    is_held_out, read_games, sgf_files,
};
pub use label::{LabelError, LabelParams, Labeller, Oddity, is_game_held_out};
pub use permute::Permutation;
pub use rating::{NotARating, Rating};
pub use shard::{
    MAX_SHARD, SHARD_EXTENSION, SHARD_VERSION, Shard, ShardError, shard_bytes, write_shard,
};
pub use window::{Row, UNFINISHED, Window, WindowParams, shard_files};
pub use writer::ShardWriter;
