use super::*;

fn tuned(key: &str, low: f64, high: f64, start: f64) -> Tuned {
    let step = (high - low) / 20.0;
    Tuned { key: key.to_owned(), low, high, start, step, whole: false }
}

/// Games between players whose strength falls with the square of the distance from the best settings: 400 Elo
/// for the whole range.
fn played(best: &[f64], settings: &[Tuned], trial: &Trial, rng: &mut crate::util::Rng) -> f64 {
    let elo = |values: &[f64]| -> f64 {
        let far = values.iter().zip(best).zip(settings);
        far.map(|((value, best), one)| -400.0 * ((value - best) / (one.high - one.low)).powi(2))
            .sum()
    };
    let expected = 1.0 / (1.0 + 10f64.powf((elo(&trial.minus) - elo(&trial.plus)) / 400.0));
    let games = 4;
    let won: i32 = (0..games).map(|_| i32::from(rng.random_bool(expected))).sum();
    f64::from(2 * won - games) / f64::from(games)
}

#[test]
fn a_planted_optimum_is_found() {
    let settings =
        vec![tuned("a", 0.0, 4.0, 0.5), tuned("b", -1.0, 1.0, 0.9), tuned("c", 0.0, 1.0, 0.5)];
    let best = [3.0, -0.5, 0.5];
    let spsa = Spsa::new(settings.clone(), 3000, None, Seed::new(4)).unwrap();
    let mut rng = Seed::new(9).rng();
    let mut values: Vec<f64> = settings.iter().map(|one| one.start).collect();
    let mut scores = Vec::new();
    for iteration in 0..3000 {
        let score = played(&best, &settings, &spsa.trial(iteration, &values), &mut rng);
        values = spsa.learn(iteration, &values, score);
        scores.push(score);
    }
    let way = spsa.way(&scores);
    assert_eq!(way.last(), Some(&values), "the way follows from the scores");
    for ((one, best), (found, stray)) in settings.iter().zip(best).zip(spsa.found(&way)) {
        let off = (found - best).abs() / (one.high - one.low);
        assert!(off < 0.15, "{}: {found} instead of {best}", one.key);
        assert!(stray < 0.2 * (one.high - one.low), "{}: {stray}", one.key);
    }
}

#[test]
fn a_worked_step() {
    let spsa = Spsa::new(vec![tuned("a", 0.0, 10.0, 5.0)], 1, Some(2.0), Seed::new(1)).unwrap();
    let trial = spsa.trial(0, &[5.0]);
    // The only iteration is the last one: one step of a twentieth of the range to either side.
    let (plus, minus) = (trial.plus[0], trial.minus[0]);
    assert!((plus - 4.5).abs() < 1e-9 || (plus - 5.5).abs() < 1e-9, "{plus}");
    assert!((plus + minus - 10.0).abs() < 1e-9, "{plus} {minus}");
    // It has all of the gain: a won iteration goes two steps its way, half a score one.
    let sign = (plus - 5.0).signum();
    assert_eq!(spsa.learn(0, &[5.0], 1.0), [5.0 + sign]);
    assert_eq!(spsa.learn(0, &[5.0], -0.5), [5.0 - sign / 2.0]);
    assert_eq!(spsa.learn(0, &[5.0], 0.0), [5.0]);
}

#[test]
fn values_stay_in_their_range_and_whole_ones_differ() {
    let whole = Tuned { whole: true, step: 0.1, ..tuned("n", 1.0, 8.0, 8.0) };
    let spsa =
        Spsa::new(vec![whole, tuned("a", 0.0, 1.0, 1.0)], 50, Some(1000.0), Seed::new(2)).unwrap();
    let mut values = vec![8.0, 1.0];
    for iteration in 0..50 {
        let Trial { plus, minus, .. } = spsa.trial(iteration, &values);
        for value in [plus[0], minus[0]] {
            assert!(value.fract() == 0.0 && (1.0..=8.0).contains(&value), "{value}");
        }
        for value in [plus[1], minus[1]] {
            assert!((0.0..=1.0).contains(&value), "{value}");
        }
        if (2.0..=7.0).contains(&values[0]) {
            assert!((plus[0] - minus[0]).abs() > 0.5);
        }
        let score = if iteration % 2 == 0 { 1.0 } else { -1.0 };
        values = spsa.learn(iteration, &values, score);
    }
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    let refused =
        |settings: Vec<Tuned>| Spsa::new(settings, 10, None, Seed::new(1)).unwrap_err().to_string();
    assert!(refused(vec![]).contains("--tune KEY=LOW..HIGH"));
    assert!(refused(vec![tuned("a", 1.0, 1.0, 1.0)]).contains("a: the range"));
    assert!(refused(vec![tuned("a", 0.0, 1.0, 2.0)]).contains("begins with 2"));
    assert!(refused(vec![tuned("a", 0.0, 1.0, 0.5), tuned("a", 0.0, 2.0, 0.5)]).contains("twice"));
    let step = Tuned { step: 0.6, ..tuned("a", 0.0, 1.0, 0.5) };
    assert!(refused(vec![step]).contains("the step"));
}
