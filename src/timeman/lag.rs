//! How much time goes by that the engine's own clock does not see.

use std::collections::VecDeque;
use std::time::Duration;

use super::clock::{Clock, TimeSystem};

/// Moves that the estimate looks back on: what is older is forgotten, whether it was more or less.
const MEMORY: usize = 40;

/// The estimate is the smallest lag that so large a share of the moves did not exceed.
const QUANTILE: f64 = 0.95;

/// No line is slower than this: a clock that is further off was set by somebody, after moves were
/// taken back, say, or in a game that was resumed.
const SET: Duration = Duration::from_secs(10);

/// The lag of a player's moves, from the difference between the own clock and what the server says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lag {
    samples: VecDeque<Duration>,
    drift: Drift,
    told: bool,
}

/// How the own clock runs away from one that tells whole seconds: a straight line through the
/// differences, half a second off for the rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Drift {
    /// What was taken off the own clock since both agreed, in seconds.
    taken: f64,
    moves: f64,
    products: f64,
    squares: f64,
}

/// Moves from which the line is believed: its error is a few hundredths of a second by then.
const LINE: f64 = 5.0;

impl Drift {
    fn add(&mut self, difference: f64) {
        self.moves += 1.0;
        self.products += self.moves * (difference - 0.5);
        self.squares += self.moves * self.moves;
    }

    fn for_each_move(&self) -> Duration {
        if self.moves < LINE {
            return Duration::ZERO;
        }
        Duration::from_secs_f64((self.products / self.squares).clamp(0.0, 60.0))
    }
}

impl Lag {
    /// What a move takes beyond what the own clock sees; nothing until a server has said something.
    #[must_use]
    pub fn estimate(&self) -> Duration {
        if self.samples.is_empty() {
            return self.drift.for_each_move();
        }
        let mut sorted: Vec<_> = self.samples.iter().copied().collect();
        sorted.sort_unstable();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a few dozen"
        )]
        let place = (QUANTILE * sorted.len() as f64) as usize;
        let proven = sorted.get(place.min(sorted.len().saturating_sub(1))).copied();
        proven.unwrap_or_default().max(self.drift.for_each_move())
    }

    /// What moves take beyond what the own clock sees on average: for many of them together.
    #[must_use]
    pub fn mean(&self) -> Duration {
        let count = u32::try_from(self.samples.len()).unwrap_or(u32::MAX).max(1);
        let mean = self.samples.iter().sum::<Duration>() / count;
        mean.max(self.drift.for_each_move())
    }

    /// Whether anybody has ever told the time.
    #[must_use]
    pub const fn is_told(&self) -> bool {
        self.told
    }

    /// Takes note of one move.
    pub fn add(&mut self, lag: Duration) {
        if self.samples.len() == MEMORY {
            self.samples.pop_front();
        }
        self.samples.push_back(lag);
    }

    /// Takes over what a server says of a clock, and learns from the difference.
    ///
    /// Whole seconds are rounded down: where the own clock fits them, it is believed but for what a
    /// move may take unseen, the `allowance`. Otherwise the server is believed to the letter.
    pub fn correct(&mut self, clock: &mut Clock, seconds: f64, overtime: u32, allowance: Duration) {
        self.told = true;
        let own = *clock;
        clock.set_left(seconds, overtime);
        // In another period, or on a clock without an end, the difference says nothing.
        if own.overtime() != clock.overtime() || own.system() == TimeSystem::Unlimited {
            self.drift.taken = 0.0;
            return;
        }
        let said = clock.left();
        if own.left() > said + SET {
            self.drift = Drift::default();
            return;
        }
        if seconds.fract() != 0.0 {
            self.drift = Drift::default();
            self.add(own.left().saturating_sub(said));
            return;
        }
        let rounding = Duration::from_secs(1);
        self.add(own.left().saturating_sub(said + rounding));
        if own.left() > said && own.left() < said + rounding {
            let believed = own.left().saturating_sub(allowance).max(said);
            clock.set_left(believed.as_secs_f64(), overtime);
        }
        let untouched = own.left().as_secs_f64() + self.drift.taken;
        if own.overtime() == 0 && untouched >= said.as_secs_f64() {
            self.drift.add(untouched - said.as_secs_f64());
            self.drift.taken = untouched - clock.left().as_secs_f64();
        } else {
            // Periods begin anew too often to tell anything, and a server that gives more is right.
            self.drift = Drift::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn clock(ms: u64) -> Clock {
        let mut clock = Clock::new(TimeSystem::Absolute { main: millis(60_000) });
        clock.spend(millis(60_000 - ms));
        clock
    }

    #[test]
    fn the_estimate_is_a_high_quantile_that_rises_and_falls() {
        let mut lag = Lag::default();
        assert_eq!(lag.estimate(), Duration::ZERO);
        lag.add(millis(30));
        assert_eq!(lag.estimate(), millis(30));
        for _ in 0..MEMORY {
            lag.add(millis(100));
        }
        assert_eq!((lag.estimate(), lag.mean()), (millis(100), millis(100)));
        // One slow move in forty is no rule, three are.
        lag.add(millis(900));
        assert_eq!((lag.estimate(), lag.mean()), (millis(100), millis(120)));
        lag.add(millis(900));
        lag.add(millis(900));
        assert_eq!(lag.estimate(), millis(900));
        for _ in 0..MEMORY {
            lag.add(millis(5));
        }
        assert_eq!(lag.estimate(), millis(5));
    }

    #[test]
    fn fractions_survive_whole_seconds_but_for_the_allowance() {
        let allowance = millis(100);
        let mut lag = Lag::default();
        let mut own = clock(12_700);
        lag.correct(&mut own, 12.0, 0, allowance);
        assert_eq!((own.left(), lag.estimate()), (millis(12_600), Duration::ZERO));
        let mut own = clock(12_050);
        lag.correct(&mut own, 12.0, 0, allowance);
        assert_eq!(own.left(), millis(12_000));
        // 1.3 s apart: 0.3 s of it are certain.
        let mut own = clock(12_300);
        lag.correct(&mut own, 11.0, 0, allowance);
        assert_eq!((own.left(), lag.estimate()), (millis(11_000), millis(300)));
        // Fractions are exact.
        let mut own = clock(12_700);
        lag.correct(&mut own, 11.2, 0, allowance);
        assert_eq!((own.left(), lag.estimate()), (millis(11_200), millis(1500)));
    }

    #[test]
    fn a_small_lag_shows_through_the_rounding() {
        let (mut server, mut own) = (clock(60_000), clock(60_000));
        let mut lag = Lag::default();
        for number in 0..20u64 {
            let used = millis(700 + 37 * number);
            server.spend(used + millis(60));
            own.spend(used);
            lag.correct(&mut own, server.left().as_secs() as f64, 0, millis(200));
            assert!(own.left() <= server.left() + millis(1), "move {number}");
        }
        let found = lag.estimate().as_secs_f64();
        assert!((0.03..0.09).contains(&found), "{found}");
    }

    #[test]
    fn a_clock_that_somebody_sets_is_no_lag() {
        let mut lag = Lag::default();
        let mut own = clock(60_000);
        lag.correct(&mut own, 20.0, 0, millis(100));
        assert_eq!((own.left(), lag.estimate()), (millis(20_000), Duration::ZERO));
        let mut own = clock(60_000);
        lag.correct(&mut own, 20.5, 0, millis(100));
        assert_eq!((own.left(), lag.mean()), (millis(20_500), Duration::ZERO));
        // What a slow line may do is one.
        let mut own = clock(60_000);
        lag.correct(&mut own, 50.5, 0, millis(100));
        assert_eq!(lag.estimate(), millis(9500));
    }

    #[test]
    fn the_server_is_right_when_it_gives_more_or_nothing() {
        let mut lag = Lag::default();
        let mut own = clock(5000);
        lag.correct(&mut own, 9.0, 0, Duration::ZERO);
        assert_eq!(own.left(), millis(9000));
        lag.correct(&mut own, -2.0, 0, Duration::ZERO);
        assert!(own.is_out_of_time());
        assert_eq!(lag.estimate(), millis(8000));
        // Entering overtime is no lag.
        let system = TimeSystem::Byoyomi { main: millis(5000), period: millis(1000), periods: 3 };
        let mut byoyomi = Clock::new(system);
        let mut lag = Lag::default();
        lag.correct(&mut byoyomi, 1.0, 2, Duration::ZERO);
        assert_eq!((byoyomi.overtime(), lag.estimate()), (2, Duration::ZERO));
        lag.correct(&mut byoyomi, f64::NAN, 0, Duration::ZERO);
    }
}
