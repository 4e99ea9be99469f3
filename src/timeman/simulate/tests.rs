use proptest::prelude::*;

use super::*;
use crate::timeman::{PRESETS, TableGame, TimeParams};

fn manager(strategy: &str, table: &Table) -> Manager {
    let params = TimeParams { strategy: strategy.to_owned(), ..TimeParams::default() };
    Manager::new(&params, table.clone(), Seed::new(1))
}

fn secs(s: f64) -> Duration {
    Duration::from_secs_f64(s)
}

fn duration(max: f64) -> impl Strategy<Value = Duration> {
    prop_oneof![Just(0.0), 0.0..max].prop_map(secs)
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

fn preset() -> impl Strategy<Value = &'static str> {
    (0..PRESETS.len()).prop_map(|k| PRESETS[k].name)
}

fn situation() -> impl Strategy<Value = Situation> {
    (0..400u32, 0..=81u32).prop_map(|(moves, stones)| Situation {
        area: 81,
        stones: stones.min(moves),
        moves,
    })
}

proptest! {
    #[test]
    fn a_plan_fits_the_clock(
        system in system(),
        used in proptest::collection::vec(duration(100.0), 0..20),
        name in preset(),
        at in situation(),
        lags in proptest::collection::vec(0.0..0.2f64, 0..5),
    ) {
        let table = Table::built_in(TableGame::Go, 81);
        let mut manager = manager(name, &table);
        let mut clock = Clock::new(system);
        for used in used {
            clock.spend(used);
        }
        for lag in lags {
            let mut told = clock;
            manager.correct(&mut told, clock.left().as_secs_f64() - lag, clock.overtime());
        }
        let plan = manager.plan(&clock, &at).budget;
        prop_assert!(plan.minimum <= plan.planned && plan.planned <= plan.hard);
        if let Some(purse) = crate::timeman::Purse::of(&clock) {
            // 200 ms and a margin are kept in hand, or half of what there is.
            let kept = purse.available.saturating_sub(Duration::from_millis(210));
            prop_assert!(plan.hard <= kept.max(purse.available / 2));
            let before = clock;
            clock.spend(plan.hard);
            prop_assert!(
                clock.is_out_of_time() == before.is_out_of_time(),
                "{before:?} thinks {plan:?} and has {clock:?}"
            );
        }
    }

    #[test]
    fn more_time_is_never_less_thought(
        system in system(),
        name in preset(),
        at in situation(),
        left in (0.0..3600.0f64, 0.0..3600.0f64),
        overtime in 0..4u32,
    ) {
        let manager = manager(name, &Table::built_in(TableGame::Go, 81));
        let plan = |seconds| {
            let mut clock = Clock::new(system);
            clock.set_left(seconds, overtime);
            manager.plan(&clock, &at).budget
        };
        let (less, more) = (left.0.min(left.1).max(0.001), left.0.max(left.1).max(0.001));
        // Nanoseconds are rounded.
        let slack = Duration::from_nanos(10);
        prop_assert!(plan(less).planned <= plan(more).planned + slack);
        prop_assert!(plan(less).hard <= plan(more).hard + slack);
    }

    #[test]
    fn no_strategy_oversteps(
        name in preset(),
        kind in 0..4usize,
        lag in 0.0..0.2f64,
        tells in prop_oneof![Just(Tells::Nothing), Just(Tells::Seconds), Just(Tells::Exactly)],
        stretch in 0.5..3.0f64,
        spare in 1.0..20.0f64,
        allowed in 0.0..1.0f64,
        seed in any::<u64>(),
    ) {
        let table = Table::built_in(TableGame::Go, 81);
        let mut model = GameModel::synthetic(&table, 1, stretch, Seed::new(seed));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "moves")]
        model.games[0].truncate((6.0 * table.own_moves()) as usize);
        // The lag alone must not use up the clock, and it takes some moves to see it.
        let moves = 3.0 * table.own_moves() + 1.0;
        let room = if tells == Tells::Seconds { 4.0 } else { 2.0 };
        let main = secs(spare + room * lag * moves);
        let period = secs(1.0 + lag);
        let system = match kind {
            0 => TimeSystem::Absolute { main },
            1 => TimeSystem::Byoyomi { main: secs(spare), period, periods: 3 },
            2 => TimeSystem::Canadian { main: secs(spare), period: 5 * period, stones: 5 },
            _ => {
                let increment = secs(lag + 0.1);
                TimeSystem::Fischer { main: secs(spare), increment, cap: None, max_move: None }
            }
        };
        // Of a lag that nobody tells the own clock knows what it was told to reckon with: that or more.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 200")]
        let untold_lag_ms = ((lag + allowed * (0.2 - lag)) * 1e3).ceil() as u32;
        let params =
            TimeParams { strategy: name.to_owned(), untold_lag_ms, ..TimeParams::default() };
        let terms =
            Terms { system, lag: secs(lag), tells, rate: 5000.0, seed: Seed::new(seed) };
        let manager = Manager::new(&params, table.clone(), Seed::new(seed));
        let result = simulate(&manager, &table, &model, &terms);
        prop_assert_eq!(result.forfeits, 0, "{:?}", terms);
    }
}

#[test]
fn the_default_leaves_little_of_a_sudden_death_clock() {
    let table = Table::built_in(TableGame::Go, 81);
    let model = GameModel::synthetic(&table, 200, 1.0, Seed::new(3));
    let terms = Terms {
        system: TimeSystem::Absolute { main: secs(60.0) },
        lag: Duration::ZERO,
        tells: Tells::Nothing,
        rate: 5000.0,
        seed: Seed::new(5),
    };
    let unused = |name| simulate(&manager(name, &table), &table, &model, &terms).unused_share;
    let default = unused("tedomari");
    assert!(default < 0.1, "{default}");
    for rival in ["KATAGO", "PACHI", "EXP-STONES"] {
        assert!(unused(rival) > default, "{rival}");
    }
}

#[test]
fn it_repeats() {
    let table = Table::built_in(TableGame::NoGo, 81);
    let model = GameModel::synthetic(&table, 5, 1.0, Seed::new(3));
    let terms = Terms {
        system: TimeSystem::Absolute { main: secs(10.0) },
        lag: Duration::ZERO,
        tells: Tells::Nothing,
        rate: 5000.0,
        seed: Seed::new(5),
    };
    let run = || simulate(&manager("RANDOM+STOP", &table), &table, &model, &terms);
    assert_eq!(run(), run());
    assert_eq!(run().games, 5);
}
