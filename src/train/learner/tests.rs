use super::*;
use crate::game::{BoardSize, Komi, Move, Position, Rules, Symmetry};
use crate::nn::features::{GLOBALS, encode};
use crate::nn::random_weights;
use crate::train::Learnt;
use crate::util::Seed;

fn shape() -> NetShape {
    NetShape {
        blocks: 1,
        filters: 4,
        pool_every: 1,
        head_filters: 4,
        value_neurons: 4,
        extra_planes: 2,
    }
}

/// Three positions without symmetry, of which an extra plane tells the uncertainty.
fn batch() -> Batch {
    let size = BoardSize::square(5).unwrap();
    let mut position = Position::new(size, Rules::TROMP_TAYLOR, Komi::from_points(0.5).unwrap());
    let channels = shape().planes();
    let mut batch = Batch::empty(size, channels);
    for (offset, number, uncertainty) in [(6, 1.0, 1.0), (8, 0.0, 0.0), (11, 0.5, 1.0)] {
        let mv = |offset| Move::Place(size.point_at_offset(offset).unwrap());
        position.play(position.to_move(), mv(offset)).unwrap();
        let (mut planes, mut globals) = (vec![0.0; 25 * channels], vec![0.0; GLOBALS]);
        encode(&position, Symmetry::IDENTITY, &mut planes, channels, &mut globals);
        for (index, point) in planes.chunks_exact_mut(channels).enumerate() {
            point[channels - 2] = number;
            point[channels - 1] = (number + index as f32).sin();
        }
        let policy = [(mv(13), 0.75), (Move::Pass, 0.25)];
        let (planes, globals) = (&planes[..], &globals[..]);
        let result = Some(1.0 - 2.0 * number);
        let learnt = Learnt { planes, globals, policy: &policy, result, uncertainty };
        batch.push(&position, Symmetry::IDENTITY, learnt);
    }
    batch
}

fn learner(auxiliary: f64, lesson: Lesson) -> Learner {
    let params = TrainParams {
        steps: 400,
        warmup: 0,
        learning_rate: 0.005,
        average: 0.0,
        pieces: 2,
        threads: 1,
        ..TrainParams::default()
    };
    let start = random_weights(&shape(), Seed::new(4));
    Learner::new(shape(), &start, params, auxiliary, lesson).unwrap()
}

#[test]
fn the_gradient_is_that_of_the_loss() {
    let (learner, batch) = (learner(1.0, Lesson::Everything), batch());
    let (_, gradient) = learner.gradient(&batch).unwrap();
    let weights = learner.state.weights.clone();
    let (mut compared, mut wrong) = (0, Vec::new());
    for Place { name, start, end, .. } in learner.layout.clone() {
        for index in (start..end).step_by(((end - start) / 5).max(1)) {
            let at = |step: f32| {
                let mut moved = weights.clone();
                moved[index] += step;
                learner.graph.set(&moved).unwrap();
                learner.gradient(&batch).unwrap().0
            };
            let numeric = (at(2e-3) - at(-2e-3)) / 4e-3;
            let found = f64::from(gradient[index]);
            compared += usize::from(found.abs() > 0.01);
            if (numeric - found).abs() > 0.05 * found.abs().max(0.05) {
                wrong.push((name.clone(), index, numeric, found));
            }
        }
    }
    // A step may cross the corner of a rectifier.
    assert!(compared > 20 && wrong.len() <= 2, "{compared} compared, wrong: {wrong:?}");
}

#[test]
fn the_loss_worked_out_by_hand() {
    let zeros = |count| vec![0.0; count];
    let said = Outputs {
        policy: vec![0.0, 0.0],
        reply: zeros(2),
        value: vec![0.0],
        short_term: zeros(1),
        score: zeros(1),
        uncertainty: vec![0.0],
        ownership: zeros(1),
    };
    let target = Target {
        weight: 1.0,
        legal: vec![true, true],
        policy: vec![1.0, 0.0],
        result: Some(1.0),
        uncertainty: Some(0.0),
        ..Target::default()
    };
    // u = 1/2, v = 0, p = 1/2: 1/4 + 0.1 (1 + ln 2).
    let (loss, slopes) = loss(&said, &[target], 0.1, 1.0);
    assert!((loss - (0.25 + 0.1 * (1.0 + 2.0_f64.ln()))).abs() < 1e-6);
    let close = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} {b}");
    close(slopes.uncertainty[0], 0.25);
    close(slopes.value[0], -0.2);
    close(slopes.policy[0], -0.05);
}

#[test]
fn one_batch_is_learnt_by_heart() {
    let (mut learner, batch) = (learner(0.0, Lesson::Everything), batch());
    let first = learner.step(&batch).unwrap();
    for _ in 0..390 {
        learner.step(&batch).unwrap();
    }
    let last = learner.gradient(&batch).unwrap().0;
    assert!(first > 0.1 && last < 0.02, "{first} {last}");
    assert_eq!(learner.steps(), 391);
}

#[test]
fn a_head_that_learns_alone_changes_nothing_else() {
    let mut learner = learner(0.1, Lesson::HeadAlone);
    let (before, batch) = (learner.state.weights.clone(), batch());
    for _ in 0..5 {
        learner.step(&batch).unwrap();
    }
    let head = learner.head();
    let neurons = shape().value_neurons;
    assert_eq!(head.iter().map(ExactSizeIterator::len).sum::<usize>(), neurons + 1);
    let moved =
        (0..before.len()).filter(|&i| before[i].to_bits() != learner.state.weights[i].to_bits());
    assert!(moved.clone().all(|i| head.iter().any(|range| range.contains(&i))));
    assert!(moved.count() > 0);
}
