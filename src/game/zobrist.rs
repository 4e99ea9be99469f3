//! Random numbers that are combined by exclusive or into the hash of a position (Zobrist 1970).
//!
//! They are computed at compile time from fixed seeds, so that a hash means the same on every
//! machine and in every run.

use super::color::Color;
use super::point::{BoardSize, Point};

/// One number for a stone of each colour on each cell.
static STONES: [[u64; BoardSize::MAX_CELLS]; 2] = [table(0x7ED0), table(0x3A21)];

/// Changes the hash when White is to move.
pub(super) const WHITE_TO_MOVE: u64 = mix(0x51DE);

/// The number of a stone on a point.
#[inline]
pub(super) fn stone(color: Color, point: Point) -> u64 {
    STONES[color.index()][point.index()]
}

/// The number of a point that is forbidden by the ko rule.
pub(super) fn ko(point: Point) -> u64 {
    mix(0xC0 << 32 | u64::from(point.number()))
}

/// A number for anything else that tells positions apart, such as rules and komi.
#[must_use]
pub(super) const fn feature(kind: u32, value: u32) -> u64 {
    mix((kind as u64) << 40 ^ (value as u64) ^ 0xFEA7 << 48)
}

/// The number of a board's size.
pub(super) const fn size(size: BoardSize) -> u64 {
    mix(0x517E << 48 | (size.width() as u64) << 8 | size.height() as u64)
}

const fn table(seed: u64) -> [u64; BoardSize::MAX_CELLS] {
    let mut numbers = [0; BoardSize::MAX_CELLS];
    let mut i = 0;
    while i < numbers.len() {
        numbers[i] = mix(seed << 16 | i as u64);
        i += 1;
    }
    numbers
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014), applied to its sequence at `index`.
const fn mix(index: u64) -> u64 {
    let mut z = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn all_numbers_differ() {
        let size = BoardSize::square(25).unwrap();
        let mut seen = HashSet::from([WHITE_TO_MOVE]);
        for color in Color::BOTH {
            for point in size.points() {
                assert!(seen.insert(stone(color, point)));
            }
        }
        for point in size.points() {
            assert!(seen.insert(ko(point)));
        }
        for kind in 0..8 {
            for value in 0..200 {
                assert!(seen.insert(feature(kind, value)));
            }
        }
    }
}
