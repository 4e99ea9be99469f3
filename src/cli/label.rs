//! `tedomari record label`: shards with what a teacher says of positions.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::progress::Bars;
use super::record::share;
use super::{print, print_json, stop};
use crate::app::label::{self, LabelSpec, Labelled};
use crate::app::pieces::Part;
use crate::app::progress::Surroundings;
use crate::config::Config;
use crate::record::LabelParams;

#[derive(Debug, Args)]
pub(super) struct LabelArgs {
    /// Shards, or folders of them; the games in FOLDER/holdout are held out
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The network that teaches: NAME.safetensors, one of KataGo's files, or builtin:NAME
    #[arg(long)]
    teacher: String,
    /// Folder for the shards; those that are there already are not made again
    #[arg(long)]
    out: PathBuf,
    /// Positions of each game that is written, spread over it
    #[arg(long)]
    positions: Option<usize>,
    /// How often each game is written, each time otherwise
    #[arg(long)]
    variants: Option<u64>,
    /// Share of the games that are written under other rules, and of those with another komi
    #[arg(long)]
    varied: Option<f64>,
    /// Mean distance of such a komi in points
    #[arg(long)]
    komi_spread: Option<f64>,
    /// Share of the games that are left by some random moves, after which the teacher goes on
    #[arg(long)]
    wander: Option<f64>,
    /// Share of the games that begin with handicap stones
    #[arg(long)]
    handicap: Option<f64>,
    /// Share of the games that the teacher plays on from their last position
    #[arg(long)]
    play_on: Option<f64>,
    /// Share of the games that goes to OUT/holdout, of folders that hold none out themselves
    #[arg(long, default_value_t = LabelSpec::HOLDOUT, value_parser = share)]
    holdout: f64,
    /// Games of a file
    #[arg(long, default_value_t = LabelSpec::GAMES_PER_FILE, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games_per_file: u32,
    /// Label a part of the files only, the I-th of N
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    part: Part,
    /// Threads, 0 for as many as there are cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop after so many minutes
    #[arg(long)]
    minutes: Option<f64>,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

impl LabelArgs {
    /// The settings with what was given.
    fn params(&self, config: &Config) -> LabelParams {
        let mut params = config.label.clone();
        params.positions = self.positions.unwrap_or(params.positions);
        params.variants = self.variants.unwrap_or(params.variants);
        params.varied = self.varied.unwrap_or(params.varied);
        params.komi_spread = self.komi_spread.unwrap_or(params.komi_spread);
        params.wander = self.wander.unwrap_or(params.wander);
        params.handicap = self.handicap.unwrap_or(params.handicap);
        params.play_on = self.play_on.unwrap_or(params.play_on);
        params
    }
}

/// Labels what is missing.
pub(super) fn run(args: &LabelArgs, config: &Config) -> anyhow::Result<()> {
    let spec = LabelSpec {
        files: args.files.clone(),
        teacher: args.teacher.clone(),
        out: args.out.clone(),
        params: args.params(config),
        holdout: args.holdout,
        games_per_file: args.games_per_file,
        part: args.part,
        threads: args.threads,
        seed: args.seed,
    };
    let stop = stop::flag(args.minutes)?;
    let labelled = label::label(&spec, &Surroundings { config, stop: &stop, display: &Bars })?;
    if args.json {
        return print_json(&json!(labelled));
    }
    let Labelled { files, files_found, files_written, labels, seconds, .. } = labelled;
    let end = if labelled.finished { "done" } else { "to be continued by the same command" };
    print(&format!(
        "{}: {labels} labels in {seconds:.0} s, {:.0} labels/s; of {files} files {files_found} were there, \
         {files_written} are new, {end}\n",
        labelled.out.display(),
        labelled.labels_per_second,
    ))
}
