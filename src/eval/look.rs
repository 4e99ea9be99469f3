//! Evaluations for who wants to see what a network says.

use super::{Evaluation, FirstMoves, Ownership, Policy};
use crate::game::{BoardSize, Color, Game, Move, Position, Symmetry};

/// How an evaluator is asked to look at a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// How the board is turned before; one of its symmetries.
    pub symmetry: Symmetry,
    /// The share of the network's optimistic policy, from 0 to 1.
    pub optimism: f32,
}

/// Everything that an evaluator says of a position, for the side to move.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// What a search is told.
    pub evaluation: Evaluation,
    /// Probability that a repetition leaves the game without a result.
    pub no_result: f32,
    /// Mean and standard deviation of the score, if the evaluator knows.
    pub score: Option<(f32, f32)>,
}

impl From<Evaluation> for Opinion {
    fn from(evaluation: Evaluation) -> Self {
        Self { evaluation, no_result: 0.0, score: None }
    }
}

impl Evaluation {
    /// The legal moves of the player to move with their probabilities, which add up to one.
    #[must_use]
    pub fn probabilities(&self, position: &Position) -> Vec<(Move, f32)> {
        let color = position.to_move();
        let pass = (position.rules().game == Game::Go).then_some(Move::Pass);
        let legal = position.legal_points(color).map(Move::Place).chain(pass);
        let mut weighted: Vec<_> = legal.map(|mv| (mv, self.policy.weight(position, mv))).collect();
        let sum: f32 = weighted.iter().map(|(_, weight)| weight).sum();
        let count = weighted.len() as f32;
        for (_, weight) in &mut weighted {
            *weight = if sum > 0.0 { *weight / sum } else { 1.0 / count };
        }
        weighted
    }

    /// What was said of a turned board, for the board itself. Who was first on a point is left out.
    pub(super) fn turned_back(self, size: BoardSize, symmetry: Symmetry) -> Self {
        let at = |values: &[f32]| -> Vec<f32> {
            size.points().map(|point| values[size.offset(symmetry.apply(size, point))]).collect()
        };
        let policy = match self.policy {
            Policy::Weights { points, pass } => Policy::Weights { points: at(&points), pass },
            other => other,
        };
        let ownership = self.ownership.map(|own| {
            let owners: Vec<_> = size.points().map(|point| own.of(Color::Black, point)).collect();
            Ownership::of_black(size, at(&owners))
        });
        let first_moves = None::<FirstMoves>;
        Self { policy, ownership, first_moves, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{EvalError, Evaluator, UniformEvaluator, Value};
    use crate::game::{Komi, Position, Rules};

    /// Owns and prefers the points from the first to the last.
    struct Counting;

    impl Evaluator for Counting {
        fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
            let one = |position: &&Position| {
                let points: Vec<_> = (0..position.size().area()).map(|i| i as f32 / 10.0).collect();
                Evaluation {
                    value: Value::new(0.5),
                    ownership: Some(Ownership::of_black(position.size(), points.clone())),
                    policy: Policy::Weights { points, pass: 2.0 },
                    score: None,
                    first_moves: None,
                }
            };
            Ok(batch.iter().map(one).collect())
        }
    }

    fn position() -> Position {
        Position::new(BoardSize::new(3, 2).unwrap(), Rules::CHINESE, Komi::default())
    }

    #[test]
    fn an_evaluator_that_does_not_turn_boards_is_shown_turned_ones() {
        // Left and right exchanged.
        let look = Look { symmetry: Symmetry::ALL[1], optimism: 0.0 };
        let said = Counting.look(&position(), look).unwrap().evaluation;
        let expected = vec![0.2, 0.1, 0.0, 0.5, 0.4, 0.3];
        assert_eq!(said.ownership, Some(Ownership::of_black(position().size(), expected.clone())));
        assert_eq!(said.policy, Policy::Weights { points: expected, pass: 2.0 });
    }

    #[test]
    fn optimism_is_refused_where_there_is_none() {
        let look = |optimism| Look { symmetry: Symmetry::IDENTITY, optimism };
        assert!(UniformEvaluator.look(&position(), look(0.0)).is_ok());
        let error = UniformEvaluator.look(&position(), look(0.5)).unwrap_err().to_string();
        assert!(error.contains("optimistic"), "{error}");
    }
}
