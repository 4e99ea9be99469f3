//! What stands beside a file of weights: what it is, where it comes from, and how to tell that it
//! was loaded right.

use serde::{Deserialize, Serialize};

use super::features::FEATURES_VERSION;
use super::shape::NetShape;
use super::weights::WeightsError;
use crate::game::{BoardSize, Game};

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

impl Manifest {
    /// Reads a manifest, and refuses what no network of this program can have.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| WeightsError::Manifest("it is not UTF-8 text".to_owned()))?;
        // The format comes first: another one may have other keys.
        let table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| WeightsError::Manifest(error.to_string()))?;
        match table.get("format").and_then(toml::Value::as_integer) {
            Some(format) if format == i64::from(MANIFEST_FORMAT) => {}
            Some(found) => {
                return Err(WeightsError::Format {
                    found: u32::try_from(found).unwrap_or(u32::MAX),
                });
            }
            None => return Err(WeightsError::Manifest("the key 'format' is missing".to_owned())),
        }
        let manifest: Self =
            toml::from_str(text).map_err(|error| WeightsError::Manifest(error.to_string()))?;
        if manifest.features != FEATURES_VERSION {
            return Err(WeightsError::Features { found: manifest.features });
        }
        if !manifest.shape.is_valid() {
            return Err(WeightsError::Shape(Box::new(manifest.shape)));
        }
        Ok(manifest)
    }

    /// Whether the network was trained for a game.
    #[must_use]
    pub fn knows(&self, game: Game) -> bool {
        self.games.iter().any(|known| known == game.key())
    }

    /// Whether the network was trained for a game on boards like this.
    #[must_use]
    pub fn fits(&self, game: Game, size: BoardSize) -> bool {
        let [smallest, largest] = self.boards;
        let sides = [size.width(), size.height()];
        self.knows(game) && sides.iter().all(|side| (smallest..=largest).contains(side))
    }
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
