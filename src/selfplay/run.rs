//! Self-play from beginning to end.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::archive::Archive;
use super::game::{Played, Resignation};
use super::params::{SelfplayParams, Start};
use super::worker::Hall;
use crate::eval::{EvalError, Evaluator};
use crate::game::Color;
use crate::search::{SearchParams, StopModel};
use crate::util::Seed;

/// Self-play could not go on.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError<E> {
    /// The evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvalError),
    /// A finished game could not be kept.
    #[error("a game could not be kept: {0}")]
    Keep(E),
}

/// What games depend on, beside their numbers.
#[derive(Clone, Copy)]
pub struct Selfplay<'a> {
    /// Who evaluates, or from whom each game has one apart, see [`Evaluator::apart`].
    pub evaluator: &'a dyn Evaluator,
    /// What may end searches whose answer will not change.
    pub stop_model: Option<&'a dyn StopModel>,
    /// How games are played.
    pub params: &'a SelfplayParams,
    /// How moves are searched, as far as `params` does not say.
    pub search: &'a SearchParams,
    /// Where they begin.
    pub start: Start,
    /// Earlier games to begin in.
    pub archive: &'a Archive,
    /// Where the random numbers start.
    pub seed: Seed,
}

impl Selfplay<'_> {
    /// Plays the games with these numbers and gives each finished one to `keep`, in the order of the
    /// numbers, on the thread that called. Ends early, with whole games only, when `stop` is set.
    pub fn play<E>(
        &self,
        numbers: impl Iterator<Item = u64> + Send,
        stop: &AtomicBool,
        mut keep: impl FnMut(Played) -> Result<(), E>,
    ) -> Result<(), SelfplayError<E>> {
        let numbers = Box::new(numbers) as Box<dyn Iterator<Item = u64> + Send>;
        let waiting = Mutex::new(numbers.enumerate());
        let hall = Hall { games: self, waiting, stop, failure: Mutex::new(None) };
        let (sender, receiver) = sync_channel(64);
        let kept = thread::scope(|scope| {
            for _ in 0..self.params.thread_count() {
                let (hall, sender) = (&hall, sender.clone());
                scope.spawn(move || {
                    if let Err(error) = hall.play(&sender) {
                        *hall.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        hall.stop.store(true, Ordering::Relaxed);
                    }
                });
            }
            drop(sender);
            let mut waiting = BTreeMap::new();
            let mut next = 0;
            // Dropping the receiver at an error ends the threads.
            for (place, played) in receiver {
                waiting.insert(place, played);
                while let Some(played) = waiting.remove(&next) {
                    keep(played)?;
                    next += 1;
                }
            }
            // Stopped early: there are gaps before what is left.
            waiting.into_values().try_for_each(&mut keep)
        });
        if let Some(error) = hall.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error.into());
        }
        kept.map_err(SelfplayError::Keep)
    }
}

/// What games came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    /// Games.
    pub games: u64,
    /// Moves played, without those of the archive.
    pub moves: u64,
    /// Positions to learn from.
    pub rows: u64,
    /// Won by Black.
    pub black_wins: u64,
    /// Won by nobody.
    pub draws: u64,
    /// Ended by resignation.
    pub resigned: u64,
    /// Games of the control group that somebody would have resigned.
    pub control: u64,
    /// Those of them that this player did not lose.
    pub control_wrong: u64,
    /// Games that began in the archive.
    pub archive_starts: u64,
    /// Positions that the evaluator was asked about.
    pub evaluations: u64,
    /// Positions that were answered from memory.
    pub remembered: u64,
    /// Searches that ended because their answer would not change.
    pub ended_early: u64,
}

impl Stats {
    /// Counts a game.
    pub fn add(&mut self, played: &Played) {
        let one = u64::from;
        let game = &played.game;
        self.games += 1;
        self.moves += (game.turns.len() - played.given) as u64;
        self.rows += game.turns.iter().filter(|turn| turn.weight > 0.0).count() as u64;
        self.black_wins += one(game.outcome.winner == Some(Color::Black));
        self.draws += one(game.outcome.winner.is_none());
        self.resigned += one(played.resignation == Resignation::Resigned);
        let wrong = played.resignation == Resignation::Wrong;
        self.control += one(wrong || played.resignation == Resignation::Right);
        self.control_wrong += one(wrong);
        self.archive_starts += one(played.given > 0);
        self.evaluations += played.evaluations;
        self.remembered += played.remembered;
        self.ended_early += played.ended_early;
    }
}

#[cfg(test)]
mod tests;
