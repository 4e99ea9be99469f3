//! What the referee knows of a player.

mod client;
mod inside;
mod process;
mod program;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

pub use client::Client;
pub use inside::{EngineMaker, Inside};
pub use process::Streams;
pub use program::Program;

use super::time::TimeControl;
use crate::engine::Purpose;
use crate::game::{BoardSize, Color, Komi, Move, PointSet, Rules};
use crate::timeman::Clock;
use crate::util::Seed;

/// A game that is about to begin.
#[derive(Clone, Copy, Debug)]
pub struct GameStart {
    /// The board.
    pub size: BoardSize,
    /// The rules.
    pub rules: Rules,
    /// Points for White.
    pub komi: Komi,
    /// The time of this player.
    pub time: TimeControl,
    /// Where random numbers start in this game.
    pub seed: Seed,
}

/// What a player answers when it is asked for a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A move, which need not be legal.
    Move(Move),
    /// The game is given up.
    Resign,
    /// What cannot be understood as a move.
    Nonsense(String),
}

/// An answer with what is known about it.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// Time from the question to the answer.
    pub used: Duration,
    /// Simulations of the search.
    pub simulations: Option<u64>,
    /// Why the search ended.
    pub stop: Option<Cow<'static, str>>,
    /// What the move was planned to take.
    pub planned: Option<f64>,
    /// The player's own probability of winning.
    pub win_rate: Option<f32>,
}

/// What a player can do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It cannot be started at all: no match without it.
    Absent,
    /// Its program ended.
    Crash,
    /// It did not answer.
    Hang,
    /// It answered too late.
    Late,
    /// It wrote what is no answer.
    Junk,
    /// It made an illegal move.
    Illegal,
    /// It closed its output and lives on.
    Closed,
    /// It wrote far too much.
    Flood,
    /// It refused what it should do.
    Refused,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Absent => "absent",
            Kind::Crash => "crash",
            Kind::Hang => "hang",
            Kind::Late => "late",
            Kind::Junk => "junk",
            Kind::Illegal => "illegal",
            Kind::Closed => "closed",
            Kind::Flood => "flood",
            Kind::Refused => "refused",
        })
    }
}

/// Something that a player did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {detail}")]
pub struct Trouble {
    /// What it was.
    pub kind: Kind,
    /// In words.
    pub detail: String,
}

impl Trouble {
    /// Trouble of a kind.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

/// A player of one game after the other. After [`Trouble`] it plays no more: whoever owns it makes
/// a new one.
pub trait Player: Send {
    /// Begins a game on an empty board.
    fn start(&mut self, game: &GameStart) -> Result<(), Trouble>;
    /// Takes a move of the opponent or of the opening.
    fn play(&mut self, color: Color, mv: Move) -> Result<(), Trouble>;
    /// Thinks and moves. Waits for the answer up to `limit`, however much is on the clock.
    fn genmove(&mut self, question: &Question<'_>) -> Result<Reply, Trouble>;
    /// The stones that the player thinks dead, if it says.
    fn dead_stones(&mut self) -> Result<Option<PointSet>, Trouble>;
    /// What has gone wrong since the last time without being the end of the game.
    fn take_minor(&mut self) -> Vec<Trouble>;
}

/// Asks for a move.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Who is to move.
    pub color: Color,
    /// What for.
    pub purpose: Purpose,
    /// The mover's clock.
    pub clock: &'a Clock,
    /// How long to wait for the answer at the most.
    pub limit: Duration,
}
