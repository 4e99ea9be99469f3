//! Which moves look good before anything was tried, by tactics, patterns and distances.

use super::go::Turn;
use super::params::PlayoutParams;
use super::pattern::Patterns;
use crate::eval::Policy;
use crate::game::{BoardSize, Point, Position};

/// Weight of the pass: it is tried when the moves on the board turn out to be bad.
const PASS: f32 = 0.1;

/// The weights of all points for the player to move: products of what speaks for and against each.
pub(super) fn policy(params: &PlayoutParams, patterns: &Patterns, position: &Position) -> Policy {
    let size = position.size();
    let mut past = position.last_moves().map(|(_, mv)| mv.point());
    let (last, before) = (past.next().flatten(), past.next().flatten());
    let turn = Turn {
        board: position.board(),
        color: position.to_move(),
        last,
        before,
        ko: position.ko(),
        open_ko: None,
    };
    let mut points = vec![0.0; size.area()];
    for &point in position.board().empty_points() {
        #[expect(clippy::cast_possible_truncation, reason = "a weight needs no more digits")]
        let weight = weight(params, patterns, turn, point) as f32;
        points[size.offset(point)] = weight;
    }
    Policy::Weights { points, pass: PASS }
}

/// What speaks for a move, 1 if nothing.
fn weight(params: &PlayoutParams, patterns: &Patterns, turn: Turn<'_>, point: Point) -> f64 {
    let Turn { board, color, .. } = turn;
    let around = board.around(point);
    if around.is_eye_of(color) {
        return 0.0;
    }
    let size = board.size();
    let mut weight = near(params.prior_near, size, point, turn.last)
        * near(params.prior_near.sqrt(), size, point, turn.before);
    if around.has_no_stone() {
        return weight * lonely(params.prior_edge, size, point);
    }
    if patterns.matches(color, around) {
        weight *= params.prior_pattern;
    }
    weight * tactical(params, turn, point)
}

/// What captures and ataris are worth, 1 if there are none.
fn tactical(params: &PlayoutParams, turn: Turn<'_>, point: Point) -> f64 {
    let Turn { board, color, .. } = turn;
    let safe = !turn.is_self_atari(point);
    let (mut capture, mut escape, mut atari): (f64, f64, f64) = (1.0, 1.0, 1.0);
    for p in board.lines(point) {
        let Some(stone) = board.stone(p) else { continue };
        let by_size = |factor: f64| if board.chain_size(p) > 1 { factor } else { factor.sqrt() };
        if stone == color {
            if safe && board.in_atari(p) {
                escape = escape.max(by_size(params.prior_escape));
            }
        } else if board.in_atari(p) {
            capture = capture.max(by_size(params.prior_capture));
        } else if safe && board.few_liberties(p, 3).len() == 2 {
            atari = params.prior_atari;
        }
    }
    let exposed = if safe || capture > 1.0 { 1.0 } else { params.prior_self_atari };
    capture * escape * atari * exposed
}

/// The weight of the distance to a move: all of it beside the move, less two and three points away.
fn near(factor: f64, size: BoardSize, point: Point, other: Option<Point>) -> f64 {
    let Some(other) = other else { return 1.0 };
    let ((x, y), (other_x, other_y)) = (size.coordinates(point), size.coordinates(other));
    let (dx, dy) = (x.abs_diff(other_x), y.abs_diff(other_y));
    match dx + dy + dx.max(dy) {
        0..=3 => factor,
        4..=5 => factor.powf(2.0 / 3.0),
        6..=7 => factor.powf(1.0 / 3.0),
        _ => 1.0,
    }
}

/// The weight of a point far from all stones: the lines at the edge are small.
fn lonely(factor: f64, size: BoardSize, point: Point) -> f64 {
    let (x, y) = size.coordinates(point);
    let line = x.min(y).min(size.width() - 1 - x).min(size.height() - 1 - y);
    match line {
        0 => factor,
        1 => factor.sqrt(),
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Color, Diagram, Komi, Move, Rules};

    fn check(diagram: &str, expected: &str) {
        let board = Diagram::parse(diagram).unwrap().board().clone();
        let position = Position::from_board(board, Color::Black, Rules::CHINESE, Komi::default());
        let policy = policy(&PlayoutParams::default(), &Patterns::new(), &position);
        let points = position.size().points().map(Move::Place);
        let weight = |mv: &Move| policy.weight(&position, *mv);
        let found = points.max_by(|a, b| weight(a).total_cmp(&weight(b))).unwrap();
        assert_eq!(position.size().move_text(found), expected);
    }

    #[test]
    fn captures_and_escapes_come_first() {
        // Two stones can be captured, and two saved.
        check(". . . . .\n. X X . .\nX O O . .\n. X X . .\n. . . . .", "D3");
        check(". . . . . .\n. . O O . .\n. O X X . .\n. . O O . .\n. . . . . .", "E3");
    }

    #[test]
    fn weights_by_hand() {
        let board = Diagram::parse(". . . . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .\nX . . . . . .")
            .unwrap()
            .board()
            .clone();
        let position = Position::from_board(board, Color::White, Rules::CHINESE, Komi::default());
        let params = PlayoutParams::default();
        let policy = policy(&params, &Patterns::new(), &position);
        let weight = |text| {
            let mv = position.size().parse_move(text).unwrap();
            f64::from(policy.weight(&position, mv))
        };
        assert!((weight("D4") - 1.0).abs() < 1e-6);
        assert!((weight("D7") - params.prior_edge).abs() < 1e-6);
        assert!((weight("D6") - params.prior_edge.sqrt()).abs() < 1e-6);
        assert!((weight("pass") - 0.1).abs() < 1e-6);
    }

    #[test]
    fn distances_by_hand() {
        let size = BoardSize::square(9).unwrap();
        let at = |text| size.parse_point(text).unwrap();
        let near = |text| near(8.0, size, at(text), Some(at("E5")));
        for (text, expected) in [("E6", 8.0), ("F6", 8.0), ("E7", 4.0), ("G6", 4.0), ("G7", 2.0)] {
            assert!((near(text) - expected).abs() < 1e-9, "{text}");
        }
        assert!((near("E8") - 2.0).abs() < 1e-9 && (near("A1") - 1.0).abs() < 1e-9);
    }
}
