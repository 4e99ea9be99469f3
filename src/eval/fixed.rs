//! Evaluators that compute nothing: for tests, baselines and measurements of the search itself.

use super::{EvalError, Evaluation, Evaluator, Policy, Value};
use crate::game::Position;

/// Says of every position that it is even and that all moves are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

impl Evaluator for UniformEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let even = Evaluation {
            value: Value::DRAW,
            policy: Policy::Uniform,
            score: None,
            ownership: None,
            first_moves: None,
        };
        Ok(vec![even; batch.len()])
    }
}

/// Draws values from the hash of the position: arbitrary, but the same on every machine, so that a
/// search over it can be compared to the bit.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashedEvaluator;

impl Evaluator for HashedEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        Ok(batch
            .iter()
            .map(|position| {
                // Multiples of 1/128 are exact in binary, whatever is done with a few thousand.
                let byte = (position.hash() >> 56) as i8;
                let value = Value::new(f32::from(byte) / 128.0);
                Evaluation {
                    value,
                    policy: Policy::Uniform,
                    score: None,
                    ownership: None,
                    first_moves: None,
                }
            })
            .collect())
    }
}

/// Looks at the last move too, as networks do.
#[cfg(test)]
pub(crate) struct LastMoveEvaluator;

#[cfg(test)]
impl Evaluator for LastMoveEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let mut answers = HashedEvaluator.evaluate(batch)?;
        for (answer, position) in answers.iter_mut().zip(batch) {
            let last = position.last_moves().next().and_then(|(_, mv)| mv.point());
            let last = last.map_or(0, |point| position.size().offset(point));
            let share = last as f32 / position.size().area() as f32;
            answer.value = Value::new(0.5 * (answer.value.get() + share));
        }
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Color, Komi, Move, Rules};

    #[test]
    fn hashed_values_repeat_and_do_not_depend_on_the_batch() {
        let size = BoardSize::square(9).unwrap();
        let first = Position::new(size, Rules::CGOS, Komi::default());
        let mut second = first.clone();
        second.play(Color::Black, Move::Place(size.parse_point("E5").unwrap())).unwrap();
        let alone = HashedEvaluator.evaluate(&[&second]).unwrap();
        let together = HashedEvaluator.evaluate(&[&first, &second]).unwrap();
        assert_eq!(alone[0].value, together[1].value);
        assert_ne!(together[0].value, together[1].value);
    }
}
