use proptest::prelude::*;

use super::*;

fn tables(e: u16, k: f64) -> Wls<u16> {
    Wls::with_states(e, k).unwrap()
}

/// All states but 0/0, in order.
fn seen(wls: &Wls<u16>) -> std::ops::Range<u16> {
    1..u16::try_from(wls.states()).unwrap()
}

#[test]
fn the_automaton_of_figure_1() {
    let wls = Wls::new(3, 1.3).unwrap();
    let order = [(0, 0), (0, 3), (0, 2), (0, 1), (1, 3), (1, 2), (2, 3), (1, 1), (2, 2), (3, 3)];
    assert_eq!(*wls.proportions, order);
    assert_eq!(*wls.win, [7, 3, 4, 5, 5, 6, 8, 8, 9, 9]);
    assert_eq!(*wls.loss, [3, 1, 1, 2, 2, 4, 5, 5, 6, 7]);
}

#[test]
fn a_scale_of_21_fills_a_byte() {
    let wls = Wls::new(21, 1.3).unwrap();
    assert_eq!(wls.states(), 253);
    assert_eq!(wls.index_of_half(), 122);
    assert_eq!(wls.index_of(1, 2), Some(122));
    assert_eq!(wls.index_of(21, 21), Some(252));
    assert_eq!(wls.index_of(0, 21), Some(1));
    assert_eq!(wls.index_of(0, 22), None);
    assert_eq!(wls.index_of(3, 2), None);
    assert_eq!(wls.rate(0), None);
    for (n, m) in (0..=21).flat_map(|m| (0..=m).map(move |n| (n, m))) {
        assert_eq!(wls.proportion(wls.index_of(n, m).unwrap()), (n, m));
    }
    // What is stored is a byte, where wins and visits take two words.
    assert_eq!(size_of_val(&wls.win(0)) * 8, size_of::<(u32, u32)>());
}

#[test]
fn impossible_ones_are_refused() {
    assert_eq!(Wls::new(0, 1.3).unwrap_err(), WlsError::Scale { e: 0, longest: 21 });
    assert!(Wls::new(22, 1.3).unwrap_err().to_string().contains("1 to 21"));
    assert!(Wls::<u16>::with_states(360, 1.3).is_ok());
    assert!(Wls::<u16>::with_states(361, 1.3).is_err());
    for k in [-0.1, 2.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(Wls::new(21, k), Err(WlsError::Jump { .. })), "{k}");
    }
}

#[test]
fn evidence_grows_with_visits() {
    let rising = [(3, 4), (6, 8), (9, 12), (12, 16), (15, 20)];
    assert!(rising.windows(2).all(|w| confidence(w[0].0, w[0].1) < confidence(w[1].0, w[1].1)));
    let falling = [(1, 4), (2, 8), (3, 12), (4, 16), (5, 20)];
    assert!(falling.windows(2).all(|w| confidence(w[0].0, w[0].1) > confidence(w[1].0, w[1].1)));
    // By hand for 1/2: m^ = 2.454937, p^ = 1/2, CI = 0.67449 * 0.5 / sqrt(2.454937).
    assert!((confidence(1, 2) - (0.5 - 0.67449 * 0.5 / 2.454_936_8f64.sqrt())).abs() < 1e-6);
}

/// With K = 1, the paper's example: a loss at 21/21 goes back to about half the visits, and another
/// eleven wins in a row lead back.
#[test]
fn extreme_states_must_be_confirmed() {
    let wls = Wls::new(21, 1.0).unwrap();
    let top = wls.index_of(21, 21).unwrap();
    let back = wls.loss(top);
    let (n, m) = wls.proportion(back);
    assert_eq!((n, m), (11, 11));
    let again = (0..10).fold(back, |state, _| wls.win(state));
    assert_eq!(again, top);
    assert_ne!((0..9).fold(back, |state, _| wls.win(state)), top);
}

#[test]
fn a_jump_of_zero_counts() {
    let wls = Wls::new(21, 0.0).unwrap();
    for n in 0..=21 {
        let state = wls.index_of(n, 21).unwrap();
        assert_eq!(wls.proportion(wls.win(state)), (21.min(n + 1), 21));
        assert_eq!(wls.proportion(wls.loss(state)), (n.saturating_sub(1), 21));
    }
}

#[test]
fn conditions_1_to_3_hold_for_all_scales() {
    for e in 1..=60 {
        let wls = tables(e, 1.3);
        assert_eq!(wls.states(), usize::from(e + 1) * usize::from(e + 2) / 2);
        let (inf, sup) = (1, seen(&wls).end - 1);
        for state in seen(&wls) {
            let (n, m) = wls.proportion(state);
            // 1: a total order by confidence, losing states before the others.
            if state > inf {
                let (a, b) = wls.proportion(state - 1);
                assert!(confidence(a, b) < confidence(n, m), "{a}/{b} and {n}/{m} of {e}");
            }
            assert_eq!(state >= wls.index_of_half(), 2 * n >= m);
            assert_eq!(wls.update(state, true), wls.win(state));
            assert_eq!(wls.update(state, false), wls.loss(state));
            // 2: a win raises, a loss lowers, but at the ends.
            let (win, loss) = (wls.win(state), wls.loss(state));
            assert!(win > state || state == sup && win == sup, "win at {n}/{m} of {e}");
            assert!(loss < state || state == inf && loss == inf, "loss at {n}/{m} of {e}");
            assert!(loss > 0);
            // 3: below the end of scale it counts.
            if m < e {
                assert_eq!(wls.proportion(win), (n + 1, m + 1));
                assert_eq!(wls.proportion(loss), (n, m + 1));
            }
        }
        assert_eq!(wls.proportion(wls.win(0)), (1, 1));
        assert_eq!(wls.proportion(wls.loss(0)), (0, 1));
    }
}

proptest! {
    /// Whatever the jumps, a win raises and a loss lowers.
    #[test]
    fn condition_2_holds_for_all_jumps(e in 1u16..=60, k in 0.0f64..=2.0) {
        let wls = tables(e, k);
        let sup = seen(&wls).end - 1;
        for state in seen(&wls) {
            prop_assert!(wls.win(state) > state || state == sup && wls.win(state) == sup);
            prop_assert!(wls.loss(state) < state || state == 1 && wls.loss(state) == 1);
        }
    }

    #[test]
    fn a_scale_of_1_is_the_last_good_reply_with_forgetting(
        games in prop::collection::vec((0usize..8, 0usize..4, any::<bool>()), 0..200)
    ) {
        // A reply is played when its state is above the threshold; the reference keeps the set of
        // replies that won last, forgetting those that lose.
        let wls = Wls::new(1, 1.3).unwrap();
        prop_assert_eq!(wls.states(), 3);
        let mut states = [[0u8; 4]; 8];
        let mut good = std::collections::HashSet::new();
        for (previous, reply, won) in games {
            let state = &mut states[previous][reply];
            if won {
                *state = wls.win(*state);
                good.insert((previous, reply));
            } else {
                *state = wls.loss(*state);
                good.remove(&(previous, reply));
            }
            for (previous, row) in states.iter().enumerate() {
                for (reply, &state) in row.iter().enumerate() {
                    let played = state >= wls.index_of_half();
                    prop_assert_eq!(played, good.contains(&(previous, reply)));
                }
            }
        }
    }
}
