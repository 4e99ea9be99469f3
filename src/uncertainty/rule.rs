//! Algorithm 1 of Lan et al. 2021 as a rule that ends searches.

use std::sync::Arc;

use super::estimator::{Estimator, Look};
use crate::game::Position;
use crate::timeman::{
    Certainty, Progress, StopReason, StopRule, Tally, Verdict, expected_simulations,
};

/// Checkpoints with their thresholds, and who is asked there.
pub struct Checks {
    /// `N_max`: simulations of the searches that the thresholds were found on.
    pub most: usize,
    /// Simulations and threshold of each checkpoint, in rising order. At 0 the network that sees
    /// the position alone is asked, later the one that sees the search.
    pub points: Vec<(usize, f64)>,
    /// State-UN.
    pub at_once: Box<dyn Estimator>,
    /// MCTS-UN.
    pub during: Box<dyn Estimator>,
}

/// Asks at the checkpoints of one search.
///
/// Where the planned search has another length than those the thresholds were found on, by a clock
/// or another number of simulations, checkpoints are the same shares of it. Visits that an earlier
/// search has left count as done. The latest half of the simulations needs a look at the root
/// half-way to each checkpoint; where the tree was larger than that at the start, the position alone
/// is asked about instead: what is certain at once is certain later.
pub struct DynamicStop {
    checks: Arc<Checks>,
    position: Position,
    next: usize,
    /// For each checkpoint the visits of the root half-way, and its moves then.
    halves: Vec<Option<(f64, Vec<Tally>)>>,
    last: Option<Certainty>,
}

/// Simulations before which nobody knows how many a clock leaves time for.
const FEW: u64 = 16;

/// A look half-way that came later than this share of the simulations is none.
const LATEST_HALF: f64 = 0.7;

impl DynamicStop {
    /// A rule for a search of this position.
    #[must_use]
    pub fn new(checks: Arc<Checks>, position: Position) -> Self {
        let halves = vec![None; checks.points.len()];
        Self { checks, position, next: 0, halves, last: None }
    }

    /// Looks at the root where the half of a later checkpoint is reached.
    fn look_half_way(&mut self, visits: f64, scale: f64, progress: &Progress<'_>) {
        let points = &self.checks.points;
        for (&(at, _), half) in points.iter().zip(&mut self.halves).skip(self.next) {
            // The half of an odd number is the smaller one, as in T(s, n).
            let due = at > 0 && visits >= ((at as f64 * scale) / 2.0).floor();
            if due && half.is_none() {
                let tallies = progress.search.root.map(crate::timeman::Root::tallies);
                *half = tallies.map(|tallies| (visits, tallies));
            }
        }
    }

    /// What the estimator of a checkpoint says; none if it cannot tell.
    fn ask(&mut self, index: usize, visits: f64, progress: &Progress<'_>) -> Option<f64> {
        let now = progress.search.root?.tallies();
        let checks = &self.checks;
        let (position, now) = (&self.position, now.as_slice());
        if checks.points[index].0 == 0 {
            return Some(checks.at_once.estimate(&Look { position, now, half: now }));
        }
        let (at, half) = self.halves[index].take()?;
        let usable = at <= LATEST_HALF * visits && half.len() == now.len();
        usable.then(|| checks.during.estimate(&Look { position, now, half: &half }))
    }
}

impl StopRule for DynamicStop {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        let visits = (progress.search.reused + progress.search.simulations) as f64;
        let expected = match progress.search.simulations_left {
            Some(left) if progress.search.simulations < FEW => left as f64,
            None if progress.search.simulations < FEW => f64::INFINITY,
            _ => expected_simulations(progress),
        };
        let planned = visits + expected;
        let scale = planned / self.checks.most as f64;
        let at_start = self.next == 0;
        let mut due = None;
        while let Some(&(at, threshold)) = self.checks.points.get(self.next) {
            if at > 0 && visits < (at as f64 * scale).round() {
                break;
            }
            due = Some((self.next, threshold));
            self.next += 1;
        }
        let verdict = due.and_then(|(index, threshold)| {
            let instead = (at_start && index > 0).then_some((0, self.checks.points[0].1));
            let mut asked = [Some((index, threshold)), instead].into_iter().flatten();
            let (uncertainty, threshold) = asked.find_map(|(index, threshold)| {
                Some((self.ask(index, visits, progress)?, threshold))
            })?;
            let simulations = progress.search.reused + progress.search.simulations;
            // As far as anybody can tell.
            let guesses = [planned, visits + expected_simulations(progress), visits];
            let guess = guesses.into_iter().find(|guess| guess.is_finite()).unwrap_or_default();
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a float beyond is cut to the limit"
            )]
            #[expect(clippy::cast_sign_loss, reason = "a sum of counts")]
            let of = guess as u64;
            let found = Certainty { simulations, of, uncertainty, threshold };
            self.last = Some(found);
            found.stops().then_some(Verdict::Stop(StopReason::Certain))
        });
        self.look_half_way(visits, scale, progress);
        verdict.unwrap_or(Verdict::GoOn)
    }

    fn certainty(&self) -> Option<Certainty> {
        self.last
    }
}

#[cfg(test)]
mod tests;
