//! Which stones are dead, who owns what, and how the game would end.

use crate::eval::{EvalError, Evaluator, Ownership};
use crate::game::{Color, Game, Point, PointSet, Position, Score, benson};

/// Evaluations for a judgement on a board of one point; larger boards get their share, so that a
/// judgement takes a few milliseconds on any board.
const EVALUATIONS: usize = 5_000;
const EVALUATIONS_RANGE: std::ops::RangeInclusive<usize> = 10..=160;

/// What is thought of a position as if the game ended there.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Stones that will be captured.
    pub dead: PointSet,
    /// Mean ownership.
    pub ownership: Ownership,
}

/// Judges a position by asking the evaluator, with each player to move in turn.
pub fn judge(position: &Position, evaluator: &dyn Evaluator) -> Result<Judgement, EvalError> {
    let mut ownership = Ownership::new(position.size());
    let mut other = position.clone();
    other.set_to_move(position.to_move().opponent());
    let count = (EVALUATIONS / position.size().area())
        .clamp(*EVALUATIONS_RANGE.start(), *EVALUATIONS_RANGE.end());
    for _ in 0..count.div_ceil(2) {
        for evaluation in evaluator.evaluate(&[position, &other])? {
            if let Some(one) = &evaluation.ownership {
                ownership.add(one);
            }
        }
    }
    Ok(Judgement { dead: dead_stones(position, &ownership), ownership })
}

/// The chains that change hands more often than not. Pass-alive chains are never dead, and in
/// NoGo nothing is.
#[must_use]
pub(super) fn dead_stones(position: &Position, ownership: &Ownership) -> PointSet {
    if position.rules().game == Game::NoGo {
        return PointSet::new();
    }
    let board = position.board();
    let alive = Color::BOTH.map(|c| benson::pass_alive(board, c, position.rules().suicide).stones);
    let is_dead = |color: Color, head: Point| {
        let sum: f32 = board.chain_stones(head).map(|stone| ownership.of(color, stone)).sum();
        sum < 0.0 && !alive[color.index()].contains(head)
    };
    let mut dead = PointSet::new();
    for point in position.size().points() {
        if let Some(color) = board.stone(point)
            && board.chain_head(point) == point
            && is_dead(color, point)
        {
            board.chain_stones(point).for_each(|stone| {
                dead.insert(stone);
            });
        }
    }
    dead
}

impl Judgement {
    /// The score if the game ended now: dead stones leave the board where the rules say so.
    #[must_use]
    pub fn score(&self, position: &Position) -> Score {
        position.score(&self.dead)
    }
}
