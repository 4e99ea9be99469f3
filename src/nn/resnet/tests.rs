use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use rand::Rng as _;

use super::*;
use crate::eval::Evaluator;
use crate::game::{BoardSize, Komi, Move, Position, Rules};
use crate::nn::features::{GLOBALS, PLANES};
use crate::nn::{GraphEvaluator, NetEvaluator, Orientation, random_weights};
use crate::util::Seed;

/// A small network with every kind of layer, and weights that leave nothing at zero.
fn shape() -> NetShape {
    NetShape {
        blocks: 2,
        filters: 6,
        pool_every: 2,
        head_filters: 5,
        value_neurons: 7,
        extra_planes: 0,
    }
}

fn weights(shape: &NetShape) -> Tensors {
    let mut weights = random_weights(shape, Seed::new(3));
    let mut rng = Seed::new(4).rng();
    // By name: a map has another order in every run.
    for (name, _) in shape.tensors() {
        for x in weights.get_mut(&name).unwrap() {
            *x += 0.2 * (uniform(&mut rng) - 0.5);
        }
    }
    weights
}

fn uniform(rng: &mut crate::util::Rng) -> f32 {
    rng.next_u32() as f32 / 4_294_967_296.0
}

fn random(dims: &[usize], seed: u64) -> Tensor {
    let mut rng = Seed::new(seed).rng();
    let values: Vec<f32> = (0..dims.iter().product()).map(|_| uniform(&mut rng) - 0.3).collect();
    Tensor::from_vec(values, dims, &Device::Cpu).unwrap()
}

fn net(shape: &NetShape) -> ResNet {
    let builder = builder(shape, &weights(shape), DType::F32, &Device::Cpu).unwrap();
    ResNet::new(&builder, shape).unwrap()
}

fn all(output: &NetOutput) -> Vec<f32> {
    let parts = [
        &output.policy,
        &output.reply,
        &output.value,
        &output.short_term,
        &output.score,
        &output.uncertainty,
        &output.ownership,
    ];
    parts.iter().flat_map(|t| t.flatten_all().unwrap().to_vec1::<f32>().unwrap()).collect()
}

fn check_close(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(1e-3f32, |max, x| max.max(x.abs()));
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * largest, "{i}: {a} is not {b}");
    }
}

#[test]
fn the_kernels_compute_what_the_graph_computes() {
    let shape = NetShape::new(3, 20);
    let weights = weights(&shape);
    for (width, height, rules) in
        [(9, 9, Rules::CHINESE), (5, 7, Rules::NOGO), (2, 3, Rules::CGOS), (19, 19, Rules::AGA)]
    {
        let size = BoardSize::new(width, height).unwrap();
        let mut position = Position::new(size, rules, Komi::from_points(5.5).unwrap());
        let point = size.parse_point("B2").unwrap();
        let mut positions = vec![position.clone()];
        position.play(position.to_move(), Move::Place(point)).unwrap();
        positions.push(position);
        let batch: Vec<_> = positions.iter().collect();
        let fast = NetEvaluator::new(shape, weights.clone(), Orientation::ByHash);
        let graph =
            GraphEvaluator::new(&shape, &weights, Device::Cpu, Orientation::ByHash).unwrap();
        let answers =
            fast.evaluate(&batch).unwrap().into_iter().zip(graph.evaluate(&batch).unwrap());
        for ((a, b), position) in answers.zip(&batch) {
            check_close(&[a.value.get()], &[b.value.get()], 1e-4);
            let priors = |e: &crate::eval::Evaluation| -> Vec<f32> {
                size.points().map(|p| e.policy.weight(position, Move::Place(p))).collect()
            };
            check_close(&priors(&a), &priors(&b), 1e-4);
            let owners = |e: &crate::eval::Evaluation| -> Vec<f32> {
                let ownership = e.ownership.as_ref().unwrap();
                size.points().map(|p| ownership.of(position.to_move(), p)).collect()
            };
            check_close(&owners(&a), &owners(&b), 1e-4);
        }
    }
}

#[test]
fn a_masked_small_board_is_a_small_board() {
    let shape = shape();
    let net = net(&shape);
    let (height, width) = (4, 5);
    let small = random(&[1, height, width, PLANES], 5);
    let globals = random(&[1, GLOBALS], 6);
    let input = NetInput { planes: &small, globals: &globals, mask: None };
    let expected = net.forward(&input).unwrap();
    // The same in the corner of a 9x9 board.
    let pad = |x: &Tensor| {
        x.pad_with_zeros(1, 0, 9 - height).unwrap().pad_with_zeros(2, 0, 9 - width).unwrap()
    };
    let mask = pad(&Tensor::ones((1, height, width, 1), DType::F32, &Device::Cpu).unwrap());
    let padded = pad(&small);
    let input = NetInput { planes: &padded, globals: &globals, mask: Some(&mask) };
    let found = net.forward(&input).unwrap();
    let corner = |moves: &Tensor| -> Vec<f32> {
        let all = moves.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        let on_board = (0..height).flat_map(|y| (0..width).map(move |x| 9 * y + x));
        on_board.map(|i| all[i]).chain(all.get(81).copied()).collect()
    };
    let flat = |x: &Tensor| x.flatten_all().unwrap().to_vec1::<f32>().unwrap();
    check_close(&corner(&found.policy), &flat(&expected.policy), 1e-4);
    check_close(&corner(&found.reply), &flat(&expected.reply), 1e-4);
    check_close(&corner(&found.ownership), &flat(&expected.ownership), 1e-4);
    for (a, b) in [
        (&found.value, &expected.value),
        (&found.score, &expected.score),
        (&found.short_term, &expected.short_term),
        (&found.uncertainty, &expected.uncertainty),
    ] {
        check_close(&flat(a), &flat(b), 1e-4);
    }
}

#[test]
fn a_position_does_not_depend_on_its_batch() {
    let net = net(&shape());
    let planes = random(&[3, 5, 5, PLANES], 7);
    let globals = random(&[3, GLOBALS], 8);
    let together =
        net.forward(&NetInput { planes: &planes, globals: &globals, mask: None }).unwrap();
    for i in 0..3 {
        let (planes, globals) = (planes.narrow(0, i, 1).unwrap(), globals.narrow(0, i, 1).unwrap());
        let alone =
            net.forward(&NetInput { planes: &planes, globals: &globals, mask: None }).unwrap();
        let row = |x: &Tensor| x.narrow(0, i, 1).unwrap().flatten_all().unwrap();
        let flat = |x: &Tensor| x.to_vec1::<f32>().unwrap();
        check_close(
            &flat(&alone.policy.flatten_all().unwrap()),
            &flat(&row(&together.policy)),
            1e-5,
        );
        check_close(&flat(&alone.value), &flat(&row(&together.value)), 1e-5);
    }
}

/// A loss in which every output has a part of its own.
fn loss(net: &ResNet, planes: &Tensor, globals: &Tensor) -> Tensor {
    let output = net.forward(&NetInput { planes, globals, mask: None }).unwrap();
    let part = |x: &Tensor, seed| {
        let factors = random(x.dims(), seed);
        (x.tanh().unwrap() * factors).unwrap().sum_all().unwrap()
    };
    let parts = [
        part(&output.policy, 21),
        part(&output.reply, 22),
        part(&output.value, 23),
        part(&output.short_term, 24),
        part(&output.score, 25),
        part(&output.uncertainty, 26),
        part(&output.ownership, 27),
    ];
    parts.iter().skip(1).fold(parts[0].clone(), |sum, x| (sum + x).unwrap())
}

#[test]
fn gradients_agree_with_finite_differences_in_every_tensor() {
    let shape = shape();
    let planes = random(&[2, 3, 4, PLANES], 9);
    let globals = random(&[2, GLOBALS], 10);
    let variables = variables(&shape, &weights(&shape), &Device::Cpu).unwrap();
    let builder = VarBuilder::from_varmap(&variables, DType::F32, &Device::Cpu);
    let net = ResNet::new(&builder, &shape).unwrap();
    let gradients = loss(&net, &planes, &globals).backward().unwrap();
    let data = variables.data().lock().unwrap();
    let value = || f64::from(loss(&net, &planes, &globals).to_scalar::<f32>().unwrap());
    for (name, dims) in shape.tensors() {
        let variable = &data[&name];
        let gradient = gradients.get(variable).unwrap_or_else(|| panic!("no gradient of {name}"));
        // Along the gradient itself a step changes the loss by its squared length.
        let square =
            f64::from(gradient.sqr().unwrap().sum_all().unwrap().to_scalar::<f32>().unwrap());
        let length = square.sqrt();
        assert!(length > 1e-6, "{name} {dims:?} has no influence");
        let original = variable.as_tensor().copy().unwrap();
        let difference = |step: f64| {
            let moved = |sign: f64| {
                let moved = (&original + gradient.affine(sign * step, 0.0).unwrap()).unwrap();
                variable.set(&moved).unwrap();
                value()
            };
            (moved(1.0) - moved(-1.0)) / (2.0 * step)
        };
        // A long step may cross a kink of a rectifier, a short one drowns in rounding: the best
        // of three shows whether the gradient is right.
        let error = [4e-3, 2e-3, 1e-3]
            .map(|step| (difference(step / length) - square).abs() / square)
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        variable.set(&original).unwrap();
        assert!(error < 0.02, "{name}: finite differences are off by {error}");
    }
}

#[test]
fn outputs_have_their_sizes() {
    let net = net(&shape());
    let planes = random(&[2, 6, 4, PLANES], 11);
    let globals = random(&[2, GLOBALS], 12);
    let output = net.forward(&NetInput { planes: &planes, globals: &globals, mask: None }).unwrap();
    assert_eq!(output.policy.dims(), [2, 25]);
    assert_eq!(output.reply.dims(), [2, 25]);
    assert_eq!(output.ownership.dims(), [2, 24]);
    assert_eq!(output.value.dims(), [2]);
    assert_eq!(all(&output).len(), 2 * (25 + 25 + 24 + 4));
}
