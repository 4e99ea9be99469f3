//! `tedomari selfplay`: games of the engine with itself, written as shards to learn from.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::progress::Bars;
use super::{print, print_json, stop};
use crate::app::pieces::Part;
use crate::app::progress::Surroundings;
use crate::app::selfplay::{SelfplayReport, SelfplaySpec, Target, selfplay};
use crate::config::Config;
use crate::selfplay::Stats;

#[derive(Debug, Args)]
pub(super) struct SelfplayArgs {
    /// The folder, or the URL of an object store, for the shards; those that are there already are not
    /// played again
    #[arg(long, value_name = "DIR")]
    out: String,
    /// Games to have in the end
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Games of a file
    #[arg(long, default_value_t = SelfplaySpec::GAMES_PER_FILE, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    games_per_file: u64,
    /// Evaluate by games played to the end, not by a network
    #[arg(long)]
    playouts: bool,
    /// Folders with earlier games to begin in
    #[arg(long, value_name = "DIR")]
    archive: Vec<PathBuf>,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Play a part of the games only: I/N plays every N-th file beginning with the I-th
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    part: Part,
    /// Stop after so many minutes
    #[arg(long)]
    minutes: Option<f64>,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

/// Plays what is missing.
pub(super) fn run(args: &SelfplayArgs, config: &Config) -> anyhow::Result<()> {
    let spec = SelfplaySpec {
        out: Target::open(&args.out, std::env::vars())?,
        games: args.games,
        games_per_file: args.games_per_file,
        playouts: args.playouts,
        archive: args.archive.clone(),
        seed: args.seed,
        part: args.part,
    };
    let stop = stop::flag(args.minutes)?;
    let report = selfplay(&spec, &Surroundings { config, stop: &stop, display: &Bars })?;
    if args.json {
        return print_json(&json!(report));
    }
    let SelfplayReport { seconds, games_per_hour, evaluations_per_second, .. } = report;
    let Stats { games, moves, rows, control, control_wrong, ended_early, .. } = report.stats;
    print(&format!(
        "{games} games, {moves} moves, {rows} positions to learn from in {seconds:.0} s: \
         {games_per_hour:.0} games an hour, {evaluations_per_second:.0} evaluations a second\n\
         {} files were there, {} are new\n\
         {control} games of the control group would have been resigned, {control_wrong} wrongly\n\
         {ended_early} searches ended early\n",
        report.files_found, report.files_written,
    ))
}
