//! Random choices of playouts, cheap enough for every move.

use rand::Rng as _;

use crate::util::Rng;

/// A probability, compared with 32 random bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chance(u32);

impl Chance {
    /// A probability from 0 to 1. One that is certain fails once in four billion times.
    #[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
    #[expect(clippy::cast_sign_loss, reason = "probabilities are not negative")]
    pub(super) fn of(probability: f64) -> Self {
        Self((probability * f64::from(u32::MAX)) as u32)
    }

    /// Whether it happens this time.
    #[inline]
    pub(super) fn happens(self, rng: &mut Rng) -> bool {
        self.0 > 0 && rng.next_u32() < self.0
    }
}

/// A random number below `bound` by multiplication (Lemire 2019) without his correction: the bias
/// is under 625 / 2^32.
#[inline]
pub(super) fn below(bound: usize, rng: &mut Rng) -> usize {
    ((u64::from(rng.next_u32()) * bound as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::Seed;

    #[test]
    fn chances_happen_as_often_as_they_should() {
        let mut rng = Seed::new(1).rng();
        for probability in [0.0, 0.25, 0.9, 1.0] {
            let chance = Chance::of(probability);
            let count = (0..10_000).filter(|_| chance.happens(&mut rng)).count();
            // Six standard deviations are at most 300.
            assert!((count as f64 - 1e4 * probability).abs() < 300.0, "{probability}: {count}");
        }
    }
}
