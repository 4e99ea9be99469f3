//! The folder in which the results of a match are kept.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::line::GameLine;
use super::stopwatch::Stopwatch;
use crate::util::stats::Sprt;
use crate::util::{
    Journal, ReadError, make_folder, read_limited, write_atomically, write_unsynced,
};

/// What a match is, as `match.json` says it. A folder holds the games of one match only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchInfo {
    /// Version of this format.
    pub format: u32,
    /// The names of the players.
    pub players: Vec<String>,
    /// The players as they were written.
    pub specs: Vec<String>,
    /// The side of the board, or `WxH`.
    pub board: Value,
    /// The rules by name.
    pub rules: String,
    /// Points for White.
    pub komi: f64,
    /// Where random numbers start.
    pub seed: u64,
    /// Games in all parts.
    pub games: u64,
    /// Who meets whom: `pairs`, `round-robin` or `gauntlet`.
    pub schedule: String,
    /// The time of each player.
    pub time: Vec<String>,
    /// Where openings come from.
    pub openings: String,
    /// Moves that are taken from SGF files.
    pub opening_plies: usize,
    /// How dead stones are found.
    pub dead: String,
    /// Moves from which a game is too long.
    pub max_moves: usize,
    /// Milliseconds of each move that are not charged.
    pub allowance_ms: u64,
    /// The sequential test, if there is one.
    pub sprt: Option<Sprt>,
    /// Which part, from 1, of how many.
    pub shard: [u64; 2],
}

/// Results that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The folder belongs to another match.
    #[error(
        "{} holds another match: its {key} is {there}, not {here}; take another folder, or give \
         the command that began it", folder.display()
    )]
    Other {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        key: String,
        /// What it is in the folder.
        there: String,
        /// What was asked for.
        here: String,
    },
    /// Not what this program writes.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The system refused.
    #[error("cannot write results in {}: {reason}", folder.display())]
    Io {
        /// The folder.
        folder: PathBuf,
        /// Why.
        reason: io::Error,
    },
}

/// Games are on the disk after this time.
const SAFE_WITHIN: Duration = Duration::from_secs(1);

/// The name of the file with the games.
pub const GAMES: &str = "games.jsonl";
/// The name of the file that says what the match is.
pub const MATCH: &str = "match.json";
/// The folder with the records.
pub const RECORDS: &str = "sgf";

/// An open folder of results.
#[derive(Debug)]
pub struct Results {
    folder: PathBuf,
    journal: Journal,
    /// Since when lines may not be on the disk.
    unsafe_since: Option<Stopwatch>,
}

impl Results {
    /// Opens the folder of a match, or makes it, and reads the games that it holds.
    pub fn open(folder: &Path, info: &MatchInfo) -> Result<(Self, Vec<GameLine>), ResultsError> {
        let io = |reason| ResultsError::Io { folder: folder.to_owned(), reason };
        let path = folder.join(MATCH);
        let is_new = !path.exists();
        if !is_new {
            compare(folder, &path, info)?;
        }
        let games = folder.join(GAMES);
        if is_new && fs::metadata(&games).is_ok_and(|found| found.len() > 0) {
            let reason = format!(
                "it is absent, but there is {GAMES}, which may be of something else: name another folder"
            );
            return Err(ResultsError::Damaged { path, reason });
        }
        make_folder(folder).and_then(|()| make_folder(&folder.join(RECORDS))).map_err(io)?;
        let valid = |line: &str| serde_json::from_str::<GameLine>(line).is_ok();
        let (journal, lines) = Journal::open(&games, &valid).map_err(io)?;
        if is_new {
            let text = serde_json::to_string_pretty(info).map_err(|error| io(error.into()))?;
            write_atomically(&path, format!("{text}\n").as_bytes()).map_err(io)?;
        }
        let mut seen = HashSet::new();
        let lines = lines
            .iter()
            .filter_map(|line| serde_json::from_str::<GameLine>(line).ok())
            .filter(|line| seen.insert(line.game))
            .collect();
        Ok((Self { folder: folder.to_owned(), journal, unsafe_since: None }, lines))
    }

    /// Adds finished games with their records: first the records, then all lines at once. A game whose
    /// line is there was played, whatever becomes of the process; a loss of power takes the games of a
    /// second.
    pub fn add(&mut self, games: &[(GameLine, String)]) -> Result<(), ResultsError> {
        let io = |reason| ResultsError::Io { folder: self.folder.clone(), reason };
        let mut lines = Vec::with_capacity(games.len());
        for (line, record) in games {
            let path = self.folder.join(RECORDS).join(record_name(line.game));
            write_unsynced(&path, record.as_bytes()).map_err(io)?;
            lines.push(serde_json::to_string(line).map_err(|error| io(error.into()))?);
        }
        self.journal.append(lines.iter().map(String::as_str)).map_err(io)?;
        match self.unsafe_since {
            Some(since) if since.elapsed() >= SAFE_WITHIN => self.sync(),
            Some(_) => Ok(()),
            None => {
                self.unsafe_since = Some(Stopwatch::start());
                Ok(())
            }
        }
    }

    /// Waits until all games are on the disk.
    pub fn sync(&mut self) -> Result<(), ResultsError> {
        self.unsafe_since = None;
        let folder = || self.folder.clone();
        self.journal.sync().map_err(|reason| ResultsError::Io { folder: folder(), reason })
    }
}

/// The name of the file with the record of a game.
#[must_use]
pub fn record_name(game: u64) -> String {
    format!("{game:06}.sgf")
}

/// Says what is different between the match that is in the folder and the one that is asked for.
fn compare(folder: &Path, path: &Path, info: &MatchInfo) -> Result<(), ResultsError> {
    let damaged = |reason: String| ResultsError::Damaged { path: path.to_owned(), reason };
    let bytes = read_limited(path, 1 << 20)?;
    let there: Value =
        serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    let here = serde_json::to_value(info).map_err(|error| damaged(error.to_string()))?;
    let here = here.as_object().into_iter().flatten();
    for (key, here) in here {
        let there = there.get(key).unwrap_or(&Value::Null);
        if there != here {
            return Err(ResultsError::Other {
                folder: folder.to_owned(),
                key: key.clone(),
                there: there.to_string(),
                here: here.to_string(),
            });
        }
    }
    Ok(())
}
