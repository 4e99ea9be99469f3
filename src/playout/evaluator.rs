//! Games to the end as an evaluation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::params::{PlayoutParams, PlayoutValue};
use super::pattern::Patterns;
use super::play::Playout;
use super::prior;
use crate::eval::{EvalError, Evaluation, Evaluator, Ownership, Policy, Value};
use crate::game::{Color, Game, Position};
use crate::util::{Rng, Seed};

/// Evaluates a position by one game: the value is its result, and moves are told apart by tactics and
/// patterns when somebody asks, or by nothing but that no eye is filled.
///
/// The games of one thread are one stream of random numbers, and learn from each other alone, so that a
/// search with one thread can be repeated.
pub struct PlayoutEvaluator {
    params: PlayoutParams,
    /// What no thread is using, in a stack: one thread alone always gets the same.
    idle: Mutex<Idle>,
}

struct Idle {
    seed: Seed,
    states: Vec<State>,
    made: u64,
    /// Searches that have begun.
    searches: u64,
    /// Made with the first state: a process that never plays a game does not need them.
    patterns: Option<Arc<Patterns>>,
}

impl Idle {
    fn patterns(&mut self) -> Arc<Patterns> {
        Arc::clone(self.patterns.get_or_insert_with(|| Arc::new(Patterns::new())))
    }
}

struct State {
    patterns: Arc<Patterns>,
    playout: Option<Playout>,
    rng: Rng,
    /// The search that it has heard of last.
    search: u64,
}

impl PlayoutEvaluator {
    /// An evaluator whose games start from a seed, with the usual parameters.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self::with(PlayoutParams::default(), seed)
    }

    /// The same with other parameters.
    #[must_use]
    pub fn with(params: PlayoutParams, seed: Seed) -> Self {
        let idle = Idle { seed, states: Vec::new(), made: 0, searches: 0, patterns: None };
        Self { params, idle: Mutex::new(idle) }
    }

    /// Mean ownership at the end of so many playouts whose random numbers start from a seed. Nothing else
    /// that this evaluator has done or does at the same time matters.
    #[must_use]
    pub fn ownership(&self, position: &Position, playouts: usize, seed: Seed) -> Ownership {
        let patterns = self.idle().patterns();
        let (mut playout, mut rng) = (Playout::with(&self.params, &patterns, position), seed.rng());
        let mut sum = Ownership::new(position.size());
        for _ in 0..playouts {
            playout.run(position, &mut rng);
            sum.add(&Ownership::of_board(playout.board()).after(playout.moves()));
        }
        sum
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        // A thread that panicked in here has left nothing that the next game does not overwrite.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> State {
        let mut idle = self.idle();
        let search = idle.searches;
        let mut state = idle.states.pop().unwrap_or_else(|| {
            idle.made += 1;
            let patterns = idle.patterns();
            let rng = idle.seed.fork("thread", idle.made).rng();
            State { patterns, playout: None, rng, search }
        });
        drop(idle);
        if state.search != search {
            state.search = search;
            if let Some(playout) = &mut state.playout {
                playout.begin_search();
            }
        }
        state
    }

    fn give_back(&self, state: State) {
        self.idle().states.push(state);
    }

    /// What a game says of the position that it started from.
    fn evaluation(&self, position: &Position, winner: Option<Color>, game: &Playout) -> Evaluation {
        let color = position.to_move();
        let is_go = position.rules().game == Game::Go;
        let score = is_go.then(|| game.points_for(color));
        let value = match (winner, score) {
            (_, Some(points)) if self.params.value == PlayoutValue::Score => {
                Value::new(points / position.size().area() as f32)
            }
            (None, _) => Value::DRAW,
            (Some(winner), _) if winner == color => Value::WIN,
            _ => Value::LOSS,
        };
        let policy = match position.rules().game {
            Game::Go if self.params.priors => Policy::OnDemand,
            Game::Go => Policy::Sensible,
            Game::NoGo => Policy::Uniform,
        };
        Evaluation {
            value,
            policy,
            score,
            ownership: Some(Ownership::of_board(game.board()).after(game.moves())),
            first_moves: Some(game.first_moves().clone()),
        }
    }
}

impl Evaluator for PlayoutEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let mut state = self.take();
        let State { patterns, playout, rng, .. } = &mut state;
        let answers = batch
            .iter()
            .map(|position| {
                let playout =
                    playout.get_or_insert_with(|| Playout::with(&self.params, patterns, position));
                let winner = playout.run(position, rng);
                self.evaluation(position, winner, playout)
            })
            .collect();
        self.give_back(state);
        Ok(answers)
    }

    fn policy(&self, position: &Position) -> Policy {
        if position.rules().game == Game::NoGo {
            return Policy::Uniform;
        }
        let state = self.take();
        let policy = prior::policy(&self.params, &state.patterns, position);
        self.give_back(state);
        policy
    }

    fn begin_search(&self, _root: &Position) {
        self.idle().searches += 1;
    }

    fn begin_game(&self, seed: Seed) {
        let mut idle = self.idle();
        idle.seed = seed.fork("playouts", 0);
        idle.states.clear();
        idle.made = 0;
    }

    fn apart(&self, _position: &Position, seed: Seed) -> Option<Box<dyn Evaluator>> {
        Some(Box::new(Self::with(self.params.clone(), seed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Komi, Move, Rules};
    use crate::playout::ReplyLearning;

    fn start(komi: f64) -> Position {
        let size = BoardSize::square(5).unwrap();
        Position::new(size, Rules::CHINESE, Komi::from_points(komi).unwrap())
    }

    #[test]
    fn values_and_scores_are_for_the_side_to_move() {
        let evaluator = PlayoutEvaluator::new(Seed::new(1));
        let mut position = start(100.0);
        let evaluate = |position: &Position| evaluator.evaluate(&[position]).unwrap().remove(0);
        let black = evaluate(&position);
        assert_eq!(black.value, Value::LOSS);
        assert!(black.score.unwrap() <= -75.0);
        position.set_to_move(Color::White);
        let white = evaluate(&position);
        assert_eq!(white.value, Value::WIN);
        assert!(white.score.unwrap() >= 75.0);
    }

    #[test]
    fn games_repeat_from_their_seed() {
        let evaluator = PlayoutEvaluator::new(Seed::new(1));
        let position = start(0.5);
        let scores = |game| -> Vec<_> {
            evaluator.begin_game(Seed::new(game));
            (0..50).map(|_| evaluator.evaluate(&[&position]).unwrap()[0].score).collect()
        };
        let first = scores(7);
        assert_ne!(first, scores(8));
        assert_eq!(first, scores(7));
    }

    #[test]
    fn a_game_can_be_worth_its_score() {
        let params = PlayoutParams { value: PlayoutValue::Score, ..PlayoutParams::default() };
        let evaluator = PlayoutEvaluator::with(params, Seed::new(1));
        for _ in 0..20 {
            let answer = evaluator.evaluate(&[&start(0.5)]).unwrap().remove(0);
            let share = answer.score.unwrap() / 25.0;
            assert!((answer.value.get() - share.clamp(-1.0, 1.0)).abs() < 1e-6);
        }
    }

    #[test]
    fn one_thread_and_a_seed_repeat_whatever_is_learnt() {
        let position = start(0.5);
        let games = |seed| {
            let params = PlayoutParams { replies: ReplyLearning::Wls, ..PlayoutParams::default() };
            let evaluator = PlayoutEvaluator::with(params, Seed::new(seed));
            let play = |search: u32| {
                if search.is_multiple_of(10) {
                    evaluator.begin_search(&position);
                }
                evaluator.evaluate(&[&position]).unwrap().remove(0).ownership
            };
            (0..50).map(play).collect::<Vec<_>>()
        };
        assert_eq!(games(1), games(1));
        assert_ne!(games(1), games(2));
    }

    #[test]
    fn who_was_first_is_who_played() {
        let evaluator = PlayoutEvaluator::with(PlayoutParams::uniform(), Seed::new(1));
        let mut position = start(0.5);
        let point = position.size().parse_point("C3").unwrap();
        position.play(Color::Black, Move::Place(point)).unwrap();
        let answer = evaluator.evaluate(&[&position]).unwrap().remove(0);
        let first = answer.first_moves.unwrap();
        let count = |color| {
            let by = |&p: &_| first.is_by(color, Move::Place(p));
            position.size().points().filter(by).count()
        };
        assert!(count(Color::White) >= 5 && count(Color::Black) >= 5);
    }
}
