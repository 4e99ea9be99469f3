use std::time::Duration;

use super::*;
use crate::timeman::table::{Curve, Estimate, TableGame};

/// A table with the paper's examples for 13x13: EXP-MOVES expects 71 moves at the first turn and 27
/// after 90 moves, EXP-SIM 63 with simulated games of 200 moves and 28 with 60, EXP-STONES 50 with
/// 40 stones and 12 with 140.
fn paper_table() -> Table {
    let rows = |pairs: &[(f64, f64)]| Estimate {
        error: 14.0,
        rows: pairs.iter().map(|&(key, moves)| [key, moves, moves, moves + 20.0]).collect(),
    };
    Table {
        format: 1,
        game: TableGame::Go,
        area: 169,
        games: 1000,
        source: "examples in the paper".to_owned(),
        length: vec![100.0, 150.0, 200.0],
        stones: Curve(vec![[0.0, 0.0], [200.0, 150.0]]),
        by_moves: rows(&[(0.0, 71.0), (90.0, 27.0)]),
        by_stones: rows(&[(40.0, 50.0), (140.0, 12.0)]),
        by_playouts: Some(rows(&[(60.0, 28.0), (200.0, 63.0)])),
        criticality: Some(Curve(vec![[0.0, 0.2], [100.0, 0.4]])),
    }
}

const NOTHING: Memory =
    Memory { fraction: 1.0, criticality: None, playout_length: None, win_rate: None };

fn at(moves: u32, stones: u32) -> Situation {
    Situation { area: 169, stones, moves }
}

/// What a strategy gives of 300 seconds in sudden death.
fn of_300(strategy: &str, at: Situation, memory: Memory) -> f64 {
    let clock = Clock::new(TimeSystem::Absolute { main: Duration::from_secs(300) });
    let purse = Purse::of(&clock).unwrap();
    let strategy = strategy.parse().unwrap();
    allot(&strategy, &clock, &purse, 300.0, (&at, &memory, &paper_table())).seconds
}

fn check(strategy: &str, at: Situation, expected: f64) {
    let found = of_300(strategy, at, NOTHING);
    assert!((found - expected).abs() < 1e-9, "{strategy} gives {found}, not {expected}");
}

#[test]
fn equation_1_with_three_estimators() {
    check("EXP-MOVES", at(0, 0), 300.0 / 71.0);
    check("EXP-MOVES", at(90, 80), 300.0 / 27.0);
    check("EXP-MOVES", at(45, 0), 300.0 / 49.0);
    check("EXP-STONES", at(45, 40), 300.0 / 50.0);
    check("EXP-STONES", at(200, 140), 300.0 / 12.0);
    let simulated = |length| Memory { playout_length: Some(length), ..NOTHING };
    let found = of_300("EXP-SIM", at(10, 10), simulated(200.0));
    assert!((found - 300.0 / 63.0).abs() < 1e-9);
    assert!((of_300("EXP-SIM", at(10, 10), simulated(60.0)) - 300.0 / 28.0).abs() < 1e-9);
    // Without simulated games, by the stones.
    check("EXP-SIM", at(10, 40), 300.0 / 50.0);
}

#[test]
fn equations_2_to_4() {
    check("OPEN", at(45, 40), 2.5 * 6.0);
    // The bell has its height at move 40 and a = 2: three times the time.
    check("MID", at(39, 40), 3.0 * 6.0);
    // One width away: 1 + 2 e^(-1/2).
    check("MID", at(59, 40), (1.0 + 2.0 * (-0.5f64).exp()) * 6.0);
}

#[test]
fn equations_6_and_7() {
    // The table says 0.3 after 50 moves: 0.3 · 8.33 - 0.67 = 1.829.
    check("KAPPA-EXP", at(50, 40), 1.829 * 6.0);
    let last = |kappa| Memory { criticality: Some(kappa), ..NOTHING };
    let found = |kappa| of_300("KAPPA-LM", at(50, 40), last(kappa));
    assert!((found(0.3) - 1.829 * 6.0).abs() < 1e-9);
    assert!((found(0.0) - 0.25 * 6.0).abs() < 1e-9, "not below a quarter");
    assert!((found(5.0) - 10.0 * 6.0).abs() < 1e-9, "not above ten times");
    check("KAPPA-LM", at(50, 40), 6.0);
    check("KAPPA-EXP low=2 high=1", at(50, 40), 12.0);
}

#[test]
fn equations_9_to_11() {
    check("STOP", at(45, 40), 2.5 * 6.0);
    check("STOP_B", at(45, 40), 2.0 * 6.0);
    check("STOP_A", at(45, 40), 6.0);
    check("STOP-19", at(45, 40), 2.2 * 6.0);
    check("ERICA-BASIC", at(45, 40), 300.0 / 30.0);
    check("ERICA-ENHANCED", at(0, 0), 300.0 / 60.0);
    check("ERICA-ENHANCED", at(30, 30), 300.0 / 30.0);
    check("ERICA-BASELINE", at(90, 90), 300.0 / 20.0);
    check("ERICA-BASELINE-19", at(10, 10), 300.0 / 160.0);
    check("FRACTION fraction=0.1", at(10, 10), 30.0);
}

#[test]
fn what_stopping_saves_is_planned_in_advance() {
    let plan = |fraction| of_300("tedomari front=1", at(45, 40), Memory { fraction, ..NOTHING });
    assert!((plan(1.0) - 6.0).abs() < 1e-9);
    assert!((plan(0.5) - 12.0).abs() < 1e-9);
    assert!((plan(0.01) - 6.0 / 0.34).abs() < 1e-9, "not below the floor");
    let decided = Memory { win_rate: Some(0.01), ..NOTHING };
    assert!((of_300("tedomari front=1", at(45, 40), decided) - 3.0).abs() < 1e-9);
}

/// Shares of the first move and of the 31st ply on 9x9, and what is left after 56 plies without
/// captures, as worked out from the documentation of these programs.
#[test]
fn rivals_share_as_they_are_known_to() {
    for (name, first, later, unused) in
        [("KATAGO", 2.1, 3.0, 42.0), ("LEELA-ZERO", 4.5, 11.1, 5.0), ("PACHI", 3.1, 3.3, 39.0)]
    {
        let on_9x9 = |ply| Situation { area: 81, stones: ply, moves: ply };
        let share = |ply| of_300(name, on_9x9(ply), NOTHING) / 300.0;
        assert!((100.0 * share(0) - first).abs() < 0.06, "{name}: {}", share(0));
        assert!((100.0 * share(30) - later).abs() < 0.06, "{name}: {}", share(30));
        let left: f64 = (0..28).map(|own| 1.0 - share(2 * own)).product();
        assert!((100.0 * left - unused).abs() < 1.0, "{name}: {left}");
    }
}

#[test]
fn other_clocks() {
    let secs = Duration::from_secs;
    let of = |strategy: &str, system, pool| {
        let clock = Clock::new(system);
        let purse = Purse::of(&clock).unwrap();
        let known = (&at(45, 40), &NOTHING, &paper_table());
        allot(&strategy.parse().unwrap(), &clock, &purse, pool, known).seconds
    };
    let fischer =
        TimeSystem::Fischer { main: secs(300), increment: secs(2), cap: None, max_move: None };
    assert!((of("EXP-STONES", fischer, 300.0) - 8.0).abs() < 1e-9);
    assert!((of("STOP", fischer, 300.0) - 20.0).abs() < 1e-9);
    let canadian = TimeSystem::Canadian { main: secs(0), period: secs(60), stones: 20 };
    for name in ["EXP-STONES", "ERICA-BASIC", "KATAGO"] {
        assert!((of(name, canadian, 60.0) - 3.0).abs() < 1e-9, "{name}");
    }
    // A period of ten seconds is used.
    let byoyomi = TimeSystem::Byoyomi { main: secs(0), period: secs(10), periods: 3 };
    assert!((of("EXP-STONES", byoyomi, 0.0) - 10.0).abs() < 1e-9);
    // KataGo: main/(e · period) = 11 moves, stretched to 19.3.
    let main = TimeSystem::Byoyomi { main: secs(300), period: secs(10), periods: 3 };
    let moves = 1.75 * 300.0 / (10.0 * std::f64::consts::E);
    assert!((of("KATAGO", main, 300.0) - 300.0 / moves).abs() < 1e-9);
}
