use super::*;
use crate::game::{BoardSize, Komi, Move, Position, Rules};
use crate::uncertainty::{Labels, Step, Trace};

/// A search of so many simulations in which the first move leads up to a number of them.
fn state(most: usize, overtaken: usize) -> State {
    let size = BoardSize::square(3).unwrap();
    let mv = |offset| Move::Place(size.point_at_offset(offset).unwrap());
    let steps = (2..=most)
        .map(|n| {
            if n < overtaken {
                Step { first: 0, value: 0.0 }
            } else {
                Step { first: 1, value: 0.8 }
            }
        })
        .collect();
    let trace = Trace { moves: vec![(mv(4), 0.7), (mv(1), 0.3)], steps, proven: Vec::new() };
    State {
        game: 0,
        ply: 0,
        position: Position::new(size, Rules::NOGO, Komi::default()),
        planned: most,
        labels: Labels::new(&trace),
        trace,
        result: None,
    }
}

#[test]
fn stopping_is_judged_by_what_it_loses() {
    // The second move leads from 2 · 20 - 2 + 1 simulations on.
    let states = [state(100, 20), state(100, 200)];
    let judge = |stops: [usize; 2]| Replayed::new(("x", String::new()), &states, &stops, 0.05);
    let early = judge([10, 10]);
    assert!((early.ratio - 0.1).abs() < 1e-9);
    assert!((early.changed - 0.5).abs() < 1e-9 && (early.tail - 0.5).abs() < 1e-9);
    assert!((early.regret - 0.4).abs() < 1e-6);
    let late = judge([50, 10]);
    assert!((late.ratio - 0.3).abs() < 1e-9 && late.changed.abs() < 1e-9);
    assert!(late.regret.abs() < 1e-6);
}

/// In simulations STOP ends after half of the search at the earliest, and never changes the move.
#[test]
fn stop_never_changes_the_move() {
    for overtaken in [2, 10, 30, 45, 60, 101] {
        let state = state(100, overtaken);
        let n = ended_by(&mut EarlyStop { p: 1.0 }, &state);
        assert!(n >= 50, "{n}");
        assert!(!state.labels.changes(n), "overtaken at {overtaken}, stopped at {n}");
    }
}

#[test]
fn what_stands_still_is_extrapolated_alike() {
    // One move takes everything from the start: nothing will change.
    let settled = ended_by(&mut Extrapolated::new(0.1, 1.25), &state(100, 200));
    assert_eq!(settled, 20);
    // The other move is far better but has not been seen at 40 %: it is seen at 50.
    let turned = ended_by(&mut Extrapolated::new(0.1, 1.25), &state(100, 16));
    assert!(turned > 20, "{turned}");
    let visits = Extrapolated::new(0.1, 1.25).extended(&[Tally::default(); 2], 10);
    assert!((visits.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn every_rule_is_replayed() {
    let states = [state(100, 20), state(100, 200), state(100, 60)];
    let estimates = Estimates {
        at_once: vec![0.6, 0.1, 0.7],
        during: vec![(10, vec![0.7, 0.05, 0.8]), (50, vec![0.1, 0.0, 0.9])],
    };
    let replay = Replay {
        states: &states,
        estimates: &estimates,
        policies: &[(1.0, vec![0.3, 0.3, 0.3])],
        points: &[(0, 0.2), (10, 0.1), (50, 0.2)],
        epsilon: 0.05,
        c_puct: 1.25,
    };
    let all = replay.all();
    for name in ["fixed", "random", "STOP", "KLD", "V-MCTS", "PV-NN tau 1.00", "State-UN"] {
        assert!(all.iter().any(|row| row.rule == name), "{name}");
    }
    let whole = all.iter().rfind(|row| row.rule == "profile").unwrap();
    // Stops at 50, 1 and 100.
    assert!((whole.ratio - 1.51 / 3.0).abs() < 1e-9, "{whole:?}");
    assert!(whole.tail.abs() < 1e-9);
    assert!(all.iter().all(|row| (0.0..=1.0).contains(&row.ratio)));
}
