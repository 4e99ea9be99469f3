//! Stones that cannot be captured even if their owner always passes (Benson, "Life in the game of
//! Go", Information Sciences 10, 1976).
//!
//! A *region* of a colour is a connected set of points that hold no stone of that colour, as large
//! as possible. A region is *vital* to a chain if the chain has a liberty in it for as long as the
//! chains around it stand. A set of chains lives without a move of its owner if each of its chains
//! has two vital regions that border on chains of the set alone: the opponent can fill the last
//! liberty in one region only when the other has none left, and the other way round.
//!
//! Which regions are vital depends on suicide:
//!
//! - Where it is forbidden, the *empty* points of the region must all be liberties of the chain.
//!   Stones of the opponent in the region stay, and the last empty point cannot be filled.
//! - Where it is allowed, *all* points of the region must be next to the chain. The opponent can fill the
//!   region and lift the stones again, after which any of its points may be the last empty one, so
//!   that a point with an opponent's stone counts like an empty one.

use super::board::Board;
use super::color::Color;
use super::point::Point;
use super::pointset::PointSet;
use super::rules::Suicide;

/// What a player keeps without another move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PassAlive {
    /// Stones that cannot be captured.
    pub stones: PointSet,
    /// Points of the regions that are vital to one of those stones and border on no others.
    /// Stones of the opponent in there are dead: every empty point is next to a stone that cannot be
    /// captured, so that none of them becomes an eye.
    pub territory: PointSet,
}

/// The stones of `color` that live even if `color` always passes, and the territory they are sure of.
#[must_use]
pub fn pass_alive(board: &Board, color: Color, suicide: Suicide) -> PassAlive {
    let regions = regions(board, color, suicide);
    let mut alive: PointSet = (board.size().points())
        .filter(|&p| board.stone(p) == Some(color) && board.chain_head(p) == p)
        .collect();
    loop {
        let safe: Vec<&Region> = regions.iter().filter(|region| region.is_safe(&alive)).collect();
        let has_two = |&head: &Point| safe.iter().filter(|r| r.vital.contains(&head)).count() >= 2;
        let survivors: PointSet = alive.iter().filter(has_two).collect();
        if survivors == alive {
            return collect(board, &alive, &safe);
        }
        alive = survivors;
    }
}

/// A connected set of points without a stone of the owner. Chains are named by their heads.
struct Region {
    points: Vec<Point>,
    borders: Vec<Point>,
    vital: Vec<Point>,
}

impl Region {
    /// Whether all chains around are among those that may live.
    fn is_safe(&self, alive: &PointSet) -> bool {
        self.borders.iter().all(|&head| alive.contains(head))
    }
}

fn collect(board: &Board, alive: &PointSet, safe: &[&Region]) -> PassAlive {
    PassAlive {
        stones: alive.iter().flat_map(|head| board.chain_stones(head)).collect(),
        territory: safe
            .iter()
            .filter(|region| !region.vital.is_empty())
            .flat_map(|region| region.points.iter().copied())
            .collect(),
    }
}

fn regions(board: &Board, color: Color, suicide: Suicide) -> Vec<Region> {
    let mut seen = PointSet::new();
    let mut regions = Vec::new();
    for start in board.size().points() {
        if board.stone(start) != Some(color) && seen.insert(start) {
            let (points, borders) = flood(board, color, start, &mut seen);
            let must_touch = |p: Point| suicide == Suicide::Allowed || board.is_empty(p);
            let touches = |p: Point, head: Point| {
                board
                    .size()
                    .neighbors(p)
                    .any(|n| board.stone(n) == Some(color) && board.chain_head(n) == head)
            };
            let mut vital = borders.clone();
            for &point in points.iter().filter(|&&p| must_touch(p)) {
                vital.retain(|&head| touches(point, head));
            }
            regions.push(Region { points, borders, vital });
        }
    }
    regions
}

/// The points of a region and the heads of the chains around it.
fn flood(
    board: &Board,
    color: Color,
    start: Point,
    seen: &mut PointSet,
) -> (Vec<Point>, Vec<Point>) {
    let mut points = vec![start];
    let mut borders = PointSet::new();
    let mut next = 0;
    while let Some(&point) = points.get(next) {
        next += 1;
        for neighbor in board.size().neighbors(point) {
            if board.stone(neighbor) == Some(color) {
                borders.insert(board.chain_head(neighbor));
            } else if seen.insert(neighbor) {
                points.push(neighbor);
            }
        }
    }
    (points, borders.iter().collect())
}

#[cfg(test)]
mod tests;
