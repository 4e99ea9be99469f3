//! How far evaluations differ about owners.

use super::Ownership;
use crate::game::{BoardSize, Color, Point};

/// The mean owner of each point over evaluations, and their standard deviation.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnerSpread {
    size: BoardSize,
    samples: u64,
    /// For Black in reading order: the sums of the owners and of their squares.
    sums: Vec<(f64, f64)>,
}

impl OwnerSpread {
    /// Nothing known yet.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        Self { size, samples: 0, sums: vec![(0.0, 0.0); size.area()] }
    }

    /// Adds an evaluation, which counts for as many as it is the mean of.
    pub fn add(&mut self, owners: &Ownership) {
        let samples = f64::from(owners.samples());
        for ((sum, squares), &more) in self.sums.iter_mut().zip(owners.sums()) {
            let more = f64::from(more);
            *sum += more;
            *squares += more * more / samples.max(1.0);
        }
        self.samples += u64::from(owners.samples());
    }

    /// Adds what another has found.
    pub fn merge(&mut self, other: &Self) {
        for ((sum, squares), more) in self.sums.iter_mut().zip(&other.sums) {
            *sum += more.0;
            *squares += more.1;
        }
        self.samples += other.samples;
    }

    /// The board.
    #[must_use]
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// How many evaluations this is made of.
    #[must_use]
    pub const fn samples(&self) -> u64 {
        self.samples
    }

    /// The mean owner, from -1 (always the opponent's) to 1 (always `color`'s); 0 where nothing is known.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "an owner needs no more digits")]
    pub fn mean(&self, color: Color, point: Point) -> f32 {
        let black = (self.sums[self.size.offset(point)].0 / self.count()) as f32;
        match color {
            Color::Black => black,
            Color::White => -black,
        }
    }

    /// The standard deviation of the owner.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "an owner needs no more digits")]
    pub fn deviation(&self, point: Point) -> f32 {
        let (sum, squares) = self.sums[self.size.offset(point)];
        let mean = sum / self.count();
        (squares / self.count() - mean * mean).max(0.0).sqrt() as f32
    }

    fn count(&self) -> f64 {
        self.samples.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_by_hand() {
        let size = BoardSize::square(2).unwrap();
        let one = |first: f32| Ownership::of_black(size, vec![first, 0.5, 0.0, 0.0]);
        let (mut part, mut rest) = (OwnerSpread::new(size), OwnerSpread::new(size));
        part.add(&one(1.0));
        part.add(&one(0.5));
        rest.add(&one(-0.5));
        rest.add(&one(0.0));
        part.merge(&rest);
        let [first, second, ..] = size.points().collect::<Vec<_>>()[..] else { unreachable!() };
        assert_eq!(part.samples(), 4);
        assert!((part.mean(Color::Black, first) - 0.25).abs() < 1e-6);
        assert!((part.mean(Color::White, first) + 0.25).abs() < 1e-6);
        // (1 + 1/4 + 1/4 + 0) / 4 - 1/16.
        assert!((part.deviation(first) - 0.3125f32.sqrt()).abs() < 1e-6);
        assert!(part.deviation(second) < 1e-6);
    }
}
