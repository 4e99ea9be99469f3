//! Two opinions in one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{EvalError, Evaluation, Evaluator, Look, Opinion, Ownership, Policy};
use crate::game::{Color, Position};
use crate::util::Seed;

/// Asks one evaluator for everything, and mixes its value, score and ownership with those of a second.
///
/// A small network knows which moves are worth a look, and little of how a filled board will be counted;
/// games that are played to the end know little else. So the second one's share grows, from search to
/// search, as the board becomes settled, up to the whole.
pub struct MixedEvaluator {
    first: Arc<dyn Evaluator>,
    second: Arc<dyn Evaluator>,
    weight: f32,
    /// The share of the second in the search that has begun last, as the bits of a float.
    share: AtomicU32,
}

/// Share of empty points from which it is looked how settled a board is.
const LATE: f64 = 0.5;

/// Evaluations by the second one for such a look.
const LOOKS: usize = 32;

/// Mean ownership of all points, by its size, from which the second one's share grows, and at which it is the
/// whole. The ends of games have 0.95 and more.
const SETTLING: f32 = 0.85;
const SETTLED: f32 = 0.95;

impl MixedEvaluator {
    /// A mixture in which the second has this share.
    ///
    /// # Panics
    /// If the weight is no share.
    #[must_use]
    pub fn new(first: Arc<dyn Evaluator>, second: Arc<dyn Evaluator>, weight: f32) -> Self {
        assert!((0.0..=1.0).contains(&weight), "a weight between 0 and 1");
        let share = AtomicU32::new(weight.to_bits());
        Self { first, second, weight, share }
    }
}

/// The share of `second` in a search of this position, where it has `weight` on open boards.
pub fn share_in(root: &Position, second: &dyn Evaluator, weight: f32) -> f32 {
    let empty = root.board().empty_points().len();
    if empty as f64 > LATE * root.size().area() as f64 {
        return weight;
    }
    let mut ownership = Ownership::new(root.size());
    let looks = second.evaluate(&[root; LOOKS]).unwrap_or_default();
    looks.iter().filter_map(|look| look.ownership.as_ref()).for_each(|one| ownership.add(one));
    let sum: f32 = root.size().points().map(|point| ownership.of(Color::Black, point).abs()).sum();
    let settled = sum / root.size().area() as f32;
    let grown = ((settled - SETTLING) / (SETTLED - SETTLING)).clamp(0.0, 1.0);
    weight + (1.0 - weight) * grown
}

impl Evaluator for MixedEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let second = self.second.evaluate(batch)?;
        let first = self.first.evaluate(batch)?;
        // Ordering: the number itself is all that is exchanged.
        let share = f32::from_bits(self.share.load(Ordering::Relaxed));
        Ok(first
            .into_iter()
            .zip(&second)
            .map(|(first, second)| first.mixed(second, share))
            .collect())
    }

    fn evaluate_plainly(&self, position: &Position) -> Result<Evaluation, EvalError> {
        self.first.evaluate_plainly(position)
    }

    fn look(&self, position: &Position, look: Look) -> Result<Opinion, EvalError> {
        self.first.look(position, look)
    }

    fn policy(&self, position: &Position) -> Policy {
        self.first.policy(position)
    }

    fn search_batch(&self, root: &Position) -> usize {
        self.first.search_batch(root)
    }

    fn begin_search(&self, root: &Position) {
        self.first.begin_search(root);
        self.second.begin_search(root);
        let share = share_in(root, self.second.as_ref(), self.weight);
        self.share.store(share.to_bits(), Ordering::Relaxed);
    }

    fn begin_game(&self, seed: Seed) {
        self.first.begin_game(seed);
        self.second.begin_game(seed);
    }

    fn apart(&self, position: &Position, seed: Seed) -> Option<Box<dyn Evaluator>> {
        let both = [&self.first, &self.second];
        let apart = both.map(|one| one.apart(position, seed).map(Arc::from));
        if apart.iter().all(Option::is_none) {
            return None;
        }
        let [first, second] = apart;
        let first = first.unwrap_or_else(|| Arc::clone(&self.first));
        let second = second.unwrap_or_else(|| Arc::clone(&self.second));
        Some(Box::new(Self::new(first, second, self.weight)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Value;
    use crate::game::{BoardSize, Diagram, Komi, Rules};

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

    /// A network that thinks well of a lost game, beside games to the end that know better.
    #[test]
    fn on_a_settled_board_games_to_the_end_have_the_last_word() {
        let mixed =
            MixedEvaluator::new(Arc::new(Fixed(0.8, None)), Arc::new(Fixed(-1.0, None)), 0.5);
        let said = |text: &str| {
            let diagram = Diagram::parse(text).unwrap();
            let komi = Komi::default();
            let root =
                Position::from_board(diagram.board().clone(), Color::Black, Rules::CHINESE, komi);
            mixed.begin_search(&root);
            mixed.evaluate(&[&root]).unwrap().remove(0).value.get()
        };
        assert!((said("X . O\nX . O\n. . .") + 0.1).abs() < 1e-6);
        assert!((said("X X O\nX X O\n. X .") + 1.0).abs() < 1e-6);
    }
}
