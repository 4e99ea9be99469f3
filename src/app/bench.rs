//! How fast the search is with which settings.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::evaluators;
use crate::config::Config;
use crate::eval::{Evaluator, UniformEvaluator};
use crate::game::Position;
use crate::nn::NetParams;
use crate::search::{Request, Search, SearchParams, Selection};
use crate::timeman::SimulationLimit;
use crate::util::{Seed, threads_or_cores};

/// Searches to be measured.
#[derive(Clone, Debug)]
pub struct BenchSpec {
    /// Time of each search.
    pub time: Duration,
    /// Simulations of each search, however long they take.
    pub simulations: Option<u64>,
    /// Threads to search with; none for 1, 2, 4 and so on.
    pub threads: Vec<usize>,
    /// Positions that a thread sends to the evaluator at a time; none for 1, 4 and 8.
    pub batches: Vec<usize>,
    /// Searches with each setting.
    pub rounds: u16,
    /// Whether an evaluator that costs nothing is used.
    pub free: bool,
}

/// What was measured.
pub struct Measurement {
    /// What evaluated.
    pub evaluator: String,
    /// What was measured with each setting.
    pub settings: Vec<Setting>,
}

/// Measures searches on the empty board of the configured game, with the evaluator that would be played with.
pub fn measure(spec: &BenchSpec, config: &Config) -> anyhow::Result<Measurement> {
    let bench = Bench::new(spec, config)?;
    let mut settings: Vec<_> = spec
        .settings()
        .into_iter()
        .map(|(threads, batch)| Setting { threads, batch, searches: Vec::new() })
        .collect();
    // In turns, so that what else the machine does falls on all.
    for _ in 0..spec.rounds {
        for setting in &mut settings {
            setting.searches.push(bench.search(setting)?);
        }
    }
    Ok(Measurement { evaluator: bench.name, settings })
}

impl BenchSpec {
    /// Threads and batches to be measured.
    fn settings(&self) -> Vec<(usize, usize)> {
        let cores = threads_or_cores(0);
        let mut threads: Vec<_> = self.threads.iter().map(|&n| threads_or_cores(n)).collect();
        if threads.is_empty() {
            threads = (0..16).map(|k| 1 << k).filter(|&n| n < cores).chain([cores]).collect();
        }
        let batches = match self.batches.as_slice() {
            [] if self.free => vec![1],
            [] => vec![1, 4, 8],
            batches => batches.to_vec(),
        };
        let with = |threads| batches.iter().map(move |&batch| (threads, batch));
        threads.into_iter().flat_map(with).collect()
    }
}

/// What is measured.
struct Bench<'a> {
    spec: &'a BenchSpec,
    config: &'a Config,
    name: String,
    evaluator: Arc<dyn Evaluator>,
    params: SearchParams,
}

/// Threads and a batch, with the searches that they did.
pub struct Setting {
    /// Threads that search.
    pub threads: usize,
    /// Positions that a thread sends to the evaluator at a time.
    pub batch: usize,
    /// Its searches.
    pub searches: Vec<Measured>,
}

/// One search.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Measured {
    /// How fast it was.
    pub simulations_per_second: f64,
    /// How long it took.
    pub seconds: f64,
    /// What it did.
    pub simulations: u64,
    /// Nodes of its tree.
    pub nodes: u64,
    /// Bytes of its tree.
    pub memory: u64,
    /// Whether the tree had no place for more.
    pub full: bool,
}

impl<'a> Bench<'a> {
    fn new(spec: &'a BenchSpec, config: &'a Config) -> anyhow::Result<Self> {
        let params = config.engine().search;
        if spec.free {
            let params = SearchParams { formula: Selection::Puct, ..params };
            let name = "a free evaluator".to_owned();
            return Ok(Self { spec, config, name, evaluator: Arc::new(UniformEvaluator), params });
        }
        // One that remembers would answer the second search from the first.
        let net = NetParams { cache_mb: 0, ..config.net.clone() };
        let evaluator = evaluators::make(&Config { net, ..config.clone() })?;
        Ok(Self { spec, config, name: evaluators::name(config), evaluator, params })
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
        let simulations = self.spec.simulations;
        let deadline = self.spec.time;
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
}

impl Setting {
    /// The search in the middle.
    #[must_use]
    pub fn median(&self) -> Measured {
        let mut sorted = self.searches.clone();
        sorted.sort_by(|a, b| a.simulations_per_second.total_cmp(&b.simulations_per_second));
        sorted[sorted.len() / 2]
    }
}

impl Measurement {
    /// The setting to use.
    #[must_use]
    pub fn advice(&self) -> &Setting {
        advice(&self.settings)
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
