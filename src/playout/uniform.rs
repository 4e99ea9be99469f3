//! Uniformly random moves: every legal one is equally likely, but no eye is filled.

use super::chance::below;
use super::go::Turn;
use crate::eval::FirstMoves;
use crate::game::{Board, Color, Point};
use crate::util::Rng;

/// How often a point is drawn again before all legal ones are listed.
const DRAWS: usize = 8;

/// One of the points that the player may play and that is not an eye of its own, all equally likely.
#[inline]
pub(super) fn draw(turn: Turn<'_>, list: &mut Vec<Point>, rng: &mut Rng) -> Option<Point> {
    let empty = turn.board.empty_points();
    if empty.is_empty() {
        return None;
    }
    for _ in 0..DRAWS {
        let point = empty[below(empty.len(), rng)];
        if turn.is_sensible(point) {
            return Some(point);
        }
    }
    list.clear();
    list.extend(empty.iter().copied().filter(|&point| turn.is_sensible(point)));
    if list.is_empty() { None } else { Some(list[below(list.len(), rng)]) }
}

/// Plays NoGo until a player has no legal move, and returns the other. In NoGo a point that is
/// illegal for a player stays so: every point is looked at once and then struck off.
pub(super) fn play_nogo(
    board: &mut Board,
    to_move: Color,
    lists: &mut [Vec<Point>; 2],
    first: &mut FirstMoves,
    rng: &mut Rng,
) -> Color {
    for list in &mut *lists {
        list.clear();
        list.extend_from_slice(board.empty_points());
    }
    let mut color = to_move;
    'turn: loop {
        let list = &mut lists[color.index()];
        while !list.is_empty() {
            let point = list.swap_remove(below(list.len(), rng));
            let legal = board.is_empty(point)
                && !board.captures(color, point)
                && !board.is_suicide(color, point);
            if legal {
                board.place(color, point);
                first.add(color, point);
                color = color.opponent();
                continue 'turn;
            }
        }
        return color.opponent();
    }
}
