//! What a search is asked to do.

use std::time::Duration;

use super::limits::Limits;
use super::report::SearchReport;
use crate::game::{Color, Move};
use crate::timeman::{SearchProgress, Stop};

/// Everything about a search but the position.
pub struct Request<'a> {
    /// Asked after every batch of the calling thread; where there is a deadline, every few milliseconds.
    pub stop: &'a mut dyn Stop,
    /// The time since the search began.
    pub clock: SearchClock<'a>,
    /// When the report is made, by real time since the search began, whatever threads are waiting
    /// for.
    pub deadline: Option<Duration>,
    /// Simulations at the most, which all threads share.
    pub simulations: Option<u64>,
    /// How the position came about, to find it again in the tree of an earlier search.
    pub line: Option<&'a Line>,
    /// Moves that must not be considered.
    pub limits: Limits,
    /// Whether to search on where there is one move alone.
    pub also_one_move: bool,
    /// Whether the report tells how far evaluations differ about owners, and the owners after each move.
    pub owner_spreads: bool,
    /// Sees the search while it runs.
    pub observer: Option<&'a mut dyn Observer>,
}

/// How the time of a search is measured.
#[derive(Clone, Copy)]
pub enum SearchClock<'a> {
    /// By a real clock: the time since the search began.
    Real(&'a dyn Fn() -> Duration),
    /// One second for each simulation.
    Simulations,
}

impl SearchClock<'_> {
    /// The time after so many simulations.
    pub(super) fn elapsed(self, simulations: u64) -> Duration {
        match self {
            Self::Real(elapsed) => elapsed(),
            Self::Simulations => Duration::from_secs(simulations),
        }
    }
}

/// A beginning and the moves since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Tells beginnings apart: board, stones, rules, komi.
    pub start: u64,
    /// The moves from there.
    pub moves: Vec<(Color, Move)>,
    /// The player to move at the end of them.
    pub to_move: Color,
}

impl Line {
    /// The moves that lead from the end of an earlier line to the end of this one, if they do and
    /// the players alternate.
    pub(super) fn since(&self, earlier: &Line) -> Option<Vec<Move>> {
        let rest = self.moves.strip_prefix(earlier.moves.as_slice())?;
        let mut to_move = earlier.to_move;
        for &(color, _) in rest {
            if color != to_move {
                return None;
            }
            to_move = to_move.opponent();
        }
        (self.start == earlier.start && to_move == self.to_move)
            .then(|| rest.iter().map(|&(_, mv)| mv).collect())
    }
}

/// Sees a search while it runs, on the thread that called it.
pub trait Observer {
    /// Called whenever it was asked whether to stop. `report` costs some time: call it when needed.
    fn look(&mut self, progress: &SearchProgress<'_>, report: &dyn Fn() -> SearchReport);
}

impl<F: FnMut(&SearchProgress<'_>, &dyn Fn() -> SearchReport)> Observer for F {
    fn look(&mut self, progress: &SearchProgress<'_>, report: &dyn Fn() -> SearchReport) {
        self(progress, report);
    }
}

impl<'a> Request<'a> {
    /// A search that considers all moves and is watched by nobody.
    pub fn new(stop: &'a mut dyn Stop, elapsed: &'a dyn Fn() -> Duration) -> Self {
        Self {
            stop,
            clock: SearchClock::Real(elapsed),
            deadline: None,
            simulations: None,
            line: None,
            limits: Limits::default(),
            also_one_move: false,
            owner_spreads: false,
            observer: None,
        }
    }
}
