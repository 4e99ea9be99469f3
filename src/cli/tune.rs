//! `tedomari tune`: settings found by games.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::progress::Bars;
use super::{print, print_json, stop};
use crate::app::matches::MatchSpec;
use crate::app::progress::Surroundings;
use crate::app::tune::{Report, TuneSpec, TunedRange, tune};
use crate::arena::{PlayerSpec, TimeControl};
use crate::config::Config;
use crate::game::{Komi, Rules};

#[derive(Debug, Args)]
pub(super) struct TuneArgs {
    /// A setting and where to look for it, once for each; the step, a twentieth of the range if it is left out, is
    /// how far the two players of the last iteration are from the middle
    #[arg(long = "tune", value_name = "KEY=LOW..HIGH[:STEP]", required = true)]
    ranges: Vec<TunedRange>,
    /// Who plays, as in `match`; the search begins at its settings
    #[arg(long, value_name = "PLAYER", default_value = "tedomari")]
    player: String,
    /// The folder for what was played; a search that is there already goes on
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Games in all
    #[arg(long, value_name = "NUMBER", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    games: u64,
    /// Games of an iteration, an even number
    #[arg(long, value_name = "NUMBER", default_value_t = 4, value_parser = clap::value_parser!(u64).range(2..=10_000))]
    games_each: u64,
    /// How far the settings would go, in steps, if all games said the same [default: 12 times the root of
    /// the number of iterations]
    #[arg(long, value_name = "STEPS")]
    reach: Option<f64>,
    /// Rules by name; with nogo the game is NoGo
    #[arg(long, value_name = "NAME")]
    rules: Option<Rules>,
    /// Points for White
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    komi: Option<f64>,
    /// Time of each player, as in `match`
    #[arg(long, value_name = "TIME", default_value = "none")]
    time: TimeControl,
    /// Openings, as in `match` [default: a few random plies]
    #[arg(long, value_name = "SOURCE")]
    openings: Option<String>,
    /// Games at the same time [default: as many as there are cores for]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Where random numbers start
    #[arg(long, value_name = "NUMBER", default_value_t = MatchSpec::SEED)]
    seed: u64,
    /// Stop after so many minutes; the same command goes on
    #[arg(long)]
    minutes: Option<f64>,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

/// Tunes, or goes on with it.
pub(super) fn run(args: &TuneArgs, config: &Config) -> anyhow::Result<()> {
    let is_far = |reach: f64| reach.is_finite() && reach > 0.0;
    anyhow::ensure!(args.reach.is_none_or(is_far), "--reach must be above 0");
    let player =
        PlayerSpec::read(&args.player).with_context(|| format!("in --player {}", args.player))?;
    let komi = args.komi.map(Komi::from_points).transpose().context("in --komi")?;
    let contest = MatchSpec {
        rules: args.rules,
        komi,
        time: args.time,
        openings: args.openings.clone(),
        concurrency: args.concurrency.map(usize::from),
        ..MatchSpec::of(Vec::new())
    };
    let spec = TuneSpec {
        ranges: args.ranges.clone(),
        player,
        contest,
        games: args.games,
        games_each: args.games_each,
        reach: args.reach,
        seed: args.seed,
    };
    let stop = stop::flag(args.minutes)?;
    let report = tune(&spec, &args.out, Surroundings { config, stop: &stop, display: &Bars })?;
    if args.json { print_json(&json!(report)) } else { print(&text(&report, args)) }
}

fn text(report: &Report, args: &TuneArgs) -> String {
    let width = report.settings.iter().map(|one| one.key.len()).max().unwrap_or(0).max(7);
    let mut text = format!(
        "{} of {} iterations, {} games\n\n{:width$}  {:>10} {:>10} {:>10} {:>10}\n",
        report.iterations, report.of, report.games, "setting", "start", "now", "found", "spread"
    );
    for one in &report.settings {
        let _ = writeln!(
            text,
            "{:width$}  {:>10} {:>10} {:>10} {:>10}",
            one.key,
            short(one.start),
            short(one.now),
            short(one.found),
            short(one.spread)
        );
    }
    let settings: Vec<_> =
        report.settings.iter().map(|one| format!("{}={}", one.key, short(one.found))).collect();
    let _ = writeln!(
        text,
        "\n{} shows how the settings moved. Whether they are better is for a match to say, with other openings; add the flags for \
         game, board, rules and komi:\n  \
         tedomari match --player \"name=new {} {}\" --player \"name=old {}\" --seed {} --out FOLDER",
        args.out.join("tune.svg").display(),
        args.player,
        settings.join(" "),
        args.player,
        args.seed.wrapping_add(1),
    );
    text
}

/// Four digits behind the point are more than games can tell.
fn short(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}
