//! `tedomari uncertainty make`: all that a stop profile takes.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{Place, Told, calibrate, generate, label, replay, train};
use crate::config::Config;

#[derive(Debug, Args)]
pub(crate) struct MakeArgs {
    /// The folder for everything; what is there already is not made again
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The name; that of the network if there is none
    #[arg(long)]
    name: Option<String>,
    /// Games to search positions of
    #[arg(long, default_value_t = 1500)]
    games: usize,
    /// Folders of games to take positions from; without one the games are played
    #[arg(long, value_name = "DIR")]
    records: Vec<PathBuf>,
}

pub(crate) fn run(args: &MakeArgs, config: &Config) -> anyhow::Result<Told> {
    let traces = args.out.join("traces");
    let generated = generate::run(
        &generate::GenerateArgs {
            out: traces.clone(),
            games: args.games,
            games_per_file: 8,
            records: args.records.clone(),
            minutes: None,
        },
        config,
    )?;
    if generated.json["complete"] == false {
        return Ok(generated);
    }
    let plot = Some(args.out.join("needed.svg"));
    let labelled = label::run(&label::LabelArgs { traces: traces.clone(), plot }, config)?;
    let place = Place { traces, out: args.out.clone(), name: args.name.clone() };
    let trained = train::run(
        &train::TrainArgs { place: place.clone(), scratch: None, head: false, after: Vec::new() },
        config,
    )?;
    let checkpoints = Vec::new();
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
