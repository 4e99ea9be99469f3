//! The log of a training, as lines of JSON and as a picture.

use std::path::{Path, PathBuf};

use plotters::prelude::*;
use serde_json::Value;

use super::TrainError;
use crate::util::{read_limited, write_atomically};

/// Larger logs are refused.
const MAX_LOG: usize = 256 << 20;

/// The lines of `log.jsonl`, which is written anew with each change, whole or not at all.
pub(super) struct Log {
    path: PathBuf,
    lines: Vec<Value>,
}

impl Log {
    /// The log in a folder up to a step: what came after it is done again.
    pub(super) fn open(folder: &Path, step: u64) -> Result<Self, TrainError> {
        let path = folder.join("log.jsonl");
        let mut log = Self { path, lines: Vec::new() };
        if log.path.exists() {
            let text = read_limited(&log.path, MAX_LOG)?;
            let lines = String::from_utf8_lossy(&text);
            // A line that cannot be read is not worth losing the training for.
            log.lines = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            log.lines.retain(|line| line["step"].as_u64().is_some_and(|at| at <= step));
        }
        Ok(log)
    }

    /// Adds a line and writes everything.
    pub(super) fn add(&mut self, line: Value) -> Result<(), TrainError> {
        self.lines.push(line);
        let lines: Vec<_> = self.lines.iter().map(Value::to_string).collect();
        let text = lines.join("\n") + "\n";
        let picture = self.path.with_file_name("loss.svg");
        write(&self.path, text.as_bytes())?;
        write(&picture, self.picture().map_err(TrainError::Picture)?.as_bytes())
    }

    /// What a key of the lines is over the steps.
    fn curve(&self, group: &str, key: &str) -> Vec<(f64, f64)> {
        let point = |line: &Value| Some((line["step"].as_f64()?, line[group][key].as_f64()?));
        let validation =
            |line: &Value| Some((line["step"].as_f64()?, line[group]["losses"][key].as_f64()?));
        let lines = self.lines.iter();
        if group == "validation" {
            lines.filter_map(validation).collect()
        } else {
            lines.filter_map(point).collect()
        }
    }

    /// Policy and value over the steps, in training and on held-out games.
    fn picture(&self) -> Result<String, String> {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, (900, 700)).into_drawing_area();
            area.fill(&WHITE).map_err(|error| error.to_string())?;
            let halves = area.split_evenly((2, 1));
            for (half, (title, key)) in halves
                .iter()
                .zip([("policy, cross entropy", "policy"), ("value, cross entropy", "value")])
            {
                let curves = [
                    ("training", self.curve("losses", key)),
                    ("held out", self.curve("validation", key)),
                ];
                draw(half, title, &curves).map_err(|error| error.to_string())?;
            }
            area.present().map_err(|error| error.to_string())?;
        }
        Ok(svg)
    }
}

fn draw<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    title: &str,
    curves: &[(&str, Vec<(f64, f64)>)],
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let points = || curves.iter().flat_map(|(_, points)| points.iter());
    let last = points().map(|point| point.0).fold(1.0, f64::max);
    let low = points().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let high = points().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = if low < high { (low, high) } else { (0.0, 1.0) };
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18))
        .margin(10)
        .x_label_area_size(30)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..last, low..high)?;
    chart.configure_mesh().x_desc("step").draw()?;
    for ((name, points), color) in curves.iter().zip([BLUE, RED]) {
        chart
            .draw_series(LineSeries::new(points.iter().copied(), &color))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], color));
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    write_atomically(path, bytes)
        .map_err(|reason| TrainError::Write { path: path.to_owned(), reason })
}
