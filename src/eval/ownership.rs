//! Who owns each point at the end.

use crate::game::{Board, BoardSize, Color, Point};

/// The mean of how each point ended: 1 with Black, -1 with White.
#[derive(Clone, Debug, PartialEq)]
pub struct Ownership {
    size: BoardSize,
    /// In reading order.
    sums: Vec<f32>,
    samples: u32,
    /// Moves of the games that were played to the end, and how many games.
    moves: (f64, u32),
}

impl Ownership {
    /// Nothing known yet.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        Self { size, sums: vec![0.0; size.area()], samples: 0, moves: (0.0, 0) }
    }

    /// One finished game, see [`Board::quick_owner`].
    #[must_use]
    pub fn of_board(board: &Board) -> Self {
        let owner = |point| match board.quick_owner(point) {
            Some(Color::Black) => 1.0,
            Some(Color::White) => -1.0,
            None => 0.0,
        };
        let sums = board.size().points().map(owner).collect();
        Self { size: board.size(), sums, samples: 1, moves: (0.0, 0) }
    }

    /// One evaluation: from -1 (White) to 1 (Black) for each point, in reading order.
    ///
    /// # Panics
    /// If there is not one value for each point.
    #[must_use]
    pub fn of_black(size: BoardSize, values: Vec<f32>) -> Self {
        assert_eq!(values.len(), size.area(), "one value for each point");
        Self { size, sums: values, samples: 1, moves: (0.0, 0) }
    }

    /// The same, at the end of a game of so many moves.
    #[must_use]
    pub fn after(mut self, moves: usize) -> Self {
        self.moves = (moves as f64, 1);
        self
    }

    /// Mean length of the games that were played to the end, if there were any.
    #[must_use]
    pub fn mean_moves(&self) -> Option<f64> {
        (self.moves.1 > 0).then(|| self.moves.0 / f64::from(self.moves.1))
    }

    /// Sums over the samples, 1 for Black, in reading order.
    pub(super) fn sums(&self) -> &[f32] {
        &self.sums
    }

    /// Adds what another says, weighted by its samples.
    pub fn add(&mut self, other: &Ownership) {
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum += more;
        }
        self.samples += other.samples;
        self.moves = (self.moves.0 + other.moves.0, self.moves.1 + other.moves.1);
    }

    /// How many games or evaluations this is the mean of.
    #[must_use]
    pub const fn samples(&self) -> u32 {
        self.samples
    }

    /// From -1 (always the opponent's) to 1 (always `color`'s); 0 where nothing is known.
    #[must_use]
    pub fn of(&self, color: Color, point: Point) -> f32 {
        let black = self.sums[self.size.offset(point)] / self.samples.max(1) as f32;
        match color {
            Color::Black => black,
            Color::White => -black,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ownership_is_a_mean() {
        let size = BoardSize::square(2).unwrap();
        let corner = size.parse_point("A1").unwrap();
        let mut board = Board::new(size);
        board.place(Color::White, corner);
        let mut ownership = Ownership::of_board(&board);
        ownership.add(&Ownership::of_board(&Board::new(size)));
        assert_eq!(ownership.samples(), 2);
        assert!((ownership.of(Color::White, corner) - 0.5).abs() < 1e-6);
        assert!((ownership.of(Color::Black, corner) + 0.5).abs() < 1e-6);
        // The points beside the stone belong to it, the one across is nobody's.
        assert!((ownership.of(Color::White, size.parse_point("B1").unwrap()) - 0.5).abs() < 1e-6);
        assert!(ownership.of(Color::White, size.parse_point("B2").unwrap()).abs() < 1e-6);
    }
}
