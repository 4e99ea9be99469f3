//! One panel: a frame with numbers beside it, and lines or bars in it.

use std::fmt::Write as _;

use super::axis::number;
use super::labels::{Label, spread};
use super::style::class;
use super::text::{LINE, block, escaped, width};
use super::{Bars, Chart, Line, Marks, Series};

/// Lines of no more points than this have a dot for each.
const FEW: usize = 16;
/// Room for the stroke before a name.
const STUB: f64 = 16.0;

/// A part of a chart, or all of it.
pub(super) struct Panel<'a> {
    pub(super) chart: &'a Chart,
    /// The line or series that it is about, and of how many panels it is one; none for all.
    pub(super) only: Option<(usize, usize)>,
    pub(super) size: (f64, f64),
    /// Lines of text above it.
    pub(super) heading: Vec<String>,
}

/// Where numbers lie on the paper.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let share = |at: f64, (low, high): (f64, f64)| (at - low) / (high - low);
        (
            self.left + share(x, self.x) * (self.right - self.left),
            self.bottom - share(y, self.y) * (self.bottom - self.top),
        )
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (number, point) in points.enumerate() {
            let (x, y) = self.at(point);
            let _ = write!(path, "{}{x:.1} {y:.1}", if number == 0 { 'M' } else { 'L' });
        }
        path
    }
}

impl Panel<'_> {
    /// What is drawn, from the left upper corner on.
    pub(super) fn svg(&self) -> String {
        let mut svg = String::new();
        let mut top = block(&mut svg, "head", &self.heading, (0.0, 0.0), 1.0);
        if self.names_axes() {
            top += block(&mut svg, "", std::slice::from_ref(&self.chart.y.name), (0.0, top), 1.0);
        }
        match &self.chart.marks {
            Marks::Lines(lines) => self.lines(&mut svg, top, lines),
            Marks::Bars(bars) => self.bars(&mut svg, top, bars),
        }
        svg
    }

    /// Where there are many panels, the axes are named once above all of them.
    fn names_axes(&self) -> bool {
        self.only.is_none_or(|(_, count)| count == 1)
    }

    /// The frame, with the numbers at its side and the name of the other axis drawn.
    fn frame(&self, svg: &mut String, top: f64, ends: [(f64, f64); 2], names: f64) -> Frame {
        let (wide, high) = self.size;
        let [x, y] = ends;
        let below = if self.names_axes() { 2.0 * LINE } else { LINE };
        let (top, bottom) = (top + 7.0, high - below - 5.0);
        let ticks = self.chart.y.ticks(y, ((bottom - top) / 24.0).clamp(3.0, 6.0));
        let left = ticks.iter().map(|(_, text)| width(text)).fold(0.0, f64::max) + 6.0;
        let frame = Frame { left, right: wide - names, top, bottom, x, y };
        for (at, text) in &ticks {
            let (_, at) = frame.at((0.0, *at));
            let _ = write!(
                svg,
                r#"<line class="rule" x1="{left:.1}" x2="{:.1}" y1="{at:.1}" y2="{at:.1}"/><text x="{:.1}" y="{:.1}" text-anchor="end">{text}</text>"#,
                frame.right,
                left - 5.0,
                at + 4.0,
            );
        }
        if self.names_axes() {
            let (x, y) = (f64::midpoint(left, frame.right), high - 4.0);
            let name = escaped(&self.chart.x.name);
            let _ =
                write!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{name}</text>"#);
        }
        frame
    }

    fn lines(&self, svg: &mut String, top: f64, lines: &[Line]) {
        let ends = self.ends(lines);
        let names = match self.only {
            Some(_) => 12.0,
            None => {
                lines.iter().map(|line| width(&self.end_text(line)) + STUB).fold(12.0, f64::max)
            }
        };
        let frame = self.frame(svg, top, ends, names);
        let room = (frame.right - frame.left) / 52.0;
        for (at, text) in self.chart.x.ticks(frame.x, room.clamp(3.0, 8.0)) {
            let (x, _) = frame.at((at, 0.0));
            // A number at an end of the axis stays within the panel, and away from the other axis.
            let half = width(&text) / 2.0;
            let x = x.max(frame.left + half - 4.0).min(self.size.0 - half);
            let y = frame.bottom + LINE + 1.0;
            let _ =
                write!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{text}</text>"#);
        }
        let is_only = |at: usize| self.only.is_none_or(|(only, _)| only == at);
        for (_, line) in lines.iter().enumerate().filter(|(at, _)| !is_only(*at)) {
            if line.colour.is_some() && self.chart.shows_others() {
                let path = frame.path(line.points.iter().copied());
                let _ = write!(svg, r#"<path class="ghost" d="{path}"/>"#);
            }
        }
        let mut labels = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if line.points.is_empty() || (line.colour.is_some() && !is_only(at)) {
                continue;
            }
            draw_line(svg, &frame, line);
            let from = frame.at(*line.points.last().expect("invariant: there are points"));
            let (text, class) = (self.end_text(line), class('l', line.colour));
            labels.push(Label { from, y: from.1, text, class });
        }
        if self.only.is_none() {
            draw_labels(svg, &frame, labels);
        }
    }

    /// What stands at the end of a line.
    fn end_text(&self, line: &Line) -> String {
        match line.points.last() {
            Some(&(_, y)) if line.name.is_empty() && line.colour.is_some() => {
                number(y, self.chart.y.unit)
            }
            _ => line.name.clone(),
        }
    }

    /// The ends of both axes: all numbers of all lines lie between them.
    fn ends(&self, lines: &[Line]) -> [(f64, f64); 2] {
        let span = |numbers: &mut dyn Iterator<Item = f64>| {
            numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            })
        };
        let points = || lines.iter().flat_map(|line| &line.points);
        let bands = lines.iter().flat_map(|line| &line.band).flat_map(|&(low, high)| [low, high]);
        let x = span(&mut points().map(|point| point.0));
        let y = span(&mut points().map(|point| point.1).chain(bands));
        [self.chart.x.ends(x), self.chart.y.ends(y)]
    }

    fn bars(&self, svg: &mut String, top: f64, bars: &Bars) {
        let heights = || bars.series.iter().flat_map(|series| &series.heights).flatten().copied();
        let most = heights().fold(0.0, f64::max);
        let most = if most > 0.0 { most * 1.08 } else { 1.0 };
        let y = self.chart.y.ends((0.0, most));
        let frame = self.frame(svg, top, [(0.0, bars.labels.len() as f64), y], 4.0);
        let shown: Vec<&Series> = match self.only {
            Some((only, _)) => vec![&bars.series[only]],
            None => bars.series.iter().collect(),
        };
        let group = (frame.right - frame.left) / bars.labels.len() as f64;
        let gap = (group * 0.18).min(8.0);
        let wide = (group - gap) / shown.len() as f64;
        for (place, series) in shown.iter().enumerate() {
            let class = class('f', series.colour);
            for (at, height) in series.heights.iter().enumerate() {
                let Some(height) = height else { continue };
                let (x, y) = frame.at((at as f64, *height));
                let x = x + gap / 2.0 + wide * place as f64;
                let tall = frame.bottom - y;
                let name = escaped(bars.names.get(at).map_or("", String::as_str));
                let told = number(*height, self.chart.y.unit);
                let _ = write!(
                    svg,
                    r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{wide:.1}" height="{tall:.1}" rx="1"><title>{name}: {told}</title></rect>"#
                );
                // The number itself where it fits.
                if shown.len() == 1 && width(&told) <= group && *height > 0.0 {
                    let (x, y) = (x + wide / 2.0, y - 3.0);
                    let _ = write!(
                        svg,
                        r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{told}</text>"#
                    );
                }
            }
        }
        below(svg, &frame, &bars.labels, group);
    }
}

fn draw_line(svg: &mut String, frame: &Frame, line: &Line) {
    let (stroke, fill) = (class('l', line.colour), class('f', line.colour));
    if !line.band.is_empty() {
        let there = line.points.iter().zip(&line.band).map(|(point, band)| (point.0, band.1));
        let back = line.points.iter().zip(&line.band).map(|(point, band)| (point.0, band.0));
        let path = frame.path(there.chain(back.rev()));
        let _ = write!(svg, r#"<path class="band {fill}" d="{path}Z"/>"#);
    }
    let kind = if line.colour.is_some() { "curve " } else { "" };
    let path = frame.path(line.points.iter().copied());
    let name = escaped(&line.name);
    let _ = write!(svg, r#"<path class="{kind}{stroke}" d="{path}"><title>{name}</title></path>"#);
    if line.colour.is_some() {
        let from = if line.points.len() <= FEW { 0 } else { line.points.len() - 1 };
        for &point in &line.points[from..] {
            let (x, y) = frame.at(point);
            let _ = write!(svg, r#"<circle class="{fill}" cx="{x:.1}" cy="{y:.1}" r="2.5"/>"#);
        }
    }
}

/// Names right of the frame, each with a stroke like its line.
fn draw_labels(svg: &mut String, frame: &Frame, mut labels: Vec<Label>) {
    labels.retain(|label| !label.text.is_empty());
    spread(&mut labels, (frame.top, frame.bottom), LINE - 1.0);
    for Label { from: (x, y), y: at, text, class } in labels {
        let right = frame.right;
        let _ = write!(
            svg,
            r#"<path class="leader {class}" d="M{x:.1} {y:.1}L{:.1} {at:.1}"/><path class="curve {class}" d="M{:.1} {at:.1}H{:.1}"/><text x="{:.1}" y="{:.1}">{}</text>"#,
            right + 3.0,
            right + 3.0,
            right + 11.0,
            right + STUB,
            at + 4.0,
            escaped(&text),
        );
    }
}

/// Labels below groups of bars, as many as fit.
fn below(svg: &mut String, frame: &Frame, labels: &[String], group: f64) {
    let needed = labels.iter().map(|label| width(label)).fold(1.0, f64::max) + 6.0;
    let step = (1..=labels.len()).find(|step| *step as f64 * group >= needed);
    for (at, label) in labels.iter().enumerate().step_by(step.unwrap_or(labels.len()).max(1)) {
        let (x, _) = frame.at((at as f64 + 0.5, 0.0));
        let (x, y) = (x.min(frame.right - width(label) / 2.0 + 4.0), frame.bottom + LINE);
        let label = escaped(label);
        let _ = write!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{label}</text>"#);
    }
}
