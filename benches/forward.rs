//! Evaluations per second of whole networks, features and heads included, for the usual shapes,
//! boards, batches and threads; beside them the peak of the processor and Candle's own convolution.
//!
//! `cargo bench --bench forward`, or with shapes as arguments: `cargo bench --bench forward -- 6x96`.
//! KataGo's g170-b6c96 is measured as well where it lies beside the project, or alone with `katago`
//! as the argument.
#![expect(clippy::print_stdout, reason = "a report for people")]
#![allow(dead_code, reason = "the benchmarks share a module and use parts of it")]

mod measure;

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use candle_core::{Device, Tensor};
use measure::{fma_peak, now, numbers, seconds};
use tedomari::eval::Evaluator;
use tedomari::game::{BoardSize, Komi, Move, Position, Rules, Symmetry};
use tedomari::nn::features::encode;
use tedomari::nn::{CpuNet, KataGoFile, NetShape, Orientation, katago, random_weights};
use tedomari::util::Seed;

/// Time of one measurement.
const BUDGET: Duration = Duration::from_millis(200);

/// Measurements of a figure, in turns with those it is compared with: the best of them counts.
const ROUNDS: usize = 7;

const THREADS: [usize; 2] = [1, 2];

const BATCHES: [usize; 4] = [1, 4, 8, 16];

fn main() {
    if std::env::args().any(|word| word == "katago") {
        return katago();
    }
    let given: Vec<NetShape> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let usual = [(4, 32), (5, 48), (6, 64), (6, 96), (10, 128)];
    let usual = usual.map(|(blocks, filters)| NetShape::new(blocks, filters));
    let shapes = if given.is_empty() { usual.to_vec() } else { given };
    println!("FMA peak of one thread: {:.0} GFLOP/s", fma_peak());
    for side in [9, 13, 19] {
        println!(
            "Candle's conv2d, 96 channels on {side}x{side}, batch 8: {:.0} GFLOP/s",
            candle_gflops(side, 96, 8)
        );
    }
    println!("\nevaluations/s (GFLOP/s by direct convolution) for batches of {BATCHES:?}");
    for shape in shapes {
        for side in [9, 13, 19] {
            report(&shape, side);
        }
    }
    katago();
}

/// One of KataGo's networks, by its evaluator: features, heads and all.
fn katago() {
    let name = "g170-b6c96-s175395328-d26788732.bin.gz";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/nets").join(name);
    let Ok(bytes) = std::fs::read(&path) else {
        println!("skipped: {} is absent", path.display());
        return;
    };
    let net = KataGoFile::from_bytes(&bytes).expect("a network");
    let evaluator = net.evaluator(Orientation::ByHash);
    println!("\nKataGo's {name}: evaluations/s for batches of {BATCHES:?}");
    for side in [9, 13, 19] {
        let positions = some_game(BoardSize::square(side).expect("a legal size"));
        let speeds = Speeds::measure(|batch, threads| {
            evaluator_speed(&evaluator, &positions, batch, threads)
        });
        speeds.print("b6c96", side, net.model.operations(side * side) / 1e9);
        println!("{side:2}x{side:<2} features alone: {:.0}/s", features_speed(&positions));
    }
}

/// Evaluations per second of the positions of a game, over and over.
fn evaluator_speed(
    evaluator: &impl Evaluator,
    positions: &[Position],
    batch: usize,
    threads: usize,
) -> f64 {
    let evaluated = AtomicU64::new(0);
    let start = now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut next = positions.iter().cycle();
                while start.elapsed() < BUDGET {
                    let some: Vec<_> = next.by_ref().take(batch).collect();
                    black_box(evaluator.evaluate(&some).expect("an evaluation"));
                    evaluated.fetch_add(batch as u64, Ordering::Relaxed);
                }
            });
        }
    });
    evaluated.into_inner() as f64 / start.elapsed().as_secs_f64()
}

/// Encodings per second of KataGo's features.
fn features_speed(positions: &[Position]) -> f64 {
    let mut planes = vec![0.0; positions[0].size().area() * katago::features::PLANES];
    let mut globals = vec![0.0; katago::features::GLOBALS];
    let time = seconds(BUDGET, || {
        for position in positions {
            let upright = Symmetry::IDENTITY;
            katago::features::encode(position, upright, &mut planes, &mut globals);
        }
        black_box(&planes);
    });
    positions.len() as f64 / time
}

/// The positions of an arbitrary game until half of the board is full.
fn some_game(size: BoardSize) -> Vec<Position> {
    let mut position = Position::new(size, Rules::CHINESE, Komi::default());
    let mut positions = Vec::new();
    for number in 0..size.area() / 2 {
        let legal: Vec<_> = position.legal_points(position.to_move()).collect();
        let Some(&point) = legal.get(number * 7919 % legal.len().max(1)) else { break };
        position.play(position.to_move(), Move::Place(point)).expect("a legal move");
        positions.push(position.clone());
    }
    positions
}

fn report(shape: &NetShape, side: usize) {
    let size = BoardSize::square(side).expect("a legal size");
    let net = CpuNet::new(shape, &random_weights(shape, Seed::new(1)), size);
    let position = some_position(size);
    let speeds = Speeds::measure(|batch, threads| speed(&net, &position, batch, threads));
    speeds.print(&shape.to_string(), side, shape.operations(size.area()) / 1e9);
}

/// The best speed for each number of threads and batch.
struct Speeds([[f64; BATCHES.len()]; THREADS.len()]);

impl Speeds {
    fn measure(speed: impl Fn(usize, usize) -> f64) -> Self {
        let mut best = [[0.0_f64; BATCHES.len()]; THREADS.len()];
        for _ in 0..ROUNDS {
            for (row, threads) in best.iter_mut().zip(THREADS) {
                for (best, batch) in row.iter_mut().zip(BATCHES) {
                    *best = best.max(speed(batch, threads));
                }
            }
        }
        Self(best)
    }

    fn print(&self, name: &str, side: usize, gigaflop: f64) {
        let most = |row: &[f64]| row.iter().copied().fold(0.0, f64::max);
        for (row, threads) in self.0.iter().zip(THREADS) {
            let figures = row.map(|speed| format!("{speed:7.0} ({:3.0})", speed * gigaflop));
            let figures = figures.join(" ");
            let share = 100.0 * row[0] / most(row);
            println!(
                "{name:>6} {side:2}x{side:<2} {threads} threads: {figures}, one of best {share:.0} %"
            );
        }
        let ratios = [0, 1, 2, 3].map(|k| format!("{:7.2}      ", self.0[1][k] / self.0[0][k]));
        println!("{name:>6} {side:2}x{side:<2} 2 / 1:     {}", ratios.join(" ").trim_end());
    }
}

/// Evaluations per second of several threads with a workspace each.
fn speed(net: &CpuNet, position: &Position, batch: usize, threads: usize) -> f64 {
    let evaluated = AtomicU64::new(0);
    let start = now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut work = net.workspace(batch);
                while start.elapsed() < BUDGET {
                    for index in 0..batch {
                        let (planes, stride, globals) = work.input(index);
                        encode(position, Symmetry::IDENTITY, planes, stride, globals);
                    }
                    net.run(&mut work, batch);
                    black_box(work.output(0).scalars());
                    evaluated.fetch_add(batch as u64, Ordering::Relaxed);
                }
            });
        }
    });
    evaluated.into_inner() as f64 / start.elapsed().as_secs_f64()
}

/// The speed of Candle's own convolution, on as many threads as it likes.
fn candle_gflops(side: usize, channels: usize, batch: usize) -> f64 {
    let tensor = |dims: &[usize]| {
        Tensor::from_vec(numbers(dims.iter().product()), dims, &Device::Cpu).expect("a tensor")
    };
    let x = tensor(&[batch, channels, side, side]);
    let weights = tensor(&[channels, channels, 3, 3]);
    let time = seconds(BUDGET, || {
        black_box(x.conv2d(&weights, 1, 1, 1, 1).expect("a convolution"));
    });
    (2 * 9 * side * side * channels * channels * batch) as f64 / time / 1e9
}

/// A position with a few stones.
fn some_position(size: BoardSize) -> Position {
    let mut position = Position::new(size, Rules::CHINESE, Komi::default());
    for vertex in ["C3", "D4", "E5", "C4", "D5", "F6"] {
        let point = size.parse_point(vertex).expect("a point of the board");
        position.play(position.to_move(), Move::Place(point)).expect("a legal move");
    }
    position
}
