//! Matches that tell of claims: `[[match]]` in the description of an experiment.

use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

use super::budget::Budget;
use crate::arena::report::{Results, Summary};
use crate::cli::matches;
use crate::config::Config;
use crate::lab::Contest;
use crate::util::make_folder;

/// A match, and what the paper says of the like.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchPart {
    /// Its name, which is that of its folder, too.
    name: String,
    /// The rows of the checklist that it is about.
    claims: Vec<String>,
    /// What the first player is, in words.
    about: String,
    /// The players as `tedomari match` takes them.
    first: String,
    second: String,
    games: u64,
    /// Further arguments of `tedomari match`.
    #[serde(default)]
    arguments: Vec<String>,
    /// Per cent that the first player of the paper wins, if it says so.
    paper: Option<f64>,
    /// Per cent of the second player's simulations that it takes.
    paper_simulations: Option<f64>,
}

/// Plays all matches that there is time for: what they say, and whether all were played.
pub(super) fn result(
    parts: &[MatchPart],
    folder: &Path,
    config: &Config,
    budget: &Budget,
) -> anyhow::Result<(Vec<Contest>, bool)> {
    let mut played = Vec::new();
    for part in parts {
        if budget.is_over() {
            break;
        }
        let done = play(part, folder, config, budget);
        let Some(row) = done.with_context(|| format!("in {}", part.name))? else { break };
        played.push(row);
    }
    let complete = played.len() == parts.len();
    Ok((played, complete))
}

/// None if there was no time for all games; those that were played are kept.
fn play(
    part: &MatchPart,
    folder: &Path,
    config: &Config,
    budget: &Budget,
) -> anyhow::Result<Option<Contest>> {
    let folder = folder.join(&part.name);
    make_folder(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut words: Vec<String> = vec!["--player".to_owned(), part.first.clone()];
    words.extend(["--player".to_owned(), part.second.clone()]);
    words.extend(["--games".to_owned(), part.games.to_string()]);
    words.extend(["--out".to_owned(), folder.display().to_string()]);
    words.extend(part.arguments.iter().cloned());
    if !matches::play_words(&words, config, budget.flag())? {
        return Ok(None);
    }
    let results = Results::read(std::slice::from_ref(&folder))?;
    let summary = Summary::new(&results, &folder);
    let pairing = summary.pairings.first().context("no game has ended")?;
    let simulations = |index: usize| summary.players.get(index)?.simulations.mean;
    let (first, second) = (simulations(pairing.first), simulations(pairing.second));
    let ratio = first.zip(second).filter(|(_, second)| *second > 0.0);
    Ok(Some(Contest {
        claims: part.claims.clone(),
        about: part.about.clone(),
        games: pairing.games,
        score: pairing.score.context("no game counts")?,
        low: pairing.score_interval.low,
        high: pairing.score_interval.high,
        simulations: ratio.map(|(first, second)| first / second),
        paper: part.paper.map(|share| share / 100.0),
        paper_simulations: part.paper_simulations.map(|share| share / 100.0),
    }))
}
