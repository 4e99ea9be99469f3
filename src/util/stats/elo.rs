//! Scores, their intervals, and what they are in Elo.

use serde::Serialize;

use super::{Z95, normal_cdf};

/// With fewer pairs than this their variance says little.
const FEW_PAIRS: u64 = 10;

/// From a lower to an upper end, of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The expected score of a player who is `elo` stronger.
#[must_use]
pub fn score_from_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// How much stronger a player with this score is; none at 0 and 1, where there is no end to it.
#[must_use]
pub fn elo_from_score(score: f64) -> Option<f64> {
    // `+ 0.0` for an even score, which would be "-0" otherwise.
    (score > 0.0 && score < 1.0).then(|| -400.0 * (1.0 / score - 1.0).log10() + 0.0)
}

/// The interval of a proportion (Wilson 1927). With half points for draws it is wider than it must
/// be: no result between 0 and 1 varies more than one that is 0 or 1. All of [0, 1] of no games.
#[must_use]
pub fn wilson(points: f64, games: f64) -> Interval {
    if games <= 0.0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let square = Z95 * Z95;
    let score = points / games;
    let middle = (score + square / (2.0 * games)) / (1.0 + square / games);
    let spread = (score * (1.0 - score) / games + square / (4.0 * games * games)).sqrt();
    let half = Z95 * spread / (1.0 + square / games);
    Interval { low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}

/// The results of one player's games against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcomes {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Whole pairs by points: 0, ½, 1, 1½, 2. Their games are among the games above.
    pub pairs: [u64; 5],
}

/// A difference in strength. What has no end is none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Elo {
    /// The most likely value.
    pub elo: Option<f64>,
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
    /// Half the interval.
    pub error: Option<f64>,
}

impl Outcomes {
    /// How many games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Wins and half the draws.
    #[must_use]
    pub fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// Points for each game; none of no games.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// The Wilson interval of the score.
    #[must_use]
    pub fn wilson(&self) -> Interval {
        wilson(self.points(), self.games() as f64)
    }

    /// The same games as the other player sees them.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let mut pairs = self.pairs;
        pairs.reverse();
        Self { wins: self.losses, draws: self.draws, losses: self.wins, pairs }
    }

    /// The Elo difference. Its interval comes from the variance of the pairs, so that what the two
    /// games of an opening have in common is counted right; with fewer than ten pairs, pairs that
    /// are all alike, more than one in twenty games outside pairs, or an interval that reaches 0 or 1, where the normal
    /// approximation ends, from the Wilson interval.
    #[must_use]
    pub fn elo(&self) -> Elo {
        let Some(score) = self.score() else {
            return Elo { elo: None, low: None, high: None, error: None };
        };
        let normal = self
            .pair_error()
            .map(|error| Interval { low: score - Z95 * error, high: score + Z95 * error });
        let interval = normal
            .filter(|interval| interval.low > 0.0 && interval.high < 1.0)
            .unwrap_or_else(|| self.wilson());
        let (low, high) = (elo_from_score(interval.low), elo_from_score(interval.high));
        let error = low.zip(high).map(|(low, high)| f64::midpoint(high, -low));
        Elo { elo: elo_from_score(score), low, high, error }
    }

    /// The likelihood that the first player is the stronger one, by the normal approximation: from
    /// the pairs where they say enough, else from the games that were not drawn; ½ of none.
    #[must_use]
    pub fn superiority(&self) -> f64 {
        if let Some((error, score)) = self.pair_error().zip(self.score()) {
            return normal_cdf((score - 0.5) / error);
        }
        let decided = (self.wins + self.losses) as f64;
        if decided == 0.0 {
            return 0.5;
        }
        normal_cdf((self.wins as f64 - self.losses as f64) / decided.sqrt())
    }

    /// The standard error of the score from the pairs; none where they do not say enough.
    fn pair_error(&self) -> Option<f64> {
        let count: u64 = self.pairs.iter().sum();
        // A few games may lack their pair: in a match that goes on, or for a game that does not count.
        let alone = self.games().saturating_sub(2 * count);
        if count < FEW_PAIRS || alone > (self.games() / 20).max(1) {
            return None;
        }
        let classes = || self.pairs.iter().enumerate();
        let mean = classes().map(|(class, n)| *n as f64 * class as f64 / 4.0).sum::<f64>();
        let mean = mean / count as f64;
        let square = |class: usize| (class as f64 / 4.0 - mean).powi(2);
        let variance = classes().map(|(class, n)| *n as f64 * square(class)).sum::<f64>();
        let error = variance.sqrt() / count as f64;
        (error > 0.0).then_some(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
    }

    fn games(wins: u64, draws: u64, losses: u64) -> Outcomes {
        Outcomes { wins, draws, losses, pairs: [0; 5] }
    }

    #[test]
    fn elo_and_score_by_hand() {
        // Ten to one is 400 Elo.
        check(score_from_elo(400.0), 10.0 / 11.0, 1e-15);
        check(elo_from_score(10.0 / 11.0).unwrap(), 400.0, 1e-9);
        check(elo_from_score(0.75).unwrap(), 400.0 * 3f64.log10(), 1e-9);
        assert!(elo_from_score(0.5).unwrap().is_sign_positive());
        assert_eq!(elo_from_score(0.0), None);
        assert_eq!(elo_from_score(1.0), None);
        assert_eq!(elo_from_score(f64::NAN), None);
        for elo in [-700.0, -30.0, 0.0, 5.0, 250.0] {
            check(elo_from_score(score_from_elo(elo)).unwrap(), elo, 1e-9);
        }
    }

    #[test]
    fn wilson_against_known_intervals() {
        // Newcombe 1998, Table I, method 3.
        for (points, games, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let found = wilson(points, games);
            check(found.low, low, 5e-5);
            check(found.high, high, 5e-5);
        }
        assert_eq!(wilson(0.0, 0.0), Interval { low: 0.0, high: 1.0 });
        assert!(wilson(5.0, 5.0).high >= 1.0 - 1e-12);
    }

    #[test]
    fn elo_of_pairs_by_hand() {
        // 20 pairs: five with 0, ten with 1, five with 2 points. Variance of the score of a pair
        // (0 + 0 + 10 · ¼)/20 = 1/8, error √(1/160), z times it 0.154948; 0.654948 is 111.33 Elo.
        let even = Outcomes { wins: 20, draws: 0, losses: 20, pairs: [5, 0, 10, 0, 5] };
        let elo = even.elo();
        check(elo.elo.unwrap(), 0.0, 1e-12);
        check(elo.high.unwrap(), 111.33, 0.01);
        check(elo.low.unwrap(), -111.33, 0.01);
        check(elo.error.unwrap(), 111.33, 0.01);
        check(even.superiority(), 0.5, 1e-12);
    }

    #[test]
    fn elo_of_pairs_as_fastchess_computes_it() {
        // Its own test: 34 LL, 54 LD, 31 WL and 32 DD, 64 WD, 75 WW: 55.58 ± 27.65, LOS 100.00 %.
        let pairs = [34, 54, 63, 64, 75];
        let match_ = Outcomes { wins: 245, draws: 182, losses: 153, pairs };
        assert_eq!(match_.games(), 580);
        let elo = match_.elo();
        check(elo.elo.unwrap(), 55.58, 0.005);
        check(elo.error.unwrap(), 27.65, 0.005);
        check(match_.superiority(), 1.0, 1e-4);
        let other = match_.flipped().elo();
        check(other.low.unwrap(), -elo.high.unwrap(), 1e-9);
    }

    #[test]
    fn superiority_of_games_by_hand() {
        // 16 decided games, 12 to 4: two standard deviations.
        check(games(12, 7, 4).superiority(), 0.977_249_868, 1e-8);
        check(games(0, 9, 0).superiority(), 0.5, 0.0);
        check(Outcomes::default().superiority(), 0.5, 0.0);
    }

    #[test]
    fn what_has_no_end_is_none() {
        let none = Outcomes::default();
        assert_eq!((none.score(), none.elo().elo, none.elo().error), (None, None, None));
        let all = Outcomes { pairs: [0, 0, 0, 0, 20], ..games(40, 0, 0) };
        let elo = all.elo();
        assert_eq!((elo.elo, elo.high, elo.error), (None, None, None));
        // Wilson: 40 of 40 is at least 0.9124.
        check(elo.low.unwrap(), elo_from_score(0.912_379).unwrap(), 0.02);
        let drawn = Outcomes { pairs: [0, 0, 20, 0, 0], ..games(0, 40, 0) };
        check(drawn.elo().elo.unwrap(), 0.0, 1e-12);
        assert!(drawn.elo().error.unwrap() > 50.0);
    }

    #[test]
    fn games_outside_pairs_are_not_forgotten() {
        // Ten pairs but thirty games more: their variance is not in the pairs.
        let mixed = Outcomes { pairs: [2, 2, 2, 2, 2], ..games(25, 0, 25) };
        check(mixed.elo().low.unwrap(), games(25, 0, 25).elo().low.unwrap(), 1e-12);
    }
}
