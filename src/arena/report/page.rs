//! The summary as one page that needs nothing else.
//!
//! Numbers that stand in `summary.json` too are marked with the way to them there (`data-key`), so
//! that the two can be compared.

use super::histogram::Histogram;
use super::pairing::{Pairing, SprtSummary};
use super::read::board_text;
use super::summary::{Summary, is_virtual};
use super::tables;
use crate::chart::{
    Axis, Bars, Chart, Line, Marks, Page, Series, Unit, card, escaped, marked, number,
};
use crate::util::stats::{Elo, Verdict};

/// The page.
#[must_use]
pub fn page(summary: &Summary) -> String {
    let names = &summary.info.players;
    let heading = if let [first, second] = names.as_slice() {
        format!(r#"{} <span class="vs">against</span> {}"#, escaped(first), escaped(second))
    } else {
        format!("A match of {} players", names.len())
    };
    let title = match names.as_slice() {
        [first, second] => format!("{first} against {second}"),
        _ => names.join(", "),
    };
    let mut body = notices(summary);
    match summary.pairings.as_slice() {
        [] => body.push_str(
            r#"<div class="grid"><section class="card"><h2>No games yet</h2><p class="note">No game of this match that counts has ended.</p></section></div>"#,
        ),
        [only] if names.len() == 2 => {
            body.push_str(&verdict_line(only));
            body.push_str(&tiles(only, names));
        }
        _ => {}
    }
    body.push_str("<div class=\"grid two\">\n");
    body.push_str(&tables::ratings(summary));
    if names.len() > 2 {
        body.push_str(&tables::pairings(summary));
    }
    body.push_str(&match_charts(summary));
    body.push_str(&move_charts(summary));
    body.push_str(&tables::endings(summary));
    body.push_str(&tables::players(summary));
    body.push_str(&tables::faults(summary));
    body.push_str(&tables::games(summary));
    body.push_str("</div>\n");
    Page {
        title: &title,
        header: &format!("<h1>{heading}</h1>{}", facts(summary)),
        body: &body,
        footer: "Intervals are of 95 %. Draws count half. Elo is logistic, its interval comes from pairs of \
                 games with colours swapped where there are enough. Made by <code>tedomari match report</code>; \
                 the numbers are in <a href=\"summary.json\">summary.json</a>.",
    }
    .html()
}

/// `62.5 %`, or a dash.
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

/// `+35`, the end that is known of what has no end, or a dash.
pub(super) fn elo_text(elo: &Elo) -> String {
    match (elo.elo, elo.low, elo.high) {
        (Some(elo), _, _) => signed(elo),
        (None, Some(low), _) => format!("> {}", signed(low)),
        (None, None, Some(high)) => format!("< {}", signed(high)),
        (None, None, None) => "–".to_owned(),
    }
}

/// `+35`, `-2` or `0`.
pub(super) fn signed(elo: f64) -> String {
    let text = format!("{elo:+.0}");
    if ["+0", "-0"].contains(&text.as_str()) { "0".to_owned() } else { text }
}

fn facts(summary: &Summary) -> String {
    let info = &summary.info;
    let mut parts = vec![
        board_text(info).replace('x', "×"),
        format!("{} rules", escaped(&info.rules)),
        format!("komi {}", info.komi),
        format!("{} of {} games", marked("/games", &summary.games.to_string()), info.games),
        format!("schedule {}", escaped(&info.schedule)),
        format!("seed {}", info.seed),
    ];
    if !info.openings.is_empty() {
        parts.push(format!("openings {}", escaped(&info.openings)));
    }
    let mut times = info.time.clone();
    times.dedup();
    if !times.is_empty() {
        parts.push(format!("time {}", escaped(&times.join(" and "))));
    }
    format!("<p class=\"facts\">{}</p>", parts.join(" · "))
}

/// What the reader must know before the numbers.
fn notices(summary: &Summary) -> String {
    let mut lines: Vec<String> = summary.warnings.iter().map(|line| escaped(line)).collect();
    if summary.void > 0 {
        let count = marked("/void", &summary.void.to_string());
        lines.push(format!("{count} games do not count: they could not be played."));
    }
    if summary.duplicates > 0 {
        let count = marked("/duplicates", &summary.duplicates.to_string());
        lines.push(format!("{count} games were there more than once; the first found counts."));
    }
    let paragraphs: Vec<String> =
        lines.iter().map(|line| format!("<p class=\"facts warn\">{line}</p>\n")).collect();
    paragraphs.concat()
}

fn tile(name: &str, big: &str, small: &str) -> String {
    format!(
        r#"<section class="card tile"><span class="name">{name}</span><b>{big}</b><span>{small}</span></section>"#
    )
}

/// The result of two players in large type.
fn tiles(pairing: &Pairing, names: &[String]) -> String {
    let interval = pairing.score_interval;
    let ends = |low: String, high: String| format!("{low} to {high}");
    let elo_end = |end: Option<f64>, none: &str| end.map_or_else(|| none.to_owned(), signed);
    let mut tiles = tile(
        "Score",
        &marked("/pairings/0/score", &percent(pairing.score)),
        &ends(
            marked("/pairings/0/score_interval/low", &percent(Some(interval.low))),
            marked("/pairings/0/score_interval/high", &percent(Some(interval.high))),
        ),
    );
    let elo = match pairing.elo.elo {
        Some(_) => marked("/pairings/0/elo/elo", &elo_text(&pairing.elo)),
        None => escaped(&elo_text(&pairing.elo)),
    };
    tiles += &tile(
        "Elo",
        &elo,
        &ends(
            marked("/pairings/0/elo/low", &elo_end(pairing.elo.low, "–∞")),
            marked("/pairings/0/elo/high", &elo_end(pairing.elo.high, "+∞")),
        ),
    );
    tiles += &tile(
        "Stronger",
        &marked("/pairings/0/los", &percent(Some(pairing.los))),
        "likelihood of superiority",
    );
    if let Some(sprt) = &pairing.sprt {
        tiles += &tile(
            "LLR",
            &marked("/pairings/0/sprt/llr", &format!("{:.2}", sprt.llr)),
            &ends(
                marked("/pairings/0/sprt/lower", &format!("{:.2}", sprt.lower)),
                marked("/pairings/0/sprt/upper", &format!("{:.2}", sprt.upper)),
            ),
        );
    }
    format!("<div class=\"tiles\">{tiles}</div>\n{}", balance(pairing, names))
}

/// Wins, draws and losses as one bar.
fn balance(pairing: &Pairing, names: &[String]) -> String {
    let outcomes = &pairing.outcomes;
    let part = |class: &str, count: u64| {
        let share = 100.0 * count as f64 / outcomes.games().max(1) as f64;
        format!(r#"<i class="{class}" style="width:{share:.2}%"></i>"#)
    };
    let bar = part("s0", outcomes.wins) + &part("d", outcomes.draws) + &part("s1", outcomes.losses);
    let counts = [
        ("s0", format!("{} won", escaped(&names[0])), "wins", outcomes.wins),
        ("d", "drawn".to_owned(), "draws", outcomes.draws),
        ("s1", format!("{} won", escaped(&names[1])), "losses", outcomes.losses),
    ];
    let spans: Vec<String> = counts
        .iter()
        .map(|(class, text, field, count)| {
            let count = marked(&format!("/pairings/0/{field}"), &count.to_string());
            format!(r#"<span class="{class}">{text} {count}</span>"#)
        })
        .collect();
    let classes = ["0", "½", "1", "1½", "2"];
    let pairs: Vec<String> = (0..5)
        .map(|class| {
            let count = outcomes.pairs[class].to_string();
            let count = marked(&format!("/pairings/0/pairs/{class}"), &count);
            format!("{}: {count}", classes[class])
        })
        .collect();
    let inside = format!(
        "<div class=\"bar\">{bar}</div><div class=\"key\">{}</div>\
         <p class=\"note\">Pairs of games by points: {}</p>",
        spans.concat(),
        pairs.join(" · ")
    );
    format!("<div class=\"grid\">{}</div>\n", card("", "Games", &inside))
}

fn verdict_line(pairing: &Pairing) -> String {
    let Some(sprt) = &pairing.sprt else { return String::new() };
    format!("<p class=\"verdict\">{}</p>\n", escaped(&verdict_text(sprt)))
}

/// The outcome of a sequential test in words.
pub(super) fn verdict_text(sprt: &SprtSummary) -> String {
    let test = &sprt.test;
    let hypotheses = format!("SPRT [{}, {}]", test.elo0, test.elo1);
    let pairs = sprt.decided_after.unwrap_or_default();
    match sprt.verdict {
        Verdict::H0 => format!("{hypotheses}: H0 accepted after {pairs} pairs"),
        Verdict::H1 => format!("{hypotheses}: H1 accepted after {pairs} pairs"),
        Verdict::Open => format!("{hypotheses}: not decided yet"),
    }
}

/// How score and likelihood went, for two players.
fn match_charts(summary: &Summary) -> String {
    let ([pairing], true) = (summary.pairings.as_slice(), summary.players.len() == 2) else {
        return String::new();
    };
    let points: Vec<_> = pairing.score_curve.iter().map(|at| (at.0 as f64, at.1)).collect();
    let half = level("50\u{a0}%", 0.5, &points);
    let band = pairing.score_curve.iter().map(|at| (at.2, at.3)).collect();
    let score = Line { name: String::new(), colour: Some(0), points, band };
    let chart = Chart {
        title: "The score of the first player as the match went on".to_owned(),
        x: Axis::new("games played", Unit::Whole),
        y: Axis::within("score of the first player, with its interval", Unit::Percent, 0.0, 1.0),
        marks: Marks::Lines(vec![half, score]),
    };
    card("", "Score", &chart.figure()) + &pairing.sprt.as_ref().map_or_else(String::new, llr_chart)
}

/// A level line as long as a curve.
fn level(name: &str, height: f64, points: &[(f64, f64)]) -> Line {
    let ends = points.first().into_iter().chain(points.last());
    Line::reference(name, ends.map(|point| (point.0, height)).collect())
}

fn llr_chart(sprt: &SprtSummary) -> String {
    let points: Vec<_> = sprt.curve.iter().map(|point| (point.0 as f64, point.1)).collect();
    let mut lines = vec![level("H1", sprt.upper, &points), level("H0", sprt.lower, &points)];
    lines.extend(Line::all([("", points)]));
    let chart = Chart {
        title: "The log-likelihood ratio as the match went on, with its bounds".to_owned(),
        x: Axis::new("pairs of games", Unit::Whole),
        y: Axis::new("ratio, with the bounds of the test", Unit::Plain),
        marks: Marks::Lines(lines),
    };
    card("", "Log-likelihood ratio", &chart.figure())
}

/// Time, simulations and lengths.
fn move_charts(summary: &Summary) -> String {
    let names = &summary.info.players;
    let time = &summary.time_by_move;
    let last = |start: u64| start + time.width.saturating_sub(1);
    let simulated = (0..names.len()).any(|player| is_virtual(&summary.info, player));
    let (what, y) = if simulated {
        ("simulations", Axis::new("simulations of a move, mean", Unit::Plain))
    } else {
        ("seconds", Axis::new("time of a move, mean", Unit::Seconds))
    };
    let seconds = Chart {
        title: format!("Mean {what} for a move by its number"),
        x: Axis::new("number of the move", Unit::Whole),
        y,
        marks: Marks::Bars(Bars {
            labels: starts(&time.starts),
            names: time.starts.iter().map(|start| format!("{start}–{}", last(*start))).collect(),
            series: of_players(names, time.mean.clone()),
        }),
    };
    let shares = |counts: &Vec<u64>| {
        let all = counts.iter().sum::<u64>().max(1) as f64;
        counts.iter().map(|count| (*count > 0).then_some(*count as f64 / all)).collect()
    };
    let histogram = &summary.simulation_histogram;
    let series = of_players(names, histogram.counts.iter().map(shares).collect());
    let simulations = Chart {
        title: "Moves by their simulations".to_owned(),
        x: Axis::new("simulations, from", Unit::Whole),
        y: Axis::new("share of the moves", Unit::Percent),
        marks: Marks::Bars(classes(histogram, series)),
    };
    let histogram = &summary.length_histogram;
    let heights = histogram.counts.iter().flatten().map(|count| Some(*count as f64)).collect();
    let series = Series { name: String::new(), colour: None, heights };
    let lengths = Chart {
        title: "Games by their moves".to_owned(),
        x: Axis::new("moves, from", Unit::Whole),
        y: Axis::new("games", Unit::Whole),
        marks: Marks::Bars(classes(histogram, vec![series])),
    };
    let figure = |chart: &Chart, none: &str| match chart.figure() {
        svg if svg.is_empty() => format!("<p class=\"note\">{none}</p>"),
        svg => svg,
    };
    card("", "Time", &figure(&seconds, "No times."))
        + &card("", "Simulations", &figure(&simulations, "None are known."))
        + &card("", "Length of games", &figure(&lengths, "No games."))
}

/// The series of those players who have any bar, in their colours.
fn of_players(names: &[String], series: Vec<Vec<Option<f64>>>) -> Vec<Series> {
    let players = series.into_iter().zip(names).enumerate();
    let players = players.map(|(player, (heights, name))| Series {
        name: name.clone(),
        colour: Some(player),
        heights,
    });
    players.filter(|series| series.heights.iter().any(Option::is_some)).collect()
}

/// Where classes begin.
fn starts(starts: &[u64]) -> Vec<String> {
    starts.iter().map(|start| number(*start as f64, Unit::Whole)).collect()
}

/// The bars of a histogram.
fn classes(histogram: &Histogram, series: Vec<Series>) -> Bars {
    Bars {
        labels: starts(&histogram.starts),
        names: (0..histogram.starts.len()).map(|class| histogram.label(class)).collect(),
        series,
    }
}
