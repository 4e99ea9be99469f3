use super::*;
use crate::eval::{Evaluator, HashedEvaluator};
use crate::game::{BoardSize, Komi, Move, Position, Rules};
use crate::search::{SearchParams, Stepper};
use crate::uncertainty::{Step, Trace};
use crate::util::Seed;

fn board() -> BoardSize {
    BoardSize::new(2, 2).unwrap()
}

/// Two points and the pass.
fn trace(steps: &[(u16, f32)]) -> Trace {
    let point = |offset| Move::Place(board().point_at_offset(offset).unwrap());
    let moves = vec![(point(3), 0.5), (Move::Pass, 0.3), (point(0), 0.2)];
    let steps = steps.iter().map(|&(first, value)| Step { first, value }).collect();
    Trace { moves, steps, proven: Vec::new() }
}

fn of(trace: &Trace, n: usize) -> Vec<f32> {
    features(4, &trace.tallies(board(), n), &trace.tallies(board(), n / 2))
}

#[track_caller]
fn check(found: &[f32], expected: [[f32; CHANNELS]; 4]) {
    for (found, expected) in found.iter().zip(expected.as_flattened()) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }
}

const NOWHERE: [f32; CHANNELS] = [0.0, 0.0, -1.0, 1.0, 0.0, -1.0, 1.0];

#[test]
fn golden_tensors() {
    let steps = [(0, 0.5), (2, -0.5), (0, 0.1), (1, 0.3), (2, 0.5), (2, 0.0), (0, 0.3), (2, 0.0)];
    let trace = trace(&steps);
    // One visit, in the latest half.
    check(
        &of(&trace, 2),
        [
            [0.2, 0.0, -1.0, 1.0, 0.0, -1.0, 1.0],
            NOWHERE,
            NOWHERE,
            [0.5, 1.0, 0.5, 0.0, 1.0, 0.5, 0.0],
        ],
    );
    // The half of three is the simulations 2 and 3, both of which have a move.
    check(
        &of(&trace, 3),
        [
            [0.2, 0.5, -0.5, 0.0, 0.5, -0.5, 0.0],
            NOWHERE,
            NOWHERE,
            [0.5, 0.5, 0.5, 0.0, 0.5, 0.5, 0.0],
        ],
    );
    // Nine: 5 to 9 are the latest half; the pass has visits but no place. Deviations: of -0.5, 0.5,
    // 0, 0 it is sqrt(0.125), of 0.5, 0, 0 sqrt(0.25/3 - 0.25/9), of 0.5, 0.1, 0.3 sqrt(0.08/3).
    check(
        &of(&trace, 9),
        [
            [0.2, 0.5, 0.0, 0.125_f32.sqrt(), 0.6, 1.0 / 6.0, (0.5_f32 / 9.0).sqrt()],
            NOWHERE,
            NOWHERE,
            [0.5, 0.375, 0.3, (0.08_f32 / 3.0).sqrt(), 0.2, 0.3, 0.0],
        ],
    );
    // Nothing at all.
    check(
        &of(&trace, 1),
        [
            [0.2, 0.0, -1.0, 1.0, 0.0, -1.0, 1.0],
            NOWHERE,
            NOWHERE,
            [0.5, 0.0, -1.0, 1.0, 0.0, -1.0, 1.0],
        ],
    );
}

#[test]
fn the_latest_half_is_twice_the_whole_less_the_first() {
    // Eight visits of which four are the first half: 2 π(n) - π(n/2).
    let steps = [(0, 0.0), (2, 0.0), (2, 0.0), (0, 0.0), (0, 0.0), (0, 0.0), (2, 0.0), (0, 0.0)];
    let trace = trace(&steps);
    let (now, half) = (trace.tallies(board(), 9), trace.tallies(board(), 5));
    let planes = features(4, &now, &half);
    let share = |tallies: &[Tally], index: usize, all: f32| tallies[index].visits as f32 / all;
    for (index, point) in [(0, 3), (2, 0)] {
        let expected = 2.0 * share(&now, index, 8.0) - share(&half, index, 4.0);
        assert!((planes[CHANNELS * point + 4] - expected).abs() < 1e-6);
    }
}

#[test]
fn nothing_tells_how_many_simulations_were_done() {
    let steps = [(0, 0.5), (2, -0.5), (0, 0.1), (1, 0.3)];
    let twice: Vec<_> = steps.iter().flat_map(|&step| [step, step]).collect();
    let tallies = |steps: &[(u16, f32)]| trace(steps).tallies(board(), steps.len() + 1);
    let none = trace(&[]).tallies(board(), 1);
    let once = features(4, &tallies(&steps), &none);
    let doubled = features(4, &tallies(&twice), &none);
    for channel in [0, 1, 2] {
        for point in 0..4 {
            let at = CHANNELS * point + channel;
            assert!((once[at] - doubled[at]).abs() < 1e-6);
        }
    }
}

/// The tree and the trace tell the same, at every number of simulations.
#[test]
fn the_tree_and_the_trace_agree() {
    let size = BoardSize::square(5).unwrap();
    for rules in [Rules::TROMP_TAYLOR, Rules::NOGO] {
        let position = Position::new(size, rules, Komi::from_points(0.5).unwrap());
        let params = SearchParams {
            threads: 1,
            max_simulations: 160,
            trace: 160,
            ..SearchParams::default()
        };
        let mut stepper = Stepper::new(position.clone(), params, Seed::new(1).rng());
        let mut seen = Vec::new();
        while let Some(leaf) = stepper.leaf() {
            let answer = HashedEvaluator.evaluate(&[leaf]).unwrap().swap_remove(0);
            stepper.answer(&answer);
            seen.push(stepper.tallies());
        }
        let trace = Trace::new(size, &stepper.tallies(), &stepper.trace()).unwrap();
        assert_eq!(trace.simulations(), 160);
        for n in [2, 3, 10, 77, 160] {
            let by_tree = features(25, &seen[n - 1], &seen[(n / 2).max(1) - 1]);
            let by_trace =
                features(25, &trace.tallies(size, n), &trace.tallies(size, (n / 2).max(1)));
            for (tree, trace) in by_tree.iter().zip(&by_trace) {
                assert!((tree - trace).abs() < 2e-4, "{n}: {tree} {trace}");
            }
        }
    }
}
