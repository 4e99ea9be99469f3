//! What is written down of each game of a match.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// One line of `games.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameLine {
    /// The number of the game in the schedule, from 0.
    pub game: u64,
    /// The number of the pair: games with the same opening and the same players, colours swapped.
    pub pair: u64,
    /// The names of all players of the match.
    pub players: Vec<String>,
    /// The index of the player that has Black.
    pub black: usize,
    /// The index of the player that has White.
    pub white: usize,
    /// The index of the winner; none after a draw or a game that does not count.
    pub winner: Option<usize>,
    /// As in an SGF file: `B+3.5`, `W+R`, `B+T`, `W+F`, `0`, `Void`.
    pub result: String,
    /// How it came to that.
    pub reason: Reason,
    /// The moves that both players were given, such as `D4 E6`; empty for none.
    pub opening: String,
    /// Moves of the opening.
    pub opening_plies: usize,
    /// Moves in all, those of the opening included.
    pub plies: usize,
    /// The moves in GTP's notation.
    pub moves: Vec<String>,
    /// Seconds used for each move after the opening.
    pub seconds: Vec<f64>,
    /// Simulations of each move after the opening, where they are known.
    pub simulations: Vec<Option<u64>>,
    /// Why the search for each move after the opening ended, where it is known.
    pub stops: Vec<Option<Cow<'static, str>>>,
    /// What each move after the opening was planned to take, where it is known: seconds, or
    /// simulations on a virtual clock.
    #[serde(default)]
    pub planned: Vec<Option<f64>>,
    /// What went wrong, by whose fault.
    pub faults: Vec<Fault>,
}

/// How a game came to its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It was counted.
    Score,
    /// In NoGo: the loser had no legal move.
    NoMove,
    /// The loser resigned.
    Resignation,
    /// The loser overstepped the time.
    Time,
    /// The loser answered with a move that is not legal, or not with a move at all.
    Illegal,
    /// The loser's program ended.
    Crash,
    /// The loser's program did not answer at all.
    Hang,
    /// It became too long and was counted as it stood.
    Length,
    /// It does not count: no player could be started, say.
    Void,
}

/// Something that a player did wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// The index of the player.
    pub player: usize,
    /// The move after which it happened, from 0.
    pub ply: usize,
    /// What it was: `crash`, `hang`, `late`, `junk`, `illegal`, `closed`, `flood`, `refused`.
    pub kind: String,
    /// In words.
    pub detail: String,
}
