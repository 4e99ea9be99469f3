//! Training of networks on shards.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

use super::evaluators;
use super::import::HOLDOUT;
use crate::nn::{NetShape, Network, Tensors, random_weights};
use crate::record::{Shard, ShardError, Window, WindowParams, shard_files};
use crate::train::{Control, Event, Job, Newer, Summary, TrainParams, train};
use crate::util::{Params as _, Seed, make_folder};

/// A network to be trained.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainSpec {
    /// Folders of shards, or shards, oldest first; the games in FOLDER/holdout are held out.
    pub data: Vec<PathBuf>,
    /// Folder for checkpoints, log and network; a training that is there goes on.
    pub out: PathBuf,
    /// Blocks and filters; if there are none, 6x64 or as in the network to start from.
    pub shape: Option<NetShape>,
    /// The network to start from.
    pub init: Option<String>,
    /// Name of the network; else that of the folder.
    pub name: Option<String>,
    /// Whether to train on the newest rows alone, as many as KataGo's formula gives.
    pub window: bool,
    /// Whether to take in shards that come to the folders while it trains.
    pub follow: bool,
    /// End after so many minutes, with a checkpoint.
    pub minutes: Option<f64>,
    /// How it is trained.
    pub params: TrainParams,
}

/// How a training ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrainReport {
    /// The network.
    pub file: PathBuf,
    /// Steps done in all.
    pub step: u64,
    /// Positions trained on in all.
    pub samples: u64,
    /// Positions for each second of this time.
    pub samples_per_second: f64,
    /// Whether all steps are done.
    pub finished: bool,
}

/// Who is told how a training goes.
pub trait TrainAudience {
    /// It begins.
    fn begin(&mut self, job: &Job<'_>);
    /// Something happens.
    fn see(&mut self, event: &Event<'_>);
}

/// Trains until all steps are done, or it is told to stop. The process must compute as
/// [`for_training`](crate::cli::restart::for_training) has it, or half of the speed is lost.
pub fn run(
    spec: &TrainSpec,
    stop: &AtomicBool,
    audience: &mut dyn TrainAudience,
) -> anyhow::Result<TrainReport> {
    spec.params.check()?;
    let (shape, start, origin) = spec.start()?;
    let (data, held_out) = spec.windows()?;
    let name = spec.net_name()?;
    let limit = spec.minutes.map(|minutes| Duration::try_from_secs_f64(60.0 * minutes));
    let limit = limit.transpose().context("in --minutes")?;
    make_folder(&spec.out).with_context(|| format!("cannot make {}", spec.out.display()))?;
    let newer = |data: &Window| spec.newer(data);
    let job = Job {
        newer: spec.follow.then_some(&newer as &Newer<'_>),
        folder: spec.out.clone(),
        name,
        shape,
        start,
        origin,
        data: &data,
        held_out: &held_out,
        params: spec.params.clone(),
    };
    #[expect(clippy::disallowed_methods, reason = "a training has a limit of real time")]
    let began = Instant::now();
    audience.begin(&job);
    let mut control = Control {
        clock: &|| began.elapsed(),
        stop,
        limit,
        observe: &mut |event| audience.see(event),
    };
    let Summary { step, samples, speed, finished, file } = train(&job, &mut control)?;
    Ok(TrainReport { file, step, samples, samples_per_second: speed, finished })
}

impl TrainSpec {
    /// Shape and weights to start from, and where these come from.
    fn start(&self) -> anyhow::Result<(NetShape, Tensors, String)> {
        if let Some(path) = &self.init {
            let Network::Own(net) = evaluators::load(path)? else {
                bail!("{path} is one of KataGo's networks, which cannot be trained on");
            };
            let shape = net.manifest.shape;
            if let Some(wanted) = self.shape.filter(|wanted| *wanted != shape) {
                bail!("{path} is a {shape} network, not a {wanted} one: leave --shape out");
            }
            let checksum: String = net.manifest.sha256.chars().take(12).collect();
            let origin = format!("started from {} ({checksum})", net.manifest.name);
            return Ok((shape, net.weights, origin));
        }
        let shape = self.shape.unwrap_or(NetShape::new(6, 64));
        let weights = random_weights(&shape, Seed::new(self.params.seed));
        Ok((shape, weights, "started from random weights".to_owned()))
    }

    /// The games to train on and those that are held out.
    fn windows(&self) -> anyhow::Result<(Window, Window)> {
        let mut held_out = Vec::new();
        for path in &self.data {
            let folder = path.join(HOLDOUT);
            if folder.is_dir() {
                held_out.extend(shard_files(&folder)?);
            }
        }
        let files = self.files()?;
        if files.is_empty() {
            bail!("there are no shards in {}", self.data[0].display());
        }
        let data = Window::open(&files, self.newest().as_ref())?;
        Ok((data, Window::open(&held_out, None)?))
    }

    fn files(&self) -> Result<Vec<PathBuf>, ShardError> {
        let files = self.data.iter().map(|path| shard_files(path));
        Ok(files.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn newest(&self) -> Option<WindowParams> {
        self.window.then(WindowParams::default)
    }

    /// The games with those of shards that have come since they were read.
    fn newer(&self, data: &Window) -> Result<Option<Window>, ShardError> {
        let known: HashSet<_> = data.files().collect();
        let mut files = self.files()?;
        files.retain(|file| !known.contains(file.as_path()));
        if files.is_empty() {
            return Ok(None);
        }
        let shards = files.iter().map(|file| Shard::read(file)).collect::<Result<Vec<_>, _>>()?;
        data.with(shards, self.newest().as_ref()).map(Some)
    }

    fn net_name(&self) -> anyhow::Result<String> {
        if let Some(name) = &self.name {
            ensure!(
                !name.is_empty() && !name.contains(['/', '\\']),
                "'{name}' is no name of a network"
            );
            return Ok(name.clone());
        }
        let folder = self.out.file_name().context("--out names no folder: give --name as well")?;
        Ok(folder.to_string_lossy().into_owned())
    }
}
