//! Every picture that the program draws, and the look of its pages.
//!
//! A [`Chart`] holds numbers with the names and units of its axes. It becomes part of a page
//! ([`Chart::figure`]) or an SVG file of its own ([`Chart::file`], [`file()`]). Lines are named at their ends.
//! Where there are too many of them, or their names are too long, each gets a panel of its own.

mod axis;
mod labels;
mod page;
mod panel;
mod style;
mod text;

use std::fmt::Write as _;

pub use axis::{Axis, Unit, number};
pub use page::{Page, card, marked};
pub use text::escaped;

use panel::Panel;
use text::{LINE, block, width, wrapped};

/// More lines than this have a panel each.
const MOST_LINES: usize = 4;
/// The same for lines with intervals.
const MOST_BANDS: usize = 2;
/// In panels of so many lines or fewer, the others are seen in grey.
const MOST_OTHERS: usize = 10;
/// Series of a bar chart that share a panel.
const MOST_BARS: usize = 3;
/// Share of the width that names at the ends of lines may take.
const NAME_SHARE: f64 = 0.4;
/// Size of a chart on a page: the width of a phone. Pages scale it.
const ON_PAGE: (f64, f64) = (360.0, 220.0);
/// Size of one of several panels on a page.
const PANEL_ON_PAGE: (f64, f64) = (250.0, 160.0);
/// Width of a file, and the heights of its only panel and of one of several.
const FILE_WIDTH: f64 = 640.0;
const FILE_HEIGHTS: (f64, f64) = (340.0, 150.0);
/// Space around a file and between its panels.
const MARGIN: f64 = 16.0;

/// Numbers to be drawn.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it shows: the title of a file, and the description for people who cannot see it.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub marks: Marks,
}

/// What is drawn in a chart.
#[derive(Clone, Debug)]
pub enum Marks {
    /// Lines from left to right.
    Lines(Vec<Line>),
    /// Bars in groups.
    Bars(Bars),
}

/// A line from left to right.
#[derive(Clone, Debug)]
pub struct Line {
    /// Stands at its end; the last value if it is empty.
    pub name: String,
    /// The number of its colour; none for a dashed line that others are compared with.
    pub colour: Option<usize>,
    /// Points from left to right.
    pub points: Vec<(f64, f64)>,
    /// The interval of each point, lower and upper end; empty if there are none.
    pub band: Vec<(f64, f64)>,
}

impl Line {
    /// Lines in the colours of their order.
    pub fn all<N: Into<String>>(
        lines: impl IntoIterator<Item = (N, Vec<(f64, f64)>)>,
    ) -> Vec<Self> {
        let line = |(colour, (name, points)): (usize, (N, _))| Self {
            name: name.into(),
            colour: Some(colour),
            points,
            band: Vec::new(),
        };
        lines.into_iter().enumerate().map(line).collect()
    }

    /// A dashed line that others are compared with.
    #[must_use]
    pub fn reference(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), colour: None, points, band: Vec::new() }
    }
}

/// Bars in groups: one group for each label, in it one bar for each series.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Below the groups; some are left out where they do not fit.
    pub labels: Vec<String>,
    /// What each group holds, in words.
    pub names: Vec<String>,
    /// The bars.
    pub series: Vec<Series>,
}

/// The bars of one kind.
#[derive(Clone, Debug)]
pub struct Series {
    /// What they stand for; may be empty for the only one.
    pub name: String,
    /// The number of their colour; none for grey.
    pub colour: Option<usize>,
    /// Their heights; none for no bar.
    pub heights: Vec<Option<f64>>,
}

/// How the marks of a chart are shared out to panels.
enum Layout {
    /// All in one.
    Together,
    /// One for each of these lines or series.
    Apart(Vec<usize>),
}

impl Chart {
    /// The chart as part of a page; empty if there is nothing to draw.
    #[must_use]
    pub fn figure(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let about = escaped(&self.title);
        let svg = |panel: &Panel<'_>| {
            let (width, height) = panel.size;
            let inside = panel.svg();
            format!(
                r#"<svg viewBox="0 0 {width} {height:.0}" role="img" aria-label="{about}">{inside}</svg>"#
            )
        };
        match self.layout(ON_PAGE.0) {
            Layout::Together => {
                let panel = Panel { chart: self, only: None, size: ON_PAGE, heading: Vec::new() };
                format!("<figure>{}{}</figure>", svg(&panel), self.key())
            }
            Layout::Apart(list) => {
                let size = if list.len() == 1 { ON_PAGE } else { PANEL_ON_PAGE };
                let panels: String = self.panels(&list, size).iter().map(svg).collect();
                let class = if list.len() == 1 { "" } else { "multiples" };
                let note = if list.len() == 1 { self.dashed_note() } else { self.note() };
                let note = escaped(&note);
                format!(
                    "<figure><figcaption>{note}</figcaption><div class=\"{class}\">{panels}</div></figure>"
                )
            }
        }
    }

    /// The chart as an SVG file.
    #[must_use]
    pub fn file(&self) -> String {
        file(&self.title, std::slice::from_ref(self))
    }

    /// Whether there is nothing to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.marks {
            Marks::Lines(lines) => lines.iter().all(|line| line.points.is_empty()),
            Marks::Bars(bars) => bars.labels.is_empty() || bars.series.is_empty(),
        }
    }

    fn layout(&self, room: f64) -> Layout {
        match &self.marks {
            Marks::Lines(lines) => {
                let drawn = |line: &Line| line.colour.is_some() && !line.points.is_empty();
                let list: Vec<usize> = (0..lines.len()).filter(|&at| drawn(&lines[at])).collect();
                let longest = lines.iter().map(|line| width(&line.name)).fold(0.0, f64::max);
                let most = if list.iter().any(|&at| !lines[at].band.is_empty()) {
                    MOST_BANDS
                } else {
                    MOST_LINES
                };
                if list.len() <= most && longest <= NAME_SHARE * room {
                    Layout::Together
                } else {
                    Layout::Apart(list)
                }
            }
            Marks::Bars(bars) if bars.series.len() <= MOST_BARS => Layout::Together,
            Marks::Bars(bars) => Layout::Apart((0..bars.series.len()).collect()),
        }
    }

    fn name(&self, at: usize) -> &str {
        match &self.marks {
            Marks::Lines(lines) => &lines[at].name,
            Marks::Bars(bars) => &bars.series[at].name,
        }
    }

    /// Panels for these lines or series, all with headings of the same height.
    fn panels(&self, list: &[usize], (width, height): (f64, f64)) -> Vec<Panel<'_>> {
        let mut headings: Vec<_> = list.iter().map(|&at| wrapped(self.name(at), width)).collect();
        let most = headings.iter().map(Vec::len).max().unwrap_or(0);
        for heading in &mut headings {
            while heading.len() < most {
                heading.insert(0, String::new());
            }
        }
        let size = (width, height + LINE * most as f64);
        let panel =
            |(&at, heading)| Panel { chart: self, only: Some((at, list.len())), size, heading };
        list.iter().zip(headings).map(panel).collect()
    }

    /// What the axes of many panels are.
    fn note(&self) -> String {
        let mut note = format!("upwards: {}; to the right: {}", self.y.name, self.x.name);
        if self.shows_others() {
            note.push_str("; grey: the others");
        }
        match self.dashed_note() {
            dashed if dashed.is_empty() => note,
            dashed => format!("{note}; {dashed}"),
        }
    }

    /// Whether each panel has the lines of the others in grey: more of them would be a tangle.
    fn shows_others(&self) -> bool {
        matches!(&self.marks, Marks::Lines(lines) if lines.len() <= MOST_OTHERS)
    }

    fn dashed_note(&self) -> String {
        let Marks::Lines(lines) = &self.marks else { return String::new() };
        let dashed = lines.iter().filter(|line| line.colour.is_none() && !line.name.is_empty());
        let names: Vec<&str> = dashed.map(|line| line.name.as_str()).collect();
        if names.is_empty() { String::new() } else { format!("dashed: {}", names.join(", ")) }
    }

    /// The names of series of bars with their colours, for pages.
    fn key(&self) -> String {
        let Marks::Bars(bars) = &self.marks else { return String::new() };
        let named = bars.series.iter().filter(|series| !series.name.is_empty());
        let mut spans = String::new();
        for series in named {
            let (class, name) = (style::class('s', series.colour), escaped(&series.name));
            let _ = write!(spans, r#"<span class="{class}">{name}</span>"#);
        }
        if spans.is_empty() { spans } else { format!(r#"<div class="key">{spans}</div>"#) }
    }
}

/// Charts below each other as one SVG file.
#[must_use]
pub fn file(title: &str, charts: &[Chart]) -> String {
    let room = FILE_WIDTH - 2.0 * MARGIN;
    let mut body = String::new();
    let mut y = MARGIN;
    y += block(&mut body, "title", &wrapped(title, room / 1.35), (MARGIN, y), 1.35);
    for chart in charts {
        if charts.len() > 1 {
            y += MARGIN / 2.0;
            y += block(&mut body, "head", &wrapped(&chart.title, room), (MARGIN, y), 1.0);
        }
        y += 6.0;
        if chart.is_empty() {
            y += block(&mut body, "", &["no data".to_owned()], (MARGIN, y), 1.0);
            continue;
        }
        let (panels, columns) = match chart.layout(room) {
            Layout::Together => {
                let size = (room, FILE_HEIGHTS.0);
                (vec![Panel { chart, only: None, size, heading: Vec::new() }], 1)
            }
            Layout::Apart(list) if list.len() == 1 => {
                (chart.panels(&list, (room, FILE_HEIGHTS.0)), 1)
            }
            Layout::Apart(list) => {
                y += block(&mut body, "", &wrapped(&chart.note(), room), (MARGIN, y), 1.0) + 8.0;
                let columns = if list.len() > MOST_LINES { 3 } else { 2 };
                let width = (room - MARGIN * (columns as f64 - 1.0)) / columns as f64;
                (chart.panels(&list, (width, FILE_HEIGHTS.1)), columns)
            }
        };
        for row in panels.chunks(columns) {
            for (column, panel) in row.iter().enumerate() {
                let x = MARGIN + column as f64 * (panel.size.0 + MARGIN);
                let inside = panel.svg();
                let _ = write!(body, r#"<g transform="translate({x:.1} {y:.1})">{inside}</g>"#);
            }
            y += row[0].size.1 + 6.0;
        }
    }
    let (height, about, style) = (y + MARGIN / 2.0, escaped(title), style::of_file());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{FILE_WIDTH}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {FILE_WIDTH} {height:.0}\" role=\"img\" aria-label=\"{about}\">\n\
         <style>{style}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}\n</svg>\n"
    )
}

#[cfg(test)]
mod tests;
