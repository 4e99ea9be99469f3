mod encoding;
mod reading;
mod reference;
mod sample;

use std::sync::Arc;

use super::evaluator::outlook;
use super::features::{GLOBALS, PLANES, encode_by};
use super::net::{CpuNet, RawOutput};
use super::{KataGoEvaluator, KataGoGraph, Model};
use crate::eval::{EvalError, Evaluator as _, Policy};
use crate::game::{BoardSize, Komi, Move, Position, Rules, Symmetry};
use crate::nn::Orientation;
use sample::Form;

/// The positions of an arbitrary game.
fn game(width: usize, height: usize, rules: Rules, moves: usize) -> Vec<Position> {
    let size = BoardSize::new(width, height).unwrap();
    let mut position = Position::new(size, rules, Komi::from_points(6.5).unwrap());
    let mut positions = vec![position.clone()];
    for i in 0..moves {
        let color = position.to_move();
        let mut legal: Vec<_> = position.legal_points(color).collect();
        legal.sort_unstable_by_key(|&point| size.offset(point));
        let choice = legal.get(i * 7919 % legal.len().max(1));
        let mv = choice.map_or(Move::Pass, |&point| Move::Place(point));
        position.play(color, mv).unwrap();
        positions.push(position.clone());
    }
    positions
}

fn check_near(found: &RawOutput, expected: &RawOutput) {
    let near = |a: f32, b: f32| assert!((a - b).abs() < 2e-4 * b.abs().max(1.0), "{a} {b}");
    near(found.pass, expected.pass);
    let pairs = (found.moves.iter().zip(&expected.moves))
        .chain(found.scalars.iter().zip(&expected.scalars))
        .chain(found.ownership.iter().zip(&expected.ownership));
    pairs.for_each(|(&a, &b)| near(a, b));
    let spread = |values: &[f32]| {
        let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
        let (low, high) =
            values.iter().fold((low, high), |(low, high), &v| (low.min(v), high.max(v)));
        high - low
    };
    // On tiny boards all points may look alike.
    let tells_apart = spread(&expected.moves) > 1e-3 || expected.moves.len() < 30;
    assert!(tells_apart, "the network tells points apart: {:?}", expected.moves);
}

#[test]
fn the_fast_network_computes_what_the_plain_one_does() {
    for version in [8, 10, 11, 12, 14, 15, 16, 17] {
        let model = Model::from_bytes(&sample::net(version, Form::Binary)).unwrap();
        for (width, height) in [(9, 9), (7, 5), (2, 3), (13, 13)] {
            let positions = game(width, height, Rules::TROMP_TAYLOR, 12);
            let net = CpuNet::new(&model, positions[0].size());
            let mut work = net.workspace(2);
            for pair in positions[9..].chunks_exact(2) {
                for (index, position) in pair.iter().enumerate() {
                    let (planes, globals) = work.input(index);
                    encode_by(model.areas, position, Symmetry::IDENTITY, planes, globals);
                }
                net.run(&mut work, 2);
                for (index, position) in pair.iter().enumerate() {
                    let mut planes = vec![0.0; position.size().area() * PLANES];
                    let mut globals = vec![0.0; GLOBALS];
                    encode_by(model.areas, position, Symmetry::IDENTITY, &mut planes, &mut globals);
                    let expected = reference::forward(&model, position.size(), &planes, &globals);
                    check_near(&work.output(index, 0.0), &expected);
                }
            }
        }
    }
}

#[test]
fn the_graph_of_an_accelerator_computes_the_same() {
    for version in [8, 15, 16, 17] {
        let model = Arc::new(Model::from_bytes(&sample::net(version, Form::Binary)).unwrap());
        let device = candle_core::Device::Cpu;
        let graph = KataGoGraph::new(Arc::clone(&model), device, Orientation::Upright).unwrap();
        let positions = game(7, 5, Rules::CHINESE, 8);
        let batch: Vec<_> = positions.iter().skip(5).collect();
        for (position, found) in
            batch.iter().zip(graph.raw(&batch, Orientation::Upright, 0.0).unwrap())
        {
            let mut planes = vec![0.0; position.size().area() * PLANES];
            let mut globals = vec![0.0; GLOBALS];
            encode_by(model.areas, position, Symmetry::IDENTITY, &mut planes, &mut globals);
            check_near(&found, &reference::forward(&model, position.size(), &planes, &globals));
        }
    }
}

#[test]
fn outputs_become_probabilities_and_points() {
    let model = Model::from_bytes(&sample::net(13, Form::Binary)).unwrap();
    let raw = |none: f32| RawOutput {
        moves: vec![0.0; 4],
        pass: 0.0,
        // The logarithms of 6, 2 and 2 tenths; softplus(0) is ln 2.
        scalars: [0.6f32.ln(), 0.2f32.ln(), none, 0.5, 0.0, -0.25],
        ownership: vec![0.0; 4],
    };
    let size = BoardSize::new(2, 2).unwrap();
    let position = Position::new(size, Rules::CHINESE, Komi::default());
    let found = outlook(&position, Symmetry::IDENTITY, &raw(0.2f32.ln()), &model);
    let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{a} {b}");
    near(found.win, 0.6);
    near(found.no_result, 0.2);
    near(found.evaluation.value.get(), 0.4);
    // The sample's scales are 21, 22 and 23; eight games of ten have a result.
    near(found.score_mean, 0.5 * 21.0 * 0.8);
    near(found.lead, -0.25 * 23.0 * 0.8);
    let deviation = 22.0 * std::f32::consts::LN_2;
    let variance = (10.5f32.powi(2) + deviation.powi(2)) * 0.8 - 8.4f32.powi(2);
    near(found.score_deviation, variance.sqrt());
    // By superko every game has a result, however sure the network is of none.
    let position = Position::new(size, Rules::TROMP_TAYLOR, Komi::default());
    let found = outlook(&position, Symmetry::IDENTITY, &raw(50.0), &model);
    near(found.win, 0.75);
    near(found.no_result, 0.0);
}

#[test]
fn nogo_is_refused_with_a_reason() {
    let model = Arc::new(Model::from_bytes(&sample::net(8, Form::Text)).unwrap());
    let net = KataGoEvaluator::new(model, Orientation::ByHash);
    let size = BoardSize::square(5).unwrap();
    let go = Position::new(size, Rules::CHINESE, Komi::default());
    let nogo = Position::new(size, Rules::NOGO, Komi::default());
    let Err(EvalError::Device(error)) = net.evaluate(&[&go, &nogo]) else { panic!("no error") };
    assert!(error.contains("NoGo"), "{error}");
}

#[test]
fn turned_boards_give_turned_answers() {
    let model = Arc::new(Model::from_bytes(&sample::net(11, Form::Binary)).unwrap());
    for (width, height) in [(7, 7), (6, 4)] {
        for position in game(width, height, Rules::JAPANESE, 15).iter().step_by(5) {
            for &symmetry in Symmetry::for_size(position.size()) {
                let evaluate = |orientation, position: &Position| {
                    let net = KataGoEvaluator::new(Arc::clone(&model), orientation);
                    net.evaluate(&[position]).unwrap().swap_remove(0)
                };
                let found = evaluate(Orientation::Turned(symmetry), position);
                let turned = evaluate(Orientation::Upright, &position.turned(symmetry));
                assert!((found.value.get() - turned.value.get()).abs() < 1e-5);
                let weights =
                    |policy: &Policy, position: &Position, mv| policy.weight(position, mv);
                for point in position.size().points() {
                    let at = symmetry.apply(position.size(), point);
                    let a = weights(&found.policy, position, Move::Place(point));
                    let b = weights(&turned.policy, &position.turned(symmetry), Move::Place(at));
                    assert!((a - b).abs() < 1e-5, "{a} {b}");
                }
            }
        }
    }
}
