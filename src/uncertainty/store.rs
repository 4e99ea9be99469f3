//! Files of games with the traces of searches; the format is in `docs/formats.md`.

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::trace::{Step, Trace};
use crate::game::BoardSize;
use crate::record::{
    NotAGame, Source, TrainingGame, UnwritableGame, decode_game, encode_game, move_number,
    put_number,
};
use crate::util::{ReadError, list_folder, read_limited, write_atomically};

/// The first bytes of every file.
const MAGIC: &[u8; 8] = b"TEDOTRAC";

/// The version of the format that is written. The first one, without proofs, is read as well.
pub const TRACES_VERSION: u32 = 2;

/// How the files are called.
pub const TRACES_EXTENSION: &str = "traces";

/// Larger files are refused before they are read.
const MAX_BYTES: usize = 1 << 30;

/// Bytes of a SHA-256.
const CHECKSUM: usize = 32;

/// The value of a win.
const WIN: f32 = 32_767.0;

/// Searches of positions from some games, all with the same network and number of simulations.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFile {
    /// Checksum of the network in hexadecimal.
    pub net: String,
    /// `N_max`: simulations of a search.
    pub simulations: usize,
    /// The games.
    pub games: Vec<TracedGame>,
}

/// A game with searches of some of its positions.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedGame {
    /// The game.
    pub game: TrainingGame,
    /// The searches by the turn before which they were done.
    pub searches: Vec<(usize, Trace)>,
}

/// A file of traces could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
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
    /// The file is something else.
    #[error("{} is no file of traces: it does not begin like one", path.display())]
    NotTraces {
        /// The file.
        path: PathBuf,
    },
    /// The file has a format that this program does not know.
    #[error(
        "{} has version {found} of the format of traces, this program reads versions 1 to \
         {TRACES_VERSION}: make it again", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file is not what was written.
    #[error("{} is damaged: {what}; remove it and make it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A game cannot be written down.
    #[error(transparent)]
    Game(#[from] UnwritableGame),
    /// There is nothing.
    #[error("{} holds no files of traces: make some by `tedomari uncertainty generate`", path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
    /// Files that do not belong together.
    #[error(
        "{} was made with another network or number of simulations than the files before it: keep \
         them in folders of their own", path.display()
    )]
    Mixed {
        /// The first that differs.
        path: PathBuf,
    },
}

impl TraceFile {
    /// Writes a file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), TracesError> {
        write_atomically(path, &self.to_bytes()?)
            .map_err(|reason| TracesError::Write { path: path.to_owned(), reason })
    }

    /// Reads a file and compares its checksum.
    pub fn read(path: &Path) -> Result<Self, TracesError> {
        Self::from_bytes(path, &read_limited(path, MAX_BYTES)?)
    }

    /// Reads all files of a folder, by name, as one.
    pub fn read_folder(folder: &Path) -> Result<Self, TracesError> {
        let mut files = list_folder(folder)?;
        files.retain(|file| file.extension().is_some_and(|found| found == TRACES_EXTENSION));
        let mut all: Option<Self> = None;
        for path in files {
            let file = Self::read(&path)?;
            match &mut all {
                None => all = Some(file),
                Some(all) if all.net != file.net || all.simulations != file.simulations => {
                    return Err(TracesError::Mixed { path });
                }
                Some(all) => all.games.extend(file.games),
            }
        }
        all.ok_or_else(|| TracesError::Nothing { path: folder.to_owned() })
    }

    fn to_bytes(&self) -> Result<Vec<u8>, TracesError> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(TRACES_VERSION.to_le_bytes());
        put_number(&mut bytes, self.net.len());
        bytes.extend(self.net.as_bytes());
        put_number(&mut bytes, self.simulations);
        put_number(&mut bytes, self.games.len());
        for TracedGame { game, searches } in &self.games {
            let mut inner = Vec::new();
            encode_game(game, &mut inner)?;
            put_number(&mut bytes, inner.len());
            bytes.extend(inner);
            put_number(&mut bytes, searches.len());
            for (ply, trace) in searches {
                put_number(&mut bytes, *ply);
                put_trace(&mut bytes, game.size, trace);
            }
        }
        let checksum = Sha256::digest(&bytes);
        bytes.extend(checksum);
        Ok(bytes)
    }

    /// The contents of a file, of which errors speak by its path.
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, TracesError> {
        let damaged =
            |what: &str| TracesError::Damaged { path: path.to_owned(), what: what.into() };
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(TracesError::NotTraces { path: path.to_owned() });
        };
        let early = "it ends too early";
        let (version, rest) = rest.split_first_chunk().ok_or_else(|| damaged(early))?;
        let version = u32::from_le_bytes(*version);
        if !(1..=TRACES_VERSION).contains(&version) {
            return Err(TracesError::Version { path: path.to_owned(), found: version });
        }
        let end = rest.len().checked_sub(CHECKSUM).ok_or_else(|| damaged(early))?;
        if Sha256::digest(&bytes[..bytes.len() - CHECKSUM]).as_slice() != &rest[end..] {
            return Err(damaged("its checksum does not fit its contents"));
        }
        let mut source = Source(&rest[..end]);
        let file = contents(&mut source, version).map_err(|error| damaged(error.0))?;
        if source.0.is_empty() { Ok(file) } else { Err(damaged("there are bytes behind its end")) }
    }
}

fn put_trace(bytes: &mut Vec<u8>, size: BoardSize, trace: &Trace) {
    put_number(bytes, trace.moves.len());
    for &(mv, prior) in &trace.moves {
        put_number(bytes, move_number(mv, size));
        bytes.extend(prior.to_le_bytes());
    }
    put_number(bytes, trace.steps.len());
    for step in &trace.steps {
        put_number(bytes, usize::from(step.first));
        #[expect(clippy::cast_possible_truncation, reason = "a value is between -1 and 1")]
        bytes.extend(((step.value * WIN).round() as i16).to_le_bytes());
    }
    put_number(bytes, trace.proven.len());
    for &(index, wins) in &trace.proven {
        put_number(bytes, usize::from(index));
        bytes.push(u8::from(wins));
    }
}

fn contents(source: &mut Source<'_>, version: u32) -> Result<TraceFile, NotAGame> {
    let length = source.number()?;
    let net = std::str::from_utf8(piece(source, length)?);
    let net = net.map_err(|_| NotAGame("the network's checksum is no text"))?.to_owned();
    let simulations = source.number()?;
    let games =
        (0..source.number()?).map(|_| traced_game(source, version)).collect::<Result<_, _>>()?;
    Ok(TraceFile { net, simulations, games })
}

fn piece<'a>(source: &mut Source<'a>, length: usize) -> Result<&'a [u8], NotAGame> {
    let (piece, rest) = source.0.split_at_checked(length).ok_or(NotAGame("it ends too early"))?;
    source.0 = rest;
    Ok(piece)
}

fn traced_game(source: &mut Source<'_>, version: u32) -> Result<TracedGame, NotAGame> {
    let length = source.number()?;
    let game = decode_game(piece(source, length)?)?;
    let searches = (0..source.number()?)
        .map(|_| {
            let ply = source.number()?;
            if ply >= game.turns.len() {
                return Err(NotAGame("a search is of a turn behind the end of its game"));
            }
            Ok((ply, read_trace(source, game.size, version)?))
        })
        .collect::<Result<_, _>>()?;
    Ok(TracedGame { game, searches })
}

fn read_trace(source: &mut Source<'_>, size: BoardSize, version: u32) -> Result<Trace, NotAGame> {
    let count = source.number()?;
    if count == 0 || count > size.area() + 1 {
        return Err(NotAGame("a search has more moves than the board, or none"));
    }
    let moves = (0..count)
        .map(|_| Ok((source.mv(size)?, source.float()?)))
        .collect::<Result<_, NotAGame>>()?;
    let steps = (0..source.number()?)
        .map(|_| {
            let first = index(source, count)?;
            let value = f32::from(i16::from_le_bytes(source.take()?)) / WIN;
            Ok(Step { first, value })
        })
        .collect::<Result<_, NotAGame>>()?;
    let proofs = if version == 1 { 0 } else { source.number()? };
    let proven = (0..proofs)
        .map(|_| match (index(source, count)?, source.take::<1>()?) {
            (index, [wins @ 0..=1]) => Ok((index, wins == 1)),
            _ => Err(NotAGame("what was proven is neither a win nor a loss")),
        })
        .collect::<Result<_, NotAGame>>()?;
    Ok(Trace { moves, steps, proven })
}

/// The place of a move among so many.
fn index(source: &mut Source<'_>, count: usize) -> Result<u16, NotAGame> {
    let index = source.number()?;
    if index >= count {
        return Err(NotAGame("a simulation begins with a move that does not exist"));
    }
    #[expect(clippy::cast_possible_truncation, reason = "a board has fewer moves")]
    Ok(index as u16)
}

#[cfg(test)]
mod tests;
