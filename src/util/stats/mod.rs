//! What the results of games say: scores, Elo, sequential tests, ratings.
//!
//! Where a result has two sides, all numbers are for the first player. Elo is the logistic one: a
//! player `e` Elo stronger scores `1 / (1 + 10^(-e/400))`, draws counted as half a point.

mod elo;
mod moments;
mod ratings;
mod sprt;

pub use elo::{Elo, Interval, Outcomes, elo_from_score, score_from_elo, wilson};
pub use moments::Moments;
pub use ratings::{Encounter, Rating, Ratings, bradley_terry};
pub use sprt::{Sprt, Verdict, pentanomial_llr, sprt_bounds};

/// The quantile of the normal distribution that leaves 2.5 % on each side: all intervals here are
/// of 95 %.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The probability that a standard normal variable is below `x`.
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}
