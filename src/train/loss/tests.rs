use super::*;

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-5, "{found}, expected {expected}");
}

#[test]
fn single_losses_are_as_worked_by_hand() {
    // p = 1 / (1 + exp(-2 · 0)) = 1/2, whatever the target.
    close(win(0.0, 1.0).0, 2.0_f64.ln());
    close(win(0.0, -0.4).0, 2.0_f64.ln());
    close(win(0.0, 1.0).1.into(), -1.0);
    // tanh(ln 3 / 2) = 1/2, a probability of 3/4: -ln 3/4, and the slope 2 · (3/4 - 1).
    let x = 3.0_f32.ln() / 2.0;
    close(win(x, 1.0).0, -(0.75_f64.ln()));
    close(win(x, 1.0).1.into(), -0.5);
    close(win(x, 0.5).1.into(), 0.0);
    assert!(win(200.0, -1.0).0.is_finite() && win(-200.0, -1.0).0 < 1e-9);
    for (difference, loss, slope) in [(0.5, 0.125, 0.5), (-3.0, 2.5, -1.0), (1.0, 0.5, 1.0)] {
        close(huber(difference).0, loss);
        close(huber(difference).1.into(), slope);
    }
}

#[test]
fn illegal_moves_take_no_part() {
    let logits = [2.0_f32.ln(), 1.0_f32.ln(), 90.0, 1.0_f32.ln()];
    let mut slope = [7.0; 4];
    let legal = [true, true, false, true];
    let loss = softmax(&logits, Some(&legal), &[1.0, 0.0, 0.0, 0.0], 2.0, &mut slope);
    close(loss, 2.0_f64.ln());
    for (found, expected) in slope.iter().zip([-1.0, 0.5, 7.0, 0.5]) {
        close((*found).into(), expected);
    }
}

/// Two positions on four points, of which the second knows less.
fn sample() -> (Outputs, Vec<Target>) {
    let numbers = |count: usize, by: f32| -> Vec<f32> {
        (0..count).map(|i| (i as f32 * by + by).sin() * 1.7).collect()
    };
    let outputs = Outputs {
        policy: numbers(10, 1.1),
        reply: numbers(10, 0.7),
        value: numbers(2, 0.4),
        short_term: numbers(2, 0.9),
        score: numbers(2, 1.9),
        uncertainty: numbers(2, 0.3),
        ownership: numbers(8, 2.3),
    };
    let full = Target {
        weight: 1.5,
        legal: vec![true, true, false, true, true],
        policy: vec![0.5, 0.2, 0.0, 0.0, 0.3],
        reply: vec![0.0, 0.0, 0.0, 1.0, 0.0],
        value: Some(0.3),
        result: Some(1.0),
        short_term: Some(-0.6),
        score: Some(0.4),
        ownership: vec![1.0, -1.0, 0.0, 1.0],
        uncertainty: None,
        teacher: None,
    };
    let poor = Target { weight: 0.5, legal: vec![true; 5], value: Some(-1.0), ..Target::default() };
    (outputs, vec![full, poor])
}

/// A way to the numbers of one output.
type Head = fn(&mut Outputs) -> &mut Vec<f32>;

#[test]
fn slopes_are_those_of_the_total() {
    let (outputs, targets) = sample();
    let params = TrainParams { score_weight: 0.3, ..TrainParams::default() };
    let total = |outputs: &Outputs| losses(outputs, &targets, &params, 2.0).0.total(&params, 2.0);
    let (_, slopes) = losses(&outputs, &targets, &params, 2.0);
    let heads: [Head; 6] = [
        |o| &mut o.policy,
        |o| &mut o.reply,
        |o| &mut o.value,
        |o| &mut o.short_term,
        |o| &mut o.score,
        |o| &mut o.ownership,
    ];
    for head in heads {
        let mut slopes = slopes.clone();
        for (i, slope) in head(&mut slopes).iter().enumerate() {
            let moved = |by: f32| {
                let mut outputs = outputs.clone();
                head(&mut outputs)[i] += by;
                total(&outputs)
            };
            let step = 1e-2;
            let difference = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
            assert!((difference - f64::from(*slope)).abs() < 1e-4, "{difference} and {slope}");
        }
    }
}

#[test]
fn unknown_targets_count_nothing() {
    let (outputs, targets) = sample();
    let params = TrainParams::default();
    let (sums, slopes) = losses(&outputs, &targets, &params, 2.0);
    let weights = sums.named().map(|(_, sum)| sum.weight);
    weights.into_iter().zip([1.5, 2.0, 1.5, 1.5, 1.5, 1.5]).for_each(|(a, b)| close(a, b));
    assert!(slopes.policy[5..].iter().chain(&slopes.ownership[4..]).all(|&slope| slope == 0.0));
    let mut twice = sums;
    twice.merge(&sums);
    close(twice.policy.mean(), sums.policy.mean());
    close(Sum::default().mean(), 0.0);
}
