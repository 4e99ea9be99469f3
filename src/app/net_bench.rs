//! Evaluations per second, and where the time of a network goes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::evaluators;
use crate::config::Config;
use crate::eval::EvalError;
use crate::game::{BoardSize, Komi, Move, Position, Rules};
use crate::nn::katago::KataGoEvaluator;
use crate::nn::{Laps, NetEvaluator, NetShape, Network, Orientation, random_weights};
use crate::util::Seed;

/// A network to be measured: the configured one.
#[derive(Clone, Debug)]
pub struct NetBenchSpec {
    /// The shape of a random network, where the configuration names none.
    pub shape: NetShape,
    /// Threads that evaluate.
    pub threads: u16,
    /// Positions given to the network at a time.
    pub batch: usize,
    /// How long.
    pub time: Duration,
    /// Whether the time of each layer is measured too.
    pub layers: bool,
}

/// What was measured.
pub struct NetSpeed {
    /// The network's shape.
    pub shape: String,
    /// How long it took.
    pub seconds: f64,
    /// Positions that were evaluated.
    pub evaluated: f64,
    /// Billions of operations in a second.
    pub gflops: f64,
    /// The time of the layers.
    pub laps: Laps,
}

/// Evaluates the positions of a random game over and over on every thread.
pub fn measure(spec: &NetBenchSpec, config: &Config) -> anyhow::Result<NetSpeed> {
    let size = config.game.size();
    let Measured { evaluator, shape, operations } = measured(spec, config)?;
    let positions = random_game(size);
    let batches: Vec<Vec<&Position>> = (0..positions.len())
        .map(|start| positions.iter().cycle().skip(start).take(spec.batch.max(1)).collect())
        .collect();
    // Packs the weights before the clock starts.
    evaluator.evaluate(&batches[0], &mut Laps::default())?;
    let limit = spec.time;
    let evaluated = AtomicU64::new(0);
    let laps = || if spec.layers { Laps::on(now) } else { Laps::default() };
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
        let threads: Vec<_> = (0..spec.threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| {
            let laps = thread.join().map_err(|_| anyhow::anyhow!("a thread has panicked"))??;
            all.merge(&laps);
            anyhow::Ok(())
        })
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let evaluated = evaluated.into_inner() as f64;
    let gflops = evaluated / seconds * operations / 1e9;
    Ok(NetSpeed { shape, seconds, evaluated, gflops, laps: all })
}

#[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
fn now() -> Instant {
    Instant::now()
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
fn measured(spec: &NetBenchSpec, config: &Config) -> anyhow::Result<Measured> {
    let points = config.game.size().area();
    let turned = Orientation::ByHash;
    if config.net.path.is_empty() {
        let weights = random_weights(&spec.shape, Seed::new(1));
        return Ok(Measured {
            evaluator: Timed::Own(NetEvaluator::new(spec.shape, weights, turned)),
            shape: spec.shape.to_string(),
            operations: spec.shape.operations(points),
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
