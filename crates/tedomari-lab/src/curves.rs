//! Evaluation curves (Takeuchi, Kaneko and Yamaguchi 2010, equations 1 and 2): the win probability
//! of positions by what an evaluator says of them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::metrics::Judged;
use tedomari::util::stats::{Interval, wilson};

/// What rounding may take from a value on the edge of an interval, in intervals: 0.475 belongs to 0.5.
const CRUMB: f64 = 1e-9;

/// How values are put together.
#[derive(Clone, Copy, Debug)]
pub struct CurveParams {
    /// Width of an interval of values, the paper's delta.
    pub width: f64,
    /// Intervals with fewer positions are left out.
    pub least: usize,
}

/// Win probabilities over values.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// Positions, those of intervals that are left out among them.
    pub positions: usize,
    /// The intervals with enough positions, from the lowest value up.
    pub bins: Vec<Bin>,
}

/// One interval of values.
#[derive(Clone, Debug, Serialize)]
pub struct Bin {
    /// The middle of the interval, v in equation 1.
    pub value: f64,
    /// Positions in it.
    pub positions: usize,
    /// Those in games that Black has won.
    pub black_won: usize,
    /// Their share: the win probability of equation 1.
    pub win_probability: f64,
    /// Its interval of 95 %.
    #[serde(flatten)]
    pub interval: Interval,
}

impl Curve {
    /// The curve of these positions.
    #[must_use]
    pub fn new<'a>(judged: impl IntoIterator<Item = &'a Judged>, params: &CurveParams) -> Self {
        let mut bins: BTreeMap<i64, Vec<&Judged>> = BTreeMap::new();
        let mut positions = 0;
        for judged in judged.into_iter().filter(|judged| judged.value.is_finite()) {
            #[expect(clippy::cast_possible_truncation, reason = "values are small, or the end")]
            let number = (judged.value / params.width + 0.5 + CRUMB).floor() as i64;
            bins.entry(number).or_default().push(judged);
            positions += 1;
        }
        let enough = bins.into_iter().filter(|(_, list)| list.len() >= params.least.max(1));
        let bins = enough.map(|(number, list)| Bin::new(number as f64 * params.width, &list));
        Self { positions, bins: bins.collect() }
    }

    /// How far apart two curves are where both exist.
    #[must_use]
    pub fn split(&self, other: &Curve) -> Option<Split> {
        let (mut sum, mut variance, mut weights) = (0.0, 0.0, 0.0);
        let (mut squares, mut chi2, mut bins) = (0.0, 0.0, 0.0);
        for a in &self.bins {
            let Some(b) = other.bins.iter().find(|b| (a.value - b.value).abs() < 1e-9) else {
                continue;
            };
            let weight = a.positions.min(b.positions) as f64;
            let difference = a.win_probability - b.win_probability;
            let error2 = a.variance() + b.variance();
            sum += weight * difference;
            variance += weight * weight * error2;
            weights += weight;
            squares += weight * difference * difference;
            chi2 += difference * difference / error2;
            bins += 1.0;
        }
        let error = variance.sqrt();
        (weights > 0.0 && error > 0.0).then(|| Split {
            shift: sum / weights,
            shift_errors: sum / error,
            apart: (squares / weights).sqrt(),
            apart_errors: (chi2 - bins) / (2.0_f64 * bins).sqrt(),
        })
    }
}

/// How far a curve is from another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Split {
    /// How much higher its win probabilities are, on the mean by positions.
    pub shift: f64,
    /// That in standard errors.
    pub shift_errors: f64,
    /// The root of the mean square of the differences: curves of another slope are apart without a shift.
    pub apart: f64,
    /// How much larger than by chance these are, in standard errors: chi-square, less the number of
    /// intervals, by the root of twice that number. A part of all positions is nearer to all of them than
    /// chance has it, so that this is too low rather than too high.
    pub apart_errors: f64,
}

impl Bin {
    fn new(value: f64, list: &[&Judged]) -> Self {
        let positions = list.len();
        let black_won = list.iter().filter(|judged| judged.black_won).count();
        let win_probability = black_won as f64 / positions as f64;
        let independent = positions as f64 / repetition(list, win_probability);
        let interval = wilson(win_probability * independent, independent);
        Self { value, positions, black_won, win_probability, interval }
    }

    fn variance(&self) -> f64 {
        ((self.interval.high - self.interval.low) / (2.0 * tedomari::util::stats::Z95)).powi(2)
    }
}

/// How many positions say as much as one independent one (the design effect of Kish 1965): all
/// positions of a game have the same winner.
fn repetition(list: &[&Judged], share: f64) -> f64 {
    let mut games: BTreeMap<usize, f64> = BTreeMap::new();
    for judged in list {
        *games.entry(judged.game).or_default() += 1.0;
    }
    let plain = list.len() as f64 * share * (1.0 - share);
    let apart = |judged: &&Judged| f64::from(u8::from(judged.black_won)) - share;
    let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
    for judged in list {
        *sums.entry(judged.game).or_default() += apart(judged);
    }
    let clustered: f64 = sums.values().map(|sum| sum * sum).sum();
    // Where all have the same winner, the mean number of positions of a game.
    let sizes: f64 = games.values().map(|size| size * size).sum::<f64>() / list.len() as f64;
    if plain > 0.0 { (clustered / plain).max(1.0) } else { sizes }
}

#[cfg(test)]
mod tests {
    use rand::Rng as _;

    use super::*;
    use tedomari::util::Seed;

    const PARAMS: CurveParams = CurveParams { width: 0.05, least: 100 };

    /// Positions of which an evaluator says a chance, won with a chance that depends on it.
    fn synthetic(count: usize, chance: impl Fn(usize, f64) -> f64) -> Vec<Judged> {
        let mut rng = Seed::new(4).rng();
        let mut draw = move || f64::from(rng.next_u32()) / 2f64.powi(32);
        let one = |game| {
            let value = draw();
            Judged { value, black_won: draw() < chance(game, value), game }
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn intervals_are_half_open_and_small_ones_are_left_out() {
        let list: Vec<_> = [(0.475, true), (0.524_999, false), (0.525, true)]
            .into_iter()
            .enumerate()
            .map(|(game, (value, black_won))| Judged { value, black_won, game })
            .collect();
        let curve = Curve::new(&list, &CurveParams { width: 0.05, least: 2 });
        assert_eq!((curve.positions, curve.bins.len()), (3, 1));
        let bin = &curve.bins[0];
        assert!((bin.value - 0.5).abs() < 1e-12);
        assert_eq!((bin.positions, bin.black_won), (2, 1));
        assert!((bin.win_probability - 0.5).abs() < 1e-12);
        let wide = CurveParams { width: 10.0, least: 1 };
        let scores = [-81.0, 81.0].map(|value| Judged { value, black_won: true, game: 0 });
        let values: Vec<_> = Curve::new(&scores, &wide).bins.iter().map(|bin| bin.value).collect();
        assert_eq!(values, [-80.0, 80.0]);
    }

    #[test]
    fn a_calibrated_evaluator_lies_on_the_diagonal() {
        let list = synthetic(40_000, |_, value| value);
        let curve = Curve::new(&list, &PARAMS);
        assert_eq!(curve.bins.len(), 21);
        // Intervals of 95 %: of 19 whole ones two may miss.
        let whole = &curve.bins[1..20];
        let misses = whole
            .iter()
            .filter(|bin| !(bin.interval.low..=bin.interval.high).contains(&bin.value))
            .count();
        assert!(misses <= 2, "{misses} intervals do not hold the diagonal");
        assert!(whole.iter().all(|bin| (bin.win_probability - bin.value).abs() < 0.05));
    }

    #[test]
    fn a_split_evaluator_shows_the_split() {
        // Every other position is better than it looks.
        let chance =
            |game: usize, value: f64| if game.is_multiple_of(2) { value } else { value * 0.8 };
        let list = synthetic(40_000, chance);
        let curve =
            |odd: usize| Curve::new(list.iter().filter(|judged| judged.game % 2 == odd), &PARAMS);
        let split = curve(0).split(&curve(1)).unwrap();
        assert!((0.08..0.12).contains(&split.shift) && split.shift_errors > 10.0, "{split:?}");
        let honest = synthetic(40_000, |_, value| value);
        let half =
            |odd: usize| Curve::new(honest.iter().filter(|judged| judged.game % 2 == odd), &PARAMS);
        let split = half(0).split(&half(1)).unwrap();
        assert!(split.shift.abs() < 0.02 && split.shift_errors.abs() < 3.0, "{split:?}");
        assert!(split.apart_errors.abs() < 3.0, "{split:?}");
    }

    /// Half of the positions say nothing: their curve is flat, and crosses the other in the middle.
    #[test]
    fn another_slope_is_apart_without_a_shift() {
        let chance = |game: usize, value: f64| if game.is_multiple_of(2) { value } else { 0.5 };
        let list = synthetic(40_000, chance);
        let of =
            |odd: usize| Curve::new(list.iter().filter(|judged| judged.game % 2 == odd), &PARAMS);
        let split = of(1).split(&of(0)).unwrap();
        assert!(split.shift.abs() < 0.02 && split.shift_errors.abs() < 3.0, "{split:?}");
        // The root of the mean square of a uniform value's distance from one half.
        assert!((split.apart - 1.0 / 12f64.sqrt()).abs() < 0.02, "{split:?}");
        assert!(split.apart_errors > 20.0, "{split:?}");
    }

    #[test]
    fn positions_of_one_game_count_as_one() {
        let of = |copies: usize| {
            let list: Vec<_> = (0..200 * copies)
                .map(|n| Judged {
                    value: 0.5,
                    black_won: (n / copies).is_multiple_of(2),
                    game: n / copies,
                })
                .collect();
            let bin = Curve::new(&list, &PARAMS).bins.remove(0);
            bin.interval.high - bin.interval.low
        };
        assert!((of(1) - of(10)).abs() < 1e-6);
        let same = (0..500).map(|n| Judged { value: 0.9, black_won: true, game: n / 100 });
        let bin = Curve::new(&same.collect::<Vec<_>>(), &PARAMS).bins.remove(0);
        assert!(bin.interval.low < 0.6, "five games won are not five hundred");
    }
}
