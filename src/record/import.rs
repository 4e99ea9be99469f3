//! Games that others have played, from SGF.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::codec::MAX_TURNS;
use super::game::{Outcome, TrainingGame, Turn};
use super::rating::Rating;
use crate::game::sgf::{self, SgfLimits};
use crate::game::{
    BoardSize, Color, Game, GameRecord, GameResult, Komi, PointSet, Position, Rules,
};
use crate::util::{ReadError, Seed, list_folder, open_file};

/// Which games are taken.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// Both players are at least that strong.
    pub min_rating: Option<Rating>,
    /// Played on this day or later: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    pub since: Option<String>,
    /// Played on this day or earlier.
    pub until: Option<String>,
    /// Least number of moves.
    pub min_moves: usize,
    /// Greatest number of moves.
    pub max_moves: Option<usize>,
    /// What must be known of the result.
    pub result: ResultFilter,
    /// The board.
    pub size: Option<BoardSize>,
    /// The rules to play by, whatever the record says.
    pub rules: Option<Rules>,
    /// Which scores are believed.
    pub scores: ScoreTrust,
}

/// What must be known of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultFilter {
    /// Nothing.
    #[default]
    Any,
    /// Who has won, but not by time or forfeit.
    Known,
    /// That it was counted.
    Counted,
}

/// Which scores are believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreTrust {
    /// Those that counting the last board gives as well.
    #[default]
    Agreed,
    /// Also what is written, after two passes.
    Written,
}

/// Why a game was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skipped {
    /// No SGF, or one that cannot be read.
    Unreadable,
    /// Another board.
    Board,
    /// It does not start from the empty board with Black, or a player moves twice.
    Start,
    /// A player is weaker than wanted, or nobody knows.
    Rating,
    /// Too early or too late, or nobody knows.
    Date,
    /// Too few or too many moves.
    Length,
    /// Less is known of the result than wanted.
    Result,
    /// A move is not allowed.
    Illegal,
    /// The same game has come before.
    Duplicate,
}

impl Skipped {
    /// A word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Board => "board",
            Self::Start => "start",
            Self::Rating => "rating",
            Self::Date => "date",
            Self::Length => "length",
            Self::Result => "result",
            Self::Illegal => "illegal",
            Self::Duplicate => "duplicate",
        }
    }
}

/// What became of the games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// Games taken.
    pub games: usize,
    /// Positions in them.
    pub rows: usize,
    /// Of those games, held out from training.
    pub held_out: usize,
    /// Games whose result is known.
    pub with_result: usize,
    /// Games whose score is known.
    pub with_score: usize,
    /// Games whose last board is known.
    pub with_owners: usize,
    /// Games not taken.
    pub skipped: BTreeMap<Skipped, usize>,
}

/// Takes games that pass the filters, each once.
#[derive(Debug)]
pub struct Importer {
    filters: Filters,
    holdout: f64,
    seed: Seed,
    seen: HashSet<u64>,
    summary: ImportSummary,
}

/// A game that was taken, and whether it is held out.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The game.
    pub game: TrainingGame,
    /// Whether it is kept away from training, to measure what was learnt.
    pub held_out: bool,
}

impl Importer {
    /// An importer that holds out a share of the games, chosen by their moves and the seed.
    #[must_use]
    pub fn new(filters: Filters, holdout: f64, seed: Seed) -> Self {
        let summary = ImportSummary::default();
        Self { filters, holdout, seed, seen: HashSet::new(), summary }
    }

    /// What became of the games up to now.
    #[must_use]
    pub const fn summary(&self) -> &ImportSummary {
        &self.summary
    }

    /// Takes a game, or notes why not.
    pub fn add(&mut self, sgf: &[u8]) -> Option<Imported> {
        match self.import(sgf) {
            Ok(imported) => {
                let (outcome, summary) = (&imported.game.outcome, &mut self.summary);
                summary.games += 1;
                summary.rows += imported.game.turns.len();
                summary.held_out += usize::from(imported.held_out);
                summary.with_result += usize::from(outcome.for_black().is_some());
                summary.with_score += usize::from(outcome.score.is_some());
                summary.with_owners += usize::from(outcome.owners.is_some());
                Some(imported)
            }
            Err(reason) => {
                *self.summary.skipped.entry(reason).or_default() += 1;
                None
            }
        }
    }

    fn import(&mut self, sgf: &[u8]) -> Result<Imported, Skipped> {
        let (record, _) = sgf::read(sgf, &SgfLimits::default()).map_err(|_| Skipped::Unreadable)?;
        self.filters.check(&record)?;
        let game = training_game(&record, &self.filters)?;
        if self.filters.result == ResultFilter::Known && game.outcome.for_black().is_none() {
            return Err(Skipped::Result);
        }
        if !self.seen.insert(identity(&record)) {
            return Err(Skipped::Duplicate);
        }
        Ok(Imported { game, held_out: is_held_out(&record, self.holdout, self.seed) })
    }
}

/// Whether an [`Importer`] with this share and seed keeps a game away from training.
#[must_use]
pub fn is_held_out(record: &GameRecord, holdout: f64, seed: Seed) -> bool {
    let lot = seed.fork("holdout", identity(record)).rng();
    let lot = rand::Rng::next_u64(&mut { lot }) as f64 / u64::MAX as f64;
    lot < holdout
}

/// A number that games with the same moves share.
fn identity(record: &GameRecord) -> u64 {
    let moves = record.moves.iter().map(|recorded| u64::from(recorded.mv.code()));
    moves.fold(record.size.area() as u64, |hash, mv| Seed::new(hash).fork("move", mv).number())
}

impl Filters {
    fn check(&self, record: &GameRecord) -> Result<(), Skipped> {
        if self.size.is_some_and(|size| size != record.size) {
            return Err(Skipped::Board);
        }
        let turns = [Color::Black, Color::White].into_iter().cycle();
        let alternate = record.moves.iter().zip(turns).all(|(mv, color)| mv.color == color);
        if !record.setup.is_empty() || record.handicap > 0 || !alternate {
            return Err(Skipped::Start);
        }
        if let Some(least) = self.min_rating {
            let reaches = |rank: &Option<String>| {
                let rating = rank.as_ref().and_then(|rank| rank.parse::<Rating>().ok());
                rating.is_some_and(|rating| rating.reaches(least))
            };
            if !record.ranks.iter().all(reaches) {
                return Err(Skipped::Rating);
            }
        }
        if !self.has_date(record.date.as_deref().unwrap_or_default()) {
            return Err(Skipped::Date);
        }
        let limit = self.max_moves.unwrap_or(MAX_TURNS).min(MAX_TURNS);
        if !(self.min_moves.max(1)..=limit).contains(&record.moves.len()) {
            return Err(Skipped::Length);
        }
        let counted = matches!(record.result, Some(GameResult::Score { .. } | GameResult::Draw));
        if self.result == ResultFilter::Counted && !counted {
            return Err(Skipped::Result);
        }
        Ok(())
    }

    /// Dates written `YYYY-MM-DD` compare as texts; of several only the first counts.
    fn has_date(&self, date: &str) -> bool {
        let is_part = |c: char| c.is_ascii_digit() || c == '-';
        let date = &date[..date.find(|c| !is_part(c)).unwrap_or(date.len())];
        let since = self.since.as_deref().is_none_or(|since| date >= since);
        let until = self
            .until
            .as_deref()
            .is_none_or(|until| date.len() >= 4 && &date[..date.len().min(until.len())] <= until);
        since && until
    }
}

/// The game with what is to be learnt from it: the moves that were played, and the result as far as
/// it can be believed (`docs/methods.md`).
fn training_game(record: &GameRecord, filters: &Filters) -> Result<TrainingGame, Skipped> {
    let rules = filters.rules.or(record.rules).unwrap_or(Rules::CHINESE);
    let komi = record.komi.unwrap_or_default();
    let last = record.replay(usize::MAX, rules, komi).map_err(|_| Skipped::Illegal)?;
    let turn = |mv| Turn { mv, policy: vec![(mv, 1.0)], value: None, weight: 1.0, label: None };
    Ok(TrainingGame {
        size: record.size,
        rules,
        // NoGo knows no komi.
        komi: if rules.game == Game::NoGo { Komi::default() } else { komi },
        stones: Vec::new(),
        turns: record.moves.iter().map(|recorded| turn(recorded.mv)).collect(),
        outcome: match rules.game {
            Game::Go => go_outcome(record.result, &last, filters.scores),
            Game::NoGo => nogo_outcome(record.result, &last),
        },
    })
}

fn go_outcome(result: Option<GameResult>, last: &Position, trust: ScoreTrust) -> Outcome {
    let Some(result) = result else { return Outcome::UNKNOWN };
    let winner = match result {
        // Whoever runs out of time may have had the better position.
        GameResult::Time(_) | GameResult::Forfeit(_) | GameResult::Void | GameResult::Unknown => {
            return Outcome::UNKNOWN;
        }
        result => result.winner(),
    };
    let written = match result {
        GameResult::Draw => Some(0.0),
        GameResult::Score { winner, halves } => {
            let points = halves as f32 / 2.0;
            Some(if winner == Color::Black { points } else { -points })
        }
        _ => None,
    };
    let (nobody, passed) = (PointSet::new(), last.passes() >= 2);
    let counted = last.score(&nobody);
    if passed && written.is_some() && GameResult::from(counted) == result {
        return Outcome { winner, score: written, ..Outcome::as_it_stands(last) };
    }
    let possible = written.is_some_and(|score| {
        let komi = last.komi().points().abs();
        f64::from(score.abs()) <= last.size().area() as f64 + komi
    });
    // A draw is a score of 0 however it came about.
    let believed = result == GameResult::Draw || trust == ScoreTrust::Written && passed && possible;
    Outcome { winner, score: written.filter(|_| believed), owners: None }
}

/// The board tells who has won when the player to move cannot.
fn nogo_outcome(result: Option<GameResult>, last: &Position) -> Outcome {
    if !last.is_over() {
        let winner = match result {
            Some(GameResult::Time(_) | GameResult::Forfeit(_)) | None => None,
            Some(result) => result.winner(),
        };
        return Outcome { winner, score: None, owners: None };
    }
    Outcome::as_it_stands(last)
}

/// A file of games could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The system refused.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// In the middle, or it is not compressed as its name says.
    #[error("cannot read {}: {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// It is neither of the kinds that are read.
    #[error("{} is not .sgf, .sgfs or a .gz of them", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
    },
}

/// Folders nested deeper than this are not looked into.
const MAX_DEPTH: usize = 32;

/// The files of games among files and folders, what is in a folder by name.
pub fn sgf_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ImportError> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            add_folder(path, MAX_DEPTH, &mut files)?;
        } else if Kind::of(path).is_some() {
            files.push(path.clone());
        } else {
            return Err(ImportError::Kind { path: path.clone() });
        }
    }
    Ok(files)
}

fn add_folder(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), ImportError> {
    for path in list_folder(path)? {
        if path.is_dir() {
            if depth > 0 {
                add_folder(&path, depth - 1, files)?;
            }
        } else if Kind::of(&path).is_some() {
            files.push(path);
        }
    }
    Ok(())
}

/// What is in a file.
struct Kind {
    compressed: bool,
    /// One game on each line, otherwise one in all.
    lines: bool,
}

impl Kind {
    fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let (name, compressed) =
            name.strip_suffix(".gz").map_or((name.as_str(), false), |name| (name, true));
        let ending = Path::new(name).extension()?.to_str()?;
        let lines = match ending {
            "sgf" => false,
            "sgfs" => true,
            _ => return None,
        };
        Some(Self { compressed, lines })
    }
}

/// Hands over the games of a file one after the other until `take` wants no more.
pub fn read_games(
    path: &Path,
    mut take: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), ImportError> {
    let kind = Kind::of(path).ok_or_else(|| ImportError::Kind { path: path.to_owned() })?;
    let io_error = |reason| ImportError::Io { path: path.to_owned(), reason };
    let file = open_file(path)?;
    let source: Box<dyn Read> =
        if kind.compressed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut source = BufReader::new(source);
    // One byte more than is allowed, so that the reader of SGF sees that it is too much.
    let limit = SgfLimits::default().bytes as u64 + 1;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let mut limited = source.by_ref().take(limit);
        let read = if kind.lines {
            limited.read_until(b'\n', &mut bytes)
        } else {
            limited.read_to_end(&mut bytes)
        };
        if read.map_err(io_error)? == 0 {
            return Ok(());
        }
        if !bytes.trim_ascii().is_empty() && take(&bytes).is_break() {
            return Ok(());
        }
        if !kind.lines {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests;
