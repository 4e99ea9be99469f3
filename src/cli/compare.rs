//! `tedomari net compare`: how far a network is from its teacher.

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::progress::Bars;
use super::{print, print_json, stop};
use crate::app::compare::{CompareSpec, Comparison, compare};
use crate::app::progress::Surroundings;
use crate::config::Config;
use crate::game::BoardSize;

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The network: NAME.safetensors, one of KataGo's files, or builtin:NAME
    student: String,
    /// Shards, or folders of them, with games to take positions from
    files: Vec<PathBuf>,
    /// The network that it is compared with
    #[arg(long)]
    teacher: String,
    /// Positions to take from the games
    #[arg(long, default_value_t = 2000)]
    positions: u64,
    /// Odd positions to make: handicap, komi from -20 to 30, and settled boards in turn
    #[arg(long, default_value_t = 0)]
    odd: u64,
    /// Sides of the boards of odd positions, A-B
    #[arg(long, default_value = "9-19", value_parser = sides)]
    sides: RangeInclusive<usize>,
    /// Threads, 0 for as many as there are cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Reads `A-B`, or a single side.
fn sides(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let side = |text: &str| text.trim().parse::<usize>().ok();
    let known = BoardSize::MIN..=BoardSize::MAX;
    match side(from).zip(side(to)) {
        Some((from, to)) if from <= to && known.contains(&from) && known.contains(&to) => {
            Ok(from..=to)
        }
        _ => Err(format!("write A-B with {} <= A <= B <= {}", BoardSize::MIN, BoardSize::MAX)),
    }
}

pub(super) fn run(args: &CompareArgs, config: &Config) -> anyhow::Result<()> {
    let spec = CompareSpec {
        student: args.student.clone(),
        teacher: args.teacher.clone(),
        files: args.files.clone(),
        positions: args.positions,
        odd: args.odd,
        sides: args.sides.clone(),
        threads: args.threads,
        seed: args.seed,
    };
    let stop = stop::flag(None)?;
    let found = compare(&spec, &Surroundings { config, stop: &stop, display: &Bars })?;
    if !args.json {
        return print(&text(&found));
    }
    let handicaps = found.handicaps.iter().map(|found| {
        json!({
            "board": found.size.to_string(),
            "stones": found.stones,
            "student": found.student,
            "teacher": found.teacher,
        })
    });
    let groups = found.groups.iter().map(|(name, group)| ((*name).to_owned(), group.to_json()));
    print_json(&json!({
        "student": args.student,
        "teacher": args.teacher,
        "groups": groups.collect::<serde_json::Map<_, _>>(),
        "handicaps": handicaps.collect::<Vec<_>>(),
    }))
}

fn text(found: &Comparison) -> String {
    let mut text = format!(
        "{:10} {:>9}  {:>17}  {:>10}  {:>20}  {:>6}  {:>6}\n",
        "positions",
        "number",
        "win rate apart",
        "first move",
        "cross entropy (own)",
        "points",
        "owners"
    );
    let known =
        |mean: Option<f64>| mean.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.3}"));
    for (name, group) in &found.groups {
        let ((win_rate, error), (cross, own)) = (group.win_rate(), group.entropies());
        let _ = writeln!(
            text,
            "{name:10} {:>9}  {win_rate:>8.4} ± {error:.4}  {:>8.1} %  {cross:>11.3} ({own:.3})  {:>6}  {:>6}",
            group.positions,
            100.0 * group.first_move(),
            known(group.lead()),
            known(group.owners()),
        );
    }
    for found in &found.handicaps {
        let _ = writeln!(
            text,
            "{} stones on {}: White wins {:.2} %, as the teacher says {:.2} %",
            found.stones,
            found.size,
            100.0 * found.student,
            100.0 * found.teacher,
        );
    }
    text
}
