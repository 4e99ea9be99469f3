//! Two opinions in one.

use std::sync::Arc;

use super::{EvalError, Evaluation, Evaluator, Policy};
use crate::game::Position;
use crate::util::Seed;

/// Asks one evaluator for everything, and mixes its value, score and ownership with those of a second.
///
/// A small network knows which moves are worth a look, and little of how a filled board will be counted;
/// games that are played to the end know little else.
pub struct MixedEvaluator {
    first: Arc<dyn Evaluator>,
    second: Arc<dyn Evaluator>,
    weight: f32,
}

impl MixedEvaluator {
    /// A mixture in which the second has this share.
    ///
    /// # Panics
    /// If the weight is no share.
    #[must_use]
    pub fn new(first: Arc<dyn Evaluator>, second: Arc<dyn Evaluator>, weight: f32) -> Self {
        assert!((0.0..=1.0).contains(&weight), "a weight between 0 and 1");
        Self { first, second, weight }
    }
}

impl Evaluator for MixedEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let second = self.second.evaluate(batch)?;
        let first = self.first.evaluate(batch)?;
        Ok(first
            .into_iter()
            .zip(&second)
            .map(|(first, second)| first.mixed(second, self.weight))
            .collect())
    }

    fn evaluate_plainly(&self, position: &Position) -> Result<Evaluation, EvalError> {
        self.first.evaluate_plainly(position)
    }

    fn policy(&self, position: &Position) -> Policy {
        self.first.policy(position)
    }

    fn begin_search(&self) {
        self.first.begin_search();
        self.second.begin_search();
    }

    fn begin_game(&self, seed: Seed) {
        self.first.begin_game(seed);
        self.second.begin_game(seed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Ownership, Value};
    use crate::game::{BoardSize, Color, Komi, Rules};

    /// Says the same of every position.
    struct Fixed(f32, Option<f32>);

    impl Evaluator for Fixed {
        fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
            let say = |position: &&Position| Evaluation {
                value: Value::new(self.0),
                policy: Policy::Uniform,
                score: self.1,
                ownership: Some(Ownership::of_black(
                    position.size(),
                    vec![self.0; position.size().area()],
                )),
                first_moves: None,
            };
            Ok(batch.iter().map(say).collect())
        }
    }

    #[test]
    fn values_scores_and_owners_are_mixed_by_weight() {
        let size = BoardSize::square(3).unwrap();
        let position = Position::new(size, Rules::CHINESE, Komi::default());
        let said = |weight, score| {
            let (first, second) = (Fixed(0.8, Some(4.0)), Fixed(-0.4, score));
            let mixed = MixedEvaluator::new(Arc::new(first), Arc::new(second), weight);
            let plain = mixed.evaluate_plainly(&position).unwrap();
            assert_eq!(plain.value, Value::new(0.8));
            mixed.evaluate(&[&position]).unwrap().remove(0)
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} and {b}");
        let quarter = said(0.25, Some(-8.0));
        near(quarter.value.get(), 0.5);
        near(quarter.score.unwrap(), 1.0);
        let owner = quarter.ownership.unwrap();
        size.points().for_each(|point| near(owner.of(Color::Black, point), 0.5));
        assert_eq!(owner.mean_moves(), None);
        // Who knows no score leaves that of the other as it is.
        near(said(0.25, None).score.unwrap(), 4.0);
        near(said(0.0, Some(-8.0)).value.get(), 0.8);
        near(said(1.0, Some(-8.0)).value.get(), -0.4);
    }
}
