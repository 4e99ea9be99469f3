use super::*;
use crate::train::batch::Opinion;

#[test]
fn verdicts_count_what_was_said_and_what_came() {
    let outputs = Outputs {
        policy: vec![1.0, 5.0, 9.0, 3.0, 2.0, 1.0],
        reply: vec![0.0; 6],
        value: vec![0.5_f32.atanh(), (-0.9_f32).atanh()],
        short_term: vec![0.0; 2],
        score: vec![0.0; 2],
        uncertainty: vec![0.0; 2],
        ownership: vec![0.0; 4],
    };
    let target = |legal: [bool; 3], policy: [f32; 3], result| Target {
        weight: 1.0,
        legal: legal.to_vec(),
        policy: policy.to_vec(),
        result: Some(result),
        ..Target::default()
    };
    let targets = [
        target([true, true, false], [0.2, 0.8, 0.0], 1.0),
        target([true, true, true], [0.0, 1.0, 0.0], 1.0),
    ];
    let mut verdict = Verdict::default();
    verdict.add(&outputs, &targets);
    assert!((verdict.top1.mean() - 0.5).abs() < 1e-9);
    assert!((verdict.accuracy.mean() - 0.5).abs() < 1e-9);
    let squares = f64::midpoint(0.25, 1.9 * 1.9);
    assert!((verdict.squared_error.mean() - squares).abs() < 1e-5);
    let bins = verdict.calibration.map(|bin| bin.count);
    assert_eq!(bins, [1, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
    assert!((verdict.calibration[7].said - 0.75).abs() < 1e-6);
    assert!((verdict.calibration[7].came - 1.0).abs() < 1e-9);
    verdict.add_value(1.0, 0.0, 1.0);
    assert_eq!(verdict.calibration[9], Bin { count: 1, said: 1.0, came: 0.5 });
    assert!((verdict.accuracy.weight - 2.0).abs() < 1e-9, "a draw has no winner to name");
    let json = verdict.to_json();
    assert_eq!(json["calibration"][7]["count"], 1);
    assert_eq!(json["policy_top1"], 0.5);
}

#[test]
fn the_spread_is_a_standard_deviation() {
    assert!((deviation(&[1.0, 3.0, 1.0, 3.0]) - 1.0).abs() < 1e-12);
    assert!(deviation(&[0.3; 8]) < 1e-12);
}

#[test]
fn a_teacher_is_agreed_with_or_not() {
    let outputs = Outputs {
        policy: vec![1.0, 5.0, 0.0, 9.0, 2.0, 1.0],
        reply: vec![0.0; 6],
        value: vec![0.5_f32.atanh(), (-0.5_f32).atanh()],
        short_term: vec![0.0; 2],
        score: vec![0.0; 2],
        uncertainty: vec![0.0; 2],
        ownership: vec![0.0; 4],
    };
    let target = |policy: [f32; 3], value, odd| Target {
        weight: 1.0,
        legal: vec![true; 3],
        policy: policy.to_vec(),
        teacher: Some(Opinion { value, odd }),
        ..Target::default()
    };
    let targets = [target([0.2, 0.8, 0.0], 0.7, false), target([0.0, 1.0, 0.0], 0.1, true)];
    let mut verdict = Verdict::default();
    verdict.add(&outputs, &targets);
    // Win rates of 0.75 and 0.85, and of 0.25 and 0.55.
    let mean = |agreement: &Agreement| {
        (agreement.first_move.mean(), (agreement.win_rate.mean() * 1e5).round() / 1e5)
    };
    assert_eq!(mean(&verdict.teacher), (0.5, 0.2));
    assert_eq!(mean(&verdict.odd), (0.0, 0.3));
    assert_eq!(
        (verdict.teacher.calibration[8].count, verdict.teacher.calibration[5].count),
        (1, 1)
    );
    let json = verdict.to_json();
    assert_eq!(json["odd"]["first_move"], 0.0);
    assert!(Verdict::default().to_json()["teacher"].is_null());
}
