//! Files of games to learn from.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::codec::{self, Header, NotAGame, UnwritableGame};
use super::game::TrainingGame;
use crate::util::{ReadError, read_limited, write_atomically};

/// The first bytes of every shard.
const MAGIC: &[u8; 8] = b"TEDOGAME";

/// The version of the format, and that of shards without labels and handicap stones.
pub const SHARD_VERSION: u32 = 2;
const PLAIN_VERSION: u32 = 1;

/// Magic, version, number of games, number of turns.
const HEADER: usize = 8 + 4 + 4 + 8;

/// Bytes of a SHA-256.
const CHECKSUM: usize = 32;

/// Larger files are refused before they are read.
pub const MAX_SHARD: usize = 256 << 20;

/// How the files are called.
pub const SHARD_EXTENSION: &str = "shard";

/// A shard could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// Whoever wrote the folder has not finished.
    #[error(
        "{} holds a part of the games only, because the import that made it has not finished: \
         give the same command again, it begins anew", folder.display()
    )]
    Unfinished {
        /// The folder.
        folder: PathBuf,
    },
    /// The file is something else.
    #[error("{} is no shard of games: it does not begin like one", path.display())]
    NotAShard {
        /// The file.
        path: PathBuf,
    },
    /// The file has a format that this program does not know.
    #[error(
        "{} has version {found} of the format of shards, this program reads versions up to \
         {SHARD_VERSION}: use the program that wrote it or make it again", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file is not what was written.
    #[error("{} is damaged: {what}; copy or make it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A game that does not fit into a shard.
    #[error("game {number} cannot be written: {reason}")]
    Game {
        /// Counted from 1.
        number: usize,
        /// Why not.
        reason: UnwritableGame,
    },
    /// Too many games for one file.
    #[error("a shard of {bytes} bytes is larger than {MAX_SHARD}: write fewer games into it")]
    TooLarge {
        /// What it would have.
        bytes: usize,
    },
}

/// Writes a shard, whole or not at all.
pub fn write_shard(path: &Path, games: &[TrainingGame]) -> Result<(), ShardError> {
    let bytes = shard_bytes(games)?;
    write_atomically(path, &bytes)
        .map_err(|reason| ShardError::Write { path: path.to_owned(), reason })
}

/// What a shard with these games has in it.
pub fn shard_bytes(games: &[TrainingGame]) -> Result<Vec<u8>, ShardError> {
    let count =
        u32::try_from(games.len()).map_err(|_| ShardError::TooLarge { bytes: usize::MAX })?;
    let turns: usize = games.iter().map(|game| game.turns.len()).sum();
    let mut bytes = MAGIC.to_vec();
    // Programs that know nothing of labels read what has none.
    let plain = games.iter().all(TrainingGame::is_plain);
    bytes.extend((if plain { PLAIN_VERSION } else { SHARD_VERSION }).to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend((turns as u64).to_le_bytes());
    for (game, number) in games.iter().zip(1..) {
        let start = bytes.len();
        bytes.extend([0; 4]);
        codec::encode(game, &mut bytes).map_err(|reason| ShardError::Game { number, reason })?;
        let length = u32::try_from(bytes.len() - start - 4)
            .map_err(|_| ShardError::TooLarge { bytes: bytes.len() })?;
        bytes[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }
    let bytes_in_all = bytes.len() + CHECKSUM;
    if bytes_in_all > MAX_SHARD {
        return Err(ShardError::TooLarge { bytes: bytes_in_all });
    }
    let checksum = Sha256::digest(&bytes);
    bytes.extend(checksum);
    Ok(bytes)
}

/// A shard that was read and found whole. Games are taken out of its bytes when they are asked for,
/// as they take several times the space.
#[derive(Clone, Debug)]
pub struct Shard {
    path: PathBuf,
    bytes: Arc<[u8]>,
    /// Where each game begins and ends, its board and its turns.
    games: Vec<GameEntry>,
}

/// A game in a shard.
#[derive(Clone, Copy, Debug)]
struct GameEntry {
    start: u32,
    end: u32,
    turns: u32,
    size: crate::game::BoardSize,
}

impl Shard {
    /// Reads a shard and compares its checksum.
    pub fn read(path: &Path) -> Result<Self, ShardError> {
        let bytes = read_limited(path, MAX_SHARD)?;
        Self::from_bytes(path, bytes)
    }

    /// The same from the contents of the file, of which errors speak by its path.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, ShardError> {
        let damaged = |what: String| ShardError::Damaged { path: path.to_owned(), what };
        if !bytes.starts_with(MAGIC) {
            return Err(ShardError::NotAShard { path: path.to_owned() });
        }
        let cut_off = || damaged("it ends too early".to_owned());
        let version = u32::from_le_bytes(array(&bytes, 8).ok_or_else(cut_off)?);
        if !(PLAIN_VERSION..=SHARD_VERSION).contains(&version) {
            return Err(ShardError::Version { path: path.to_owned(), found: version });
        }
        let end = bytes.len().checked_sub(CHECKSUM).filter(|&end| end >= HEADER);
        let (contents, checksum) = bytes.split_at(end.ok_or_else(cut_off)?);
        if Sha256::digest(contents).as_slice() != checksum {
            return Err(damaged("its checksum does not fit its contents".to_owned()));
        }
        let count = u32::from_le_bytes(array(contents, 12).ok_or_else(cut_off)?);
        let turns = u64::from_le_bytes(array(contents, 16).ok_or_else(cut_off)?);
        let games = index(contents)
            .map_err(|(number, what)| damaged(format!("game {number} cannot be read: {what}")))?;
        if games.len() != count as usize {
            return Err(damaged(format!("it should hold {count} games, but has {}", games.len())));
        }
        let found: u64 = games.iter().map(|game| u64::from(game.turns)).sum();
        if found != turns {
            return Err(damaged(format!("it should hold {turns} turns, but has {found}")));
        }
        Ok(Self { path: path.to_owned(), bytes: bytes.into(), games })
    }

    /// The file it was read from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of games.
    #[must_use]
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether there is no game.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The checksum of the file in hexadecimal.
    #[must_use]
    pub fn checksum(&self) -> String {
        let checksum = &self.bytes[self.bytes.len() - CHECKSUM..];
        checksum.iter().fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// The game with an index, from 0.
    ///
    /// # Panics
    ///
    /// If there are not so many games.
    pub fn game(&self, index: usize) -> Result<TrainingGame, ShardError> {
        let entry = self.games[index];
        codec::decode(&self.bytes[entry.start as usize..entry.end as usize]).map_err(|error| {
            let what = format!("game {} cannot be read: {error}", index + 1);
            ShardError::Damaged { path: self.path.clone(), what }
        })
    }

    /// Board and number of turns of the game with an index, without reading the rest of it.
    #[must_use]
    pub fn outline(&self, index: usize) -> (crate::game::BoardSize, usize) {
        let entry = self.games[index];
        (entry.size, entry.turns as usize)
    }

    /// All games in order.
    #[must_use]
    pub fn games(&self) -> impl ExactSizeIterator<Item = Result<TrainingGame, ShardError>> + '_ {
        (0..self.games.len()).map(|index| self.game(index))
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

/// Where the games are; or the number of the first that cannot be read, and why.
fn index(contents: &[u8]) -> Result<Vec<GameEntry>, (usize, NotAGame)> {
    let too_short = NotAGame("the file ends too early");
    let mut games = Vec::new();
    let mut at = HEADER;
    while at < contents.len() {
        let number = games.len() + 1;
        let wrong = |what: NotAGame| (number, what);
        let length = array(contents, at).ok_or_else(|| wrong(too_short.clone()))?;
        let start = at + 4;
        let end = start + u32::from_le_bytes(length) as usize;
        let bytes = contents.get(start..end).ok_or_else(|| wrong(too_short.clone()))?;
        let Header { size, turns } = codec::decode_header(bytes).map_err(wrong)?;
        let place = |at: usize| u32::try_from(at).expect("invariant: a shard has below 4 GiB");
        games.push(GameEntry {
            start: place(start),
            end: place(end),
            turns: u32::try_from(turns).expect("invariant: turns are limited"),
            size,
        });
        at = end;
    }
    Ok(games)
}

#[cfg(test)]
mod tests;
