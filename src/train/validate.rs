//! What a network has learnt of games that it was not trained on.

use serde_json::{Value, json};

use super::TrainError;
use super::batch::{Batch, Target};
use super::graph::Graph;
use super::loss::{Losses, Outputs, Sum, losses};
use super::params::TrainParams;
use crate::game::Symmetry;
use crate::record::{Row, Window};
use crate::util::Seed;

/// Positions computed together.
const BATCH: usize = 256;

/// Positions that are looked at in all orientations.
const SPREAD_ROWS: usize = 256;

/// Parts of the range of probabilities in the table of calibration.
const BINS: usize = 10;

/// Positions to validate with.
pub(super) struct Validation {
    batches: Vec<Batch>,
    /// The same positions in every orientation of the board.
    turned: Vec<Batch>,
}

/// How good a network is on them.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// All losses.
    pub losses: Losses,
    /// Share of the positions in which the first move of the policy is the target's.
    pub top1: Sum,
    /// Share of the games with a winner in which the value names it.
    pub accuracy: Sum,
    /// Squared difference of value and result.
    pub squared_error: Sum,
    /// For each part of the probabilities to win: how many said so, what they said and what came.
    pub calibration: [Bin; BINS],
    /// Standard deviation of the value over the orientations of the board, mean over positions.
    pub spread: Sum,
    /// How far it is from a teacher on all positions with a label.
    pub teacher: Agreement,
    /// The same where handicap, komi or a certain winner make a position odd.
    pub odd: Agreement,
}

/// How far a network is from a teacher.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Share of the positions in which both have the same first move.
    pub first_move: Sum,
    /// Difference of the win rates.
    pub win_rate: Sum,
    /// For each part of the teacher's win rates: how many, what the network said and what the teacher.
    pub calibration: [Bin; BINS],
}

impl Agreement {
    fn add(&mut self, value: f32, teacher: f32, weight: f32) {
        self.win_rate.add(f64::from(value - teacher).abs() / 2.0, weight);
        self.calibration[part(teacher)].add(value, teacher);
    }

    /// As it is logged; null without a label.
    fn to_json(self) -> Value {
        if self.win_rate.weight <= 0.0 {
            return Value::Null;
        }
        json!({
            "first_move": self.first_move.mean(),
            "win_rate_difference": self.win_rate.mean(),
            "calibration": table(&self.calibration),
        })
    }
}

/// One part of the table of calibration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Positions.
    pub count: u64,
    /// Sum of the probabilities that the network said.
    pub said: f64,
    /// Sum of the results, a draw counting half.
    pub came: f64,
}

impl Validation {
    /// Positions of held-out games; the same for the same games and parameters.
    pub(super) fn new(held_out: &Window, params: &TrainParams) -> Result<Self, TrainError> {
        let seed = Seed::new(params.seed).fork("validation", 0);
        let groups = held_out.sample(seed, params.validate_rows)?;
        let mut validation = Self { batches: Vec::new(), turned: Vec::new() };
        for rows in groups.iter().flat_map(|rows| rows.chunks(BATCH)) {
            validation.batches.push(Batch::new(rows, params, None)?);
        }
        if let Some(rows) = groups.iter().max_by_key(|rows| rows.len()) {
            let rows = &rows[..rows.len().min(SPREAD_ROWS)];
            for &symmetry in rows.first().map_or(&[][..], |row| Symmetry::for_size(row.game.size)) {
                let turned: Vec<_> =
                    rows.iter().map(|row| Row { symmetry, ..row.clone() }).collect();
                validation.turned.push(Batch::new(&turned, params, None)?);
            }
        }
        Ok(validation)
    }

    /// Whether there is nothing to validate with.
    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Looks at all positions.
    pub(super) fn run(&self, net: &Graph, params: &TrainParams) -> candle_core::Result<Verdict> {
        let mut verdict = Verdict::default();
        for batch in &self.batches {
            for (range, outputs) in net.outputs(batch, params.pieces)? {
                let targets = &batch.targets[range];
                verdict.losses.merge(&losses(&outputs, targets, params, 1.0).0);
                verdict.add(&outputs, targets);
            }
        }
        let mut values: Vec<Vec<f32>> = Vec::new();
        for batch in &self.turned {
            let pieces = net.outputs(batch, params.pieces)?;
            let said = pieces.into_iter().flat_map(|(_, outputs)| outputs.value);
            values.push(said.map(f32::tanh).collect());
        }
        for position in 0..values.first().map_or(0, Vec::len) {
            let said: Vec<_> = values.iter().map(|said| f64::from(said[position])).collect();
            verdict.spread.add(deviation(&said), 1.0);
        }
        Ok(verdict)
    }
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / values.len() as f64).sqrt()
}

impl Verdict {
    fn add(&mut self, outputs: &Outputs, targets: &[Target]) {
        let moves = outputs.policy.len() / targets.len().max(1);
        for (i, target) in targets.iter().enumerate() {
            let logits = &outputs.policy[i * moves..(i + 1) * moves];
            if !target.policy.is_empty() {
                let hit = best(logits, &target.legal) == best(&target.policy, &target.legal);
                let hit = f64::from(u8::from(hit));
                self.top1.add(hit, target.weight);
                self.agreements(target).for_each(|to| to.first_move.add(hit, target.weight));
            }
            if let Some(opinion) = target.teacher {
                let value = outputs.value[i].tanh();
                self.agreements(target).for_each(|to| to.add(value, opinion.value, target.weight));
            }
            if let Some(result) = target.result {
                self.add_value(outputs.value[i].tanh(), result, target.weight);
            }
        }
    }

    /// What a position with a label counts for.
    fn agreements(&mut self, target: &Target) -> impl Iterator<Item = &mut Agreement> {
        let odd = target.teacher.is_some_and(|opinion| opinion.odd);
        let all = target.teacher.map(|_| &mut self.teacher);
        all.into_iter().chain(odd.then_some(&mut self.odd))
    }

    fn add_value(&mut self, value: f32, result: f32, weight: f32) {
        self.squared_error.add(f64::from(value - result).powi(2), weight);
        if result.abs() > 0.5 {
            let right = (value > 0.0) == (result > 0.0);
            self.accuracy.add(f64::from(u8::from(right)), weight);
        }
        self.calibration[part(value)].add(value, result);
    }

    /// The verdict as it is logged.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let losses: serde_json::Map<_, _> = self
            .losses
            .named()
            .map(|(name, sum)| (name.to_owned(), sum.mean().into()))
            .into_iter()
            .collect();
        json!({
            "losses": losses,
            "policy_top1": self.top1.mean(),
            "value_accuracy": self.accuracy.mean(),
            "value_squared_error": self.squared_error.mean(),
            "value_spread": self.spread.mean(),
            "calibration": table(&self.calibration),
            "teacher": self.teacher.to_json(),
            "odd": self.odd.to_json(),
        })
    }
}

impl Bin {
    /// A value that was said, and one that came.
    fn add(&mut self, said: f32, came: f32) {
        self.count += 1;
        self.said += f64::from(f32::midpoint(said, 1.0));
        self.came += f64::from(f32::midpoint(came, 1.0));
    }
}

/// The part of the range of probabilities that a value belongs to.
#[expect(clippy::cast_possible_truncation, reason = "a number below the number of bins")]
#[expect(clippy::cast_sign_loss, reason = "a probability")]
fn part(value: f32) -> usize {
    ((f64::from(f32::midpoint(value, 1.0)) * BINS as f64) as usize).min(BINS - 1)
}

fn table(bins: &[Bin]) -> Vec<Value> {
    let entry = |bin: &Bin| {
        let mean = |sum: f64| if bin.count > 0 { sum / bin.count as f64 } else { 0.0 };
        json!({ "count": bin.count, "said": mean(bin.said), "came": mean(bin.came) })
    };
    bins.iter().map(entry).collect()
}

/// The place of the highest number of a legal move.
fn best(numbers: &[f32], legal: &[bool]) -> Option<usize> {
    let moves = numbers.iter().zip(legal).enumerate().filter(|(_, (_, legal))| **legal);
    moves.max_by(|(_, a), (_, b)| a.0.total_cmp(b.0)).map(|(i, _)| i)
}

#[cfg(test)]
mod tests;
