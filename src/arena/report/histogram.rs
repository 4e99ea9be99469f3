//! Classes of numbers for the charts.

use serde::Serialize;

/// Classes of whole numbers, and how many fell in each.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Histogram {
    /// Where each class begins.
    pub starts: Vec<u64>,
    /// The number behind the last class.
    pub end: u64,
    /// How many fell in each class, for each series.
    pub counts: Vec<Vec<u64>>,
}

impl Histogram {
    /// Sorts series of numbers into at most `classes` classes: of one width that is 1, 2 or 5 times
    /// a power of ten, or of doubling widths where the largest is more than fifty times the
    /// smallest.
    #[must_use]
    pub fn new(series: &[Vec<u64>], classes: u64) -> Self {
        let all = || series.iter().flatten().copied();
        let (Some(least), Some(most)) = (all().min(), all().max()) else {
            return Self { counts: vec![Vec::new(); series.len()], ..Self::default() };
        };
        let edges = if most / 50 > least.max(1) {
            doubling(least, most)
        } else {
            even(least, most, classes)
        };
        let (end, starts) = edges.split_last().map_or((0, &[][..]), |(end, starts)| (*end, starts));
        let count = |numbers: &Vec<u64>| {
            let mut counts = vec![0; starts.len()];
            for number in numbers {
                let class = starts.partition_point(|start| start <= number);
                if let Some(count) = class.checked_sub(1).and_then(|class| counts.get_mut(class)) {
                    *count += 1;
                }
            }
            counts
        };
        Self { starts: starts.to_vec(), end, counts: series.iter().map(count).collect() }
    }

    /// What a class holds, in words: `20–39`, or `7`.
    #[must_use]
    pub fn label(&self, class: usize) -> String {
        let start = self.starts.get(class).copied().unwrap_or(self.end);
        let next = self.starts.get(class + 1).copied().unwrap_or(self.end);
        if next <= start + 1 { start.to_string() } else { format!("{start}–{}", next - 1) }
    }
}

/// The smallest width of 1, 2, 5, 10, 20, … that needs at most `classes` classes.
pub(super) fn round_width(least: u64, most: u64, classes: u64) -> u64 {
    let mut width = 1u64;
    for factor in [2, 5, 10].into_iter().cycle() {
        if most / width - least / width < classes.max(1) {
            break;
        }
        let ten = if factor == 2 {
            width
        } else if factor == 5 {
            width / 2
        } else {
            width / 5
        };
        match ten.checked_mul(factor) {
            Some(wider) => width = wider,
            None => break,
        }
    }
    width
}

fn even(least: u64, most: u64, classes: u64) -> Vec<u64> {
    let width = round_width(least, most, classes);
    let first = least / width;
    let count = most / width - first + 1;
    (0..=count).map(|class| (first + class).saturating_mul(width)).collect()
}

fn doubling(least: u64, most: u64) -> Vec<u64> {
    let mut edges = vec![if least == 0 { 0 } else { 1 << least.ilog2() }];
    let mut edge = edges[0].max(1);
    if edges[0] == 0 {
        edges.push(1);
    }
    while edge <= most && edge < u64::MAX / 2 {
        edge *= 2;
        edges.push(edge);
    }
    edges
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn classes_by_hand() {
        let lengths = Histogram::new(&[vec![41, 59, 60, 99]], 6);
        assert_eq!(lengths.starts, [40, 50, 60, 70, 80, 90]);
        assert_eq!(lengths.counts, [[1, 1, 1, 0, 0, 1]]);
        assert_eq!((lengths.end, lengths.label(0).as_str()), (100, "40–49"));
        let same = Histogram::new(&[vec![400; 3], vec![]], 12);
        assert_eq!((same.starts.as_slice(), same.end), ([400].as_slice(), 401));
        assert_eq!(same.label(0), "400");
        assert_eq!(same.counts, [[3], [0]]);
        let wide = Histogram::new(&[vec![0, 1, 3, 1000]], 12);
        assert_eq!(wide.starts, [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
        assert_eq!(wide.counts[0], [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(Histogram::new(&[vec![]], 9).counts, [Vec::<u64>::new()]);
        assert_eq!(round_width(0, 100, 11), 10);
        assert_eq!(round_width(0, 100, 10), 20);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(numbers in prop::collection::vec(0..u64::MAX / 8, 1..40)) {
            let count = numbers.len() as u64;
            let histogram = Histogram::new(&[numbers], 20);
            prop_assert_eq!(histogram.counts[0].iter().sum::<u64>(), count);
            prop_assert!(histogram.starts.len() <= 65);
            prop_assert!(histogram.starts.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
