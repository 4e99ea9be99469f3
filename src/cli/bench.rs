//! `tedomari bench`: how fast the search is, and whether it still does the same.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::{print, print_json};
use crate::config::Config;
use crate::eval::{Evaluator, UniformEvaluator};
use crate::game::Position;
use crate::playout::PlayoutEvaluator;
use crate::search::{Request, Search, SearchParams, signature};
use crate::timeman::{SimulationLimit, StopRule, TimeLimit};
use crate::util::Seed;

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Print the signature of the search instead of its speed
    #[arg(long)]
    signature: bool,
    /// Seconds to measure
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    seconds: f64,
    /// Simulations to do, however long they take
    #[arg(long)]
    simulations: Option<u64>,
    /// Threads to search with, 0 for as many as there are cores
    #[arg(long)]
    threads: Option<usize>,
    /// Evaluate by games played to the end, not by an evaluator that costs nothing
    #[arg(long)]
    playouts: bool,
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

/// Measures the search on the empty board of the configured game.
pub(super) fn run(args: &BenchArgs, config: &Config) -> anyhow::Result<()> {
    if args.signature {
        let signature = format!("{:016x}", signature()?);
        return if args.json {
            print_json(&json!({ "signature": signature }))
        } else {
            print(&format!("{signature}\n"))
        };
    }
    let game = &config.game;
    let position = Position::new(game.size(), game.rules(), game.komi());
    let seed = Seed::new(config.search.seed);
    let threads = args.threads.unwrap_or(config.search.threads);
    let (evaluator, params) = if args.playouts {
        let playouts = PlayoutEvaluator::with(config.playout.clone(), seed.fork("playouts", 0));
        (Arc::new(playouts) as Arc<dyn Evaluator>, config.search.clone())
    } else {
        let formula = "puct".to_owned();
        (
            Arc::new(UniformEvaluator) as Arc<dyn Evaluator>,
            SearchParams { formula, ..config.search.clone() },
        )
    };
    let params = SearchParams { threads, ..params };
    let threads = params.thread_count();
    let mut search = Search::new(evaluator, params, seed.fork("search", 0));
    #[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
    let start = Instant::now();
    let time = TimeLimit(Duration::from_secs_f64(args.seconds));
    let mut limit: Box<dyn StopRule> = match args.simulations {
        Some(simulations) => Box::new(SimulationLimit(simulations)),
        None => Box::new(time),
    };
    let report = search.run(&position, Request::new(limit.as_mut(), &|| start.elapsed()))?;
    let per_second = report.simulations as f64 / report.elapsed.as_secs_f64();
    let evaluator = if args.playouts {
        format!("{} playouts", config.playout.policy)
    } else {
        "a free evaluator".to_owned()
    };
    if args.json {
        print_json(&json!({
            "game": game.kind,
            "board": game.size().to_string(),
            "evaluator": evaluator,
            "threads": threads,
            "seconds": report.elapsed.as_secs_f64(),
            "simulations": report.simulations,
            "simulations_per_second": per_second,
            "nodes": report.nodes,
            "memory": report.memory,
            "full": report.full,
        }))
    } else {
        print(&format!(
            "{} {}: {per_second:.0} simulations/s with {evaluator}, {threads} threads, {:.1} s, \
             tree of {} MiB{}\n",
            game.kind,
            game.size(),
            report.elapsed.as_secs_f64(),
            report.memory >> 20,
            if report.full { ", full" } else { "" },
        ))
    }
}
