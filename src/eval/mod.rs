//! What an evaluation of a position is, and evaluators that need neither net nor playouts.

mod background;
mod batching;
mod cache;
mod criticality;
mod first;
mod fixed;
mod lazy;
mod look;
mod ownership;
mod selected;
mod spread;
mod symmetric;
mod value;

use crate::game::{Move, Position};
use crate::util::Seed;

pub use background::BackgroundEvaluator;
pub use batching::BatchingEvaluator;
pub use cache::{CacheMemory, CacheStats, CachedEvaluator};
pub use criticality::Criticality;
pub use first::FirstMoves;
#[cfg(test)]
pub(crate) use fixed::LastMoveEvaluator;
pub use fixed::{HashedEvaluator, UniformEvaluator};
pub use lazy::LazyEvaluator;
pub use look::{Look, Opinion};
pub use ownership::Ownership;
pub use selected::{Fits, SelectedEvaluator};
pub use spread::OwnerSpread;
pub use symmetric::symmetry_of;
pub use value::Value;

/// Says how good positions are.
pub trait Evaluator: Send + Sync {
    /// Evaluates every position; the answer has the same length and order. What is said of a
    /// position does not depend on the batch that it came in.
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError>;

    /// Evaluates one position.
    fn evaluate_one(&self, position: &Position) -> Result<Evaluation, EvalError> {
        Ok(self.evaluate(&[position])?.swap_remove(0))
    }

    /// The same in a certain way, and everything that there is to say.
    fn look(&self, position: &Position, look: Look) -> Result<Opinion, EvalError> {
        if look.optimism > 0.0 {
            return Err(EvalError::NoOptimism);
        }
        let said = self.evaluate_one(&position.turned(look.symmetry))?;
        Ok(said.turned_back(position.size(), look.symmetry).into())
    }

    /// Which moves look good in a position whose evaluation has left it open, see
    /// [`Policy::OnDemand`].
    fn policy(&self, _position: &Position) -> Policy {
        Policy::Sensible
    }

    /// How many leaves a thread of a search of this position should have evaluated together: more than one only
    /// where that is so much faster that it makes up for leaves chosen before the others were known.
    fn search_batch(&self, _root: &Position) -> usize {
        1
    }

    /// A search of this position begins. Whoever learns from one simulation for the next may want to know.
    fn begin_search(&self, _root: &Position) {}

    /// A new game begins. What was learnt before is forgotten and random numbers start from the seed,
    /// so that games repeat whatever was played before them.
    fn begin_game(&self, _seed: Seed) {}

    /// Gives back the memory for evaluations that are kept. They may be kept anew from now on.
    fn forget(&self) {}

    /// An evaluator like this one for a single game or search that begins in a position, with random
    /// numbers from the seed. None if answers depend on the positions alone, so that all may share it.
    fn apart(&self, _position: &Position, _seed: Seed) -> Option<Box<dyn Evaluator>> {
        None
    }
}

/// What an evaluator says of a position.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Expected result for the side to move.
    pub value: Value,
    /// Which moves look good.
    pub policy: Policy,
    /// Expected score in points for the side to move, if the evaluator knows.
    pub score: Option<f32>,
    /// Who will own each point at the end, if the evaluator knows.
    pub ownership: Option<Ownership>,
    /// Who was first on each point, if a game was played on from the position.
    pub first_moves: Option<FirstMoves>,
}

/// How likely each move is to be the best.
#[derive(Clone, Debug, PartialEq)]
pub enum Policy {
    /// Nothing is known: all are equal.
    Uniform,
    /// All are equal but those that fill an own eye: they are last.
    Sensible,
    /// To be asked for by [`Evaluator::policy`] when somebody wants it, for most positions are never
    /// visited again; until then as if sensible.
    OnDemand,
    /// Weights that are not negative, in reading order, and one for the pass.
    Weights {
        /// One for each point.
        points: Vec<f32>,
        /// The pass.
        pass: f32,
    },
}

impl Policy {
    /// Whether it tells some moves from others by more than common sense.
    #[must_use]
    pub const fn is_informed(&self) -> bool {
        matches!(self, Policy::OnDemand | Policy::Weights { .. })
    }

    /// The weight of a move on the board of `position`; the weights of the legal moves need not
    /// add up to one.
    #[must_use]
    pub fn weight(&self, position: &Position, mv: Move) -> f32 {
        match (self, mv) {
            (Policy::Uniform, _) | (Policy::Sensible | Policy::OnDemand, Move::Pass) => 1.0,
            (Policy::Sensible | Policy::OnDemand, Move::Place(point)) => {
                let eye = position.board().around(point).is_eye_of(position.to_move());
                f32::from(u8::from(!eye))
            }
            (Policy::Weights { points, .. }, Move::Place(point)) => {
                points[position.size().offset(point)]
            }
            (Policy::Weights { pass, .. }, Move::Pass) => *pass,
        }
    }
}

/// An evaluation failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EvalError {
    /// The device that computes could not.
    #[error("the evaluation failed: {0}")]
    Device(String),
    /// Only some networks have a second policy.
    #[error("what evaluates here has no optimistic policy: leave the optimism out")]
    NoOptimism,
    /// There is no evaluator to ask.
    #[error("the evaluator cannot be made: {0}")]
    Make(String),
}
