//! Randomness that can be repeated: seeds are forked by purpose, never drawn from the machine.

use rand::SeedableRng;
use rand::distr::{Distribution as _, Open01};

/// The random number generator of the engine: fast, small, and the same on every machine.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// Where a stream of random numbers starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// A seed from a number that the user can give again.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// A seed of its own for the `index`-th use of a purpose. Streams of different purposes or
    /// indices have nothing to do with each other, whatever order or thread they are made in.
    #[must_use]
    pub fn fork(self, purpose: &str, index: u64) -> Self {
        // FNV-1a over the purpose and the index, started from this seed.
        let bytes = purpose.bytes().chain([0]).chain(index.to_le_bytes());
        let start = self.0 ^ 0xCBF2_9CE4_8422_2325;
        Self(bytes.fold(start, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(29)
        }))
    }

    /// A generator that starts here.
    #[must_use]
    pub fn rng(self) -> Rng {
        Rng::seed_from_u64(self.0)
    }
}

/// A number from the standard normal distribution (Box and Muller 1958).
pub fn standard_normal(rng: &mut Rng) -> f64 {
    let mut uniform = || -> f64 { Open01.sample(rng) };
    let radius = (-2.0 * uniform().ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform()).cos()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::Rng as _;

    use super::*;

    #[test]
    fn forks_differ_by_purpose_and_index_and_repeat() {
        let seed = Seed::new(7);
        let mut forks = HashSet::new();
        for purpose in ["search", "playout", "opening"] {
            for index in 0..1000 {
                let fork = seed.fork(purpose, index);
                assert_eq!(fork, Seed::new(7).fork(purpose, index));
                assert!(forks.insert(fork.number()));
            }
        }
        assert_ne!(Seed::new(8).fork("search", 0), seed.fork("search", 0));
        assert_eq!(seed.rng().next_u64(), seed.rng().next_u64());
    }
}
