//! Whose area the board is now, as KataGo's features have it.

use crate::game::benson::pass_alive;
use crate::game::{Board, Color, Point, PointSet, Suicide};

/// The points of Black and of White: stones, empty regions that touch one colour alone, and what
/// pass-alive stones surround together with the stones of the opponent in it.
pub(super) fn areas(board: &Board, suicide: Suicide) -> [PointSet; 2] {
    let mut owners: Vec<Option<Color>> = vec![None; board.size().area()];
    for color in Color::BOTH {
        let alive = pass_alive(board, color, suicide).stones;
        for point in alive.iter() {
            owners[board.size().offset(point)] = Some(color);
        }
        let mut seen = PointSet::new();
        for start in board.size().points() {
            if board.is_empty(start) && !seen.contains(start) {
                let region = Region::around(board, color, start, &mut seen);
                if region.belongs_to(color, board, &alive) {
                    for point in region.points {
                        owners[board.size().offset(point)] = Some(color);
                    }
                }
            }
        }
    }
    let owner = |point| owners[board.size().offset(point)].or_else(|| board.stone(point));
    Color::BOTH.map(|color| board.size().points().filter(|&p| owner(p) == Some(color)).collect())
}

/// A connected set of points without a stone of one colour.
struct Region {
    points: Vec<Point>,
    /// Stones of that colour beside it.
    borders: PointSet,
    /// Points that touch no such stone.
    inside: usize,
}

impl Region {
    fn around(board: &Board, color: Color, start: Point, seen: &mut PointSet) -> Self {
        seen.insert(start);
        let mut region = Self { points: vec![start], borders: PointSet::new(), inside: 0 };
        let mut next = 0;
        while let Some(&point) = region.points.get(next) {
            next += 1;
            let mut touches = false;
            for neighbor in board.size().neighbors(point) {
                if board.stone(neighbor) == Some(color) {
                    touches = true;
                    region.borders.insert(neighbor);
                } else if seen.insert(neighbor) {
                    region.points.push(neighbor);
                }
            }
            region.inside += usize::from(!touches);
        }
        region
    }

    fn belongs_to(&self, color: Color, board: &Board, alive: &PointSet) -> bool {
        let empty = self.points.iter().all(|&p| board.stone(p) != Some(color.opponent()));
        let safe = || self.inside <= 1 && self.borders.iter().all(|p| alive.contains(p));
        !self.borders.is_empty() && (empty || safe())
    }
}
