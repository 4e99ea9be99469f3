//! Games of the engine with itself, written as shards to learn from.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, ensure};
use serde::Serialize;

use super::pieces::{self, Part};
use super::progress::{Progress, Surroundings};
use super::store::Store;
use super::{evaluators, stop_model};
use crate::config::Config;
use crate::eval::Evaluator;
use crate::game::Position;
use crate::playout::PlayoutEvaluator;
use crate::record::{SHARD_EXTENSION, Shard, TrainingGame, shard_bytes, shard_files, write_shard};
use crate::search::StopModel;
use crate::selfplay::{Archive, Played, Selfplay, Start, Stats};
use crate::timeman::DsMcts;
use crate::util::{Seed, list_folder, make_folder};

/// Games to be played.
pub struct SelfplaySpec {
    /// Where the shards go; those that are there already are not played again.
    pub out: Target,
    /// Games to have in the end.
    pub games: u64,
    /// Games of a file.
    pub games_per_file: u64,
    /// Whether playouts evaluate, not a network.
    pub playouts: bool,
    /// Folders with earlier games to begin in.
    pub archive: Vec<PathBuf>,
    /// Where the random numbers start.
    pub seed: u64,
    /// The part of the files that is played.
    pub part: Part,
}

impl SelfplaySpec {
    /// Games of a file where nobody says otherwise.
    pub const GAMES_PER_FILE: u64 = 100;
}

/// What was played.
#[derive(Clone, Debug, Serialize)]
pub struct SelfplayReport {
    /// Files that were there before.
    pub files_found: usize,
    /// Files that are new.
    pub files_written: usize,
    /// Whether nothing is missing.
    pub finished: bool,
    /// How long it took.
    pub seconds: f64,
    /// How fast games were played.
    pub games_per_hour: f64,
    /// How fast positions were evaluated.
    pub evaluations_per_second: f64,
    /// What was in the games.
    pub stats: Stats,
}

/// Plays what is missing.
pub fn selfplay(spec: &SelfplaySpec, around: &Surroundings<'_>) -> anyhow::Result<SelfplayReport> {
    let config = around.config;
    let target = &spec.out;
    let seed = Seed::new(spec.seed);
    let evaluator = if spec.playouts {
        Arc::new(PlayoutEvaluator::with(config.playout.clone(), seed)) as Arc<dyn Evaluator>
    } else {
        evaluators::without_memory(config)?
    };
    let game = &config.game;
    let start = Start { size: game.size(), rules: game.rules(), komi: game.komi() };
    let archive = read_archive(&spec.archive, &start)?;
    let there = target.files()?;
    let missing: Vec<_> = wanted(spec).flat_map(|file| pieces::missing(file, &there)).collect();
    let is_wanted = |there: &&Range<u64>| wanted(spec).any(|file| pieces::overlap(&file, there));
    let found = there.iter().filter(is_wanted).count();
    let count = missing.iter().map(|file| file.end - file.start).sum();
    let mut table =
        Table::new(found, missing.len(), around.display.begin("self-play", count, "games"));
    let mut pieces = missing.iter();
    let mut piece = pieces.next();
    let mut games = Vec::new();
    let keep = |played: Played| -> anyhow::Result<()> {
        table.add(&played);
        let Some(file) = piece else { return Ok(()) };
        // A game is missing where the end came too early: then the file is played again.
        if played.number == file.start + games.len() as u64 {
            games.push(played.game);
        }
        if games.len() as u64 == file.end - file.start {
            target.write(&pieces::file_name(file, SHARD_EXTENSION), &games)?;
            games.clear();
            table.written += 1;
            piece = pieces.next();
        }
        Ok(())
    };
    let numbers = missing.iter().cloned().flatten();
    let stop_model = early_stopping(spec, config, &start)?;
    let selfplay = Selfplay {
        evaluator: evaluator.as_ref(),
        stop_model: stop_model.as_deref(),
        params: &config.selfplay,
        search: &config.search,
        start,
        archive: &archive,
        seed,
    };
    selfplay.play(numbers, around.stop, keep)?;
    Ok(table.end())
}

/// Who ends searches, if anybody is to.
fn early_stopping(
    spec: &SelfplaySpec,
    config: &Config,
    start: &Start,
) -> anyhow::Result<Option<Arc<dyn StopModel>>> {
    if !config.selfplay.ds_mcts {
        return Ok(None);
    }
    ensure!(
        config.selfplay.considered == 0,
        "selfplay.ds_mcts needs selfplay.considered=0: stop profiles know nothing of a Gumbel root"
    );
    ensure!(!spec.playouts, "selfplay.ds_mcts needs a network: leave --playouts out");
    let mut config = config.clone();
    config.time.ds_mcts = DsMcts::Always;
    let first = Position::new(start.size, start.rules, start.komi);
    let stop_model =
        stop_model::make(&config).filter(|stop_model| stop_model.rule(&first).is_some());
    let stop_model = stop_model.context(
        "selfplay.ds_mcts needs a stop profile for the network, this game and this board, beside the \
         network or as time.stop_profile: `tedomari uncertainty make` makes one",
    )?;
    Ok(Some(stop_model))
}

/// Where shards go.
pub enum Target {
    /// A folder, which is there.
    Folder(PathBuf),
    /// An object store.
    Store(Store),
}

impl Target {
    /// A folder, which is made, or the URL of an object store with the keys that are among the variables.
    pub fn open(
        out: &str,
        variables: impl Iterator<Item = (String, String)>,
    ) -> anyhow::Result<Self> {
        if Store::is_url(out) {
            return Ok(Self::Store(Store::open(out, variables)?));
        }
        make_folder(Path::new(out)).with_context(|| format!("cannot make the folder {out}"))?;
        Ok(Self::Folder(out.into()))
    }

    /// The games of the files that are there, sorted.
    fn files(&self) -> anyhow::Result<Vec<Range<u64>>> {
        let names: Vec<String> = match self {
            Self::Folder(path) => {
                let files = list_folder(path).with_context(|| format!("in {}", path.display()))?;
                let name = |file: &PathBuf| Some(file.file_name()?.to_str()?.to_owned());
                files.iter().filter_map(name).collect()
            }
            Self::Store(store) => store.files()?.into_iter().map(|file| file.name).collect(),
        };
        let games = names.iter().filter_map(|name| pieces::numbers(name, SHARD_EXTENSION));
        let mut games: Vec<_> = games.collect();
        games.sort_unstable_by_key(|file| file.start);
        Ok(games)
    }

    fn write(&self, name: &str, games: &[TrainingGame]) -> anyhow::Result<()> {
        match self {
            Self::Folder(path) => Ok(write_shard(&path.join(name), games)?),
            Self::Store(store) => store.put(name, shard_bytes(games)?),
        }
    }
}

/// The games of the files of this part.
fn wanted(spec: &SelfplaySpec) -> impl Iterator<Item = Range<u64>> + '_ {
    let count = spec.games.div_ceil(spec.games_per_file);
    (0..count).filter(|&index| spec.part.has(index)).map(|index| {
        let from = index * spec.games_per_file;
        from..(from + spec.games_per_file).min(spec.games)
    })
}

fn read_archive(folders: &[PathBuf], start: &Start) -> anyhow::Result<Archive> {
    let mut archive = Archive::new();
    for folder in folders {
        for path in shard_files(folder)? {
            add_file(&mut archive, &path, start)?;
        }
    }
    Ok(archive)
}

fn add_file(archive: &mut Archive, path: &Path, start: &Start) -> anyhow::Result<()> {
    for game in Shard::read(path)?.games() {
        let game: TrainingGame = game?;
        archive.add(start.rules.game, start.size, &game);
    }
    Ok(())
}

/// What is shown while games are played, and at the end.
struct Table {
    stats: Stats,
    /// Files that were there before, those that were not, and how many of them are.
    found: usize,
    missing: usize,
    written: usize,
    begun: Instant,
    progress: Box<dyn Progress>,
}

impl Table {
    #[expect(clippy::disallowed_methods, reason = "progress reads the clock")]
    fn new(found: usize, missing: usize, progress: Box<dyn Progress>) -> Self {
        let begun = Instant::now();
        Self { stats: Stats::default(), found, missing, written: 0, begun, progress }
    }

    fn add(&mut self, played: &Played) {
        self.stats.add(played);
        self.progress.add(1);
        self.progress.say(format!("{:.0} games/h", self.games_per_hour()));
    }

    fn games_per_hour(&self) -> f64 {
        3600.0 * self.stats.games as f64 / self.begun.elapsed().as_secs_f64().max(1e-9)
    }

    fn end(self) -> SelfplayReport {
        self.progress.end();
        let seconds = self.begun.elapsed().as_secs_f64();
        SelfplayReport {
            files_found: self.found,
            files_written: self.written,
            finished: self.written == self.missing,
            seconds,
            games_per_hour: self.games_per_hour(),
            evaluations_per_second: self.stats.evaluations as f64 / seconds.max(1e-9),
            stats: self.stats,
        }
    }
}
