//! What a position remembers of its last two moves, so that the boards before them can be set up
//! again: networks look at ladders that were there before.

use std::hash::{Hash, Hasher};

use super::Position;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::symmetry::Symmetry;

/// What one move took away.
#[derive(Clone, Copy)]
struct Step {
    /// Moves played once this one was; another number means that the step is out of date.
    number: u32,
    /// The point that the ko rule forbade before.
    ko: Option<Point>,
    /// Whose stones left the board.
    owner: Color,
    /// How many they were, but for the one just played.
    removed: usize,
}

/// The last two steps.
#[derive(Default)]
pub(super) struct Past {
    /// Newest first.
    steps: [Option<Step>; 2],
    /// The stones that left the board, those of the older step first: nearly always none.
    removed: Vec<Point>,
}

impl Clone for Past {
    fn clone(&self) -> Self {
        Self { steps: self.steps, removed: self.removed.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.steps = source.steps;
        self.removed.clone_from(&source.removed);
    }
}

impl Past {
    /// Makes room for another step: where to put the stones that leave the board.
    pub(super) fn begin_step(&mut self) -> &mut Vec<Point> {
        let [last, forgotten] = self.steps;
        if let Some(Step { removed: 1.., .. }) = forgotten {
            self.removed.drain(..self.removed.len() - last.map_or(0, |step| step.removed));
        }
        &mut self.removed
    }

    /// Takes note of a move, by its number, before which the ko rule forbade `ko`, and whose stones it took.
    pub(super) fn end_step(&mut self, number: u32, ko: Option<Point>, owner: Color) {
        let last = self.steps[0];
        let removed = self.removed.len() - last.map_or(0, |step| step.removed);
        self.steps = [Some(Step { number, ko, owner, removed }), last];
    }

    /// Hashes what it says of a position after so many moves.
    pub(super) fn hash(&self, moves: u32, hasher: &mut impl Hasher) {
        for (step, removed) in self
            .steps()
            .zip((0..=moves).rev())
            .map_while(|(step, number)| step.filter(|(step, _)| step.number == number))
        {
            (step.ko, removed).hash(hasher);
            if !removed.is_empty() {
                step.owner.hash(hasher);
            }
        }
    }

    /// The past of a position that is turned.
    pub(super) fn turned(&self, position: &Position, symmetry: Symmetry) -> Self {
        let turn = |point| symmetry.apply(position.size(), point);
        let turned = |step: Step| Step { ko: step.ko.map(turn), ..step };
        Self {
            steps: self.steps.map(|step| step.map(turned)),
            removed: self.removed.iter().map(|&point| turn(point)).collect(),
        }
    }

    /// The steps, newest first, each with the stones that left the board.
    fn steps(&self) -> impl Iterator<Item = Option<(Step, &[Point])>> {
        let mut rest = &self.removed[..];
        self.steps.into_iter().map(move |step| {
            step.map(|step| {
                let (older, removed) = rest.split_at(rest.len() - step.removed);
                rest = older;
                (step, removed)
            })
        })
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
        let mut boards = Vec::new();
        let moves = self.last_moves().zip(self.past.steps()).zip((0..=self.moves).rev());
        for (((_, mv), step), number) in moves {
            let Some((step, removed)) = step.filter(|(step, _)| step.number == number) else {
                break;
            };
            if let Move::Place(point) = mv {
                stones[size.offset(point)] = None;
            }
            for &point in removed {
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
