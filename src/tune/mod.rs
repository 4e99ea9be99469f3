//! Settings found by games: simultaneous perturbation (SPSA, Spall 1998).
//!
//! In each iteration every setting moves a little, up or down by chance. The player with these settings meets one
//! with all of them moved the other way, and the settings go towards the winner. Two players are enough for any
//! number of settings. What is found is the mean of the second half of the way, as single
//! games are mostly chance.

mod chart;

use rand::RngExt as _;
use serde::{Deserialize, Serialize};

use crate::util::Seed;

pub use chart::chart;

/// Powers by which the gain and the distance of the players fall, as Spall suggests.
const GAIN_POWER: f64 = 0.602;
const STEP_POWER: f64 = 0.101;

/// The default of `reach` for a single iteration; it grows with the root of their number. Four games an
/// iteration then find settings that are worth some hundred Elo over their range, and hardly stray.
const REACH: f64 = 12.0;

/// Share of the iterations after which the gain begins to fall in earnest.
const STABLE: f64 = 0.1;

/// A setting that is looked for, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuned {
    /// Its key in `engine.toml`.
    pub key: String,
    /// What it may be at the least.
    pub low: f64,
    /// What it may be at the most.
    pub high: f64,
    /// Where the way begins.
    pub start: f64,
    /// How far each of the two players is from the middle in the last iteration.
    pub step: f64,
    /// Whether it is a whole number.
    pub whole: bool,
}

impl Tuned {
    /// A value as it is written in `engine.toml`.
    #[must_use]
    pub fn text(&self, value: f64) -> String {
        if self.whole { format!("{value:.0}") } else { format!("{value:.6}") }
    }

    fn bounded(&self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }

    /// What a player gets.
    fn played(&self, value: f64) -> f64 {
        let value = self.bounded(value);
        if self.whole { value.round() } else { value }
    }
}

/// Settings that cannot be tuned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TuneError {
    /// There are none.
    #[error("there is nothing to tune: give --tune KEY=LOW..HIGH")]
    Nothing,
    /// A range without room.
    #[error("{0}: the range must go from a smaller number to a larger one")]
    Empty(String),
    /// The start is not in the range.
    #[error("{key}: the player begins with {start}, which is not in the range")]
    Outside {
        /// The key.
        key: String,
        /// The value at the start.
        start: String,
    },
    /// A step that is no step.
    #[error("{0}: the step must be above 0 and at most half of the range")]
    Step(String),
    /// Twice the same key.
    #[error("{0} is given twice")]
    Twice(String),
}

/// Two players that differ in the settings that are tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The settings of the one.
    pub plus: Vec<f64>,
    /// Those of the other.
    pub minus: Vec<f64>,
    /// Which way each setting of the first was moved.
    signs: Vec<f64>,
}

/// A search for settings: everything but what the games say.
#[derive(Clone, Debug)]
pub struct Spsa {
    tuned: Vec<Tuned>,
    iterations: u64,
    reach: f64,
    seed: Seed,
}

impl Spsa {
    /// A search over so many iterations. `reach` is how far the settings would go, in steps, if all games
    /// said the same; without it, it follows from the number of iterations.
    pub fn new(
        tuned: Vec<Tuned>,
        iterations: u64,
        reach: Option<f64>,
        seed: Seed,
    ) -> Result<Self, TuneError> {
        if tuned.is_empty() {
            return Err(TuneError::Nothing);
        }
        for (index, one) in tuned.iter().enumerate() {
            let key = || one.key.clone();
            if one.low >= one.high || !(one.high - one.low).is_finite() {
                return Err(TuneError::Empty(key()));
            }
            if !(one.low..=one.high).contains(&one.start) {
                return Err(TuneError::Outside { key: key(), start: one.text(one.start) });
            }
            if one.step <= 0.0 || one.step > (one.high - one.low) / 2.0 {
                return Err(TuneError::Step(key()));
            }
            if tuned[..index].iter().any(|other| other.key == one.key) {
                return Err(TuneError::Twice(key()));
            }
        }
        let iterations = iterations.max(1);
        let reach = reach.unwrap_or(REACH * (iterations as f64).sqrt());
        Ok(Self { tuned, iterations, reach, seed })
    }

    /// The settings.
    #[must_use]
    pub fn tuned(&self) -> &[Tuned] {
        &self.tuned
    }

    /// The players of an iteration, counted from 0, around these values.
    #[must_use]
    pub fn trial(&self, iteration: u64, values: &[f64]) -> Trial {
        let mut rng = self.seed.fork("tune", iteration).rng();
        let widen = (self.iterations as f64 / (iteration + 1) as f64).powf(STEP_POWER);
        let (mut plus, mut minus, mut signs) = (Vec::new(), Vec::new(), Vec::new());
        for (one, &value) in self.tuned.iter().zip(values) {
            let sign = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
            // Whole numbers differ by one at least.
            let step = (one.step * widen).max(if one.whole { 0.5 } else { 0.0 });
            plus.push(one.played(value + sign * step));
            minus.push(one.played(value - sign * step));
            signs.push(sign);
        }
        Trial { plus, minus, signs }
    }

    /// The values after an iteration in which the first player of the trial was better by `score`: from -1,
    /// when it lost all games, to 1.
    #[must_use]
    pub fn learn(&self, iteration: u64, values: &[f64], score: f64) -> Vec<f64> {
        let Trial { signs, .. } = self.trial(iteration, values);
        let gain = self.reach * self.weight(iteration) / self.weights();
        let moved = self.tuned.iter().zip(values).zip(signs);
        moved
            .map(|((one, value), sign)| one.bounded(value + gain * score * sign * one.step))
            .collect()
    }

    /// The values at the start and after each iteration with these scores.
    #[must_use]
    pub fn way(&self, scores: &[f64]) -> Vec<Vec<f64>> {
        let mut way = vec![self.tuned.iter().map(|one| one.start).collect::<Vec<_>>()];
        for (iteration, &score) in (0..).zip(scores) {
            let next = way.last().map(|values| self.learn(iteration, values, score));
            way.extend(next);
        }
        way
    }

    /// What has been found: the mean of the second half of the way, and the standard deviation over that half.
    #[must_use]
    pub fn found(&self, way: &[Vec<f64>]) -> Vec<(f64, f64)> {
        let half = &way[way.len() / 2..];
        let of = |index: usize, one: &Tuned| {
            let values = || half.iter().map(move |values| values[index]);
            let count = half.len().max(1) as f64;
            let mean = values().sum::<f64>() / count;
            let square = values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
            (one.played(mean), square.sqrt())
        };
        self.tuned.iter().enumerate().map(|(index, one)| of(index, one)).collect()
    }

    /// How much an iteration counts beside the others.
    fn weight(&self, iteration: u64) -> f64 {
        (STABLE * self.iterations as f64 + iteration as f64 + 1.0).powf(-GAIN_POWER)
    }

    fn weights(&self) -> f64 {
        (0..self.iterations).map(|iteration| self.weight(iteration)).sum()
    }
}

#[cfg(test)]
mod tests;
