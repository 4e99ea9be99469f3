//! What stands on the eight points around a point, as one number.

use super::color::Color;

/// The eight neighbours of a point, two bits each: 0 empty, 1 black, 2 white, 3 off the board.
///
/// Off the board has the bits of both colours, so that "surrounded by black" is one comparison.
/// The four points on the same lines come first (above, left, right, below), then the diagonal
/// ones (above left, above right, below left, below right).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Around(pub(super) u16);

/// The low bits of the four points on the same lines.
const LINES: u16 = 0b0101_0101;
/// The low bits of the four diagonal points.
const DIAGONALS: u16 = LINES << 8;

impl Around {
    /// The eight fields as a number below 65536, for look-up tables of 3x3 patterns.
    #[must_use]
    pub const fn code(self) -> u16 {
        self.0
    }

    /// How many of the four points on the same lines are empty.
    #[inline]
    #[must_use]
    pub const fn liberties(self) -> usize {
        (!(self.0 | self.0 >> 1) & LINES).count_ones() as usize
    }

    /// How many of the eight points are empty.
    #[inline]
    #[must_use]
    pub const fn empty(self) -> usize {
        (!(self.0 | self.0 >> 1) & (LINES | DIAGONALS)).count_ones() as usize
    }

    /// Whether one of the four points on the same lines is empty.
    #[inline]
    #[must_use]
    pub const fn has_liberty(self) -> bool {
        (self.0 | self.0 >> 1) & LINES != LINES
    }

    /// Whether all that is around is empty or off the board.
    #[inline]
    #[must_use]
    pub const fn has_no_stone(self) -> bool {
        (self.0 ^ self.0 >> 1) & (LINES | DIAGONALS) == 0
    }

    /// Whether stones of `color` and the edge are all that is on the same lines.
    #[inline]
    #[must_use]
    pub const fn is_enclosed_by(self, color: Color) -> bool {
        self.bits_of(color) & LINES == LINES
    }

    /// Whether a stone of `color` is on one of the same lines.
    #[inline]
    #[must_use]
    pub const fn touches(self, color: Color) -> bool {
        self.bits_of(color) & !self.bits_of(color.opponent()) & LINES != 0
    }

    /// Whether the point looks like an eye of `color`, which playouts do not fill: enclosed, and
    /// the opponent has at most one of the diagonal points, none at the edge of the board.
    #[inline]
    #[must_use]
    pub const fn is_eye_of(self, color: Color) -> bool {
        if !self.is_enclosed_by(color) {
            return false;
        }
        let own = self.bits_of(color) & DIAGONALS;
        let other = self.bits_of(color.opponent()) & DIAGONALS;
        let off_board = (own & other != 0) as u32;
        (other & !own).count_ones() + off_board < 2
    }

    /// One low bit for every field that is `color` or off the board.
    #[inline]
    const fn bits_of(self, color: Color) -> u16 {
        match color {
            Color::Black => self.0 & (LINES | DIAGONALS),
            Color::White => self.0 >> 1 & (LINES | DIAGONALS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the eight fields in their order: `.` empty, `X` black, `O` white, `#` off the board.
    fn around(fields: &str) -> Around {
        let code = |c| match c {
            '.' => 0,
            'X' => 1,
            'O' => 2,
            _ => 3,
        };
        Around(fields.chars().enumerate().map(|(i, c)| code(c) << (2 * i)).sum())
    }

    #[test]
    fn liberties_and_enclosure() {
        assert!(around("XXX.XXXX").has_liberty());
        assert_eq!(around("XXX.XXXX").liberties(), 1);
        assert_eq!(around("#..OXX..").liberties(), 2);
        assert_eq!(around("#..OXX..").empty(), 4);
        assert_eq!(around("....####").liberties(), 4);
        assert!(!around("XXOO....").has_liberty());
        assert!(!around("##XO####").has_liberty());
        assert!(around("XXXXOOOO").is_enclosed_by(Color::Black));
        assert!(around("##XX##..").is_enclosed_by(Color::Black));
        assert!(!around("##XO##..").is_enclosed_by(Color::Black));
        assert!(around("##XO##..").touches(Color::White));
        assert!(!around("##X.##OO").touches(Color::White));
        assert!(around("........").has_no_stone() && around("##..###.").has_no_stone());
        assert!(!around("##..###X").has_no_stone() && !around("O.......").has_no_stone());
    }

    #[test]
    fn eyes_may_lose_one_diagonal_in_the_open_and_none_at_the_edge() {
        let cases = [
            ("XXXXXXXX", true),
            ("XXXX....", true),
            ("XXXXO...", true),
            ("XXXXOO..", false),
            ("X#XXX#X#", true),
            ("X#XXO#X#", false),
            ("##XX###.", true),
            ("##XX###O", false),
            ("XX.X....", false),
            ("XXOX....", false),
        ];
        for (fields, expected) in cases {
            assert_eq!(around(fields).is_eye_of(Color::Black), expected, "{fields}");
            let swapped: String = fields
                .chars()
                .map(|c| {
                    if c == 'X' {
                        'O'
                    } else if c == 'O' {
                        'X'
                    } else {
                        c
                    }
                })
                .collect();
            assert_eq!(around(&swapped).is_eye_of(Color::White), expected, "{swapped}");
        }
    }
}
