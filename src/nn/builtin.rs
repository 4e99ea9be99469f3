//! Networks that are part of the program.

use super::weights::{NetFile, WeightsError};
use crate::game::{BoardSize, Game};

/// A network inside the program: the contents of its two files.
struct BuiltIn {
    name: &'static str,
    manifest: &'static [u8],
    weights: &'static [u8],
}

macro_rules! built_in {
    ($name:literal) => {
        BuiltIn {
            name: $name,
            manifest: include_bytes!(concat!("../../weights/", $name, ".toml")),
            weights: include_bytes!(concat!("../../weights/", $name, ".safetensors")),
        }
    };
}

/// The better ones first: the first that fits a game and a board is chosen for it.
const ALL: &[BuiltIn] = &[built_in!("untrained")];

/// A built-in network that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum BuiltInError {
    /// There is none of this name.
    #[error("there is no built-in network '{name}'; there are: {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// It is damaged, which a test excludes for those that are shipped.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

/// The names of all built-in networks.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|net| net.name)
}

/// The built-in network of this name.
pub fn named(name: &str) -> Result<NetFile, BuiltInError> {
    let net = ALL.iter().find(|net| net.name == name).ok_or_else(|| BuiltInError::Unknown {
        name: name.to_owned(),
        known: names().collect::<Vec<_>>().join(", "),
    })?;
    Ok(NetFile::from_bytes(net.manifest, net.weights)?)
}

/// All built-in networks that were trained for some game.
pub fn trained() -> Result<Vec<NetFile>, BuiltInError> {
    let nets: Result<Vec<_>, _> = names().map(named).collect();
    Ok(nets?.into_iter().filter(|net| !net.manifest.games.is_empty()).collect())
}

impl NetFile {
    /// Whether the network was trained for a game on boards like this.
    #[must_use]
    pub fn fits(&self, game: Game, size: BoardSize) -> bool {
        let name = match game {
            Game::Go => "go",
            Game::NoGo => "nogo",
        };
        let [smallest, largest] = self.manifest.boards;
        let sides = [size.width(), size.height()];
        self.manifest.games.iter().any(|known| known == name)
            && sides.iter().all(|side| (smallest..=largest).contains(side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_network_is_whole_and_sings() {
        for name in names() {
            let net = named(name).unwrap();
            assert_eq!(net.manifest.name, name);
            assert!(net.verify().unwrap() > 0, "{name} has no canaries");
        }
    }

    #[test]
    fn unknown_names_are_answered_with_the_known_ones() {
        let error = named("nonsense").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("untrained"), "{error}");
    }

    #[test]
    fn an_untrained_network_is_chosen_for_nothing() {
        assert!(trained().unwrap().iter().all(|net| net.manifest.name != "untrained"));
        let mut net = named("untrained").unwrap();
        let size = |side| BoardSize::square(side).unwrap();
        assert!(!net.fits(Game::Go, size(9)));
        net.manifest.games = vec!["nogo".to_owned()];
        net.manifest.boards = [7, 9];
        assert!(net.fits(Game::NoGo, size(9)) && !net.fits(Game::NoGo, size(13)));
        assert!(!net.fits(Game::Go, size(9)));
        assert!(!net.fits(Game::NoGo, BoardSize::new(9, 13).unwrap()));
    }
}
