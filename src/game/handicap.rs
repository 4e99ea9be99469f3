//! Star points, and where handicap stones go.

use super::point::{BoardSize, Point};

/// The most stones that [`fixed`] places on boards of a size; 0 where there are no fixed places.
///
/// The Go Text Protocol (version 2 draft 2, section 4.1.1) has none on boards smaller than 7x7,
/// up to four on 7x7 and on boards with sides of even length, and up to nine on all others. It
/// speaks of square boards; on rectangles we place no fixed handicap.
#[must_use]
pub fn max_fixed(size: BoardSize) -> usize {
    match size.width() {
        _ if !size.is_square() => 0,
        ..7 => 0,
        length if has_no_middle(length) => 4,
        _ => 9,
    }
}

/// The places of a handicap of `stones` by the Go Text Protocol, none where it has no such handicap.
///
/// Corner stones stand on the fourth line of boards from 13x13 on, on the third of smaller ones.
#[must_use]
pub fn fixed(size: BoardSize, stones: usize) -> Option<Vec<Point>> {
    if stones < 2 || stones > max_fixed(size) {
        return None;
    }
    let (low, middle) = (line(size.width()), size.width() / 2);
    let high = size.width() - 1 - low;
    // Column from the left and row from the top: the bottom left corner comes first.
    let corners = [(low, high), (high, low), (low, low), (high, high)];
    let sides = [(low, middle), (high, middle), (middle, high), (middle, low)];
    let mut places = corners[..stones.min(4)].to_vec();
    if stones >= 6 {
        places.extend(&sides[..if stones >= 8 { 4 } else { 2 }]);
    }
    if stones >= 5 && stones % 2 == 1 {
        places.push((middle, middle));
    }
    Some(places.into_iter().map(|(x, y)| size.point_at(x, y)).collect())
}

/// Places for a handicap of any number of stones, the same at every call.
///
/// As many as possible are the fixed ones. Each further stone goes to the point farthest from all
/// stones so far, the edge being half as far as a stone would be: the stones spread over
/// the board, and never to its edge while there is room. At most one point fewer than the board
/// has is taken, as the Go Text Protocol demands (section 4.1.2): a full board would have no liberty.
#[must_use]
pub fn free(size: BoardSize, stones: usize) -> Vec<Point> {
    let stones = stones.min(size.area() - 1);
    let start = stones.min(max_fixed(size));
    let mut places = fixed(size, start).unwrap_or_default();
    while places.len() < stones {
        let best = size
            .points()
            .filter(|p| !places.contains(p))
            .max_by_key(|&p| (room(size, p, &places), std::cmp::Reverse(size.offset(p))));
        places.extend(best);
    }
    places
}

/// The points that are marked on the board: those of the corners, and of the middle where a side
/// of odd length has one.
#[must_use]
pub fn star_points(size: BoardSize) -> Vec<Point> {
    let columns = star_lines(size.width());
    let rows = star_lines(size.height());
    let is_middle = |line: usize, side: usize| line == side / 2 && side % 2 == 1;
    let mut points = Vec::new();
    for &y in &rows {
        for &x in &columns {
            let middles =
                usize::from(is_middle(x, size.width())) + usize::from(is_middle(y, size.height()));
            // Stars in the middle of a side would crowd a small board.
            let crowded = middles == 1 && size.width().min(size.height()) < 15;
            if !crowded {
                points.push(size.point_at(x, y));
            }
        }
    }
    points
}

/// Distance of the corner stars from the edge, as an index from 0.
const fn line(side: usize) -> usize {
    if side >= 13 { 3 } else { 2 }
}

/// Whether there is no line in the middle, or one too near to the others for stars on it.
const fn has_no_middle(side: usize) -> bool {
    side == 7 || side.is_multiple_of(2)
}

/// The rows or columns that have stars on them.
fn star_lines(side: usize) -> Vec<usize> {
    let low = line(side);
    match side {
        ..5 => Vec::new(),
        5 => vec![2],
        _ if has_no_middle(side) => vec![low, side - 1 - low],
        _ => vec![low, side / 2, side - 1 - low],
    }
}

/// How far a point is from the nearest stone and from the edge: squares of twice the distance.
fn room(size: BoardSize, point: Point, stones: &[Point]) -> usize {
    let (x, y) = size.coordinates(point);
    let edge = x.min(y).min(size.width() - 1 - x).min(size.height() - 1 - y);
    let nearest = stones.iter().map(|&stone| {
        let (a, b) = size.coordinates(stone);
        x.abs_diff(a).pow(2) + y.abs_diff(b).pow(2)
    });
    let edge_as_stone = (2 * (edge + 1)).pow(2);
    nearest.min().unwrap_or(edge_as_stone).min(edge_as_stone)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn check_fixed(length: usize, stones: usize, expected: &str) {
        let size = BoardSize::square(length).unwrap();
        let places = fixed(size, stones).unwrap_or_default();
        let text: Vec<_> = places.iter().map(|&p| size.vertex(p).to_string()).collect();
        assert_eq!(text.join(" "), expected, "{stones} stones on {size}");
    }

    #[test]
    fn fixed_places_are_those_of_the_protocol() {
        check_fixed(19, 2, "D4 Q16");
        check_fixed(19, 3, "D4 Q16 D16");
        check_fixed(19, 4, "D4 Q16 D16 Q4");
        check_fixed(19, 5, "D4 Q16 D16 Q4 K10");
        check_fixed(19, 6, "D4 Q16 D16 Q4 D10 Q10");
        check_fixed(19, 7, "D4 Q16 D16 Q4 D10 Q10 K10");
        check_fixed(19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16");
        check_fixed(19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10");
        check_fixed(13, 5, "D4 K10 D10 K4 G7");
        check_fixed(11, 3, "C3 J9 C9");
        check_fixed(9, 9, "C3 G7 C7 G3 C5 G5 E3 E7 E5");
        check_fixed(7, 4, "C3 E5 C5 E3");
        check_fixed(12, 4, "C3 K10 C10 K3");
    }

    #[test]
    fn there_is_no_fixed_place_where_the_protocol_has_none() {
        for (side, stones) in [(19, 0), (19, 1), (19, 10), (7, 5), (18, 5), (6, 2), (5, 2)] {
            check_fixed(side, stones, "");
        }
        assert_eq!(max_fixed(BoardSize::new(19, 13).unwrap()), 0);
    }

    #[test]
    fn free_places_differ_and_keep_off_the_edge_while_there_is_room() {
        for (w, h) in [(2, 2), (5, 5), (9, 9), (19, 19), (13, 7), (25, 25)] {
            let size = BoardSize::new(w, h).unwrap();
            for stones in [0, 1, 2, 3, 5, 9, 10, 17, 30, 1000] {
                let places = free(size, stones);
                assert_eq!(places.len(), stones.min(size.area() - 1));
                assert_eq!(places.iter().collect::<HashSet<_>>().len(), places.len());
                assert_eq!(places, free(size, stones));
            }
        }
        let size = BoardSize::square(19).unwrap();
        for point in free(size, 25) {
            let (x, y) = size.coordinates(point);
            assert!((1..18).contains(&x) && (1..18).contains(&y), "{}", size.vertex(point));
        }
        assert_eq!(free(size, 9), fixed(size, 9).unwrap());
    }

    #[test]
    fn stars_are_where_people_paint_them() {
        let count = |w, h| star_points(BoardSize::new(w, h).unwrap()).len();
        assert_eq!([count(19, 19), count(13, 13), count(9, 9), count(7, 7)], [9, 5, 5, 4]);
        assert_eq!([count(5, 5), count(4, 4), count(8, 8), count(19, 9)], [1, 0, 4, 5]);
    }
}
