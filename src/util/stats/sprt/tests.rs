use super::*;

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
