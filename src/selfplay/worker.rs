//! A thread that plays several games in step.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use super::archive::Archive;
use super::game::{Play, Played};
use super::params::{SelfplayParams, Start};
use crate::eval::{EvalError, Evaluator};
use crate::game::Position;
use crate::util::Seed;

/// What all threads share.
pub(super) struct Hall<'a> {
    pub(super) evaluator: &'a dyn Evaluator,
    pub(super) params: &'a SelfplayParams,
    pub(super) start: &'a Start,
    pub(super) archive: &'a Archive,
    pub(super) seed: Seed,
    /// The number of the next game, and the first that is not to be played.
    pub(super) next: AtomicU64,
    pub(super) end: u64,
    pub(super) stop: &'a AtomicBool,
    pub(super) failure: Mutex<Option<EvalError>>,
}

impl Hall<'_> {
    fn new_game(&self) -> Option<Play<'_>> {
        // Ordering: the counter guards nothing but itself.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.end)
            .then(|| Play::new(self.params, self.start, self.archive, self.seed, number))
    }

    /// Plays games until there are no more. Each is the same whatever is played beside it.
    pub(super) fn play(&self, finished: &SyncSender<Played>) -> Result<(), EvalError> {
        let mut games: Vec<Play<'_>> = Vec::new();
        let mut exhausted = false;
        while !self.stop.load(Ordering::Relaxed) {
            while !exhausted && games.len() < self.params.games_per_thread {
                match self.new_game() {
                    Some(game) => games.push(game),
                    None => exhausted = true,
                }
            }
            let mut index = 0;
            while index < games.len() {
                if games[index].next().is_some() {
                    index += 1;
                } else if finished.send(games.swap_remove(index).finish()).is_err() {
                    return Ok(());
                }
            }
            if games.is_empty() {
                if exhausted {
                    return Ok(());
                }
                continue;
            }
            let leaves: Vec<&Position> = games.iter_mut().filter_map(|game| game.next()).collect();
            let answers = self.evaluator.evaluate(&leaves)?;
            for (game, answer) in games.iter_mut().zip(answers) {
                game.answer(answer);
            }
        }
        Ok(())
    }
}
