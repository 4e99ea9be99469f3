//! `tedomari net`: networks in files.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, Subcommand};
use serde_json::json;

use super::{evaluator, print, print_json};
use crate::config::Config;
use crate::eval::Evaluator;
use crate::game::{BoardSize, Komi, Move, Position, Rules};
use crate::nn::features::FEATURES_VERSION;
use crate::nn::{
    MANIFEST_FORMAT, Manifest, NetEvaluator, NetFile, NetShape, Orientation, random_weights,
};
use crate::util::Seed;

#[derive(Debug, Subcommand)]
pub(super) enum NetCommand {
    /// Tell what a network is
    Info(FileArgs),
    /// Check a network: file, checksum, tensors, and what it says of its canaries
    Verify(FileArgs),
    /// Measure evaluations per second on the configured board, features and heads included
    Bench(BenchArgs),
    /// Make an untrained network
    Init(InitArgs),
}

#[derive(Debug, Args)]
pub(super) struct FileArgs {
    /// NAME.safetensors, with its manifest NAME.toml beside it, or builtin:NAME
    file: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Blocks and filters
    #[arg(long, default_value = "6x96")]
    shape: NetShape,
    /// Threads that evaluate
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Positions given to the network at a time
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    batch: u16,
    /// Seconds to measure
    #[arg(long, default_value_t = 4.0, value_parser = super::bench::seconds)]
    seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// NAME.safetensors to write; its manifest goes to NAME.toml
    file: PathBuf,
    /// Blocks and filters
    #[arg(long, default_value = "6x64")]
    shape: NetShape,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(command: &NetCommand, config: &Config) -> anyhow::Result<()> {
    match command {
        NetCommand::Info(args) => info(args),
        NetCommand::Verify(args) => verify(args),
        NetCommand::Bench(args) => bench(args, config.game.size()),
        NetCommand::Init(args) => init(args),
    }
}

fn info(args: &FileArgs) -> anyhow::Result<()> {
    let net = evaluator::load(&args.file)?;
    let manifest = &net.manifest;
    let (parameters, megaflops) =
        (manifest.shape.parameters(), manifest.shape.operations(81) / 1e6);
    if args.json {
        return print_json(&json!({
            "name": manifest.name,
            "shape": manifest.shape.to_string(),
            "features": manifest.features,
            "games": manifest.games,
            "boards": manifest.boards,
            "parameters": parameters,
            "megaflops_9x9": megaflops,
            "sha256": manifest.sha256,
            "training": manifest.training,
            "strength": manifest.strength,
            "canaries": manifest.canaries.len(),
        }));
    }
    let [smallest, largest] = manifest.boards;
    print(&format!(
        "{}: {} blocks x filters, {parameters} parameters, {megaflops:.1} MFLOP on 9x9\n\
         games {}, boards {smallest} to {largest}, feature set {}\n\
         training: {}\nstrength: {}\n",
        manifest.name,
        manifest.shape,
        manifest.games.join(" and "),
        manifest.features,
        manifest.training,
        manifest.strength,
    ))
}

fn verify(args: &FileArgs) -> anyhow::Result<()> {
    let net = evaluator::load(&args.file)?;
    let canaries = net.manifest.canaries.len();
    if args.json {
        print_json(&json!({ "name": net.manifest.name, "ok": true, "canaries": canaries }))
    } else {
        print(&format!("{}: good, {canaries} canaries sing\n", net.manifest.name))
    }
}

fn init(args: &InitArgs) -> anyhow::Result<()> {
    let name = args.file.file_stem().context("the file has no name")?;
    let mut net = NetFile {
        manifest: Manifest {
            format: MANIFEST_FORMAT,
            name: name.to_string_lossy().into_owned(),
            sha256: String::new(),
            features: FEATURES_VERSION,
            games: vec!["go".to_owned(), "nogo".to_owned()],
            boards: [9, 19],
            training: format!("none: random weights, seed {}", args.seed),
            strength: "none".to_owned(),
            shape: args.shape,
            canaries: Vec::new(),
        },
        weights: random_weights(&args.shape, Seed::new(args.seed)),
    };
    net.record_canaries()?;
    net.save(&args.file)?;
    print(&format!("{}: an untrained {} network\n", args.file.display(), args.shape))
}

/// Evaluates the positions of a random game over and over on every thread.
fn bench(args: &BenchArgs, size: BoardSize) -> anyhow::Result<()> {
    let evaluator = NetEvaluator::new(
        args.shape,
        random_weights(&args.shape, Seed::new(1)),
        Orientation::ByHash,
    );
    let positions = random_game(size);
    let batches: Vec<Vec<&Position>> = (0..positions.len())
        .map(|start| positions.iter().cycle().skip(start).take(args.batch.into()).collect())
        .collect();
    // Packs the weights before the clock starts.
    evaluator.evaluate(&batches[0])?;
    let limit = Duration::from_secs_f64(args.seconds);
    let evaluated = AtomicU64::new(0);
    #[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
    let start = Instant::now();
    let work = || -> anyhow::Result<()> {
        for batch in batches.iter().cycle() {
            evaluator.evaluate(batch)?;
            evaluated.fetch_add(batch.len() as u64, Ordering::Relaxed);
            if start.elapsed() >= limit {
                break;
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..args.threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().map_err(|_| anyhow::anyhow!("a thread has panicked"))?
        })
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let per_second = evaluated.into_inner() as f64 / seconds;
    let gflops = per_second * args.shape.operations(size.area()) / 1e9;
    if args.json {
        return print_json(&json!({
            "shape": args.shape.to_string(),
            "board": size.to_string(),
            "threads": args.threads,
            "batch": args.batch,
            "seconds": seconds,
            "evals_per_second": per_second,
            "gflops": gflops,
        }));
    }
    print(&format!(
        "{} on {size}, batch {}, {} threads: {per_second:.0} evaluations/s, {gflops:.0} GFLOP/s \
         by direct convolution\n",
        args.shape, args.batch, args.threads,
    ))
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
