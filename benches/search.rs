//! Speed of the search: simulations per second over evaluators that cost nothing or a random game,
//! with one thread and with two, and the share of the time that the tree takes beside a network.
//!
//! `cargo bench --bench search`, with `-- --json` for one object that programs can read. Cases that
//! are compared with each other are measured in turns, so that a busy machine slows down both.
#![expect(clippy::print_stdout, reason = "a report for people")]
#![allow(dead_code, reason = "the benchmarks share a module and use parts of it")]

mod measure;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use measure::now;
use serde_json::{Value, json};
use tedomari::eval::{EvalError, Evaluation, Evaluator, UniformEvaluator};
use tedomari::game::{BoardSize, Komi, Move, Point, Position, Rules};
use tedomari::nn::{NetEvaluator, NetShape, Orientation, random_weights};
use tedomari::playout::PlayoutEvaluator;
use tedomari::search::{Request, Search, SearchParams, Selection};
use tedomari::timeman::TimeLimit;
use tedomari::util::Seed;

/// Time of one search.
const BUDGET: Duration = Duration::from_millis(700);

/// Searches of each case.
const REPEATS: usize = 15;

/// Positions that the network is asked about at a time.
const BATCHES: [usize; 2] = [1, 8];

fn main() {
    let json = std::env::args().any(|argument| argument == "--json");
    let mut figures = Vec::new();
    for case in &CASES {
        let speeds = in_turns(case.threads, |&threads| case.speed(threads));
        figures.push(Figure::new(case, &speeds));
    }
    let shares = BATCHES.map(TreeShare::measure);
    if json {
        let speeds: Vec<_> = figures.iter().map(Figure::json).collect();
        let tree = shares.each_ref().map(TreeShare::json);
        println!("{}", json!({ "simulations_per_second": speeds, "tree_beside_6x64": tree }));
        return;
    }
    println!("simulations/s with puct, {REPEATS} searches of {BUDGET:?} each in turns");
    println!("evaluator board     threads      best    median");
    figures.iter().for_each(Figure::print);
    println!("\na random net of 6x64 on 9x9, one thread, best of {REPEATS}");
    shares.iter().for_each(TreeShare::print);
}

/// What is searched, and with how many threads.
struct Case {
    evaluator: &'static str,
    side: usize,
    rules: Rules,
    threads: &'static [usize],
}

const CASES: [Case; 6] = [
    Case { evaluator: "uniform", side: 9, rules: Rules::CHINESE, threads: &[1, 2] },
    Case { evaluator: "uniform", side: 13, rules: Rules::CHINESE, threads: &[1] },
    Case { evaluator: "uniform", side: 19, rules: Rules::CHINESE, threads: &[1] },
    Case { evaluator: "uniform", side: 9, rules: Rules::NOGO, threads: &[1] },
    Case { evaluator: "playouts", side: 9, rules: Rules::CHINESE, threads: &[1, 2] },
    Case { evaluator: "playouts", side: 9, rules: Rules::NOGO, threads: &[1, 2] },
];

impl Case {
    /// Simulations per second.
    fn speed(&self, threads: usize) -> f64 {
        let evaluator: Arc<dyn Evaluator> = match self.evaluator {
            "uniform" => Arc::new(UniformEvaluator),
            _ => Arc::new(PlayoutEvaluator::new(Seed::new(1))),
        };
        simulations_per_second(evaluator, &start(self.side, self.rules), threads, 1)
    }

    fn game(&self) -> &'static str {
        self.rules.name().unwrap_or("other")
    }
}

/// The speeds of one case.
struct Figure<'a> {
    case: &'a Case,
    speeds: Vec<(usize, Spread)>,
    ratio: Option<Spread>,
}

impl<'a> Figure<'a> {
    fn new(case: &'a Case, speeds: &[Vec<f64>]) -> Self {
        let spreads = speeds.iter().map(|speeds| Spread::of(speeds));
        let spreads: Vec<_> = case.threads.iter().copied().zip(spreads).collect();
        Self { case, ratio: ratio(speeds, &spreads), speeds: spreads }
    }

    fn print(&self) {
        let Case { evaluator, side, .. } = self.case;
        let board = format!("{} {side}x{side}", self.case.game());
        for (threads, Spread { best, median }) in &self.speeds {
            println!("{evaluator:9} {board:10} {threads:6} {best:9.0} {median:9.0}");
        }
        if let Some(Spread { best, median }) = &self.ratio {
            println!("{evaluator:9} {board:10} {:>6} {best:9.2} {median:9.2}", "2 / 1");
        }
    }

    fn json(&self) -> Value {
        let speeds = self.speeds.iter().map(|&(threads, Spread { best, median })| {
            json!({ "threads": threads, "best": best, "median": median })
        });
        let ratio = self.ratio.as_ref().map(|r| json!({ "best": r.best, "median": r.median }));
        json!({
            "evaluator": self.case.evaluator,
            "rules": self.case.game(),
            "side": self.case.side,
            "speeds": speeds.collect::<Vec<_>>(),
            "two_to_one": ratio,
        })
    }
}

/// How many times as fast two threads are as one: by the best of each, and the median of what two
/// searches side by side give.
fn ratio(speeds: &[Vec<f64>], spreads: &[(usize, Spread)]) -> Option<Spread> {
    let ([one, two], [(_, slow), (_, fast)]) = (speeds, spreads) else { return None };
    let pairs: Vec<_> = one.iter().zip(two).map(|(one, two)| two / one).collect();
    Some(Spread { best: fast.best / slow.best, median: Spread::of(&pairs).median })
}

/// The best and the middle of several measurements.
struct Spread {
    best: f64,
    median: f64,
}

impl Spread {
    fn of(speeds: &[f64]) -> Self {
        let mut sorted = speeds.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self { best: sorted[sorted.len() - 1], median: sorted[sorted.len() / 2] }
    }
}

/// What the tree costs beside a network, in two ways: by the speeds with and without it, and by the
/// time of the same searches that was not spent in the evaluator. The second suffers less from
/// whatever else the machine does.
struct TreeShare {
    batch: usize,
    evaluations: Spread,
    simulations: Spread,
    outside: f64,
}

impl TreeShare {
    fn measure(batch: usize) -> Self {
        let shape = NetShape::new(6, 64);
        let weights = random_weights(&shape, Seed::new(1));
        let net = NetEvaluator::new(shape, weights, Orientation::ByHash);
        let net = Arc::new(Timed { inner: net, nanoseconds: AtomicU64::new(0) });
        let (mut inside, mut whole) = (Duration::ZERO, Duration::ZERO);
        let speeds = in_turns(&[false, true], |&searching| {
            net.nanoseconds.store(0, Ordering::Relaxed);
            if !searching {
                return evaluations_per_second(net.as_ref(), batch);
            }
            let position = start(9, Rules::CHINESE);
            let begin = now();
            let speed = simulations_per_second(Arc::clone(&net) as _, &position, 1, batch);
            whole += begin.elapsed();
            inside += Duration::from_nanos(net.nanoseconds.load(Ordering::Relaxed));
            speed
        });
        let [evaluations, simulations] = [0, 1].map(|which: usize| Spread::of(&speeds[which]));
        let outside = 1.0 - inside.as_secs_f64() / whole.as_secs_f64();
        Self { batch, evaluations, simulations, outside }
    }

    /// The part of the time of a simulation that is not the network's, by the speeds.
    fn share(&self) -> f64 {
        1.0 - self.simulations.best / self.evaluations.best
    }

    fn print(&self) {
        println!(
            "batch {}: {:.0} evaluations/s, {:.0} simulations/s: the tree takes {:.1} %, by time {:.1} %",
            self.batch,
            self.evaluations.best,
            self.simulations.best,
            100.0 * self.share(),
            100.0 * self.outside
        );
    }

    fn json(&self) -> Value {
        json!({
            "batch": self.batch,
            "evaluations_per_second": self.evaluations.best,
            "simulations_per_second": self.simulations.best,
            "tree_share": self.share(),
            "tree_share_by_time": self.outside,
        })
    }
}

/// An evaluator and the time that has been spent in it.
struct Timed<E> {
    inner: E,
    nanoseconds: AtomicU64,
}

impl<E: Evaluator> Evaluator for Timed<E> {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let begin = now();
        let answers = self.inner.evaluate(batch);
        let nanoseconds = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        answers
    }
}

/// Measures every variant once, then all again, and so on; the first round only warms up.
fn in_turns<T>(variants: &[T], mut measure: impl FnMut(&T) -> f64) -> Vec<Vec<f64>> {
    let mut speeds = vec![Vec::new(); variants.len()];
    for round in 0..=REPEATS {
        for (variant, speeds) in variants.iter().zip(&mut speeds) {
            let speed = measure(variant);
            if round > 0 {
                speeds.push(speed);
            }
        }
    }
    speeds
}

fn simulations_per_second(
    evaluator: Arc<dyn Evaluator>,
    position: &Position,
    threads: usize,
    batch: usize,
) -> f64 {
    let params = SearchParams {
        threads,
        batch,
        max_memory: 1000,
        formula: Selection::Puct,
        ..SearchParams::default()
    };
    let mut search = Search::new(evaluator, params, Seed::new(1));
    let begin = now();
    let elapsed = || begin.elapsed();
    let mut rule = TimeLimit(BUDGET);
    let report = search.run(position, Request::new(&mut rule, &elapsed)).expect("a search");
    assert!(!report.full, "a full tree is another tree");
    report.simulations as f64 / report.elapsed.as_secs_f64()
}

/// Evaluations per second of positions as a search meets them: few moves after the beginning.
fn evaluations_per_second(evaluator: &dyn Evaluator, batch: usize) -> f64 {
    let first = start(9, Rules::CHINESE);
    let positions: Vec<_> = first.size().points().map(|point| after(&first, point)).collect();
    let begin = now();
    let mut evaluated = 0;
    while begin.elapsed() < BUDGET {
        for chunk in positions.chunks_exact(batch) {
            let chunk: Vec<_> = chunk.iter().collect();
            evaluated += evaluator.evaluate(&chunk).expect("evaluations").len();
        }
    }
    evaluated as f64 / begin.elapsed().as_secs_f64()
}

fn start(side: usize, rules: Rules) -> Position {
    let size = BoardSize::square(side).expect("a legal size");
    Position::new(size, rules, Komi::from_points(7.5).expect("a legal komi"))
}

fn after(position: &Position, point: Point) -> Position {
    let mut after = position.clone();
    after.play(position.to_move(), Move::Place(point)).expect("a legal move");
    after
}
