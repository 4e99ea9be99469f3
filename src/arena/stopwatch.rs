//! The only place where a referee reads a clock.

use std::time::{Duration, Instant};

/// Measures time from its making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "a referee measures, and does it here")]
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// The time from the making of an earlier one to the making of this one.
    pub(super) fn since(&self, earlier: Stopwatch) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }
}
