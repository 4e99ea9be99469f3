//! The sequential probability ratio test on pairs of games.
//!
//! Two games from one opening with colours swapped are not independent, but the pairs are. A pair
//! brings 0, ½, 1, 1½ or 2 points, so a match is five counts (a pentanomial), and nothing has to
//! be assumed of draws or of the fairness of openings.

use super::score_from_elo;

/// What an empty class counts as, so that the logarithms stay finite; the same number as fishtest.
const EMPTY: f64 = 1e-3;

/// Scores at 0 and 1 exactly have no likelihood.
const EDGE: f64 = 1e-9;

/// The log-likelihood ratio of "the first player is `elo1` stronger" against "`elo0` stronger".
///
/// `counts` are the pairs in which the first player made 0, ½, 1, 1½ and 2 points. This is the
/// generalized ratio: each hypothesis fixes only the expected score and takes the most likely of
/// all distributions with it,
///
/// `LLR = max { Σ nᵢ ln pᵢ : Σ pᵢ aᵢ = s₁ } - max { Σ nᵢ ln pᵢ : Σ pᵢ aᵢ = s₀ }`,
///
/// as fishtest computes it for logistic Elo (Van den Bergh, "A note on the support of the maximum
/// likelihood estimate for the multinomial distribution", Proposition 1.1), without the normal
/// approximation. 0 when there are no pairs.
#[must_use]
pub fn pentanomial_llr(counts: [u64; 5], elo0: f64, elo1: f64) -> f64 {
    if counts.iter().all(|count| *count == 0) {
        return 0.0;
    }
    let counts = counts.map(|count| if count == 0 { EMPTY } else { count as f64 });
    let jumps = jumps(&counts, hypothesis(elo0), hypothesis(elo1));
    counts.iter().zip(jumps).map(|(count, jump)| count * jump).sum()
}

/// The bounds of the log-likelihood ratio (Wald): at or below the first the test ends with H0, at
/// or above the second with H1. `alpha` is the chance to accept H1 where H0 holds, `beta` the
/// chance to accept H0 where H1 holds.
#[must_use]
pub fn sprt_bounds(alpha: f64, beta: f64) -> (f64, f64) {
    ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
}

/// A sequential test of two hypotheses about the difference in Elo.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sprt {
    /// H0: the first player is this much stronger.
    pub elo0: f64,
    /// H1: the first player is this much stronger.
    pub elo1: f64,
    /// The chance to accept H1 where H0 holds.
    pub alpha: f64,
    /// The chance to accept H0 where H1 holds.
    pub beta: f64,
}

/// Where a sequential test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Verdict {
    /// Ended: not stronger.
    H0,
    /// Ended: stronger.
    H1,
    /// Not decided yet.
    #[serde(rename = "open")]
    Open,
}

impl Sprt {
    /// Whether the numbers make a test: `elo0 < elo1`, errors in (0, ½).
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let error = |x: f64| x > 0.0 && x < 0.5;
        let elos = self.elo0.is_finite() && self.elo1.is_finite() && self.elo0 < self.elo1;
        elos && error(self.alpha) && error(self.beta)
    }

    /// The lower and the upper bound.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        sprt_bounds(self.alpha, self.beta)
    }

    /// The log-likelihood ratio of these pairs.
    #[must_use]
    pub fn llr(&self, counts: [u64; 5]) -> f64 {
        pentanomial_llr(counts, self.elo0, self.elo1)
    }

    /// What a log-likelihood ratio means.
    #[must_use]
    pub fn verdict(&self, llr: f64) -> Verdict {
        let (lower, upper) = self.bounds();
        if llr <= lower {
            Verdict::H0
        } else if llr >= upper {
            Verdict::H1
        } else {
            Verdict::Open
        }
    }
}

/// The expected score of a hypothesis, kept off 0 and 1.
fn hypothesis(elo: f64) -> f64 {
    score_from_elo(elo).clamp(EDGE, 1.0 - EDGE)
}

/// What one more pair of each class adds to the ratio: `ln(p₁ᵢ / p₀ᵢ)`.
fn jumps(counts: &[f64; 5], score0: f64, score1: f64) -> [f64; 5] {
    let theta0 = multiplier(counts, score0);
    let theta1 = multiplier(counts, score1);
    let mut jumps = [0.0; 5];
    for (class, jump) in jumps.iter_mut().enumerate() {
        let points = class as f64 / 4.0;
        // pᵢ = nᵢ / N / (1 + θ (aᵢ - s))
        *jump = (theta0 * (points - score0)).ln_1p() - (theta1 * (points - score1)).ln_1p();
    }
    jumps
}

/// Solves `Σ nᵢ (aᵢ - s) / (1 + θ (aᵢ - s)) = 0` for θ.
///
/// The sum falls from +∞ at `-1/(1 - s)` to -∞ at `1/s`, so that there is one root; Newton's steps
/// find it, and bisection where they leave what is known to hold it.
fn multiplier(counts: &[f64; 5], score: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - score), 1.0 / score);
    let mut theta = 0.0;
    for _ in 0..200 {
        let (mut value, mut slope) = (0.0, 0.0);
        for (class, count) in counts.iter().enumerate() {
            let distance = class as f64 / 4.0 - score;
            let part = distance / (1.0 + theta * distance);
            value += count * part;
            slope -= count * part * part;
        }
        if value > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
        let newton = theta - value / slope;
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - theta).abs() <= 1e-14 * theta.abs().max(1.0) {
            return next;
        }
        theta = next;
    }
    theta
}

#[cfg(test)]
mod tests;
