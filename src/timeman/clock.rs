//! The time systems that servers and programs use, and a player's clock under each.

use std::time::Duration;

/// How much time a player has for the game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeSystem {
    /// As much as the player likes.
    Unlimited,
    /// A sum for the whole game.
    Absolute {
        /// The sum.
        main: Duration,
    },
    /// After the main time, a number of stones in each period.
    Canadian {
        /// Main time.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// Stones to play in each.
        stones: u32,
    },
    /// After the main time, a number of periods; a period in which a move is made comes back whole.
    Byoyomi {
        /// Main time.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// How many there are.
        periods: u32,
    },
    /// Time is added after every move.
    Fischer {
        /// Time at the beginning.
        main: Duration,
        /// Time added after a move.
        increment: Duration,
        /// The most that can be saved up.
        cap: Option<Duration>,
        /// The most that one move may take.
        max_move: Option<Duration>,
    },
}

impl TimeSystem {
    /// Main time, which may be nothing; none without a limit.
    #[must_use]
    pub const fn main(self) -> Option<Duration> {
        match self {
            Self::Unlimited => None,
            Self::Absolute { main }
            | Self::Canadian { main, .. }
            | Self::Byoyomi { main, .. }
            | Self::Fischer { main, .. } => Some(main),
        }
    }

    /// What follows the main time, as game records write it, such as `25/600 Canadian`.
    #[must_use]
    pub fn overtime(self) -> Option<String> {
        Some(match self {
            Self::Unlimited | Self::Absolute { .. } => return None,
            Self::Canadian { period, stones, .. } => {
                format!("{stones}/{} Canadian", period.as_secs_f64())
            }
            Self::Byoyomi { period, periods, .. } => {
                format!("{periods}x{} byo-yomi", period.as_secs_f64())
            }
            Self::Fischer { increment, .. } => format!("{} fischer", increment.as_secs_f64()),
        })
    }
}

/// The time a player has left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    system: TimeSystem,
    /// Time left of the main time, or of the period once that is used up.
    left: Duration,
    /// In overtime: stones left in the period (Canadian) or periods left (byo-yomi), at least 1.
    /// 0 in main time.
    overtime: u32,
}

impl Clock {
    /// A clock at the beginning of a game.
    #[must_use]
    pub fn new(system: TimeSystem) -> Self {
        let left = system.main().unwrap_or_default();
        let mut clock = Self { system, left, overtime: 0 };
        clock.enter_overtime();
        clock
    }

    /// The time system.
    #[must_use]
    pub const fn system(&self) -> TimeSystem {
        self.system
    }

    /// Time left of the main time or of the running period.
    #[must_use]
    pub const fn left(&self) -> Duration {
        self.left
    }

    /// Stones left in the period (Canadian) or periods left (byo-yomi); 0 in main time.
    #[must_use]
    pub const fn overtime(&self) -> u32 {
        self.overtime
    }

    /// Whether the player has used up all time.
    #[must_use]
    pub fn is_out_of_time(&self) -> bool {
        self.system != TimeSystem::Unlimited && self.left.is_zero()
    }

    /// Takes over what the server or the controlling program says: seconds left, and stones or
    /// periods left in overtime, 0 in main time. Negative numbers count as 0.
    pub fn set_left(&mut self, seconds: f64, overtime: u32) {
        self.left = seconds_to_duration(seconds);
        self.overtime = match self.system {
            TimeSystem::Canadian { .. } | TimeSystem::Byoyomi { .. } => overtime,
            _ => 0,
        };
        if self.overtime == 0 {
            self.enter_overtime();
        }
    }

    /// Takes the time of a move off the clock.
    pub fn spend(&mut self, used: Duration) {
        match self.system {
            TimeSystem::Unlimited => {}
            TimeSystem::Absolute { .. } => self.left = self.left.saturating_sub(used),
            TimeSystem::Fischer { increment, cap, .. } => {
                self.left = self.left.saturating_sub(used);
                // A player who has overstepped gets nothing more.
                if !self.left.is_zero() {
                    let sum = self.left.saturating_add(increment);
                    self.left = cap.map_or(sum, |cap| sum.min(cap.max(self.left)));
                }
            }
            TimeSystem::Canadian { period, stones, .. } => {
                self.spend_canadian(used, period, stones);
            }
            TimeSystem::Byoyomi { period, .. } => self.spend_byoyomi(used, period),
        }
    }

    fn spend_canadian(&mut self, used: Duration, period: Duration, stones: u32) {
        let mut used = used;
        if self.overtime == 0 {
            if used < self.left {
                self.left -= used;
                return;
            }
            used -= self.left;
            (self.left, self.overtime) = (period, stones.max(1));
        }
        self.left = self.left.saturating_sub(used);
        if self.left.is_zero() {
            return;
        }
        self.overtime -= 1;
        if self.overtime == 0 {
            (self.left, self.overtime) = (period, stones.max(1));
        }
    }

    fn spend_byoyomi(&mut self, used: Duration, period: Duration) {
        let mut used = used;
        if self.overtime == 0 {
            if used < self.left {
                self.left -= used;
                return;
            }
            used -= self.left;
            self.left = Duration::ZERO;
            self.enter_overtime();
        }
        while used >= self.left && self.overtime > 1 {
            used -= self.left;
            self.left = period;
            self.overtime -= 1;
        }
        // A move inside the period gives the whole period back.
        self.left = if used < self.left { period } else { Duration::ZERO };
    }

    /// Starts overtime when there is no main time left.
    fn enter_overtime(&mut self) {
        if !self.left.is_zero() {
            return;
        }
        match self.system {
            TimeSystem::Canadian { period, stones: count, .. }
            | TimeSystem::Byoyomi { period, periods: count, .. } => {
                (self.left, self.overtime) = (period, count.max(1));
            }
            _ => {}
        }
    }
}

/// Seconds as clients write them: fractions are kept, negative numbers count as 0, and more than
/// a century is a century.
#[must_use]
pub fn seconds_to_duration(seconds: f64) -> Duration {
    const CENTURY: f64 = 3.2e9;
    let seconds = if seconds.is_nan() { 0.0 } else { seconds };
    Duration::from_secs_f64(seconds.clamp(0.0, CENTURY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(s: f64) -> Duration {
        seconds_to_duration(s)
    }

    /// Spends a list of times and compares what is left after each with (seconds, overtime).
    fn check_clock(system: TimeSystem, moves: &[(f64, f64, u32)]) {
        let mut clock = Clock::new(system);
        for (i, &(used, left, overtime)) in moves.iter().enumerate() {
            clock.spend(seconds(used));
            assert_eq!((clock.left(), clock.overtime()), (seconds(left), overtime), "move {i}");
        }
    }

    #[test]
    fn absolute_time_runs_out() {
        let system = TimeSystem::Absolute { main: seconds(10.0) };
        check_clock(system, &[(4.0, 6.0, 0), (5.5, 0.5, 0), (1.0, 0.0, 0)]);
    }

    #[test]
    fn canadian_periods_come_back_after_their_stones() {
        let system = TimeSystem::Canadian { main: seconds(5.0), period: seconds(10.0), stones: 3 };
        check_clock(
            system,
            &[
                (4.0, 1.0, 0),
                // One second of main time, then two of the period.
                (3.0, 8.0, 2),
                (1.0, 7.0, 1),
                (6.0, 10.0, 3),
                (11.0, 0.0, 3),
            ],
        );
        // Too late with the last stone of a period is too late.
        let last = TimeSystem::Canadian { main: seconds(0.0), period: seconds(10.0), stones: 1 };
        check_clock(last, &[(4.0, 10.0, 1), (10.0, 0.0, 1), (1.0, 0.0, 1)]);
        let no_main = TimeSystem::Canadian { main: seconds(0.0), period: seconds(10.0), stones: 2 };
        check_clock(no_main, &[(4.0, 6.0, 1), (4.0, 10.0, 2)]);
    }

    #[test]
    fn byoyomi_periods_are_kept_by_moving_in_time() {
        let system = TimeSystem::Byoyomi { main: seconds(5.0), period: seconds(10.0), periods: 3 };
        check_clock(
            system,
            &[
                (4.0, 1.0, 0),
                (6.0, 10.0, 3),
                (9.5, 10.0, 3),
                (12.0, 10.0, 2),
                // Two periods and more: out of time.
                (30.0, 0.0, 1),
            ],
        );
        // One move may use several periods.
        check_clock(system, &[(5.0 + 25.0, 10.0, 1)]);
    }

    #[test]
    fn fischer_time_grows_up_to_its_cap() {
        let main = seconds(10.0);
        let plain =
            TimeSystem::Fischer { main, increment: seconds(2.0), cap: None, max_move: None };
        check_clock(plain, &[(1.0, 11.0, 0), (0.5, 12.5, 0), (12.0, 2.5, 0), (3.0, 0.0, 0)]);
        let capped = TimeSystem::Fischer {
            main,
            increment: seconds(2.0),
            cap: Some(seconds(11.5)),
            max_move: None,
        };
        check_clock(capped, &[(1.0, 11.0, 0), (0.5, 11.5, 0), (5.0, 8.5, 0)]);
    }

    #[test]
    fn what_the_server_says_is_taken_over() {
        let system = TimeSystem::Byoyomi { main: seconds(5.0), period: seconds(10.0), periods: 3 };
        let mut clock = Clock::new(system);
        clock.set_left(7.25, 2);
        assert_eq!((clock.left(), clock.overtime()), (seconds(7.25), 2));
        // No main time left is the beginning of overtime; no overtime left is the end.
        clock.set_left(-3.0, 0);
        assert_eq!((clock.left(), clock.overtime()), (seconds(10.0), 3));
        clock.set_left(-3.0, 1);
        assert!(clock.is_out_of_time());
        clock.set_left(f64::NAN, 0);
        clock.set_left(f64::INFINITY, u32::MAX);
        let mut absolute = Clock::new(TimeSystem::Absolute { main: seconds(5.0) });
        absolute.set_left(3.0, 9);
        assert_eq!(absolute.overtime(), 0);
    }
}
