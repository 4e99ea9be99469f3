//! `tedomari run`: generations of self-play, training and matches.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde_json::json;

use super::progress::Bars;
use super::{play_match, print, print_json, stop, train};
use crate::app::generations::{Generations, Hands, Runner};
use crate::app::matches::{MatchSpec, PlayedMatch};
use crate::app::training::{TrainReport, TrainSpec};
use crate::config::Config;

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// End after so many stages
    #[arg(long)]
    stages: Option<u64>,
    /// End after so many minutes; what is under way is finished or goes on the next time
    #[arg(long)]
    minutes: Option<f64>,
    /// Tell what has been done and what is next, and do nothing
    #[arg(long)]
    status: bool,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

/// Does what is missing, stage by stage.
pub(super) fn run(args: &RunArgs, config: &Config) -> anyhow::Result<()> {
    let run = Generations::new(config)?;
    if !args.status {
        let stop = stop::flag(args.minutes)?;
        let hands = Here { config, stop: Arc::clone(&stop) };
        let runner = Runner { run: &run, hands: &hands, stop: &stop, display: &Bars };
        runner.go(args.stages.unwrap_or(u64::MAX))?;
    }
    let status = run.status()?;
    if args.json {
        return print_json(&json!(status));
    }
    let best = status.best.map_or_else(|| "none".to_owned(), |best| best.net.display().to_string());
    print(&format!(
        "{} of {} generations are done; best network: {best}; next: {}\n",
        status.generations.len(),
        status.planned,
        status.next,
    ))
}

/// Trains in a process of its own and plays in this one, until it is told to stop.
struct Here<'a> {
    config: &'a Config,
    stop: Arc<AtomicBool>,
}

impl Hands for Here<'_> {
    fn train(&self, spec: &TrainSpec) -> anyhow::Result<TrainReport> {
        train::in_process(spec, &self.config.log)
    }

    fn play(&self, spec: MatchSpec, out: &Path, config: &Config) -> anyhow::Result<PlayedMatch> {
        play_match(spec, out, config, &self.stop)
    }
}
