//! A game with what a network should learn from each of its positions.

use crate::eval::{Evaluation, Policy, Value};
use crate::game::{
    Board, BoardSize, Color, Game, Illegal, Komi, Move, Point, PointSet, Position, Rules, owners,
};

/// A game from the empty board, or from Black's handicap stones. Black begins, White after a handicap, and the
/// players alternate, so that the position before each turn follows from the moves.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingGame {
    /// Width and height of the board.
    pub size: BoardSize,
    /// The rules.
    pub rules: Rules,
    /// Points for White.
    pub komi: Komi,
    /// Black's handicap stones; none where Black begins.
    pub stones: Vec<Point>,
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
    /// What a teacher says of the position.
    pub label: Option<Box<Label>>,
}

/// What a stronger network says of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// How good all moves are: weights that add up to 1, without those that vanish.
    pub policy: Vec<(Move, f32)>,
    /// How good the position is for the side to move.
    pub value: Value,
    /// Points by which the side to move is ahead.
    pub lead: f32,
    /// Who will own each point, in reading order: from 1 for Black to -1 for White.
    pub owners: Vec<f32>,
}

impl Label {
    /// What an evaluation says of a position; none if it lacks a part of it.
    #[must_use]
    pub fn of(position: &Position, evaluation: &Evaluation) -> Option<Self> {
        let Policy::Weights { points, pass } = &evaluation.policy else { return None };
        let size = position.size();
        let ownership = evaluation.ownership.as_ref()?;
        let stones = size.points().map(Move::Place).zip(points.iter().copied());
        Some(Self {
            policy: stones.chain([(Move::Pass, *pass)]).filter(|&(_, w)| w > 0.0).collect(),
            value: evaluation.value,
            lead: evaluation.score?,
            owners: size.points().map(|point| ownership.of(Color::Black, point)).collect(),
        })
    }
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
    /// The position before the first turn, under rules that may be others than the game's.
    #[must_use]
    pub fn start(&self, rules: Rules) -> Position {
        let mut board = Board::new(self.size);
        for &point in &self.stones {
            board.place(Color::Black, point);
        }
        let mut position = Position::from_board(board, self.color(0), rules, self.komi);
        position.set_handicap(u16::try_from(self.stones.len()).unwrap_or(u16::MAX));
        position
    }

    /// Whether it has neither labels nor handicap stones.
    pub(super) fn is_plain(&self) -> bool {
        self.stones.is_empty() && self.turns.iter().all(|turn| turn.label.is_none())
    }

    /// Who makes the turn with an index.
    #[must_use]
    pub fn color(&self, ply: usize) -> Color {
        let black = ply.is_multiple_of(2) == self.stones.is_empty();
        if black { Color::Black } else { Color::White }
    }

    /// The position before the turn with an index, under rules that may be others than the game's.
    pub fn position(&self, ply: usize, rules: Rules) -> Result<Position, IllegalTurn> {
        let mut position = self.start(rules);
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
