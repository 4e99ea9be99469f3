//! `tedomari net bench`: evaluations per second, and where the time of a network goes.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::app::evaluators;
use crate::cli::{print, print_json};
use crate::config::Config;
use crate::eval::EvalError;
use crate::game::{BoardSize, Komi, Move, Position, Rules};
use crate::nn::katago::KataGoEvaluator;
use crate::nn::{Laps, LayerKind, NetEvaluator, NetShape, Network, Orientation, random_weights};
use crate::util::Seed;

#[derive(Debug, Args)]
pub(in crate::cli) struct BenchArgs {
    /// Blocks and filters of a random network, where --net names none
    #[arg(long, default_value = "6x96")]
    shape: NetShape,
    /// Threads that evaluate
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Positions given to the network at a time
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    batch: u16,
    /// Seconds to measure
    #[arg(long, default_value_t = 4.0, value_parser = crate::cli::bench::seconds)]
    seconds: f64,
    /// Tell the time of each layer too
    #[arg(long)]
    layers: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Evaluates the positions of a random game over and over on every thread.
pub(super) fn run(args: &BenchArgs, config: &Config) -> anyhow::Result<()> {
    let size = config.game.size();
    let Measured { evaluator, shape, operations } = measured(args, config)?;
    let positions = random_game(size);
    let batches: Vec<Vec<&Position>> = (0..positions.len())
        .map(|start| positions.iter().cycle().skip(start).take(args.batch.into()).collect())
        .collect();
    // Packs the weights before the clock starts.
    evaluator.evaluate(&batches[0], &mut Laps::default())?;
    let limit = Duration::from_secs_f64(args.seconds);
    let evaluated = AtomicU64::new(0);
    let laps = || if args.layers { Laps::on(now) } else { Laps::default() };
    let start = now();
    let work = || -> anyhow::Result<Laps> {
        let mut laps = laps();
        for batch in batches.iter().cycle() {
            evaluator.evaluate(batch, &mut laps)?;
            evaluated.fetch_add(batch.len() as u64, Ordering::Relaxed);
            if start.elapsed() >= limit {
                break;
            }
        }
        Ok(laps)
    };
    let mut all = laps();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..args.threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| {
            let laps = thread.join().map_err(|_| anyhow::anyhow!("a thread has panicked"))??;
            all.merge(&laps);
            anyhow::Ok(())
        })
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let evaluated = evaluated.into_inner() as f64;
    let per_second = evaluated / seconds;
    let gflops = per_second * operations / 1e9;
    if args.json {
        let mut object = json!({
            "shape": shape,
            "board": size.to_string(),
            "threads": args.threads,
            "batch": args.batch,
            "seconds": seconds,
            "evals_per_second": per_second,
            "gflops": gflops,
        });
        if args.layers {
            object["layers"] = layers_object(&all, evaluated);
        }
        return print_json(&object);
    }
    let mut text = format!(
        "{shape} on {size}, batch {}, {} {}: {per_second:.0} evaluations/s, {gflops:.0} \
         GFLOP/s by direct convolution\n",
        args.batch,
        args.threads,
        if args.threads == 1 { "thread" } else { "threads" },
    );
    if args.layers {
        text += &layers_text(&all, evaluated);
    }
    print(&text)
}

#[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
fn now() -> Instant {
    Instant::now()
}

/// Time, operations and share of some layers.
struct Part {
    name: String,
    kind: &'static str,
    seconds: f64,
    operations: f64,
}

/// Each layer, or all layers of a kind as one.
fn parts(laps: &Laps) -> (Vec<Part>, Vec<Part>) {
    let part = |name: &str, kind: LayerKind, seconds: f64, operations: f64| Part {
        name: name.to_owned(),
        kind: kind.name(),
        seconds,
        operations,
    };
    let layers = laps.layers().iter();
    let each = layers
        .map(|layer| part(&layer.name, layer.kind, layer.time.as_secs_f64(), layer.operations))
        .collect();
    let of_kind = |&kind: &LayerKind| {
        let layers = || laps.layers().iter().filter(move |layer| layer.kind == kind);
        let seconds = layers().map(|layer| layer.time.as_secs_f64()).sum();
        part("all", kind, seconds, layers().map(|layer| layer.operations).sum())
    };
    (each, LayerKind::ALL.iter().map(of_kind).filter(|part| part.seconds > 0.0).collect())
}

fn layers_object(laps: &Laps, evaluated: f64) -> serde_json::Value {
    let (each, kinds) = parts(laps);
    let total: f64 = kinds.iter().map(|part| part.seconds).sum();
    let object = |part: &Part| {
        json!({
            "name": part.name,
            "kind": part.kind,
            "microseconds": part.seconds / evaluated * 1e6,
            "megaflop": part.operations / evaluated / 1e6,
            "gflops": part.operations / part.seconds.max(1e-9) / 1e9,
            "share": part.seconds / total,
        })
    };
    let list = |parts: &[Part]| parts.iter().map(object).collect::<Vec<_>>();
    json!({ "each": list(&each), "kinds": list(&kinds) })
}

fn layers_text(laps: &Laps, evaluated: f64) -> String {
    let (each, kinds) = parts(laps);
    let total: f64 = kinds.iter().map(|part| part.seconds).sum();
    let mut text = format!(
        "{:20} {:9} {:>12} {:>9} {:>8} {:>7}   for one evaluation on one thread\n",
        "layer", "kind", "microseconds", "MFLOP", "GFLOP/s", "share"
    );
    for part in each.iter().chain(&kinds) {
        let _ = writeln!(
            text,
            "{:20} {:9} {:12.1} {:9.2} {:8.0} {:5.1} %",
            part.name,
            part.kind,
            part.seconds / evaluated * 1e6,
            part.operations / evaluated / 1e6,
            part.operations / part.seconds.max(1e-9) / 1e9,
            100.0 * part.seconds / total,
        );
    }
    text
}

/// What is measured, without a cache.
struct Measured {
    evaluator: Timed,
    shape: String,
    /// Of one evaluation on the configured board.
    operations: f64,
}

/// An evaluator on the kernels of the CPU.
enum Timed {
    Own(NetEvaluator),
    KataGo(KataGoEvaluator),
}

impl Timed {
    /// Evaluates a batch with a stopwatch at the layers.
    fn evaluate(&self, batch: &[&Position], laps: &mut Laps) -> Result<(), EvalError> {
        match self {
            Self::Own(net) => drop(net.evaluate_timed(batch, laps)),
            Self::KataGo(net) => drop(net.outlooks_timed(batch, laps)?),
        }
        Ok(())
    }
}

/// The network that is configured, or one of a shape.
fn measured(args: &BenchArgs, config: &Config) -> anyhow::Result<Measured> {
    let points = config.game.size().area();
    let turned = Orientation::ByHash;
    if config.net.path.is_empty() {
        let weights = random_weights(&args.shape, Seed::new(1));
        return Ok(Measured {
            evaluator: Timed::Own(NetEvaluator::new(args.shape, weights, turned)),
            shape: args.shape.to_string(),
            operations: args.shape.operations(points),
        });
    }
    let net = evaluators::load(&config.net.path)?;
    Ok(Measured {
        evaluator: match &net {
            Network::Own(net) => Timed::Own(net.evaluator(turned)),
            Network::KataGo(net) => Timed::KataGo(net.evaluator(turned)),
        },
        shape: net.shape(),
        operations: net.operations(points),
    })
}

/// The positions of a random game up to the middle of the board's filling.
fn random_game(size: BoardSize) -> Vec<Position> {
    let mut position = Position::new(size, Rules::CHINESE, Komi::default());
    let mut rng = Seed::new(1).fork("bench", 0).rng();
    let mut positions = vec![position.clone()];
    for _ in 0..size.area() / 2 {
        let color = position.to_move();
        let legal: Vec<_> = position.legal_points(color).collect();
        let choice = rand::Rng::next_u32(&mut rng) as usize % legal.len().max(1);
        let Some(&point) = legal.get(choice) else { break };
        position.play(color, Move::Place(point)).expect("invariant: the move is legal");
        positions.push(position.clone());
    }
    positions
}
