//! How good the policy and uncertainty networks are on games that they have not seen.

use std::fmt::Write as _;
use std::path::Path;

use crate::chart::{Axis, Chart, Line, Marks, Unit};
use crate::uncertainty::{
    NetEstimator, Quality, Scores, Shown, State, asked_at_once, asked_during, asked_policy, scores,
};
use crate::util::write_atomically;

/// The moves from which on, and before which, a game is in one of its phases.
const PHASES: [(usize, usize); 3] = [(0, 15), (15, 40), (40, usize::MAX)];

/// What is examined, and on what.
pub(super) struct Examination<'a> {
    pub(super) held_out: &'a [State],
    pub(super) at_once: &'a NetEstimator,
    pub(super) during: &'a NetEstimator,
    pub(super) epsilon: f64,
}

/// An estimator by name, with what it says beside what came.
type Row = (String, Scores);

impl Examination<'_> {
    /// The policy, State-UN, and MCTS-UN after the first of some numbers of simulations with both of its
    /// inputs and with one, and after the others; then both networks in each phase of a game.
    /// `drawing` shows what they say against what came.
    pub(super) fn table(
        &self,
        (first, others): (usize, &[usize]),
        temperature: f64,
        drawing: &Path,
    ) -> anyhow::Result<Vec<(String, Quality)>> {
        let policy = |temperature| {
            let said = asked_policy(self.held_out, temperature);
            self.row(format!("PV-NN tau {temperature:.2}"), &said, 1)
        };
        let search = |n, shown| asked_during(self.held_out, self.during, n, shown);
        let name = |n: usize| format!("MCTS-UN at {n}");
        let (at_once, then) =
            (asked_at_once(self.held_out, self.at_once), search(first, Shown::Both));
        let mut table = vec![
            policy(1.0),
            policy(temperature),
            self.row("State-UN".to_owned(), &at_once, 1),
            self.row(name(first), &then, first),
        ];
        for (shown, words) in [(Shown::Position, "position alone"), (Shown::Search, "search alone")]
        {
            let said = search(first, shown);
            table.push(self.row(format!("{}, {words}", name(first)), &said, first));
        }
        let later = |&n: &usize| self.row(name(n), &search(n, Shown::Both), n);
        table.extend(others.iter().map(later));
        draw(&table, drawing)?;
        for phase in PHASES {
            table.push(self.in_phase(phase, "State-UN", (&at_once, 1)));
            table.push(self.in_phase(phase, &name(first), (&then, first)));
        }
        Ok(table.into_iter().map(|(name, scores)| (name, scores.quality())).collect())
    }

    fn row(&self, name: String, said: &[f64], n: usize) -> Row {
        (name, scores(self.held_out, said, n, self.epsilon))
    }

    fn in_phase(&self, (from, to): (usize, usize), name: &str, (said, n): (&[f64], usize)) -> Row {
        let all = self.held_out.iter().zip(said);
        let (states, said): (Vec<State>, Vec<f64>) = all
            .filter(|(state, _)| (from..to).contains(&state.ply))
            .map(|(state, &u)| (state.clone(), u))
            .unzip();
        let phase = match to {
            usize::MAX => format!("from move {}", from + 1),
            _ => format!("moves {} to {to}", from + 1),
        };
        (format!("{name}, {phase}"), scores(&states, &said, n, self.epsilon))
    }
}

/// Draws what estimators say against what came; the straight line is what a calibrated one does.
fn draw(table: &[Row], path: &Path) -> anyhow::Result<()> {
    let points = |scores: &Scores| {
        let bins = scores.reliability().into_iter().filter(|bin| bin.states > 0);
        bins.map(|bin| (bin.said, bin.came)).collect::<Vec<_>>()
    };
    let mut lines = Line::all(table.iter().map(|(name, scores)| (name.as_str(), points(scores))));
    lines.push(Line::reference("calibrated", vec![(0.0, 0.0), (1.0, 1.0)]));
    let chart = Chart {
        title: "Reliability: what estimators say against what came".to_owned(),
        x: Axis::within("estimate", Unit::Percent, 0.0, 1.0),
        y: Axis::within("share that was uncertain", Unit::Percent, 0.0, 1.0),
        marks: Marks::Lines(lines),
    };
    write_atomically(path, chart.file().as_bytes())?;
    Ok(())
}

/// The table for people.
pub(super) fn text(table: &[(String, Quality)]) -> String {
    let mut text =
        "estimator                           uncertain  AUC    AP     Brier  ECE    accuracy\n"
            .to_owned();
    for (name, q) in table {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{name:<34}  {:>7.1} %  {:.3}  {:.3}  {:.3}  {:.3}  {:>6.1} %",
            100.0 * q.uncertain,
            q.auc,
            q.average_precision,
            q.brier,
            q.calibration_error,
            100.0 * q.accuracy
        );
    }
    text
}
