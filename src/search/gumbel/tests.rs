use std::ops::Range;

use proptest::prelude::*;

use super::*;
use crate::util::{Rng, Seed};

/// Compares a schedule with its phases: a number of actions, and the visits that each of them has
/// before its simulations of the phase.
fn check_schedule(considered: usize, simulations: u64, phases: &[(usize, Range<u32>)]) {
    let expected: Vec<u32> = phases
        .iter()
        .flat_map(|(width, visits)| visits.clone().flat_map(|visits| repeat_n(visits, *width)))
        .collect();
    assert_eq!(expected.len() as u64, simulations, "the table for {considered}, {simulations}");
    assert_eq!(
        considered_visits(considered, simulations),
        expected,
        "{considered} actions, {simulations} simulations"
    );
}

fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-6, "{found:?} instead of {expected:?}");
    }
}

fn values(numbers: &[f32]) -> Vec<Value> {
    numbers.iter().map(|&number| Value::new(number)).collect()
}

/// A root with given noise.
fn with_noise(priors: &[f32], noise: &[f64], considered: &[usize], schedule: &[u32]) -> Gumbel {
    Gumbel {
        noise: noise.to_vec(),
        logits: logits(priors),
        considered: considered.to_vec(),
        schedule: schedule.to_vec(),
        params: GumbelParams::default(),
    }
}

/// Runs all simulations of a bandit whose arms always pay the same; the visits of its arms.
fn play_bandit(priors: &[f32], arms: &[Value], simulations: u64, rng: &mut Rng) -> Vec<u32> {
    let gumbel = Gumbel::new(&logits(priors), simulations, &GumbelParams::default(), rng);
    let schedule = considered_visits(gumbel.considered().len(), simulations);
    let mut visits = vec![0; priors.len()];
    for (simulation, &wanted) in (0..).zip(&schedule) {
        let completed = completed(priors, arms, &visits, Value::DRAW);
        let action = gumbel.select(simulation, &visits, &completed).unwrap();
        assert!(gumbel.considered().contains(&action));
        assert_eq!(visits[action], wanted);
        visits[action] += 1;
    }
    let completed = completed(priors, arms, &visits, Value::DRAW);
    assert_eq!(gumbel.select(simulations, &visits, &completed), None);
    let best = gumbel.best(&visits, &completed).unwrap();
    assert_eq!(visits.iter().max(), Some(&visits[best]));
    visits
}

#[test]
fn the_schedule_halves() {
    // 4 phases; 16 / (4·16) = 0 rounds become one, and nothing is left.
    check_schedule(16, 16, &[(16, 0..1)]);
    // 2 phases; 16 / (2·4) = 2 rounds of 4 = 8; 16 / (2·2) = 4 rounds of 2 = 8.
    check_schedule(4, 16, &[(4, 0..2), (2, 2..6)]);
    // 3 phases; 32 / (3·8) = 1 round of 8; 32 / (3·4) = 2 rounds of 4, together 16;
    // 32 / (3·2) = 5 rounds of 2, together 26, and 3 more for the 6 that are left.
    check_schedule(8, 32, &[(8, 0..1), (4, 1..3), (2, 3..11)]);
    // Two of the first 16.
    check_schedule(16, 2, &[(2, 0..1)]);
    // 2 phases; 10 / (2·3) = 1 round of 3; half of 3 is 1, so two go on: 10 / (2·2) = 2 rounds,
    // together 7; of 2 more rounds there is one and a half.
    check_schedule(3, 10, &[(3, 0..1), (2, 1..4), (1, 4..5)]);
}

#[test]
fn the_schedule_handles_extremes() {
    check_schedule(1, 5, &[(1, 0..5)]);
    check_schedule(0, 3, &[(1, 0..3)]);
    check_schedule(7, 0, &[]);
    check_schedule(0, 0, &[]);
    check_schedule(usize::MAX, 3, &[(3, 0..1)]);
    // 1 phase; 1000 / 2 = 500 rounds.
    check_schedule(2, 1000, &[(2, 0..500)]);
    // 4 phases; 1000 / 64 = 15 rounds of 16 = 240; 1000 / 32 = 31 of 8 = 248; 1000 / 16 = 62 of
    // 4 = 248; 1000 / 8 = 125 of 2 = 250; 7 more for the 14 that are left.
    check_schedule(16, 1000, &[(16, 0..15), (8, 15..46), (4, 46..108), (2, 108..240)]);
}

/// The cases that the tests of the authors' library expect (mctx, `seq_halving_test.py`).
#[test]
fn the_schedule_is_that_of_mctx() {
    check_schedule(8, 24, &[(8, 0..1), (4, 1..3), (2, 3..7)]);
    check_schedule(8, 47, &[(8, 0..1), (4, 1..4), (2, 4..17), (1, 17..18)]);
    check_schedule(8, 2, &[(2, 0..1)]);
    check_schedule(8, 13, &[(8, 0..1), (4, 1..2), (1, 2..3)]);
    check_schedule(7, 24, &[(7, 0..1), (3, 1..3), (2, 3..8), (1, 8..9)]);
    check_schedule(0, 16, &[(1, 0..16)]);
    check_schedule(1, 16, &[(1, 0..16)]);
}

#[test]
fn sigma_grows_with_visits() {
    let params = GumbelParams::default();
    // (50 + 14) · 1 · 0.5 and (50 + 0) · 1 · -1.
    assert_near(&[sigma(0.5, 14, &params), sigma(-1.0, 0, &params)], &[32.0, -50.0]);
}

#[test]
fn unvisited_actions_get_the_mixed_value() {
    // Visited: (0.5 · 0.5 + 0.3 · -0.25) / (0.5 + 0.3) = 0.175 / 0.8 = 0.21875;
    // mixed: (0.25 + 4 · 0.21875) / (1 + 4) = 1.125 / 5 = 0.225.
    let priors = [0.5, 0.3, 0.2];
    let arms = values(&[0.5, -0.25, -1.0]);
    let found = completed(&priors, &arms, &[3, 1, 0], Value::new(0.25));
    assert_near(&found, &[0.5, -0.25, 0.225]);
    // Nothing is visited: the value of the root. Everything is: what was found.
    assert_near(&completed(&priors, &arms, &[0; 3], Value::new(0.25)), &[0.25; 3]);
    assert_near(&completed(&priors, &arms, &[1; 3], Value::new(0.25)), &[0.5, -0.25, -1.0]);
    // Visited actions without any prior weigh the same: (0 + 2 · (0.5 - 0.25) / 2) / 3.
    let found = completed(&[0.0, 0.0, 1.0], &arms, &[1, 1, 0], Value::DRAW);
    assert_near(&found, &[0.5, -0.25, 0.25 / 3.0]);
}

#[test]
fn the_improved_policy_follows_the_table() {
    // σ(q) = (1 + 3) · 0.5 · q = 2q: 1, -0.5 and 0.45. Weights: 0.5·e^1 = 1.3591409,
    // 0.3·e^-0.5 = 0.1819592, 0.2·e^0.45 = 0.3136624, together 1.8547625.
    let params = GumbelParams { c_visit: 1.0, c_scale: 0.5, ..GumbelParams::default() };
    let found =
        improved_policy(&logits(&[0.5, 0.3, 0.2]), &[0.5, -0.25, 0.225], &[3, 1, 0], &params);
    assert_near(&found, &[0.732_784_3, 0.098_103_8, 0.169_111_9]);
    // One win more in a hundred games, a value of 0.02, is by default (50 + 3) · 0.02 = 1.06:
    // 1 / (1 + e^-1.06) = 1 / 1.3464558 = 0.7426905.
    let found =
        improved_policy(&logits(&[0.5, 0.5]), &[0.02, 0.0], &[3, 3], &GumbelParams::default());
    assert_near(&found, &[0.742_690_5, 0.257_309_5]);
    // No overflow, and an action without any prior can win.
    let found =
        improved_policy(&logits(&[1.0, 0.0]), &[-1.0, 1.0], &[900, 900], &GumbelParams::default());
    assert_near(&found, &[0.0, 1.0]);
    assert!(improved_policy(&[], &[], &[], &params).is_empty());
}

#[test]
fn the_best_action_with_the_wanted_visits_is_selected() {
    // Noise + logit, up to the same ln 0.25: 1, 2, 0, 3; action 3 is not considered.
    let gumbel = with_noise(&[0.25; 4], &[1.0, 2.0, 0.0, 3.0], &[1, 0, 2], &[0, 0, 0, 1, 1]);
    // Nothing is known: the order of the noise.
    assert_eq!(gumbel.select(0, &[0; 4], &[0.0; 4]), Some(1));
    assert_eq!(gumbel.select(1, &[0, 1, 0, 0], &[0.0; 4]), Some(0));
    assert_eq!(gumbel.select(2, &[1, 1, 0, 0], &[0.0, 0.0, 0.0, 1.0]), Some(2));
    // (50 + 1) · q: 1 + 1.02, 2 - 0.51, 0 + 2.04.
    let completed = [0.02, -0.01, 0.04, 1.0];
    assert_eq!(gumbel.select(3, &[1, 1, 1, 0], &completed), Some(2));
    // (50 + 2) · q: 1 + 1.04, 2 - 0.52.
    assert_eq!(gumbel.select(4, &[1, 1, 2, 0], &completed), Some(0));
    assert_eq!(gumbel.select(5, &[2, 1, 2, 0], &completed), None);
    // Among the two most visited: 1 + 1.04, 0 + 2.08.
    assert_eq!(gumbel.best(&[2, 1, 2, 0], &completed), Some(2));
    // Visits that do not come from this schedule.
    assert_eq!(gumbel.select(0, &[1, 1, 1, 0], &completed), None);
    // Equal actions: the first by noise and logit.
    let gumbel = with_noise(&[0.5, 0.5], &[0.0, 0.0], &[0, 1], &[0, 0]);
    assert_eq!(gumbel.select(0, &[0, 0], &[0.0, 0.0]), Some(0));
}

#[test]
fn without_simulations_the_priors_are_sampled() {
    let priors = [0.1, 0.2, 0.3, 0.4];
    let (mut rng, games) = (Seed::new(1).rng(), 10_000);
    let mut counts = [0_u32; 4];
    for _ in 0..games {
        let gumbel = Gumbel::new(&logits(&priors), 0, &GumbelParams::default(), &mut rng);
        assert_eq!(gumbel.select(0, &[0; 4], &[0.0; 4]), None);
        let best = gumbel.best(&[0; 4], &[0.0; 4]).unwrap();
        counts[best] += 1;
    }
    // The Gumbel-max trick: the best by noise and logit is distributed as the priors.
    for (count, prior) in counts.into_iter().zip(priors.map(f64::from)) {
        let deviation = (f64::from(games) * prior * (1.0 - prior)).sqrt();
        let difference = f64::from(count) - f64::from(games) * prior;
        assert!(difference.abs() < 6.0 * deviation, "{counts:?}");
    }
    let none = Gumbel::new(&[], 4, &GumbelParams::default(), &mut rng);
    assert_eq!((none.select(0, &[], &[]), none.best(&[], &[])), (None, None));
}

#[test]
fn noise_has_the_moments_of_its_distribution() {
    let mut rng = Seed::new(2).rng();
    let noise: Vec<f64> = (0..100_000).map(|_| gumbel(&mut rng)).collect();
    let mean = noise.iter().sum::<f64>() / noise.len() as f64;
    let variance = noise.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / noise.len() as f64;
    // Euler's constant and π²/6, the mean with a standard error of 0.004.
    assert!((mean - 0.577_216).abs() < 0.024, "{mean}");
    assert!((variance - 1.644_934).abs() < 0.08, "{variance}");
}

#[test]
fn a_bandit_finds_its_best_arm_and_repeats() {
    let priors = [0.25; 4];
    let arms = values(&[-0.5, 0.5, 0.0, -0.25]);
    // Two rounds of all four, four more of the best two: 2 or 2 + 4 visits.
    assert_eq!(play_bandit(&priors, &arms, 16, &mut Seed::new(3).rng()), [2, 6, 6, 2]);
    // No more actions than simulations; the same ones from the same seed.
    let again =
        || Gumbel::new(&logits(&priors), 3, &GumbelParams::default(), &mut Seed::new(4).rng());
    assert_eq!(again().considered().len(), 3);
    assert_eq!(again().considered(), again().considered());
}

/// Priors from positive weights.
fn normalized(weights: &[f32]) -> Vec<f32> {
    let sum: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// Weight, value and visits of the actions of a root.
fn root() -> impl Strategy<Value = Vec<(f32, f32, u32)>> {
    prop::collection::vec((1e-6_f32..1.0, -1.0_f32..=1.0, 0_u32..40), 1..80)
}

proptest! {
    #[test]
    fn the_schedule_uses_every_simulation(considered in 0_usize..100, simulations in 0_u64..3000) {
        let schedule = considered_visits(considered, simulations);
        prop_assert_eq!(schedule.len() as u64, simulations);
        // A number of visits is wanted at most as often as the one below it.
        for pair in schedule.chunk_by(|a, b| a == b).collect::<Vec<_>>().windows(2) {
            prop_assert_eq!(pair[0][0] + 1, pair[1][0]);
            prop_assert!(pair[0].len() >= pair[1].len());
        }
    }

    #[test]
    fn improving_is_never_worse(root in root(), root_value in -1.0_f32..=1.0, c_scale in 0.0..2.0) {
        let weights: Vec<f32> = root.iter().map(|action| action.0).collect();
        let arms = values(&root.iter().map(|action| action.1).collect::<Vec<_>>());
        let visits: Vec<u32> = root.iter().map(|action| action.2).collect();
        let priors = normalized(&weights);
        let completed = completed(&priors, &arms, &visits, Value::new(root_value));
        prop_assert!(completed.iter().all(|value| value.abs() <= 1.0 + 1e-9));

        let policy_with = |c_scale| {
            let params = GumbelParams { c_scale, ..GumbelParams::default() };
            improved_policy(&logits(&priors), &completed, &visits, &params)
        };
        // Without any weight of the values the policy is the priors.
        let (before, after) = (policy_with(0.0), policy_with(c_scale));
        for (found, &prior) in before.iter().zip(&priors) {
            prop_assert!((found - f64::from(prior)).abs() < 1e-5);
        }
        prop_assert!((after.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(after.iter().all(|&probability| probability >= 0.0));
        let expected = |policy: &[f64]| -> f64 {
            policy.iter().zip(&completed).map(|(probability, value)| probability * value).sum()
        };
        prop_assert!(expected(&after) >= expected(&before) - 1e-9);
    }

    #[test]
    fn a_bandit_keeps_to_the_schedule(root in root(), simulations in 0_u64..200, seed: u64) {
        let weights: Vec<f32> = root.iter().map(|action| action.0).collect();
        let arms = values(&root.iter().map(|action| action.1).collect::<Vec<_>>());
        let mut rng = Seed::new(seed).rng();
        let visits = play_bandit(&normalized(&weights), &arms, simulations, &mut rng);
        prop_assert_eq!(visits.iter().map(|&visits| u64::from(visits)).sum::<u64>(), simulations);
        let visited = visits.iter().filter(|&&visits| visits > 0).count() as u64;
        prop_assert_eq!(visited, simulations.min(16).min(root.len() as u64));
    }
}
