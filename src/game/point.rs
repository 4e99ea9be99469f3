//! Board sizes, the points of a board, and moves.

use std::fmt;

/// The letters of the columns: GTP leaves out `I`.
const COLUMNS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Width and height of a board, each from 2 to 25.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardSize {
    width: u8,
    height: u8,
}

/// The board would be smaller than 2x2 or larger than 25x25.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unacceptable size: {width}x{height}, sides go from {} to {}",
    BoardSize::MIN,
    BoardSize::MAX
)]
pub struct SizeError {
    /// The width that was asked for.
    pub width: usize,
    /// The height that was asked for.
    pub height: usize,
}

impl BoardSize {
    /// The shortest side.
    pub const MIN: usize = 2;
    /// The longest side.
    pub const MAX: usize = 25;
    /// Cells of the largest board with its border, see [`BoardSize::cells`].
    pub(super) const MAX_CELLS: usize = (Self::MAX + 2) * (Self::MAX + 1) + 1;

    /// A board of `width` columns and `height` rows.
    pub fn new(width: usize, height: usize) -> Result<Self, SizeError> {
        let allowed = Self::MIN..=Self::MAX;
        match (u8::try_from(width), u8::try_from(height)) {
            (Ok(w), Ok(h)) if allowed.contains(&width) && allowed.contains(&height) => {
                Ok(Self { width: w, height: h })
            }
            _ => Err(SizeError { width, height }),
        }
    }

    /// A board with sides of equal length.
    pub fn square(side: usize) -> Result<Self, SizeError> {
        Self::new(side, side)
    }

    /// Number of columns.
    #[must_use]
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// Number of rows.
    #[must_use]
    pub const fn height(self) -> usize {
        self.height as usize
    }

    /// Number of points.
    #[must_use]
    pub const fn area(self) -> usize {
        self.width() * self.height()
    }

    /// Whether width and height are the same.
    #[must_use]
    pub const fn is_square(self) -> bool {
        self.width == self.height
    }

    /// Distance in cells from a point to the one below it. A row holds one border cell and `width` points.
    pub(super) const fn stride(self) -> usize {
        self.width() + 1
    }

    /// Cells of the board with its border: a row above, a row below, and one column that serves as
    /// the right border of a row and the left border of the next. The numbers of stones' moves
    /// ([`Move::code`]) are below it.
    #[must_use]
    pub const fn cells(self) -> usize {
        (self.height() + 2) * self.stride() + 1
    }

    /// The point in column `x` from the left and row `y` from the top, both from 0.
    #[must_use]
    pub const fn point(self, x: usize, y: usize) -> Option<Point> {
        if x < self.width() && y < self.height() { Some(self.point_at(x, y)) } else { None }
    }

    /// [`BoardSize::point`] for coordinates that are known to be on the board.
    #[expect(clippy::cast_possible_truncation, reason = "the largest index is 702")]
    pub(super) const fn point_at(self, x: usize, y: usize) -> Point {
        debug_assert!(x < self.width() && y < self.height());
        Point(((y + 1) * self.stride() + x + 1) as u16)
    }

    /// Column from the left and row from the top of a point of this board, both from 0.
    #[must_use]
    pub const fn coordinates(self, point: Point) -> (usize, usize) {
        (point.index() % self.stride() - 1, point.index() / self.stride() - 1)
    }

    /// The place of a point when the board is read row by row from the top left, from 0.
    #[must_use]
    pub const fn offset(self, point: Point) -> usize {
        let (x, y) = self.coordinates(point);
        y * self.width() + x
    }

    /// The point at an offset, see [`BoardSize::offset`].
    #[must_use]
    pub const fn point_at_offset(self, offset: usize) -> Option<Point> {
        self.point(offset % self.width(), offset / self.width())
    }

    /// All points, row by row from the top left.
    #[must_use]
    pub fn points(self) -> impl ExactSizeIterator<Item = Point> + Clone {
        Points { next: self.point_at(0, 0), column: 0, width: self.width, left: self.area() }
    }

    /// The up to four points that share a line with `point`.
    pub fn neighbors(self, point: Point) -> impl Iterator<Item = Point> {
        let (x, y) = self.coordinates(point);
        let above = y.checked_sub(1).map(|y| (x, y));
        let left = x.checked_sub(1).map(|x| (x, y));
        [above, left, Some((x + 1, y)), Some((x, y + 1))]
            .into_iter()
            .flatten()
            .filter_map(move |(x, y)| self.point(x, y))
    }

    /// How `point` is written in GTP: a letter for the column, and the row counted from below.
    #[must_use]
    pub const fn vertex(self, point: Point) -> Vertex {
        let (x, y) = self.coordinates(point);
        Vertex { column: COLUMNS[x] as char, row: self.height() - y }
    }

    /// How `mv` is written in GTP.
    #[must_use]
    pub fn move_text(self, mv: Move) -> String {
        match mv {
            Move::Place(point) => self.vertex(point).to_string(),
            Move::Pass => "pass".to_owned(),
        }
    }

    /// Reads a vertex such as `D4` or `pass`, in any case.
    pub fn parse_move(self, text: &str) -> Result<Move, VertexError> {
        if text.eq_ignore_ascii_case("pass") {
            return Ok(Move::Pass);
        }
        self.parse_point(text).map(Move::Place)
    }

    /// Reads a vertex such as `D4`, in any case.
    pub fn parse_point(self, text: &str) -> Result<Point, VertexError> {
        let malformed = || VertexError::Malformed(text.to_owned());
        let letter = text.bytes().next().ok_or_else(malformed)?.to_ascii_uppercase();
        let digits = text.get(1..).ok_or_else(malformed)?;
        if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(malformed());
        }
        let row: usize = digits.parse().map_err(|_| malformed())?;
        let x = COLUMNS.iter().position(|&c| c == letter).ok_or_else(malformed)?;
        let y = self.height().checked_sub(row);
        y.and_then(|y| self.point(x, y))
            .ok_or_else(|| VertexError::OffBoard { vertex: text.to_ascii_uppercase(), size: self })
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A point of the board, valid for boards of the width it was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u16);

impl Point {
    /// Index into the cells of a board with its border.
    #[must_use]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The cell at a distance from this one. The caller stays inside the border.
    #[expect(clippy::cast_possible_truncation, reason = "indices of cells are below 703")]
    #[expect(clippy::cast_sign_loss, reason = "the caller stays inside the border")]
    pub(super) const fn shifted(self, distance: i32) -> Point {
        Point((self.0 as i32 + distance) as u16)
    }

    /// The index as the number that chain statistics add up.
    pub(super) const fn number(self) -> u32 {
        self.0 as u32
    }

    /// The cell with this number, see [`Point::number`].
    #[expect(clippy::cast_possible_truncation, reason = "indices of cells are below 703")]
    pub(super) const fn from_number(number: u32) -> Point {
        Point(number as u16)
    }
}

/// The points of a board from the top left on. Counting on is several times as fast as dividing.
#[derive(Clone, Debug)]
struct Points {
    next: Point,
    column: u8,
    width: u8,
    left: usize,
}

impl Iterator for Points {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        self.left = self.left.checked_sub(1)?;
        let point = self.next;
        self.column += 1;
        if self.column == self.width {
            self.column = 0;
            // The border between two rows.
            self.next = point.shifted(2);
        } else {
            self.next = point.shifted(1);
        }
        Some(point)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Points {}

/// How a point is written in GTP, such as `D4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vertex {
    column: char,
    row: usize,
}

impl fmt::Display for Vertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.column, self.row)
    }
}

/// The text is no point of the board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VertexError {
    /// Not a letter followed by a number.
    #[error("'{0}' is not a vertex: write a letter (without I) and a number, such as D4, or pass")]
    Malformed(String),
    /// A point of a larger board.
    #[error("{vertex} is not on the {size} board")]
    OffBoard {
        /// The text, in upper case.
        vertex: String,
        /// The board it is not on.
        size: BoardSize,
    },
}

/// What a player can do on a turn. Resigning ends a game without being a move on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Put a stone on a point.
    Place(Point),
    /// Leave the board as it is.
    Pass,
}

impl Move {
    /// A number for the move, to be turned back by [`Move::from_code`].
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Move::Place(point) => point.0,
            Move::Pass => u16::MAX,
        }
    }

    /// The move with a number that [`Move::code`] has given.
    #[must_use]
    pub const fn from_code(code: u16) -> Self {
        if code == u16::MAX { Move::Pass } else { Move::Place(Point(code)) }
    }

    /// The point of a stone, none for a pass.
    #[must_use]
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Place(point) => Some(point),
            Move::Pass => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: usize, height: usize) -> BoardSize {
        BoardSize::new(width, height).unwrap()
    }

    #[test]
    fn sizes_outside_the_range_are_refused() {
        for (w, h) in [(1, 9), (9, 1), (26, 9), (9, 26), (0, 0), (300, 300)] {
            assert!(BoardSize::new(w, h).is_err(), "{w}x{h}");
        }
        assert!(BoardSize::new(2, 25).is_ok());
    }

    #[test]
    fn vertices_are_read_and_written() {
        let board = size(19, 19);
        for text in ["A1", "H8", "J9", "T19", "D4", "Q16"] {
            let point = board.parse_point(text).unwrap();
            assert_eq!(board.vertex(point).to_string(), text);
            assert_eq!(board.parse_point(&text.to_lowercase()), Ok(point));
        }
        assert_eq!(board.parse_move("PASS"), Ok(Move::Pass));
        for text in ["", "I5", "A", "4", "A0", "A20", "U1", "A1x", "D+4", "D-4", "é4", "A99999"] {
            assert!(board.parse_move(text).is_err(), "{text}");
        }
        // Row 1 is the last row, and the top left corner of a 9x9 board is A9.
        assert_eq!(size(9, 9).parse_point("A9").map(|p| size(9, 9).offset(p)), Ok(0));
    }

    #[test]
    fn offsets_number_the_points_in_reading_order() {
        for board in [size(2, 2), size(7, 5), size(25, 25), size(2, 25)] {
            let points: Vec<_> = board.points().collect();
            assert_eq!(points.len(), board.area());
            for (i, &point) in points.iter().enumerate() {
                assert_eq!(board.offset(point), i);
                assert_eq!(board.point_at_offset(i), Some(point));
                assert!(point.index() < board.cells());
            }
            assert!(board.cells() <= BoardSize::MAX_CELLS);
        }
    }

    #[test]
    fn neighbors_stay_on_the_board() {
        let board = size(3, 2);
        let names = |text: &str| {
            let point = board.parse_point(text).unwrap();
            board.neighbors(point).map(|p| board.vertex(p).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names("A2"), ["B2", "A1"]);
        assert_eq!(names("B1"), ["B2", "A1", "C1"]);
    }
}
