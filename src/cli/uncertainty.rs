//! `tedomari uncertainty`: data, networks and thresholds that end searches early.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};

use super::progress::Bars;
use super::{print, print_json, restart, stop};
use crate::app::progress::Surroundings;
use crate::app::stop_profile::{
    self, CalibrateSpec, DEFAULT_GAMES, GenerateSpec, LabelSpec, MakeSpec, ReplaySpec, StepReport,
    TrainSpec,
};
use crate::config::Config;
use crate::nn::NetShape;

#[derive(Debug, Args)]
pub(super) struct UncertaintyArgs {
    #[command(subcommand)]
    command: UncertaintyCommand,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum UncertaintyCommand {
    /// Make a stop profile for a network: generate, label, train, calibrate and replay one after the other
    Make(MakeArgs),
    /// Search positions of games to the end and keep every simulation
    Generate(GenerateArgs),
    /// Tell how much search recorded positions needed
    Label(LabelArgs),
    /// Train State-UN and MCTS-UN on recorded searches
    Train(TrainArgs),
    /// Find thresholds on held-out games and write a stop profile
    Calibrate(CalibrateArgs),
    /// Try rules that end searches on recorded ones
    Replay(ReplayArgs),
}

#[derive(Debug, Args)]
struct MakeArgs {
    /// The folder for everything; what is there already is not made again
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The name; that of the network if there is none
    #[arg(long)]
    name: Option<String>,
    /// Games to search positions of
    #[arg(long, default_value_t = DEFAULT_GAMES)]
    games: usize,
    /// Folders of games to take positions from; without one the games are played
    #[arg(long, value_name = "DIR")]
    records: Vec<PathBuf>,
    /// Simulations after which MCTS-UN is trained, one or several such as 35,70,140, instead of those by
    /// equation 7
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    after: Vec<usize>,
    /// Simulations of the checkpoints after the first, such as 40,80,160
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    checkpoints: Vec<usize>,
    /// Stop searching after so many minutes; the rest is done the next time
    #[arg(long)]
    minutes: Option<f64>,
}

#[derive(Debug, Args)]
struct GenerateArgs {
    /// The folder for the traces; files that are there already are not made again
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Games to have in the end
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// Games of a file
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    games_per_file: u64,
    /// Folders of games to take positions from; without one the games are played, as `[selfplay]` says
    #[arg(long, value_name = "DIR")]
    records: Vec<PathBuf>,
    /// Stop after so many minutes
    #[arg(long)]
    minutes: Option<f64>,
}

#[derive(Debug, Args)]
struct LabelArgs {
    /// The folder with traces
    #[arg(long, value_name = "DIR")]
    traces: PathBuf,
    /// Draw the shares of positions that need so many simulations (Fig. 1) to this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// Where the data is, and where the networks and the profile go.
#[derive(Debug, Args)]
struct Place {
    /// The folder with traces
    #[arg(long, value_name = "DIR")]
    traces: PathBuf,
    /// The folder for NAME-state.safetensors, NAME-mcts.safetensors and NAME-stop.toml
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The name; that of the network if there is none
    #[arg(long)]
    name: Option<String>,
}

#[derive(Debug, Args)]
struct TrainArgs {
    #[command(flatten)]
    place: Place,
    /// Begin with random weights of this shape instead of those of the network
    #[arg(long, value_name = "SHAPE")]
    scratch: Option<NetShape>,
    /// Train only the last layer of State-UN: an uncertainty head on the network as it is
    #[arg(long)]
    head: bool,
    /// Simulations after which MCTS-UN is trained, one or several such as 31,62,124, instead of those by
    /// equation 7
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    after: Vec<usize>,
}

#[derive(Debug, Args)]
struct CalibrateArgs {
    #[command(flatten)]
    place: Place,
    /// Simulations of the checkpoints after the first, such as 40,80,160; by default those that
    /// MCTS-UN was trained for, and doubles of it
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    checkpoints: Vec<usize>,
}

#[derive(Debug, Args)]
struct ReplayArgs {
    #[command(flatten)]
    place: Place,
    /// Checkpoints with thresholds instead of those of the profile, such as 0:0.1,40:0.05
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = point)]
    points: Vec<(usize, f64)>,
}

/// Reads `N:THRESHOLD`.
fn point(text: &str) -> Result<(usize, f64), String> {
    let parts = text.split_once(':').map(|(n, threshold)| (n.parse(), threshold.parse()));
    match parts {
        Some((Ok(n), Ok(threshold))) => Ok((n, threshold)),
        _ => Err("write SIMULATIONS:THRESHOLD such as 40:0.05".to_owned()),
    }
}

impl Place {
    fn place(&self) -> stop_profile::Place {
        let Self { traces, out, name } = self;
        stop_profile::Place { traces: traces.clone(), out: out.clone(), name: name.clone() }
    }
}

/// Does one of the steps from games to a stop profile, or all.
pub(super) fn run(args: &UncertaintyArgs, config: &Config) -> anyhow::Result<()> {
    if matches!(args.command, UncertaintyCommand::Make(_) | UncertaintyCommand::Train(_)) {
        restart::for_training()?;
    }
    let report = step(&args.command, config)?;
    if args.json { print_json(&report.json) } else { print(&report.text) }
}

fn step(command: &UncertaintyCommand, config: &Config) -> anyhow::Result<StepReport> {
    let minutes = match command {
        UncertaintyCommand::Make(args) => args.minutes,
        UncertaintyCommand::Generate(args) => args.minutes,
        _ => None,
    };
    let searches = matches!(command, UncertaintyCommand::Make(_) | UncertaintyCommand::Generate(_));
    let stop = if searches { stop::flag(minutes)? } else { Arc::default() };
    let around = Surroundings { config, stop: &stop, display: &Bars };
    match command {
        UncertaintyCommand::Make(args) => {
            let spec = MakeSpec {
                out: args.out.clone(),
                name: args.name.clone(),
                games: args.games,
                records: args.records.clone(),
                after: args.after.clone(),
                checkpoints: args.checkpoints.clone(),
            };
            stop_profile::make(&spec, &around)
        }
        UncertaintyCommand::Generate(args) => {
            let spec = GenerateSpec {
                out: args.out.clone(),
                games: args.games,
                games_per_file: args.games_per_file,
                records: args.records.clone(),
            };
            stop_profile::generate(&spec, &around)
        }
        UncertaintyCommand::Label(args) => {
            let spec = LabelSpec { traces: args.traces.clone(), plot: args.plot.clone() };
            stop_profile::label(&spec, config)
        }
        UncertaintyCommand::Train(args) => {
            let (place, after) = (args.place.place(), args.after.clone());
            let spec = TrainSpec { place, scratch: args.scratch, head: args.head, after };
            stop_profile::train(&spec, &around)
        }
        UncertaintyCommand::Calibrate(args) => {
            let checkpoints = args.checkpoints.clone();
            stop_profile::calibrate(
                &CalibrateSpec { place: args.place.place(), checkpoints },
                config,
            )
        }
        UncertaintyCommand::Replay(args) => {
            let points = args.points.clone();
            stop_profile::replay(&ReplaySpec { place: args.place.place(), points }, config)
        }
    }
}
