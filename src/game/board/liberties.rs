//! Liberties counted as far as somebody wants to know: playouts ask whether there are one, two or
//! more, and never how many hundred.

use super::{Board, EMPTY, code};
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

    /// How many liberties a stone of `color` on an empty point will have with its chain, captures
    /// included; counted up to `most`, which is four at the most. None is suicide, one is atari.
    #[inline]
    #[must_use]
    pub fn liberties_after(&self, color: Color, point: Point, most: usize) -> usize {
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
