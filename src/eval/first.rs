//! Who played where first: what "all moves as first" is made of.

use crate::game::{BoardSize, Color, Move, Point};

/// Who put the first stone on each point, in a game that was played on from a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstMoves {
    /// By the number of the move: 0 for nobody, 1 for Black, 2 for White.
    by: Vec<u8>,
}

const fn mark(color: Color) -> u8 {
    match color {
        Color::Black => 1,
        Color::White => 2,
    }
}

impl FirstMoves {
    /// Nobody has played yet.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        Self { by: vec![0; size.cells()] }
    }

    /// Nobody has played yet, on a board of this size.
    pub fn clear(&mut self, size: BoardSize) {
        self.by.clear();
        self.by.resize(size.cells(), 0);
    }

    /// Copies without allocating where there is room.
    pub fn copy_from(&mut self, other: &Self) {
        self.by.clone_from(&other.by);
    }

    /// A stone after all others so far: it counts where nobody was before.
    #[inline]
    pub fn add(&mut self, color: Color, point: Point) {
        let by = &mut self.by[usize::from(Move::Place(point).code())];
        if *by == 0 {
            *by = mark(color);
        }
    }

    /// A move before all others so far.
    #[inline]
    pub fn put_before(&mut self, color: Color, mv: Move) {
        if let Some(by) = self.by.get_mut(usize::from(mv.code())) {
            *by = mark(color);
        }
    }

    /// Whether `color` was first on the point of a move.
    #[inline]
    #[must_use]
    pub fn is_by(&self, color: Color, mv: Move) -> bool {
        self.by.get(usize::from(mv.code())) == Some(&mark(color))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stone_counts_and_a_pass_never() {
        let size = BoardSize::square(3).unwrap();
        let at = |text| size.parse_point(text).unwrap();
        let mut first = FirstMoves::new(size);
        first.add(Color::Black, at("A1"));
        first.add(Color::White, at("A1"));
        first.add(Color::White, at("C3"));
        first.put_before(Color::Black, Move::Pass);
        let by = |color, text| first.is_by(color, Move::Place(at(text)));
        assert!(by(Color::Black, "A1") && !by(Color::White, "A1") && by(Color::White, "C3"));
        assert!(!by(Color::Black, "B2") && !by(Color::White, "B2"));
        assert!(!first.is_by(Color::Black, Move::Pass));
        let mut earlier = FirstMoves::new(BoardSize::square(9).unwrap());
        earlier.copy_from(&first);
        earlier.put_before(Color::White, Move::Place(at("A1")));
        assert!(earlier.is_by(Color::White, Move::Place(at("A1"))));
        earlier.clear(size);
        assert_eq!(earlier, FirstMoves::new(size));
    }
}
