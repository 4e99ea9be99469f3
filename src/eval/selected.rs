//! Different evaluators for different games and boards.

use std::sync::Arc;

use super::{EvalError, Evaluation, Evaluator, Look, Opinion, Policy};
use crate::game::{BoardSize, Game, Position};
use crate::util::Seed;

/// Whether an evaluator is meant for a game on boards of a size.
pub type Fits = Box<dyn Fn(Game, BoardSize) -> bool + Send + Sync>;

/// Asks, for each position, the first evaluator that is meant for its game and board, or the last
/// resort.
pub struct SelectedEvaluator {
    choices: Vec<(Fits, Arc<dyn Evaluator>)>,
    last_resort: Arc<dyn Evaluator>,
}

impl SelectedEvaluator {
    /// A choice among evaluators.
    #[must_use]
    pub fn new(choices: Vec<(Fits, Arc<dyn Evaluator>)>, last_resort: Arc<dyn Evaluator>) -> Self {
        Self { choices, last_resort }
    }

    fn choose(&self, position: &Position) -> &Arc<dyn Evaluator> {
        let (game, size) = (position.rules().game, position.size());
        let fitting = self.choices.iter().find(|(fits, _)| fits(game, size));
        fitting.map_or(&self.last_resort, |(_, evaluator)| evaluator)
    }
}

impl Evaluator for SelectedEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let mut answers = Vec::with_capacity(batch.len());
        for alike in batch.chunk_by(|a, b| Arc::ptr_eq(self.choose(a), self.choose(b))) {
            answers.extend(self.choose(alike[0]).evaluate(alike)?);
        }
        Ok(answers)
    }

    fn look(&self, position: &Position, look: Look) -> Result<Opinion, EvalError> {
        self.choose(position).look(position, look)
    }

    fn policy(&self, position: &Position) -> Policy {
        self.choose(position).policy(position)
    }

    fn search_batch(&self, root: &Position) -> usize {
        self.choose(root).search_batch(root)
    }

    fn begin_search(&self, root: &Position) {
        self.choose(root).begin_search(root);
    }

    fn begin_game(&self, seed: Seed) {
        self.choices.iter().for_each(|(_, evaluator)| evaluator.begin_game(seed));
        self.last_resort.begin_game(seed);
    }

    fn forget(&self) {
        self.choices.iter().for_each(|(_, evaluator)| evaluator.forget());
        self.last_resort.forget();
    }

    fn apart(&self, position: &Position, seed: Seed) -> Option<Box<dyn Evaluator>> {
        self.choose(position).apart(position, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{HashedEvaluator, UniformEvaluator, Value};
    use crate::game::{Komi, Rules};

    #[test]
    fn every_position_goes_to_its_evaluator() {
        let nogo: Fits = Box::new(|game, size| game == Game::NoGo && size.width() == 9);
        let evaluator = SelectedEvaluator::new(
            vec![(nogo, Arc::new(UniformEvaluator))],
            Arc::new(HashedEvaluator),
        );
        let position =
            |side, rules| Position::new(BoardSize::square(side).unwrap(), rules, Komi::default());
        let go = position(9, Rules::CGOS);
        let small = position(7, Rules::NOGO);
        let mine = position(9, Rules::NOGO);
        let answers = evaluator.evaluate(&[&go, &mine, &small, &mine]).unwrap();
        let hashed = HashedEvaluator.evaluate(&[&go, &small]).unwrap();
        assert_eq!(answers[0].value, hashed[0].value);
        assert_eq!(answers[1].value, Value::DRAW);
        assert_eq!(answers[2].value, hashed[1].value);
        assert_eq!(answers[3].value, Value::DRAW);
    }
}
