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
use super::zobrist;

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
        for point in size.points() {
            let fields = board.directions.iter().enumerate().map(|(k, &distance)| {
                u16::from(board.cells[point.shifted(distance).index()].code) << (2 * k)
            });
            board.cells[point.index()].around = Around(fields.sum());
        }
        board
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

    /// The hash of the stones after a stone of `color` on an empty point, captures included.
    #[must_use]
    pub fn hash_after(&self, color: Color, point: Point) -> u64 {
        let (own, enemy) = (code(color), code(color.opponent()));
        let mut hash = self.hash ^ zobrist::stone(color, point);
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

    /// Puts a stone of `color` on an empty point, and takes chains without liberties off the
    /// board: first the opponent's, then the player's own.
    #[inline]
    pub fn place(&mut self, color: Color, point: Point) -> Placement {
        debug_assert!(self.is_empty(point), "a stone goes on an empty point");
        self.remove_from_empty(point);
        self.set_code(color, point);
        self.stones[color.index()] += 1;
        self.start_chain(color, point);

        let lines = self.lines(point);
        let own = code(color);
        for p in lines {
            if self.cells[p.index()].code == own {
                self.merge(point, p);
            }
        }
        let enemy = code(color.opponent());
        let mut placement = Placement { captured: 0, suicides: 0, ko: None };
        let mut last_captured = None;
        for p in lines {
            let cell = &self.cells[p.index()];
            if cell.code == enemy && self.chain(p).liberties == 0 {
                placement.captured += self.remove_chain(color.opponent(), p);
                last_captured = Some(p);
            }
        }
        let chain = self.chain(point);
        if chain.liberties == 0 {
            placement.suicides = self.remove_chain(color, point);
        } else if placement.captured == 1 && chain.stones == 1 && chain.liberties == 1 {
            placement.ko = last_captured;
        }
        placement
    }

    /// The four cells on the same lines; some may be off the board.
    #[inline]
    fn lines(&self, point: Point) -> [Point; 4] {
        let [above, left, right, below, ..] = self.directions;
        [point.shifted(above), point.shifted(left), point.shifted(right), point.shifted(below)]
    }

    /// The cell that holds the statistics of the chain on a point.
    #[inline]
    fn chain(&self, point: Point) -> &Cell {
        &self.cells[self.cells[point.index()].head.index()]
    }

    #[inline]
    fn chain_mut(&mut self, point: Point) -> &mut Cell {
        let head = self.cells[point.index()].head;
        &mut self.cells[head.index()]
    }

    #[expect(clippy::cast_possible_truncation, reason = "a board has at most 625 points")]
    fn add_to_empty(&mut self, point: Point) {
        self.cells[point.index()].slot = self.empty.len() as u16;
        self.empty.push(point);
    }

    #[inline]
    fn remove_from_empty(&mut self, point: Point) {
        let slot = self.cells[point.index()].slot;
        self.empty.swap_remove(slot as usize);
        if let Some(&moved) = self.empty.get(slot as usize) {
            self.cells[moved.index()].slot = slot;
        }
    }

    /// Turns an empty cell into a stone, or a stone into an empty cell, for all who look at it.
    #[inline]
    fn set_code(&mut self, color: Color, point: Point) {
        self.cells[point.index()].code ^= code(color);
        self.hash ^= zobrist::stone(color, point);
        let field = u16::from(code(color));
        // Seen from a neighbour the point lies in the opposite direction.
        for (direction, opposite) in self.directions.into_iter().zip([3, 2, 1, 0, 7, 6, 5, 4]) {
            self.cells[point.shifted(direction).index()].around.0 ^= field << (2 * opposite);
        }
    }

    /// Makes the stone just put down a chain of its own, and takes its point from the liberties
    /// of the chains around.
    #[inline]
    fn start_chain(&mut self, color: Color, point: Point) {
        let (mut liberties, mut sum, mut squares) = (0, 0, 0);
        for p in self.lines(point) {
            match self.cells[p.index()].code {
                EMPTY => {
                    liberties += 1;
                    sum += p.number();
                    squares += p.number() * p.number();
                }
                OFF_BOARD => {}
                _ => self.chain_mut(p).lose_liberty(point),
            }
        }
        let cell = &mut self.cells[point.index()];
        cell.head = point;
        cell.next = point;
        cell.stones = 1;
        cell.liberties = liberties;
        cell.sum = sum;
        cell.squares = squares;
        cell.hash = zobrist::stone(color, point);
    }

    /// Joins the chains of two stones, unless they are one already.
    #[inline]
    fn merge(&mut self, a: Point, b: Point) {
        let (mut keep, mut join) = (self.chain_head(a), self.chain_head(b));
        if keep == join {
            return;
        }
        if self.cells[keep.index()].stones < self.cells[join.index()].stones {
            std::mem::swap(&mut keep, &mut join);
        }
        let joined = self.cells[join.index()];
        let chain = &mut self.cells[keep.index()];
        chain.stones += joined.stones;
        chain.liberties += joined.liberties;
        chain.sum += joined.sum;
        chain.squares += joined.squares;
        chain.hash ^= joined.hash;
        let after_keep = std::mem::replace(&mut chain.next, joined.next);
        let mut stone = join;
        loop {
            let cell = &mut self.cells[stone.index()];
            cell.head = keep;
            stone = cell.next;
            if stone == join {
                break;
            }
        }
        // Two circles become one when a stone of each takes the other's successor.
        self.cells[join.index()].next = after_keep;
    }

    /// Takes a chain off the board and gives its points as liberties to the chains around.
    fn remove_chain(&mut self, color: Color, start: Point) -> u16 {
        let removed = self.chain(start).stones;
        let mut stone = start;
        loop {
            let next = self.cells[stone.index()].next;
            self.set_code(color, stone);
            self.add_to_empty(stone);
            for p in self.lines(stone) {
                let found = self.cells[p.index()].code;
                if found != EMPTY && found != OFF_BOARD {
                    self.chain_mut(p).gain_liberty(stone);
                }
            }
            stone = next;
            if stone == start {
                break;
            }
        }
        self.stones[color.index()] -= removed;
        self.captured[color.index()] += u32::from(removed);
        removed
    }
}

impl Cell {
    #[inline]
    fn is_atari(&self) -> bool {
        u64::from(self.liberties) * u64::from(self.squares) == u64::from(self.sum).pow(2)
    }

    #[inline]
    fn lose_liberty(&mut self, point: Point) {
        self.liberties -= 1;
        self.sum -= point.number();
        self.squares -= point.number() * point.number();
    }

    #[inline]
    fn gain_liberty(&mut self, point: Point) {
        self.liberties += 1;
        self.sum += point.number();
        self.squares += point.number() * point.number();
    }
}

#[cfg(test)]
pub(super) mod tests;
