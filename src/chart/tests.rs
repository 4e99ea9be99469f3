use regex::Regex;

use super::*;

fn chart(lines: Vec<Line>) -> Chart {
    Chart {
        title: "A <title> that is rather long, so long that it would be cut off at the side of a file of its own"
            .to_owned(),
        x: Axis::new("move", Unit::Whole),
        y: Axis::new("mean time", Unit::Seconds),
        marks: Marks::Lines(lines),
    }
}

fn lines(count: usize) -> Vec<Line> {
    let line = |n: usize| {
        let points = (1..40).map(|x| (f64::from(x), f64::from(x) * 0.1 + n as f64)).collect();
        (format!("<{n}>"), points)
    };
    Line::all((0..count).map(line))
}

/// Every text within the picture, by the widest type that is usual.
fn check_texts(svg: &str, room: f64) {
    let text = Regex::new(
        r#"<text(?: class="(\w*)")? x="([-.\d]+)" y="[-.\d]+"(?: text-anchor="(\w+)")?>([^<]*)"#,
    )
    .unwrap();
    let mut count = 0;
    for found in text.captures_iter(svg) {
        let plain = found[4].replace("&lt;", "<").replace("&gt;", ">");
        let large =
            if found.get(1).is_some_and(|class| class.as_str() == "title") { 1.35 } else { 1.0 };
        let (x, wide) = (found[2].parse::<f64>().unwrap(), large * width(&plain));
        let (left, right) = match found.get(3).map(|anchor| anchor.as_str()) {
            Some("end") => (x - wide, x),
            Some("middle") => (x - wide / 2.0, x + wide / 2.0),
            _ => (x, x + wide),
        };
        assert!(left >= -1.0 && right <= room + 1.0, "{plain} from {left} to {right} of {room}");
        count += 1;
    }
    assert!(count > 3, "{svg}");
}

#[test]
fn few_lines_are_named_at_their_ends() {
    let few = chart(lines(4));
    for svg in [few.figure(), few.file()] {
        assert_eq!(svg.matches("&gt;</text>").count(), 4, "{svg}");
        assert!(svg.contains(">move</text>") && svg.contains(">mean time</text>"));
        assert!(!svg.contains("NaN") && !svg.contains("ghost\""));
    }
    check_texts(&few.figure(), ON_PAGE.0);
    assert!(few.file().contains("A &lt;title&gt; that is rather long, so"));
}

#[test]
fn eighteen_lines_are_small_multiples() {
    let mut all = lines(18);
    all.push(Line::reference("usual", vec![(1.0, 2.0), (39.0, 2.0)]));
    let many = chart(all);
    assert_eq!(many.figure().matches("<svg").count(), 18);
    assert!(many.figure().contains("upwards: mean time; to the right: move"));
    assert!(many.figure().contains("dashed: usual"));
    let file = many.file();
    assert_eq!(file.matches("class=\"ghost\"").count(), 0);
    assert_eq!(chart(lines(6)).file().matches("class=\"ghost\"").count(), 6 * 5);
    assert_eq!(file.matches("class=\"lx\"").count(), 18);
    assert!((0..18).all(|n| file.contains(&format!(">&lt;{n}&gt;</text>"))));
}

#[test]
fn long_names_get_panels_and_are_not_cut() {
    let name = "search:50000 net.path=builtin:go9small playout.replies=last-good";
    let named = |count: usize| {
        Line::all((0..count).map(|n| (format!("{name} {n}"), vec![(0.0, 1.0), (9.0, 2.0)])))
    };
    for count in [1, 2, 5] {
        let chart = chart(named(count));
        assert_eq!(chart.figure().matches("<svg").count(), count);
        check_texts(&chart.panels(&[0], PANEL_ON_PAGE)[0].svg(), PANEL_ON_PAGE.0);
    }
}

#[test]
fn nothing_to_draw_is_no_trouble() {
    for lines in [vec![], Line::all([("a", vec![])]), Line::all([("a", vec![(3.0, 0.5)])])] {
        let chart = chart(lines);
        let file = chart.file();
        assert!(!file.contains("NaN") && !file.contains("inf") && file.ends_with("</svg>\n"));
        assert_eq!(chart.figure().is_empty(), chart.is_empty());
    }
    let bars = |series: Vec<Series>| Chart {
        marks: Marks::Bars(Bars {
            labels: vec!["1".into(), "2".into()],
            names: vec!["1".into(), "2".into()],
            series,
        }),
        ..chart(vec![])
    };
    let series = |heights: Vec<Option<f64>>| Series { name: String::new(), colour: None, heights };
    let svg = bars(vec![series(vec![Some(0.0), None]), series(vec![Some(0.0), Some(0.0)])]);
    assert_eq!(svg.figure().matches("<rect").count(), 3);
    assert!(!svg.file().contains("NaN") && !svg.file().contains("inf"));
    assert!(bars(vec![]).figure().is_empty());
}

#[test]
fn many_series_of_bars_are_small_multiples() {
    let series = |n: usize| Series {
        name: format!("player {n}"),
        colour: Some(n),
        heights: (0..20).map(|at| Some(f64::from(at * 500))).collect(),
    };
    let bars = |count: usize| Chart {
        y: Axis::new("games", Unit::Whole),
        marks: Marks::Bars(Bars {
            labels: (0..20).map(|at| (at * 1000).to_string()).collect(),
            names: (0..20).map(|at| (at * 1000).to_string()).collect(),
            series: (0..count).map(series).collect(),
        }),
        ..chart(vec![])
    };
    assert_eq!(bars(3).figure().matches("<svg").count(), 1);
    assert!(bars(3).figure().contains(r#"<div class="key"><span class="s0">player 0</span>"#));
    assert_eq!(bars(7).figure().matches("<svg").count(), 7);
    check_texts(&bars(1).figure(), ON_PAGE.0);
    assert!(bars(1).figure().contains(">8,000</text>"));
}
