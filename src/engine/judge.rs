//! Which stones are dead, who owns what, and how the game would end.

use super::Engine;
use crate::eval::{EvalError, Evaluator, Ownership};
use crate::game::{Color, Game, GameResult, Point, PointSet, Position, Score, benson};
use crate::playout::{PlayoutEvaluator, PlayoutParams};
use crate::util::Seed;

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

/// Who plays games to the end to judge positions, whatever else evaluates them: where the game is over,
/// networks know less of life and death than random games.
pub(super) fn referee() -> PlayoutEvaluator {
    PlayoutEvaluator::with(PlayoutParams::uniform(), Seed::new(1))
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
    /// What somebody thinks who has said who owns what.
    pub(super) fn of(position: &Position, ownership: &Ownership) -> Self {
        Self { dead: dead_stones(position, ownership), ownership: ownership.clone() }
    }

    /// Whether the side to move has won if the game ends now.
    pub(super) fn is_won(&self, position: &Position) -> bool {
        self.score(position).winner() == Some(position.to_move())
    }

    /// The score if the game ended now: dead stones leave the board where the rules say so.
    #[must_use]
    pub fn score(&self, position: &Position) -> Score {
        position.score(&self.dead)
    }
}

impl Engine {
    /// Judges the position on the board as if the game ended here. Asked again about the same
    /// position it says the same, so that the score fits the dead stones.
    pub fn judge(&mut self) -> Result<Judgement, EvalError> {
        let position = self.state.position();
        let key = (position.size(), position.board().hash());
        if let Some((_, judgement)) = self.judged.as_ref().filter(|(judged, _)| *judged == key) {
            return Ok(judgement.clone());
        }
        let judgement = judge(position, &self.referee)?;
        self.judged = Some((key, judgement.clone()));
        Ok(judgement)
    }

    /// How the game would end if it ended here; none in NoGo while there are legal moves.
    pub fn result(&mut self) -> Result<Option<GameResult>, EvalError> {
        let position = self.state.position();
        if position.rules().game == Game::NoGo {
            let winner = position.to_move().opponent();
            return Ok(position.is_over().then_some(GameResult::Resignation(winner)));
        }
        let judgement = self.judge()?;
        Ok(Some(judgement.score(self.state.position()).into()))
    }
}
