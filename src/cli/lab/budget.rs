//! How long the lab may work.

use std::time::{Duration, Instant};

/// The time that is left.
pub(super) struct Budget(Option<Instant>);

impl Budget {
    /// All the time in the world.
    pub(super) const fn unlimited() -> Self {
        Self(None)
    }

    /// So much from now on.
    #[expect(clippy::disallowed_methods, reason = "a budget is of real time")]
    pub(super) fn of(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    /// Minutes that are left; none if there is no end.
    #[expect(clippy::disallowed_methods, reason = "a budget is of real time")]
    pub(super) fn minutes(&self) -> Option<f64> {
        let left = |end: Instant| end.saturating_duration_since(Instant::now());
        self.0.map(|end| left(end).as_secs_f64() / 60.0)
    }

    /// Whether it is used up.
    #[expect(clippy::disallowed_methods, reason = "a budget is of real time")]
    pub(super) fn is_over(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

/// Reads `2h`, `90m` or `30s`.
pub(super) fn read(text: &str) -> Result<Duration, String> {
    let error = || "write a time such as 2h, 90m or 30s".to_owned();
    let unit = text.chars().last().ok_or_else(error)?;
    let seconds = match unit {
        'h' => 3600.0,
        'm' => 60.0,
        's' => 1.0,
        _ => return Err(error()),
    };
    let number: f64 = text[..text.len() - 1].parse().map_err(|_| error())?;
    let seconds = number * seconds;
    if (0.0..=1e7).contains(&seconds) { Ok(Duration::from_secs_f64(seconds)) } else { Err(error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(read("2h"), Ok(Duration::from_secs(7200)));
        assert_eq!(read("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(read("0s"), Ok(Duration::ZERO));
        for wrong in ["", "2", "h", "-1s", "2d", "nans", "1e99h", "ü"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(Budget::of(Duration::ZERO).is_over());
        assert!(Budget::unlimited().minutes().is_none());
        let minutes = Budget::of(Duration::from_secs(6000)).minutes().unwrap();
        assert!((99.0..=100.0).contains(&minutes), "{minutes}");
        assert!(!Budget::of(Duration::from_secs(1000)).is_over() && !Budget::unlimited().is_over());
    }
}
