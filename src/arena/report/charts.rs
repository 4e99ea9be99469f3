//! Charts as SVG, drawn by hand so that colours and type are those of the page.
//!
//! A chart is drawn for the width of a phone and grows with the page.

use std::fmt::Write as _;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 36.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 24.0;
/// Colours that the page has for series.
const COLOURS: usize = 6;

/// How numbers at the side of a chart are written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    Plain,
    Percent,
    Seconds,
}

/// A line from left to right with what belongs to it.
pub(super) struct Curve<'a> {
    /// What the chart shows, for those who cannot see it.
    pub(super) about: &'a str,
    /// Points from left to right.
    pub(super) points: Vec<(f64, f64)>,
    /// An area around the line: its lower and upper end at each point.
    pub(super) band: Vec<(f64, f64)>,
    /// Level lines with their names.
    pub(super) levels: Vec<(f64, String)>,
    /// The lowest and the highest number at the side.
    pub(super) range: (f64, f64),
    /// How numbers at the side are written.
    pub(super) unit: Unit,
}

/// Bars in groups: one group for each label, in it one bar for each series.
pub(super) struct Bars<'a> {
    /// What the chart shows, for those who cannot see it.
    pub(super) about: &'a str,
    /// Below the groups; some are left out where they do not fit.
    pub(super) labels: Vec<String>,
    /// What each bar holds, in words.
    pub(super) names: Vec<String>,
    /// The colour of each series, if it has one, and the heights of its bars; none for no bar.
    pub(super) series: Vec<(Option<usize>, Vec<Option<f64>>)>,
    /// How numbers at the side are written.
    pub(super) unit: Unit,
}

/// Where numbers lie on the paper.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn new(x: (f64, f64), y: (f64, f64)) -> Self {
        // A range of one point would be divided by.
        let wide =
            |(low, high): (f64, f64)| if high > low { (low, high) } else { (low, low + 1.0) };
        Self { x: wide(x), y: wide(y) }
    }

    fn x(&self, x: f64) -> f64 {
        LEFT + (x - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - (y - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - TOP - BOTTOM)
    }
}

impl Curve<'_> {
    /// The chart.
    pub(super) fn svg(&self) -> String {
        let ends = (self.points.first(), self.points.last());
        let (Some(first), Some(last)) = ends else { return String::new() };
        let frame = Frame::new((first.0, last.0), self.range);
        let mut svg = opened(self.about);
        side(&mut svg, &frame, self.unit);
        for (at, x) in [(0, frame.x.0), (1, last.0)] {
            let anchor = if at == 0 { "start" } else { "end" };
            let (x, text) = (frame.x(x), number(x, Unit::Plain));
            let y = HEIGHT - 8.0;
            let _ =
                write!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#);
        }
        if !self.band.is_empty() {
            let there = self.points.iter().zip(&self.band).map(|(point, band)| (point.0, band.1));
            let back = self.points.iter().zip(&self.band).map(|(point, band)| (point.0, band.0));
            let path = path(&frame, there.chain(back.rev()));
            let _ = write!(svg, r#"<path class="band" d="{path}Z"/>"#);
        }
        for (level, name) in &self.levels {
            let (left, right, y) = (LEFT, WIDTH - RIGHT, frame.y(*level));
            let _ = write!(
                svg,
                r#"<line class="level" x1="{left}" x2="{right}" y1="{y:.1}" y2="{y:.1}"/>"#
            );
            let above = if y < TOP + 14.0 { y + 12.0 } else { y - 4.0 };
            let name = escaped(name);
            let _ = write!(svg, r#"<text x="{:.1}" y="{above:.1}">{name}</text>"#, left + 3.0);
        }
        let line = path(&frame, self.points.iter().copied());
        let _ = write!(svg, r#"<path class="curve" d="{line}"/>"#);
        let (x, y) = (frame.x(last.0), frame.y(last.1));
        let _ = write!(svg, r#"<circle class="dot" cx="{x:.1}" cy="{y:.1}" r="3"/></svg>"#);
        svg
    }
}

impl Bars<'_> {
    /// The chart.
    pub(super) fn svg(&self) -> String {
        let groups = self.labels.len();
        let most = self
            .series
            .iter()
            .flat_map(|(_, heights)| heights)
            .flatten()
            .copied()
            .fold(0.0, f64::max);
        if groups == 0 {
            return String::new();
        }
        let top = if most > 0.0 { most * 1.05 } else { 1.0 };
        let frame = Frame::new((0.0, groups as f64), (0.0, top));
        let mut svg = opened(self.about);
        side(&mut svg, &frame, self.unit);
        let group = frame.x(1.0) - frame.x(0.0);
        let gap = (group * 0.18).min(8.0);
        let width = (group - gap) / self.series.len().max(1) as f64;
        let ground = frame.y(0.0);
        for (series, (colour, heights)) in self.series.iter().enumerate() {
            let class = colour.map_or_else(|| "n".to_owned(), class);
            for (at, height) in heights.iter().enumerate() {
                let Some(height) = height else { continue };
                let x = frame.x(at as f64) + gap / 2.0 + width * series as f64;
                let y = frame.y(*height);
                let tall = ground - y;
                let name = self.names.get(at).map_or("", String::as_str);
                let told = number(*height, self.unit);
                let _ = write!(
                    svg,
                    r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{tall:.1}" rx="1"><title>{}: {told}</title></rect>"#,
                    escaped(name)
                );
            }
        }
        self.below(&mut svg, &frame);
        svg.push_str("</svg>");
        svg
    }

    /// The labels, as many as fit.
    fn below(&self, svg: &mut String, frame: &Frame) {
        let longest = self.labels.iter().map(|label| label.chars().count()).max().unwrap_or(1);
        let room = (frame.x(1.0) - frame.x(0.0)).max(0.1);
        let needed = longest as f64 * 6.5 + 8.0;
        let step = (1..=self.labels.len()).find(|step| *step as f64 * room >= needed);
        for (at, label) in self.labels.iter().enumerate().step_by(step.unwrap_or(self.labels.len()))
        {
            let (x, y) = (frame.x(at as f64 + 0.5), HEIGHT - 8.0);
            let label = escaped(label);
            let _ =
                write!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{label}</text>"#);
        }
    }
}

/// The class of a player's colour.
pub(super) fn class(player: usize) -> String {
    format!("s{}", player % COLOURS)
}

/// Text as it may stand in a page.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// A number in few characters.
pub(super) fn number(x: f64, unit: Unit) -> String {
    let digits = |x: f64| match x.abs() {
        size if size >= 100.0 || size.fract() == 0.0 => format!("{x:.0}"),
        size if size >= 10.0 => trimmed(&format!("{x:.1}")),
        size if size >= 0.1 => trimmed(&format!("{x:.2}")),
        _ => trimmed(&format!("{x:.4}")),
    };
    match unit {
        Unit::Percent => format!("{}%", digits(100.0 * x)),
        Unit::Seconds => format!("{}s", digits(x)),
        Unit::Plain if x.abs() >= 1e6 => format!("{}M", digits(x / 1e6)),
        Unit::Plain if x.abs() >= 1e4 => format!("{}k", digits(x / 1e3)),
        Unit::Plain => digits(x),
    }
}

fn trimmed(text: &str) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn opened(about: &str) -> String {
    format!(r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{}">"#, escaped(about))
}

/// Lines and numbers at the side.
fn side(svg: &mut String, frame: &Frame, unit: Unit) {
    let step = round_step(frame.y.1 - frame.y.0);
    let mut level = (frame.y.0 / step).ceil() * step;
    while level <= frame.y.1 + step * 1e-9 {
        // Rounding leaves crumbs around zero.
        let told = if level.abs() < step * 1e-6 { 0.0 } else { level };
        let (left, right, y) = (LEFT, WIDTH - RIGHT, frame.y(level));
        let _ = write!(
            svg,
            r#"<line class="grid" x1="{left}" x2="{right}" y1="{y:.1}" y2="{y:.1}"/><text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
            left - 5.0,
            y + 3.5,
            number(told, unit)
        );
        level += step;
    }
}

/// 1, 2 or 5 times a power of ten, so that four to six steps make the span.
fn round_step(span: f64) -> f64 {
    let mut step = 1e-9;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if span / step <= 5.0 || step > 1e18 {
            break;
        }
        step *= factor;
    }
    step
}

fn path(frame: &Frame, points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.enumerate() {
        let letter = if at == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{:.1} {:.1}", frame.x(x), frame.y(y));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (x, unit, text) in [
            (0.0, Unit::Plain, "0"),
            (12.0, Unit::Plain, "12"),
            (0.25, Unit::Percent, "25%"),
            (0.125, Unit::Percent, "12.5%"),
            (0.5, Unit::Seconds, "0.5s"),
            (0.0021, Unit::Seconds, "0.0021s"),
            (25_000.0, Unit::Plain, "25k"),
            (3_000_000.0, Unit::Plain, "3M"),
            (-2.94, Unit::Plain, "-2.94"),
        ] {
            assert_eq!(number(x, unit), text);
        }
    }

    #[test]
    fn a_curve_reaches_from_corner_to_corner() {
        let curve = Curve {
            about: "a <test>",
            points: vec![(0.0, 0.0), (10.0, 1.0)],
            band: Vec::new(),
            levels: vec![(0.5, "half".to_owned())],
            range: (0.0, 1.0),
            unit: Unit::Percent,
        };
        let svg = curve.svg();
        assert!(svg.contains(r#"d="M36.0 166.0L352.0 12.0""#), "{svg}");
        assert!(svg.contains("a &lt;test&gt;") && svg.ends_with("</svg>"), "{svg}");
        let point = Curve { points: vec![(3.0, 0.5)], ..curve };
        assert!(!point.svg().contains("NaN"));
    }

    #[test]
    fn bars_without_height_are_no_trouble() {
        let bars = |series| Bars {
            about: "",
            labels: vec!["1".into(), "2".into()],
            names: vec!["1".into(), "2".into()],
            series,
            unit: Unit::Seconds,
        };
        let svg =
            bars(vec![(Some(0), vec![Some(0.0), None]), (None, vec![Some(0.0), Some(0.0)])]).svg();
        assert_eq!(svg.matches("<rect").count(), 3);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(!bars(vec![]).svg().contains("inf"));
    }
}
