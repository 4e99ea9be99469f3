//! Two players of a match and their games with each other.

use std::collections::BTreeMap;

use serde::Serialize;

use super::summary::counts;
use crate::arena::GameLine;
use crate::util::stats::{Elo, Interval, Outcomes, Sprt, Verdict};

/// Points of a curve at most.
const CURVE: usize = 240;

/// The games between two players, as the first of them sees them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pairing {
    /// The index of the first player.
    pub first: usize,
    /// The index of the second player.
    pub second: usize,
    /// Games won, drawn and lost; whole pairs by points.
    #[serde(flatten)]
    pub outcomes: Outcomes,
    /// Games that count.
    pub games: u64,
    /// Points for each game.
    pub score: Option<f64>,
    /// The Wilson interval of the score.
    pub score_interval: Interval,
    /// The difference in strength.
    pub elo: Elo,
    /// The likelihood that the first player is the stronger one.
    pub los: f64,
    /// The score as the match went on: games, score, and the ends of its interval.
    pub score_curve: Vec<(u64, f64, f64, f64)>,
    /// The sequential test.
    pub sprt: Option<SprtSummary>,
}

/// A sequential test over the pairs of a pairing, in the order of the schedule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SprtSummary {
    /// The hypotheses and the chances of errors.
    pub test: Sprt,
    /// The log-likelihood ratio of all pairs.
    pub llr: f64,
    /// At or below it H0 is accepted.
    pub lower: f64,
    /// At or above it H1 is accepted.
    pub upper: f64,
    /// Which bound was crossed first.
    pub verdict: Verdict,
    /// After how many pairs.
    pub decided_after: Option<u64>,
    /// The ratio as the match went on: pairs, and the ratio.
    pub curve: Vec<(u64, f64)>,
}

/// All pairings with games, by the indices of their players.
pub(super) fn pairings(lines: &[&GameLine], test: Option<Sprt>) -> Vec<Pairing> {
    let mut groups: BTreeMap<(usize, usize), Vec<&GameLine>> = BTreeMap::new();
    for line in lines.iter().copied().filter(|line| counts(line)) {
        let key = (line.black.min(line.white), line.black.max(line.white));
        groups.entry(key).or_default().push(line);
    }
    groups.iter().map(|((first, second), lines)| pairing(*first, *second, lines, test)).collect()
}

fn pairing(first: usize, second: usize, lines: &[&GameLine], test: Option<Sprt>) -> Pairing {
    let mut outcomes = Outcomes::default();
    let mut curve = Vec::new();
    for line in lines {
        *[&mut outcomes.losses, &mut outcomes.draws, &mut outcomes.wins]
            [half_points(line, first)] += 1;
        let interval = outcomes.wilson();
        let score = outcomes.score().unwrap_or(0.5);
        curve.push((outcomes.games(), score, interval.low, interval.high));
    }
    let classes = whole_pairs(first, lines);
    for class in &classes {
        outcomes.pairs[*class] += 1;
    }
    Pairing {
        first,
        second,
        outcomes,
        games: outcomes.games(),
        score: outcomes.score(),
        score_interval: outcomes.wilson(),
        elo: outcomes.elo(),
        los: outcomes.superiority(),
        score_curve: thinned(&curve),
        sprt: test.map(|test| sprt(test, &classes)),
    }
}

/// 2 for a win, 1 for a draw, 0 for a loss.
fn half_points(line: &GameLine, player: usize) -> usize {
    match line.winner {
        None => 1,
        Some(winner) => 2 * usize::from(winner == player),
    }
}

/// The half points of each pair of which both games count, in the order of the schedule.
fn whole_pairs(first: usize, lines: &[&GameLine]) -> Vec<usize> {
    let mut pairs: BTreeMap<u64, [Option<usize>; 2]> = BTreeMap::new();
    for line in lines {
        let side = usize::from(line.black == first);
        pairs.entry(line.pair).or_default()[side].get_or_insert(half_points(line, first));
    }
    pairs.values().filter_map(|games| games[0].zip(games[1])).map(|(a, b)| a + b).collect()
}

fn sprt(test: Sprt, classes: &[usize]) -> SprtSummary {
    let (lower, upper) = test.bounds();
    let mut counts = [0; 5];
    let (mut llr, mut verdict, mut decided_after) = (0.0, Verdict::Open, None);
    let mut curve = vec![(0, 0.0)];
    for (pair, class) in (1..).zip(classes) {
        counts[*class] += 1;
        llr = test.llr(counts);
        curve.push((pair, llr));
        if verdict == Verdict::Open && test.verdict(llr) != Verdict::Open {
            (verdict, decided_after) = (test.verdict(llr), Some(pair));
        }
    }
    SprtSummary { test, llr, lower, upper, verdict, decided_after, curve: thinned(&curve) }
}

/// Fewer points of a curve, the first and the last among them.
fn thinned<T: Copy>(points: &[T]) -> Vec<T> {
    let step = points.len().div_ceil(CURVE).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.iter().enumerate().filter(|(at, _)| at % step == 0 || *at == last);
    kept.map(|(_, point)| *point).collect()
}
