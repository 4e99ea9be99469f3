//! A game with what a network should learn from each of its positions.

use crate::eval::Value;
use crate::game::{BoardSize, Color, Game, Illegal, Komi, Move, PointSet, Position, Rules, owners};

/// A game from the empty board. Black begins and the players alternate, so that the position before
/// each turn follows from the moves.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingGame {
    /// Width and height of the board.
    pub size: BoardSize,
    /// The rules.
    pub rules: Rules,
    /// Points for White.
    pub komi: Komi,
    /// The moves, each with what is to be learnt of the position before it.
    pub turns: Vec<Turn>,
    /// How it ended.
    pub outcome: Outcome,
}

/// A move, and what is to be learnt of the position before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// What was played.
    pub mv: Move,
    /// How good the moves are: weights that add up to 1. Empty where only the result is to be
    /// learnt.
    pub policy: Vec<(Move, f32)>,
    /// What a search thought of the position, for the side to move.
    pub value: Option<Value>,
    /// How often the position counts; 0 for one that only leads to others.
    pub weight: f32,
}

/// How a game ended. Without a winner and without a score nobody knows, and no value is learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Who won; nobody after a draw.
    pub winner: Option<Color>,
    /// Black's points minus White's with komi; in NoGo the moves that the winner had left, negative
    /// when White won. None where the game was not played out.
    pub score: Option<f32>,
    /// Who owns each point at the end, in reading order; in NoGo whose stone stands on it. None
    /// where the game was not played out.
    pub owners: Option<Vec<Option<Color>>>,
}

impl TrainingGame {
    /// The position before the turn with an index, under rules that may be others than the game's.
    pub fn position(&self, ply: usize, rules: Rules) -> Result<Position, IllegalTurn> {
        let mut position = Position::new(self.size, rules, self.komi);
        for (turn, index) in self.turns[..ply].iter().zip(0..) {
            position
                .play(position.to_move(), turn.mv)
                .map_err(|reason| IllegalTurn { turn: index + 1, reason })?;
        }
        Ok(position)
    }
}

/// A move of a game is not allowed by its rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {turn} is illegal: {reason}")]
pub struct IllegalTurn {
    /// Counted from 1.
    pub turn: usize,
    /// What is wrong with it.
    pub reason: Illegal,
}

impl Outcome {
    /// Nobody knows.
    pub const UNKNOWN: Outcome = Outcome { winner: None, score: None, owners: None };

    /// That of a game that has been played to its end, every stone counted; unknown in NoGo where
    /// somebody can still move.
    #[must_use]
    pub fn as_it_stands(last: &Position) -> Self {
        let (none, board, points) = (PointSet::new(), last.board(), last.size().points());
        let winner = last.winner(&none);
        match (last.rules().game, winner) {
            (Game::NoGo, None) => Self::UNKNOWN,
            (Game::NoGo, Some(color)) => {
                let left = last.legal_points(color).count() as f32;
                Self {
                    winner,
                    score: Some(if color == Color::Black { left } else { -left }),
                    owners: Some(points.map(|point| board.stone(point)).collect()),
                }
            }
            (Game::Go, _) => {
                let owners = owners(board, &none);
                #[expect(clippy::cast_possible_truncation, reason = "half points of a board")]
                let score = last.score(&none).points_for(Color::Black) as f32;
                Self {
                    winner,
                    score: Some(score),
                    owners: Some(points.map(|point| owners.owner(point)).collect()),
                }
            }
        }
    }

    /// 1 when Black has won, -1 when White has, 0 after a draw; none if nobody knows.
    #[must_use]
    pub fn for_black(&self) -> Option<f32> {
        match (self.winner, self.score) {
            (Some(Color::Black), _) => Some(1.0),
            (Some(Color::White), _) => Some(-1.0),
            (None, Some(_)) => Some(0.0),
            (None, None) => None,
        }
    }
}
