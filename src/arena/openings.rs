//! The first moves of games, which both players are given.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rand::seq::{IndexedRandom, SliceRandom};

use crate::game::sgf::{self, SgfLimits};
use crate::game::{BoardSize, Color, Game, Komi, Move, Point, Position, Rules, Symmetry};
use crate::util::{Rng, Seed, list_folder, read_limited};

/// Where openings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// Games begin on the empty board.
    None,
    /// So many random moves.
    Random(usize),
    /// A file with one sequence of moves in each line, or a folder of SGF files.
    Path(PathBuf),
}

/// Openings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// A number of random moves that is none.
    #[error("'{0}' is no number of random moves: write random:N with N from 1 to 60")]
    NotRandom(String),
    /// More random moves than the board has room for.
    #[error(
        "{plies} random moves are too many for a board of {size}: at most a third of its points"
    )]
    TooMany {
        /// The moves.
        plies: usize,
        /// The board.
        size: BoardSize,
    },
    /// The file or folder cannot be read.
    #[error("openings cannot be read: {0}")]
    Read(String),
    /// There is nothing in it.
    #[error("{} holds no openings", .0.display())]
    Empty(PathBuf),
    /// A sequence that makes no sense.
    #[error("{place}: {reason}")]
    Bad {
        /// Where it stands.
        place: String,
        /// What is wrong.
        reason: String,
    },
}

/// Bytes of the largest file of openings.
const MAX_BYTES: usize = 64 << 20;
/// Random openings of a match; more games use them again.
const MAX_RANDOM: usize = 100_000;
/// Attempts to find a random opening that is not there yet.
const ATTEMPTS: usize = 200;

impl FromStr for OpeningSource {
    type Err = OpeningError;

    fn from_str(text: &str) -> Result<Self, OpeningError> {
        if text == "none" {
            return Ok(Self::None);
        }
        let Some(number) = text.strip_prefix("random:") else {
            return Ok(Self::Path(PathBuf::from(text)));
        };
        let plies = number.parse().ok().filter(|plies| (1..=60).contains(plies));
        plies.map(Self::Random).ok_or_else(|| OpeningError::NotRandom(number.to_owned()))
    }
}

/// For which games openings are made.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    /// The board.
    pub size: BoardSize,
    /// The rules.
    pub rules: Rules,
    /// Moves that are taken from an SGF file at the most.
    pub plies: usize,
}

impl OpeningSource {
    /// As many openings as are asked for, or fewer where there are no more: then they are used
    /// again. Those of a file or folder come in an order that the seed decides.
    pub fn openings(
        &self,
        ground: &Ground,
        count: usize,
        seed: Seed,
    ) -> Result<Vec<Vec<Move>>, OpeningError> {
        match self {
            Self::None => Ok(vec![Vec::new()]),
            Self::Random(plies) => random_openings(ground, *plies, count, seed),
            Self::Path(path) => {
                let mut list = if path.is_dir() {
                    from_folder(path, ground)?
                } else {
                    from_file(path, ground)?
                };
                if list.is_empty() {
                    return Err(OpeningError::Empty(path.clone()));
                }
                list.shuffle(&mut seed.fork("openings", 0).rng());
                list.truncate(count.max(1));
                Ok(list)
            }
        }
    }
}

fn random_openings(
    ground: &Ground,
    plies: usize,
    count: usize,
    seed: Seed,
) -> Result<Vec<Vec<Move>>, OpeningError> {
    let size = ground.size;
    if plies > size.area() / 3 {
        return Err(OpeningError::TooMany { plies, size });
    }
    let mut seen = HashSet::new();
    let mut list = Vec::with_capacity(count);
    for index in 0..count.min(MAX_RANDOM) {
        let mut rng = seed.fork("opening", index as u64).rng();
        let mut attempts = (0..ATTEMPTS).filter_map(|_| random_opening(ground, plies, &mut rng));
        let new = attempts.find(|(_, position)| seen.insert(whichever_way_turned(position)));
        match new {
            Some((moves, _)) => list.push(moves),
            // There seem to be no more.
            None => break,
        }
    }
    if list.is_empty() {
        return Err(OpeningError::TooMany { plies, size });
    }
    Ok(list)
}

/// Random moves that are not plain nonsense; none where the game has ended by them.
fn random_opening(ground: &Ground, plies: usize, rng: &mut Rng) -> Option<(Vec<Move>, Position)> {
    let mut position = Position::new(ground.size, ground.rules, Komi::default());
    let mut moves = Vec::with_capacity(plies);
    for _ in 0..plies {
        let color = position.to_move();
        let mut legal: Vec<_> = position.legal_points(color).collect();
        // The order of empty points depends on captures alone, but a sorted list depends on
        // nothing.
        legal.sort_unstable();
        let sensible: Vec<_> =
            legal.iter().copied().filter(|&point| is_sensible(&position, color, point)).collect();
        let choice = if sensible.is_empty() { &legal } else { &sensible };
        let mv = Move::Place(*choice.choose(rng)?);
        position.play_legal(color, mv);
        moves.push(mv);
    }
    (!position.is_over()).then_some((moves, position))
}

/// In Go: not on the edge of a board of some size, no chain in atari behind it, no own eye filled.
/// In NoGo: no point that only oneself could play, which is worth keeping.
fn is_sensible(position: &Position, color: Color, point: Point) -> bool {
    let (size, board) = (position.size(), position.board());
    if position.rules().game == Game::NoGo {
        return !board.around(point).is_eye_of(color);
    }
    let (x, y) = size.coordinates(point);
    let inside = |at: usize, side: usize| side < 5 || (at > 0 && at + 1 < side);
    if !inside(x, size.width()) || !inside(y, size.height()) || board.around(point).is_eye_of(color)
    {
        return false;
    }
    let mut after = board.clone();
    after.place(color, point);
    let near = [point].into_iter().chain(size.neighbors(point));
    near.filter(|&point| after.stone(point).is_some()).all(|point| !after.in_atari(point))
}

/// A hash that is the same for a position and all that it becomes when the board is turned.
fn whichever_way_turned(position: &Position) -> u64 {
    let symmetries = Symmetry::for_size(position.size()).iter();
    let hashes = symmetries.map(|&symmetry| position.turned(symmetry).board().hash());
    hashes.min().unwrap_or_default()
}

fn from_file(path: &Path, ground: &Ground) -> Result<Vec<Vec<Move>>, OpeningError> {
    let bytes =
        read_limited(path, MAX_BYTES).map_err(|error| OpeningError::Read(error.to_string()))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut list = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        // In a table the moves are the last column.
        let cell = line.rsplit('\t').next().unwrap_or_default().trim();
        let is_heading = number == 1 && line.contains('\t') && cell == "moves";
        if cell.is_empty() || cell.starts_with('#') || is_heading {
            continue;
        }
        let bad = |reason: String| OpeningError::Bad {
            place: format!("{}, line {number}", path.display()),
            reason,
        };
        let words = cell.split(|c: char| c.is_whitespace() || c == ',');
        let moves = words.filter(|word| !word.is_empty()).map(|word| {
            ground.size.parse_point(word).map(Move::Place).map_err(|error| bad(error.to_string()))
        });
        let moves = moves.collect::<Result<Vec<_>, _>>()?;
        check(ground, &moves).map_err(bad)?;
        list.push(moves);
    }
    Ok(list)
}

fn from_folder(path: &Path, ground: &Ground) -> Result<Vec<Vec<Move>>, OpeningError> {
    let files = list_folder(path).map_err(|error| OpeningError::Read(error.to_string()))?;
    let is_record = |file: &PathBuf| file.is_file() && file.extension().is_some_and(|e| e == "sgf");
    let mut list = Vec::new();
    for file in files.into_iter().filter(is_record) {
        let limits = SgfLimits::default();
        let bytes = read_limited(&file, limits.bytes)
            .map_err(|error| OpeningError::Read(error.to_string()))?;
        let bad = |reason: String| OpeningError::Bad { place: file.display().to_string(), reason };
        let (record, _) = sgf::read(&bytes, &limits).map_err(|error| bad(error.to_string()))?;
        if record.size != ground.size {
            return Err(bad(format!(
                "its board is {}, that of the match {}",
                record.size, ground.size
            )));
        }
        let colors = Color::BOTH.into_iter().cycle();
        let moves: Vec<_> = record.moves.iter().take(ground.plies).collect();
        let plain = moves.iter().zip(colors).all(|(mv, color)| mv.color == color);
        if !record.setup.is_empty() || !plain {
            return Err(bad(
                "an opening has no stones at the start, and Black and White alternate".to_owned(),
            ));
        }
        let moves: Vec<_> = moves.iter().map(|recorded| recorded.mv).collect();
        check(ground, &moves).map_err(bad)?;
        list.push(moves);
    }
    Ok(list)
}

/// Whether the moves are legal, and something is left to play.
fn check(ground: &Ground, moves: &[Move]) -> Result<(), String> {
    let mut position = Position::new(ground.size, ground.rules, Komi::default());
    for (number, &mv) in (1..).zip(moves) {
        let vertex = ground.size.move_text(mv);
        if mv == Move::Pass {
            return Err(format!("move {number} is a pass, which is no move of an opening"));
        }
        let color = position.to_move();
        position.play(color, mv).map_err(|reason| format!("move {number}, {vertex}: {reason}"))?;
    }
    if position.is_over() { Err("the game is over after it".to_owned()) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
