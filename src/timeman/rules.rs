//! The rules that strategies are made of: each looks at a running search and ends or prolongs it.

use std::time::Duration;

use super::stop::{Progress, Root, StopReason, StopRule, Summary, Verdict};

/// Simulations that are still to be expected: equation 9 of Baier and Winands 2015 has them from
/// the time that is left, Lan et al. 2021 from the number that is allowed. Where both limit a
/// search, the smaller counts.
#[must_use]
pub fn expected_simulations(progress: &Progress<'_>) -> f64 {
    let left = progress.planned.saturating_sub(progress.search.elapsed).as_secs_f64();
    let spent = progress.search.searched().as_secs_f64();
    let by_time = match () {
        () if left <= 0.0 => 0.0,
        // Nothing is known of the speed.
        () if spent <= 0.0 || progress.search.simulations == 0 => f64::INFINITY,
        () => progress.search.simulations as f64 * left / spent,
    };
    progress.search.simulations_left.map_or(by_time, |most| by_time.min(most as f64))
}

/// Whether the second move cannot catch up with the best any more if it gets the share `p` of the
/// simulations to come (equation 9).
#[must_use]
pub fn cannot_be_overtaken(simulations: f64, p: f64, root: &Summary) -> bool {
    simulations * p < f64::from(root.best) - f64::from(root.second)
}

fn summary(progress: &Progress<'_>) -> Option<Summary> {
    progress.search.root.and_then(Root::summary)
}

/// STOP: ends a search whose best move will not be overtaken. With `p` = 1 it never changes the
/// move, as long as the search is as fast as it was.
#[derive(Clone, Copy, Debug)]
pub struct EarlyStop {
    /// The share of the simulations to come that the second move is thought to get.
    pub p: f64,
}

impl StopRule for EarlyStop {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        let expected = expected_simulations(progress);
        match summary(progress) {
            Some(root) if cannot_be_overtaken(expected, self.p, &root) => {
                Verdict::Stop(StopReason::CannotChange)
            }
            _ => Verdict::GoOn,
        }
    }
}

/// What makes a search worth more time at its regular end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// The best move wins fewer games than this (BEHIND).
    Behind(f64),
    /// The most visited move is not the one of the highest value (UNST).
    Unstable,
    /// The visits of the best two differ by less than this share of the best (CLOSE).
    Close(f64),
}

impl Doubt {
    fn applies(self, root: &Summary) -> Option<StopReason> {
        let (best, second) = (f64::from(root.best), f64::from(root.second));
        let (applies, reason) = match self {
            Self::Behind(v) => (root.win_rate < v, StopReason::Behind),
            Self::Unstable => (!root.best_is_highest, StopReason::Unstable),
            Self::Close(d) => (best - second < d * best, StopReason::Close),
        };
        applies.then_some(reason)
    }
}

/// BEHIND, UNST and CLOSE: when the planned time is over and the doubt applies, the search goes on
/// for `factor` times what it took so far, at most `loops` times.
#[derive(Clone, Copy, Debug)]
pub struct Prolong {
    doubt: Doubt,
    factor: f64,
    loops: u32,
}

impl Prolong {
    /// A rule that prolongs so many times; once is the form without `-L`.
    #[must_use]
    pub const fn new(doubt: Doubt, factor: f64, loops: u32) -> Self {
        Self { doubt, factor, loops }
    }
}

impl StopRule for Prolong {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        if self.loops == 0 || progress.search.elapsed < progress.planned {
            return Verdict::GoOn;
        }
        let Some(reason) = summary(progress).and_then(|root| self.doubt.applies(&root)) else {
            return Verdict::GoOn;
        };
        self.loops -= 1;
        Verdict::Extend(progress.search.elapsed.mul_f64(self.factor), reason)
    }
}

/// A straight line between two bounds, as the KAPPA strategies use it: `kappa · slope + intercept`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KappaLine {
    /// s in the paper.
    pub slope: f64,
    /// i in the paper.
    pub intercept: f64,
    /// The smallest factor.
    pub low: f64,
    /// The largest factor.
    pub high: f64,
}

impl KappaLine {
    /// A line with slope and intercept; the higher bound is at least the lower one.
    #[must_use]
    pub const fn new((slope, intercept): (f64, f64), low: f64, high: f64) -> Self {
        Self { slope, intercept, low, high: high.max(low) }
    }

    /// The factor for a criticality (equations 6 to 8).
    #[must_use]
    pub fn factor(&self, kappa: f64) -> f64 {
        (kappa * self.slope + self.intercept).clamp(self.low, self.high)
    }
}

/// KAPPA-CM: after the first moments the criticality found so far decides about the rest
/// (equation 8).
#[derive(Clone, Copy, Debug)]
pub struct KappaCurrent {
    line: KappaLine,
    after: Duration,
    end: Option<Duration>,
}

impl KappaCurrent {
    /// A rule that decides at a time after the start.
    #[must_use]
    pub const fn new(line: KappaLine, after: Duration) -> Self {
        Self { line, after, end: None }
    }
}

impl StopRule for KappaCurrent {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        if let Some(end) = self.end {
            let over = progress.search.elapsed >= end;
            return if over { Verdict::Stop(StopReason::Criticality) } else { Verdict::GoOn };
        }
        // A short search decides half-way.
        if progress.search.elapsed < self.after.min(progress.planned / 2) {
            return Verdict::GoOn;
        }
        let Some(kappa) = progress.search.root.and_then(Root::criticality) else {
            return Verdict::GoOn;
        };
        let end = progress.planned.mul_f64(self.line.factor(kappa));
        self.end = Some(end);
        match end.checked_sub(progress.planned) {
            Some(more) if !more.is_zero() => Verdict::Extend(more, StopReason::Criticality),
            _ => Verdict::GoOn,
        }
    }
}

/// Ends a search whose visits hardly change any more: KL(old ‖ new) per simulation, between two
/// looks `interval` simulations apart, below `gain` (lc0's rule).
#[derive(Clone, Debug)]
pub struct KldGain {
    gain: f64,
    interval: u64,
    last: Option<(u64, Vec<u32>)>,
}

impl KldGain {
    /// A rule that looks every `interval` simulations.
    #[must_use]
    pub const fn new(gain: f64, interval: u64) -> Self {
        Self { gain, interval, last: None }
    }
}

impl StopRule for KldGain {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        let Some(root) = progress.search.root else { return Verdict::GoOn };
        let now = progress.search.simulations;
        let Some((before, old)) = &self.last else {
            self.last = Some((now, root.visits()));
            return Verdict::GoOn;
        };
        let more = now - before;
        if more < self.interval {
            return Verdict::GoOn;
        }
        let new = root.visits();
        let gain = divergence(old, &new) / more as f64;
        self.last = Some((now, new));
        if gain < self.gain { Verdict::Stop(StopReason::Settled) } else { Verdict::GoOn }
    }
}

/// KL(old ‖ new) of the shares of the visits, in nats; endless where nothing was visited.
fn divergence(old: &[u32], new: &[u32]) -> f64 {
    let sum = |visits: &[u32]| visits.iter().map(|&n| f64::from(n)).sum::<f64>();
    let (old_sum, new_sum) = (sum(old), sum(new));
    if old_sum <= 0.0 || new_sum <= 0.0 {
        return f64::INFINITY;
    }
    let term = |(&a, &b): (&u32, &u32)| match (f64::from(a) / old_sum, f64::from(b) / new_sum) {
        (p, q) if p > 0.0 && q > 0.0 => p * (p / q).ln(),
        (p, _) if p > 0.0 => f64::INFINITY,
        _ => 0.0,
    };
    old.iter().zip(new).map(term).sum()
}

/// The baseline of Lan et al. 2021: some searches, whatever they are about, end after a share of
/// their time.
#[derive(Clone, Copy, Debug)]
pub struct RandomStop {
    /// The share of the planned time after which the search ends; above 1 for never.
    pub share: f64,
}

impl StopRule for RandomStop {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        let end = progress.planned.as_secs_f64() * self.share;
        let over = self.share < 1.0 && progress.search.elapsed.as_secs_f64() >= end;
        let few = match progress.search.simulations_left {
            Some(left) if self.share < 1.0 => {
                let done = progress.search.simulations as f64;
                done >= self.share * (done + left as f64)
            }
            _ => false,
        };
        if over || few { Verdict::Stop(StopReason::Chance) } else { Verdict::GoOn }
    }
}

/// Counts what earlier searches have left of the tree as time already spent: as much as it would
/// take to do those visits again, but never more than a share of the plan.
#[derive(Clone, Copy, Debug)]
pub struct Reuse {
    /// The largest share of the plan that reuse can save.
    pub most: f64,
}

impl StopRule for Reuse {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        if progress.search.reused == 0 || progress.search.simulations == 0 {
            return Verdict::GoOn;
        }
        let spent = progress.search.elapsed.as_secs_f64();
        let planned = progress.planned.as_secs_f64();
        let each = progress.search.searched().as_secs_f64() / progress.search.simulations as f64;
        let credit = each * progress.search.reused as f64;
        if spent + credit.min(self.most * planned) >= planned && spent < planned {
            Verdict::Stop(StopReason::Reuse)
        } else {
            Verdict::GoOn
        }
    }
}

#[cfg(test)]
mod tests;
