//! Generations of self-play, training and matches, one stage after the other.

mod stages;

use std::path::Path;

use anyhow::{Context, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tracing::info;

pub use stages::{Hands, Runner};

use crate::config::Config;
use crate::run::{Best, Gate, Plan, RunParams, Stage};
use crate::util::{make_folder, read_limited, write_atomically};

/// Bytes that a file of a run may have.
const MAX_JSON: usize = 256 << 20;

/// A run of generations in its folder.
pub struct Generations<'a> {
    params: &'a RunParams,
    config: &'a Config,
    plan: Plan,
}

impl<'a> Generations<'a> {
    /// The run that the configuration describes.
    pub fn new(config: &'a Config) -> anyhow::Result<Self> {
        let params = &config.run;
        ensure!(
            !params.name.is_empty() && !params.name.contains(['/', '\\']),
            "run.name is '{}', which is no name of a network",
            params.name
        );
        let plan = Plan::new(params).context("in run.schedule")?;
        Ok(Self { params, config, plan })
    }

    /// Writes the settings into a new folder, and compares them with those of an old one.
    fn begin(&self) -> anyhow::Result<()> {
        let path = self.plan.folder.settings();
        let folder = Path::new(&self.params.folder);
        make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let text = self.config.to_documented_toml();
        if !path.exists() {
            return write_atomically(&path, text.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()));
        }
        let old = Config::load(&path).with_context(|| format!("in {}", path.display()))?;
        for (key, (before, now)) in differences(&old, self.config) {
            let fixed = ["run.shape", "run.name", "game.kind", "game.board_size"];
            ensure!(
                !fixed.contains(&key.as_str()),
                "{} was begun with {key} = {before}, not {now}: name another run.folder",
                folder.display()
            );
            info!(key, before, now, "changed since the run was begun");
        }
        Ok(())
    }

    /// Tells how far the run is.
    pub fn status(&self) -> anyhow::Result<Status> {
        let (folder, next) = (&self.plan.folder, self.plan.next());
        let mut generations = Vec::new();
        for generation in 0..=self.plan.generations() {
            if folder.done(generation).exists() {
                let gate = read_json(&folder.gate(generation))?;
                generations.push(Passed { generation, gate });
            }
        }
        Ok(Status {
            folder: self.params.folder.clone(),
            best: self.best()?,
            generations,
            next: next.to_string(),
            over: next == Stage::Over,
            planned: self.plan.generations() + 1,
        })
    }

    fn best(&self) -> anyhow::Result<Option<Best>> {
        let path = self.plan.folder.best();
        path.exists().then(|| read_json(&path)).transpose()
    }
}

/// How far a run is.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Its folder.
    pub folder: String,
    /// The best network so far.
    pub best: Option<Best>,
    /// The generations that are done.
    pub generations: Vec<Passed>,
    /// What is next, in words.
    pub next: String,
    /// Whether nothing is.
    pub over: bool,
    /// Generations that there are to be.
    #[serde(skip)]
    pub planned: u64,
}

/// A generation that is done.
#[derive(Clone, Debug, Serialize)]
pub struct Passed {
    /// Its number.
    pub generation: u64,
    /// What its matches have shown.
    pub gate: Gate,
}

/// Keys whose values differ, with both values.
fn differences(old: &Config, new: &Config) -> Vec<(String, (String, String))> {
    let both = old.entries().into_iter().zip(new.entries());
    both.filter(|(old, new)| old != new)
        .map(|((key, old), (_, new))| (key, (old.to_string(), new.to_string())))
        .collect()
}

fn read_json<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let bytes = read_limited(path, MAX_JSON)?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", path.display()))
}
