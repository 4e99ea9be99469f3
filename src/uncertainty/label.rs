//! How much search a position needs: equations 2, 3, 6 and 7 of Lan et al. 2021.

use super::trace::Trace;

/// What stopping after each number of simulations would have been worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// `R(s, n)` for n = 1, 2, …
    rewards: Vec<f64>,
    /// The move that stands first after n = 1, 2, … simulations.
    leaders: Vec<usize>,
}

/// The value of a move that was never visited: it loses.
const UNVISITED: f64 = -1.0;

impl Labels {
    /// The labels of a whole search: `R(s, n)` is the value that the move leading after `n`
    /// simulations has in the end (equation 2), or what is proven of it.
    #[must_use]
    pub fn new(trace: &Trace) -> Self {
        let mut sums = vec![(0_u32, 0.0); trace.moves.len()];
        for step in &trace.steps {
            let (visits, sum) = &mut sums[usize::from(step.first)];
            *visits += 1;
            *sum += f64::from(step.value);
        }
        let value = |&(visits, sum): &(u32, f64)| {
            if visits == 0 { UNVISITED } else { sum / f64::from(visits) }
        };
        let mut values: Vec<f64> = sums.iter().map(value).collect();
        for &(index, wins) in &trace.proven {
            values[usize::from(index)] = if wins { 1.0 } else { -1.0 };
        }
        let leaders = trace.leaders();
        let reward = |&leader: &usize| values.get(leader).copied().unwrap_or(UNVISITED);
        Self { rewards: leaders.iter().map(reward).collect(), leaders }
    }

    /// The simulations of the search: `N_max`, or fewer where it ended with a proof.
    #[must_use]
    pub const fn most(&self) -> usize {
        self.rewards.len()
    }

    /// What is lost by stopping after `n` simulations, from 1: `R(s, N_max) - R(s, n)`. Negative where
    /// the most visited move in the end is not the one of the highest value.
    #[must_use]
    pub fn regret(&self, n: usize) -> f64 {
        let at = |n: usize| self.rewards[n.clamp(1, self.most()) - 1];
        at(self.most()) - at(n)
    }

    /// The same as networks learn it, from 0 to 1 for `most` or more.
    #[must_use]
    pub fn loss(&self, n: usize, most: f64) -> f64 {
        (self.regret(n) / most).clamp(0.0, 1.0)
    }

    /// Whether the move after `n` simulations is another one than in the end.
    #[must_use]
    pub fn changes(&self, n: usize) -> bool {
        let at = |n: usize| self.leaders[n.clamp(1, self.most()) - 1];
        at(n) != at(self.most())
    }

    /// M(s): the smallest number of simulations from which on the leader is never worse than the
    /// final one by `epsilon` or more.
    #[must_use]
    pub fn minimum(&self, epsilon: f64) -> usize {
        let last = (1..=self.most()).rev().find(|&n| self.regret(n) >= epsilon);
        last.map_or(1, |n| n + 1)
    }

    /// `U(s, n)` (equation 3).
    #[must_use]
    pub fn is_uncertain(&self, n: usize, epsilon: f64) -> bool {
        n < self.minimum(epsilon)
    }
}

/// `f(alpha, n)` (equation 6): simulations per move if a share `alpha` of the positions with
/// `M(s) < n` is found out at `n` and stopped, and all others take `most`.
#[must_use]
pub fn expected_simulations(minima: &[usize], most: usize, alpha: f64, n: usize) -> f64 {
    let below = minima.iter().filter(|&&minimum| minimum < n).count() as f64;
    let share = below / minima.len().max(1) as f64;
    let most = most as f64;
    (n as f64 * alpha + most * (1.0 - alpha)) * share + most * (1.0 - share)
}

/// The best single checkpoint (equation 7), by a linear scan over the counts; the earliest of equals.
#[must_use]
pub fn best_checkpoint(minima: &[usize], most: usize) -> usize {
    let mut counts = vec![0_usize; most + 2];
    for &minimum in minima {
        counts[minimum.min(most + 1)] += 1;
    }
    let mut below = 0;
    let mut best = (0, 1);
    for n in 1..=most {
        below += counts[n - 1];
        // Simulations saved in all: n · below + most · (all - below) is least where this is most.
        let saved = (most - n) * below;
        if saved > best.0 {
            best = (saved, n);
        }
    }
    best.1
}

#[cfg(test)]
mod tests;
