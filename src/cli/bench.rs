//! `tedomari bench`: how fast the search is with which settings, and whether it still does the same.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::{print, print_json};
use crate::app::evaluators;
use crate::config::Config;
use crate::eval::{Evaluator, UniformEvaluator};
use crate::game::Position;
use crate::nn::NetParams;
use crate::search::{Request, Search, SearchParams, Selection, signature};
use crate::timeman::SimulationLimit;
use crate::util::{Seed, threads_or_cores};

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
    let bench = Bench::new(args, config)?;
    let mut settings: Vec<_> = args
        .settings()
        .into_iter()
        .map(|(threads, batch)| Setting { threads, batch, searches: Vec::new() })
        .collect();
    for _ in 0..args.rounds {
        for setting in &mut settings {
            setting.searches.push(bench.search(setting)?);
        }
    }
    let advice = advice(&settings);
    if args.json { bench.print_json(&settings, advice) } else { bench.print(&settings, advice) }
}

impl BenchArgs {
    /// Threads and batches to be measured.
    fn settings(&self) -> Vec<(usize, usize)> {
        let cores = threads_or_cores(0);
        let mut threads: Vec<_> =
            self.threads.iter().map(|&n| threads_or_cores(n.into())).collect();
        if threads.is_empty() {
            threads = (0..16).map(|k| 1 << k).filter(|&n| n < cores).chain([cores]).collect();
        }
        let batches: Vec<usize> = match self.batch.as_slice() {
            [] if self.free => vec![1],
            [] => vec![1, 4, 8],
            batches => batches.iter().map(|&batch| batch.into()).collect(),
        };
        let with = |threads| batches.iter().map(move |&batch| (threads, batch));
        threads.into_iter().flat_map(with).collect()
    }
}

/// What is measured.
struct Bench<'a> {
    args: &'a BenchArgs,
    config: &'a Config,
    name: String,
    evaluator: Arc<dyn Evaluator>,
    params: SearchParams,
}

/// Threads and a batch, with the searches that they did.
struct Setting {
    threads: usize,
    batch: usize,
    searches: Vec<Measured>,
}

/// One search.
#[derive(Clone, Copy, Serialize)]
struct Measured {
    simulations_per_second: f64,
    seconds: f64,
    simulations: u64,
    nodes: u64,
    memory: u64,
    full: bool,
}

impl<'a> Bench<'a> {
    fn new(args: &'a BenchArgs, config: &'a Config) -> anyhow::Result<Self> {
        let params = config.engine().search;
        if args.free {
            let params = SearchParams { formula: Selection::Puct, ..params };
            let name = "a free evaluator".to_owned();
            return Ok(Self { args, config, name, evaluator: Arc::new(UniformEvaluator), params });
        }
        // One that remembers would answer the second search from the first.
        let net = NetParams { cache_mb: 0, ..config.net.clone() };
        let evaluator = evaluators::make(&Config { net, ..config.clone() })?;
        Ok(Self { args, config, name: evaluators::name(config), evaluator, params })
    }

    /// One search, by an evaluator that remembers nothing of those before.
    fn search(&self, setting: &Setting) -> anyhow::Result<Measured> {
        let game = &self.config.game;
        let position = Position::new(game.size(), game.rules(), game.komi());
        let seed = Seed::new(self.params.seed);
        let Setting { threads, batch, .. } = *setting;
        let params = SearchParams { threads, batch, ..self.params.clone() };
        let mut search = Search::new(Arc::clone(&self.evaluator), params, seed.fork("search", 0));
        self.evaluator.begin_game(seed.fork("playouts", 0));
        #[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
        let start = Instant::now();
        let elapsed = || start.elapsed();
        let mut rule = SimulationLimit(u64::MAX);
        let simulations = self.args.simulations;
        let deadline = Duration::from_secs_f64(self.args.seconds);
        let request = Request {
            simulations,
            deadline: simulations.is_none().then_some(deadline),
            ..Request::new(&mut rule, &elapsed)
        };
        let report = search.run(&position, request)?;
        let seconds = report.elapsed.as_secs_f64();
        Ok(Measured {
            simulations_per_second: report.simulations as f64 / seconds,
            seconds,
            simulations: report.simulations,
            nodes: report.nodes,
            memory: report.memory,
            full: report.full,
        })
    }

    fn print(&self, settings: &[Setting], advice: &Setting) -> anyhow::Result<()> {
        let game = &self.config.game;
        let mut text = format!("{} {} with {}\n", game.kind.key(), game.size(), self.name);
        text += "threads  batch  simulations/s  tree\n";
        for setting in settings {
            let Setting { threads, batch, .. } = setting;
            let Measured { simulations_per_second: speed, memory, full, .. } = setting.median();
            let full = if full { ", full" } else { "" };
            writeln!(text, "{threads:7}  {batch:5}  {speed:13.0}  {} MiB{full}", memory >> 20)?;
        }
        let Setting { threads, batch, .. } = advice;
        if settings.len() > 1 {
            writeln!(text, "use --set search.threads={threads} --set search.batch={batch}")?;
        }
        print(&text)
    }

    fn print_json(&self, settings: &[Setting], advice: &Setting) -> anyhow::Result<()> {
        let game = &self.config.game;
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
        print_json(&json!({
            "game": game.kind,
            "board": game.size().to_string(),
            "evaluator": self.name,
            "settings": settings.iter().map(shown).collect::<Vec<_>>(),
            "use": { "threads": advice.threads, "batch": advice.batch },
        }))
    }
}

impl Setting {
    /// The search in the middle.
    fn median(&self) -> Measured {
        let mut sorted = self.searches.clone();
        sorted.sort_by(|a, b| a.simulations_per_second.total_cmp(&b.simulations_per_second));
        sorted[sorted.len() / 2]
    }
}

/// Speed that is given up for fewer simulations at the same time: those know less of each other.
const GIVEN_UP: f64 = 0.05;

/// The setting to use: the one with the fewest simulations at the same time that is nearly as fast as the
/// fastest.
fn advice(settings: &[Setting]) -> &Setting {
    let speed = |setting: &Setting| setting.median().simulations_per_second;
    let fastest = settings.iter().map(speed).fold(0.0, f64::max);
    settings
        .iter()
        .filter(|setting| speed(setting) >= (1.0 - GIVEN_UP) * fastest)
        .min_by_key(|setting| (setting.threads * setting.batch, setting.batch))
        .expect("invariant: the fastest is as fast as itself")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(threads: usize, batch: usize, speeds: &[f64]) -> Setting {
        let measured = |&simulations_per_second| Measured {
            simulations_per_second,
            seconds: 1.0,
            simulations: 1,
            nodes: 1,
            memory: 0,
            full: false,
        };
        Setting { threads, batch, searches: speeds.iter().map(measured).collect() }
    }

    #[test]
    fn two_threads_that_are_slower_than_one_are_not_advised() {
        let advised = |two: [f64; 3]| {
            let settings = [setting(1, 1, &[9.0, 590.0, 1000.0]), setting(2, 1, &two)];
            advice(&settings).threads
        };
        assert_eq!(advised([373.0, 410.0, 2000.0]), 1);
        assert_eq!(advised([600.0, 610.0, 620.0]), 1, "hardly faster");
        assert_eq!(advised([900.0, 1000.0, 1100.0]), 2);
        let batches =
            [setting(1, 8, &[1030.0]), setting(2, 4, &[1040.0]), setting(2, 1, &[1000.0])];
        let best = advice(&batches);
        assert_eq!((best.threads, best.batch), (2, 1));
    }
}
