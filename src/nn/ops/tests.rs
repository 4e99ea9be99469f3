//! Values and gradients against Candle's own convolution, and against differences.

use candle_core::{Device, Result, Tensor, Var};
use rand::RngExt;

use super::*;
use crate::util::{Rng, Seed};

fn variable(rng: &mut Rng, shape: impl Into<Shape>) -> Var {
    let shape = shape.into();
    let values: Vec<f32> = (0..shape.elem_count()).map(|_| rng.random_range(-1.0..1.0)).collect();
    Var::from_tensor(&Tensor::from_vec(values, shape, &Device::Cpu).unwrap()).unwrap()
}

fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.flatten_all().unwrap().to_vec1().unwrap()
}

fn assert_close(what: &str, found: &Tensor, expected: &Tensor, tolerance: f32) {
    assert_eq!(found.dims(), expected.dims(), "{what}");
    let (found, expected) = (values(found), values(expected));
    let largest = expected.iter().fold(1.0, |max: f32, value| max.max(value.abs()));
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < tolerance * largest, "{what}: {found} {expected}");
    }
}

/// The gradient of `Σ factor · y²`, which differs from point to point.
fn backward(y: &Tensor, factor: &Tensor) -> candle_core::backprop::GradStore {
    (y.sqr().unwrap() * factor).unwrap().sum_all().unwrap().backward().unwrap()
}

#[test]
fn values_and_gradients_are_those_of_candle() {
    let mut rng = Seed::new(1).rng();
    for round in 0..25 {
        let (height, width) = (rng.random_range(1..=25), rng.random_range(1..=25));
        let batch = if round == 0 { 40 } else { rng.random_range(1..=9) };
        let (inputs, outputs) = (rng.random_range(1..=33), rng.random_range(1..=33));
        let x = variable(&mut rng, (batch, height, width, inputs));
        let weight = variable(&mut rng, (outputs, inputs, 3, 3));
        let bias = variable(&mut rng, outputs);
        let factor = variable(&mut rng, (batch, height, width, outputs));
        let what = format!("{batch} x {height} x {width}, {inputs} to {outputs}");

        let ours = conv3x3(&x, &weight, &bias).unwrap();
        let theirs = conv3x3_by_candle(&x, &weight, &bias).unwrap();
        assert_close(&what, &ours, &theirs, 1e-4);
        let (ours, theirs) = (backward(&ours, &factor), backward(&theirs, &factor));
        for (name, variable) in [("x", &x), ("weight", &weight), ("bias", &bias)] {
            let (ours, theirs) = (ours.get(variable).unwrap(), theirs.get(variable).unwrap());
            assert_close(&format!("{what}, gradient of {name}"), ours, theirs, 1e-3);
        }
    }
}

/// `(f(v + h) - f(v - h)) / 2h` in place of one element.
fn difference(variable: &Var, at: usize, f: impl Fn() -> Result<Tensor>) -> f32 {
    const STEP: f32 = 1e-2;
    let original = values(variable);
    let shifted = |step: f32| {
        let mut values = original.clone();
        values[at] += step;
        variable.set(&Tensor::from_vec(values, variable.shape(), &Device::Cpu).unwrap()).unwrap();
        f().unwrap().to_scalar::<f32>().unwrap()
    };
    let slope = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
    shifted(0.0);
    slope
}

#[test]
fn gradients_are_slopes() {
    let mut rng = Seed::new(2).rng();
    let x = variable(&mut rng, (2, 3, 2, 2));
    let weight = variable(&mut rng, (3, 2, 3, 3));
    let bias = variable(&mut rng, 3);
    // A square: its central difference has no error of its own.
    let loss = || conv3x3(&x, &weight, &bias)?.sqr()?.sum_all();
    let gradients = loss().unwrap().backward().unwrap();
    for variable in [&x, &weight, &bias] {
        for (at, gradient) in values(gradients.get(variable).unwrap()).into_iter().enumerate() {
            let slope = difference(variable, at, loss);
            assert!(
                (slope - gradient).abs() < 1e-2 * gradient.abs().max(1.0),
                "{slope} {gradient}"
            );
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let mut rng = Seed::new(3).rng();
    let x = variable(&mut rng, (37, 5, 5, 16));
    let (weight, bias) = (variable(&mut rng, (16, 16, 3, 3)), variable(&mut rng, 16));
    let factor = variable(&mut rng, (37, 5, 5, 16));
    let results = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let y = conv3x3(&x, &weight, &bias).unwrap();
            let gradients = backward(&y, &factor);
            [&x, &weight, &bias].map(|variable| values(gradients.get(variable).unwrap()))
        })
    };
    assert_eq!(results(1), results(3));
}

#[test]
fn an_input_that_is_no_variable_gets_no_gradient() {
    let mut rng = Seed::new(4).rng();
    let x = variable(&mut rng, (1, 4, 4, 2)).as_detached_tensor();
    let (weight, bias) = (variable(&mut rng, (2, 2, 3, 3)), variable(&mut rng, 2));
    let gradients = conv3x3(&x, &weight, &bias).unwrap().sum_all().unwrap().backward().unwrap();
    assert!(gradients.get(&x).is_none());
    assert!(gradients.get(&weight).is_some());
}

#[test]
fn strided_tensors_and_other_types_work() {
    let mut rng = Seed::new(5).rng();
    let x = variable(&mut rng, (3, 4, 5, 6));
    let (weight, bias) = (variable(&mut rng, (4, 6, 3, 3)), variable(&mut rng, 4));
    let turned = x.transpose(1, 2).unwrap();
    let expected = conv3x3_by_candle(&turned, &weight, &bias).unwrap();
    assert_close("strided", &conv3x3(&turned, &weight, &bias).unwrap(), &expected, 1e-4);
    let doubles = [&turned, weight.as_tensor(), bias.as_tensor()]
        .map(|tensor| tensor.to_dtype(DType::F64).unwrap());
    let y = conv3x3(&doubles[0], &doubles[1], &doubles[2]).unwrap();
    assert_close("f64", &y.to_dtype(DType::F32).unwrap(), &expected, 1e-4);
}

/// Values and gradients by all variables of two ways to compute the same.
fn assert_same(what: &str, variables: &[&Var], ours: &Tensor, theirs: &Tensor) {
    assert_close(what, ours, theirs, 1e-5);
    let factor = variable(&mut Seed::new(8).rng(), ours.shape().clone());
    let (ours, theirs) = (backward(ours, &factor), backward(theirs, &factor));
    for (index, variable) in variables.iter().enumerate() {
        let (ours, theirs) = (ours.get(variable).unwrap(), theirs.get(variable).unwrap());
        assert_close(&format!("{what}, gradient of {index}"), ours, theirs, 1e-4);
    }
}

#[test]
fn rectified_sums_are_those_of_candle() {
    let mut rng = Seed::new(7).rng();
    let (a, b) = (variable(&mut rng, (300, 400)), variable(&mut rng, (300, 400)));
    let theirs = (a.as_tensor() + b.as_tensor()).unwrap().relu().unwrap();
    assert_same("sum", &[&a, &b], &add_relu(&a, &b).unwrap(), &theirs);
    let (a_turned, b_turned) = (a.t().unwrap(), b.t().unwrap());
    let theirs = theirs.t().unwrap();
    assert_same("strided", &[&a, &b], &add_relu(&a_turned, &b_turned).unwrap(), &theirs);
}

#[test]
fn a_convolution_with_a_rectifier_is_one_before_the_other() {
    let mut rng = Seed::new(9).rng();
    for outputs in [16, 5] {
        let x = variable(&mut rng, (3, 6, 5, 16));
        let (weight, bias) = (variable(&mut rng, (outputs, 16, 3, 3)), variable(&mut rng, outputs));
        let ours = conv3x3_relu(&x, &weight, &bias).unwrap();
        let theirs = conv3x3(&x, &weight, &bias).unwrap().relu().unwrap();
        assert_same("convolution", &[&x, &weight, &bias], &ours, &theirs);
    }
    let bias = Tensor::new(&[-1.0_f32, 2.0], &Device::Cpu).unwrap();
    let (x, weight) = (variable(&mut rng, (1, 1, 1, 0)), variable(&mut rng, (2, 0, 3, 3)));
    assert_eq!(values(&conv3x3_relu(&x, &weight, &bias).unwrap()), [0.0, 2.0]);
}

#[test]
fn a_bias_is_added_to_the_rows_of_its_group() {
    let mut rng = Seed::new(10).rng();
    let x = variable(&mut rng, (3, 19, 19, 5));
    let of_each = variable(&mut rng, (3, 5));
    let of_all = variable(&mut rng, (1, 5));
    let four = |bias: &Var| bias.reshape(((), 1, 1, 5)).unwrap();
    for bias in [&of_each, &of_all] {
        let theirs = x.broadcast_add(&four(bias)).unwrap();
        assert_same("bias", &[&x, bias], &add_bias(&x, bias).unwrap(), &theirs);
        let ours = add_bias_relu(&x, bias).unwrap();
        assert_same("rectified", &[&x, bias], &ours, &theirs.relu().unwrap());
    }
    assert!(add_bias(&x, &variable(&mut rng, (2, 5))).is_err());
    assert!(add_bias(&x, &variable(&mut rng, (3, 4))).is_err());
}

#[test]
fn mean_and_maximum_are_those_of_candle() {
    let mut rng = Seed::new(11).rng();
    let x = variable(&mut rng, (4, 7, 6, 5));
    let points = x.flatten(1, 2).unwrap();
    let theirs = [points.mean(1).unwrap(), first_maximum(&points).unwrap()];
    let theirs = Tensor::cat(&theirs, 1).unwrap();
    assert_same("pool", &[&x], &mean_max(&x).unwrap(), &theirs);
}

#[test]
fn the_first_of_equal_maxima_takes_the_gradient() {
    let x = Tensor::new(&[[[[0.0_f32]], [[2.0]], [[2.0]], [[1.0]]]], &Device::Cpu).unwrap();
    let x = Var::from_tensor(&x).unwrap();
    let gradients = mean_max(&x).unwrap().sum_all().unwrap().backward().unwrap();
    assert_eq!(values(gradients.get(&x).unwrap()), [0.25, 1.25, 0.25, 0.25]);
}

#[test]
fn shapes_that_do_not_fit_are_errors() {
    let mut rng = Seed::new(6).rng();
    let x = variable(&mut rng, (1, 4, 4, 2));
    let (weight, bias) = (variable(&mut rng, (2, 3, 3, 3)), variable(&mut rng, 2));
    assert!(conv3x3(&x, &weight, &bias).is_err());
    let weight = variable(&mut rng, (2, 2, 5, 5));
    assert!(conv3x3(&x, &weight, &bias).is_err());
}
