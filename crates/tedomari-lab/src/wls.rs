//! The experiments of Basaldúa and Moreno Vega (2013) with Win/Loss States: how well saturated states
//! keep a proportion (Tables I and II), and how fast they follow one that changes (Figure 2).

use std::ops::RangeInclusive;

use rand::Rng as _;
use rayon::prelude::*;
use serde::Serialize;

use tedomari::playout::Wls;
use tedomari::util::stats::Moments;
use tedomari::util::{Rng, Seed};

/// The end of scale in Tables I and II.
const SCALE: u16 = 21;
/// Repetitions of an experiment in the paper.
pub const REPETITIONS: u32 = 25_000;
/// Repetitions that one stream of random numbers is for, so that threads change nothing.
const CHUNK: u32 = 500;
/// Updates before the step, for each visit of the scale.
const BURN_IN: u32 = 20;

/// Mean and standard deviation over repetitions of how well states keep proportions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quality {
    /// Mean of the standard deviation of the residuals.
    pub sd_r: f64,
    /// Its standard deviation.
    pub sd_r_sd: f64,
    /// Mean of Spearman's rank correlation.
    pub s_rc: f64,
    /// Its standard deviation.
    pub s_rc_sd: f64,
}

/// A row of Table I or II.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// How far saturated states jump; 0 for the plain counter.
    pub k: f64,
    /// Updates of each state, drawn from these with equal chances.
    pub updates: [u32; 2],
    /// What was measured.
    #[serde(flatten)]
    pub measured: Quality,
    /// What the paper says.
    pub paper: Quality,
}

const fn paper(sd_r: f64, sd_r_sd: f64, s_rc: f64, s_rc_sd: f64) -> Quality {
    Quality { sd_r, sd_r_sd, s_rc, s_rc_sd }
}

/// K, updates, and what the paper says.
type Setting = (f64, RangeInclusive<u32>, Quality);

/// Table I: the counter before and after the end of scale. A row is measured when it is asked for.
pub fn table1(repetitions: u32, seed: Seed) -> impl Iterator<Item = Row> {
    let rows = [
        (0.0, 20..=20, paper(0.0899, 0.0155, 0.9624, 0.0157)),
        (0.0, 200..=200, paper(0.2316, 0.0175, 0.9170, 0.0272)),
    ];
    table(rows.into(), repetitions, seed.fork("table1", 0))
}

/// Table II: jumps to the past. A row is measured when it is asked for.
pub fn table2(repetitions: u32, seed: Seed) -> impl Iterator<Item = Row> {
    let saturated = 150..=250;
    let rows = [
        (0.9, paper(0.1084, 0.0147, 0.9742, 0.0105)),
        (1.0, paper(0.0964, 0.0141, 0.9761, 0.0098)),
        (1.1, paper(0.0970, 0.0140, 0.9753, 0.0095)),
        (1.2, paper(0.0881, 0.0132, 0.9759, 0.0095)),
        (1.3, paper(0.0817, 0.0125, 0.9759, 0.0097)),
        (1.4, paper(0.0838, 0.0129, 0.9746, 0.0102)),
    ];
    let rows = rows.into_iter().map(|(k, quality)| (k, saturated.clone(), quality));
    table(rows.collect(), repetitions, seed.fork("table2", 0))
}

fn table(rows: Vec<Setting>, repetitions: u32, seed: Seed) -> impl Iterator<Item = Row> {
    let row = move |(number, (k, updates, paper)): (u64, Setting)| {
        let wls = Wls::new(SCALE, k).expect("invariant: the settings above are possible");
        let seed = seed.fork("row", number);
        let measured = quality(&wls, &updates, repetitions, seed);
        Row { k, updates: [*updates.start(), *updates.end()], measured, paper }
    };
    (0..).zip(rows).map(row)
}

/// Repeats the experiment of section III: 21 states count results that are won with probabilities of
/// 0, 0.05 … 1, and are compared with these.
#[must_use]
pub fn quality(wls: &Wls, updates: &RangeInclusive<u32>, repetitions: u32, seed: Seed) -> Quality {
    let chunks = repetitions.div_ceil(CHUNK);
    let parts: Vec<[Moments; 2]> = (0..chunks)
        .into_par_iter()
        .map(|chunk| {
            let mut rng = seed.fork("repetitions", u64::from(chunk)).rng();
            let mut part = [Moments::default(); 2];
            for _ in 0..CHUNK.min(repetitions - chunk * CHUNK) {
                let (residual, rank) = repetition(wls, updates, &mut rng);
                part[0].push(residual);
                part[1].push(rank);
            }
            part
        })
        .collect();
    let mut sums = [Moments::default(); 2];
    for part in &parts {
        sums[0].merge(&part[0]);
        sums[1].merge(&part[1]);
    }
    let mean = |moments: &Moments| moments.mean().unwrap_or(f64::NAN);
    let sd = |moments: &Moments| moments.variance().unwrap_or(f64::NAN).sqrt();
    Quality {
        sd_r: mean(&sums[0]),
        sd_r_sd: sd(&sums[0]),
        s_rc: mean(&sums[1]),
        s_rc_sd: sd(&sums[1]),
    }
}

/// The standard deviation of the residuals and the rank correlation of 21 states.
fn repetition(wls: &Wls, updates: &RangeInclusive<u32>, rng: &mut Rng) -> (f64, f64) {
    let span = u64::from(updates.end() - updates.start()) + 1;
    let drawn = (u64::from(rng.next_u32()) * span) >> 32;
    let updates = u64::from(*updates.start()) + drawn;
    let chance = |number: usize| number as f64 / 20.0;
    let limits: [u64; 21] = std::array::from_fn(|number| threshold(chance(number)));
    let mut states = [0; 21];
    // One update of each in turn: none has to wait for its own last one.
    for _ in 0..updates {
        for (state, &limit) in states.iter_mut().zip(&limits) {
            *state = update(wls, *state, limit, rng);
        }
    }
    let rates = states.map(|state| wls.rate(state).unwrap_or(0.5));
    let apart = |(number, rate): (usize, &f64)| (chance(number) - rate).powi(2);
    let squares: f64 = rates.iter().enumerate().map(apart).sum();
    ((squares / 20.0).sqrt(), rank_correlation(&rates))
}

/// A draw below this, of 32 bits, is a win of that chance.
fn threshold(chance: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^32")]
    let limit = (chance * 2f64.powi(32)).round() as u64;
    limit
}

#[inline]
fn update<S: tedomari::playout::wls::State>(
    wls: &Wls<S>,
    state: S,
    limit: u64,
    rng: &mut Rng,
) -> S {
    wls.update(state, u64::from(rng.next_u32()) < limit)
}

/// Spearman's rank correlation of numbers with their places, equal numbers sharing their ranks.
fn rank_correlation(numbers: &[f64]) -> f64 {
    let count = numbers.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let (mut product, mut squares) = (0.0, 0.0);
    for (place, number) in numbers.iter().enumerate() {
        let below = numbers.iter().filter(|other| *other < number).count() as f64;
        let equal = numbers.iter().filter(|other| other.total_cmp(number).is_eq()).count() as f64;
        let rank = below + (equal - 1.0) / 2.0 - middle;
        product += rank * (place as f64 - middle);
        squares += rank * rank;
    }
    let places = count * (count * count - 1.0) / 12.0;
    if squares > 0.0 { product / (squares * places).sqrt() } else { 0.0 }
}

/// How many updates a state needs after a step, by end of scale.
#[derive(Clone, Debug, Serialize)]
pub struct StepResponse {
    /// Repetitions for each point.
    pub repetitions: u32,
    /// End of scale, and the mean number of updates until the state has followed.
    pub points: Vec<(u16, f64)>,
    /// Updates for each visit of the scale, by a straight line through the points.
    pub slope: f64,
    /// Where that line begins.
    pub intercept: f64,
    /// Adjusted coefficient of determination of that line.
    pub r2: f64,
}

/// The experiment of section V: the chance goes from 1/4 to 3/4, and updates are counted until the
/// state says 3/4 within 0.025; for each number of repetitions, those of a smaller number being among
/// those of a larger.
#[must_use]
pub fn step_response(repetitions: &[u32], seed: Seed) -> Vec<StepResponse> {
    let most = repetitions.iter().copied().max().unwrap_or(0);
    let scales: Vec<u16> = (1..=40).map(|number| 25 * number).collect();
    let measured: Vec<Vec<f64>> = scales
        .par_iter()
        .map(|&e| {
            let wls = Wls::<u32>::with_states(e, 1.3).expect("invariant: a scale of up to 1000");
            let mut rng = seed.fork("step", u64::from(e)).rng();
            (0..most).map(|_| settling_time(&wls, &mut rng)).collect()
        })
        .collect();
    let of = |&repetitions: &u32| {
        let mean = |times: &Vec<f64>| {
            times.iter().take(repetitions as usize).sum::<f64>() / f64::from(repetitions)
        };
        let points: Vec<_> = scales.iter().copied().zip(measured.iter().map(mean)).collect();
        let (slope, intercept, r2) = line(&points);
        StepResponse { repetitions, points, slope, intercept, r2 }
    };
    repetitions.iter().map(of).collect()
}

fn settling_time(wls: &Wls<u32>, rng: &mut Rng) -> f64 {
    let mut state = wls.index_of(1, 4).expect("invariant: the scale is longer than 4");
    let (low, high) = (threshold(0.25), threshold(0.75));
    for _ in 0..BURN_IN * u32::from(wls.end_of_scale()) {
        state = update(wls, state, low, rng);
    }
    let mut updates = 0u32;
    while wls.rate(state).is_none_or(|rate| (rate - 0.75).abs() > 0.025) {
        state = update(wls, state, high, rng);
        updates += 1;
    }
    f64::from(updates)
}

/// Slope, intercept and adjusted R² of the straight line through points.
fn line(points: &[(u16, f64)]) -> (f64, f64, f64) {
    let count = points.len() as f64;
    let x = |point: &(u16, f64)| f64::from(point.0);
    let mean_x = points.iter().map(x).sum::<f64>() / count;
    let mean_y = points.iter().map(|point| point.1).sum::<f64>() / count;
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|point| f(x(point) - mean_x, point.1 - mean_y)).sum()
    };
    let slope = sum(&|dx, dy| dx * dy) / sum(&|dx, _| dx * dx);
    let left = sum(&|dx, dy| (dy - slope * dx).powi(2)) / sum(&|_, dy| dy * dy);
    (slope, mean_y - slope * mean_x, 1.0 - left * (count - 1.0) / (count - 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: Seed = Seed::new(1);

    #[test]
    fn ranks_and_lines_by_hand() {
        assert!((rank_correlation(&[1.0, 2.0, 5.0, 9.0]) - 1.0).abs() < 1e-12);
        assert!((rank_correlation(&[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
        // Ranks 1.5 1.5 3 4 against 1 2 3 4: 4.5 / sqrt(4.5 * 5).
        let tied = rank_correlation(&[1.0, 1.0, 2.0, 3.0]);
        assert!((tied - 4.5 / (4.5f64 * 5.0).sqrt()).abs() < 1e-12);
        assert!(rank_correlation(&[1.0, 1.0]).abs() < 1e-12);
        let (slope, intercept, r2) = line(&[(0, 1.0), (1, 3.0), (2, 5.0)]);
        assert!((slope - 2.0).abs() + (intercept - 1.0).abs() + (r2 - 1.0).abs() < 1e-12);
    }

    /// The paper's numbers to a thousandth, but where every jump is a tie that its arithmetic decided
    /// by chance (K = 1.0) or some are (K = 1.4).
    #[test]
    fn the_tables_are_the_papers() {
        for row in table1(REPETITIONS, SEED).chain(table2(REPETITIONS, SEED)) {
            let ties = [1.0, 1.4].contains(&row.k);
            let tolerance = if ties { 0.012 } else { 0.001 };
            let (ours, paper) = (&row.measured, &row.paper);
            assert!((ours.sd_r - paper.sd_r).abs() < tolerance, "{row:?}");
            assert!((ours.s_rc - paper.s_rc).abs() < tolerance, "{row:?}");
            assert!((ours.sd_r_sd - paper.sd_r_sd).abs() < tolerance, "{row:?}");
            assert!((ours.s_rc_sd - paper.s_rc_sd).abs() < tolerance, "{row:?}");
        }
    }

    #[test]
    fn longer_runs_still_prefer_1_3() {
        let quality = |k: f64| {
            let wls = Wls::new(SCALE, k).unwrap();
            super::quality(&wls, &(1500..=2500), 500, SEED).sd_r
        };
        let best = quality(1.3);
        assert!([0.9, 1.0, 1.1, 1.2, 1.4].into_iter().all(|k| quality(k) > best));
    }

    #[test]
    fn settling_takes_time_in_proportion_to_the_scale() {
        let [few, many] = &step_response(&[25, 400], SEED)[..] else {
            panic!("two were asked for")
        };
        assert!(few.r2 > 0.995 && many.r2 > 0.999, "{} {}", few.r2, many.r2);
        assert!((2.3..2.8).contains(&many.slope), "{}", many.slope);
        assert_eq!(few.points.len(), 40);
    }

    #[test]
    fn threads_change_nothing() {
        let wls = Wls::new(SCALE, 1.3).unwrap();
        let run = || quality(&wls, &(150..=250), 1200, SEED);
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(run(), alone.install(run));
    }
}
