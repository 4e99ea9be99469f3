//! Random games as an evaluation.

use std::sync::{Mutex, PoisonError};

use super::uniform::Playout;
use crate::eval::{EvalError, Evaluation, Evaluator, Ownership, Policy, Value};
use crate::game::{Game, Position};
use crate::util::{Rng, Seed};

/// Evaluates a position by one random game: the value is its result, and all moves are equally good
/// but those that fill an own eye.
///
/// The games of one thread are one stream of random numbers, so that a search with one thread can
/// be repeated.
pub struct PlayoutEvaluator {
    seed: Seed,
    /// What no thread is using, in a stack: one thread alone always gets the same.
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    states: Vec<State>,
    made: u64,
}

struct State {
    playout: Option<Playout>,
    rng: Rng,
}

impl PlayoutEvaluator {
    /// An evaluator whose random games start from a seed.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self { seed, idle: Mutex::default() }
    }

    fn take(&self) -> State {
        // A thread that panicked in here has left nothing that the next game does not overwrite.
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.states.pop().unwrap_or_else(|| {
            idle.made += 1;
            State { playout: None, rng: self.seed.fork("thread", idle.made).rng() }
        })
    }

    fn give_back(&self, state: State) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).states.push(state);
    }
}

impl Evaluator for PlayoutEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let mut state = self.take();
        let State { playout, rng } = &mut state;
        let answers = batch
            .iter()
            .map(|position| {
                let playout = playout.get_or_insert_with(|| Playout::new(position));
                let value = match playout.run(position, rng) {
                    None => Value::DRAW,
                    Some(winner) if winner == position.to_move() => Value::WIN,
                    Some(_) => Value::LOSS,
                };
                let ownership = Some(Ownership::of_board(playout.board()).after(playout.moves()));
                let policy = match position.rules().game {
                    Game::Go => Policy::Sensible,
                    Game::NoGo => Policy::Uniform,
                };
                Evaluation { value, policy, score: None, ownership }
            })
            .collect();
        self.give_back(state);
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Color, Komi, Rules};

    #[test]
    fn values_are_for_the_side_to_move() {
        let evaluator = PlayoutEvaluator::new(Seed::new(1));
        let size = BoardSize::square(5).unwrap();
        let komi = Komi::from_points(100.0).unwrap();
        let mut position = Position::new(size, Rules::CHINESE, komi);
        let value = |position: &Position| evaluator.evaluate(&[position]).unwrap()[0].value;
        assert_eq!(value(&position), Value::LOSS);
        position.set_to_move(Color::White);
        assert_eq!(value(&position), Value::WIN);
    }
}
