use proptest::prelude::*;
use rayon::prelude::*;

use super::*;
use crate::util::{Rng, Seed};

fn check(counts: [u64; 5], elo0: f64, elo1: f64, expected: f64) {
    let found = pentanomial_llr(counts, elo0, elo1);
    assert!((found - expected).abs() < 1e-6, "{counts:?}: {found} is not {expected}");
}

#[test]
fn the_ratio_is_that_of_fishtest() {
    // Computed by fishtest's own LLRcalc.LLR_logistic.
    check([3, 20, 50, 22, 5], 0.0, 20.0, 0.040_320_372_416_706_79);
    check([3, 20, 50, 22, 5], 0.0, 5.0, 0.178_380_224_381_881_25);
    check([3, 20, 50, 22, 5], -10.0, 10.0, 0.934_472_911_388_982_9);
    check([0, 10, 30, 12, 0], 0.0, 20.0, -0.270_414_536_288_852_04);
    check([0, 10, 30, 12, 0], 0.0, 5.0, 0.085_226_848_211_516);
    check([12, 40, 60, 30, 8], 0.0, 20.0, -2.997_301_135_158_272_3);
    check([12, 40, 60, 30, 8], -10.0, 10.0, -2.057_973_200_426_021_6);
}

#[test]
fn the_bounds_by_hand() {
    let (lower, upper) = sprt_bounds(0.05, 0.05);
    assert!((upper - 19f64.ln()).abs() < 1e-12 && (lower + 19f64.ln()).abs() < 1e-12);
    let (lower, upper) = sprt_bounds(0.05, 0.10);
    assert!((lower - (0.10f64 / 0.95).ln()).abs() < 1e-12);
    assert!((upper - 18f64.ln()).abs() < 1e-12);
}

#[test]
fn no_pairs_say_nothing_and_odd_numbers_do_not_hang() {
    check([0; 5], 0.0, 10.0, 0.0);
    for elo in [1e-6, 1e4, 1e300, f64::INFINITY] {
        for counts in [[1, 0, 0, 0, 0], [0, 0, 7, 0, 0], [0, 0, 0, 0, u64::MAX / 8]] {
            assert!(pentanomial_llr(counts, -elo, elo).is_finite(), "{counts:?} {elo}");
        }
    }
    let test = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
    assert!(test.is_sound());
    assert!(!Sprt { elo1: 0.0, ..test }.is_sound() && !Sprt { alpha: 0.0, ..test }.is_sound());
    assert!(!Sprt { beta: f64::NAN, ..test }.is_sound());
    assert_eq!(test.verdict(2.95), Verdict::H1);
    assert_eq!(test.verdict(-2.95), Verdict::H0);
    assert_eq!(test.verdict(2.9), Verdict::Open);
}

proptest! {
    #[test]
    fn turning_the_match_round_turns_the_ratio(counts in prop::array::uniform5(0u64..500)) {
        let mut turned = counts;
        turned.reverse();
        let (a, b) = (pentanomial_llr(counts, -5.0, 20.0), pentanomial_llr(turned, -20.0, 5.0));
        prop_assert!((a + b).abs() < 1e-6, "{a} {b}");
    }

    #[test]
    fn points_raise_the_ratio(counts in prop::array::uniform5(1u64..500), class in 0usize..4) {
        let mut better = counts;
        better[class] -= 1;
        better[class + 1] += 1;
        prop_assert!(pentanomial_llr(better, 0.0, 10.0) > pentanomial_llr(counts, 0.0, 10.0));
    }
}

/// How often pairs bring 0, ½, 1, 1½ and 2 points when the first player is `elo` stronger: a share
/// `decided` of openings is won by one colour whoever has it, games of the others are independent
/// and drawn with the chance `draws`.
fn pairs_of(elo: f64, draws: f64, decided: f64) -> [f64; 5] {
    let even = (1.0 - decided) * (1.0 - draws);
    // The score of the free games that makes the score of all what `elo` says.
    let score = 0.5 + (score_from_elo(elo) - 0.5) / (1.0 - decided);
    let win = score - draws / 2.0;
    let loss = 1.0 - win - draws;
    assert!(even > 0.0 && loss > 0.0 && win > 0.0);
    let free = [
        loss * loss,
        2.0 * loss * draws,
        2.0 * win * loss + draws * draws,
        2.0 * win * draws,
        win * win,
    ];
    let mut chances = free.map(|chance| chance * (1.0 - decided));
    chances[2] += decided;
    chances
}

/// Plays one test to its end.
///
/// The ratio is not computed where it cannot have reached a bound: a pair moves it by at most the
/// largest jump, which hardly changes from pair to pair and is taken twice.
fn simulate(test: &Sprt, chances: &[f64; 5], rng: &mut Rng) -> (Verdict, u64) {
    let (lower, upper) = test.bounds();
    let (score0, score1) = (hypothesis(test.elo0), hypothesis(test.elo1));
    let mut sums = [0.0; 5];
    let mut sum = 0.0;
    for (place, chance) in sums.iter_mut().zip(chances) {
        sum += chance;
        *place = sum;
    }
    let (mut counts, mut pairs, mut wait) = ([0u64; 5], 0, 1);
    loop {
        let drawn: f64 = rng.random();
        let class = sums.iter().position(|sum| drawn < *sum).unwrap_or(4);
        counts[class] += 1;
        pairs += 1;
        wait -= 1;
        if wait > 0 {
            continue;
        }
        // As `llr` does it, but the jumps are kept.
        let full = counts.map(|count| if count == 0 { EMPTY } else { count as f64 });
        let jumps = jumps(&full, score0, score1);
        let llr = full.iter().zip(jumps).map(|(count, jump)| count * jump).sum();
        let verdict = test.verdict(llr);
        if verdict != Verdict::Open {
            return (verdict, pairs);
        }
        let jump = jumps.iter().fold(0.0, |most: f64, jump| most.max(jump.abs()));
        let room = (upper - llr).min(llr - lower) / (2.0 * jump);
        wait = 1;
        // The first pairs change the jumps most.
        while pairs > 40 && f64::from(wait + 1) <= room && wait < 1000 {
            wait += 1;
        }
    }
}

/// The share of tests that end with H1, and the mean number of pairs.
fn share_of_h1(test: &Sprt, chances: &[f64; 5], runs: u64) -> (f64, f64) {
    let seed = Seed::new(5);
    let (accepted, pairs) = (0..runs)
        .into_par_iter()
        .map(|run| simulate(test, chances, &mut seed.fork("sprt-test", run).rng()))
        .map(|(verdict, pairs)| (u64::from(verdict == Verdict::H1), pairs))
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    (accepted as f64 / runs as f64, pairs as f64 / runs as f64)
}

#[test]
fn skipping_misses_no_bound() {
    // With every pair looked at, the same tests end the same way after as many pairs.
    let test = Sprt { elo0: 0.0, elo1: 60.0, alpha: 0.05, beta: 0.05 };
    let chances = pairs_of(30.0, 0.1, 0.2);
    for run in 0..300 {
        let rng = || Seed::new(6).fork("sprt-skip", run).rng();
        let quick = simulate(&test, &chances, &mut rng());
        let (mut slow, mut counts, mut rng) = ((Verdict::Open, 0), [0; 5], rng());
        while slow.0 == Verdict::Open {
            let drawn: f64 = rng.random();
            let mut sum = 0.0;
            let class = chances.iter().position(|chance| {
                sum += chance;
                drawn < sum
            });
            counts[class.unwrap_or(4)] += 1;
            slow = (test.verdict(test.llr(counts)), slow.1 + 1);
        }
        assert_eq!(quick, slow, "run {run}");
    }
}

#[test]
fn a_player_against_itself_ends_with_h0_and_a_stronger_one_with_h1() {
    let test = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
    let (itself, _) = share_of_h1(&test, &pairs_of(0.0, 0.02, 0.2), 400);
    assert!(itself <= 0.10, "{itself} of the tests of equals end with H1");
    let (stronger, _) = share_of_h1(&test, &pairs_of(30.0, 0.02, 0.2), 400);
    assert!(stronger >= 0.99, "{stronger} of the tests of +30 Elo end with H1");
}

#[test]
fn errors_are_as_rare_as_asked() {
    // Wald's bounds hold up to the overshoot; 3 standard errors of 4000 runs are 0.010.
    let test = Sprt { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05 };
    for (draws, decided) in [(0.0, 0.0), (0.1, 0.4)] {
        let (alpha, _) = share_of_h1(&test, &pairs_of(0.0, draws, decided), 4000);
        let (power, _) = share_of_h1(&test, &pairs_of(20.0, draws, decided), 4000);
        assert!((0.03..0.062).contains(&alpha), "alpha {alpha}");
        assert!((0.03..0.062).contains(&(1.0 - power)), "beta {}", 1.0 - power);
    }
}

/// A million tests: `cargo test --profile quick --lib errors_of_a_million -- --nocapture`.
#[test]
#[expect(clippy::print_stdout, reason = "figures for the documents")]
fn errors_of_a_million_tests() {
    let test = Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 };
    let runs = 500_000;
    let (alpha, short) = share_of_h1(&test, &pairs_of(0.0, 0.02, 0.2), runs);
    let (power, long) = share_of_h1(&test, &pairs_of(50.0, 0.02, 0.2), runs);
    let beta = 1.0 - power;
    println!("[0, 50]: alpha {alpha:.5} ({short:.0} pairs), beta {beta:.5} ({long:.0} pairs)");
    assert!((0.035..0.056).contains(&alpha) && (0.035..0.056).contains(&beta));
}
