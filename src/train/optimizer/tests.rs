use super::*;

fn params() -> TrainParams {
    TrainParams { weight_decay: 0.5, beta1: 0.9, beta2: 0.99, ..TrainParams::default() }
}

#[test]
fn two_steps_are_as_worked_by_hand() {
    let decaying = |name: &str, start, decays| Place {
        name: name.to_owned(),
        dims: vec![1],
        start,
        end: start + 1,
        decays,
    };
    let layout = [decaying("a.weight", 0, true), decaying("a.bias", 1, false)];
    let (mut weights, mut moments) = (vec![1.0, 1.0], Moments::new(2));
    let mut step = |number, gradient: f32| {
        let step = Step { number, rate: 0.1, scale: 0.5 };
        adam(&mut weights, &mut moments, &[gradient; 2], &layout, (&params(), &step));
        weights.clone()
    };
    // The first step is the rate in the direction of the gradient, whatever its length; what
    // decays loses 0.1 · 0.5 of itself as well.
    let first = step(1, 4.0);
    assert!((first[0] - 0.85).abs() < 1e-6 && (first[1] - 0.9).abs() < 1e-6, "{first:?}");
    // Halved gradients 2 and -1: first moment (0.9 · 0.2 - 0.1) / 0.19 = 0.08 / 0.19, second
    // (0.99 · 0.04 + 0.01) / 0.0199 = 0.0496 / 0.0199.
    let by = 0.1 * (0.08 / 0.19) / (0.0496_f32 / 0.0199).sqrt();
    let second = step(2, -2.0);
    assert!((second[0] - (0.95 * 0.85 - by)).abs() < 1e-6, "{second:?}");
    assert!((second[1] - (0.9 - by)).abs() < 1e-6, "{second:?}");
}

#[test]
fn the_average_follows_and_forgets_its_start() {
    let mut mean = vec![100.0];
    average(&mut mean, &[0.0], 0.999, 1);
    assert!((mean[0] - 100.0 * 2.0 / 11.0).abs() < 1e-4);
    for number in 2..20_000 {
        average(&mut mean, &[1.0], 0.999, number);
    }
    assert!((mean[0] - 1.0).abs() < 1e-3);
    // From then on it keeps its share.
    average(&mut mean, &[2.0], 0.999, 20_000);
    assert!((mean[0] - 1.001).abs() < 1e-3);
}

#[test]
fn the_layout_holds_every_tensor_once() {
    let shape = NetShape::new(3, 8);
    let places = layout(&shape);
    assert_eq!(places.last().map(|place| place.end), Some(shape.parameters()));
    assert!(places.windows(2).all(|pair| pair[0].end == pair[1].start));
    assert!(places.iter().all(|place| place.decays != place.name.contains(".bias")));
    assert!((norm(&[3.0, -4.0]) - 5.0).abs() < 1e-9);
}

#[test]
fn the_rate_rises_and_falls() {
    let params = TrainParams {
        steps: 1000,
        warmup: 9,
        learning_rate: 0.01,
        final_rate: 0.1,
        ..TrainParams::default()
    };
    assert!((params.rate(0) - 0.001).abs() < 1e-8);
    assert!((params.rate(9) - 0.01).abs() < 1e-5);
    assert!((params.rate(500) - 0.0055).abs() < 1e-9);
    assert!((params.rate(1000) - 0.001).abs() < 1e-9);
    assert!((params.rate(5000) - 0.001).abs() < 1e-9);
    assert!((10..1000).all(|step| params.rate(step) <= params.rate(step - 1)));
}
