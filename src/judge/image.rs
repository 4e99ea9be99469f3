//! One board for all that are the same but for a symmetry and the names of the colours.

use crate::eval::Ownership;
use crate::game::{Board, BoardSize, Color, Symmetry};

/// The canonical image of a board: of all its images the one whose points, in reading order, come first.
pub(super) struct Image {
    size: BoardSize,
    stones: Vec<Option<Color>>,
    /// The ways that lead to it; more than one where the board is symmetric itself.
    ways: Vec<Way>,
}

/// A symmetry, and whether the colours are exchanged.
#[derive(Clone, Copy)]
struct Way {
    symmetry: Symmetry,
    exchanged: bool,
}

impl Way {
    fn image(self, board: &Board) -> Vec<Option<Color>> {
        let size = board.size();
        let mut stones = vec![None; size.area()];
        for point in size.points() {
            let stone = board.stone(point);
            let stone = if self.exchanged { stone.map(Color::opponent) } else { stone };
            stones[size.offset(self.symmetry.apply(size, point))] = stone;
        }
        stones
    }
}

impl Image {
    pub(super) fn of(board: &Board) -> Self {
        let size = board.size();
        let all = Symmetry::for_size(size)
            .iter()
            .flat_map(|&symmetry| [false, true].map(|exchanged| Way { symmetry, exchanged }));
        let order = |stones: &[Option<Color>]| -> Vec<usize> {
            stones.iter().map(|stone| stone.map_or(0, |color| 1 + color.index())).collect()
        };
        let mut best: Option<(Vec<usize>, Image)> = None;
        for way in all {
            let stones = way.image(board);
            let key = order(&stones);
            match &mut best {
                Some((first, image)) if *first == key => image.ways.push(way),
                Some((first, _)) if *first < key => {}
                _ => best = Some((key, Self { size, stones, ways: vec![way] })),
            }
        }
        best.expect("invariant: a board has at least one image").1
    }

    /// The board, its stones put down in reading order.
    pub(super) fn board(&self) -> Board {
        let mut board = Board::new(self.size);
        for (point, stone) in self.size.points().zip(&self.stones) {
            if let Some(color) = *stone {
                board.place(color, point);
            }
        }
        board
    }

    /// Owners of the points of the board itself, the mean over all ways, from Black's share of each point of
    /// the image by so many playouts.
    pub(super) fn map_back(&self, values: &[f32], playouts: usize) -> Ownership {
        let playouts = playouts as f32;
        // Whole numbers of playouts: the sum does not depend on the order of the ways.
        let won = |way: &Way, point| {
            let there = self.size.offset(way.symmetry.apply(self.size, point));
            let won = (values[there] * playouts).round();
            if way.exchanged { -won } else { won }
        };
        let share = |point| {
            let sum: f32 = self.ways.iter().map(|way| won(way, point)).sum();
            sum / (playouts * self.ways.len() as f32)
        };
        Ownership::of_black(self.size, self.size.points().map(share).collect())
    }
}
