//! Turning and mirroring a board.

use super::point::{BoardSize, Move, Point};

/// One of the eight ways to lay a board onto itself: mirrored at the main diagonal or not, and then
/// left and right or top and bottom exchanged or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

const FLIP_X: u8 = 1;
const FLIP_Y: u8 = 2;
const TRANSPOSE: u8 = 4;

impl Symmetry {
    /// Leaves everything where it is.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight. The first four keep width and height, the others need a square board.
    pub const ALL: [Symmetry; 8] = [
        Symmetry(0),
        Symmetry(FLIP_X),
        Symmetry(FLIP_Y),
        Symmetry(FLIP_X | FLIP_Y),
        Symmetry(TRANSPOSE),
        Symmetry(TRANSPOSE | FLIP_X),
        Symmetry(TRANSPOSE | FLIP_Y),
        Symmetry(TRANSPOSE | FLIP_X | FLIP_Y),
    ];

    /// The symmetries of boards of a size: eight for squares, four for other rectangles.
    #[must_use]
    pub fn for_size(size: BoardSize) -> &'static [Symmetry] {
        if size.is_square() { &Self::ALL } else { &Self::ALL[..4] }
    }

    /// Where a point of a board goes to. The symmetry is one of [`Symmetry::for_size`].
    #[must_use]
    pub fn apply(self, size: BoardSize, point: Point) -> Point {
        debug_assert!(size.is_square() || self.0 & TRANSPOSE == 0, "{self:?} needs a square");
        let (mut x, mut y) = size.coordinates(point);
        if self.0 & TRANSPOSE != 0 {
            (x, y) = (y, x);
        }
        if self.0 & FLIP_X != 0 {
            x = size.width() - 1 - x;
        }
        if self.0 & FLIP_Y != 0 {
            y = size.height() - 1 - y;
        }
        size.point_at(x, y)
    }

    /// Where a move goes to; a pass stays a pass.
    #[must_use]
    pub fn apply_move(self, size: BoardSize, mv: Move) -> Move {
        match mv {
            Move::Place(point) => Move::Place(self.apply(size, point)),
            Move::Pass => Move::Pass,
        }
    }

    /// The symmetry that takes everything back.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        if self.0 & TRANSPOSE == 0 { self } else { Symmetry(TRANSPOSE | self.exchanged_flips()) }
    }

    /// First this symmetry, then `next`.
    #[must_use]
    pub const fn compose(self, next: Symmetry) -> Symmetry {
        // To mirror at the diagonal after a flip is to flip the other way after mirroring.
        let flips = if next.0 & TRANSPOSE == 0 { self.flips() } else { self.exchanged_flips() };
        Symmetry((self.0 ^ next.0) & TRANSPOSE | (flips ^ next.flips()))
    }

    const fn flips(self) -> u8 {
        self.0 & (FLIP_X | FLIP_Y)
    }

    /// Left and right for top and bottom, and the other way round.
    const fn exchanged_flips(self) -> u8 {
        (self.0 & FLIP_X) << 1 | (self.0 & FLIP_Y) >> 1
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::game::pointset::PointSet;
    use crate::game::position::Position;
    use crate::game::rules::{Komi, Rules};

    #[test]
    fn symmetries_are_a_group() {
        let size = BoardSize::square(5).unwrap();
        let mut images = HashSet::new();
        for a in Symmetry::ALL {
            images.insert(size.points().map(|p| a.apply(size, p)).collect::<Vec<_>>());
            assert_eq!(a.compose(a.inverse()), Symmetry::IDENTITY);
            assert_eq!(a.inverse().compose(a), Symmetry::IDENTITY);
            assert_eq!(a.compose(Symmetry::IDENTITY), a);
            for b in Symmetry::ALL {
                assert!(Symmetry::ALL.contains(&a.compose(b)));
                for p in size.points() {
                    let one_by_one = b.apply(size, a.apply(size, p));
                    assert_eq!(a.compose(b).apply(size, p), one_by_one);
                }
                for c in Symmetry::ALL {
                    assert_eq!(a.compose(b).compose(c), a.compose(b.compose(c)));
                }
            }
        }
        assert_eq!(images.len(), 8, "all eight differ");
    }

    #[test]
    fn rectangles_have_four() {
        let size = BoardSize::new(5, 3).unwrap();
        assert_eq!(Symmetry::for_size(size).len(), 4);
        assert_eq!(Symmetry::for_size(BoardSize::square(3).unwrap()).len(), 8);
        for symmetry in Symmetry::for_size(size) {
            let image: PointSet = size.points().map(|p| symmetry.apply(size, p)).collect();
            assert_eq!(image.len(), size.area());
        }
        assert_eq!(Symmetry::ALL[5].apply_move(size, Move::Pass), Move::Pass);
    }

    /// What of a position a symmetry must keep, point by point.
    fn check_image(position: &Position, image: &Position, symmetry: Symmetry) {
        let size = position.size();
        let (board, turned) = (position.board(), image.board());
        for p in size.points() {
            let q = symmetry.apply(size, p);
            assert_eq!(board.stone(p), turned.stone(q));
            for color in crate::game::Color::BOTH {
                assert_eq!(position.is_legal(color, p), image.is_legal(color, q));
            }
            if board.stone(p).is_some() {
                assert_eq!(board.chain_size(p), turned.chain_size(q));
                let liberties: PointSet =
                    board.liberties(p).iter().map(|l| symmetry.apply(size, l)).collect();
                assert_eq!(liberties, turned.liberties(q));
                let together =
                    |a, b, board: &crate::game::Board| board.chain_head(a) == board.chain_head(b);
                for n in size.neighbors(p).filter(|&n| board.stone(n).is_some()) {
                    let m = symmetry.apply(size, n);
                    assert_eq!(together(p, n, board), together(q, m, turned));
                }
            }
        }
        let nobody = PointSet::new();
        assert_eq!(position.score(&nobody), image.score(&nobody));
        assert_eq!(position.winner(&nobody), image.winner(&nobody));
        assert_eq!(position.is_over(), image.is_over());
        assert_eq!(position.ko().map(|p| symmetry.apply(size, p)), image.ko());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn symmetry_commutes_with_play(
            width in 2usize..8,
            height in 2usize..8,
            square in any::<bool>(),
            rules in prop::sample::select(Rules::names().collect::<Vec<_>>()),
            choices in prop::collection::vec(any::<u16>(), 0..80),
        ) {
            let size = BoardSize::new(width, if square { width } else { height }).unwrap();
            let rules: Rules = rules.parse().unwrap();
            for &symmetry in Symmetry::for_size(size) {
                let mut position = Position::new(size, rules, Komi::default());
                let mut image = position.clone();
                for &choice in &choices {
                    let color = position.to_move();
                    let legal: Vec<_> = size.points().filter(|&p| position.is_legal(color, p)).collect();
                    if legal.is_empty() {
                        break;
                    }
                    let mv = Move::Place(legal[usize::from(choice) % legal.len()]);
                    position.play(color, mv).unwrap();
                    image.play(color, symmetry.apply_move(size, mv)).unwrap();
                }
                check_image(&position, &image, symmetry);
            }
        }
    }
}
