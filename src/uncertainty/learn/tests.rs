use super::*;
use crate::game::{BoardSize, Komi, Move, Position, Rules};
use crate::nn::random_weights;
use crate::uncertainty::data::Shown;
use crate::uncertainty::params::Target;
use crate::uncertainty::{Labels, NetEstimator, Step, Trace, asked_during, scores};

/// Searches of the empty board in which the second move overtakes the first or not; whether it
/// will shows in the visits after eight simulations.
fn states() -> Vec<State> {
    let size = BoardSize::square(3).unwrap();
    let position = Position::new(size, Rules::NOGO, Komi::default());
    let mv = |offset| Move::Place(size.point_at_offset(offset).unwrap());
    let search = |number: usize| {
        let hard = number.is_multiple_of(2);
        let step = |i: usize| match (hard, i) {
            (true, 4..) => Step { first: 1, value: 0.5 },
            _ => Step { first: 0, value: -0.5 + number as f32 / 100.0 },
        };
        let steps = (0..19).map(step).collect();
        Trace { moves: vec![(mv(4), 0.6), (mv(0), 0.4)], steps, proven: Vec::new() }
    };
    (0..20)
        .map(|number| State {
            game: number,
            ply: 0,
            position: position.clone(),
            planned: 20,
            labels: Labels::new(&search(number)),
            trace: search(number),
            result: Some(1.0),
        })
        .collect()
}

/// A training that gets somewhere in a few steps.
fn quick() -> UncertaintyParams {
    UncertaintyParams { learning_rate: 0.01, threads: 1, ..UncertaintyParams::default() }
}

/// A network that is small enough for a test, for a task.
fn small_net(task: Task<'_>) -> (NetShape, Tensors) {
    let base = NetShape { value_neurons: 8, head_filters: 8, ..NetShape::new(1, 8) };
    adapted(&base, &random_weights(&base, Seed::new(1)), task, Seed::new(2))
}

#[test]
fn what_the_search_shows_is_learnt() {
    let states = states();
    let params = UncertaintyParams { steps: 120, batch: 16, ..quick() };
    let task = Task::After(&[8]);
    let (shape, start) = small_net(task);
    assert_eq!(shape.extra_planes, CHANNELS);
    let course = Course {
        states: states.iter().collect(),
        task,
        lesson: Lesson::Everything,
        params: &params,
    };
    let mut losses = Vec::new();
    let weights = course.train(shape, &start, |_, loss| losses.push(loss)).unwrap();
    assert_eq!(losses.len(), 120);
    let net = NetEstimator::new(shape, &weights, states[0].position.size()).unwrap();
    let said = asked_during(&states, &net, 8, Shown::Both);
    assert!(scores(&states, &said, 8, params.epsilon).auc() > 0.99);
    // Half of the time the search was all that it was shown or missing: it is enough alone.
    let alone = asked_during(&states, &net, 8, Shown::Search);
    assert!(scores(&states, &alone, 8, params.epsilon).auc() > 0.9);
    let none = Course { states: Vec::new(), ..course };
    assert!(none.train(shape, &start, |_, _| {}).is_err());
    let never = Course { states: states.iter().collect(), task: Task::After(&[]), ..none };
    assert!(never.train(shape, &start, |_, _| {}).is_err());
}

#[test]
fn one_network_learns_several_numbers_of_simulations() {
    let states = states();
    let params = UncertaintyParams { steps: 600, batch: 16, both_share: 1.0, ..quick() };
    let (early, late) = (3, 12);
    let task = Task::After(&[3, 12]);
    let (shape, start) = small_net(task);
    let course = Course {
        states: states.iter().collect(),
        task,
        lesson: Lesson::Everything,
        params: &params,
    };
    // After three simulations nothing shows in the visits, and half of the searches will change; after
    // twelve the second move has overtaken where it ever does, which shows, and everything is certain.
    let count = |n| states.iter().filter(|s| s.labels.is_uncertain(n, params.epsilon)).count();
    assert_eq!((count(early), count(late)), (10, 0));
    let weights = course.train(shape, &start, |_, _| {}).unwrap();
    let net = NetEstimator::new(shape, &weights, states[0].position.size()).unwrap();
    let overtaken: Vec<State> = states.into_iter().step_by(2).collect();
    let mean = |n| {
        let said = asked_during(&overtaken, &net, n, Shown::Both);
        said.iter().sum::<f64>() / said.len() as f64
    };
    assert!(mean(early) > 2.0 * mean(late), "{} {}", mean(early), mean(late));
}

#[test]
fn a_network_for_positions_becomes_one_that_can_see_the_search() {
    let shape = NetShape::new(2, 8);
    let weights = random_weights(&shape, Seed::new(3));
    let state = &states()[0];
    let size = state.position.size();
    let (wider, spread) = adapted(&shape, &weights, Task::After(&[5]), Seed::new(4));
    let before = NetEstimator::new(shape, &weights, size).unwrap();
    let after = NetEstimator::new(wider, &spread, size).unwrap();
    let ask = |net: &NetEstimator, shown| net.ask(&state.position, &state.features(5), shown);
    // Of the position it thinks as before; the search it sees as well.
    let same = ask(&before, Shown::Both) - ask(&after, Shown::Position);
    assert!(same.abs() < 1e-6);
    assert!((ask(&before, Shown::Both) - ask(&after, Shown::Both)).abs() > 1e-6);
    assert_eq!(adapted(&shape, &weights, Task::AtOnce, Seed::new(4)).1, weights);
}

#[test]
fn easy_states_are_pruned_where_that_is_right() {
    let states = &states()[..4];
    let params = UncertaintyParams::default();
    // States 0 and 2 are uncertain at once, 1 and 3 are not.
    let (kept, share) = pruned(states, &[0.01, 0.01, 0.9, 0.9], &params);
    let games: Vec<_> = kept.iter().map(|state| state.game).collect();
    assert_eq!(games, [0, 2, 3]);
    assert!((share - 0.5).abs() < 1e-9);
}

#[test]
fn how_much_would_be_lost_is_learnt_where_that_is_asked_for() {
    let mut state = states().swap_remove(0);
    let step = |i| Step { first: u16::from(i >= 4), value: if i >= 4 { 0.1 } else { 0.0 } };
    state.trace.steps = (0..19).map(step).collect();
    state.labels = Labels::new(&state.trace);
    let target = Target::Regret;
    let params = UncertaintyParams { target, steps: 150, batch: 8, ..quick() };
    let task = Task::After(&[8]);
    let (shape, start) = small_net(task);
    let lesson = Lesson::Everything;
    let course = Course { states: vec![&state], task, lesson, params: &params };
    let weights = course.train(shape, &start, |_, _| {}).unwrap();
    let net = NetEstimator::new(shape, &weights, state.position.size()).unwrap();
    let said = asked_during(std::slice::from_ref(&state), &net, 8, Shown::Both);
    // A loss of 0.1 is a fifth of the most that it tells; as a change it would be certain.
    assert!((said[0] - 0.2).abs() < 0.05, "{said:?}");
}
