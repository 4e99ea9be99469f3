//! A thread that plays several games in step.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};

use super::game::{Play, Played};
use super::run::Selfplay;
use crate::eval::EvalError;
use crate::game::Position;

/// Games to be played.
pub(super) type Waiting<'a> = std::iter::Enumerate<Box<dyn Iterator<Item = u64> + Send + 'a>>;

/// What all threads share.
pub(super) struct Hall<'a> {
    pub(super) games: &'a Selfplay<'a>,
    /// The numbers of the games that nobody plays yet, each with its place among all.
    pub(super) waiting: Mutex<Waiting<'a>>,
    pub(super) stop: &'a AtomicBool,
    pub(super) failure: Mutex<Option<EvalError>>,
}

impl Hall<'_> {
    fn new_game(&self) -> Option<(usize, Play<'_>)> {
        let next = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        next.map(|(place, number)| (place, Play::new(self.games, number)))
    }

    /// Plays games until there are no more. Each is the same whatever is played beside it.
    pub(super) fn play(&self, finished: &SyncSender<(usize, Played)>) -> Result<(), EvalError> {
        let mut games: Vec<(usize, Play<'_>)> = Vec::new();
        let mut exhausted = false;
        while !self.stop.load(Ordering::Relaxed) {
            while !exhausted && games.len() < self.games.params.games_per_thread {
                match self.new_game() {
                    Some(game) => games.push(game),
                    None => exhausted = true,
                }
            }
            let mut index = 0;
            while index < games.len() {
                if games[index].1.next().is_some() {
                    index += 1;
                    continue;
                }
                let (place, game) = games.swap_remove(index);
                if finished.send((place, game.finish())).is_err() {
                    return Ok(());
                }
            }
            if games.is_empty() {
                if exhausted {
                    return Ok(());
                }
                continue;
            }
            let (apart, mut shared): (Vec<_>, Vec<_>) =
                games.iter_mut().map(|(_, game)| game).partition(|game| game.is_apart());
            apart.into_iter().try_for_each(Play::ask_own)?;
            let leaves: Vec<&Position> = shared.iter_mut().filter_map(|game| game.next()).collect();
            let answers = self.games.evaluator.evaluate(&leaves)?;
            for (game, answer) in shared.into_iter().zip(answers) {
                game.answer(answer);
            }
        }
        Ok(())
    }
}
