//! Stones, chains and liberties, kept up to date move by move.
//!
//! A board knows no rules but one: a chain without a liberty leaves the board. Whether a move is
//! allowed is for [`Position`](super::Position) to say.
//!
//! Chains are circular lists of stones whose statistics stand in the cell of one of them, the head.
//! Liberties are counted once for every stone that touches them ("pseudo-liberties"), with the sum
//! and the sum of squares of their indices. By the Cauchy–Schwarz inequality
//! `count · Σx² = (Σx)²` holds just when all of them are the same point, which tells in constant
//! time that a chain is in atari, and where.

use super::around::Around;
use super::color::Color;
use super::point::{BoardSize, Point};
use super::pointset::PointSet;
use super::symmetry::Symmetry;
use super::zobrist;

mod change;
mod liberties;

pub use liberties::Few;

/// What a cell holds; the same numbers stand in [`Around`].
const EMPTY: u8 = 0;
const OFF_BOARD: u8 = 3;

const fn code(color: Color) -> u8 {
    match color {
        Color::Black => 1,
        Color::White => 2,
    }
}

/// A point with everything about it, in half a cache line. The fields of the chain are valid in
/// the cell of its head alone.
#[derive(Clone, Copy)]
struct Cell {
    code: u8,
    around: Around,
    head: Point,
    next: Point,
    /// Place in the list of empty points.
    slot: u16,
    stones: u16,
    /// Pseudo-liberties of the chain: their number, the sum and the sum of squares of their indices.
    liberties: u16,
    sum: u32,
    squares: u32,
    /// Exclusive or of the hash numbers of the chain's stones.
    hash: u64,
}

/// A board with stones on it.
pub struct Board {
    size: BoardSize,
    /// Distances in cells to the eight neighbours, in the order of [`Around`].
    directions: [i32; 8],
    cells: Vec<Cell>,
    empty: Vec<Point>,
    hash: u64,
    stones: [u16; 2],
    captured: [u32; 2],
}

/// What changed when a stone was put down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Stones of the opponent that left the board.
    pub captured: u16,
    /// Stones of the player that left the board, the one just played among them.
    pub suicides: u16,
    /// Where the opponent would retake at once: one stone was captured by a lone stone that now
    /// has no other liberty.
    pub ko: Option<Point>,
}

impl Clone for Board {
    fn clone(&self) -> Self {
        Self { cells: self.cells.clone(), empty: self.empty.clone(), ..*self }
    }

    /// Copies without allocating when both boards have the same size.
    fn clone_from(&mut self, source: &Self) {
        self.cells.clone_from(&source.cells);
        self.empty.clone_from(&source.empty);
        let Self { size, directions, cells: _, empty: _, hash, stones, captured } = self;
        *size = source.size;
        *directions = source.directions;
        *hash = source.hash;
        *stones = source.stones;
        *captured = source.captured;
    }
}

impl Board {
    /// The board turned by one of its symmetries.
    #[must_use]
    pub(super) fn turned(&self, symmetry: Symmetry) -> Self {
        let mut turned = Self::new(self.size);
        for point in self.size.points() {
            if let Some(color) = self.stone(point) {
                turned.place(color, symmetry.apply(self.size, point));
            }
        }
        turned.captured = self.captured;
        turned
    }

    /// An empty board.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        let stride = i32::try_from(size.stride()).expect("invariant: a stride is at most 26");
        let [above, left, right, below] = [-stride, -1, 1, stride];
        let border = Cell {
            code: OFF_BOARD,
            around: Around(0),
            head: Point::from_number(0),
            next: Point::from_number(0),
            slot: 0,
            stones: 0,
            liberties: 0,
            sum: 0,
            squares: 0,
            hash: 0,
        };
        let mut board = Self {
            size,
            directions: [
                above,
                left,
                right,
                below,
                above + left,
                above + right,
                below + left,
                below + right,
            ],
            cells: vec![border; size.cells()],
            empty: Vec::with_capacity(size.area()),
            hash: 0,
            stones: [0; 2],
            captured: [0; 2],
        };
        for point in size.points() {
            board.cells[point.index()].code = EMPTY;
            board.add_to_empty(point);
        }
        board.show_border();
        board
    }

    /// Tells the points at the edge of the empty board what is beside them.
    fn show_border(&mut self) {
        // By the places of three neighbours in `Around`.
        let off = |three: [u16; 3]| three.iter().fold(0, |sum, k| sum | 3 << (2 * k));
        let [above, left, right, below] = [[0, 4, 5], [1, 4, 6], [2, 5, 7], [3, 6, 7]].map(off);
        let (width, height) = (self.size.width(), self.size.height());
        let mut show = |x, y, fields| {
            self.cells[self.size.point_at(x, y).index()].around.0 |= fields;
        };
        for x in 0..width {
            show(x, 0, above);
            show(x, height - 1, below);
        }
        for y in 0..height {
            show(0, y, left);
            show(width - 1, y, right);
        }
    }

    /// Width and height.
    #[must_use]
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// The stone on a point.
    #[inline]
    #[must_use]
    pub fn stone(&self, point: Point) -> Option<Color> {
        match self.cells[point.index()].code {
            1 => Some(Color::Black),
            2 => Some(Color::White),
            _ => None,
        }
    }

    /// Whether no stone is on a point.
    #[inline]
    #[must_use]
    pub fn is_empty(&self, point: Point) -> bool {
        self.cells[point.index()].code == EMPTY
    }

    /// The stones of both colours, by [`Color::index`], and the points without one.
    pub(super) fn sets(&self) -> ([PointSet; 2], PointSet) {
        let (mut stones, mut empty) = ([PointSet::new(); 2], PointSet::new());
        for (index, cells) in self.cells.chunks(PointSet::WORD).enumerate() {
            // The two bits of a code are the two colours; both stand for the border.
            let [mut first, mut second] = [0, 0];
            for cell in cells.iter().rev() {
                first = first << 1 | u64::from(cell.code & 1);
                second = second << 1 | u64::from(cell.code >> 1);
            }
            let all = u64::MAX >> (PointSet::WORD - cells.len());
            stones[0].set_word(index, first & !second);
            stones[1].set_word(index, second & !first);
            empty.set_word(index, all & !(first | second));
        }
        (stones, empty)
    }

    /// All points without a stone, in no particular order.
    #[inline]
    #[must_use]
    pub fn empty_points(&self) -> &[Point] {
        &self.empty
    }

    /// The eight neighbours of a point.
    #[inline]
    #[must_use]
    pub fn around(&self, point: Point) -> Around {
        self.cells[point.index()].around
    }

    /// Hash of the stones on the board, whoever is to move.
    #[inline]
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Stones of a colour on the board.
    #[must_use]
    pub const fn stones(&self, color: Color) -> usize {
        self.stones[color.index()] as usize
    }

    /// Stones of a colour that have left the board since the beginning.
    #[must_use]
    pub const fn captured(&self, color: Color) -> u32 {
        self.captured[color.index()]
    }

    /// Stones of the chain on a point.
    #[inline]
    #[must_use]
    pub fn chain_size(&self, point: Point) -> usize {
        self.chain(point).stones as usize
    }

    /// A stone that stands for the whole chain on a point, the same for each of its stones.
    #[inline]
    #[must_use]
    pub fn chain_head(&self, point: Point) -> Point {
        self.cells[point.index()].head
    }

    /// The stones of the chain on a point.
    pub fn chain_stones(&self, point: Point) -> impl Iterator<Item = Point> + '_ {
        let mut next = (!self.is_empty(point)).then_some(point);
        std::iter::from_fn(move || {
            let stone = next?;
            let following = self.cells[stone.index()].next;
            next = (following != point).then_some(following);
            Some(stone)
        })
    }

    /// The liberties of the chain on a point.
    #[must_use]
    pub fn liberties(&self, point: Point) -> PointSet {
        self.chain_stones(point)
            .flat_map(|stone| self.lines(stone))
            .filter(|&p| self.is_empty(p))
            .collect()
    }

    /// The one liberty of the chain on a point when it has no other. None without a chain.
    #[inline]
    #[must_use]
    pub fn last_liberty(&self, point: Point) -> Option<Point> {
        if self.is_empty(point) {
            return None;
        }
        let chain = self.chain(point);
        chain.is_atari().then(|| Point::from_number(chain.sum / u32::from(chain.liberties)))
    }

    /// Whether the chain on a point has one liberty. The point must hold a stone.
    #[inline]
    #[must_use]
    pub fn in_atari(&self, point: Point) -> bool {
        self.chain(point).is_atari()
    }

    /// Whether a stone of `color` on an empty point would capture something.
    #[inline]
    #[must_use]
    pub fn captures(&self, color: Color, point: Point) -> bool {
        let enemy = code(color.opponent());
        self.lines(point).iter().any(|&p| self.cells[p.index()].code == enemy && self.in_atari(p))
    }

    /// Whether a stone of `color` on an empty point would be left without a liberty.
    #[inline]
    #[must_use]
    pub fn is_suicide(&self, color: Color, point: Point) -> bool {
        if self.around(point).has_liberty() {
            return false;
        }
        let own = code(color);
        // A chain beside the point gives a liberty if it is ours and has another, or if it is the
        // opponent's and has no other.
        !self.lines(point).iter().any(|&p| {
            let found = self.cells[p.index()].code;
            found != OFF_BOARD && (found == own) != self.in_atari(p)
        })
    }

    /// Whether a stone of `color` on an empty point would leave all stones on the board, itself
    /// included: what NoGo asks of a move.
    #[inline]
    #[must_use]
    pub fn keeps_all(&self, color: Color, point: Point) -> bool {
        if self.around(point).has_liberty() {
            return !self.captures(color, point);
        }
        !self.is_suicide(color, point) && !self.captures(color, point)
    }

    /// The hash of the stones after a stone of `color` on an empty point, captures included.
    #[must_use]
    pub fn hash_after(&self, color: Color, point: Point) -> u64 {
        let mut hash = self.hash ^ zobrist::stone(color, point);
        let around = self.around(point);
        if around.has_liberty() && !around.touches(color.opponent()) {
            return hash;
        }
        let (own, enemy) = (code(color), code(color.opponent()));
        let captured = |cell: &Cell, atari| cell.code == enemy && atari;
        let suicide = self.is_suicide(color, point);
        let mut seen: [Option<Point>; 4] = [None; 4];
        for (k, p) in self.lines(point).into_iter().enumerate() {
            let cell = &self.cells[p.index()];
            let leaves = if suicide { cell.code == own } else { captured(cell, self.in_atari(p)) };
            if leaves && !seen.contains(&Some(cell.head)) {
                hash ^= self.chain(p).hash;
                seen[k] = Some(cell.head);
            }
        }
        if suicide { hash ^ zobrist::stone(color, point) } else { hash }
    }

    /// Who has a point by its own stone or by what stands beside it: exact at the end of a playout,
    /// when every empty region is a single point.
    #[inline]
    #[must_use]
    pub fn quick_owner(&self, point: Point) -> Option<Color> {
        self.stone(point).or_else(|| {
            let around = self.around(point);
            match (around.touches(Color::Black), around.touches(Color::White)) {
                (true, false) => Some(Color::Black),
                (false, true) => Some(Color::White),
                _ => None,
            }
        })
    }

    /// Black's area minus White's by [`Board::quick_owner`].
    #[must_use]
    pub fn quick_area(&self) -> i32 {
        let empty: i32 = self
            .empty
            .iter()
            .map(|&p| self.quick_owner(p).map_or(0, |c| if c == Color::Black { 1 } else { -1 }))
            .sum();
        i32::from(self.stones[0]) - i32::from(self.stones[1]) + empty
    }

    /// The four cells on the same lines. Some may be off the board: they hold no stone and are not
    /// empty.
    #[inline]
    #[must_use]
    pub fn lines(&self, point: Point) -> [Point; 4] {
        let [above, left, right, below, ..] = self.directions;
        [point.shifted(above), point.shifted(left), point.shifted(right), point.shifted(below)]
    }

    /// The eight cells around a point, in the order of [`Around`]; some may be off the board.
    #[inline]
    #[must_use]
    pub fn ring(&self, point: Point) -> [Point; 8] {
        self.directions.map(|distance| point.shifted(distance))
    }

    /// The cell that holds the statistics of the chain on a point.
    #[inline]
    fn chain(&self, point: Point) -> &Cell {
        &self.cells[self.cells[point.index()].head.index()]
    }
}

impl Cell {
    /// Whether a stone of this code in the chain with this head is here.
    #[inline]
    fn is_of(&self, code: u8, head: Point) -> bool {
        self.code == code && self.head == head
    }

    #[inline]
    fn is_atari(&self) -> bool {
        u64::from(self.liberties) * u64::from(self.squares) == u64::from(self.sum).pow(2)
    }
}

#[cfg(test)]
pub(super) mod tests;
