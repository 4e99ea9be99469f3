//! What stands beside a file of weights: what it is, where it comes from, and how to tell that it
//! was loaded right.

use serde::{Deserialize, Serialize};

use super::shape::NetShape;

/// The version of this format.
pub const MANIFEST_FORMAT: u32 = 1;

/// The description of a network, `NAME.toml` beside `NAME.safetensors`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the manifest's format.
    pub format: u32,
    /// Name of the network.
    pub name: String,
    /// Checksum of the weights file in hexadecimal.
    pub sha256: String,
    /// Version of the feature set that the network was trained with.
    pub features: u32,
    /// Games it can play: `go`, `nogo`.
    pub games: Vec<String>,
    /// Shortest and longest side of a board that it was trained on.
    pub boards: [usize; 2],
    /// How it was trained.
    pub training: String,
    /// How strong it was measured to be, and by which command.
    pub strength: String,
    /// Its shape.
    pub shape: NetShape,
    /// Positions with what the network says of them.
    #[serde(default)]
    pub canaries: Vec<Canary>,
}

/// A position with what the network says of it, to find out when it is computed wrongly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Canary {
    /// `go` or `nogo`.
    pub game: String,
    /// Side of the board.
    pub board: usize,
    /// Points for White.
    pub komi: f64,
    /// Moves from the empty board, players in turn, as GTP writes them.
    pub moves: Vec<String>,
    /// Value for the side to move.
    pub value: f32,
    /// The move with the highest prior, as GTP writes it.
    pub best: String,
    /// Its prior among all moves.
    pub prior: f32,
}
