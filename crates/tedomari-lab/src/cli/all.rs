//! `tedomari-lab all`: one experiment after the other, as long as there is time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Args;
use indicatif::HumanDuration;
use serde::Deserialize;
use serde_json::json;

use super::budget::{self, Budget};
use super::contests::{self, MatchPart};
use super::stopping::{self, UncertaintyPart};
use super::study::{self, StudyArgs};
use super::time::{self, TimeArgs};
use super::{report, wls};
use tedomari::app::matches::MatchSpec;
use tedomari::arena::{PlayerSpec, RECORDS};
use tedomari::cli::{play_match, print, print_json};
use tedomari::config::Config;
use tedomari::util::{Seed, list_folder, make_folder, read_limited, write_atomically};
use tedomari_lab::{AssessError, Finding, Outcome, findings};

/// Bytes of the largest description of an experiment.
const MAX_BYTES: usize = 1 << 20;
/// Games of our own that are played where records are not there: as many as the paper had.
const OWN_GAMES: u64 = 2000;
/// The file that an experiment leaves in its folder.
pub(super) const RESULT: &str = "result.json";

#[derive(Debug, Args)]
pub(super) struct AllArgs {
    /// How long to work, such as 2h, 90m or 30s; what is missing is done the next time
    #[arg(long, value_name = "TIME", default_value = "2h", value_parser = budget::read)]
    budget: Duration,
    /// The folder with the descriptions of the experiments
    #[arg(long, value_name = "FOLDER", default_value = "experiments")]
    experiments: PathBuf,
    /// The folder for the results
    #[arg(long, value_name = "FOLDER", default_value = "lab")]
    out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// An experiment as it is described in a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    about: String,
    /// Settings of engine.toml by key.
    #[serde(default)]
    settings: Vec<(String, String)>,
    wls: Option<WlsPart>,
    study: Option<StudyPart>,
    time: Option<TimePart>,
    uncertainty: Option<UncertaintyPart>,
    #[serde(rename = "match", default)]
    matches: Vec<MatchPart>,
}

impl Description {
    /// How many kinds of work it describes.
    fn kinds(&self) -> usize {
        let parts = [
            self.wls.is_some(),
            self.study.is_some(),
            self.time.is_some(),
            self.uncertainty.is_some(),
            !self.matches.is_empty(),
        ];
        parts.into_iter().filter(|part| *part).count()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WlsPart {
    repetitions: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyPart {
    records: Vec<PathBuf>,
    /// Games of our own to be played where the records are not there.
    own_games: Option<u64>,
    games: usize,
    positions: usize,
    evaluators: Vec<String>,
    least: Option<usize>,
    held_out: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimePart {
    tables: Vec<String>,
    games: u64,
    simulations: u64,
    player: String,
    opponent: String,
}

/// Does what fits into the budget, and reports on everything that has been done so far.
pub(super) fn run(args: &AllArgs, config: &Config) -> anyhow::Result<()> {
    let budget = Budget::of(args.budget)?;
    let names = descriptions(&args.experiments)?;
    // What is not understood is said before hours of work.
    let read =
        |path: &PathBuf| described(path, config).with_context(|| format!("in {}", path.display()));
    let described: Vec<Described> = names.iter().map(read).collect::<anyhow::Result<_>>()?;
    make_folder(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
    let (mut missing, mut failed) = (Vec::new(), BTreeMap::new());
    for (number, (path, described)) in names.iter().zip(described).enumerate() {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let folder = args.out.join(&name);
        let is_this = |outcome: &Outcome| outcome.description == described.text;
        let done =
            report::outcome(&folder)?.is_some_and(|outcome| outcome.complete && is_this(&outcome));
        if done {
            continue;
        }
        if budget.is_over() {
            missing.push(name);
            continue;
        }
        announce(&name, (number + 1, names.len()), &budget);
        // What cannot be done here, for want of a program or a file, keeps nothing else from being done.
        match experiment(&name, described, &folder, &budget) {
            Ok(true) => {}
            Ok(false) => missing.push(name),
            Err(error) => {
                tracing::warn!(experiment = name, error = format!("{error:#}"), "not done");
                failed.insert(name, format!("in {}: {error:#}", path.display()));
            }
        }
    }
    let files = report::write(&args.out)?;
    if args.json {
        print_json(&json!({
            "experiments": names.len(), "missing": missing, "failed": failed, "files": files,
        }))?;
    } else {
        print(&told(&missing, &failed, &files))?;
    }
    let reasons: Vec<String> = failed.into_values().collect();
    ensure!(reasons.is_empty(), "{}", reasons.join("\n"));
    Ok(())
}

/// Says on standard error which experiment begins, and when all ends at the latest.
fn announce(name: &str, (number, of): (usize, usize), budget: &Budget) {
    let left = budget.left().unwrap_or_default();
    let left = HumanDuration(Duration::from_secs_f64(left.as_secs_f64().round()));
    // Nobody may be reading.
    let _ = writeln!(
        std::io::stderr(),
        "experiment {number} of {of}, {name}: the budget ends in {left}"
    );
}

fn told(missing: &[String], failed: &BTreeMap<String, String>, files: &[PathBuf]) -> String {
    let mut text = String::new();
    if !missing.is_empty() {
        let missing = missing.join(", ");
        text = format!("not done yet: {missing}; run the same command again to go on\n");
    } else if failed.is_empty() {
        "all experiments are done\n".clone_into(&mut text);
    }
    for file in files {
        let _ = writeln!(text, "wrote {}", file.display());
    }
    text
}

fn descriptions(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = list_folder(folder)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    if paths.is_empty() {
        bail!("{} holds no experiment: give a folder with .toml files", folder.display());
    }
    Ok(paths)
}

/// An experiment with the settings that it asks for.
struct Described {
    /// The file as it is.
    text: String,
    description: Description,
    config: Config,
}

fn described(path: &Path, config: &Config) -> anyhow::Result<Described> {
    let text = String::from_utf8(read_limited(path, MAX_BYTES)?).context("not UTF-8 text")?;
    let description: Description = toml::from_str(&text)?;
    ensure!(
        description.kinds() == 1,
        "write one of [wls], [study], [time], [uncertainty] and [[match]]"
    );
    let mut config = config.clone();
    for (key, value) in &description.settings {
        config = config.with(key, value)?;
    }
    Ok(Described { text, description, config })
}

/// Does an experiment, or goes on with it; returns whether it is done.
fn experiment(
    name: &str,
    described: Described,
    folder: &Path,
    budget: &Budget,
) -> anyhow::Result<bool> {
    let Described { text, description, config } = described;
    make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let command = format!("tedomari-lab all, experiments/{name}.toml");
    let done = if let Some(part) = &description.wls {
        wls_part(part, &config, budget, &command)
    } else if let Some(part) = &description.study {
        study_part(part, folder, &config, budget, &command)?
    } else if let Some(part) = &description.time {
        Some(time_part(part, folder, &config, budget, &command)?)
    } else if let Some(part) = &description.uncertainty {
        stopping::result(part, folder, &config, budget)?
            .map(|told| (findings::of_uncertainty(&told, &command), told, true))
    } else {
        let (rows, complete) = contests::result(&description.matches, folder, &config, budget)?;
        Some((findings::of_contests(&rows, &command), json!(rows), complete))
    };
    let Some((findings, result, complete)) = done else { return Ok(false) };
    let outcome = Outcome {
        experiment: name.to_owned(),
        about: description.about,
        description: text,
        complete,
        findings,
        result,
    };
    let path = folder.join(RESULT);
    write_atomically(&path, (serde_json::to_string_pretty(&outcome)? + "\n").as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(complete)
}

type Done = (Vec<Finding>, serde_json::Value, bool);

fn wls_part(part: &WlsPart, config: &Config, budget: &Budget, command: &str) -> Option<Done> {
    let result = wls::result(part.repetitions, Seed::new(config.search.seed), budget)?;
    Some((result.findings(command), result.json(), true))
}

/// The records of a study, or games of the player without a network where one of them is not there, and
/// whether that is so; none if there was no time to play these.
fn records(
    part: &StudyPart,
    folder: &Path,
    config: &Config,
    budget: &Budget,
) -> anyhow::Result<Option<(Vec<PathBuf>, bool)>> {
    let absent = part.records.iter().find(|path| !path.exists());
    let Some(absent) = absent else { return Ok(Some((part.records.clone(), false))) };
    let games = part.own_games.unwrap_or(OWN_GAMES);
    tracing::warn!(records = %absent.display(), games, "not there: games of our own are played");
    let out = folder.join("own-games");
    let player =
        |name: &str| format!("name={name} tedomari net.path=none simulations=200 threads=1");
    let [first, second] = ["first", "second"].map(player);
    let players = vec![PlayerSpec::read(&first)?, PlayerSpec::read(&second)?];
    let spec = MatchSpec { games: Some(games), ..MatchSpec::of(players) };
    let played =
        play_match(spec, &out, config, budget.flag()).context("in the games of our own")?;
    Ok(played.standing.is_over().then(|| (vec![out.join(RECORDS)], true)))
}

/// None if there was no time for all of it.
fn study_part(
    part: &StudyPart,
    folder: &Path,
    config: &Config,
    budget: &Budget,
    command: &str,
) -> anyhow::Result<Option<Done>> {
    let Some((records, own)) = records(part, folder, config, budget)? else { return Ok(None) };
    let args = StudyArgs {
        records,
        evaluator: part.evaluators.clone(),
        out: folder.to_owned(),
        games: part.games,
        positions: part.positions,
        least: part.least.unwrap_or(study::LEAST),
        // No network has learnt from our own games.
        held_out: part.held_out.filter(|_| !own),
        ..StudyArgs::usual()
    };
    let study = match study::study(&args, config, budget) {
        Err(error) if matches!(error.downcast_ref(), Some(AssessError::Stopped)) => {
            return Ok(None);
        }
        study => study?,
    };
    study::write(&study, folder)?;
    Ok(Some((findings::of_study(&study, command), json!(study), true)))
}

fn time_part(
    part: &TimePart,
    folder: &Path,
    config: &Config,
    budget: &Budget,
    command: &str,
) -> anyhow::Result<Done> {
    let args = TimeArgs {
        out: folder.join("matches"),
        table: part.tables.clone(),
        games: part.games,
        simulations: part.simulations,
        player: part.player.clone(),
        opponent: part.opponent.clone(),
        seed: config.search.seed,
        json: false,
    };
    let result = time::result(&args, config, budget)?;
    let board = config.game.size().to_string();
    let ground = findings::Ground { game: config.game.kind.key(), board: &board };
    let findings = findings::of_time(&result.rows, ground, command);
    let complete = result.complete;
    Ok((findings, json!(result), complete))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_experiments_of_the_project_are_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        let paths = descriptions(&folder).unwrap();
        assert!(paths.len() >= 4);
        for path in paths {
            let Described { description, config, .. } =
                described(&path, &Config::default()).unwrap();
            for text in description.study.iter().flat_map(|study| &study.evaluators) {
                super::super::evaluators::read(text, &config).unwrap();
            }
        }
    }
}
