use super::*;
use crate::game::{BoardSize, Color, Komi, Move, Position, Rules, Symmetry};
use crate::nn::random_weights;
use crate::record::{Outcome, Row, TrainingGame, Turn};
use crate::train::optimizer::{Moments, Step, adam};
use crate::train::state::State;
use crate::util::Seed;
use rand::Rng as _;

/// Positions of random games in which everything is known, no two alike.
fn rows(side: usize, count: usize) -> Vec<Row> {
    let size = BoardSize::square(side).unwrap();
    let mut rows: Vec<Row> = Vec::new();
    let mut rng = Seed::new(4).rng();
    while rows.len() < count {
        let mut position = Position::new(size, Rules::CGOS, Komi::from_points(7.0).unwrap());
        let mut turns = Vec::new();
        for _ in 0..side * 2 {
            let color = position.to_move();
            let legal: Vec<_> = position.legal_points(color).collect();
            let Some(&point) = legal.get(rng.next_u32() as usize % legal.len().max(1)) else {
                break;
            };
            let mv = Move::Place(point);
            position.play(color, mv).unwrap();
            turns.push(Turn { mv, policy: vec![(mv, 1.0)], value: None, weight: 1.0, label: None });
        }
        let black = rng.next_u32().is_multiple_of(2);
        let winner = if black { Color::Black } else { Color::White };
        let owner = |i: usize| [Some(Color::Black), Some(Color::White), None][i % 3];
        let outcome = Outcome {
            winner: Some(winner),
            score: Some(if black { 3.0 } else { -12.0 }),
            owners: Some((0..size.area()).map(owner).collect()),
        };
        let plies = turns.len();
        let game = TrainingGame {
            size,
            rules: Rules::CGOS,
            komi: position.komi(),
            stones: Vec::new(),
            turns,
            outcome,
        };
        rows.extend((3..plies).step_by(2).map(|ply| Row {
            game: game.clone(),
            ply,
            symmetry: Symmetry::ALL[ply % 8],
        }));
    }
    rows.truncate(count);
    rows
}

fn tiny() -> NetShape {
    NetShape {
        blocks: 2,
        filters: 4,
        pool_every: 2,
        head_filters: 4,
        value_neurons: 6,
        extra_planes: 0,
    }
}

fn state(shape: NetShape) -> State {
    State::new(shape, &random_weights(&shape, Seed::new(2))).unwrap()
}

#[test]
fn gradients_are_finite_differences_of_the_total() {
    let params = TrainParams { score_weight: 0.5, ownership_weight: 0.5, ..TrainParams::default() };
    let batch = Batch::new(&rows(5, 6), &params, None).unwrap();
    let state = state(tiny());
    let graph = Graph::new(&tiny(), &state.weights, 2).unwrap();
    let (_, gradient) = graph.gradient(&batch, &params).unwrap();
    let total = |weights: &[f32]| {
        graph.set(weights).unwrap();
        graph.gradient(&batch, &params).unwrap().0.total(&params, 6.0)
    };
    let mut worst: f64 = 0.0;
    for place in layout(&tiny()) {
        // The scalar of the uncertainty is not learnt here.
        for i in (place.start..place.end).step_by(((place.end - place.start) / 5).max(1)) {
            let moved = |by: f32| {
                let mut weights = state.weights.clone();
                weights[i] += by;
                total(&weights)
            };
            let step = 2e-3;
            let difference = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
            let found = f64::from(gradient[i]);
            let error = (difference - found).abs() / found.abs().max(0.05);
            worst = worst.max(error);
            assert!(error < 0.05, "{} {i}: {found}, by differences {difference}", place.name);
        }
    }
    assert!(worst > 0.0, "something was compared");
}

#[test]
fn threads_do_not_change_the_gradient() {
    let params = TrainParams { pieces: 3, ..TrainParams::default() };
    let batch = Batch::new(&rows(5, 10), &params, None).unwrap();
    let state = state(tiny());
    let gradient = |threads| {
        let graph = Graph::new(&tiny(), &state.weights, threads).unwrap();
        graph.gradient(&batch, &params).unwrap()
    };
    let alone = gradient(1);
    assert_eq!(alone, gradient(2));
    assert_eq!(alone, gradient(5));
    // Other pieces change the last digits alone.
    let whole = TrainParams { pieces: 1, ..params.clone() };
    let graph = Graph::new(&tiny(), &state.weights, 1).unwrap();
    let (_, other) = graph.gradient(&batch, &whole).unwrap();
    assert!(alone.1.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-4));
}

#[test]
fn a_batch_of_64_is_learnt_by_heart() {
    let shape = NetShape {
        blocks: 2,
        filters: 16,
        pool_every: 2,
        head_filters: 16,
        value_neurons: 16,
        extra_planes: 0,
    };
    let params =
        TrainParams { steps: 600, warmup: 10, weight_decay: 0.0, ..TrainParams::default() };
    let batch = Batch::new(&rows(5, 64), &params, None).unwrap();
    let mut state = state(shape);
    let graph = Graph::new(&shape, &state.weights, 2).unwrap();
    let layout = layout(&shape);
    let mut moments = Moments::new(state.weights.len());
    let first = graph.gradient(&batch, &params).unwrap().0;
    assert!(first.policy.mean() > 2.0, "{first:?}");
    for number in 1..=params.steps {
        let (_, gradient) = graph.gradient(&batch, &params).unwrap();
        let step = Step { number, rate: 4e-3, scale: 1.0 };
        adam(&mut state.weights, &mut moments, &gradient, &layout, (&params, &step));
        graph.set(&state.weights).unwrap();
    }
    let last = graph.gradient(&batch, &params).unwrap().0;
    assert!(last.policy.mean() < 0.05 && last.value.mean() < 0.05, "{last:?}");
}

#[test]
fn the_mean_over_the_symmetries_is_invariant() {
    let params = TrainParams::default();
    let state = state(NetShape::new(2, 16));
    let graph = Graph::new(&state.shape, &state.weights, 1).unwrap();
    let rows = rows(9, 3);
    let mean = |row: &Row, first: Symmetry| -> f32 {
        let turned: Vec<_> = Symmetry::ALL
            .iter()
            .map(|&next| Row { symmetry: first.compose(next), ..row.clone() })
            .collect();
        let batch = Batch::new(&turned, &params, None).unwrap();
        let pieces = graph.outputs(&batch, 1).unwrap();
        pieces[0].1.value.iter().map(|value| value.tanh()).sum::<f32>() / 8.0
    };
    for row in &rows {
        let upright = mean(row, Symmetry::IDENTITY);
        for first in Symmetry::ALL {
            let turned = mean(row, first);
            assert!((turned - upright).abs() < 1e-4, "{turned} and {upright}");
        }
    }
}
