//! `tedomari net`: networks in files.

use std::fmt::Write as _;
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
use crate::game::{BoardSize, Game, Komi, Move, Position, Rules};
use crate::nn::features::FEATURES_VERSION;
use crate::nn::{
    KataGoFile, MANIFEST_FORMAT, Manifest, NetEvaluator, NetFile, NetShape, Network, Orientation,
    builtin, random_weights,
};
use crate::util::Seed;

#[derive(Debug, Subcommand)]
pub(super) enum NetCommand {
    /// List the networks that are built in
    List(ListArgs),
    /// Tell what a network is
    Info(FileArgs),
    /// Check a network: file, checksum, tensors, and what it says of its test positions
    Verify(FileArgs),
    /// Measure evaluations per second on the configured board, features and heads included
    Bench(BenchArgs),
    /// Make an untrained network
    Init(InitArgs),
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct FileArgs {
    /// NAME.safetensors with its manifest NAME.toml beside it, one of KataGo's files such as
    /// NAME.bin.gz, or builtin:NAME
    file: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
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
        NetCommand::List(args) => list(args),
        NetCommand::Info(args) => info(args),
        NetCommand::Verify(args) => verify(args),
        NetCommand::Bench(args) => bench(args, config),
        NetCommand::Init(args) => init(args),
    }
}

fn list(args: &ListArgs) -> anyhow::Result<()> {
    let nets = builtin::all()?;
    if args.json {
        let object = |net: &Manifest| {
            json!({
                "net": format!("{}{}", evaluator::BUILT_IN, net.name),
                "games": net.games,
                "boards": net.boards,
                "shape": net.shape.to_string(),
                "parameters": net.shape.parameters(),
                "used_for": used_for(net),
                "strength": net.strength,
            })
        };
        let nets: Vec<_> = nets.iter().map(object).collect();
        return print_json(&json!({ "nets": nets }));
    }
    let mut text = format!(
        "{:19} {:5} {:7} {:6} {:>10}  used for\n",
        "net", "game", "boards", "shape", "parameters"
    );
    for net in &nets {
        let [smallest, largest] = net.boards;
        let boards = if smallest == largest {
            smallest.to_string()
        } else {
            format!("{smallest}-{largest}")
        };
        let games = if net.games.is_empty() { "any".to_owned() } else { net.games.join(",") };
        let _ = writeln!(
            text,
            "{:19} {games:5} {boards:7} {:6} {:>10}  {}",
            format!("{}{}", evaluator::BUILT_IN, net.name),
            net.shape.to_string(),
            net.shape.parameters(),
            used_for(net),
        );
    }
    text += "\nTo use one: --net builtin:NAME. More of one: tedomari net info builtin:NAME\n";
    print(&text)
}

/// When a built-in network is chosen.
fn used_for(net: &Manifest) -> String {
    if net.games.is_empty() {
        return "tests of the program; it is not trained".to_owned();
    }
    let sides = |game| {
        let chosen = |&side: &usize| {
            let size = BoardSize::square(side).ok();
            let fitting = size.and_then(|size| evaluator::fitting(game, size));
            fitting.is_some_and(|fitting| fitting.name == net.name)
        };
        (BoardSize::MIN..=BoardSize::MAX).filter(chosen).collect::<Vec<_>>()
    };
    let games = Game::ALL.into_iter().filter_map(|game| match sides(game).as_slice() {
        [] => None,
        [side] => Some(format!("{game} on {side}x{side}")),
        [first, .., last] => Some(format!("{game} on {first}x{first} to {last}x{last}")),
    });
    match games.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "nothing, unless it is named".to_owned(),
        games => games + ", unless another is named",
    }
}

fn info(args: &FileArgs) -> anyhow::Result<()> {
    let net = evaluator::load(&args.file)?;
    let mut object = json!({
        "name": net.name(),
        "shape": net.shape(),
        "parameters": net.parameters(),
        "megaflops_9x9": net.operations(81) / 1e6,
        "megaflops_19x19": net.operations(361) / 1e6,
        "sha256": net.sha256(),
        "usable": true,
    });
    let (more, text) = match &net {
        Network::Own(net) => about_own(&net.manifest),
        Network::KataGo(net) => about_katago(net),
    };
    if args.json {
        if let (Some(object), serde_json::Value::Object(more)) = (object.as_object_mut(), more) {
            object.extend(more);
        }
        return print_json(&object);
    }
    print(&format!(
        "{}: {}, {} parameters, {:.1} MFLOP on 9x9, {:.1} on 19x19\n{text}",
        net.name(),
        net.shape(),
        net.parameters(),
        net.operations(81) / 1e6,
        net.operations(361) / 1e6,
    ))
}

fn about_own(manifest: &Manifest) -> (serde_json::Value, String) {
    let [smallest, largest] = manifest.boards;
    let text = format!(
        "games {}, boards {smallest} to {largest}, feature set {}\n\
         training: {}\nstrength: {}\n",
        manifest.games.join(" and "),
        manifest.features,
        manifest.training,
        manifest.strength,
    );
    let object = json!({
        "kind": "tedomari",
        "features": manifest.features,
        "games": manifest.games,
        "boards": manifest.boards,
        "training": manifest.training,
        "strength": manifest.strength,
        "canaries": manifest.canaries.len(),
    });
    (object, text)
}

fn about_katago(net: &KataGoFile) -> (serde_json::Value, String) {
    let text = format!(
        "a network of KataGo, model version {}, {} bytes\n\
         usable: Go on boards of any size, on the CPU, CUDA or Metal; trained on boards up to 19x19\n",
        net.model.version, net.bytes,
    );
    let object = json!({
        "kind": "katago",
        "version": net.model.version,
        "bytes": net.bytes,
        "games": ["go"],
    });
    (object, text)
}

fn verify(args: &FileArgs) -> anyhow::Result<()> {
    let net = evaluator::load(&args.file)?;
    // What it says of its test positions was compared when it was loaded.
    let canaries = match &net {
        Network::Own(net) => net.manifest.canaries.len(),
        Network::KataGo(_) => 0,
    };
    if args.json {
        return print_json(&json!({ "name": net.name(), "ok": true, "canaries": canaries }));
    }
    match net {
        Network::Own(_) => print(&format!(
            "{}: good, it says of {canaries} test positions what its manifest says\n",
            net.name()
        )),
        Network::KataGo(_) => print(&format!(
            "{}: good, all layers fit together, and what they compute is finite\n",
            net.name()
        )),
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
fn bench(args: &BenchArgs, config: &Config) -> anyhow::Result<()> {
    let size = config.game.size();
    let Measured { evaluator, shape, operations } = measured(args, config)?;
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
    let gflops = per_second * operations / 1e9;
    if args.json {
        return print_json(&json!({
            "shape": shape,
            "board": size.to_string(),
            "threads": args.threads,
            "batch": args.batch,
            "seconds": seconds,
            "evals_per_second": per_second,
            "gflops": gflops,
        }));
    }
    print(&format!(
        "{shape} on {size}, batch {}, {} {}: {per_second:.0} evaluations/s, {gflops:.0} \
         GFLOP/s by direct convolution\n",
        args.batch,
        args.threads,
        if args.threads == 1 { "thread" } else { "threads" },
    ))
}

/// What is measured, without a cache.
struct Measured {
    evaluator: Box<dyn Evaluator>,
    shape: String,
    /// Of one evaluation on the configured board.
    operations: f64,
}

/// The network that is configured, or one of a shape.
fn measured(args: &BenchArgs, config: &Config) -> anyhow::Result<Measured> {
    let points = config.game.size().area();
    let turned = Orientation::ByHash;
    if config.net.path.is_empty() {
        let weights = random_weights(&args.shape, Seed::new(1));
        return Ok(Measured {
            evaluator: Box::new(NetEvaluator::new(args.shape, weights, turned)),
            shape: args.shape.to_string(),
            operations: args.shape.operations(points),
        });
    }
    let net = evaluator::load(&config.net.path)?;
    Ok(Measured {
        evaluator: match &net {
            Network::Own(net) => Box::new(net.evaluator(turned)),
            Network::KataGo(net) => Box::new(net.evaluator(turned)),
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
