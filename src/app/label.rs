//! Shards with what a teacher says of positions.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use serde::Serialize;

use super::evaluators;
use super::import::HOLDOUT;
use super::pieces::Part;
use super::progress::{Progress, Surroundings};
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

/// Games to be labelled.
#[derive(Clone, Debug)]
pub struct LabelSpec {
    /// Shards, or folders of them; the games in their holdout folder are held out.
    pub files: Vec<PathBuf>,
    /// The network that teaches.
    pub teacher: String,
    /// The folder for the shards; those that are there already are not made again.
    pub out: PathBuf,
    /// What is labelled.
    pub params: LabelParams,
    /// Share of the games that is held out, of folders that hold none out themselves.
    pub holdout: f64,
    /// Games of a file.
    pub games_per_file: u32,
    /// The part of the files that is labelled.
    pub part: Part,
    /// Threads, 0 for as many as there are cores.
    pub threads: usize,
    /// Where the random numbers start.
    pub seed: u64,
}

impl LabelSpec {
    /// Share of the games that is held out where nobody says otherwise.
    pub const HOLDOUT: f64 = 0.02;
    /// Games of a file where nobody says otherwise.
    pub const GAMES_PER_FILE: u32 = 100;
}

/// What was labelled.
#[derive(Clone, Debug, Serialize)]
pub struct Labelled {
    /// The folder.
    pub out: PathBuf,
    /// Files that there are to be.
    pub files: usize,
    /// Files that were there.
    pub files_found: usize,
    /// Files that are new.
    pub files_written: u64,
    /// Whether nothing is missing.
    pub finished: bool,
    /// Labels that are new.
    pub labels: u64,
    /// How long it took.
    pub seconds: f64,
    /// How fast it was.
    pub labels_per_second: f64,
}

/// Labels what is missing.
pub fn label(spec: &LabelSpec, around: &Surroundings<'_>) -> anyhow::Result<Labelled> {
    let params = &spec.params;
    params.check()?;
    let kinds = params.wander + params.handicap + params.play_on;
    ensure!(kinds <= 1.0, "wander, handicap and play_on together are {kinds}, more than 1");
    let net = evaluators::load(&spec.teacher)?;
    let mut units = units(spec, &net)?;
    let found = units.iter().filter(|unit| unit.is_done(&spec.out)).count();
    let all = units.len();
    units.retain(|unit| spec.part.has(unit.lot()) && !unit.is_done(&spec.out));
    begin(spec, &net)?;
    let teacher = evaluators::of_net(&spec.teacher, around.config)?;
    let games: u64 = units.iter().map(|unit| unit.games.end - unit.games.start).sum();
    #[expect(clippy::disallowed_methods, reason = "progress reads the clock")]
    let begun = Instant::now();
    let work = Work {
        spec,
        teacher: teacher.as_ref(),
        stop: around.stop,
        waiting: Mutex::new(units.iter()),
        labels: AtomicU64::new(0),
        written: AtomicU64::new(0),
        begun,
        progress: around.display.begin("labels", games * params.variants, "games"),
    };
    let done = thread::scope(|scope| {
        let threads = 0..threads_or_cores(spec.threads).min(units.len());
        let threads: Vec<_> = threads.map(|_| scope.spawn(|| work.run())).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| anyhow::anyhow!("a thread has panicked"))?)
            .collect::<Result<Vec<_>, _>>()
    });
    work.progress.end();
    done?;
    let [labels, written] = [&work.labels, &work.written].map(|x| x.load(Ordering::Relaxed));
    Ok(Labelled {
        out: spec.out.clone(),
        files: all,
        files_found: found,
        files_written: written,
        finished: written == units.len() as u64,
        labels,
        seconds: begun.elapsed().as_secs_f64(),
        labels_per_second: work.speed(),
    })
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
fn units(spec: &LabelSpec, net: &Network) -> anyhow::Result<Vec<Unit>> {
    let mut units = Vec::new();
    let mut seen = BTreeSet::new();
    for path in &spec.files {
        let held_out = path.join(HOLDOUT);
        let mut sources = vec![(path.clone(), spec.holdout)];
        if held_out.is_dir() {
            // A training can look at held-out games from the start.
            sources = vec![(held_out, 1.0), (path.clone(), 0.0)];
        }
        for (folder, holdout) in sources {
            for source in shard_files(&folder)? {
                let shard = Shard::read(&source)?;
                check_games(&shard, net, &spec.teacher)?;
                let (checksum, count) = (shard.checksum(), shard.len() as u64);
                if !seen.insert(checksum.clone()) {
                    continue;
                }
                let step = u64::from(spec.games_per_file);
                units.extend((0..count.div_ceil(step)).map(|index| Unit {
                    source: source.clone(),
                    checksum: checksum.clone(),
                    games: index * step..((index + 1) * step).min(count),
                    holdout,
                }));
            }
        }
    }
    ensure!(!units.is_empty(), "there are no games in {}", spec.files[0].display());
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
fn begin(spec: &LabelSpec, net: &Network) -> anyhow::Result<()> {
    for folder in [&spec.out, &spec.out.join(HOLDOUT)] {
        make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let path = spec.out.join(SETTINGS);
    let mut settings =
        toml::Table::try_from(&spec.params).context("the settings cannot be written")?;
    settings.insert("teacher".to_owned(), net.name().into());
    settings.insert("teacher_sha256".to_owned(), net.sha256().into());
    settings.insert("holdout".to_owned(), spec.holdout.into());
    settings.insert("games_per_file".to_owned(), i64::from(spec.games_per_file).into());
    settings.insert("seed".to_owned(), spec.seed.to_string().into());
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
            spec.out.display(),
            shown(&old),
            shown(&settings)
        );
    }
    Ok(())
}

/// What all threads share.
struct Work<'a> {
    spec: &'a LabelSpec,
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
            params: &self.spec.params,
            seed: Seed::new(self.spec.seed).fork(&unit.checksum, 0),
        };
        let written = |games: &[(u64, TrainingGame)]| {
            labeller.label(games, &|finished, labels| self.step(finished, labels))
        };
        // Both are known before one is written; what tells that the unit is done comes last.
        let Some(held_out) = written(&held_out)? else { return Ok(()) };
        let Some(rest) = written(&rest)? else { return Ok(()) };
        let file = unit.file(&self.spec.out);
        if unit.holdout >= 1.0 {
            write_shard(&file, &held_out)?;
        } else {
            if !held_out.is_empty() {
                write_shard(&self.spec.out.join(HOLDOUT).join(unit.name()), &held_out)?;
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
}
