//! `tedomari record label`: shards with what a teacher says of positions.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde_json::json;

use super::progress::Bars;
use super::record::share;
use super::selfplay::part;
use super::{print, print_json, stop};
use crate::app::evaluators;
use crate::app::import::HOLDOUT;
use crate::app::progress::{Display as _, Progress};
use crate::config::Config;
use crate::eval::Evaluator;
use crate::nn::Network;
use crate::record::{
    LabelParams, Labeller, SHARD_EXTENSION, Shard, TrainingGame, is_game_held_out, shard_files,
    write_shard,
};
use crate::util::{
    Params as _, Seed, make_folder, read_limited, threads_or_cores, write_atomically,
};

/// The file with the settings that a folder was labelled with.
const SETTINGS: &str = "label.toml";

/// Bytes that it may have.
const MAX_SETTINGS: usize = 1 << 20;

/// KataGo's networks were trained on boards up to this side.
const KATAGO_SIDE: usize = 19;

#[derive(Debug, Args)]
pub(super) struct LabelArgs {
    /// Shards, or folders of them; the games in FOLDER/holdout are held out
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The network that teaches: NAME.safetensors, one of KataGo's files, or builtin:NAME
    #[arg(long)]
    teacher: String,
    /// Folder for the shards; those that are there already are not made again
    #[arg(long)]
    out: PathBuf,
    /// Positions of each game that is written, spread over it
    #[arg(long)]
    positions: Option<usize>,
    /// How often each game is written, each time otherwise
    #[arg(long)]
    variants: Option<u64>,
    /// Share of the games that are written under other rules, and of those with another komi
    #[arg(long)]
    varied: Option<f64>,
    /// Mean distance of such a komi in points
    #[arg(long)]
    komi_spread: Option<f64>,
    /// Share of the games that are left by some random moves, after which the teacher goes on
    #[arg(long)]
    wander: Option<f64>,
    /// Share of the games that begin with handicap stones
    #[arg(long)]
    handicap: Option<f64>,
    /// Share of the games that the teacher plays on from their last position
    #[arg(long)]
    play_on: Option<f64>,
    /// Share of the games that goes to OUT/holdout, of folders that hold none out themselves
    #[arg(long, default_value_t = 0.02, value_parser = share)]
    holdout: f64,
    /// Games of a file
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games_per_file: u32,
    /// Label a part of the files only, the I-th of N
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = part)]
    part: (u64, u64),
    /// Threads, 0 for as many as there are cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop after so many minutes
    #[arg(long)]
    minutes: Option<f64>,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

impl LabelArgs {
    /// The settings with what was given.
    fn params(&self, config: &Config) -> anyhow::Result<LabelParams> {
        let mut params = config.label.clone();
        params.positions = self.positions.unwrap_or(params.positions);
        params.variants = self.variants.unwrap_or(params.variants);
        params.varied = self.varied.unwrap_or(params.varied);
        params.komi_spread = self.komi_spread.unwrap_or(params.komi_spread);
        params.wander = self.wander.unwrap_or(params.wander);
        params.handicap = self.handicap.unwrap_or(params.handicap);
        params.play_on = self.play_on.unwrap_or(params.play_on);
        params.check()?;
        let kinds = params.wander + params.handicap + params.play_on;
        ensure!(kinds <= 1.0, "wander, handicap and play_on together are {kinds}, more than 1");
        Ok(params)
    }
}

/// Labels what is missing.
pub(super) fn run(args: &LabelArgs, config: &Config) -> anyhow::Result<()> {
    let params = args.params(config)?;
    let net = evaluators::load(&args.teacher)?;
    let mut units = units(args, &net)?;
    let found = units.iter().filter(|unit| unit.is_done(&args.out)).count();
    let (part, parts) = args.part;
    let all = units.len();
    units.retain(|unit| unit.lot() % parts == part - 1 && !unit.is_done(&args.out));
    begin(args, &params, &net)?;
    let teacher = evaluators::of_net(&args.teacher, config)?;
    let stop = stop::flag(args.minutes)?;
    let games: u64 = units.iter().map(|unit| unit.games.end - unit.games.start).sum();
    #[expect(clippy::disallowed_methods, reason = "progress reads the clock")]
    let begun = Instant::now();
    let work = Work {
        args,
        params: &params,
        teacher: teacher.as_ref(),
        stop: &stop,
        waiting: Mutex::new(units.iter()),
        labels: AtomicU64::new(0),
        written: AtomicU64::new(0),
        begun,
        progress: Bars.begin("labels", games * params.variants, "games"),
    };
    let done = thread::scope(|scope| {
        let threads = 0..threads_or_cores(args.threads).min(units.len());
        let threads: Vec<_> = threads.map(|_| scope.spawn(|| work.run())).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| anyhow::anyhow!("a thread has panicked"))?)
            .collect::<Result<Vec<_>, _>>()
    });
    work.progress.end();
    done?;
    work.report(units.len(), (found, all))
}

/// Some games of a shard, whose labels go to one file, or to two where some of them are held out.
struct Unit {
    source: PathBuf,
    checksum: String,
    games: Range<u64>,
    /// Share of its games that is held out.
    holdout: f64,
}

impl Unit {
    fn name(&self) -> String {
        let stem = self.source.file_stem().unwrap_or_default().to_string_lossy();
        let Range { start, end } = self.games;
        format!("{stem}-{}-{start:06}-{end:06}.{SHARD_EXTENSION}", &self.checksum[..8])
    }

    /// The file that is written last.
    fn file(&self, out: &Path) -> PathBuf {
        let folder = if self.holdout < 1.0 { out.to_owned() } else { out.join(HOLDOUT) };
        folder.join(self.name())
    }

    fn is_done(&self, out: &Path) -> bool {
        self.file(out).exists()
    }

    /// Which part it belongs to: the same whatever else there is.
    fn lot(&self) -> u64 {
        Seed::new(0).fork(&self.checksum, self.games.start).number()
    }
}

/// All that is to be labelled.
fn units(args: &LabelArgs, net: &Network) -> anyhow::Result<Vec<Unit>> {
    let mut units = Vec::new();
    let mut seen = BTreeSet::new();
    for path in &args.files {
        let held_out = path.join(HOLDOUT);
        let mut sources = vec![(path.clone(), args.holdout)];
        if held_out.is_dir() {
            // A training can look at held-out games from the start.
            sources = vec![(held_out, 1.0), (path.clone(), 0.0)];
        }
        for (folder, holdout) in sources {
            for source in shard_files(&folder)? {
                let shard = Shard::read(&source)?;
                check_games(&shard, net, &args.teacher)?;
                let (checksum, count) = (shard.checksum(), shard.len() as u64);
                if !seen.insert(checksum.clone()) {
                    continue;
                }
                let step = u64::from(args.games_per_file);
                units.extend((0..count.div_ceil(step)).map(|index| Unit {
                    source: source.clone(),
                    checksum: checksum.clone(),
                    games: index * step..((index + 1) * step).min(count),
                    holdout,
                }));
            }
        }
    }
    ensure!(!units.is_empty(), "there are no games in {}", args.files[0].display());
    Ok(units)
}

/// Refuses games that the teacher does not know.
fn check_games(shard: &Shard, net: &Network, teacher: &str) -> anyhow::Result<()> {
    let known = net.games();
    for (game, index) in shard.games().zip(1..) {
        let game = game?;
        let kind = game.rules.game;
        let path = shard.path().display();
        ensure!(
            known.contains(&kind),
            "game {index} of {path} is {kind}, which {teacher} does not know: choose another teacher"
        );
        let fits = match net {
            Network::Own(net) => {
                net.manifest.games.is_empty() || net.manifest.fits(kind, game.size)
            }
            Network::KataGo(_) => game.size.width().max(game.size.height()) <= KATAGO_SIDE,
        };
        ensure!(
            fits,
            "game {index} of {path} is on a board of {}, for which {teacher} was not trained: choose \
             another teacher",
            game.size
        );
    }
    Ok(())
}

/// Makes the folder, or compares its settings with those of this call.
fn begin(args: &LabelArgs, params: &LabelParams, net: &Network) -> anyhow::Result<()> {
    for folder in [&args.out, &args.out.join(HOLDOUT)] {
        make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let path = args.out.join(SETTINGS);
    let mut settings = toml::Table::try_from(params).context("the settings cannot be written")?;
    settings.insert("teacher".to_owned(), net.name().into());
    settings.insert("teacher_sha256".to_owned(), net.sha256().into());
    settings.insert("holdout".to_owned(), args.holdout.into());
    settings.insert("games_per_file".to_owned(), i64::from(args.games_per_file).into());
    settings.insert("seed".to_owned(), args.seed.to_string().into());
    if !path.exists() {
        return write_atomically(&path, settings.to_string().as_bytes())
            .with_context(|| format!("cannot write {}", path.display()));
    }
    let text = read_limited(&path, MAX_SETTINGS)?;
    let old: toml::Table = toml::from_str(&String::from_utf8_lossy(&text))
        .with_context(|| format!("in {}", path.display()))?;
    let same = |key: &String| old.get(key) == settings.get(key);
    if let Some(key) = settings.keys().chain(old.keys()).find(|key| !same(key)) {
        let shown =
            |table: &toml::Table| table.get(key).map_or("none".to_owned(), ToString::to_string);
        bail!(
            "{} was labelled with {key} = {}, not {}: name another folder",
            args.out.display(),
            shown(&old),
            shown(&settings)
        );
    }
    Ok(())
}

/// What all threads share.
struct Work<'a> {
    args: &'a LabelArgs,
    params: &'a LabelParams,
    teacher: &'a dyn Evaluator,
    stop: &'a AtomicBool,
    waiting: Mutex<std::slice::Iter<'a, Unit>>,
    labels: AtomicU64,
    written: AtomicU64,
    begun: Instant,
    progress: Box<dyn Progress>,
}

impl Work<'_> {
    /// Labels one unit after the other.
    fn run(&self) -> anyhow::Result<()> {
        while !self.stop.load(Ordering::Relaxed) {
            let next = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(unit) = next else { break };
            if let Err(error) = self.label(unit) {
                self.stop.store(true, Ordering::Relaxed);
                return Err(error.context(format!("in {}", unit.source.display())));
            }
        }
        Ok(())
    }

    fn label(&self, unit: &Unit) -> anyhow::Result<()> {
        let shard = Shard::read(&unit.source)?;
        ensure!(shard.checksum() == unit.checksum, "it has changed: give the command again");
        let game = |number: u64| anyhow::Ok((number, shard.game(usize::try_from(number)?)?));
        let games = unit.games.clone().map(game).collect::<Result<Vec<_>, _>>()?;
        let (held_out, rest): (Vec<_>, Vec<_>) =
            games.into_iter().partition(|(_, game)| is_game_held_out(game, unit.holdout));
        let labeller = Labeller {
            teacher: self.teacher,
            params: self.params,
            seed: Seed::new(self.args.seed).fork(&unit.checksum, 0),
        };
        let written = |games: &[(u64, TrainingGame)]| {
            labeller.label(games, &|finished, labels| self.step(finished, labels))
        };
        // Both are known before one is written; what tells that the unit is done comes last.
        let Some(held_out) = written(&held_out)? else { return Ok(()) };
        let Some(rest) = written(&rest)? else { return Ok(()) };
        let file = unit.file(&self.args.out);
        if unit.holdout >= 1.0 {
            write_shard(&file, &held_out)?;
        } else {
            if !held_out.is_empty() {
                write_shard(&self.args.out.join(HOLDOUT).join(unit.name()), &held_out)?;
            }
            write_shard(&file, &rest)?;
        }
        self.written.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// So many games and labels more; whether to go on.
    fn step(&self, games: u64, labels: u64) -> bool {
        self.labels.fetch_add(labels, Ordering::Relaxed);
        self.progress.add(games);
        self.progress.say(format!("{:.0} labels/s", self.speed()));
        !self.stop.load(Ordering::Relaxed)
    }

    fn speed(&self) -> f64 {
        self.labels.load(Ordering::Relaxed) as f64 / self.begun.elapsed().as_secs_f64().max(1e-9)
    }

    fn report(&self, missing: usize, (found, all): (usize, usize)) -> anyhow::Result<()> {
        let [labels, written] = [&self.labels, &self.written].map(|x| x.load(Ordering::Relaxed));
        let (seconds, finished) = (self.begun.elapsed().as_secs_f64(), written == missing as u64);
        if self.args.json {
            return print_json(&json!({
                "out": self.args.out,
                "files": all,
                "files_found": found,
                "files_written": written,
                "finished": finished,
                "labels": labels,
                "seconds": seconds,
                "labels_per_second": self.speed(),
            }));
        }
        let end = if finished { "done" } else { "to be continued by the same command" };
        print(&format!(
            "{}: {labels} labels in {seconds:.0} s, {:.0} labels/s; of {all} files {found} were there, \
             {written} are new, {end}\n",
            self.args.out.display(),
            self.speed(),
        ))
    }
}
