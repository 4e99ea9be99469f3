//! Stop profiles that are part of the program.

use std::sync::{Arc, Mutex, PoisonError};

use tracing::warn;

use super::profile::{ProfileError, StopProfile, Stopper};
use crate::game::Position;
use crate::nn::{Manifest, NetFile};
use crate::search::StopModel;
use crate::timeman::StopRule;

/// A profile inside the program: the contents of its files.
struct BuiltIn {
    name: &'static str,
    profile: &'static str,
    state: [&'static [u8]; 2],
    mcts: [&'static [u8]; 2],
}

macro_rules! built_in {
    ($name:literal) => {
        BuiltIn {
            name: $name,
            profile: include_str!(concat!("../../weights/", $name, "-stop.toml")),
            state: [
                include_bytes!(concat!("../../weights/", $name, "-state.toml")),
                include_bytes!(concat!("../../weights/", $name, "-state.safetensors")),
            ],
            mcts: [
                include_bytes!(concat!("../../weights/", $name, "-mcts.toml")),
                include_bytes!(concat!("../../weights/", $name, "-mcts.safetensors")),
            ],
        }
    };
}

const ALL: &[BuiltIn] = &[built_in!("nogo9"), built_in!("nogo9small")];

impl BuiltIn {
    /// For the network with a checksum.
    fn load(&self, net: &str) -> Result<Stopper, ProfileError> {
        let load = |[manifest, weights]: [&[u8]; 2]| NetFile::from_bytes(manifest, weights);
        let profile = StopProfile::from_text(self.profile)?;
        Stopper::new(profile, &load(self.state)?, &load(self.mcts)?, net)
    }
}

/// The built-in profiles of built-in networks, each read when a position first asks for it: most programs
/// that start an engine ask for its name first, and want it at once.
pub struct BuiltInProfiles {
    /// The networks, the first that fits a position is the one that plays.
    nets: Vec<Manifest>,
    /// What was read so far, by the name of the network; none where there is nothing to be used.
    read: Mutex<Vec<(String, Option<Arc<Stopper>>)>>,
}

impl BuiltInProfiles {
    /// The profiles for an engine that plays with these networks.
    #[must_use]
    pub fn new(nets: Vec<Manifest>) -> Self {
        Self { nets, read: Mutex::default() }
    }

    fn stopper(&self, net: &Manifest) -> Option<Arc<Stopper>> {
        // A panic elsewhere cannot leave the list half written.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, stopper)) = read.iter().find(|(name, _)| *name == net.name) {
            return stopper.clone();
        }
        let profile = ALL.iter().find(|profile| profile.name == net.name);
        let loaded = profile.and_then(|profile| match profile.load(&net.sha256) {
            Ok(stopper) => Some(Arc::new(stopper)),
            Err(error) => {
                warn!(profile = profile.name, "no early stopping: {error}");
                None
            }
        });
        read.push((net.name.clone(), loaded.clone()));
        loaded
    }
}

impl StopModel for BuiltInProfiles {
    fn rule(&self, position: &Position) -> Option<Box<dyn StopRule>> {
        let game = position.rules().game;
        let net = self.nets.iter().find(|net| net.fits(game, position.size()))?;
        self.stopper(net)?.rule(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Komi, Rules};
    use crate::nn::builtin;

    #[test]
    fn every_profile_fits_its_network() {
        for profile in ALL {
            let net = builtin::named(profile.name).unwrap().manifest;
            profile.load(&net.sha256).map(|_| ()).unwrap();
            let foreign = profile.load("another");
            assert!(matches!(foreign, Err(ProfileError::Foreign { .. })), "{}", profile.name);
        }
    }

    #[test]
    fn searches_end_early_where_a_network_has_a_profile() {
        let profiles = BuiltInProfiles::new(builtin::trained().unwrap());
        let known = |side, rules| {
            let size = BoardSize::square(side).unwrap();
            profiles.rule(&Position::new(size, rules, Komi::default())).is_some()
        };
        assert!(known(9, Rules::NOGO));
        assert!(!known(9, Rules::CHINESE) && !known(7, Rules::NOGO));
    }
}
