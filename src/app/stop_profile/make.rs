//! All steps that a stop profile takes, one after the other.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::generate::generate_at_least;
use super::{
    CalibrateSpec, GenerateSpec, LabelSpec, Place, ReplaySpec, StepReport, TrainSpec, calibrate,
    label, replay, train,
};
use crate::app::progress::Surroundings;
use crate::uncertainty::Split;

/// Games of a profile where nobody says otherwise.
pub const DEFAULT_GAMES: usize = 1500;

/// A stop profile for a network: the network is that of the configuration.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MakeSpec {
    /// The folder for everything; what is there already is not made again.
    pub out: PathBuf,
    /// The name; that of the network if there is none.
    pub name: Option<String>,
    /// Games to search positions of.
    pub games: usize,
    /// Folders of games to take positions from; without one the games are played.
    pub records: Vec<PathBuf>,
    /// Simulations after which MCTS-UN is trained, one or several such as 35,70,140, instead of those by
    /// equation 7.
    pub after: Vec<usize>,
    /// Simulations of the checkpoints after the first, such as 40,80,160.
    pub checkpoints: Vec<usize>,
}

/// Makes a stop profile: generates, labels, trains, calibrates and replays. When it is told to stop while
/// it searches, the report has `complete` false and the rest is done the next time.
pub fn make(spec: &MakeSpec, around: &Surroundings<'_>) -> anyhow::Result<StepReport> {
    let config = around.config;
    let traces = spec.out.join("traces");
    let generated = generate_at_least(
        Split::fewest_games(&config.uncertainty),
        &GenerateSpec {
            out: traces.clone(),
            games: spec.games,
            games_per_file: 8,
            records: spec.records.clone(),
        },
        around,
    )?;
    if generated.json["complete"] == false {
        return Ok(generated);
    }
    let plot = Some(spec.out.join("needed.svg"));
    let labelled = label(&LabelSpec { traces: traces.clone(), plot }, config)?;
    let place = Place { traces, out: spec.out.clone(), name: spec.name.clone() };
    let trained = train(
        &TrainSpec { place: place.clone(), scratch: None, head: false, after: spec.after.clone() },
        around,
    )?;
    let checkpoints = spec.checkpoints.clone();
    let calibrated = calibrate(&CalibrateSpec { place: place.clone(), checkpoints }, config)?;
    let replayed = replay(&ReplaySpec { place, points: Vec::new() }, config)?;
    Ok(StepReport {
        text: [generated.text, labelled.text, trained.text, replayed.text, calibrated.text]
            .join("\n"),
        json: json!({
            "generate": generated.json, "label": labelled.json, "train": trained.json,
            "calibrate": calibrated.json, "replay": replayed.json,
        }),
    })
}
