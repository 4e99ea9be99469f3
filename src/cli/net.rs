//! `tedomari net`: networks in files.

mod bench;

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use serde_json::json;

use super::{print, print_json};
use crate::app::evaluators;
use crate::config::Config;
use crate::game::{BoardSize, Game};
use crate::nn::{KataGoFile, Manifest, NetFile, NetShape, Network, Precision, builtin};
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
    Bench(bench::BenchArgs),
    /// Compare a network with its teacher, on positions of games and on odd ones
    Compare(super::compare::CompareArgs),
    /// Write a network with weights of 16 bits, if it says of its test positions what it said before
    Halve(HalveArgs),
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
pub(super) struct HalveArgs {
    /// NAME.safetensors with its manifest, or builtin:NAME
    file: String,
    /// NAME.safetensors to write; its manifest goes to NAME.toml
    out: PathBuf,
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
        NetCommand::Bench(args) => bench::run(args, config),
        NetCommand::Compare(args) => super::compare::run(args, config),
        NetCommand::Halve(args) => halve(args),
        NetCommand::Init(args) => init(args),
    }
}

fn list(args: &ListArgs) -> anyhow::Result<()> {
    let nets = builtin::all()?;
    if args.json {
        let object = |net: &Manifest| {
            json!({
                "net": format!("{}{}", evaluators::BUILT_IN, net.name),
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
            format!("{}{}", evaluators::BUILT_IN, net.name),
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
            let fitting = size.and_then(|size| evaluators::fitting(game, size));
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
    let net = evaluators::load(&args.file)?;
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
    let net = evaluators::load(&args.file)?;
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

fn halve(args: &HalveArgs) -> anyhow::Result<()> {
    let Network::Own(net) = evaluators::load(&args.file)? else {
        bail!("{} is one of KataGo's networks, which are not written here", args.file);
    };
    let mut halved = net.halved();
    halved.verify().with_context(|| format!("{} does not bear 16 bits", args.file))?;
    // From now on it says what the rounded weights say.
    halved.record_canaries()?;
    halved.save_as(&args.out, Precision::Half)?;
    print(&format!("{}: {} with weights of 16 bits\n", args.out.display(), halved.manifest.name))
}

fn init(args: &InitArgs) -> anyhow::Result<()> {
    let name = args.file.file_stem().context("the file has no name")?;
    NetFile::untrained(&name.to_string_lossy(), args.shape, Seed::new(args.seed))?
        .save(&args.file)?;
    print(&format!("{}: an untrained {} network\n", args.file.display(), args.shape))
}
