//! What a search has found, and how it came to it.

use std::fmt;
use std::time::Duration;

use crate::eval::{OwnerSpread, Ownership, Value};
use crate::game::{BoardSize, Color, Move};
use crate::timeman::StopReason;

/// The result of a search, or of what has been done of it so far.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// Board of the position searched.
    pub size: BoardSize,
    /// Player to move in the position searched.
    pub color: Color,
    /// All moves looked at, best first; empty when there is no legal move.
    pub moves: Vec<RootMove>,
    /// For each legal move, how much a network should learn to prefer it; adds up to one.
    pub policy: Vec<(Move, f32)>,
    /// Expected result for the side to move.
    pub value: Value,
    /// Expected score in points for the side to move, if the evaluator knows.
    pub score: Option<f32>,
    /// What is proven for the side to move.
    pub proven: Option<Proof>,
    /// Mean ownership over the evaluations, if the evaluator gives it.
    pub ownership: Ownership,
    /// The same with standard deviations, if it was asked for.
    pub owner_spread: Option<OwnerSpread>,
    /// Descents through the tree in this search.
    pub simulations: u64,
    /// Visits of the root, with those of earlier searches that led here.
    pub visits: u64,
    /// Nodes in the tree at the end.
    pub nodes: u64,
    /// Bytes of memory of the tree.
    pub memory: u64,
    /// Whether the tree could not grow any more: its memory was full.
    pub full: bool,
    /// Time from the start to the end.
    pub elapsed: Duration,
    /// Why the search ended; nothing while it goes on.
    pub reason: Option<StopReason>,
    /// The highest criticality of a point, if the evaluator tells owners.
    pub criticality: Option<f64>,
    /// Mean length of the simulated games from the position on, if they are played to the end.
    pub playout_length: Option<f64>,
}

/// Moves of the best line that a report tells in a line of text.
const MOVES_SHOWN: usize = 12;

/// A move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Simulations that began with it.
    pub visits: u32,
    /// Expected result for the side that makes it.
    pub value: Value,
    /// Lower end of the confidence interval around the value.
    pub lower_bound: Value,
    /// Standard deviation of the results of its simulations.
    pub deviation: f32,
    /// Expected score in points for the side that makes it, if the evaluator knows.
    pub score: Option<f32>,
    /// The evaluator's probability of this move.
    pub prior: f32,
    /// What is proven for the side that makes it.
    pub proven: Option<Proof>,
    /// Most visited line of play from this move on, itself included, with the visits of each move.
    pub line: Vec<(Move, u32)>,
    /// Owners over the evaluations of this search that began with it, if it was asked for and there are any.
    pub owner_spread: Option<OwnerSpread>,
}

impl RootMove {
    /// A move that no simulation began with.
    pub(super) fn unvisited(mv: Move, prior: f32, value: Value) -> Self {
        Self {
            mv,
            visits: 0,
            value,
            lower_bound: Value::LOSS,
            deviation: 0.0,
            score: None,
            prior,
            proven: None,
            line: Vec::new(),
            owner_spread: None,
        }
    }

    /// How much the move is to be preferred: proofs first, then visits or the lower bound.
    pub(super) fn rank(&self, by_bound: bool) -> f64 {
        const PROVEN: f64 = 1e12;
        let visits = f64::from(self.visits);
        match self.proven {
            Some(Proof::Win) => PROVEN + visits,
            Some(Proof::Loss) => visits - PROVEN,
            // Bounds of moves with few visits are worth nothing.
            _ if by_bound => 1e6 * f64::from(self.lower_bound.get()) + visits / 1e10,
            _ => visits,
        }
    }
}

/// A result that no further search can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Won whatever the opponent does.
    Win,
    /// A draw with best play.
    Draw,
    /// Lost whatever is played.
    Loss,
}

impl Proof {
    /// The same for the opponent.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Proof::Win => Proof::Loss,
            Proof::Draw => Proof::Draw,
            Proof::Loss => Proof::Win,
        }
    }

    /// The proven result as a value.
    #[must_use]
    pub const fn value(self) -> Value {
        match self {
            Proof::Win => Value::WIN,
            Proof::Draw => Value::DRAW,
            Proof::Loss => Value::LOSS,
        }
    }
}

impl SearchReport {
    /// The best move.
    #[must_use]
    pub fn best(&self) -> Option<&RootMove> {
        self.moves.first()
    }

    /// The line of play that begins with the best move.
    pub fn line(&self) -> impl Iterator<Item = Move> + '_ {
        self.best().into_iter().flat_map(|best| best.line.iter().map(|&(mv, _)| mv))
    }
}

impl fmt::Display for SearchReport {
    /// One line for logs, records and those who ask for an explanation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line().take(MOVES_SHOWN).map(|mv| self.size.move_text(mv));
        let line: Vec<_> = line.collect();
        write!(f, "{} wins {:.1} %", self.color, 100.0 * self.value.win_rate())?;
        if let Some(score) = self.score {
            let ahead = if score < 0.0 { self.color.opponent() } else { self.color };
            write!(f, ", score {}+{:.1},", ahead.letter(), score.abs())?;
        }
        write!(f, " after {} simulations", self.simulations)?;
        if self.visits > self.simulations {
            write!(f, " ({} visits)", self.visits)?;
        }
        write!(f, " in {:.2} s", self.elapsed.as_secs_f64())?;
        if let Some(reason) = self.reason {
            write!(f, " ({reason})")?;
        }
        write!(f, ", line {}", line.join(" "))
    }
}
