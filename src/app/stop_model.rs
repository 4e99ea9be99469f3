//! What ends the searches of an engine early: the stop profile that fits its network.

use std::path::Path;
use std::sync::Arc;

use tracing::{debug, warn};

use super::evaluators;
use crate::config::Config;
use crate::nn::Network;
use crate::search::StopModel;
use crate::uncertainty::{BuiltInProfiles, ProfileFiles};

/// The stop profile that is named, the one beside the network, or those that are built in with the
/// built-in networks. One that cannot be used is no
/// reason not to play: searches then take all their time.
#[must_use]
pub fn make(config: &Config) -> Option<Arc<dyn StopModel>> {
    let net = Path::new(&config.net.path);
    let named = &config.time.stop_profile;
    if named.is_empty()
        && let Some(nets) = evaluators::built_in_nets(config)
    {
        return Some(Arc::new(BuiltInProfiles::new(nets)));
    }
    let files = match named.as_str() {
        "" => ProfileFiles::beside(net),
        path => ProfileFiles::named(Path::new(path)),
    };
    if named.is_empty() && !files.profile.is_file() {
        return None;
    }
    match load(config, &files) {
        Ok(stop_model) => {
            debug!(profile = %files.profile.display(), "stop profile");
            Some(stop_model)
        }
        Err(error) => {
            let profile = files.profile.display();
            warn!(%profile, "no early stopping: {error:#}");
            None
        }
    }
}

fn load(config: &Config, files: &ProfileFiles) -> anyhow::Result<Arc<dyn StopModel>> {
    let sha256 = match config.net.path.as_str() {
        "" => evaluators::net_file(config)?.manifest.sha256,
        path => Network::load(path)?.sha256().to_owned(),
    };
    Ok(Arc::new(files.load(&sha256)?))
}
