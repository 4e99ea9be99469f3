//! Traces of searches.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, ensure};
use rand::Rng as _;
use serde_json::json;
use tracing::info;

use super::DEFAULT_GAMES;
use super::StepReport;
use crate::app::progress::Surroundings;
use crate::app::{evaluators, pieces};
use crate::config::Config;
use crate::eval::Evaluator;
use crate::game::Position;
use crate::record::{Shard, TrainingGame, shard_files};
use crate::selfplay::{Archive, Played, Selfplay, Start};
use crate::uncertainty::{Research, TRACES_EXTENSION, TraceFile, TracedGame, UncertaintyParams};
use crate::util::{Seed, list_folder, make_folder};

/// Games whose positions are to be searched.
#[derive(Clone, Debug)]
pub struct GenerateSpec {
    /// The folder for the traces; files that are there already are not made again.
    pub out: PathBuf,
    /// Games to have in the end.
    pub games: usize,
    /// Games of a file.
    pub games_per_file: u64,
    /// Folders of games to take positions from; without one the games are played, as `[selfplay]` says.
    pub records: Vec<PathBuf>,
}

/// What has been done so far.
#[derive(Default)]
struct Count {
    files: u64,
    games: u64,
    states: u64,
}

/// Searches what is missing.
pub fn generate(spec: &GenerateSpec, around: &Surroundings<'_>) -> anyhow::Result<StepReport> {
    generate_at_least(0, spec, around)
}

/// The same for somebody who needs so many games.
pub(super) fn generate_at_least(
    fewest: usize,
    spec: &GenerateSpec,
    around: &Surroundings<'_>,
) -> anyhow::Result<StepReport> {
    let config = around.config;
    let net = evaluators::net_file(config)?.manifest.sha256;
    let records = read_records(spec)?;
    let games = if spec.records.is_empty() { spec.games } else { spec.games.min(records.len()) };
    ensure!(games >= fewest, too_few(games, fewest, spec, &config.uncertainty));
    let evaluator = evaluators::without_memory(config)?;
    make_folder(&spec.out)
        .with_context(|| format!("cannot make the folder {}", spec.out.display()))?;
    let there = files(&spec.out, &net, config)?;
    let maker = Maker { net: evaluator.as_ref(), config, records, stop: around.stop };
    let begun = now();
    let wanted = games as u64;
    let progress = around.display.begin("traces", wanted, "games");
    let (mut count, mut complete) = (Count::default(), true);
    let searched = AtomicU64::new(0);
    let starts = (0..wanted).step_by(usize::try_from(spec.games_per_file).unwrap_or(1));
    let pieces = starts.map(|from| from..(from + spec.games_per_file).min(wanted));
    let missing: Vec<_> = pieces.flat_map(|piece| pieces::missing(piece, &there)).collect();
    let todo: u64 = missing.iter().map(|piece| piece.end - piece.start).sum();
    progress.begin_at(wanted - todo);
    for piece in missing {
        let path = spec.out.join(pieces::file_name(&piece, TRACES_EXTENSION));
        let done = || {
            let states = searched.fetch_add(1, Ordering::Relaxed) + 1;
            let hours = begun.elapsed().as_secs_f64() / 3600.0;
            progress.say(format!("{:.0} positions/h", states as f64 / hours.max(1e-9)));
        };
        let games = maker.games(&piece)?;
        let traced = games.map(|games| maker.traced(games, piece.start, &done)).transpose()?;
        let Some(games) = traced.flatten() else {
            complete = false;
            break;
        };
        count.files += 1;
        count.games += games.len() as u64;
        count.states += games.iter().map(|game| game.searches.len() as u64).sum::<u64>();
        let simulations = config.uncertainty.simulations;
        TraceFile { net: net.clone(), simulations, games }.write(&path)?;
        progress.add(piece.end - piece.start);
        info!(games = count.games, states = count.states, "traced");
    }
    progress.end();
    let seconds = begun.elapsed().as_secs_f64();
    let found = there.iter().filter(|file| pieces::overlap(file, &(0..wanted))).count();
    let Count { files, games, states } = count;
    let per_hour = 3600.0 * states as f64 / seconds.max(1e-9);
    Ok(StepReport {
        json: json!({
            "files_found": found, "files_written": files, "games": games, "states": states,
            "simulations": config.uncertainty.simulations, "net": net, "seconds": seconds,
            "states_per_hour": per_hour, "complete": complete,
        }),
        text: format!(
            "{states} positions of {games} games searched in {seconds:.0} s: {per_hour:.0} an hour\n\
         {found} files were there, {files} are new\n"
        ),
    })
}

/// The games of the files that are there, sorted, if more of their kind may join them.
fn files(folder: &Path, net: &str, config: &Config) -> anyhow::Result<Vec<Range<u64>>> {
    let games = |path: &Path| pieces::numbers(path.file_name()?.to_str()?, TRACES_EXTENSION);
    let paths = list_folder(folder)?;
    let mut files: Vec<_> = paths.iter().filter_map(|path| Some((games(path)?, path))).collect();
    files.sort_by_key(|(games, _)| games.start);
    for pair in files.windows(2) {
        let [(a, first), (b, second)] = pair else { continue };
        let (first, second) = (first.display(), second.display());
        ensure!(!pieces::overlap(a, b), "{first} and {second} hold the same games: remove one");
    }
    if let Some((_, path)) = files.first() {
        let found = TraceFile::read(path)?;
        let simulations = config.uncertainty.simulations;
        ensure!(
            found.net == net && found.simulations == simulations,
            "{} was made with the network {} and {} simulations, not with {net} and {simulations}: name \
             another folder, or that network by --net and --set uncertainty.simulations={}",
            path.display(),
            found.net,
            found.simulations,
            found.simulations,
        );
    }
    Ok(files.into_iter().map(|(games, _)| games).collect())
}

/// Says how many games a profile takes, and what to type.
fn too_few(games: usize, fewest: usize, spec: &GenerateSpec, params: &UncertaintyParams) -> String {
    let (given, advice) = if games < spec.games {
        (format!("the {games} games of --records are"), "name more folders of games".to_owned())
    } else {
        let advice = format!("write --games {fewest} or more, or leave it out for {DEFAULT_GAMES}");
        (format!("--games {games} is"), advice)
    };
    format!(
        "{given} too few: a stop profile takes {fewest} games at least, to have some to train on, some to \
         choose thresholds by and some to test with (uncertainty.held_out = {}): {advice}",
        params.held_out
    )
}

#[expect(clippy::disallowed_methods, reason = "progress reads the clock")]
fn now() -> Instant {
    Instant::now()
}

fn read_records(spec: &GenerateSpec) -> anyhow::Result<Vec<TrainingGame>> {
    let mut games = Vec::new();
    for folder in &spec.records {
        for file in shard_files(folder)? {
            for game in Shard::read(&file)?.games() {
                if games.len() >= spec.games {
                    return Ok(games);
                }
                games.push(game?);
            }
        }
    }
    ensure!(spec.records.is_empty() || !games.is_empty(), "the folders of --records hold no games");
    Ok(games)
}

struct Maker<'a> {
    net: &'a dyn Evaluator,
    config: &'a Config,
    records: Vec<TrainingGame>,
    stop: &'a AtomicBool,
}

impl Maker<'_> {
    /// The games with these numbers, from records or played; none when told to stop.
    fn games(&self, numbers: &Range<u64>) -> anyhow::Result<Option<Vec<TrainingGame>>> {
        if !self.records.is_empty() {
            let [from, to] = [numbers.start, numbers.end].map(usize::try_from);
            return Ok(Some(self.records[from?..to?].to_vec()));
        }
        let game = &self.config.game;
        let start = Start { size: game.size(), rules: game.rules(), komi: game.komi() };
        let seed = Seed::new(self.config.uncertainty.seed).fork("uncertainty games", 0);
        let mut games = Vec::new();
        let archive = Archive::new();
        let selfplay = Selfplay {
            evaluator: self.net,
            stop_model: None,
            params: &self.config.selfplay,
            search: &self.config.search,
            start,
            archive: &archive,
            seed,
        };
        let keep = |played: Played| -> anyhow::Result<()> {
            games.push(played.game);
            Ok(())
        };
        selfplay.play(numbers.clone(), self.stop, keep)?;
        Ok((games.len() as u64 == numbers.end - numbers.start).then_some(games))
    }

    /// The same games with searches of their positions.
    fn traced(
        &self,
        games: Vec<TrainingGame>,
        first: u64,
        done: &(dyn Fn() + Sync),
    ) -> anyhow::Result<Option<Vec<TracedGame>>> {
        let params = &self.config.uncertainty;
        let (mut places, mut positions) = (Vec::new(), Vec::new());
        for (index, game) in games.iter().enumerate() {
            for (ply, position) in chosen(game, first + index as u64, params)? {
                places.push((index, ply));
                positions.push(position);
            }
        }
        let research = Research { net: self.net, params, search: &self.config.search };
        let found = research.run(&positions, self.stop, done)?;
        let Some(found) = found else { return Ok(None) };
        let empty = |game| TracedGame { game, searches: Vec::new() };
        let mut traced: Vec<_> = games.into_iter().map(empty).collect();
        for ((index, ply), trace) in places.into_iter().zip(found) {
            traced[index].searches.extend(trace.map(|trace| (ply, trace)));
        }
        Ok(Some(traced))
    }
}

/// The positions of a game that are searched: every so many, from a random one on.
fn chosen(
    game: &TrainingGame,
    number: u64,
    params: &UncertaintyParams,
) -> anyhow::Result<Vec<(usize, Position)>> {
    let mut rng = Seed::new(params.seed).fork("uncertainty positions", number).rng();
    let offset = usize::try_from(rng.next_u32())? % params.every;
    let mut position = game.start(game.rules);
    let mut list = Vec::new();
    for (ply, turn) in game.turns.iter().enumerate() {
        if ply % params.every == offset {
            list.push((ply, position.clone()));
        }
        let illegal = || format!("game {} breaks its rules at move {}", number + 1, ply + 1);
        position.play(position.to_move(), turn.mv).with_context(illegal)?;
    }
    Ok(list)
}
