//! How long the lab may work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tedomari::cli::stop;

/// The time that is left.
pub(super) struct Budget {
    /// Set when it is used up, or when the process is told to end.
    stop: Arc<AtomicBool>,
    end: Option<Instant>,
}

impl Budget {
    /// All the time in the world.
    pub(super) fn unlimited() -> Self {
        Self { stop: Arc::default(), end: None }
    }

    /// So much from now on; less if the process is told to end.
    #[expect(clippy::disallowed_methods, reason = "a budget is of real time")]
    pub(super) fn of(time: Duration) -> anyhow::Result<Self> {
        let end = Instant::now().checked_add(time);
        let stop = stop::flag(Some(time.as_secs_f64() / 60.0))?;
        if time.is_zero() {
            stop.store(true, Ordering::Relaxed);
        }
        Ok(Self { stop, end })
    }

    /// What is left; none if there is no end.
    #[expect(clippy::disallowed_methods, reason = "a budget is of real time")]
    pub(super) fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether it is used up.
    pub(super) fn is_over(&self) -> bool {
        // Ordering: the flag itself is all that is exchanged.
        self.stop.load(Ordering::Relaxed)
    }

    /// A flag that is set when it is used up.
    pub(super) fn flag(&self) -> &Arc<AtomicBool> {
        &self.stop
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
        assert!(Budget::of(Duration::ZERO).unwrap().is_over());
        assert!(Budget::unlimited().left().is_none() && !Budget::unlimited().is_over());
        let long = Budget::of(Duration::from_secs(6000)).unwrap();
        let left = long.left().unwrap().as_secs();
        assert!((5900..=6000).contains(&left) && !long.is_over(), "{left}");
    }
}
