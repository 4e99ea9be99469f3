//! `tedomari uncertainty make`: all that a stop profile takes.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{Place, Told, calibrate, generate, label, replay, train};
use crate::config::Config;
use crate::uncertainty::Split;

/// Games of a profile where nobody says otherwise.
pub(super) const DEFAULT_GAMES: usize = 1500;

#[derive(Debug, Args)]
pub(crate) struct MakeArgs {
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

pub(crate) fn run(args: &MakeArgs, config: &Config) -> anyhow::Result<Told> {
    let traces = args.out.join("traces");
    let generated = generate::run_for(
        &generate::GenerateArgs {
            out: traces.clone(),
            games: args.games,
            games_per_file: 8,
            records: args.records.clone(),
            minutes: args.minutes,
        },
        config,
        Split::fewest_games(&config.uncertainty),
    )?;
    if generated.json["complete"] == false {
        return Ok(generated);
    }
    let plot = Some(args.out.join("needed.svg"));
    let labelled = label::run(&label::LabelArgs { traces: traces.clone(), plot }, config)?;
    let place = Place { traces, out: args.out.clone(), name: args.name.clone() };
    let trained = train::run(
        &train::TrainArgs {
            place: place.clone(),
            scratch: None,
            head: false,
            after: args.after.clone(),
        },
        config,
    )?;
    let checkpoints = args.checkpoints.clone();
    let calibrated =
        calibrate::run(&calibrate::CalibrateArgs { place: place.clone(), checkpoints }, config)?;
    let replayed = replay::run(&replay::ReplayArgs { place, points: Vec::new() }, config)?;
    Ok(Told {
        text: [generated.text, labelled.text, trained.text, replayed.text, calibrated.text]
            .join("\n"),
        json: json!({
            "generate": generated.json, "label": labelled.json, "train": trained.json,
            "calibrate": calibrated.json, "replay": replayed.json,
        }),
    })
}
