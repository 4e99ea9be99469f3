//! `tedomari bench`: how fast the search is with which settings, and whether it still does the same.

use std::fmt::Write as _;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::{print, print_json};
use crate::app::bench::{BenchSpec, Measured, Measurement, Setting, measure};
use crate::config::Config;
use crate::search::signature;

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Print the signature of the search instead of its speed
    #[arg(long)]
    signature: bool,
    /// Seconds of each search
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// Simulations of each search, however long they take
    #[arg(long, conflicts_with = "seconds")]
    simulations: Option<u64>,
    /// Threads to search with, 0 for as many as there are cores [default: 1, 2, 4, ... and as many as there are cores]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: Vec<u16>,
    /// Positions that a thread sends to the evaluator at a time [default: 1, 4 and 8]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1024))]
    batch: Vec<u16>,
    /// Searches with each setting, in turns: the median counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Measure the tree alone, with an evaluator that costs nothing
    #[arg(long)]
    free: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.01..=3600.0).contains(&seconds) {
        Ok(seconds)
    } else {
        Err("allowed is 0.01 to 3600".to_owned())
    }
}

/// Measures the search on the empty board of the configured game, with the evaluator that would be played with.
pub(super) fn run(args: &BenchArgs, config: &Config) -> anyhow::Result<()> {
    if args.signature {
        let signature = format!("{:016x}", signature()?);
        return if args.json {
            print_json(&json!({ "signature": signature }))
        } else {
            print(&format!("{signature}\n"))
        };
    }
    let spec = BenchSpec {
        time: Duration::from_secs_f64(args.seconds),
        simulations: args.simulations,
        threads: args.threads.iter().copied().map(usize::from).collect(),
        batches: args.batch.iter().copied().map(usize::from).collect(),
        rounds: args.rounds,
        free: args.free,
    };
    let found = measure(&spec, config)?;
    if args.json { print_json(&object(&found, config)) } else { print(&text(&found, config)) }
}

fn text(found: &Measurement, config: &Config) -> String {
    let game = &config.game;
    let mut text = format!("{} {} with {}\n", game.kind.key(), game.size(), found.evaluator);
    text += "threads  batch  simulations/s  tree\n";
    for setting in &found.settings {
        let Setting { threads, batch, .. } = setting;
        let Measured { simulations_per_second: speed, memory, full, .. } = setting.median();
        let full = if full { ", full" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{threads:7}  {batch:5}  {speed:13.0}  {} MiB{full}", memory >> 20);
    }
    let Setting { threads, batch, .. } = found.advice();
    if found.settings.len() > 1 {
        let _ = writeln!(text, "use --set search.threads={threads} --set search.batch={batch}");
    }
    text
}

fn object(found: &Measurement, config: &Config) -> serde_json::Value {
    let game = &config.game;
    let shown = |setting: &Setting| {
        let Setting { threads, batch, searches } = setting;
        let speed = setting.median().simulations_per_second;
        json!({
            "threads": threads,
            "batch": batch,
            "simulations_per_second": speed,
            "searches": searches,
        })
    };
    let Setting { threads, batch, .. } = found.advice();
    json!({
        "game": game.kind,
        "board": game.size().to_string(),
        "evaluator": found.evaluator,
        "settings": found.settings.iter().map(shown).collect::<Vec<_>>(),
        "use": { "threads": threads, "batch": batch },
    })
}
