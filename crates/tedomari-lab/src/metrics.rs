//! How well evaluation values tell won positions from lost ones: the six metrics of Takeuchi, Kaneko
//! and Yamaguchi (2010), section III-C.

use std::collections::BTreeMap;

use rand::Rng as _;
use serde::Serialize;

use tedomari::util::Seed;
use tedomari::util::stats::Interval;

/// The share of positions that the lift looks at.
const TOP: f64 = 0.25;

/// A position with what an evaluator says of it and what became of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// What the evaluator says, for Black; not a number for what it could not say.
    pub value: f64,
    /// Whether Black has won the game.
    pub black_won: bool,
    /// The game it is from: positions of one game go together.
    pub game: usize,
}

/// The six metrics; none where a set has no answer, as without a single won position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Scores {
    /// Accuracy: the share of positions on the right side of the threshold.
    pub acc: Option<f64>,
    /// F-score: the harmonic mean of precision and recall.
    pub fsc: Option<f64>,
    /// Lift: the share of won positions in the quarter with the highest values.
    pub lft: Option<f64>,
    /// Area under the ROC curve.
    pub roc: Option<f64>,
    /// Mean precision at recalls of 0, 0.1 … 1.
    pub apr: Option<f64>,
    /// Precision where it is equal to recall.
    pub bep: Option<f64>,
}

/// Names of the metrics, in the order of the paper's tables.
pub const NAMES: [&str; 6] = ["acc", "fsc", "lft", "roc", "apr", "bep"];

impl Scores {
    /// The metrics in the order of [`NAMES`].
    #[must_use]
    pub const fn list(&self) -> [Option<f64>; 6] {
        [self.acc, self.fsc, self.lft, self.roc, self.apr, self.bep]
    }
}

/// A number with its interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Where it is likely to be.
    #[serde(flatten)]
    pub interval: Interval,
}

/// What all positions together say, with intervals.
#[derive(Clone, Debug, Serialize)]
pub struct Metrics {
    /// Positions.
    pub positions: usize,
    /// Games that they are from.
    pub games: usize,
    /// The share that Black has won.
    pub black_won: f64,
    /// The metrics in the order of [`NAMES`].
    #[serde(serialize_with = "by_name")]
    pub scores: [Option<Estimate>; 6],
}

fn by_name<S: serde::Serializer>(
    scores: &[Option<Estimate>; 6],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(NAMES.iter().zip(scores))
}

impl Metrics {
    /// Judges the values, with intervals from `resamples` draws of whole games with replacement
    /// (Efron and Tibshirani 1993). Values from `threshold` on count as a win of Black.
    #[must_use]
    pub fn new(judged: &[Judged], threshold: f64, resamples: u32, seed: Seed) -> Self {
        let mut sorted: Vec<Judged> =
            judged.iter().copied().filter(|judged| !judged.value.is_nan()).collect();
        sorted.sort_by(|a, b| b.value.total_cmp(&a.value));
        let mut names: Vec<usize> = sorted.iter().map(|judged| judged.game).collect();
        names.sort_unstable();
        names.dedup();
        for judged in &mut sorted {
            judged.game = names.partition_point(|&name| name < judged.game);
        }
        let scores = Levels::new(&sorted, |_| 1.0).scores(threshold).list();
        let mut draws: [Vec<f64>; 6] = Default::default();
        let mut rng = seed.fork("bootstrap", 0).rng();
        let mut weights = vec![0.0; names.len()];
        for _ in 0..resamples {
            weights.fill(0.0);
            for _ in 0..names.len() {
                let drawn = (u64::from(rng.next_u32()) * names.len() as u64) >> 32;
                weights[usize::try_from(drawn).unwrap_or_default()] += 1.0;
            }
            let drawn = Levels::new(&sorted, |game| weights[game]).scores(threshold).list();
            for (list, drawn) in draws.iter_mut().zip(drawn) {
                list.extend(drawn);
            }
        }
        let won = sorted.iter().filter(|judged| judged.black_won).count() as f64;
        let mut lists = draws.into_iter();
        Self {
            positions: sorted.len(),
            games: names.len(),
            black_won: if sorted.is_empty() { 0.0 } else { won / sorted.len() as f64 },
            scores: scores.map(|score| {
                let list = lists.next().unwrap_or_default();
                score.map(|value| Estimate { value, interval: percentiles(list, value) })
            }),
        }
    }
}

/// How much more accurate the second of two evaluators is than the first, on the same positions: each tells
/// for each position whether it was on the right side. The interval is from draws of whole games.
#[must_use]
pub fn accuracy_gain(
    right: &[[bool; 2]],
    games: &[usize],
    resamples: u32,
    seed: Seed,
) -> Option<Estimate> {
    let mut by_game: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
    for (&[first, second], &game) in right.iter().zip(games) {
        let sums = by_game.entry(game).or_default();
        sums[0] += f64::from(u8::from(second)) - f64::from(u8::from(first));
        sums[1] += 1.0;
    }
    let sums: Vec<[f64; 2]> = by_game.into_values().collect();
    let mean = |drawn: &mut dyn Iterator<Item = [f64; 2]>| {
        let [gain, count] = drawn.fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        (count > 0.0).then(|| gain / count)
    };
    let value = mean(&mut sums.iter().copied())?;
    let mut rng = seed.fork("bootstrap", 1).rng();
    let mut draw = || {
        let at = (u64::from(rng.next_u32()) * sums.len() as u64) >> 32;
        sums[usize::try_from(at).unwrap_or_default()]
    };
    let draws = (0..resamples).filter_map(|_| mean(&mut sums.iter().map(|_| draw()))).collect();
    Some(Estimate { value, interval: percentiles(draws, value) })
}

/// The middle 95 % of numbers, or a single one where there are none.
fn percentiles(mut list: Vec<f64>, single: f64) -> Interval {
    list.sort_by(f64::total_cmp);
    let at = |share: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
        let index = (share * list.len() as f64) as usize;
        list.get(index.min(list.len().saturating_sub(1))).copied().unwrap_or(single)
    };
    Interval { low: at(0.025), high: at(0.975) }
}

/// Positions of equal value together, from the highest down.
struct Levels {
    down: Vec<Level>,
    won: f64,
    lost: f64,
}

struct Level {
    value: f64,
    won: f64,
    lost: f64,
}

impl Levels {
    /// Positions sorted from the highest value down, each counted as often as its game is.
    fn new(sorted: &[Judged], weight: impl Fn(usize) -> f64) -> Self {
        let mut all = Self { down: Vec::new(), won: 0.0, lost: 0.0 };
        for judged in sorted {
            let weight = weight(judged.game);
            if weight == 0.0 {
                continue;
            }
            let (won, lost) = if judged.black_won { (weight, 0.0) } else { (0.0, weight) };
            all.won += won;
            all.lost += lost;
            match all.down.last_mut() {
                Some(level) if level.value.total_cmp(&judged.value).is_eq() => {
                    level.won += won;
                    level.lost += lost;
                }
                _ => all.down.push(Level { value: judged.value, won, lost }),
            }
        }
        all
    }

    fn scores(&self, threshold: f64) -> Scores {
        let total = self.won + self.lost;
        if total == 0.0 {
            return Scores::default();
        }
        let above = self.down.iter().take_while(|level| level.value >= threshold);
        let (hits, false_hits) =
            above.fold((0.0, 0.0), |sum, level| (sum.0 + level.won, sum.1 + level.lost));
        let both = hits + false_hits + self.won;
        let some = |exists: bool, value: f64| exists.then_some(value);
        Scores {
            acc: Some((hits + self.lost - false_hits) / total),
            fsc: some(both > 0.0, 2.0 * hits / both),
            lft: Some(self.won_in_top(TOP * total) / (TOP * total)),
            roc: some(self.won > 0.0 && self.lost > 0.0, self.area()),
            apr: some(self.won > 0.0, self.mean_precision()),
            bep: some(self.won > 0.0, self.won_in_top(self.won) / self.won),
        }
    }

    /// Won positions among the `top` with the highest values. Of a level that is cut in two, each
    /// part has its share.
    fn won_in_top(&self, top: f64) -> f64 {
        let mut left = top;
        let mut won = 0.0;
        for level in &self.down {
            let size = level.won + level.lost;
            let taken = left.min(size);
            won += level.won * taken / size;
            left -= taken;
            if left <= 0.0 {
                break;
            }
        }
        won
    }

    /// The chance that a won position has a higher value than a lost one, equal ones counting half.
    fn area(&self) -> f64 {
        let mut lost_below = self.lost;
        let mut sum = 0.0;
        for level in &self.down {
            lost_below -= level.lost;
            sum += level.won * (lost_below + level.lost / 2.0);
        }
        sum / (self.won * self.lost)
    }

    /// The mean of the precisions at the highest thresholds with recalls of at least 0, 0.1 … 1.
    fn mean_precision(&self) -> f64 {
        let mut sum = 0.0;
        let mut wanted = 0u32;
        let (mut won, mut all) = (0.0, 0.0);
        for level in &self.down {
            won += level.won;
            all += level.won + level.lost;
            while wanted <= 10 && 10.0 * won >= f64::from(wanted) * self.won {
                sum += won / all;
                wanted += 1;
            }
        }
        sum / 11.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(list: &[(f64, u8)]) -> Vec<Judged> {
        let of = |(game, &(value, won)): (usize, &(f64, u8))| Judged {
            value,
            black_won: won == 1,
            game,
        };
        list.iter().enumerate().map(of).collect()
    }

    fn check(list: &[(f64, u8)], expected: [Option<f64>; 6]) {
        let metrics = Metrics::new(&judged(list), 0.5, 0, Seed::new(1));
        for ((name, found), expected) in NAMES.iter().zip(&metrics.scores).zip(expected) {
            let found = found.map(|estimate| estimate.value);
            let same = match (found, expected) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-9,
                (a, b) => a == b,
            };
            assert!(same, "{name} of {list:?} is {found:?}, not {expected:?}");
        }
    }

    #[test]
    fn a_set_by_hand() {
        // Threshold 0.5: TP 2, FP 1, TN 1, FN 0. Top quarter is the first. Pairs in order: 3 of 4.
        // Precisions at recall 0 … 0.5: 1, six times; from 0.6 on 2/3, five times. Top two: one won.
        let list = [(0.9, 1), (0.8, 0), (0.7, 1), (0.2, 0)];
        let apr = (6.0 + 5.0 * 2.0 / 3.0) / 11.0;
        let [acc, fsc, lft] = [0.75, 2.0 * 2.0 / 5.0, 1.0].map(Some);
        check(&list, [acc, fsc, lft, Some(0.75), Some(apr), Some(0.5)]);
    }

    #[test]
    fn ties_count_by_their_share() {
        // All equal: half of any top is won, and no order at all.
        let list = [(0.5, 1), (0.5, 0), (0.5, 0), (0.5, 1)];
        check(&list, [Some(0.5), Some(2.0 / 3.0), Some(0.5), Some(0.5), Some(0.5), Some(0.5)]);
        // The top two of four are one sure win and one of three tied, of which one is won.
        let list = [(0.9, 1), (0.4, 1), (0.4, 0), (0.4, 0)];
        let apr = (6.0 + 5.0 * 0.5) / 11.0;
        let bep = f64::midpoint(1.0, 1.0 / 3.0);
        let roc = (2.0 + 1.0) / 4.0;
        check(&list, [Some(0.75), Some(2.0 / 3.0), Some(1.0), Some(roc), Some(apr), Some(bep)]);
    }

    #[test]
    fn one_sided_sets_have_no_order() {
        let one = Some(1.0);
        check(&[(0.9, 1), (0.6, 1)], [one, one, one, None, one, one]);
        check(&[(0.9, 0), (0.2, 0)], [Some(0.5), Some(0.0), Some(0.0), None, None, None]);
        check(&[(0.1, 0)], [one, None, Some(0.0), None, None, None]);
        check(&[], [None; 6]);
        check(&[(f64::NAN, 1)], [None; 6]);
    }

    /// What `accuracy_score`, `f1_score`, `roc_auc_score` and `precision_recall_curve` of scikit-learn
    /// 1.9.1 say of the same numbers, without ties and with.
    #[test]
    fn scikit_learn_says_the_same() {
        let set = |step: i32| -> Vec<(f64, u8)> {
            let one = |i: i32| {
                let (a, b) = (i * 37 % 101, i * 29 % 61);
                (f64::from(a / step * step) / 100.0, u8::from(a + b > 75))
            };
            (0..40).map(one).collect()
        };
        let (acc, fsc) = (Some(0.85), Some(0.857_142_857_142_857_1));
        let (roc, apr) = (Some(0.969_696_969_696_969_7), Some(0.974_156_278_504_104_7));
        check(&set(1), [acc, fsc, Some(1.0), roc, apr, Some(0.863_636_363_636_363_6)]);
        let tied = Metrics::new(&judged(&set(10)), 0.5, 0, Seed::new(1)).scores;
        let expected = [0.85, 0.857_142_857_142_857_1, 1.0, 0.964_646_464_646_464_8];
        for (found, expected) in tied.iter().zip(expected) {
            assert!((found.unwrap().value - expected).abs() < 1e-9, "{found:?}, not {expected}");
        }
        assert!((tied[4].unwrap().value - 0.960_064_935_064_935_2).abs() < 1e-9);
    }

    #[test]
    fn intervals_hold_the_number_and_repeat() {
        let list = (0..400).map(|n| (f64::from(n % 97) / 97.0, u8::from(n % 97 > n % 89)));
        let list = list.collect::<Vec<_>>();
        let metrics = || Metrics::new(&judged(&list), 0.5, 300, Seed::new(3));
        for estimate in metrics().scores.into_iter().flatten() {
            let Estimate { value, interval } = estimate;
            assert!(interval.low <= value && value <= interval.high, "{estimate:?}");
            assert!(interval.high - interval.low < 0.4, "{estimate:?}");
        }
        let Estimate { value, interval } = metrics().scores[0].unwrap();
        assert!(interval.low < value && value < interval.high);
        assert_eq!(metrics().scores, metrics().scores);
    }

    #[test]
    fn gains_are_of_the_same_positions() {
        // The second is right in three more of eight, wrong in one more.
        let right = [(0, 1), (0, 1), (0, 1), (1, 0), (1, 1), (1, 1), (0, 0), (0, 0)]
            .map(|(a, b)| [a == 1, b == 1]);
        let games: Vec<usize> = (0..8).collect();
        let gain = accuracy_gain(&right, &games, 1000, Seed::new(1)).unwrap();
        assert!((gain.value - 0.25).abs() < 1e-12);
        assert!(gain.interval.low < 0.0 && gain.interval.high > 0.5, "{gain:?}");
        // A hundred times the same games: the interval is a tenth as wide, and above zero.
        let many: Vec<[bool; 2]> = right.iter().copied().cycle().take(800).collect();
        let games: Vec<usize> = (0..800).collect();
        let gain = accuracy_gain(&many, &games, 1000, Seed::new(1)).unwrap();
        assert!(gain.interval.low > 0.18 && gain.interval.high < 0.32, "{gain:?}");
        // The same positions, but of eight games: as little is known as with eight.
        let few: Vec<usize> = (0..800).map(|n| n % 8).collect();
        let gain = accuracy_gain(&many, &few, 1000, Seed::new(1)).unwrap();
        assert!(gain.interval.low < 0.0, "{gain:?}");
        assert!(accuracy_gain(&[], &[], 10, Seed::new(1)).is_none());
    }

    /// Positions of one game say the same again: their number must not make intervals narrow.
    #[test]
    fn games_are_drawn_whole() {
        let width = |copies: usize| {
            let list = (0..40usize).flat_map(|game| {
                (0..copies).map(move |_| Judged {
                    value: (game % 7) as f64 / 7.0,
                    black_won: game % 3 == 0,
                    game,
                })
            });
            let metrics = Metrics::new(&list.collect::<Vec<_>>(), 0.5, 400, Seed::new(5));
            let acc = metrics.scores[0].unwrap().interval;
            acc.high - acc.low
        };
        assert!((width(1) - width(20)).abs() < 1e-9);
    }
}
