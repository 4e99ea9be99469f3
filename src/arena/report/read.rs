//! Reads results directories, and puts the shards of one match together.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use crate::arena::{GAMES, GameLine, MATCH, MatchInfo};
use crate::util::{ReadError, read_limited};

/// The version of `match.json` that this build reads.
const FORMAT: u32 = 1;
/// A description of a match is small.
const MAX_MATCH: usize = 1 << 20;
/// About a million long games.
const MAX_GAMES: usize = 1 << 32;
/// Longer games and longer thoughts are damage.
const MAX_PLIES: usize = 1_000_000;
const MAX_SECONDS: f64 = 1e9;
/// Warnings beyond these are only counted.
const MAX_WARNINGS: usize = 20;

/// The board as `9x9`.
pub(super) fn board_text(info: &MatchInfo) -> String {
    match &info.board {
        serde_json::Value::String(text) => text.clone(),
        side => format!("{side}x{side}"),
    }
}

/// Results cannot be reported on.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// No directory was named.
    #[error("name at least one results directory")]
    Nothing,
    /// A file could not be read.
    #[error("{} is not a results directory of a match: {source}", directory.display())]
    Unreadable {
        /// The directory.
        directory: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// `match.json` says nothing that makes sense.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Two directories are of different matches.
    #[error(
        "{} and {} are of different matches: '{key}' is {here} in the first and {there} in the \
         second; report on them one by one", first.display(), second.display()
    )]
    Mixed {
        /// One directory.
        first: PathBuf,
        /// The other directory.
        second: PathBuf,
        /// The key of `match.json` that differs.
        key: String,
        /// Its value in the first.
        here: String,
        /// Its value in the second.
        there: String,
    },
}

/// A game with the directory that it was found in.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundGame {
    /// The game.
    pub line: GameLine,
    /// The index of its directory.
    pub directory: usize,
}

/// All games of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// What was played. The shard is that of a single directory, and `[1, 1]` of several.
    pub info: MatchInfo,
    /// The directories read.
    pub directories: Vec<PathBuf>,
    /// The games in the order of the schedule, each once.
    pub games: Vec<FoundGame>,
    /// Games that were there more than once; the first counts.
    pub duplicates: u64,
    /// What could not be used, in words.
    pub warnings: Vec<String>,
}

impl Results {
    /// Reads the directories of one match, which may be its shards.
    ///
    /// A game that is there twice counts once. A last line that was cut off is left out, and so is
    /// a damaged line, with a warning that names it.
    pub fn read(directories: &[PathBuf]) -> Result<Self, ReportError> {
        let (first, others) = directories.split_first().ok_or(ReportError::Nothing)?;
        let mut info = read_info(first)?;
        for other in others {
            same_match(first, &info, other, &read_info(other)?)?;
        }
        if !others.is_empty() {
            info.shard = [1, 1];
        }
        let mut games = BTreeMap::new();
        let (mut duplicates, mut warnings) = (0, Vec::new());
        for (directory, path) in directories.iter().enumerate() {
            for line in read_games(path, &info, &mut warnings)? {
                match games.entry(line.game) {
                    Entry::Occupied(_) => duplicates += 1,
                    Entry::Vacant(place) => {
                        place.insert(FoundGame { line, directory });
                    }
                }
            }
        }
        if warnings.len() > MAX_WARNINGS {
            let more = warnings.len() - MAX_WARNINGS;
            warnings.truncate(MAX_WARNINGS);
            warnings.push(format!("and {more} lines more"));
        }
        let games = games.into_values().collect();
        Ok(Self { info, directories: directories.to_vec(), games, duplicates, warnings })
    }
}

fn read_info(directory: &Path) -> Result<MatchInfo, ReportError> {
    let path = directory.join(MATCH);
    let bytes = read_limited(&path, MAX_MATCH)
        .map_err(|source| ReportError::Unreadable { directory: directory.to_owned(), source })?;
    let damaged = |reason: String| ReportError::Damaged { path: path.clone(), reason };
    let info: MatchInfo =
        serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    if info.format != FORMAT {
        let reason = format!("it has format {}, this build reads format {FORMAT}", info.format);
        return Err(damaged(reason));
    }
    if info.players.len() < 2 {
        return Err(damaged("a match has at least two players".to_owned()));
    }
    if info.sprt.is_some_and(|test| !test.is_sound()) {
        return Err(damaged("sprt needs elo0 < elo1, and alpha and beta in (0, 0.5)".to_owned()));
    }
    Ok(info)
}

/// Refuses games of another match; the first key that differs is named.
fn same_match(
    first: &Path,
    here: &MatchInfo,
    second: &Path,
    there: &MatchInfo,
) -> Result<(), ReportError> {
    let text = |info: &MatchInfo| match serde_json::to_value(info) {
        Ok(serde_json::Value::Object(mut map)) => {
            // The shard is the directory's, not the match's.
            map.remove("shard");
            map
        }
        _ => serde_json::Map::new(),
    };
    let (left, right) = (text(here), text(there));
    let said = |map: &serde_json::Map<_, _>, key: &String| {
        map.get(key).map_or_else(|| "not there".to_owned(), serde_json::Value::to_string)
    };
    match left.keys().chain(right.keys()).find(|key| left.get(*key) != right.get(*key)) {
        None => Ok(()),
        Some(key) => Err(ReportError::Mixed {
            first: first.to_owned(),
            second: second.to_owned(),
            key: key.clone(),
            here: said(&left, key),
            there: said(&right, key),
        }),
    }
}

fn read_games(
    directory: &Path,
    info: &MatchInfo,
    warnings: &mut Vec<String>,
) -> Result<Vec<GameLine>, ReportError> {
    let path = directory.join(GAMES);
    let bytes = match read_limited(&path, MAX_GAMES) {
        Ok(bytes) => bytes,
        // A match of which no game has ended yet.
        Err(ReadError::Io { reason, .. }) if reason.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Vec::new());
        }
        Err(source) => {
            return Err(ReportError::Unreadable { directory: directory.to_owned(), source });
        }
    };
    let mut games = Vec::new();
    for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let found = serde_json::from_slice::<GameLine>(line)
            .map_err(|error| error.to_string())
            .and_then(|game| checked(game, info));
        match found {
            Ok(game) => games.push(game),
            Err(_) if !line.ends_with(b"\n") => warnings
                .push(format!("line {number} of {} was cut off and is left out", path.display())),
            Err(reason) => warnings.push(format!(
                "line {number} of {} is damaged and left out: {reason}",
                path.display()
            )),
        }
    }
    Ok(games)
}

/// A line that all later steps can trust.
fn checked(game: GameLine, info: &MatchInfo) -> Result<GameLine, String> {
    let players = info.players.len();
    let wrong = if game.players != info.players {
        Some("its players are not those of match.json")
    } else if game.black >= players || game.white >= players || game.black == game.white {
        Some("black and white are not two players of the match")
    } else if game.winner.is_some_and(|winner| winner != game.black && winner != game.white) {
        Some("the winner did not play")
    } else if game.faults.iter().any(|fault| fault.player >= players) {
        Some("a fault is of no player of the match")
    } else if game.plies > MAX_PLIES || game.seconds.len() > MAX_PLIES {
        Some("it is too long")
    } else if game.seconds.iter().any(|seconds| !(0.0..MAX_SECONDS).contains(seconds)) {
        Some("a time is out of range")
    } else {
        None
    };
    wrong.map_or(Ok(game), |reason| Err(reason.to_owned()))
}
