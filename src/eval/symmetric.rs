//! Which way round a network looks at a position.

use crate::game::{Position, Symmetry};

/// The symmetry to evaluate a position in: any of those that its board has, but always the same
/// one for the same position.
///
/// A network is not quite symmetric. To look at each position in an orientation drawn at random
/// evens that out over a tree; to draw it from the hash makes an evaluation repeatable, so that a
/// cache in front of the network changes nothing.
#[must_use]
pub fn symmetry_of(position: &Position) -> Symmetry {
    let all = Symmetry::for_size(position.size());
    // Four or eight: the top bits of the hash say which.
    let bits = all.len().trailing_zeros();
    let choice = position.hash().rotate_left(bits) & (all.len() as u64 - 1);
    all[usize::try_from(choice).expect("invariant: three bits at most")]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::game::{BoardSize, Color, Komi, Move, Rules};

    /// The position after two moves, one for every pair of points.
    fn positions(size: BoardSize) -> impl Iterator<Item = Position> {
        let pairs = size.points().flat_map(move |a| size.points().map(move |b| (a, b)));
        pairs.filter(|(a, b)| a != b).map(move |(a, b)| {
            let mut position = Position::new(size, Rules::NOGO, Komi::default());
            position.play(Color::Black, Move::Place(a)).unwrap();
            position.play(Color::White, Move::Place(b)).unwrap();
            position
        })
    }

    #[test]
    fn all_symmetries_of_a_board_are_chosen_about_equally_often() {
        for (width, height, symmetries) in [(7, 7, 8), (7, 6, 4)] {
            let size = BoardSize::new(width, height).unwrap();
            let mut counts = HashMap::new();
            for position in positions(size) {
                *counts.entry(symmetry_of(&position)).or_insert(0) += 1;
            }
            let expected = size.area() * (size.area() - 1) / symmetries;
            assert_eq!(counts.len(), symmetries);
            for (symmetry, &count) in &counts {
                assert!(Symmetry::for_size(size).contains(symmetry));
                assert!(count > expected * 3 / 4 && count < expected * 5 / 4, "{counts:?}");
            }
        }
    }

    #[test]
    fn the_way_to_a_position_does_not_matter() {
        let size = BoardSize::square(9).unwrap();
        let played = |moves: [&str; 4]| {
            let mut position = Position::new(size, Rules::CGOS, Komi::default());
            for text in moves {
                position.play(position.to_move(), size.parse_move(text).unwrap()).unwrap();
            }
            symmetry_of(&position)
        };
        assert_eq!(played(["C3", "D4", "E5", "F6"]), played(["E5", "F6", "C3", "D4"]));
    }
}
