//! Game records in the Smart Game Format, `FF[4]` of the standard at
//! <https://www.red-bean.com/sgf/>.
//!
//! [`read`] takes the main line of the first game of a file, [`write()`] writes a record of one
//! line, and [`annotate`] adds to a file and keeps all that stands in it. NoGo has no number of its own in the standard: it is written as Go (`GM[1]`) under the
//! rules `RU[NoGo]`, and read so.
//!
//! Files come from anywhere. A scanner of our own measures the text against [`SgfLimits`] and
//! hands the properties that a [`GameRecord`](super::GameRecord) has room for to the parser;
//! nothing here recurses over nodes, so that no file can exhaust the stack. What decides the
//! stones on the board must be right, or reading fails with an [`SgfError`]; what only describes
//! the game is left out with an [`SgfWarning`] when it cannot be understood.

mod annotate;
mod parse;
mod read;
mod scan;
mod write;

#[cfg(test)]
mod tests;

pub use annotate::{Annotation, annotate, moves_after_nodes};
pub use read::read;
pub use write::{point_text, write};

use super::point::BoardSize;
use super::record::GameResult;
use super::rules::Komi;

/// What a file may cost at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SgfLimits {
    /// Bytes of the file.
    pub bytes: usize,
    /// Parentheses that are open at one time.
    pub depth: usize,
    /// Nodes of the first game, with all its variations.
    pub nodes: usize,
    /// Points and rectangles in the set-up properties `AB`, `AW` and `AE` together. A few bytes
    /// can name a whole board each time.
    pub setup_values: usize,
}

impl Default for SgfLimits {
    fn default() -> Self {
        Self { bytes: 4 << 20, depth: 200, nodes: 20_000, setup_values: 2_000 }
    }
}

/// Why a file was not read. Quoted values are cut after a few dozen characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SgfError {
    /// More bytes than [`SgfLimits::bytes`].
    #[error("the file has {bytes} bytes, at most {limit} are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// More open parentheses than [`SgfLimits::depth`].
    #[error("variations are nested deeper than {limit}")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// More nodes than [`SgfLimits::nodes`].
    #[error("the game has more than {limit} nodes")]
    TooManyNodes {
        /// The limit.
        limit: usize,
    },
    /// More points than [`SgfLimits::setup_values`].
    #[error("AB, AW and AE have more than {limit} values")]
    TooManySetupValues {
        /// The limit.
        limit: usize,
    },
    /// No `(` followed by `;`.
    #[error("not an SGF file: there is no '(;'")]
    NotSgf,
    /// A character where none of its kind can be.
    #[error("unexpected '{found}' at byte {offset}")]
    Unexpected {
        /// The character.
        found: char,
        /// Bytes before it.
        offset: usize,
    },
    /// The file ends before the `]` of a value.
    #[error("the file ends inside of {property}")]
    UnfinishedValue {
        /// The identifier.
        property: String,
    },
    /// The parser refuses what the scanner let through.
    #[error("not an SGF file: {0}")]
    Syntax(String),
    /// Neither Go nor NoGo.
    #[error("unsupported game GM[{game}]: only GM[1] is read, Go or NoGo")]
    UnsupportedGame {
        /// The value of `GM`.
        game: String,
    },
    /// `SZ` is not a size that boards can have.
    #[error("bad board size SZ[{value}]: sides go from {} to {}", BoardSize::MIN, BoardSize::MAX)]
    BadSize {
        /// The value of `SZ`.
        value: String,
    },
    /// A move or a set-up property that cannot be understood.
    #[error("malformed {property}[{value}] after move {after_move}")]
    BadValue {
        /// The identifier.
        property: String,
        /// Its values.
        value: String,
        /// Moves before it.
        after_move: usize,
    },
    /// A point of a larger board.
    #[error("{property}[{value}] after move {after_move} is not on the {size} board")]
    OffBoard {
        /// The identifier.
        property: String,
        /// The point.
        value: String,
        /// The board.
        size: BoardSize,
        /// Moves before it.
        after_move: usize,
    },
    /// Stones are put down or taken away in the middle of the game. A record is a start position
    /// and moves; to stop there silently would show another game than the file does.
    #[error(
        "{property} after move {after_move}: the board may only be set up before the first move"
    )]
    SetupAfterMove {
        /// The identifier.
        property: String,
        /// Moves before it.
        after_move: usize,
    },
}

/// Something in a file that was left out or put right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SgfWarning {
    /// Bytes that are no UTF-8 were replaced.
    #[error("the file is not UTF-8: some characters of its texts are lost")]
    NotUtf8,
    /// Only the first game was read.
    #[error("the file has several games: only the first is read")]
    MoreGames,
    /// Only the main line was read.
    #[error("the game has variations: only the main line is read")]
    Variations,
    /// The last `)` is missing.
    #[error("the file ends before the game does")]
    Truncated,
    /// The value of `RU` names no rules that are known.
    #[error("unknown rules RU[{name}]")]
    UnknownRules {
        /// The value.
        name: String,
    },
    /// `KM` was not in points.
    #[error("KM[{written}] is read as a komi of {komi}")]
    KomiScaled {
        /// The number in the file.
        written: f64,
        /// What it means.
        komi: Komi,
    },
    /// `RE` tells who won, but its margin makes no sense.
    #[error("RE[{written}] is read as {result}")]
    UnknownMargin {
        /// The value in the file.
        written: String,
        /// What is kept of it.
        result: GameResult,
    },
    /// A property that cannot be understood.
    #[error("cannot understand {property}[{value}], it is left out")]
    Ignored {
        /// The identifier.
        property: String,
        /// Its values.
        value: String,
    },
    /// `PL` in the middle of the game, where every move says whose it is.
    #[error("PL after move {after_move} is left out")]
    LatePlayer {
        /// Moves before it.
        after_move: usize,
    },
}

/// As much of a value as a message can show.
fn excerpt(value: &str) -> String {
    const SHOWN: usize = 60;
    let mut characters = value.chars();
    let mut shown: String =
        characters.by_ref().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}
