use proptest::prelude::*;

use super::*;
use crate::game::Move;
use crate::uncertainty::Step;

/// A trace over three moves.
pub(super) fn trace(steps: &[(u16, f32)]) -> Trace {
    let moves = (0..3).map(|code| (Move::from_code(code), 0.5_f32.powi(i32::from(code)))).collect();
    let steps = steps.iter().map(|&(first, value)| Step { first, value }).collect();
    Trace { moves, steps, proven: Vec::new() }
}

#[test]
fn a_search_worked_out_by_hand() {
    // Values in the end: move 0 has (0.2 + 0.0) / 2 = 0.1, move 1 has (0.5 + 0.7 + 0.6) / 3 = 0.6.
    let trace = trace(&[(0, 0.2), (1, 0.5), (0, 0.0), (1, 0.7), (1, 0.6)]);
    let labels = Labels::new(&trace);
    // n = 1: the highest prior; n = 3 and 5: equal visits keep the leader.
    assert_eq!(trace.leaders(), [0, 0, 0, 0, 0, 1]);
    let regrets: Vec<_> = (1..=6).map(|n| labels.regret(n)).collect();
    for (n, expected) in [0.5, 0.5, 0.5, 0.5, 0.5, 0.0].into_iter().enumerate() {
        assert!((regrets[n] - expected).abs() < 1e-6, "{regrets:?}");
    }
    assert_eq!((labels.minimum(0.05), labels.minimum(0.6)), (6, 1));
    // 0.5 is the most that networks tell.
    assert!((labels.loss(1, 0.5) - 1.0).abs() < 1e-6 && labels.loss(6, 0.5).abs() < 1e-6);
    assert!(labels.is_uncertain(5, 0.05) && !labels.is_uncertain(6, 0.05));
    assert!(labels.changes(5) && !labels.changes(6));
}

#[test]
fn a_move_that_was_never_visited_loses() {
    // The highest prior gets no visit: stopping at once would play a move worth -1.
    let labels = Labels::new(&trace(&[(1, -0.5), (1, -0.5)]));
    assert!((labels.regret(1) - 0.5).abs() < 1e-9);
    assert_eq!(labels.minimum(0.05), 2);
    // Without any simulation there is nothing to lose.
    assert_eq!(Labels::new(&trace(&[])).minimum(0.05), 1);
}

#[test]
fn what_is_proven_counts_instead_of_values() {
    // Move 0 is proven to lose at its third visit, after four simulations; its values were good.
    let steps = [(0, 0.8), (0, 0.8), (0, -1.0), (1, 0.1), (2, 0.2), (2, 0.2)];
    let lost = Trace { proven: vec![(0, false)], ..trace(&steps) };
    assert_eq!(lost.leaders(), [0, 0, 0, 1, 1, 1, 2]);
    let labels = Labels::new(&lost);
    assert!((labels.regret(3) - 1.2).abs() < 1e-6, "{}", labels.regret(3));
    assert!((labels.regret(4) - 0.1).abs() < 1e-6);
    assert_eq!(labels.minimum(0.5), 4);
    // The last simulation shows that move 2 wins, and that is the end.
    let won = Trace { proven: vec![(2, true)], ..trace(&[(0, 0.5), (0, 0.5), (2, 1.0)]) };
    assert_eq!(won.leaders(), [0, 0, 0, 2]);
    let labels = Labels::new(&won);
    assert!((labels.regret(3) - 0.5).abs() < 1e-6 && labels.regret(4).abs() < 1e-9);
    // Where everything loses nothing is to be lost.
    let proven = vec![(0, false), (1, false), (2, false)];
    let all = Trace { proven, ..trace(&[(0, 0.5), (1, -1.0), (2, -1.0), (0, -1.0)]) };
    let labels = Labels::new(&all);
    assert!((1..=5).all(|n| labels.regret(n).abs() < 1e-9));
}

#[test]
fn another_move_that_is_as_good_is_no_change_that_matters() {
    let labels = Labels::new(&trace(&[(0, 0.50), (1, 0.52), (1, 0.52)]));
    assert!(labels.changes(1));
    assert_eq!((labels.minimum(0.05), labels.minimum(0.01)), (1, 4));
}

#[test]
fn the_checkpoint_of_equation_seven() {
    // Three of four positions need 1, one needs all: at n = 2 the average is (3 · 2 + 10) / 4.
    let minima = [1, 1, 1, 10];
    assert!((expected_simulations(&minima, 10, 1.0, 2) - 4.0).abs() < 1e-9);
    assert!((expected_simulations(&minima, 10, 0.5, 2) - 7.0).abs() < 1e-9);
    assert_eq!(best_checkpoint(&minima, 10), 2);
    // Nothing can be saved.
    assert_eq!(best_checkpoint(&[10, 11], 10), 1);
}

proptest! {
    #[test]
    fn uncertainty_is_a_step(steps in prop::collection::vec((0_u16..3, -1.0_f32..1.0), 0..60)) {
        let labels = Labels::new(&trace(&steps));
        for epsilon in [0.02, 0.05, 0.1, 0.2] {
            let minimum = labels.minimum(epsilon);
            prop_assert!(minimum <= labels.most());
            for n in 1..=labels.most() {
                // Equation 3 as it is written.
                let exists = (n..=labels.most()).any(|later| labels.regret(later) >= epsilon);
                prop_assert_eq!(labels.is_uncertain(n, epsilon), exists);
                prop_assert_eq!(exists, n < minimum);
            }
        }
    }

    /// Lemma 1: the best checkpoint is the same however good the predictor is.
    #[test]
    fn the_best_checkpoint_does_not_depend_on_alpha(
        minima in prop::collection::vec(1_usize..=40, 1..50),
        alpha in 0.01..=1.0_f64,
    ) {
        let best = best_checkpoint(&minima, 40);
        let least = |alpha| {
            let all = (1..=40).map(|n| expected_simulations(&minima, 40, alpha, n));
            all.fold(f64::INFINITY, f64::min)
        };
        for alpha in [alpha, 1.0] {
            let found = expected_simulations(&minima, 40, alpha, best);
            prop_assert!((found - least(alpha)).abs() < 1e-9);
        }
        // A predictor that finds nothing stops nothing, wherever it is asked.
        prop_assert!((expected_simulations(&minima, 40, 0.0, best) - 40.0).abs() < 1e-9);
    }
}
