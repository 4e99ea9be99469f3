//! `tedomari selfplay`: games of the engine with itself, written as shards to learn from.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::json;

use super::progress::Bars;
use super::{print, print_json, stop};
use crate::app::progress::{Display as _, Progress};
use crate::app::store::Store;
use crate::app::{evaluators, pieces, stop_model};
use crate::config::Config;
use crate::eval::Evaluator;
use crate::game::Position;
use crate::playout::PlayoutEvaluator;
use crate::record::{SHARD_EXTENSION, Shard, TrainingGame, shard_bytes, shard_files, write_shard};
use crate::search::StopModel;
use crate::selfplay::{Archive, Played, Selfplay, Start, Stats};
use crate::timeman::DsMcts;
use crate::util::{Seed, list_folder, make_folder};

#[derive(Debug, Args)]
pub(super) struct SelfplayArgs {
    /// The folder, or the URL of an object store, for the shards; those that are there already are not
    /// played again
    #[arg(long, value_name = "DIR")]
    out: String,
    /// Games to have in the end
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Games of a file
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    games_per_file: u64,
    /// Evaluate by games played to the end, not by a network
    #[arg(long)]
    playouts: bool,
    /// Folders with earlier games to begin in
    #[arg(long, value_name = "DIR")]
    archive: Vec<PathBuf>,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Play a part of the games only: I/N plays every N-th file beginning with the I-th
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = part)]
    part: (u64, u64),
    /// Stop after so many minutes
    #[arg(long)]
    minutes: Option<f64>,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

/// Reads `I/N`.
pub(super) fn part(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/').map(|(i, n)| (i.parse::<u64>(), n.parse::<u64>()));
    match parts {
        Some((Ok(i), Ok(n))) if (1..=n).contains(&i) => Ok((i, n)),
        _ => Err("write I/N with I from 1 to N, such as 2/8".to_owned()),
    }
}

/// Plays what is missing.
pub(super) fn run(args: &SelfplayArgs, config: &Config) -> anyhow::Result<()> {
    let target = Target::open(&args.out)?;
    let seed = Seed::new(args.seed);
    let evaluator = if args.playouts {
        Arc::new(PlayoutEvaluator::with(config.playout.clone(), seed)) as Arc<dyn Evaluator>
    } else {
        evaluators::without_memory(config)?
    };
    let game = &config.game;
    let start = Start { size: game.size(), rules: game.rules(), komi: game.komi() };
    let archive = read_archive(&args.archive, &start)?;
    let stop = stop::flag(args.minutes)?;
    let there = target.files()?;
    let missing: Vec<_> = wanted(args).flat_map(|file| pieces::missing(file, &there)).collect();
    let is_wanted = |there: &&Range<u64>| wanted(args).any(|file| pieces::overlap(&file, there));
    let found = there.iter().filter(is_wanted).count();
    let count = missing.iter().map(|file| file.end - file.start).sum();
    let mut table = Table::new(found, missing.len(), count);
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
    let stop_model = early_stopping(args, config, &start)?;
    let selfplay = Selfplay {
        evaluator: evaluator.as_ref(),
        stop_model: stop_model.as_deref(),
        params: &config.selfplay,
        search: &config.search,
        start,
        archive: &archive,
        seed,
    };
    selfplay.play(numbers, &stop, keep)?;
    table.end(args.json)
}

/// Who ends searches, if anybody is to.
fn early_stopping(
    args: &SelfplayArgs,
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
    ensure!(!args.playouts, "selfplay.ds_mcts needs a network: leave --playouts out");
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
enum Target {
    Folder(PathBuf),
    Store(Store),
}

impl Target {
    fn open(out: &str) -> anyhow::Result<Self> {
        if Store::is_url(out) {
            return Ok(Self::Store(super::store::open(out)?));
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
fn wanted(args: &SelfplayArgs) -> impl Iterator<Item = Range<u64>> + '_ {
    let count = args.games.div_ceil(args.games_per_file);
    let (part, parts) = args.part;
    (0..count).filter(move |index| index % parts == part - 1).map(|index| {
        let from = index * args.games_per_file;
        from..(from + args.games_per_file).min(args.games)
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
    fn new(found: usize, missing: usize, games: u64) -> Self {
        let progress = Bars.begin("self-play", games, "games");
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

    fn end(&self, as_json: bool) -> anyhow::Result<()> {
        self.progress.end();
        let Stats { games, moves, rows, evaluations, control, control_wrong, ended_early, .. } =
            self.stats;
        let seconds = self.begun.elapsed().as_secs_f64();
        if as_json {
            return print_json(&json!({
                "files_found": self.found,
                "files_written": self.written,
                "finished": self.written == self.missing,
                "seconds": seconds,
                "games_per_hour": self.games_per_hour(),
                "evaluations_per_second": evaluations as f64 / seconds.max(1e-9),
                "stats": self.stats,
            }));
        }
        print(&format!(
            "{games} games, {moves} moves, {rows} positions to learn from in {seconds:.0} s: \
             {:.0} games an hour, {:.0} evaluations a second\n\
             {} files were there, {} are new\n\
             {control} games of the control group would have been resigned, {control_wrong} wrongly\n\
             {ended_early} searches ended early\n",
            self.games_per_hour(),
            evaluations as f64 / seconds.max(1e-9),
            self.found,
            self.written,
        ))
    }
}
