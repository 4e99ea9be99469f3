//! What a clock offers for the next move, whatever its system.

use std::time::Duration;

use super::clock::{Clock, TimeSystem};

/// What a clock offers for the next move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Purse {
    /// Time that this move and those to come share.
    pub pool: Duration,
    /// How many moves share it, where the clock itself says so.
    pub moves: Option<u32>,
    /// Time that this move gets beside its share.
    pub gift: Duration,
    /// The most that the move can take without overstepping.
    pub available: Duration,
    /// Of that, what is lost if the move does not use it.
    pub fleeting: Duration,
}

impl Purse {
    /// What a clock offers; none without a limit.
    #[must_use]
    pub fn of(clock: &Clock) -> Option<Self> {
        let left = clock.left();
        let whole = Self {
            pool: left,
            moves: None,
            gift: Duration::ZERO,
            available: left,
            fleeting: Duration::ZERO,
        };
        let in_main_time = clock.overtime() == 0;
        Some(match clock.system() {
            TimeSystem::Unlimited => return None,
            TimeSystem::Absolute { .. } => whole,
            TimeSystem::Fischer { increment, cap, max_move, .. } => Self {
                gift: increment.min(left),
                available: max_move.map_or(left, |most| most.min(left)),
                // What would go over the cap after the move.
                fleeting: cap
                    .map_or(Duration::ZERO, |cap| (left + increment).saturating_sub(cap.max(left))),
                ..whole
            },
            TimeSystem::Canadian { period, stones, .. } if in_main_time => {
                let gift = period / stones.max(1);
                Self { gift, available: left + gift, ..whole }
            }
            TimeSystem::Canadian { .. } => {
                let stones = clock.overtime();
                let fleeting = if stones == 1 { left } else { Duration::ZERO };
                Self { moves: Some(stones), fleeting, ..whole }
            }
            // A move that ends inside the first period loses none.
            TimeSystem::Byoyomi { period, .. } if in_main_time => {
                Self { gift: period, available: left + period, ..whole }
            }
            // Further periods are kept in hand: to touch one is to lose all of it.
            TimeSystem::Byoyomi { .. } => {
                Self { pool: Duration::ZERO, gift: left, fleeting: left, ..whole }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_time_systems_offer() {
        let secs = Duration::from_secs;
        let offer = |system| Purse::of(&Clock::new(system)).unwrap();
        assert_eq!(Purse::of(&Clock::new(TimeSystem::Unlimited)), None);
        let absolute = offer(TimeSystem::Absolute { main: secs(60) });
        assert_eq!(
            (absolute.pool, absolute.gift, absolute.available),
            (secs(60), secs(0), secs(60))
        );
        let fischer = TimeSystem::Fischer {
            main: secs(60),
            increment: secs(3),
            cap: Some(secs(61)),
            max_move: Some(secs(20)),
        };
        let fischer = offer(fischer);
        assert_eq!((fischer.gift, fischer.available), (secs(3), secs(20)));
        assert_eq!(fischer.fleeting, secs(2), "62 to 63 seconds would be over the cap");
        let canadian = |main| TimeSystem::Canadian { main, period: secs(60), stones: 20 };
        assert_eq!(offer(canadian(secs(9))).available, secs(12));
        let overtime = offer(canadian(secs(0)));
        assert_eq!(
            (overtime.pool, overtime.moves, overtime.fleeting),
            (secs(60), Some(20), secs(0))
        );
        let mut last = Clock::new(canadian(secs(0)));
        last.set_left(7.0, 1);
        assert_eq!(Purse::of(&last).unwrap().fleeting, secs(7));
        let byoyomi = |main| TimeSystem::Byoyomi { main, period: secs(10), periods: 3 };
        assert_eq!(offer(byoyomi(secs(9))).available, secs(19));
        let overtime = offer(byoyomi(secs(0)));
        assert_eq!((overtime.gift, overtime.available), (secs(10), secs(10)));
        assert_eq!(overtime.fleeting, secs(10));
    }
}
