//! A simple share of the clock for each move.

use std::time::Duration;

use super::clock::{Clock, TimeSystem};
use crate::util::params;

params! {
    /// How long to think.
    pub struct TimeParams {
        /// Seconds per move when nobody has set a clock.
        pub seconds_per_move: f64 = 5.0, 0.001..=86400.0;
        /// Milliseconds kept in hand on every move for the way to the server and back.
        pub lag_ms: u32 = 200, 0..=60000;
        /// Own moves that main time is divided by at the least, however full the board is.
        pub min_moves_left: u32 = 12, 1..=1000;
    }
}

/// Kept in hand whatever the lag: a clock that is used to the last microsecond has run out.
const MARGIN: Duration = Duration::from_millis(10);

/// The time for one move: a share of the main time and what overtime gives back anyway, and never
/// more than what is left on the clock less the lag.
#[must_use]
pub fn thinking_time(clock: &Clock, moves_left: u32, params: &TimeParams) -> Duration {
    let moves_left = moves_left.max(params.min_moves_left);
    let left = clock.left();
    let in_main_time = clock.overtime() == 0;
    let (share, available) = match clock.system() {
        TimeSystem::Unlimited => return Duration::from_secs_f64(params.seconds_per_move),
        TimeSystem::Absolute { .. } => (left / moves_left, left),
        TimeSystem::Fischer { increment, max_move, .. } => {
            (left / moves_left + increment, max_move.map_or(left, |max| max.min(left)))
        }
        TimeSystem::Canadian { period, stones, .. } if in_main_time => {
            (left / moves_left + period / stones.max(1), left + period)
        }
        TimeSystem::Canadian { .. } => (left / clock.overtime(), left),
        TimeSystem::Byoyomi { period, .. } if in_main_time => {
            (left / moves_left + period, left + period)
        }
        TimeSystem::Byoyomi { .. } => (left, left),
    };
    let reserve = Duration::from_millis(u64::from(params.lag_ms)) + MARGIN;
    // The lag comes off every move, but a small share is not eaten up by it; and with less on the
    // clock than the reserve, half of it is the best guess.
    let share = share.saturating_sub(reserve.min(share / 4));
    share.min(available.saturating_sub(reserve).max(available / 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn duration(max: f64) -> impl Strategy<Value = Duration> {
        prop_oneof![Just(0.0), 0.0..max].prop_map(Duration::from_secs_f64)
    }

    fn system() -> impl Strategy<Value = TimeSystem> {
        let main = || duration(3600.0);
        let period = || duration(60.0);
        prop_oneof![
            Just(TimeSystem::Unlimited),
            main().prop_map(|main| TimeSystem::Absolute { main }),
            (main(), period(), 1..30u32).prop_map(|(main, period, stones)| TimeSystem::Canadian {
                main,
                period,
                stones
            }),
            (main(), period(), 1..10u32).prop_map(|(main, period, periods)| TimeSystem::Byoyomi {
                main,
                period,
                periods
            }),
            (main(), period(), proptest::option::of(main())).prop_map(|(main, increment, cap)| {
                TimeSystem::Fischer { main, increment, cap, max_move: cap }
            }),
        ]
    }

    proptest! {
        #[test]
        fn a_share_never_uses_up_the_clock(
            system in system(),
            used in proptest::collection::vec(duration(100.0), 0..20),
            moves_left in 0..400u32,
        ) {
            let params = TimeParams::default();
            let mut clock = Clock::new(system);
            for used in used {
                clock.spend(used);
            }
            let before = clock;
            let time = thinking_time(&clock, moves_left, &params);
            clock.spend(time);
            prop_assert!(
                clock.is_out_of_time() == before.is_out_of_time(),
                "{before:?} thinks {time:?} and has {clock:?}"
            );
        }

        #[test]
        fn the_lag_is_kept_in_hand(main in 1.0..3600.0, moves_left in 0..400u32) {
            let params = TimeParams::default();
            let clock = Clock::new(TimeSystem::Absolute { main: Duration::from_secs_f64(main) });
            let time = thinking_time(&clock, moves_left, &params);
            prop_assert!(time + Duration::from_millis(200) <= clock.left());
        }
    }

    #[test]
    fn shares_of_the_usual_clocks() {
        let params = TimeParams { lag_ms: 0, ..TimeParams::default() };
        let secs = Duration::from_secs;
        let think = |system, moves_left| {
            let time = thinking_time(&Clock::new(system), moves_left, &params);
            if system == TimeSystem::Unlimited { time } else { time + MARGIN }
        };
        assert_eq!(think(TimeSystem::Unlimited, 30), secs(5));
        assert_eq!(think(TimeSystem::Absolute { main: secs(300) }, 30), secs(10));
        // Near the end the main time is still divided by the least number of moves.
        assert_eq!(think(TimeSystem::Absolute { main: secs(60) }, 3), secs(5));
        let fischer =
            TimeSystem::Fischer { main: secs(60), increment: secs(3), cap: None, max_move: None };
        assert_eq!(think(fischer, 30), secs(5));
        let byoyomi = TimeSystem::Byoyomi { main: secs(0), period: secs(10), periods: 5 };
        assert_eq!(think(byoyomi, 30), secs(10));
        let canadian = TimeSystem::Canadian { main: secs(0), period: secs(60), stones: 20 };
        assert_eq!(think(canadian, 30), secs(3));
    }
}
