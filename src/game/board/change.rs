//! Putting stones down and taking them off.

use super::{Board, Cell, EMPTY, OFF_BOARD, Placement, code};
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::zobrist;

impl Board {
    /// Puts a stone of `color` on an empty point, and takes chains without liberties off the
    /// board: first the opponent's, then the player's own.
    #[inline]
    pub fn place(&mut self, color: Color, point: Point) -> Placement {
        self.place_and_tell(color, point, |_| {})
    }

    /// The same; tells the stones that leave the board, the one just put down among them if it does.
    #[inline]
    pub(in crate::game) fn place_and_tell(
        &mut self,
        color: Color,
        point: Point,
        mut tell: impl FnMut(Point),
    ) -> Placement {
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
                placement.captured += self.remove_chain(color.opponent(), p, &mut tell);
                last_captured = Some(p);
            }
        }
        let chain = self.chain(point);
        if chain.liberties == 0 {
            placement.suicides = self.remove_chain(color, point, &mut tell);
        } else if placement.captured == 1 && chain.stones == 1 && chain.liberties == 1 {
            placement.ko = last_captured;
        }
        placement
    }

    #[inline]
    fn chain_mut(&mut self, point: Point) -> &mut Cell {
        let head = self.cells[point.index()].head;
        &mut self.cells[head.index()]
    }

    #[expect(clippy::cast_possible_truncation, reason = "a board has at most 625 points")]
    pub(super) fn add_to_empty(&mut self, point: Point) {
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
    fn remove_chain(&mut self, color: Color, start: Point, tell: &mut impl FnMut(Point)) -> u16 {
        let removed = self.chain(start).stones;
        let mut stone = start;
        loop {
            let next = self.cells[stone.index()].next;
            self.set_code(color, stone);
            self.add_to_empty(stone);
            tell(stone);
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
