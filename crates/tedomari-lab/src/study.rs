//! Evaluators compared on one set of positions.

use std::fmt::Write;

use serde::Serialize;

use super::assess::Scale;
use super::curves::{Curve, CurveParams, Split};
use super::metrics::{Estimate, Judged, Metrics, NAMES, accuracy_gain};
use super::sample::{Sample, Winners};
use tedomari::util::Seed;
use tedomari::util::stats::Interval;

/// Draws of games for the intervals of metrics.
const RESAMPLES: u32 = 1000;

/// Everything that is known of some evaluators on a set of positions.
#[derive(Debug, Serialize)]
pub struct Study {
    /// Where the positions are from, in words.
    pub source: String,
    /// The game, `go` or `nogo`.
    pub game: String,
    /// Positions that were drawn.
    pub positions: usize,
    /// Games by komi and rules: the paper's Table II.
    pub winners: Vec<Winners>,
    /// The evaluators.
    pub rows: Vec<Assessed>,
    /// Those that the paper puts in order, two and two on the positions that both have seen.
    pub gains: Vec<Gain>,
}

/// What an evaluator has said of the first of the positions.
pub struct Values {
    /// The evaluator, as it was asked for.
    pub evaluator: String,
    /// What the values mean.
    pub scale: Scale,
    /// One for each position.
    pub values: Vec<f64>,
    /// What the paper says of the like, in the order of [`NAMES`]; see [`of_paper`].
    pub paper: Option<[f64; 6]>,
}

/// Two evaluators of which the second has more playouts, or is of the next kind with as many. In the paper
/// the second is the more accurate one, but for UCT, which is below Monte Carlo with few playouts.
#[derive(Clone, Debug, Serialize)]
pub struct Gain {
    /// The first.
    pub from: String,
    /// The second.
    pub to: String,
    /// Positions that both have seen.
    pub positions: usize,
    /// How much more accurate the second is.
    pub acc: Estimate,
    /// What the paper says of the like.
    pub paper: Option<f64>,
}

/// Kinds of evaluators, each more accurate than those before it where all have enough playouts.
const KINDS: [&str; 5] = ["mc-score", "mc", "uct", "playouts", "search"];

/// The place of an evaluator such as `uct:500` among the kinds, and its playouts. A search without a network
/// is by playouts; the like with other settings are no part of the order.
fn place(evaluator: &str) -> Option<(usize, u64)> {
    let (first, settings) = evaluator.split_once(' ').unwrap_or((evaluator, ""));
    let (kind, number) = first.split_once(':')?;
    let kind = match (kind, settings) {
        ("search", "net.path=none") => "playouts",
        (kind, "") => kind,
        _ => return None,
    };
    let place = KINDS.iter().position(|known| *known == kind)?;
    Some((place, number.parse().ok()?))
}

/// Compares each evaluator with the next of its kind, and with that of the next kind with as many playouts.
#[must_use]
pub fn gains(samples: &[Sample], rows: &[Values], seed: Seed) -> Vec<Gain> {
    let mut list = Vec::new();
    let placed: Vec<_> =
        rows.iter().filter_map(|row| Some((place(&row.evaluator)?, row))).collect();
    for &((kind, number), from) in &placed {
        let same = placed.iter().filter(|((other, n), _)| *other == kind && *n > number);
        let more = same.min_by_key(|((_, n), _)| *n);
        let equal = placed.iter().filter(|((other, n), _)| *other > kind && *n == number);
        let better = equal.min_by_key(|((other, _), _)| *other);
        for (_, to) in more.into_iter().chain(better) {
            list.extend(gain(samples, from, to, seed));
        }
    }
    list
}

fn gain(samples: &[Sample], from: &Values, to: &Values, seed: Seed) -> Option<Gain> {
    let both = samples.iter().zip(from.values.iter().zip(&to.values));
    let both = both.filter(|(_, (a, b))| !a.is_nan() && !b.is_nan());
    let right = |sample: &Sample, scale: Scale, value: f64| {
        (value >= scale.threshold()) == sample.black_won
    };
    let (right, games): (Vec<_>, Vec<_>) = both
        .map(|(sample, (&a, &b))| {
            ([right(sample, from.scale, a), right(sample, to.scale, b)], sample.game)
        })
        .unzip();
    Some(Gain {
        from: from.evaluator.clone(),
        to: to.evaluator.clone(),
        positions: right.len(),
        acc: accuracy_gain(&right, &games, RESAMPLES, seed)?,
        paper: from.paper.zip(to.paper).map(|(from, to)| ((to[0] - from[0]) * 1e3).round() / 1e3),
    })
}

/// One evaluator: a row of the paper's Table I, and its curves.
#[derive(Debug, Serialize)]
pub struct Assessed {
    /// As it was asked for.
    pub evaluator: String,
    /// What its values mean.
    pub scale: Scale,
    /// The metrics.
    pub metrics: Metrics,
    /// What the paper says of the like, in the order of [`NAMES`].
    pub paper: Option<[f64; 6]>,
    /// The curve of all positions.
    pub total: Curve,
    /// The curves of some.
    pub conditioned: Vec<Conditioned>,
}

/// The curve of the positions that a condition holds for.
#[derive(Debug, Serialize)]
pub struct Conditioned {
    /// What the condition is about.
    pub family: String,
    /// What it says.
    pub condition: String,
    /// The curve.
    pub curve: Curve,
    /// How far it is from that of all positions.
    pub split: Option<Split>,
}

impl Assessed {
    /// Judges the values of an evaluator, one for each of the first samples.
    #[must_use]
    pub fn new(samples: &[Sample], said: &Values, params: &CurveParams, seed: Seed) -> Self {
        let Values { evaluator, scale, values, paper } = said;
        let (samples, scale) = (&samples[..values.len()], *scale);
        let judged: Vec<Judged> = samples
            .iter()
            .zip(values)
            .map(|(sample, &value)| Judged {
                value,
                black_won: sample.black_won,
                game: sample.game,
            })
            .collect();
        let total = Curve::new(&judged, params);
        let mut conditions: Vec<(&str, String)> =
            samples.iter().flat_map(|sample| sample.traits.conditions()).collect();
        conditions.sort();
        conditions.dedup();
        let conditioned = conditions.into_iter().map(|(family, condition)| {
            let wanted = (family, condition);
            let holds = |sample: &Sample| sample.traits.conditions().contains(&wanted);
            let some = samples.iter().zip(&judged).filter(|(sample, _)| holds(sample));
            let curve = Curve::new(some.map(|(_, judged)| judged), params);
            let split = curve.split(&total);
            let (family, condition) = (wanted.0.to_owned(), wanted.1);
            Conditioned { family, condition, curve, split }
        });
        Self {
            evaluator: evaluator.clone(),
            scale,
            metrics: Metrics::new(&judged, scale.threshold(), RESAMPLES, seed),
            paper: *paper,
            conditioned: conditioned.collect(),
            total,
        }
    }

    /// The families of conditions that have more than one curve.
    #[must_use]
    pub fn families(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.conditioned.iter().map(|c| c.family.as_str()).collect();
        names.dedup();
        let curves = |name: &&str| {
            let of = self.conditioned.iter().filter(|c| c.family == **name);
            of.filter(|c| !c.curve.bins.is_empty()).count() > 1
        };
        names.retain(curves);
        names
    }
}

/// What the paper's Table I says of the like: 2,000 games of Go on KGS with a komi of 0.5.
#[must_use]
pub fn of_paper(evaluator: &str) -> Option<[f64; 6]> {
    let rows: [(&str, [f64; 6]); 9] = [
        ("uct:50000", [0.635, 0.708, 0.764, 0.697, 0.735, 0.655]),
        ("uct:5000", [0.610, 0.665, 0.733, 0.667, 0.729, 0.636]),
        ("uct:500", [0.572, 0.608, 0.671, 0.617, 0.658, 0.605]),
        ("mc:50000", [0.620, 0.692, 0.739, 0.675, 0.706, 0.641]),
        ("mc:5000", [0.616, 0.678, 0.730, 0.667, 0.672, 0.637]),
        ("mc:500", [0.587, 0.592, 0.679, 0.620, 0.632, 0.616]),
        ("mc-score:50000", [0.575, 0.659, 0.480, 0.490, 0.536, 0.490]),
        ("mc-score:5000", [0.570, 0.646, 0.480, 0.491, 0.492, 0.494]),
        ("mc-score:500", [0.553, 0.606, 0.489, 0.495, 0.495, 0.498]),
    ];
    let gnugo: [(&str, [f64; 6]); 3] = [
        ("--level 4", [0.655, 0.694, 0.584, 0.531, 0.500, 0.536]),
        ("--level 2", [0.653, 0.691, 0.582, 0.530, 0.499, 0.536]),
        ("--level 0", [0.650, 0.690, 0.580, 0.530, 0.497, 0.536]),
    ];
    let plain = rows.iter().find(|row| row.0 == evaluator);
    let gnugo = gnugo.iter().find(|row| evaluator.contains("gnugo") && evaluator.contains(row.0));
    plain.or(gnugo).map(|row| row.1)
}

impl Study {
    /// The metrics as a table for people, in the layout of the paper's Table I.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = format!("{}\n", self.source);
        for row in &self.winners {
            let _ = writeln!(
                text,
                "komi {} ({}): Black won {}, lost {}",
                row.komi, row.rules, row.black_won, row.white_won
            );
        }
        let _ = write!(text, "\n{:32} {:>9} {:>7}", "evaluator", "positions", "black");
        for name in NAMES {
            let _ = write!(text, " {:>17}", name.to_uppercase());
        }
        for row in &self.rows {
            let metrics = &row.metrics;
            let _ = write!(
                text,
                "\n{:32} {:>9} {:>7.3}",
                row.evaluator, metrics.positions, metrics.black_won
            );
            for score in &metrics.scores {
                let cell = score.map_or_else(
                    || "-".to_owned(),
                    |s| format!("{:.3} {:.3}-{:.3}", s.value, s.interval.low, s.interval.high),
                );
                let _ = write!(text, " {cell:>17}");
            }
            if let Some(paper) = row.paper {
                let _ = write!(text, "\n{:32} {:>9} {:>7}", "  the paper", "111946", "0.547");
                for number in paper {
                    let _ = write!(text, " {:<17}", format!("{number:.3}"));
                }
            }
        }
        text.push('\n');
        if !self.gains.is_empty() {
            text.push_str("\nhow much higher ACC is on the positions that both have seen\n");
        }
        for Gain { from, to, positions, acc, paper } in &self.gains {
            let Interval { low, high } = acc.interval;
            let paper = paper.map_or_else(String::new, |paper| format!("  the paper {paper:+.3}"));
            let _ = writeln!(
                text,
                "{:64} {positions:>9}  {:+.3} ({low:+.3} to {high:+.3}){paper}",
                format!("{to} over {from}"),
                acc.value
            );
        }
        text
    }

    /// The metrics for spreadsheets.
    #[must_use]
    pub fn metrics_csv(&self) -> String {
        let mut text = "evaluator,positions,games,black_won".to_owned();
        for name in NAMES {
            let _ = write!(text, ",{name},{name}_low,{name}_high,{name}_paper");
        }
        for row in &self.rows {
            let m = &row.metrics;
            let evaluator = row.evaluator.replace('"', "\"\"");
            let _ =
                write!(text, "\n\"{evaluator}\",{},{},{:.5}", m.positions, m.games, m.black_won);
            for (index, score) in m.scores.iter().enumerate() {
                let paper = row.paper.map_or_else(String::new, |paper| paper[index].to_string());
                let _ = match score {
                    Some(s) => write!(
                        text,
                        ",{:.5},{:.5},{:.5},{paper}",
                        s.value, s.interval.low, s.interval.high
                    ),
                    None => write!(text, ",,,,{paper}"),
                };
            }
        }
        text.push('\n');
        text
    }

    /// The curves for spreadsheets.
    #[must_use]
    pub fn curves_csv(&self) -> String {
        let mut text =
            "evaluator,family,condition,value,positions,black_won,win_probability,low,high\n"
                .to_owned();
        for row in &self.rows {
            let evaluator = row.evaluator.replace('"', "\"\"");
            let total = ("all", "all", &row.total);
            let some = row.conditioned.iter();
            let some = some.map(|c| (c.family.as_str(), c.condition.as_str(), &c.curve));
            for (family, condition, curve) in std::iter::once(total).chain(some) {
                for bin in &curve.bins {
                    let _ = writeln!(
                        text,
                        "\"{evaluator}\",{family},{condition},{:.4},{},{},{:.5},{:.5},{:.5}",
                        bin.value,
                        bin.positions,
                        bin.black_won,
                        bin.win_probability,
                        bin.interval.low,
                        bin.interval.high
                    );
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Traits;
    use tedomari::game::{BoardSize, Komi, Position, Rules};

    #[test]
    fn evaluators_are_compared_with_the_next_of_their_kind_and_the_next_kind() {
        let komi = Komi::from_points(7.0).unwrap();
        let position = Position::new(BoardSize::square(9).unwrap(), Rules::CGOS, komi);
        let traits = Traits::of(&position, 0);
        let sample =
            |game| Sample { position: position.clone(), black_won: game % 2 == 0, game, traits };
        let samples: Vec<Sample> = (0..40).map(sample).collect();
        // Always for Black, so that it is right in half of the positions; or right in all.
        let said = |name: &str, count: usize, right: bool| Values {
            evaluator: name.to_owned(),
            scale: if name.starts_with("mc-score") { Scale::Points } else { Scale::Chance },
            values: (0..count)
                .map(|game| if right && game % 2 == 1 { -9.0 } else { 9.0 })
                .collect(),
            paper: of_paper(name),
        };
        let rows = [
            said("mc-score:500", 40, false),
            said("uct:500", 40, true),
            said("uct:50000", 10, false),
            said("uct:5000", 40, true),
            said("search:500 net.path=none", 40, true),
            said("search:500 search.rave=9", 40, true),
            said("net", 40, true),
        ];
        let found = gains(&samples, &rows, Seed::new(1));
        assert_eq!(
            [found[0].paper, found[1].paper, found[2].paper],
            [Some(0.019), Some(0.038), None]
        );
        let found: Vec<_> = found
            .iter()
            .map(|gain| (gain.from.as_str(), gain.to.as_str(), gain.positions, gain.acc.value))
            .collect();
        assert_eq!(
            found,
            [
                ("mc-score:500", "uct:500", 40, 0.5),
                ("uct:500", "uct:5000", 40, 0.0),
                ("uct:500", "search:500 net.path=none", 40, 0.0),
                ("uct:5000", "uct:50000", 10, -0.5),
            ]
        );
    }
}
