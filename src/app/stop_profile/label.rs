//! How much search recorded positions needed.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::json;

use super::StepReport;
use crate::chart::{Axis, Bars, Chart, Marks, Series, Unit};
use crate::config::Config;
use crate::uncertainty::{Labels, TraceFile, best_checkpoint, expected_simulations};
use crate::util::write_atomically;

/// Recorded searches to be labelled.
#[derive(Clone, Debug)]
pub struct LabelSpec {
    /// The folder with traces.
    pub traces: PathBuf,
    /// Draw the shares of positions that need so many simulations (Fig. 1) to this SVG file.
    pub plot: Option<PathBuf>,
}

/// What comes of one epsilon.
struct Row {
    epsilon: f64,
    at_once: f64,
    after_a_tenth: f64,
    mean: f64,
    checkpoint: usize,
    expected: f64,
}

/// Tells how much search positions needed, for the configured epsilon and for others.
pub fn label(spec: &LabelSpec, config: &Config) -> anyhow::Result<StepReport> {
    let file = TraceFile::read_folder(&spec.traces)?;
    let traces = file.games.iter().flat_map(|game| &game.searches);
    let labels: Vec<Labels> = traces.map(|(_, trace)| Labels::new(trace)).collect();
    let most = file.simulations;
    let own = config.uncertainty.epsilon;
    let rows = [0.02, 0.05, 0.1, 0.2].map(|epsilon| row(&labels, most, epsilon));
    let minima: Vec<_> = labels.iter().map(|label| label.minimum(own)).collect();
    let bins = histogram(&minima, most);
    if let Some(path) = &spec.plot {
        write_atomically(path, chart(&bins).file().as_bytes())?;
    }
    let sensitivity: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "epsilon": row.epsilon, "share_at_once": row.at_once,
                "share_above_tenth": row.after_a_tenth, "mean": row.mean,
                "checkpoint": row.checkpoint, "expected_simulations": row.expected,
            })
        })
        .collect();
    let json = json!({
        "games": file.games.len(), "states": labels.len(), "simulations": most,
        "net": file.net, "epsilon": own, "histogram": bins, "sensitivity": sensitivity,
    });
    let mut text = format!(
        "{} positions of {} games, N_max {most}\nshare of positions by M(s), tenths of N_max, epsilon {own}:\n",
        labels.len(),
        file.games.len()
    );
    for (tenth, share) in bins.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  up to {:>3} %  {:>5.1} %", 10 * (tenth + 1), 100.0 * share);
    }
    text += "epsilon  M = 1    M > N/10  mean M/N  n (Eq. 7)  f(1, n)/N\n";
    for row in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<7}  {:>5.1} %  {:>6.1} %  {:>8.3}  {:>9}  {:>9.3}",
            row.epsilon,
            100.0 * row.at_once,
            100.0 * row.after_a_tenth,
            row.mean / most as f64,
            row.checkpoint,
            row.expected / most as f64,
        );
    }
    Ok(StepReport { text, json })
}

fn row(labels: &[Labels], most: usize, epsilon: f64) -> Row {
    let minima: Vec<_> = labels.iter().map(|label| label.minimum(epsilon)).collect();
    let count = minima.len().max(1) as f64;
    let share = |yes: &dyn Fn(usize) -> bool| {
        minima.iter().filter(|&&minimum| yes(minimum)).count() as f64 / count
    };
    let checkpoint = best_checkpoint(&minima, most);
    Row {
        epsilon,
        at_once: share(&|minimum| minimum == 1),
        after_a_tenth: share(&|minimum| minimum > most / 10),
        mean: minima.iter().sum::<usize>() as f64 / count,
        checkpoint,
        expected: expected_simulations(&minima, most, 1.0, checkpoint),
    }
}

/// The histogram as a chart.
fn chart(bins: &[f64]) -> Chart {
    let (tenths, heights) = (1..=bins.len(), bins.iter().copied().map(Some).collect());
    Chart {
        title: "How much search positions need".to_owned(),
        x: Axis::new("simulations needed, up to this share of N_max", Unit::Percent),
        y: Axis::new("share of the positions", Unit::Percent),
        marks: Marks::Bars(Bars {
            labels: tenths.clone().map(|tenth| format!("{}\u{a0}%", 10 * tenth)).collect(),
            names: tenths.map(|tenth| format!("up to {}\u{a0}%", 10 * tenth)).collect(),
            series: vec![Series { name: String::new(), colour: Some(0), heights }],
        }),
    }
}

/// Shares of the positions by tenths of the search.
fn histogram(minima: &[usize], most: usize) -> Vec<f64> {
    let mut bins = vec![0.0; 10];
    for &minimum in minima {
        bins[((minimum - 1) * 10 / most).min(9)] += 1.0 / minima.len() as f64;
    }
    bins
}
