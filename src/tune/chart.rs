//! The way of the settings as a picture.

use super::Spsa;
use crate::chart::{Axis, Chart, Line, Marks, Unit, file, number};

/// Where each setting was after each iteration, and what was found, as an SVG file.
#[must_use]
pub fn chart(spsa: &Spsa, way: &[Vec<f64>]) -> String {
    let last = way.len().saturating_sub(1) as f64;
    let charts: Vec<_> = spsa
        .tuned()
        .iter()
        .zip(spsa.found(way))
        .enumerate()
        .map(|(index, (one, (found, _)))| {
            let points = (0..).zip(way).map(|(at, values)| (f64::from(at), values[index]));
            let mut lines = Line::all([("", points.collect::<Vec<_>>())]);
            let text = format!("found {}", number(found, Unit::Plain));
            lines.push(Line::reference(&text, vec![(last / 2.0, found), (last, found)]));
            Chart {
                title: one.key.clone(),
                x: Axis::new("iteration", Unit::Whole).from_zero(),
                y: Axis::new("value", Unit::Plain),
                marks: Marks::Lines(lines),
            }
        })
        .collect();
    file("Settings found by games", &charts)
}
