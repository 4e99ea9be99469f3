//! Networks that are part of the program.

use super::manifest::Manifest;
use super::weights::{NetFile, WeightsError};

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
const ALL: &[BuiltIn] = &[
    built_in!("go9"),
    built_in!("go9small"),
    built_in!("go19"),
    built_in!("nogo9small"),
    built_in!("nogo9"),
    built_in!("untrained"),
];

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

/// The manifests of all built-in networks that were trained for some game, the better ones first.
/// Their weights, which are a thousand times as large, are not looked at.
pub fn trained() -> Result<Vec<Manifest>, BuiltInError> {
    trained_of(ALL)
}

/// The manifests of all built-in networks, the better ones first.
pub fn all() -> Result<Vec<Manifest>, BuiltInError> {
    manifests(ALL)
}

fn manifests(nets: &[BuiltIn]) -> Result<Vec<Manifest>, BuiltInError> {
    nets.iter().map(|net| Ok(Manifest::from_bytes(net.manifest)?)).collect()
}

fn trained_of(nets: &[BuiltIn]) -> Result<Vec<Manifest>, BuiltInError> {
    Ok(manifests(nets)?.into_iter().filter(|manifest| !manifest.games.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Game};

    #[test]
    fn every_built_in_network_is_whole_and_sings() {
        for name in names() {
            let net = named(name).unwrap();
            assert_eq!(net.manifest.name, name);
            assert!(net.verify().unwrap() > 0, "{name} has no canaries");
        }
    }

    #[test]
    fn usual_boards_have_a_network() {
        let trained = trained().unwrap();
        let chosen = |game, side| {
            let size = BoardSize::square(side).unwrap();
            trained.iter().find(|net| net.fits(game, size)).map(|net| net.name.as_str())
        };
        assert_eq!(chosen(Game::Go, 9), Some("go9"));
        assert_eq!(chosen(Game::Go, 13), Some("go19"));
        assert_eq!(chosen(Game::Go, 19), Some("go19"));
        assert_eq!(chosen(Game::Go, 25), None);
        assert_eq!(chosen(Game::NoGo, 9), Some("nogo9small"));
        assert_eq!(chosen(Game::NoGo, 7), None);
    }

    #[test]
    fn unknown_names_are_answered_with_the_known_ones() {
        let error = named("nonsense").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("untrained"), "{error}");
    }

    #[test]
    fn an_untrained_network_is_chosen_for_nothing() {
        assert!(trained().unwrap().iter().all(|net| net.name != "untrained"));
        let mut manifest = named("untrained").unwrap().manifest;
        let size = |side| BoardSize::square(side).unwrap();
        assert!(!manifest.fits(Game::Go, size(9)));
        manifest.games = vec!["nogo".to_owned()];
        manifest.boards = [7, 9];
        assert!(manifest.fits(Game::NoGo, size(9)) && !manifest.fits(Game::NoGo, size(13)));
        assert!(!manifest.fits(Game::Go, size(9)));
        assert!(!manifest.fits(Game::NoGo, BoardSize::new(9, 13).unwrap()));
    }

    #[test]
    fn weights_are_not_read_to_choose() {
        let untrained = ALL.iter().find(|net| net.name == "untrained").unwrap();
        let text = std::str::from_utf8(untrained.manifest).unwrap();
        let manifest = text.replace("games = []", "games = [\"nogo\"]").into_bytes().leak();
        let damaged = BuiltIn { name: "damaged", manifest, weights: b"no weights" };
        let chosen = trained_of(&[damaged]).unwrap();
        assert!(chosen[0].fits(Game::NoGo, BoardSize::square(9).unwrap()));
        let error = NetFile::from_bytes(manifest, b"no weights").map(|_| ()).unwrap_err();
        assert!(matches!(error, WeightsError::Checksum { .. }), "{error}");
    }
}
