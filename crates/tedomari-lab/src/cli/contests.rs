//! Matches that tell of claims: `[[match]]` in the description of an experiment.

use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

use super::budget::Budget;
use tedomari::app::matches::{MatchSpec, PlayedMatch};
use tedomari::arena::PlayerSpec;
use tedomari::cli::play_match;
use tedomari::config::Config;
use tedomari::game::Komi;
use tedomari::util::make_folder;
use tedomari_lab::Contest;

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
    /// Where random numbers start.
    seed: Option<u64>,
    /// Openings, rules, and the time of both players, as `tedomari match` takes them.
    openings: Option<String>,
    rules: Option<String>,
    time: Option<String>,
    /// Points for White.
    komi: Option<f64>,
    /// Per cent that the first player of the paper wins, if it says so.
    paper: Option<f64>,
    /// Per cent of the second player's simulations that it takes.
    paper_simulations: Option<f64>,
}

impl MatchPart {
    fn spec(&self) -> anyhow::Result<MatchSpec> {
        let player = |text| PlayerSpec::read(text).with_context(|| format!("in '{text}'"));
        let usual = MatchSpec::of(vec![player(&self.first)?, player(&self.second)?]);
        let time = self.time.as_deref().map(str::parse).transpose().context("in time")?;
        Ok(MatchSpec {
            games: Some(self.games),
            seed: self.seed.unwrap_or(usual.seed),
            openings: self.openings.clone(),
            rules: self.rules.as_deref().map(str::parse).transpose().context("in rules")?,
            komi: self.komi.map(Komi::from_points).transpose().context("in komi")?,
            time: time.unwrap_or(usual.time),
            ..usual
        })
    }
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
    let PlayedMatch { standing, summary, .. } =
        play_match(part.spec()?, &folder, config, budget.flag())?;
    if !standing.is_over() {
        return Ok(None);
    }
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
