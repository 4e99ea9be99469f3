//! Expected results.

/// The expected result in [-1, 1] for the side to move at the node it belongs to: 1 is a sure win.
///
/// [`Value::flipped`] is the only way to see it from the other side.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Value(f32);

impl Value {
    /// A sure win.
    pub const WIN: Value = Value(1.0);
    /// A sure draw, or nothing known.
    pub const DRAW: Value = Value(0.0);
    /// A sure loss.
    pub const LOSS: Value = Value(-1.0);

    /// A value from a number; beyond the ends it is the end, and not-a-number is a draw.
    #[must_use]
    pub fn new(value: f32) -> Self {
        if value.is_nan() { Self::DRAW } else { Self(value.clamp(-1.0, 1.0)) }
    }

    /// The number in [-1, 1].
    #[must_use]
    pub const fn get(self) -> f32 {
        self.0
    }

    /// The same for the opponent.
    #[must_use]
    pub const fn flipped(self) -> Self {
        Self(-self.0)
    }

    /// As the probability of a win, a draw counting half.
    #[must_use]
    pub const fn win_rate(self) -> f32 {
        f32::midpoint(self.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_range_and_turn_around() {
        assert_eq!(Value::new(7.0), Value::WIN);
        assert_eq!(Value::new(f32::NAN), Value::DRAW);
        assert_eq!(Value::new(0.25).flipped(), Value::new(-0.25));
        assert_eq!(Value::WIN.flipped(), Value::LOSS);
        assert!((Value::new(-0.5).win_rate() - 0.25).abs() < 1e-6);
    }
}
