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

    /// A board with stones put down one after the other, as editors and programs do it: a later stone takes the place of
    /// an earlier one, and chains without liberties leave the board. A lone stone without liberties is left out.
    #[must_use]
    pub fn with_stones_in_order(
        size: BoardSize,
        stones: impl IntoIterator<Item = (Color, Point)>,
    ) -> Self {
        let mut board = Self::new(size);
        for (color, point) in stones {
            let replaced = match board.stone(point) {
                Some(there) if there == color => continue,
                Some(_) => {
                    board = board.as_set_up(|other| other != point);
                    true
                }
                None => false,
            };
            let refused = replaced || !board.around(point).touches(color);
            if !(refused && board.is_suicide(color, point)) {
                board.place(color, point);
            }
        }
        board.as_set_up(|_| true)
    }

    /// A board with those of these stones that are wanted, none of them played.
    fn as_set_up(&self, wanted: impl Fn(Point) -> bool) -> Self {
        let there = |point| self.stone(point).map(|color| (color, point));
        let stones = self.size().points().filter(|&point| wanted(point)).filter_map(there);
        // Chains that lose stones or neighbours keep a liberty.
        Self::with_stones(self.size(), stones).expect("invariant: every chain has a liberty")
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

    #[test]
    fn later_stones_take_the_place_of_earlier_ones_and_capture() {
        let size = BoardSize::square(3).unwrap();
        let check = |stones: &str, expected: [&str; 2]| {
            let words: Vec<_> = stones.split_whitespace().collect();
            let read =
                |pair: &[&str]| (pair[0].parse().unwrap(), size.parse_point(pair[1]).unwrap());
            let board = Board::with_stones_in_order(size, words.chunks(2).map(read));
            let of = |color| {
                let own = size.points().filter(|&point| board.stone(point) == Some(color));
                own.map(|point| size.vertex(point).to_string()).collect::<Vec<_>>().join(" ")
            };
            assert_eq!([of(Color::Black), of(Color::White)], expected, "{stones}");
            assert_eq!(Color::BOTH.map(|color| board.captured(color)), [0, 0]);
        };
        check("b A1 w A1", ["", "A1"]);
        check("w A1 b A2 b B1", ["A2 B1", ""]);
        // The last stone has no liberty.
        check("b A2 b B1 w A1", ["A2 B1", ""]);
        check("w A1 b A1 w A2 w B1 b C3", ["C3", "A2 B1"]);
    }
}
