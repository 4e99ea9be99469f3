//! Games to be reviewed or scored: files, what evaluates them, and where reviews are written.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::evaluators;
use crate::config::Config;
use crate::eval::Evaluator;
use crate::game::sgf::{self, SgfLimits};
use crate::game::{BoardSize, Game, GameRecord, Komi, Position, Rules};
use crate::nn::Network;
use crate::review::{
    Analyst, Effort, Findings, Review, Subject, analyse, annotations, page, positions,
};
use crate::search::SearchParams;
use crate::util::{make_folder, read_limited, write_atomically};

/// A game from a file.
pub struct GameFile {
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// The main line of its first game.
    pub record: GameRecord,
    /// What had to be left out, in words.
    pub warnings: Vec<String>,
    /// The rules of the record, or else those of the configuration.
    pub rules: Rules,
    /// The same of komi.
    pub komi: Komi,
    /// The positions before the first move and after every move.
    pub positions: Vec<Position>,
}

impl GameFile {
    /// Reads a file and replays its game.
    pub fn read(path: &Path, config: &Config) -> anyhow::Result<Self> {
        let limits = SgfLimits::default();
        let bytes = read_limited(path, limits.bytes)?;
        let read = || -> anyhow::Result<Self> {
            let (record, warnings) = sgf::read(&bytes, &limits)?;
            let rules = record.rules.unwrap_or_else(|| config.game.rules());
            let komi = record.komi.unwrap_or_else(|| config.game.komi());
            let positions = positions(&record, rules, komi)?;
            let warnings = warnings.iter().map(ToString::to_string).collect();
            Ok(Self {
                path: path.to_owned(),
                bytes: bytes.clone(),
                record,
                warnings,
                rules,
                komi,
                positions,
            })
        };
        read().with_context(|| format!("in {}", path.display()))
    }

    /// The name of the file without its folder.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// What evaluates games, made once for each kind of game and board.
pub struct Minds<'a> {
    config: &'a Config,
    made: Vec<((Game, BoardSize), Mind)>,
}

/// What evaluates a game.
#[derive(Clone)]
pub struct Mind {
    /// The evaluator.
    pub evaluator: Arc<dyn Evaluator>,
    /// Its name for people.
    pub name: String,
    /// The checksum of its network; empty where there is none.
    pub sha256: String,
}

impl<'a> Minds<'a> {
    /// None yet.
    #[must_use]
    pub const fn new(config: &'a Config) -> Self {
        Self { config, made: Vec::new() }
    }

    /// What evaluates a game.
    pub fn of(&mut self, game: &GameFile) -> anyhow::Result<Mind> {
        let key = (game.rules.game, game.record.size);
        if let Some((_, mind)) = self.made.iter().find(|(made, _)| *made == key) {
            return Ok(mind.clone());
        }
        let mind = Mind::new(self.config, key)?;
        self.made.push((key, mind.clone()));
        Ok(mind)
    }
}

impl Mind {
    fn new(config: &Config, (game, size): (Game, BoardSize)) -> anyhow::Result<Self> {
        let mut config = config.clone();
        config.game.kind = game;
        // The configuration knows square boards alone; it only says what is loaded first.
        config.game.board_size = size.width().max(size.height());
        let (evaluator, _, net) = evaluators::make_whole(&config)?;
        let built_in = || evaluators::fitting(game, size).map(|net| (net.name, net.sha256));
        let (name, sha256) = match (config.net.path.as_str(), net) {
            (path, Some(net)) => (short(path), Network::sha256(&net).to_owned()),
            ("", None) => match built_in() {
                Some((name, sha256)) => (format!("{}{name}", evaluators::BUILT_IN), sha256),
                None => ("playouts".to_owned(), String::new()),
            },
            _ => ("playouts".to_owned(), String::new()),
        };
        Ok(Self { evaluator, name, sha256 })
    }
}

/// The name of a network's file without its folder.
fn short(path: &str) -> String {
    Path::new(path)
        .file_name()
        .map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// A game with the folder that its review is written to, and how much is spent on each position.
pub struct Task<'a> {
    /// The game.
    pub game: &'a GameFile,
    /// What evaluates it.
    pub mind: Mind,
    /// How to search.
    pub params: SearchParams,
    /// How much is spent on a position.
    pub effort: Effort,
    /// The same in words.
    pub effort_text: String,
    /// The folder.
    pub folder: PathBuf,
}

/// What the work says while it goes on.
pub trait Watch {
    /// So many positions were known before; `replaced` if findings were there that were made of something else.
    fn begin(&mut self, known: usize, replaced: bool);
    /// Another position is known; whether to go on.
    fn goes_on(&mut self) -> bool;
}

/// The files of a review.
pub const FILES: [&str; 3] = ["review.html", "review.sgf", "review.json"];
const JOURNAL: &str = "review.journal";

impl Task<'_> {
    /// Analyses what is not known yet and writes the review. None if the work was broken off; what was found by then
    /// is kept, and the same task goes on there.
    pub fn run(
        &self,
        clock: &dyn Fn() -> Duration,
        watch: &mut dyn Watch,
    ) -> anyhow::Result<Option<Review>> {
        make_folder(&self.folder)
            .with_context(|| format!("cannot make the folder {}", self.folder.display()))?;
        let journal = self.folder.join(JOURNAL);
        let all = &self.game.positions;
        let mut findings = Findings::open(&journal, &self.about(), all.len())
            .with_context(|| format!("cannot use {}", journal.display()))?;
        watch.begin(findings.count(), findings.replaced);
        let left: Vec<_> =
            all.iter().enumerate().filter(|(place, _)| !findings.knows(*place)).collect();
        let analyst = Analyst {
            evaluator: Arc::clone(&self.mind.evaluator),
            params: self.params.clone(),
            clock,
        };
        analyse::<anyhow::Error>(&analyst, &left, self.effort, &mut |place, finding| {
            findings.add(place, finding)?;
            let more = watch.goes_on();
            Ok(if more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        let Some(found) = findings.all() else { return Ok(None) };
        let review = Review::new(self.subject(), all.clone(), found);
        self.write(&review)?;
        Ok(Some(review))
    }

    fn subject(&self) -> Subject {
        Subject {
            file: self.game.name(),
            record: self.game.record.clone(),
            rules: self.game.rules,
            komi: self.game.komi,
            evaluator: self.mind.name.clone(),
            effort: self.effort_text.clone(),
        }
    }

    /// What findings depend on.
    fn about(&self) -> Value {
        let checksum = Sha256::digest(&self.game.bytes);
        let checksum = format!("{checksum:x}");
        // How many threads search and in how much memory is not what is looked for.
        let params = SearchParams { threads: 1, max_memory: 0, ..self.params.clone() };
        json!({
            "tedomari": env!("CARGO_PKG_VERSION"),
            "game": checksum,
            "rules": format!("{:?}", self.game.rules),
            "komi": self.game.komi.points(),
            "evaluator": self.mind.name,
            "network": self.mind.sha256,
            "effort": self.effort_text,
            "search": params,
        })
    }

    fn write(&self, review: &Review) -> anyhow::Result<()> {
        let limits = SgfLimits::default();
        let moves = sgf::moves_after_nodes(&self.game.bytes, &limits)?;
        let record = sgf::annotate(&self.game.bytes, &limits, &annotations(review, &moves))?;
        let json = serde_json::to_vec_pretty(&review.to_json())?;
        let contents = [page(review).into_bytes(), record, json];
        for (name, bytes) in FILES.into_iter().zip(contents) {
            let path = self.folder.join(name);
            write_atomically(&path, &bytes)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

/// The folders of several games: the one that is named for a single game, otherwise one in it for each, named after
/// the files.
pub fn folders(games: &[GameFile], out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if games.len() == 1 {
        return Ok(vec![out.to_owned()]);
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for game in games {
        let stem = game.path.file_stem().unwrap_or_default();
        let folder = out.join(stem);
        ensure!(
            !folders.contains(&folder),
            "two games would be written to {}: give the files names of their own, or another --out for each",
            folder.display()
        );
        folders.push(folder);
    }
    Ok(folders)
}
