//! A shuffled order that needs no memory.

use crate::util::Seed;

/// Rounds of the network; four are enough for an order that looks random (Luby and Rackoff 1988).
const ROUNDS: usize = 4;

/// The numbers below a limit in an order drawn from a seed: a Feistel network over the next power
/// of four, walked on while it leads beyond the limit (Black and Rogaway 2002).
#[derive(Clone, Debug)]
pub struct Permutation {
    count: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// An order of the numbers from 0 to `count - 1`.
    #[must_use]
    pub fn new(count: u64, seed: Seed) -> Self {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let mut keys = [0; ROUNDS];
        for (key, round) in keys.iter_mut().zip(0..) {
            *key = seed.fork("round", round).number();
        }
        Self { count, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// The number at a place.
    ///
    /// # Panics
    ///
    /// If the place is not below the limit.
    #[must_use]
    pub fn get(&self, place: u64) -> u64 {
        assert!(place < self.count, "place {place} of {}", self.count);
        let mut number = self.mix(place);
        while number >= self.count {
            number = self.mix(number);
        }
        number
    }

    fn mix(&self, number: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (scramble(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

/// The finisher of SplitMix64 (Steele, Lea and Flood 2014).
fn scramble(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for count in [1, 2, 3, 4, 5, 16, 17, 100, 1000, 4097] {
            let order = Permutation::new(count, Seed::new(3).fork("order", count));
            let mut numbers: Vec<_> = (0..count).map(|place| order.get(place)).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn orders_look_random_and_repeat_by_seed() {
        let count = 10_000;
        let orders: Vec<_> = (0..20).map(|i| Permutation::new(count, Seed::new(i))).collect();
        assert_eq!(orders[0].get(77), Permutation::new(count, Seed::new(0)).get(77));
        // The correlation of place and number has a standard deviation of 0.01 by chance.
        for order in &orders {
            let middle = (count - 1) as f64 / 2.0;
            let sum: f64 = (0..count)
                .map(|place| (place as f64 - middle) * (order.get(place) as f64 - middle))
                .sum();
            let variance = (count * count - 1) as f64 / 12.0;
            let correlation = sum / (count as f64 * variance);
            assert!(correlation.abs() < 0.05, "{correlation}");
        }
        let same = (0..count).filter(|&place| orders[0].get(place) == orders[1].get(place));
        assert!(same.count() < 12, "two orders have nothing to do with each other");
    }
}
