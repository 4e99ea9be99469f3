//! The mean and the variance of a stream of numbers.

/// Mean and variance without keeping the numbers (Welford 1962; merging by Chan et al. 1979).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Takes one more number.
    pub fn push(&mut self, x: f64) {
        self.count += 1;
        let before = x - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (x - self.mean);
    }

    /// Takes all that another has seen.
    pub fn merge(&mut self, other: &Self) {
        let count = self.count + other.count;
        if other.count == 0 {
            return;
        }
        let apart = other.mean - self.mean;
        let share = other.count as f64 / count as f64;
        self.mean += apart * share;
        self.squares += other.squares + apart * apart * self.count as f64 * share;
        self.count = count;
    }

    /// How many numbers there were.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; none of nothing.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// The unbiased variance; none of fewer than two.
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }

    /// The standard error of the mean; none of fewer than two.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        self.variance().map(|variance| (variance / self.count as f64).sqrt())
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut moments = Self::default();
        numbers.into_iter().for_each(|x| moments.push(x));
        moments
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * (1.0 + a.abs())
    }

    #[test]
    fn a_case_by_hand() {
        // Mean 5, squares 9+1+1+1+0+0+4+16 = 32.
        let moments: Moments = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter().collect();
        assert_eq!(moments.count(), 8);
        assert!(close(moments.mean().unwrap(), 5.0));
        assert!(close(moments.variance().unwrap(), 32.0 / 7.0));
        assert!(close(moments.error().unwrap(), (32.0f64 / 56.0).sqrt()));
        assert_eq!(Moments::default().mean(), None);
        assert_eq!([1.0].into_iter().collect::<Moments>().variance(), None);
    }

    #[test]
    fn a_large_offset_does_not_spoil_the_variance() {
        let moments: Moments = [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0].into_iter().collect();
        assert!((moments.variance().unwrap() - 30.0).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn merging_is_pushing(a in prop::collection::vec(-1e3..1e3f64, 0..20),
                              b in prop::collection::vec(-1e3..1e3f64, 0..20)) {
            let mut merged: Moments = a.iter().copied().collect();
            merged.merge(&b.iter().copied().collect());
            let pushed: Moments = a.into_iter().chain(b).collect();
            prop_assert_eq!(merged.count(), pushed.count());
            prop_assert!(close(merged.mean().unwrap_or(0.0), pushed.mean().unwrap_or(0.0)));
            prop_assert!(close(merged.variance().unwrap_or(0.0), pushed.variance().unwrap_or(0.0)));
        }
    }
}
