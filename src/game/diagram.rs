//! Pictures of boards: read for tests and tools, drawn for people.

use std::fmt::{self, Write};

use super::board::Board;
use super::color::Color;
use super::handicap;
use super::point::{BoardSize, Move, Point, SizeError};
use super::position::Position;
use super::rules::Game;
use super::setup::SetupError;

/// Blanks that separate a row from the comment to its right.
const BEFORE_COMMENT: &str = "   ";

/// A board as it is drawn in a test: stones, and points with a mark on them.
///
/// ```
/// use tedomari::game::{Color, Diagram};
///
/// let diagram = Diagram::parse("
///     . X .    black at the star captures a stone
///     X O *
///     . X .").expect("the diagram is well formed");
/// let star = diagram.mark('*').expect("there is a star");
/// assert!(diagram.board().captures(Color::Black, star));
/// ```
#[derive(Clone)]
pub struct Diagram {
    board: Board,
    marks: Vec<(char, Point)>,
}

/// The text is no picture of a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiagramError {
    /// A row is longer or shorter than the first one.
    #[error("row {row} of the diagram has {found} points, the first one {expected}")]
    Ragged {
        /// The row, counted from 1 at the top.
        row: usize,
        /// Points in the first row.
        expected: usize,
        /// Points in this row.
        found: usize,
    },
    /// A character that is no point, stone or mark.
    #[error("'{0}' in a diagram is neither a point, a stone nor a mark")]
    Character(char),
    /// Too few or too many rows or columns.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The stones cannot stand together.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Diagram {
    /// Reads rows of `.` for an empty point, `X` for a black and `O` for a white stone, with or
    /// without blanks between them. Other letters, digits and `*` are empty points with a mark.
    /// What follows three or more blanks is a comment; empty lines count for nothing.
    pub fn parse(text: &str) -> Result<Self, DiagramError> {
        let rows: Vec<Vec<char>> = text.lines().map(row_of).filter(|row| !row.is_empty()).collect();
        let width = rows.first().map_or(0, Vec::len);
        let size = BoardSize::new(width, rows.len())?;
        let mut stones = Vec::new();
        let mut marks = Vec::new();
        for (y, row) in rows.iter().enumerate() {
            if row.len() != width {
                let (row, found) = (y + 1, row.len());
                return Err(DiagramError::Ragged { row, expected: width, found });
            }
            for (x, &c) in row.iter().enumerate() {
                let point = size.point_at(x, y);
                match c {
                    '.' => {}
                    'X' => stones.push((Color::Black, point)),
                    'O' => stones.push((Color::White, point)),
                    '*' => marks.push((c, point)),
                    _ if c.is_ascii_alphanumeric() => marks.push((c, point)),
                    _ => return Err(DiagramError::Character(c)),
                }
            }
        }
        Ok(Self { board: Board::with_stones(size, stones)?, marks })
    }

    /// The stones.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// All marks in reading order.
    #[must_use]
    pub fn marks(&self) -> &[(char, Point)] {
        &self.marks
    }

    /// The first point with this mark.
    #[must_use]
    pub fn mark(&self, mark: char) -> Option<Point> {
        self.points_marked(mark).next()
    }

    /// All points with this mark, in reading order.
    pub fn points_marked(&self, mark: char) -> impl Iterator<Item = Point> + '_ {
        self.marks.iter().filter(move |(c, _)| *c == mark).map(|&(_, point)| point)
    }
}

fn row_of(line: &str) -> Vec<char> {
    let line = line.trim();
    let row = line.split_once(BEFORE_COMMENT).map_or(line, |(row, _comment)| row);
    row.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Draws a position for a terminal, the last move in parentheses. No line is empty, since an empty
/// line ends a response of the Go Text Protocol, and the last one has no line end.
///
/// ```text
///    A B C D E
///  5 . . . . . 5
///  4 . X . . . 4
///  3 . . +(O). 3
///  2 . . . . . 2
///  1 . . . . . 1
///    A B C D E
/// To move: black
/// Last move: white D3
/// Captured: 0 by black, 0 by white
/// Komi: 7.5
/// Rules: tromp-taylor
/// ```
#[must_use]
pub fn render(position: &Position) -> String {
    let mut text = String::new();
    draw(position, &mut text).expect("invariant: writing to a string does not fail");
    text
}

fn draw(position: &Position, out: &mut String) -> fmt::Result {
    let size = position.size();
    let board = position.board();
    let stars = handicap::star_points(size);
    let last = position.last_moves().next();
    let last_point = last.and_then(|(_, mv)| mv.point());
    let mut columns = String::new();
    for x in 0..size.width() {
        // The first character of a vertex is the letter of its column.
        write!(columns, " {:.1}", size.vertex(size.point_at(x, 0)).to_string())?;
    }
    writeln!(out, "  {columns}")?;
    for y in 0..size.height() {
        let row = size.height() - y;
        write!(out, "{row:>2}")?;
        let mut before = None;
        for x in 0..size.width() {
            let point = size.point_at(x, y);
            let picture = match board.stone(point) {
                Some(Color::Black) => 'X',
                Some(Color::White) => 'O',
                None if stars.contains(&point) => '+',
                None => '.',
            };
            write!(out, "{}{picture}", gap(before, Some(point), last_point))?;
            before = Some(point);
        }
        writeln!(out, "{}{row}", gap(before, None, last_point))?;
    }
    writeln!(out, "  {columns}")?;
    describe(position, last, out)
}

/// What stands between two points of a row, or between the row and its number.
fn gap(left: Option<Point>, right: Option<Point>, last: Option<Point>) -> char {
    match last {
        Some(_) if right == last => '(',
        Some(_) if left == last => ')',
        _ => ' ',
    }
}

fn describe(position: &Position, last: Option<(Color, Move)>, out: &mut String) -> fmt::Result {
    let board = position.board();
    writeln!(out, "To move: {}", position.to_move())?;
    if let Some((color, mv)) = last {
        writeln!(out, "Last move: {color} {}", position.size().move_text(mv))?;
    }
    if position.rules().game == Game::Go {
        let [by_black, by_white] = Color::BOTH.map(|color| board.captured(color.opponent()));
        writeln!(out, "Captured: {by_black} by black, {by_white} by white")?;
        writeln!(out, "Komi: {}", position.komi())?;
    }
    write!(out, "Rules: {}", position.rules().name().unwrap_or("a set of their own"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::{Komi, Rules};

    fn check_error(text: &str, expected: &str) {
        let error = Diagram::parse(text).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn stones_marks_and_comments_are_read() {
        let diagram = Diagram::parse(
            "
            . X a .      the first row, with XO in the comment
            XO*.

            . . a O   x",
        )
        .unwrap();
        let size = diagram.board().size();
        assert_eq!((size.width(), size.height()), (4, 3));
        let at = |text| diagram.board().stone(size.parse_point(text).unwrap());
        assert_eq!(at("B3"), Some(Color::Black));
        assert_eq!(at("B2"), Some(Color::White));
        assert_eq!(at("D1"), Some(Color::White));
        assert_eq!(diagram.board().stones(Color::Black), 2);
        let marked = |mark| {
            diagram.points_marked(mark).map(|p| size.vertex(p).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(marked('a'), ["C3", "C1"]);
        assert_eq!(diagram.mark('*'), size.parse_point("C2").ok());
        assert_eq!(diagram.mark('x'), None);
        assert_eq!(diagram.marks().len(), 3);
    }

    #[test]
    fn malformed_diagrams_name_the_culprit() {
        check_error(". . .\n. .\n. . .", "row 2 of the diagram has 2 points, the first one 3");
        check_error(". ?\n. .", "'?' in a diagram is neither a point, a stone nor a mark");
        check_error("", "unacceptable size: 0x0, sides go from 2 to 25");
        check_error("O X\nX .", "a chain has no liberty once there is a stone at A1");
    }

    #[test]
    fn a_position_is_drawn_with_its_last_move() {
        let size = BoardSize::new(9, 5).unwrap();
        let mut position = Position::new(size, Rules::CHINESE, Komi::from_points(7.5).unwrap());
        for text in ["A1", "B1", "J5", "A2", "pass", "J4"] {
            let mv = size.parse_move(text).unwrap();
            position.play(position.to_move(), mv).unwrap();
        }
        let expected = "
   A B C D E F G H J
 5 . . . . . . . . X 5
 4 . . . . . . . .(O)4
 3 . . . . + . . . . 3
 2 O . . . . . . . . 2
 1 . O . . . . . . . 1
   A B C D E F G H J
To move: black
Last move: white J4
Captured: 0 by black, 1 by white
Komi: 7.5
Rules: chinese";
        assert_eq!(render(&position), expected[1..]);
    }

    #[test]
    fn no_line_is_empty_or_ends_in_a_blank() {
        for (w, h) in [(2, 2), (9, 9), (19, 19), (25, 25), (25, 2)] {
            let size = BoardSize::new(w, h).unwrap();
            let mut position = Position::new(size, Rules::NOGO, Komi::default());
            for corner in [size.point_at(w - 1, h - 1), size.point_at(0, 0)] {
                position.play(position.to_move(), Move::Place(corner)).unwrap();
                let text = render(&position);
                assert!(text.lines().all(|l| !l.is_empty() && l.trim_end() == l), "{text}");
                assert!(!text.ends_with('\n'));
            }
        }
        let mut position =
            Position::new(BoardSize::square(9).unwrap(), Rules::AGA, Komi::default());
        position.play(Color::Black, Move::Pass).unwrap();
        assert!(render(&position).contains("Last move: black pass"));
    }
}
