//! Rules that end searches, tried on searches that were recorded.

use std::time::Duration;

use rand::RngExt as _;
use serde::Serialize;

use super::calibrate::Estimates;
use super::data::State;
use crate::timeman::{
    EarlyStop, KldGain, Progress, RandomStop, Root, SearchProgress, StopReason, StopRule, Summary,
    Tally, Verdict,
};
use crate::util::Seed;

/// What a rule does on recorded searches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replayed {
    /// The rule.
    pub rule: String,
    /// What was varied, as text.
    pub setting: String,
    /// Simulations as a share of those of the whole searches.
    pub ratio: f64,
    /// Share of the moves that are others than in the end.
    pub changed: f64,
    /// Mean loss of value.
    pub regret: f64,
    /// Share of the positions that lose epsilon or more.
    pub tail: f64,
}

impl Replayed {
    /// Judges the numbers of simulations after which searches ended.
    #[must_use]
    pub fn new(
        (rule, setting): (&str, String),
        states: &[State],
        stops: &[usize],
        epsilon: f64,
    ) -> Self {
        let count = states.len().max(1) as f64;
        let mean = |value: &dyn Fn(&State, usize) -> f64| {
            states.iter().zip(stops).map(|(state, &n)| value(state, n)).sum::<f64>() / count
        };
        let yes = |truth: bool| f64::from(u8::from(truth));
        Self {
            rule: rule.to_owned(),
            setting,
            ratio: mean(&|state, n| n.min(state.labels.most()) as f64)
                / mean(&|state, _| state.labels.most() as f64).max(1.0),
            changed: mean(&|state, n| yes(state.labels.changes(n))),
            regret: mean(&|state, n| state.labels.regret(n)),
            tail: mean(&|state, n| yes(state.labels.regret(n) >= epsilon)),
        }
    }
}

/// The root of a search as it stood after some simulations.
struct Recorded(Vec<Tally>);

impl Root for Recorded {
    fn summary(&self) -> Option<Summary> {
        let best = self.0.iter().max_by_key(|tally| tally.visits).filter(|t| t.visits > 0)?;
        let mut seen = false;
        let others = self.0.iter().filter(|tally| {
            let is_best = !seen && tally.visits == best.visits;
            seen |= is_best;
            !is_best
        });
        let value = |tally: &Tally| tally.sum / f64::from(tally.visits.max(1));
        let highest = self.0.iter().filter(|t| t.visits > 0).map(value).fold(-1.0, f64::max);
        Some(Summary {
            best: best.visits,
            second: others.map(|tally| tally.visits).max().unwrap_or(0),
            win_rate: f64::midpoint(value(best), 1.0),
            best_is_highest: value(best) >= highest,
        })
    }

    fn visits(&self) -> Vec<u32> {
        self.0.iter().map(|tally| tally.visits).collect()
    }

    fn criticality(&self) -> Option<f64> {
        None
    }

    fn tallies(&self) -> Vec<Tally> {
        self.0.clone()
    }
}

/// After how many simulations a rule ends a recorded search.
pub fn ended_by(rule: &mut dyn StopRule, state: &State) -> usize {
    let most = state.labels.most();
    let mut root = Recorded(state.trace.tallies(state.position.size(), 1));
    for n in 1..=most {
        if let Some(step) = n.checked_sub(2).map(|index| state.trace.steps[index]) {
            let tally = &mut root.0[usize::from(step.first)];
            tally.visits += 1;
            tally.sum += f64::from(step.value);
            tally.squares += f64::from(step.value).powi(2);
        }
        let progress = Progress {
            planned: Duration::MAX,
            search: SearchProgress {
                simulations: n as u64,
                simulations_left: Some((state.planned - n) as u64),
                root: Some(&root),
                ..SearchProgress::default()
            },
        };
        if matches!(rule.check(&progress), Verdict::Stop(_)) {
            return n;
        }
    }
    most
}

/// Ends a search when its visits, extended to the end as if all values stayed as they are, are the
/// same now and half as long ago: after V-MCTS (Ye, Abbeel and Gao 2022). Asked at every tenth of the
/// search from the second on.
#[derive(Clone, Debug)]
pub struct Extrapolated {
    /// How much the two may differ, as the sum of the differences of the shares.
    pub epsilon: f64,
    /// Exploration of PUCT, as the search has it.
    pub c_puct: f64,
    looks: Vec<(u64, Vec<Tally>)>,
}

impl Extrapolated {
    /// A rule for one search.
    #[must_use]
    pub const fn new(epsilon: f64, c_puct: f64) -> Self {
        Self { epsilon, c_puct, looks: Vec::new() }
    }

    /// The shares of the visits after `most` of them.
    fn extended(&self, tallies: &[Tally], most: u64) -> Vec<f64> {
        let done: u64 = tallies.iter().map(|tally| u64::from(tally.visits)).sum();
        let mean = tallies.iter().map(|t| t.sum).sum::<f64>() / (done.max(1)) as f64;
        let value = |t: &Tally| if t.visits == 0 { mean } else { t.sum / f64::from(t.visits) };
        let values: Vec<f64> = tallies.iter().map(value).collect();
        let mut visits: Vec<f64> = tallies.iter().map(|t| f64::from(t.visits)).collect();
        for n in done..most {
            let root = (n.max(1) as f64).sqrt();
            let score = |i: usize| {
                values[i] + self.c_puct * f64::from(tallies[i].prior) * root / (1.0 + visits[i])
            };
            let best = (0..visits.len()).max_by(|&a, &b| score(a).total_cmp(&score(b)));
            if let Some(best) = best {
                visits[best] += 1.0;
            }
        }
        visits.iter().map(|n| n / most.max(1) as f64).collect()
    }
}

impl StopRule for Extrapolated {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        let (Some(root), Some(left)) = (progress.search.root, progress.search.simulations_left)
        else {
            return Verdict::GoOn;
        };
        let most = progress.search.simulations + left;
        if !progress.search.simulations.is_multiple_of((most / 20).max(1)) {
            return Verdict::GoOn;
        }
        let now = root.tallies();
        let half = progress.search.simulations / 2;
        let earlier = self.looks.iter().find(|(at, _)| *at == half).map(|(_, then)| {
            let (then, now) = (self.extended(then, most), self.extended(&now, most));
            then.iter().zip(&now).map(|(a, b)| (a - b).abs()).sum::<f64>()
        });
        self.looks.push((progress.search.simulations, now));
        match earlier {
            Some(distance)
                if distance < self.epsilon && 5 * progress.search.simulations >= most =>
            {
                Verdict::Stop(StopReason::Settled)
            }
            _ => Verdict::GoOn,
        }
    }
}

/// What is replayed.
pub struct Replay<'a> {
    /// The searches.
    pub states: &'a [State],
    /// What the networks say of them.
    pub estimates: &'a Estimates,
    /// What the policy says of them at some temperatures.
    pub policies: &'a [(f64, Vec<f64>)],
    /// The checkpoints of the profile.
    pub points: &'a [(usize, f64)],
    /// How much worse a move must be to count as another one.
    pub epsilon: f64,
    /// Exploration of the search.
    pub c_puct: f64,
}

impl Replay<'_> {
    /// All rules, each over a range of settings.
    #[must_use]
    pub fn all(&self) -> Vec<Replayed> {
        let mut list = self.baselines();
        list.extend(self.learned());
        list
    }

    fn most(&self) -> usize {
        self.states.iter().map(|state| state.planned).max().unwrap_or(1)
    }

    fn judged(&self, rule: &str, setting: String, stops: &[usize]) -> Replayed {
        Replayed::new((rule, setting), self.states, stops, self.epsilon)
    }

    /// A rule made anew for every search.
    fn ruled<R: StopRule>(&self, make: impl Fn(usize) -> R) -> Vec<usize> {
        let ended = |(index, state)| ended_by(&mut make(index), state);
        self.states.iter().enumerate().map(ended).collect()
    }

    /// Rules that know nothing of networks.
    fn baselines(&self) -> Vec<Replayed> {
        let mut list = Vec::new();
        for percent in [5, 10, 20, 30, 40, 50, 60, 70, 80, 90] {
            let stops: Vec<_> =
                self.states.iter().map(|s| (s.planned * percent / 100).max(1)).collect();
            list.push(self.judged("fixed", format!("{percent} %"), &stops));
        }
        for share in [0.25, 0.5, 0.75, 1.0] {
            let stops = self.ruled(|index| {
                let drawn: f64 = Seed::new(1).fork("replay", index as u64).rng().random();
                RandomStop { share: if drawn < share { 0.25 } else { 2.0 } }
            });
            list.push(self.judged("random", format!("{share} at 25 %"), &stops));
        }
        for p in [1.0, 0.7, 0.4] {
            let stops = self.ruled(|_| EarlyStop { p });
            list.push(self.judged("STOP", format!("p {p}"), &stops));
        }
        for gain in [1e-4, 5e-5, 2e-5, 1e-5, 5e-6] {
            let interval = (self.most() / 20).max(1) as u64;
            let stops = self.ruled(|_| KldGain::new(gain, interval));
            list.push(self.judged("KLD", format!("gain {gain:e}"), &stops));
        }
        for epsilon in [0.05, 0.1, 0.2, 0.3] {
            let stops = self.ruled(|_| Extrapolated::new(epsilon, self.c_puct));
            list.push(self.judged("V-MCTS", format!("epsilon {epsilon}"), &stops));
        }
        list
    }

    /// The policy, State-UN and MCTS-UN, alone and with STOP.
    fn learned(&self) -> Vec<Replayed> {
        let most = self.most();
        let mut list = Vec::new();
        for (temperature, said) in self.policies {
            let name = format!("PV-NN tau {temperature:.2}");
            let estimates = Estimates { at_once: said.clone(), during: Vec::new() };
            for threshold in quantiles(said) {
                let stops = estimates.stops(&[(0, threshold)], most);
                list.push(self.judged(&name, format!("< {threshold:.3}"), &stops));
            }
        }
        for threshold in quantiles(&self.estimates.at_once) {
            let stops = self.estimates.stops(&[(0, threshold)], most);
            list.push(self.judged("State-UN", format!("< {threshold:.3}"), &stops));
        }
        let first = self.points.first().copied().filter(|&(n, _)| n == 0);
        for (n, said) in &self.estimates.during {
            let name = format!("MCTS-UN at {n}");
            for threshold in quantiles(said) {
                let points: Vec<_> = first.into_iter().chain([(*n, threshold)]).collect();
                let stops = self.estimates.stops(&points, most);
                list.push(self.judged(&name, format!("< {threshold:.3}"), &stops));
            }
        }
        let overtaken = self.ruled(|_| EarlyStop { p: 1.0 });
        for count in 1..=self.points.len() {
            let points = &self.points[..count];
            let stops = self.estimates.stops(points, most);
            let ends: Vec<String> =
                points.iter().map(|(n, threshold)| format!("{n}: {threshold:.3}")).collect();
            let setting = ends.join(", ");
            list.push(self.judged("profile", setting.clone(), &stops));
            let both: Vec<_> = stops.iter().zip(&overtaken).map(|(&a, &b)| a.min(b)).collect();
            list.push(self.judged("profile and STOP", setting, &both));
        }
        list
    }
}

/// Thresholds that stop a tenth, two tenths, … of the states.
fn quantiles(said: &[f64]) -> Vec<f64> {
    let mut sorted = said.to_vec();
    sorted.sort_by(f64::total_cmp);
    (1..10).filter_map(|tenth| sorted.get(tenth * sorted.len() / 10).copied()).collect()
}

#[cfg(test)]
mod tests;
