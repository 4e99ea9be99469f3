//! What time the players of a match have, as users write it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::timeman::{Clock, TimeSystem};

/// How the time of a player is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeControl {
    /// In seconds, by a real clock.
    Clock(TimeSystem),
    /// In simulations, so many for the whole game: a clock on which each takes one second.
    Simulations(u64),
}

/// A text that names no time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no time: write none, fixed:SECONDS, sudden:SECONDS, canadian:MAIN+STONES/SECONDS, \
     byoyomi:MAIN+PERIODSxSECONDS, fischer:MAIN+INCREMENT or simulations:NUMBER"
)]
pub struct NoTimeControl(pub String);

impl TimeControl {
    /// As much as the player likes.
    pub const NONE: Self = Self::Clock(TimeSystem::Unlimited);

    /// The clock at the beginning of a game.
    #[must_use]
    pub fn clock(self) -> Clock {
        Clock::new(match self {
            Self::Clock(system) => system,
            Self::Simulations(count) => TimeSystem::Absolute { main: Duration::from_secs(count) },
        })
    }
}

/// All that a player has for the next move; none without a limit.
pub(super) fn time_for_move(clock: &Clock) -> Option<Duration> {
    let left = clock.left();
    let in_main_time = clock.overtime() == 0;
    Some(match clock.system() {
        TimeSystem::Unlimited => return None,
        TimeSystem::Fischer { max_move, .. } => max_move.map_or(left, |most| most.min(left)),
        TimeSystem::Canadian { period, .. } if in_main_time => left + period,
        TimeSystem::Absolute { .. } | TimeSystem::Canadian { .. } => left,
        TimeSystem::Byoyomi { period, periods, .. } if in_main_time => left + period * periods,
        TimeSystem::Byoyomi { period, .. } => left + period * (clock.overtime() - 1),
    })
}

impl FromStr for TimeControl {
    type Err = NoTimeControl;

    fn from_str(text: &str) -> Result<Self, NoTimeControl> {
        read(text).ok_or_else(|| NoTimeControl(text.to_owned()))
    }
}

fn read(text: &str) -> Option<TimeControl> {
    if text == "none" {
        return Some(TimeControl::NONE);
    }
    let (kind, rest) = text.split_once(':')?;
    let system = match kind {
        "fixed" => TimeSystem::Canadian { main: Duration::ZERO, period: some(rest)?, stones: 1 },
        "sudden" => TimeSystem::Absolute { main: some(rest)? },
        "canadian" => {
            let (main, overtime) = rest.split_once('+')?;
            let (stones, period) = overtime.split_once('/')?;
            let (main, period) = (seconds(main)?, some(period)?);
            TimeSystem::Canadian { main, period, stones: count(stones)? }
        }
        "byoyomi" => {
            let (main, overtime) = rest.split_once('+')?;
            let (periods, period) = overtime.split_once('x')?;
            let (main, period) = (seconds(main)?, some(period)?);
            TimeSystem::Byoyomi { main, period, periods: count(periods)? }
        }
        "fischer" => {
            let (main, increment) = rest.split_once('+')?;
            let (main, increment) = (some(main)?, seconds(increment)?);
            TimeSystem::Fischer { main, increment, cap: None, max_move: None }
        }
        "simulations" => {
            let count = rest.parse().ok().filter(|count| (1..=1_000_000_000).contains(count))?;
            return Some(TimeControl::Simulations(count));
        }
        _ => return None,
    };
    Some(TimeControl::Clock(system))
}

/// Seconds up to some days, to the millisecond.
fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok().filter(|s| (0.0..=1e6).contains(s))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "limited above")]
    let milliseconds = (seconds * 1e3).round() as u64;
    Some(Duration::from_millis(milliseconds))
}

/// Seconds of which there must be some.
fn some(text: &str) -> Option<Duration> {
    seconds(text).filter(|seconds| !seconds.is_zero())
}

fn count(text: &str) -> Option<u32> {
    text.parse().ok().filter(|count| (1..=1000).contains(count))
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |duration: Duration| duration.as_secs_f64();
        match *self {
            Self::Simulations(count) => write!(f, "simulations:{count}"),
            Self::Clock(TimeSystem::Unlimited) => f.write_str("none"),
            Self::Clock(TimeSystem::Absolute { main }) => write!(f, "sudden:{}", s(main)),
            Self::Clock(TimeSystem::Canadian { main, period, stones: 1 }) if main.is_zero() => {
                write!(f, "fixed:{}", s(period))
            }
            Self::Clock(TimeSystem::Canadian { main, period, stones }) => {
                write!(f, "canadian:{}+{stones}/{}", s(main), s(period))
            }
            Self::Clock(TimeSystem::Byoyomi { main, period, periods }) => {
                write!(f, "byoyomi:{}+{periods}x{}", s(main), s(period))
            }
            Self::Clock(TimeSystem::Fischer { main, increment, .. }) => {
                write!(f, "fischer:{}+{}", s(main), s(increment))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in [
            "none",
            "fixed:0.5",
            "sudden:300",
            "canadian:60+10/30.25",
            "canadian:0+10/30",
            "byoyomi:60+3x10",
            "fischer:5+0.1",
            "simulations:20000",
        ] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        assert_eq!("canadian:0+1/2".parse::<TimeControl>().unwrap().to_string(), "fixed:2");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for text in [
            "",
            "5",
            "fixed",
            "fixed:",
            "fixed:0",
            "fixed:-1",
            "fixed:nan",
            "fixed:inf",
            "sudden:1e9",
            "canadian:60+0/5",
            "canadian:60+5",
            "byoyomi:60+3",
            "byoyomi:1+0x5",
            "fischer:0+1",
            "fischer:1",
            "simulations:0",
            "simulations:1.5",
            "hourglass:3",
        ] {
            let error = text.parse::<TimeControl>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}' is no time")), "{text}");
        }
    }

    #[test]
    fn all_the_time_for_a_move() {
        let of = |text: &str| time_for_move(&text.parse::<TimeControl>().unwrap().clock());
        let secs = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(of("none"), None);
        assert_eq!(of("fixed:3"), secs(3));
        assert_eq!(of("sudden:10"), secs(10));
        assert_eq!(of("canadian:10+5/20"), secs(30));
        assert_eq!(of("byoyomi:10+3x20"), secs(70));
        assert_eq!(of("byoyomi:0+3x20"), secs(60));
        assert_eq!(of("fischer:10+5"), secs(10));
        assert_eq!(of("simulations:100"), secs(100));
    }
}
