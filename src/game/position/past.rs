//! What a position remembers of its last two moves, so that the boards before them can be set up
//! again: networks look at ladders that were there before.

use super::Position;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::game::symmetry::Symmetry;

/// What one move took away.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// Moves played once this one was; another number means that the step is out of date.
    number: u32,
    /// The point that the ko rule forbade before.
    ko: Option<Point>,
    /// Stones that left the board, but for the one just played.
    removed: PointSet,
    /// Whose they were.
    owner: Color,
}

/// The last two steps, newest first.
pub(super) type Past = [Option<Step>; 2];

impl Step {
    /// What a legal move is about to change.
    pub(super) fn before(position: &Position, color: Color, mv: Move) -> Self {
        let mut step = Self {
            number: position.moves + 1,
            ko: position.ko,
            removed: PointSet::new(),
            owner: color.opponent(),
        };
        if let Move::Place(point) = mv {
            let board = &position.board;
            if board.is_suicide(color, point) {
                step.owner = color;
            }
            let leaves = |p: &Point| {
                board.stone(*p) == Some(step.owner) && (step.owner == color || board.in_atari(*p))
            };
            for neighbor in board.lines(point).into_iter().filter(leaves) {
                if !step.removed.contains(neighbor) {
                    board.chain_stones(neighbor).for_each(|stone| {
                        step.removed.insert(stone);
                    });
                }
            }
        }
        step
    }

    pub(super) fn turned(self, position: &Position, symmetry: Symmetry) -> Self {
        let turn = |point| symmetry.apply(position.size(), point);
        Self { ko: self.ko.map(turn), removed: self.removed.iter().map(turn).collect(), ..self }
    }
}

impl Position {
    /// The boards before the last move and before the one before it, each with the point that the
    /// ko rule forbade then; only as many as are remembered. What was captured is not counted on
    /// them.
    #[must_use]
    pub fn earlier_boards(&self) -> Vec<(Board, Option<Point>)> {
        let size = self.size();
        let mut stones: Vec<Option<Color>> = size.points().map(|p| self.board.stone(p)).collect();
        let mut boards = Vec::with_capacity(self.past.len());
        let moves = self.last_moves().zip(self.past).zip((0..=self.moves).rev());
        for (((_, mv), step), number) in moves {
            let Some(step) = step.filter(|step| step.number == number) else { break };
            if let Move::Place(point) = mv {
                stones[size.offset(point)] = None;
            }
            for point in step.removed.iter() {
                stones[size.offset(point)] = Some(step.owner);
            }
            let all = size.points().zip(&stones);
            let all = all.filter_map(|(point, stone)| stone.map(|color| (color, point)));
            let Ok(board) = Board::with_stones(size, all) else { break };
            boards.push((board, step.ko));
        }
        boards
    }
}
