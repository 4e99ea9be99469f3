//! The vital point of a small space.

use crate::game::{Around, Board, Color, Point};

/// Points of the largest space that one stone decides: a rabbity six.
const LARGEST: usize = 6;

/// The point that makes two eyes of a small space beside `near`, or prevents them. All stones around
/// the space are of one colour.
pub(super) fn vital_point(board: &Board, near: Point) -> Option<Point> {
    let mut spaces = board.lines(near).into_iter().filter(|&p| board.is_empty(p));
    spaces.find_map(|start| vital_point_of(board, start))
}

/// Whether the empty points around one are so many that its space has more than six: where three of the
/// four on the same lines are empty, every diagonal one is beside one of them.
fn is_large(around: Around) -> bool {
    around.liberties() >= 3 && around.empty() >= LARGEST
}

/// The vital point of the space that a point belongs to.
fn vital_point_of(board: &Board, start: Point) -> Option<Point> {
    let mut space = [start; LARGEST];
    let (mut count, mut done) = (1, 0);
    let mut owned = [false; 2];
    // The most neighbours that a point of the space has in it, that point, and all neighbours.
    let (mut most, mut vital, mut sum) = (0, start, 0);
    while done < count {
        let point = space[done];
        done += 1;
        let around = board.around(point);
        for color in Color::BOTH {
            owned[color.index()] |= around.touches(color);
        }
        if owned == [true, true] || is_large(around) {
            return None;
        }
        let degree = around.liberties();
        sum += degree;
        if degree > most {
            (most, vital) = (degree, point);
        }
        if degree == 0 {
            continue;
        }
        for p in board.lines(point) {
            if board.is_empty(p) && !space[..count].contains(&p) {
                if count == LARGEST {
                    return None;
                }
                space[count] = p;
                count += 1;
            }
        }
    }
    let has_owner = owned != [false, false];
    let decides = match (count, most, sum) {
        // Three in a row or round a corner; a pyramid; a cross.
        (3, 2, _) | (4, 3, _) | (5, 4, _)
        // A bulky five has a circle, as other fives with such a point have not; a rabbity six, too.
        | (5, 3, 10) | (6, 4, 12) => true,
        _ => false,
    };
    (decides && has_owner).then_some(vital)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Diagram;

    /// The vital point of a space beside a stone, if there is one.
    fn check(near: &str, expected: Option<&str>, diagram: &str) {
        let diagram = Diagram::parse(diagram).unwrap();
        let board = diagram.board();
        let size = board.size();
        let found = vital_point(board, size.parse_point(near).unwrap());
        assert_eq!(found.map(|p| size.vertex(p).to_string()).as_deref(), expected);
    }

    #[test]
    fn vital_points_of_small_spaces() {
        // Three in a row.
        check("D1", Some("B1"), "X X X X\n. . . X");
        // Four in a row have none.
        check("E1", None, "X X X X X\n. . . . X");
        // A pyramid, and a square.
        check("D1", Some("B1"), "X X X X\nX . X X\n. . . X");
        check("C1", None, "X X X\n. . X\n. . X");
        // A bulky five, and five without a circle.
        check("D2", Some("B2"), "X X X X\n. . . X\n. . X X");
        check("E1", None, "X X X X X\nX . X X X\n. . . . X");
        // A cross, and a rabbity six.
        check("D2", Some("B2"), "X X X X\nX . X X\n. . . X\nX . X X");
        check("D2", Some("B2"), "X X X X\nX . X X\n. . . X\n. . X X");
        // Two colours around.
        check("D1", None, "X X O X\n. . . X");
        // Too large.
        check("E1", None, "X X X X X\n. . . . X\n. . . . X");
    }
}
