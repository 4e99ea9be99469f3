//! Go and NoGo: boards, rules and records. Pure: no input or output, no time, no randomness.

mod around;
pub mod benson;
mod board;
mod color;
mod diagram;
pub mod handicap;
mod history;
pub mod ladder;
mod parts;
mod point;
mod pointset;
mod position;
mod record;
mod rules;
mod score;
mod setup;
pub mod sgf;
mod symmetry;
mod zobrist;

pub use around::Around;
pub use board::{Board, Few, Placement};
pub use color::{Color, NotAColor};
pub use diagram::{Diagram, DiagramError, render};
pub use parts::PartError;
pub use point::{BoardSize, Move, Point, SizeError, Vertex, VertexError};
pub use pointset::PointSet;
pub use position::{Illegal, Position};
pub use record::{GameRecord, GameResult, NotAResult, RecordedMove, ReplayError};
pub use rules::{
    DeadStones, Game, GameEnd, HandicapBonus, KoRule, Komi, KomiError, Rules, Scoring, Suicide,
    UnknownRules,
};
pub use score::{Owners, Score, owners};
pub use setup::SetupError;
pub use symmetry::Symmetry;
