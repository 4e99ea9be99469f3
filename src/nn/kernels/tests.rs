//! All methods against a convolution written down in double precision.

use rand::RngExt;

use super::*;
use crate::util::{Rng, Seed};

/// Shape of a layer, and what is added to it.
#[derive(Clone, Copy, Debug)]
struct Case {
    width: usize,
    height: usize,
    inputs: usize,
    outputs: usize,
    batch: usize,
    residual: bool,
    activation: Activation,
}

impl Case {
    fn random(rng: &mut Rng) -> Self {
        let width = rng.random_range(1..=25);
        Self {
            width,
            height: if rng.random() { width } else { rng.random_range(1..=25) },
            inputs: rng.random_range(1..=40),
            outputs: rng.random_range(1..=40),
            batch: rng.random_range(1..=9),
            residual: rng.random(),
            activation: if rng.random() { Activation::Relu } else { Activation::None },
        }
    }

    fn points(&self) -> usize {
        self.width * self.height
    }
}

/// The numbers of a layer: activations without padding.
struct Data {
    x: Vec<f32>,
    weights: Vec<f32>,
    bias: Vec<f32>,
    residual: Vec<f32>,
}

fn randoms(rng: &mut Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| rng.random_range(-1.0..1.0)).collect()
}

impl Data {
    fn random(case: &Case, rng: &mut Rng) -> Self {
        Self {
            x: randoms(rng, case.batch * case.points() * case.inputs),
            weights: randoms(rng, case.outputs * case.inputs * 9),
            bias: randoms(rng, case.outputs),
            residual: randoms(rng, case.batch * case.points() * case.outputs),
        }
    }
}

fn pad(values: &[f32], channels: usize) -> Vec<f32> {
    let mut all = Vec::new();
    for point in values.chunks_exact(channels) {
        all.extend_from_slice(point);
        all.resize(all.len() + padded(channels) - channels, 0.0);
    }
    all
}

fn convolve(case: &Case, data: &Data, plan: &Plan, scratch: &mut Scratch) -> Vec<f32> {
    let conv = Conv3x3::new(&data.weights, &data.bias, case.inputs, case.outputs, plan);
    let residual = pad(&data.residual, case.outputs);
    let input = Input {
        x: &pad(&data.x, case.inputs),
        batch: case.batch,
        residual: case.residual.then_some(residual.as_slice()),
        activation: case.activation,
    };
    let mut y = vec![f32::NAN; case.batch * case.points() * padded(case.outputs)];
    conv.run(plan, input, &mut y, scratch);
    y
}

/// One output by the definition.
fn expected(case: &Case, data: &Data, point: usize, output: usize) -> f64 {
    let (position, row, column) =
        (point / case.points(), point % case.points() / case.width, point % case.width);
    let mut sum = f64::from(data.bias[output]);
    for (tap, (i, j)) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))).enumerate() {
        let (r, c) = ((row + i).wrapping_sub(1), (column + j).wrapping_sub(1));
        if r < case.height && c < case.width {
            let at = position * case.points() + r * case.width + c;
            for input in 0..case.inputs {
                let weight = data.weights[(output * case.inputs + input) * 9 + tap];
                sum += f64::from(weight) * f64::from(data.x[at * case.inputs + input]);
            }
        }
    }
    if case.residual {
        sum += f64::from(data.residual[point * case.outputs + output]);
    }
    if case.activation == Activation::Relu { sum.max(0.0) } else { sum }
}

/// Compares one layer with the definition, at all points or at `samples` random ones.
fn check_conv(case: &Case, plan: &Plan, scratch: &mut Scratch, rng: &mut Rng) {
    let data = Data::random(case, rng);
    let y = convolve(case, &data, plan, scratch);
    let largest = y.iter().fold(1.0, |max: f32, value| max.max(value.abs()));
    for (point, y) in y.chunks_exact(padded(case.outputs)).enumerate() {
        let output = rng.random_range(0..case.outputs);
        let error = (f64::from(y[output]) - expected(case, &data, point, output)).abs();
        assert!(error < 1e-4 * f64::from(largest), "{case:?} {plan:?} point {point}: {error}");
        assert!(y[case.outputs..].iter().all(|&value| value == 0.0), "{case:?} {plan:?}: padding");
    }
}

#[test]
fn every_method_is_a_convolution() {
    let mut rng = Seed::new(1).rng();
    let mut scratch = Scratch::new();
    for _ in 0..40 {
        let case = Case::random(&mut rng);
        for method in Method::ALL {
            for cpu in Cpu::all() {
                let plan = Plan::with_method(case.width, case.height, method).on(cpu);
                check_conv(&case, &plan, &mut scratch, &mut rng);
            }
        }
    }
}

#[test]
fn instruction_sets_agree() {
    let mut rng = Seed::new(2).rng();
    let mut scratch = Scratch::new();
    for _ in 0..20 {
        let case = Case::random(&mut rng);
        let data = Data::random(&case, &mut rng);
        let plan = Plan::new(case.width, case.height);
        let fast = convolve(&case, &data, &plan, &mut scratch);
        let slow = convolve(&case, &data, &plan.on(Cpu::baseline()), &mut scratch);
        for cpu in Cpu::all().into_iter().filter(|&cpu| cpu != Cpu::baseline()) {
            let same = convolve(&case, &data, &plan.on(cpu), &mut scratch);
            assert_eq!(
                fast,
                same,
                "{case:?}: {} rounds as all with fused arithmetic do",
                cpu.name()
            );
        }
        let largest = fast.iter().fold(1.0, |max: f32, value| max.max(value.abs()));
        for (fast, slow) in fast.iter().zip(&slow) {
            assert!((fast - slow).abs() < 1e-5 * largest, "{case:?}: {fast} {slow}");
        }
    }
}

#[test]
fn a_position_does_not_depend_on_its_batch() {
    let mut rng = Seed::new(3).rng();
    let mut scratch = Scratch::new();
    for round in 0..20 {
        let case = Case { residual: true, ..Case::random(&mut rng) };
        let data = Data::random(&case, &mut rng);
        let plan =
            Plan::with_method(case.width, case.height, Method::ALL[round % Method::ALL.len()]);
        let together = convolve(&case, &data, &plan, &mut scratch);
        let alone = Case { batch: 1, ..case };
        for (position, y) in together.chunks_exact(together.len() / case.batch).enumerate() {
            let part = |values: &[f32]| {
                let length = values.len() / case.batch;
                values[position * length..][..length].to_vec()
            };
            let data = Data {
                x: part(&data.x),
                residual: part(&data.residual),
                weights: data.weights.clone(),
                bias: data.bias.clone(),
            };
            assert_eq!(convolve(&alone, &data, &plan, &mut scratch), y, "{case:?} {plan:?}");
        }
    }
}

#[test]
fn methods_fit_the_boards() {
    let method = |side| Plan::new(side, side).method();
    assert_eq!(method(1), Method::Direct);
    assert_eq!(method(9), Method::Winograd3);
    assert_eq!(method(13), Method::Winograd4);
    assert_eq!(method(19), Method::Winograd4);
    assert_eq!(Plan::winograd(1, 1).method(), Method::Winograd2);
    let chunks = |batch| [9, 13, 19, 25].map(|side| Plan::new(side, side).chunk(batch));
    assert_eq!(chunks(100), [4, 2, 1, 1]);
    assert_eq!(chunks(8), [4, 2, 1, 1]);
    assert_eq!(chunks(0), [1; 4]);
}

#[test]
fn linear_is_a_matrix_product() {
    let mut rng = Seed::new(4).rng();
    for _ in 0..50 {
        let (rows, inputs, outputs) =
            (rng.random_range(1..30), rng.random_range(1..80), rng.random_range(1..40));
        let (weights, bias) = (randoms(&mut rng, inputs * outputs), randoms(&mut rng, outputs));
        let x = randoms(&mut rng, rows * inputs);
        for cpu in Cpu::all() {
            let linear = Linear::new(&weights, &bias, inputs, outputs).on(cpu);
            let mut y = vec![f32::NAN; rows * padded(outputs)];
            linear.run(&pad(&x, inputs), rows, Activation::Relu, &mut y);
            for (x, y) in x.chunks_exact(inputs).zip(y.chunks_exact(padded(outputs))) {
                for (output, weights) in weights.chunks_exact(inputs).enumerate() {
                    let sum: f32 = weights.iter().zip(x).map(|(w, x)| w * x).sum();
                    let error = (y[output] - (sum + bias[output]).max(0.0)).abs();
                    assert!(error < 1e-4, "{rows} {inputs} {outputs}: {error}");
                }
                assert!(y[outputs..].iter().all(|&value| value == 0.0), "padding");
            }
        }
    }
}

#[test]
fn pooling_gives_mean_and_maximum() {
    let (batch, points, channels) = (2, 5, 32);
    let x = randoms(&mut Seed::new(5).rng(), batch * points * channels);
    let mut y = vec![f32::NAN; batch * 2 * channels];
    pool_mean_max(&x, batch, points, channels, &mut y);
    for (x, y) in x.chunks_exact(points * channels).zip(y.chunks_exact(2 * channels)) {
        for channel in 0..channels {
            let values = x.iter().skip(channel).step_by(channels);
            let mean = values.clone().sum::<f32>() / points as f32;
            assert!((y[channel] - mean).abs() < 1e-6);
            assert_eq!(
                Some(&y[channels + channel]),
                values.max_by(|a, b| a.total_cmp(b)).as_ref().copied()
            );
        }
    }
}

/// One element of the gradient by the definition: the derivative of `Σ dy · y`.
fn expected_gradient(case: &Case, data: &Data, (output, input, tap): (usize, usize, usize)) -> f64 {
    let mut sum = 0.0;
    for point in 0..case.batch * case.points() {
        let (first, at) = (point / case.points() * case.points(), point % case.points());
        let row = (at / case.width + tap / 3).wrapping_sub(1);
        let column = (at % case.width + tap % 3).wrapping_sub(1);
        if row < case.height && column < case.width {
            let x = data.x[(first + row * case.width + column) * case.inputs + input];
            sum += f64::from(x) * f64::from(data.residual[point * case.outputs + output]);
        }
    }
    sum
}

#[test]
fn weight_gradients_follow_the_definition() {
    let mut rng = Seed::new(6).rng();
    let mut scratch = Scratch::new();
    for round in 0..30 {
        let case = Case::random(&mut rng);
        // The residual stands for the gradient of the output.
        let data = Data::random(&case, &mut rng);
        let method = Method::WINOGRAD[round % Method::WINOGRAD.len()];
        let plan = Plan::with_method(case.width, case.height, method);
        let (x, dy) = (pad(&data.x, case.inputs), pad(&data.residual, case.outputs));
        let mut gradient = WeightGradient::new(&plan, case.inputs, case.outputs);
        let mut rest = WeightGradient::new(&plan, case.inputs, case.outputs);
        let (x, x_rest) = x.split_at(x.len() / case.batch);
        let (dy, dy_rest) = dy.split_at(dy.len() / case.batch);
        gradient.add(x, dy, 1, &mut scratch);
        rest.add(x_rest, dy_rest, case.batch - 1, &mut scratch);
        gradient.merge(&rest);
        let weights = gradient.weights();
        let largest = weights.iter().fold(1.0, |max: f32, value| max.max(value.abs()));
        for _ in 0..100 {
            let output = rng.random_range(0..case.outputs);
            let (input, tap) = (rng.random_range(0..case.inputs), rng.random_range(0..9));
            let found = weights[(output * case.inputs + input) * 9 + tap];
            let error = f64::from(found) - expected_gradient(&case, &data, (output, input, tap));
            assert!(error.abs() < 1e-4 * f64::from(largest), "{case:?} {plan:?}: {error}");
        }
    }
}
