//! A set of points as bits.

use super::point::{BoardSize, Point};

const WORDS: usize = BoardSize::MAX_CELLS.div_ceil(64);

/// A set of points of one board, held in place (88 bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PointSet {
    words: [u64; WORDS],
}

impl PointSet {
    /// A set with nothing in it.
    #[must_use]
    pub const fn new() -> Self {
        Self { words: [0; WORDS] }
    }

    /// Points of a word.
    pub(super) const WORD: usize = u64::BITS as usize;

    /// Says which of so many points, from `index * WORD` on, are in the set.
    pub(super) const fn set_word(&mut self, index: usize, bits: u64) {
        self.words[index] = bits;
    }

    /// Adds a point; says whether it was new.
    pub fn insert(&mut self, point: Point) -> bool {
        let (word, bit) = place(point);
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes a point out.
    pub fn remove(&mut self, point: Point) {
        let (word, bit) = place(point);
        self.words[word] &= !bit;
    }

    /// Whether the point is in the set.
    #[must_use]
    pub fn contains(&self, point: Point) -> bool {
        let (word, bit) = place(point);
        self.words[word] & bit != 0
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is no point in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The points of this set that are not in the other.
    #[must_use]
    pub(super) fn without(mut self, other: &Self) -> Self {
        for (word, other) in self.words.iter_mut().zip(other.words) {
            *word &= !other;
        }
        self
    }

    /// Adds all points of `open` that can be reached along the lines of a board of this size, over points of
    /// `open` alone. The border between rows must not be among them.
    pub(super) fn flood(&mut self, open: &Self, size: BoardSize) {
        let used = size.cells().div_ceil(64);
        let (words, open) = (&mut self.words[..used], &open.words[..used]);
        let stride = size.stride();
        loop {
            let mut grown = 0;
            let mut above = 0;
            for index in 0..used {
                let here = words[index];
                let below = words.get(index + 1).copied().unwrap_or(0);
                let left = here << 1 | above >> 63;
                let right = here >> 1 | below << 63;
                let up = here << stride | above >> (64 - stride);
                let down = here >> stride | below << (64 - stride);
                let new = (left | right | up | down) & open[index] & !here;
                words[index] |= new;
                grown |= new;
                above = here | new;
            }
            if grown == 0 {
                return;
            }
        }
    }

    /// The points in reading order.
    pub fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        self.words.iter().zip(0u32..).flat_map(|(&word, i)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(Point::from_number(i * 64 + bit))
            })
        })
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        let mut set = Self::new();
        set.extend(points);
        set
    }
}

impl Extend<Point> for PointSet {
    fn extend<I: IntoIterator<Item = Point>>(&mut self, points: I) {
        for point in points {
            self.insert(point);
        }
    }
}

fn place(point: Point) -> (usize, u64) {
    (point.index() / 64, 1 << (point.index() % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let size = BoardSize::square(25).unwrap();
        let every_third: Vec<_> = size.points().step_by(3).collect();
        let mut set: PointSet = every_third.iter().copied().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), every_third);
        assert_eq!(set.len(), every_third.len());
        assert!(!set.insert(every_third[4]));
        set.remove(every_third[4]);
        assert!(!set.contains(every_third[4]) && set.contains(every_third[5]));
        assert!(PointSet::new().is_empty() && !set.is_empty());
    }
}
