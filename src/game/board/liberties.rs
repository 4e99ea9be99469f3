//! Liberties counted as far as somebody wants to know: playouts ask whether there are one, two or
//! more, and never how many hundred.

use super::{Board, Cell, EMPTY, code};
use crate::game::color::Color;
use crate::game::point::Point;

/// Up to four different points.
#[derive(Clone, Copy, Debug)]
pub struct Few {
    points: [Point; Few::MOST],
    count: usize,
}

impl Few {
    /// Points at the most.
    pub const MOST: usize = 4;

    const fn new() -> Self {
        Self { points: [Point::from_number(0); Few::MOST], count: 0 }
    }

    /// Adds a point unless it is there or there is no room.
    #[inline]
    fn add(&mut self, point: Point) {
        if self.count < Self::MOST && !self.as_slice().contains(&point) {
            self.points[self.count] = point;
            self.count += 1;
        }
    }

    /// The points.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[Point] {
        &self.points[..self.count]
    }

    /// How many.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// What is left of a chain's pseudo-liberties without some: their number, the sum and the sum of
/// squares of their indices.
struct Rest {
    count: u32,
    sum: u32,
    squares: u32,
}

impl Cell {
    /// The pseudo-liberties of the chain without those on a point, which touches so many of its stones.
    #[inline]
    fn without(&self, point: Point, times: u32) -> Rest {
        let number = point.number();
        Rest {
            count: u32::from(self.liberties) - times,
            sum: self.sum - times * number,
            squares: self.squares - times * number * number,
        }
    }
}

impl Rest {
    /// The point that all of them are on, if it is one.
    #[inline]
    fn only(&self) -> Option<Point> {
        let same = u64::from(self.count) * u64::from(self.squares) == u64::from(self.sum).pow(2);
        (same && self.count > 0).then(|| Point::from_number(self.sum / self.count))
    }
}

impl Board {
    /// Liberties of the chain on a point, `most` of them at the most: where there are fewer, these
    /// are all.
    #[inline]
    #[must_use]
    pub fn few_liberties(&self, point: Point, most: usize) -> Few {
        let mut found = Few::new();
        for stone in self.chain_stones(point) {
            for p in self.lines(stone) {
                if self.cells[p.index()].code == EMPTY {
                    found.add(p);
                    if found.count >= most {
                        return found;
                    }
                }
            }
        }
        found
    }

    /// The liberties of the chain on a point if it has just two.
    #[inline]
    #[must_use]
    pub fn two_liberties(&self, point: Point) -> Option<[Point; 2]> {
        let chain = self.chain(point);
        // A liberty touches four stones at the most.
        if chain.liberties > 8 || chain.is_atari() {
            return None;
        }
        let breathing = self.chain_stones(point).find(|&stone| self.around(stone).has_liberty())?;
        let one = self.lines(breathing).into_iter().find(|&p| self.is_empty(p))?;
        let own = self.cells[point.index()];
        let touches = |p: &Point| self.cells[p.index()].is_of(own.code, own.head);
        let rest = chain.without(one, self.lines(one).iter().map(|p| u32::from(touches(p))).sum());
        rest.only().map(|other| [one, other])
    }

    /// How many liberties a stone of `color` on an empty point will have with its chain, captures
    /// included; counted up to `most`, which is four at the most. None is suicide, one is atari.
    #[inline]
    #[must_use]
    pub fn liberties_after(&self, color: Color, point: Point, most: usize) -> usize {
        if self.around(point).liberties() >= most {
            return most;
        }
        if let Some(count) = self.liberties_by_sums(color, point, most) {
            return count;
        }
        let own = code(color);
        let lines = self.lines(point);
        let mut found = Few::new();
        for p in lines {
            if self.gives_liberty(color, point, p) {
                found.add(p);
            }
        }
        for p in lines.into_iter().filter(|p| self.cells[p.index()].code == own) {
            for stone in self.chain_stones(p) {
                if found.count >= most {
                    return most;
                }
                for q in self.lines(stone) {
                    if q != point && self.gives_liberty(color, point, q) {
                        found.add(q);
                    }
                }
            }
        }
        found.count.min(most)
    }

    /// [`Board::liberties_after`] in constant time, where that is possible: not where a capture may
    /// give more, or a chain has several liberties elsewhere and two are not enough.
    ///
    /// The sums of a chain's liberties, less the point itself as often as the chain touches it, tell
    /// whether all that are left are one point, and which.
    #[inline]
    fn liberties_by_sums(&self, color: Color, point: Point, most: usize) -> Option<usize> {
        let (own, enemy) = (code(color), code(color.opponent()));
        let (mut found, mut more) = (Few::new(), false);
        let lines = self.lines(point);
        for p in lines {
            let cell = &self.cells[p.index()];
            if cell.code == EMPTY {
                found.add(p);
            } else if cell.code == own {
                let same = |q: &Point| self.cells[q.index()].is_of(own, cell.head);
                let times = lines.iter().map(|q| u32::from(same(q))).sum();
                let rest = self.chain(p).without(point, times);
                match rest.only() {
                    Some(liberty) => found.add(liberty),
                    None if rest.count > 0 && most <= 2 => return Some(most),
                    None => more |= rest.count > 0,
                }
            } else {
                more |= cell.code == enemy && self.in_atari(p);
            }
        }
        (!more || found.count >= most).then_some(found.count.min(most))
    }

    /// Whether a cell is empty once `color` has played at `point`.
    #[inline]
    fn gives_liberty(&self, color: Color, point: Point, cell: Point) -> bool {
        let found = self.cells[cell.index()].code;
        found == EMPTY
            || found == code(color.opponent()) && {
                let chain = self.chain(cell);
                chain.is_atari() && chain.sum == u32::from(chain.liberties) * point.number()
            }
    }
}
