//! Settings found by games: iterations of two players each, kept as they come.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use super::matches::{MatchSpec, prepare};
use super::players;
use super::progress::Surroundings;
use crate::arena::{Audience, GameLine, MatchInfo, PlayerKind, PlayerSpec, Standing};
use crate::config::{Config, long_name};
use crate::tune::{Spsa, Tuned, chart};
use crate::util::{Journal, Seed, list_folder, make_folder, read_limited, write_atomically};

/// What the search is, so that another one does not go on in its folder.
const SPEC: &str = "tune.json";
/// A line for each iteration.
const ITERATIONS: &str = "iterations.jsonl";
/// The picture of the way.
const PICTURE: &str = "tune.svg";
/// The games of the iteration under way are in a folder whose name begins so.
const UNDER_WAY: &str = "iteration-";
/// Bytes of the largest file with what the search is.
const MAX_SPEC: usize = 1 << 20;

/// A setting to tune, as users write it: `KEY=LOW..HIGH`, or `KEY=LOW..HIGH:STEP`.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedRange {
    key: String,
    low: f64,
    high: f64,
    step: Option<f64>,
}

impl std::str::FromStr for TunedRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (key, range) = text.split_once('=')?;
            let (low, high) = range.split_once("..")?;
            let (high, step) = high.split_once(':').map_or((high, None), |(h, s)| (h, Some(s)));
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
            Some(Self {
                key: long_name(key.trim()).to_owned(),
                low: number(low)?,
                high: number(high)?,
                step: step.map(|step| number(step).ok_or(())).transpose().ok()?,
            })
        };
        read().ok_or_else(|| {
            format!("'{text}' is no range: write KEY=LOW..HIGH or KEY=LOW..HIGH:STEP")
        })
    }
}

/// What is to be tuned, and by which games.
#[derive(Clone, Debug)]
pub struct TuneSpec {
    /// The settings.
    pub ranges: Vec<TunedRange>,
    /// Who plays, but for these settings: an engine in this process.
    pub player: PlayerSpec,
    /// What all games have in common. Its players, its number of games and its seed are not looked at.
    pub contest: MatchSpec,
    /// Games in all.
    pub games: u64,
    /// Games of an iteration, an even number: each opening is played with both colours.
    pub games_each: u64,
    /// How far the settings would go, in steps, if all games said the same; none for what suits the number of games.
    pub reach: Option<f64>,
    /// Where random numbers start.
    pub seed: u64,
}

/// What a folder says of the search in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Written {
    format: u32,
    tuned: Vec<Tuned>,
    games: u64,
    games_each: u64,
    reach: Option<f64>,
    seed: u64,
    contest: serde_json::Value,
}

/// An iteration as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Iteration {
    /// Counted from 1.
    number: u64,
    /// Settings of the two players, in the order of `tune.json`.
    plus: Vec<f64>,
    minus: Vec<f64>,
    /// Games that the first won, that nobody won, and that it lost.
    results: [u64; 3],
}

impl Iteration {
    fn score(&self) -> f64 {
        let [won, drawn, lost] = self.results.map(|count| count as f64);
        (won - lost) / (won + drawn + lost).max(1.0)
    }
}

/// How far the search is, and what it has found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Iterations done.
    pub iterations: u64,
    /// Iterations in all.
    pub of: u64,
    /// Games played.
    pub games: u64,
    /// The settings.
    pub settings: Vec<Found>,
}

/// What was found of a setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// Its key.
    pub key: String,
    /// Where the way began.
    pub start: f64,
    /// Where the way is now.
    pub now: f64,
    /// The mean of the second half of the way.
    pub found: f64,
    /// The standard deviation over that half: a hint, and no interval.
    pub spread: f64,
}

/// Plays until all iterations are done or the surroundings say stop. The same command goes on in the same folder, and comes
/// to the same end however often it was interrupted.
pub fn tune(spec: &TuneSpec, out: &Path, around: Surroundings<'_>) -> anyhow::Result<Report> {
    ensure!(
        spec.games_each >= 2 && spec.games_each.is_multiple_of(2),
        "an iteration needs an even number of games: each opening is played with both colours"
    );
    let tuned = spec.settings(around.config)?;
    let seed = Seed::new(spec.seed);
    let spsa = Spsa::new(tuned, spec.games.div_ceil(spec.games_each), spec.reach, seed)?;
    let of = spec.games.div_ceil(spec.games_each);
    make_folder(out).with_context(|| format!("cannot make {}", out.display()))?;
    claim(&out.join(SPEC), &spec.written(&spsa, around.config)?)?;
    let path = out.join(ITERATIONS);
    let valid = |line: &str| serde_json::from_str::<Iteration>(line).is_ok();
    let (mut journal, lines) =
        Journal::open(&path, &valid).with_context(|| format!("in {}", path.display()))?;
    let mut done: Vec<Iteration> = Vec::new();
    for line in &lines {
        done.push(serde_json::from_str(line)?);
    }
    let in_order = (1..).zip(&done).all(|(number, line)| line.number == number);
    ensure!(
        in_order && done.len() as u64 <= of,
        "{} is damaged: iterations are missing",
        path.display()
    );
    let mut way = spsa.way(&done.iter().map(Iteration::score).collect::<Vec<_>>());
    let progress = around.display.begin("tune", of, "iterations");
    progress.begin_at(done.len() as u64);
    for iteration in done.len() as u64..of {
        let values = way.last().cloned().unwrap_or_default();
        let trial = spsa.trial(iteration, &values);
        let folder = out.join(format!("{UNDER_WAY}{:06}", iteration + 1));
        remove_others(out, &folder)?;
        let players = [("plus", &trial.plus), ("minus", &trial.minus)]
            .map(|(name, values)| spec.with(name, spsa.tuned(), values));
        let contest = MatchSpec {
            players: players.to_vec(),
            games: Some(spec.games_each),
            seed: seed.fork("iteration", iteration).number() >> 1,
            ..spec.contest.clone()
        };
        let prepared = prepare(contest, &folder, around.config, around.stop)?;
        let standing = prepared.games(&mut Nobody)?;
        if !standing.is_over() {
            break;
        }
        let results = [standing.wins[0], standing.draws, standing.losses[0]];
        let (plus, minus) = (trial.plus, trial.minus);
        let line = Iteration { number: iteration + 1, plus, minus, results };
        journal.append([serde_json::to_string(&line)?.as_str()])?;
        way.push(spsa.learn(iteration, &values, line.score()));
        done.push(line);
        let now = spsa.tuned().iter().zip(way.last().into_iter().flatten());
        let now: Vec<_> =
            now.map(|(one, &value)| format!("{}={}", one.key, one.text(value))).collect();
        progress.set(iteration + 1, now.join(" "));
    }
    progress.end();
    journal.sync()?;
    if done.len() as u64 == of {
        remove_others(out, Path::new(""))?;
    }
    let picture = out.join(PICTURE);
    write_atomically(&picture, chart(&spsa, &way).as_bytes())
        .with_context(|| format!("cannot write {}", picture.display()))?;
    Ok(report(&spsa, &way, &done, of))
}

fn report(spsa: &Spsa, way: &[Vec<f64>], done: &[Iteration], of: u64) -> Report {
    let now = way.last().cloned().unwrap_or_default();
    let found = spsa.tuned().iter().zip(now).zip(spsa.found(way));
    let settings = found.map(|((one, now), (found, spread))| Found {
        key: one.key.clone(),
        start: one.start,
        now,
        found,
        spread,
    });
    Report {
        iterations: done.len() as u64,
        of,
        games: done.iter().map(|line| line.results.iter().sum::<u64>()).sum(),
        settings: settings.collect(),
    }
}

impl TuneSpec {
    /// The settings, each with the value that the player begins with.
    fn settings(&self, config: &Config) -> anyhow::Result<Vec<Tuned>> {
        let PlayerKind::Engine(given) = &self.player.kind else {
            anyhow::bail!(
                "{} is a program: only settings of tedomari itself can be tuned",
                self.player.name
            )
        };
        let config = players::with_settings(config, given)?;
        self.ranges.iter().map(|range| range.tuned(&config)).collect()
    }

    /// The player with these values.
    fn with(&self, name: &str, tuned: &[Tuned], values: &[f64]) -> PlayerSpec {
        let mut player = self.player.clone();
        name.clone_into(&mut player.name);
        let pairs =
            tuned.iter().zip(values).map(|(one, &value)| (one.key.clone(), one.text(value)));
        let pairs: Vec<_> = pairs.collect();
        for (key, value) in &pairs {
            player.text = format!("{} {key}={value}", player.text);
        }
        if let PlayerKind::Engine(settings) = &mut player.kind {
            settings.extend(pairs);
        }
        player
    }

    fn written(&self, spsa: &Spsa, config: &Config) -> anyhow::Result<Written> {
        let players = ["plus", "minus"].map(|name| self.with(name, &[], &[])).to_vec();
        let contest = MatchSpec { players, games: Some(self.games_each), ..self.contest.clone() };
        let info: MatchInfo = contest.describe(config)?;
        Ok(Written {
            format: 1,
            tuned: spsa.tuned().to_vec(),
            games: self.games,
            games_each: self.games_each,
            reach: self.reach,
            seed: self.seed,
            contest: serde_json::to_value(info)?,
        })
    }
}

impl TunedRange {
    fn tuned(&self, config: &Config) -> anyhow::Result<Tuned> {
        let Self { key, low, high, step } = self;
        let value = config.entries().into_iter().find(|(known, _)| known == key);
        let Some((_, value)) = value else {
            // Says which key is meant.
            config.with(key, "0")?;
            anyhow::bail!("unknown key {key}");
        };
        let (start, whole) = match value {
            toml::Value::Integer(start) => (start as f64, true),
            toml::Value::Float(start) => (start, false),
            _ => anyhow::bail!("{key} is no number"),
        };
        let tuned = Tuned {
            key: key.clone(),
            low: *low,
            high: *high,
            start,
            step: step.unwrap_or((high - low) / 20.0),
            whole,
        };
        for end in [low, high] {
            config.with(key, &tuned.text(*end)).with_context(|| format!("in --tune {key}"))?;
        }
        Ok(tuned)
    }
}

/// Writes what the search is into a new folder, or finds that the folder holds the same.
fn claim(path: &Path, written: &Written) -> anyhow::Result<()> {
    if path.exists() {
        let text = read_limited(path, MAX_SPEC)?;
        let there: Written = serde_json::from_slice(&text)
            .with_context(|| format!("{} is damaged", path.display()))?;
        ensure!(
            there == *written,
            "{} was written by another command: take another folder, or give the command that began it",
            path.display()
        );
        return Ok(());
    }
    write_atomically(path, serde_json::to_string_pretty(written)?.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Removes what is left of iterations but the one whose folder this is: they are in the journal.
fn remove_others(out: &Path, keep: &Path) -> anyhow::Result<()> {
    for path in list_folder(out)? {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(UNDER_WAY) && path != keep {
            fs::remove_dir_all(&path)
                .with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// Does not look at the games.
struct Nobody;

impl Audience for Nobody {
    fn see(&mut self, _: &Standing, _: Option<&GameLine>) {}
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::app::progress::{Display, Progress, Silent};

    fn spec(games: u64) -> TuneSpec {
        let player = "resign=no tedomari net.path=none playout.policy=uniform threads=1";
        TuneSpec {
            ranges: vec!["simulations=2..42".parse().unwrap()],
            player: PlayerSpec::read(&format!("{player} simulations=10")).unwrap(),
            contest: MatchSpec { concurrency: Some(2), ..MatchSpec::of(Vec::new()) },
            games,
            games_each: 4,
            reach: Some(120.0),
            seed: 3,
        }
    }

    fn nogo() -> Config {
        let config = Config::default().with("game.kind", "nogo").unwrap();
        config.with("game.board_size", "5").unwrap()
    }

    /// Sets a flag after so many iterations.
    struct StopAfter(u64, Arc<AtomicBool>);

    impl Display for StopAfter {
        fn begin(&self, _: &str, _: u64, _: &'static str) -> Box<dyn Progress> {
            Box::new(Self(self.0, Arc::clone(&self.1)))
        }
    }

    impl Progress for StopAfter {
        fn begin_at(&self, _: u64) {}
        fn set(&self, done: u64, _: String) {
            self.1.store(done >= self.0, std::sync::atomic::Ordering::Relaxed);
        }
        fn add(&self, _: u64) {}
        fn say(&self, _: String) {}
        fn end(&self) {}
    }

    #[test]
    fn more_simulations_are_found_better_on_whatever_way() {
        let folder = tempfile::tempdir().unwrap();
        let (spec, config) = (spec(240), nogo());
        let run = |name: &str, display: &dyn Display, stop: &Arc<AtomicBool>| {
            let around = Surroundings { config: &config, stop, display };
            tune(&spec, &folder.path().join(name), around).unwrap()
        };
        let whole = run("whole", &Silent, &Arc::default());
        assert_eq!((whole.iterations, whole.of, whole.games), (60, 60, 240));
        let [found] = &whole.settings[..] else { panic!("{whole:?}") };
        assert!(found.found > 20.0 && found.now > found.start, "{found:?}");
        // Stopped twice and gone on with, it comes to the same.
        for after in [7, 31] {
            let stop = Arc::default();
            let part = run("parts", &StopAfter(after, Arc::clone(&stop)), &stop);
            assert_eq!(part.iterations, after);
        }
        assert_eq!(run("parts", &Silent, &Arc::default()), whole);
        let lines =
            |name: &str| fs::read_to_string(folder.path().join(name).join(ITERATIONS)).unwrap();
        assert_eq!(lines("parts"), lines("whole"));
        let left = list_folder(&folder.path().join("whole")).unwrap();
        assert_eq!(left.len(), 3, "{left:?}");
        // Another search does not go on there.
        let other = TuneSpec { seed: 4, ..spec.clone() };
        let around = Surroundings { config: &config, stop: &Arc::default(), display: &Silent };
        let error = tune(&other, &folder.path().join("whole"), around).unwrap_err().to_string();
        assert!(error.contains("another command"), "{error}");
    }

    #[test]
    fn ranges_are_read_and_must_fit_the_setting() {
        let range: TunedRange = "search.c_puct=0.5..3:0.2".parse().unwrap();
        let tuned = range.tuned(&Config::default()).unwrap();
        assert_eq!((tuned.start, tuned.step, tuned.whole), (1.25, 0.2, false));
        for text in
            ["search.c_puct", "search.c_puct=1", "search.c_puct=1..x", "a=1..2:x", "a=1..inf"]
        {
            assert!(text.parse::<TunedRange>().unwrap_err().contains("KEY=LOW..HIGH"), "{text}");
        }
        let refused = |text: &str| {
            let range: TunedRange = text.parse().unwrap();
            format!("{:#}", range.tuned(&Config::default()).unwrap_err())
        };
        assert!(refused("search.c_pucd=0..1").contains("nearest known key is 'search.c_puct'"));
        assert!(refused("search.formula=0..1").contains("no number"));
        assert!(refused("search.c_puct=-5..1").contains("allowed is 0 to 100"));
    }
}
