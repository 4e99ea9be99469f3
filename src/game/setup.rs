//! Boards that begin with stones on them.

use super::board::Board;
use super::color::Color;
use super::point::{BoardSize, Point, Vertex};

/// The stones cannot stand on a board together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Two stones on one point.
    #[error("there is a stone at {0} already")]
    Occupied(Vertex),
    /// A chain without a liberty.
    #[error("a chain has no liberty once there is a stone at {0}")]
    NoLiberty(Vertex),
}

impl Board {
    /// A board with these stones, none of them played: nothing counts as captured.
    ///
    /// The order does not matter. A part of a chain has its missing stones for liberties, and a
    /// whole chain those of the finished board, so that something is captured on the way just
    /// when a chain would have no liberty in the end.
    pub fn with_stones(
        size: BoardSize,
        stones: impl IntoIterator<Item = (Color, Point)>,
    ) -> Result<Self, SetupError> {
        let mut board = Self::new(size);
        for (color, point) in stones {
            if !board.is_empty(point) {
                return Err(SetupError::Occupied(size.vertex(point)));
            }
            let placement = board.place(color, point);
            if placement.captured > 0 || placement.suicides > 0 {
                return Err(SetupError::NoLiberty(size.vertex(point)));
            }
        }
        Ok(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_without_liberties_are_refused_in_any_order() {
        let size = BoardSize::new(3, 2).unwrap();
        let stone = |color, text| (color, size.parse_point(text).unwrap());
        let corner =
            [stone(Color::White, "A1"), stone(Color::Black, "A2"), stone(Color::Black, "B1")];
        for first in 0..3 {
            let mut stones = corner;
            stones.rotate_left(first);
            assert!(matches!(Board::with_stones(size, stones), Err(SetupError::NoLiberty(_))));
        }
        assert_eq!(
            Board::with_stones(size, [corner[0], corner[0]]).err().map(|e| e.to_string()),
            Some("there is a stone at A1 already".to_owned())
        );
        let board = Board::with_stones(size, corner[1..].iter().copied()).unwrap();
        assert_eq!((board.stones(Color::Black), board.captured(Color::White)), (2, 0));
    }
}
