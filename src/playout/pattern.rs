//! 3x3 patterns around a point: hanes, cuts, and moves at the side (Gelly, Wang, Munos and Teytaud
//! 2006), as a table of bits for all 65536 neighbourhoods.

use crate::game::{Around, Color};

/// Which neighbourhoods make a move good, for each player.
pub(super) struct Patterns {
    /// Two bits for each neighbourhood, the first for Black, the second for White.
    good: Box<[u8]>,
}

/// A pattern by rows, seen with the edge below or not at all. `X` and `O` are the two colours, `x`
/// and `o` anything but that colour, `?` anything, `.` empty, `#` off the board, `*` the move.
struct Pattern {
    rows: [&'static str; 3],
    moves: Who,
}

/// Who plays a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Anybody,
    /// Only the player of `X`.
    X,
}

const fn pattern(rows: [&'static str; 3]) -> Pattern {
    Pattern { rows, moves: Who::Anybody }
}

/// Cuts that are none: the two stones are connected, or will be.
const NO_CUTS: [Pattern; 2] = [pattern(["XO?", "O*O", "?.?"]), pattern(["XO?", "O*.", "?O?"])];

/// Cuts, but for those above.
const CUT: Pattern = pattern(["XO?", "O*?", "???"]);

const GOOD: [Pattern; 10] = [
    // Hanes.
    pattern(["XOX", ".*.", "???"]),
    pattern(["XO.", ".*.", "?.?"]),
    pattern(["XO?", "X*.", "?.?"]),
    Pattern { rows: ["XOO", ".*.", "?.?"], moves: Who::X },
    // A cut between two stones.
    pattern(["?X?", "O*O", "xxx"]),
    // At the side.
    pattern(["X.?", "O*?", "###"]),
    pattern(["OX?", "X*O", "###"]),
    pattern(["?X?", "x*O", "###"]),
    pattern(["?XO", "x*x", "###"]),
    pattern(["?OX", "X*O", "###"]),
];

/// Where the fields of [`Around`] lie: columns to the right and rows below.
const FIELDS: [(i8, i8); 8] =
    [(0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];

impl Patterns {
    /// The table of all patterns.
    pub(super) fn new() -> Self {
        let mut table = Self { good: vec![0; 1 << 14].into_boxed_slice() };
        table.mark(&CUT, true);
        for pattern in &NO_CUTS {
            table.mark(pattern, false);
        }
        for pattern in &GOOD {
            table.mark(pattern, true);
        }
        table
    }

    /// Whether a move of `color` matches a pattern.
    #[inline]
    pub(super) fn matches(&self, color: Color, around: Around) -> bool {
        let (byte, shift) = place(around.code());
        self.good[byte] >> (shift + color.index()) & 1 == 1
    }

    /// Sets or clears the bits of a pattern in every orientation and with the colours both ways.
    fn mark(&mut self, pattern: &Pattern, good: bool) {
        for turn in 0..8u8 {
            for x_is in Color::BOTH {
                let bits = match pattern.moves {
                    Who::Anybody => 3,
                    Who::X => 1 << x_is.index(),
                };
                let fields = FIELDS.map(|at| codes(symbol(pattern, turned(at, turn)), x_is));
                self.mark_all(&fields, bits, good);
            }
        }
    }

    /// Sets or clears bits for all combinations of what the fields may hold.
    fn mark_all(&mut self, fields: &[&[u16]; 8], bits: u8, good: bool) {
        let count: usize = fields.iter().map(|codes| codes.len()).product();
        for mut number in 0..count {
            let mut code = 0;
            for (k, codes) in fields.iter().enumerate() {
                code |= codes[number % codes.len()] << (2 * k);
                number /= codes.len();
            }
            let (byte, shift) = place(code);
            let (entry, bits) = (&mut self.good[byte], bits << shift);
            *entry = if good { *entry | bits } else { *entry & !bits };
        }
    }
}

/// The byte of a neighbourhood, and where its bits begin in it.
#[inline]
const fn place(code: u16) -> (usize, usize) {
    (code as usize >> 2, 2 * (code as usize & 3))
}

/// One of the eight symmetries of the square.
const fn turned((x, y): (i8, i8), turn: u8) -> (i8, i8) {
    let (x, y) = if turn & 1 == 0 { (x, y) } else { (y, x) };
    (if turn & 2 == 0 { x } else { -x }, if turn & 4 == 0 { y } else { -y })
}

fn symbol(pattern: &Pattern, (x, y): (i8, i8)) -> u8 {
    let row = pattern.rows[usize::from((y + 1).unsigned_abs())].as_bytes();
    row[usize::from((x + 1).unsigned_abs())]
}

/// What a field may hold, as the numbers of [`Around`].
fn codes(symbol: u8, x_is: Color) -> &'static [u16] {
    let black = x_is == Color::Black;
    match symbol {
        b'.' => &[0],
        b'#' => &[3],
        b'?' => &[0, 1, 2, 3],
        b'X' if black => &[1],
        b'X' => &[2],
        b'O' if black => &[2],
        b'O' => &[1],
        b'x' if black => &[0, 2, 3],
        _ => &[0, 1, 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Diagram;

    /// Whether `color` finds a pattern at a point of a diagram.
    fn check(color: Color, diagram: &str, at: &str, expected: bool) {
        let diagram = Diagram::parse(diagram).unwrap();
        let board = diagram.board();
        let point = board.size().parse_point(at).unwrap();
        let found = Patterns::new().matches(color, board.around(point));
        assert_eq!(found, expected, "{color} at {at}");
    }

    #[test]
    fn hanes_cuts_and_sides_are_found_in_every_orientation() {
        let (black, white) = (Color::Black, Color::White);
        for color in Color::BOTH {
            check(color, ". X O X .\n. . . . .\n. . . . .\n. . . . .\n. . . . .", "C4", true);
            // The same, on its side and with the colours changed.
            check(color, ". . . . .\n. . . O .\n. . . X .\n. . . O .\n. . . . .", "C3", true);
            // A cutting point.
            check(color, ". X O .\n. O . .\n. . . .\n. . . .", "C3", true);
            // No cut: O is connected below already.
            check(color, ". X O .\n. O . O\n. . . .\n. . . .", "C3", false);
            // Nothing is there.
            check(color, ". . . .\n. . . .\n. . . .\n. . . .", "C3", false);
            // Chasing along the edge.
            check(color, ". . . .\n. . . .\n. X . .\n. O . .", "C1", true);
        }
        // A hane that is X's alone.
        let diagram = ". X O O .\n. . . . .\n. . . . .\n. . . . .\n. . . . .";
        check(black, diagram, "C4", true);
        check(white, diagram, "C4", false);
    }

    #[test]
    fn patterns_do_not_care_for_names_of_colours() {
        let table = Patterns::new();
        let swap = |code: u16| (code & 0x5555) << 1 | code >> 1 & 0x5555;
        let bit = |code: u16, color: Color| {
            let (byte, shift) = place(code);
            table.good[byte] >> (shift + color.index()) & 1
        };
        for code in 0..=u16::MAX {
            assert_eq!(bit(code, Color::Black), bit(swap(code), Color::White), "{code:x}");
        }
    }
}
