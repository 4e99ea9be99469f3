//! Stop profiles: data, networks and thresholds that end searches early. Each step takes up what the one
//! before has left in a folder.

mod calibrate;
mod generate;
mod label;
mod make;
mod quality;
mod replay;
mod train;

pub use calibrate::{CalibrateSpec, calibrate};
pub use generate::{GenerateSpec, generate};
pub use label::{LabelSpec, label};
pub use make::{DEFAULT_GAMES, MakeSpec, make};
pub use replay::{ReplaySpec, replay};
pub use train::{TrainSpec, train};

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::evaluators;
use crate::config::Config;
use crate::nn::NetFile;
use crate::uncertainty::{
    NetEstimator, ProfileFiles, Split, State, TraceFile, asked_at_once, best_checkpoint, pruned,
};

/// What a step has to say, for people and for programs.
pub struct StepReport {
    /// For people.
    pub text: String,
    /// For programs.
    pub json: Value,
}

/// Where the data is, and where the networks and the profile go.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder with traces.
    pub traces: PathBuf,
    /// The folder for `NAME-state.safetensors`, `NAME-mcts.safetensors` and `NAME-stop.toml`.
    pub out: PathBuf,
    /// The name; that of the network if there is none.
    pub name: Option<String>,
}

/// A network with searches that were made with it.
struct Material {
    net: NetFile,
    files: ProfileFiles,
    simulations: usize,
    split: Split,
}

impl Place {
    fn material(&self, config: &Config) -> anyhow::Result<Material> {
        let net = evaluators::net_file(config)?;
        let traces = TraceFile::read_folder(&self.traces)?;
        ensure!(
            traces.net == net.manifest.sha256,
            "the traces in {} were made with the network {}, not with {} ({}): name the other by \
             --net, or make new traces",
            self.traces.display(),
            traces.net,
            net.manifest.name,
            net.manifest.sha256,
        );
        let split = Split::new(&traces, &config.uncertainty)
            .with_context(|| format!("in {}", self.traces.display()))?;
        let name = self.name.as_deref().unwrap_or(&net.manifest.name);
        let files = ProfileFiles::new(&self.out, name);
        let sizes = split.train.iter().map(|state| state.position.size());
        ensure!(
            sizes.clone().all(|size| size == config.game.size()),
            "the traces are of another board than game.board_size says: set it by --board"
        );
        for (part, list) in
            [("train", &split.train), ("calibrate", &split.calibration), ("test", &split.test)]
        {
            ensure!(
                !list.is_empty(),
                "{} games in {} are too few, none is left to {part} on: have {} or more by `tedomari \
                 uncertainty generate --games`",
                traces.games.len(),
                self.traces.display(),
                Split::fewest_games(&config.uncertainty).max(traces.games.len() + 1),
            );
        }
        Ok(Material { net, files, simulations: traces.simulations, split })
    }
}

impl Material {
    /// One of the networks, which must be there.
    fn estimator(&self, path: &Path) -> anyhow::Result<NetEstimator> {
        let net = NetFile::load(path).with_context(|| {
            format!("in {}: train it by `tedomari uncertainty train`", path.display())
        })?;
        let size = self.split.train[0].position.size();
        NetEstimator::of(&net, size).context("this is no uncertainty network")
    }

    /// The training states that State-UN leaves, the share of the certain ones that it takes away,
    /// and the checkpoint of equation 7 on the rest.
    fn pruned(&self, at_once: &NetEstimator, config: &Config) -> (Vec<&State>, f64, usize) {
        let params = &config.uncertainty;
        let said = asked_at_once(&self.split.train, at_once);
        let (kept, share) = pruned(&self.split.train, &said, params);
        let minima: Vec<_> =
            kept.iter().map(|state| state.labels.minimum(params.epsilon)).collect();
        // T(s, n) needs a few simulations to be about something.
        let n = best_checkpoint(&minima, self.simulations).max(self.simulations.div_ceil(20));
        (kept, share, n)
    }
}
