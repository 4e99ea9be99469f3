//! Stop profiles: when searches with one network may end early.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::estimator::NetEstimator;
use super::metrics::Tenth;
use super::rule::{Checks, DynamicStop};
use crate::game::{BoardSize, Game, Position};
use crate::nn::{NetFile, WeightsError};
use crate::search::StopModel;
use crate::timeman::StopRule;
use crate::util::{ReadError, read_limited, write_atomically};

/// The version of the format.
pub const PROFILE_FORMAT: u32 = 1;

/// Larger files are refused.
const MAX_BYTES: usize = 1 << 20;

/// A stop profile, `NAME-stop.toml` beside `NAME.safetensors`. Its networks are
/// `NAME-state.safetensors` and `NAME-mcts.safetensors` with their manifests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopProfile {
    /// Version of the format.
    pub format: u32,
    /// Checksum of the network that it is for.
    pub net: String,
    /// Checksum of State-UN.
    pub state_net: String,
    /// Checksum of MCTS-UN.
    pub mcts_net: String,
    /// `go` or `nogo`.
    pub game: String,
    /// Side of the board.
    pub board: usize,
    /// `N_max`: simulations of the searches that it was made from.
    pub simulations: usize,
    /// How much worse a move must be to count as another one.
    pub epsilon: f64,
    /// How it was made.
    pub made: String,
    /// What it does on games that it was not made from, as shares: simulations, changed moves, and
    /// searches ended where more would have mattered.
    pub average_simulations: f64,
    /// Share of moves that are others than without it.
    pub changed_moves: f64,
    /// Share of all searches that end where more would have mattered.
    pub false_stops: f64,
    /// Where searches may end.
    pub checkpoints: Vec<Checkpoint>,
}

/// A number of simulations after which a search may end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// Simulations, 0 for the position alone.
    pub simulations: usize,
    /// The search ends below this.
    pub threshold: f64,
    /// Share of the searches that need more which go on, where the threshold was chosen.
    pub recall: f64,
    /// Share of the others that end.
    pub specificity: f64,
    /// The reliability curve of the estimates.
    pub reliability: Vec<Tenth>,
}

/// A stop profile that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// It is no TOML, or lacks something.
    #[error("the stop profile cannot be read: {0}")]
    Text(String),
    /// It is of another format.
    #[error("the stop profile has format {0}, this program reads format {PROFILE_FORMAT}")]
    Format(i64),
    /// Its numbers make no sense.
    #[error("the stop profile makes no sense: {0}")]
    Numbers(&'static str),
    /// It is for another network.
    #[error(
        "the stop profile is for the network {wanted}, not for {found}: make one for this network, \
         see docs/uncertainty.md"
    )]
    Foreign {
        /// Checksum of the profile's network.
        wanted: String,
        /// Checksum of the network that is used.
        found: String,
    },
    /// One of its networks cannot be used.
    #[error("a network of the stop profile cannot be used: {0}")]
    Weights(#[from] WeightsError),
    /// One of its networks is another one.
    #[error("the {0} beside the stop profile is not the network that it was made with")]
    OtherNet(&'static str),
}

impl StopProfile {
    /// Reads the text of a profile and checks its numbers.
    pub fn from_text(text: &str) -> Result<Self, ProfileError> {
        let wrong = |error: toml::de::Error| ProfileError::Text(error.to_string());
        let table: toml::Table = text.parse().map_err(wrong)?;
        // The format comes first: another one may have other keys.
        match table.get("format").and_then(toml::Value::as_integer) {
            Some(format) if format == i64::from(PROFILE_FORMAT) => {}
            Some(format) => return Err(ProfileError::Format(format)),
            None => return Err(ProfileError::Text("the key 'format' is missing".to_owned())),
        }
        let profile: Self = toml::from_str(text).map_err(wrong)?;
        profile.check()?;
        Ok(profile)
    }

    fn check(&self) -> Result<(), ProfileError> {
        let points = &self.checkpoints;
        let wrong = |what| Err(ProfileError::Numbers(what));
        match () {
            () if self.simulations < 2 => wrong("it has no simulations"),
            () if points.is_empty() => wrong("it has no checkpoints"),
            () if !points.is_sorted_by(|a, b| a.simulations < b.simulations) => {
                wrong("its checkpoints are not in rising order")
            }
            () if points.iter().any(|point| point.simulations > self.simulations) => {
                wrong("a checkpoint is behind the end of the search")
            }
            () if !points.iter().all(|point| (0.0..=1.0).contains(&point.threshold)) => {
                wrong("a threshold is not between 0 and 1")
            }
            () if BoardSize::square(self.board).is_err() => wrong("its board does not exist"),
            () => Ok(()),
        }
    }

    /// Writes the profile, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ProfileError> {
        let text = toml::to_string(self).map_err(|error| ProfileError::Text(error.to_string()))?;
        write_atomically(path, text.as_bytes())
            .map_err(|reason| ProfileError::Write { path: path.to_owned(), reason })
    }
}

/// The files of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileFiles {
    /// The profile.
    pub profile: PathBuf,
    /// State-UN.
    pub state: PathBuf,
    /// MCTS-UN.
    pub mcts: PathBuf,
}

impl ProfileFiles {
    /// The files in a folder for a network of this name.
    #[must_use]
    pub fn new(folder: &Path, name: &str) -> Self {
        Self {
            profile: folder.join(format!("{name}-stop.toml")),
            state: folder.join(format!("{name}-state.safetensors")),
            mcts: folder.join(format!("{name}-mcts.safetensors")),
        }
    }

    /// Those beside a network.
    #[must_use]
    pub fn beside(net: &Path) -> Self {
        let name = net.file_stem().unwrap_or_default().to_string_lossy();
        Self::new(net.parent().unwrap_or(Path::new("")), &name)
    }

    /// Those of a profile, whose name ends in `-stop.toml`.
    #[must_use]
    pub fn named(profile: &Path) -> Self {
        let stem = profile.file_stem().unwrap_or_default().to_string_lossy();
        let name = stem.strip_suffix("-stop").unwrap_or(&stem);
        let profile = profile.to_owned();
        Self {
            profile: profile.clone(),
            ..Self::new(profile.parent().unwrap_or(Path::new("")), name)
        }
    }

    /// Reads all three, for the network with a checksum.
    pub fn load(&self, net: &str) -> Result<Stopper, ProfileError> {
        let bytes = read_limited(&self.profile, MAX_BYTES)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| ProfileError::Text("it is not UTF-8 text".to_owned()))?;
        let profile = StopProfile::from_text(&text)?;
        let load = |path: &Path| NetFile::load(path);
        Stopper::new(profile, &load(&self.state)?, &load(&self.mcts)?, net)
    }
}

/// A profile with its networks, ready to end searches.
pub struct Stopper {
    game: Game,
    size: BoardSize,
    checks: Arc<Checks>,
}

impl Stopper {
    /// Puts a profile and its networks together, for the network with a checksum.
    pub fn new(
        profile: StopProfile,
        state: &NetFile,
        mcts: &NetFile,
        net: &str,
    ) -> Result<Self, ProfileError> {
        profile.check()?;
        if profile.net != net {
            let (wanted, found) = (profile.net, net.to_owned());
            return Err(ProfileError::Foreign { wanted, found });
        }
        let size = BoardSize::square(profile.board)
            .map_err(|_| ProfileError::Numbers("its board does not exist"))?;
        let unknown = |_| ProfileError::Numbers("its game is neither go nor nogo");
        let game: Game = profile.game.parse().map_err(unknown)?;
        let estimator = |file: &NetFile, sha256: &str, name| {
            let fits = file.manifest.sha256 == sha256;
            let net = fits.then(|| NetEstimator::of(file, size)).flatten();
            net.map(Box::new).ok_or(ProfileError::OtherNet(name))
        };
        let checks = Checks {
            most: profile.simulations,
            points: profile.checkpoints.iter().map(|c| (c.simulations, c.threshold)).collect(),
            at_once: estimator(state, &profile.state_net, "State-UN")?,
            during: estimator(mcts, &profile.mcts_net, "MCTS-UN")?,
        };
        Ok(Self { game, size, checks: Arc::new(checks) })
    }
}

impl StopModel for Stopper {
    fn rule(&self, position: &Position) -> Option<Box<dyn StopRule>> {
        let fits = position.rules().game == self.game && position.size() == self.size;
        fits.then(|| {
            let rule = DynamicStop::new(Arc::clone(&self.checks), position.clone());
            Box::new(rule) as Box<dyn StopRule>
        })
    }
}

#[cfg(test)]
mod tests;
