//! What a teacher says of positions of games, and of positions that games hardly reach.

mod line;
mod odd;

use super::codec::MAX_TURNS;
use super::game::{IllegalTurn, Label, TrainingGame};
use crate::eval::{EvalError, Evaluator};
use crate::game::{Game, Position};
use crate::util::{Seed, params};
use line::Line;

pub use odd::Oddity;

/// Lines that are labelled side by side, so that batches are full.
const OPEN: usize = 64;

/// Positions that are given to the teacher at a time.
const BATCH: usize = 64;

params! {
    /// Which positions a teacher labels.
    pub struct LabelParams {
        /// Positions of each game that is written, spread over it.
        pub positions: usize = 8, 1..=MAX_TURNS;
        /// How often each game is written, each time otherwise.
        pub variants: u64 = 2, 1..=1_000_000;
        /// Share of the games that are written under other rules, and of those with another komi.
        pub varied: f64 = 0.5, 0.0..=1.0;
        /// Mean distance of such a komi in points; smaller ones are more frequent than larger ones.
        pub komi_spread: f64 = 6.0, 0.0..=100.0;
        /// Share of the games that are left by some random moves, after which the teacher goes on.
        pub wander: f64 = 0.2, 0.0..=1.0;
        /// Share of the games that begin with two to nine handicap stones.
        pub handicap: f64 = 0.1, 0.0..=1.0;
        /// Share of the games that the teacher plays on from their last position.
        pub play_on: f64 = 0.05, 0.0..=1.0;
    }
}

/// Games could not be labelled.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// The teacher failed.
    #[error(transparent)]
    Teacher(#[from] EvalError),
    /// The teacher is no network.
    #[error("the teacher says nothing of moves, score or owners: choose a network")]
    Silent,
    /// A game breaks its rules.
    #[error("game {game} breaks its rules: {error}")]
    Illegal {
        /// Counted from 1.
        game: u64,
        /// Where.
        error: IllegalTurn,
    },
}

/// A teacher with the choice of what it is asked.
#[derive(Clone, Copy)]
pub struct Labeller<'a> {
    /// Who says what positions are worth.
    pub teacher: &'a dyn Evaluator,
    /// Which positions.
    pub params: &'a LabelParams,
    /// Where the random numbers start; each game has its own by its number.
    pub seed: Seed,
}

impl Labeller<'_> {
    /// The games, each written as often as there are variants, with labels. `step` is told the games that were
    /// finished and the positions that were labelled since the last time; none comes back when it says to stop.
    pub fn label(
        &self,
        games: &[(u64, TrainingGame)],
        step: &dyn Fn(u64, u64) -> bool,
    ) -> Result<Option<Vec<TrainingGame>>, LabelError> {
        let variants = 0..self.params.variants;
        let numbered = games.iter().flat_map(|game| variants.clone().map(move |v| (game, v)));
        let lines = numbered.map(|((number, game), variant)| {
            let rng = self.seed.fork("label", *number).fork("variant", variant).rng();
            Line::new(game, self.params, rng)
                .map_err(|error| LabelError::Illegal { game: number + 1, error })
        });
        self.run(lines, step)
    }

    /// Labels lines, as many side by side as there is room for; they come back in their order.
    fn run(
        &self,
        lines: impl Iterator<Item = Result<Line, LabelError>>,
        step: &dyn Fn(u64, u64) -> bool,
    ) -> Result<Option<Vec<TrainingGame>>, LabelError> {
        let mut waiting = lines.enumerate();
        let mut open: Vec<(usize, Line)> = Vec::new();
        let mut written = Vec::new();
        loop {
            while open.len() < OPEN
                && let Some((place, line)) = waiting.next()
            {
                open.push((place, line?));
            }
            if open.is_empty() {
                break;
            }
            // Boards of one size beside each other: a network computes them together.
            open.sort_by_key(|(place, line)| (line.size().area(), *place));
            let positions: Vec<_> = open.iter().flat_map(|(_, line)| line.wanted()).collect();
            let labels = self.ask(&positions)?;
            let count = labels.len() as u64;
            let mut labels = labels.into_iter();
            for (_, line) in &mut open {
                line.take(&mut labels);
            }
            let before = written.len();
            let done = open.extract_if(.., |(_, line)| line.is_done());
            written.extend(done.map(|(place, line)| (place, line.finish())));
            if !step((written.len() - before) as u64, count) {
                return Ok(None);
            }
        }
        written.sort_by_key(|(place, _)| *place);
        Ok(Some(written.into_iter().map(|(_, game)| game).collect()))
    }

    fn ask(&self, positions: &[&Position]) -> Result<Vec<Label>, LabelError> {
        let mut labels = Vec::with_capacity(positions.len());
        for some in positions.chunks(BATCH) {
            for (position, evaluation) in some.iter().zip(self.teacher.evaluate(some)?) {
                labels.push(Label::of(position, &evaluation).ok_or(LabelError::Silent)?);
            }
        }
        Ok(labels)
    }
}

/// Whether a game is held out from training when a share of all is: the same for games with the same
/// moves, whoever labels them.
#[must_use]
pub fn is_game_held_out(game: &TrainingGame, share: f64) -> bool {
    let moves = game.turns.iter().map(|turn| u64::from(turn.mv.code()));
    let identity =
        moves.fold(game.size.area() as u64, |hash, mv| Seed::new(hash).fork("move", mv).number());
    let lot = rand::Rng::next_u64(&mut Seed::new(1).fork("holdout", identity).rng());
    (lot as f64 / u64::MAX as f64) < share
}

/// Whether a game is Go.
fn is_go(game: &TrainingGame) -> bool {
    game.rules.game == Game::Go
}

#[cfg(test)]
mod tests;
