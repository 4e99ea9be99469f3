//! The summary as one page that needs nothing else.
//!
//! Numbers that stand in `summary.json` too are marked with the way to them there (`data-key`), so
//! that the two can be compared.

use super::charts::{Bars, Curve, Unit, class, escaped};
use super::histogram::Histogram;
use super::pairing::{Pairing, SprtSummary};
use super::read::board_text;
use super::summary::{Summary, is_virtual};
use super::tables;
use crate::util::stats::{Elo, Verdict};

/// How pages look, on paper and on screens of all sizes.
pub const STYLE: &str = include_str!("page.css");

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
    let mut body = format!("<header><h1>{heading}</h1>{}</header>\n", facts(summary));
    body.push_str(&notices(summary));
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
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"tedomari\">\n<title>{}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<main>\n{body}\
         <footer class=\"note\">Intervals are of 95 %. Draws count half. Elo is logistic, its \
         interval comes from pairs of games with colours swapped where there are enough. Made by \
         <code>tedomari match report</code>; the numbers are in <a href=\"summary.json\">summary.json</a>.\
         </footer>\n</main>\n</body>\n</html>\n",
        escaped(&title),
        STYLE,
    )
}

/// A number that stands in `summary.json` too.
pub(super) fn value(key: &str, text: &str) -> String {
    format!(r#"<span data-key="{key}">{}</span>"#, escaped(text))
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

/// A card; `class` is `wide` for one over the whole page.
pub(super) fn card(class: &str, title: &str, inside: &str) -> String {
    format!("<section class=\"card {class}\"><h2>{title}</h2>{inside}</section>\n")
}

/// The names of players with their colours.
fn key(names: &[String], players: impl Iterator<Item = usize>) -> String {
    let spans: Vec<String> = players
        .map(|player| {
            format!(r#"<span class="{}">{}</span>"#, class(player), escaped(&names[player]))
        })
        .collect();
    format!(r#"<div class="key">{}</div>"#, spans.concat())
}

fn facts(summary: &Summary) -> String {
    let info = &summary.info;
    let mut parts = vec![
        board_text(info).replace('x', "×"),
        format!("{} rules", escaped(&info.rules)),
        format!("komi {}", info.komi),
        format!("{} of {} games", value("/games", &summary.games.to_string()), info.games),
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
        let count = value("/void", &summary.void.to_string());
        lines.push(format!("{count} games do not count: they could not be played."));
    }
    if summary.duplicates > 0 {
        let count = value("/duplicates", &summary.duplicates.to_string());
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
        &value("/pairings/0/score", &percent(pairing.score)),
        &ends(
            value("/pairings/0/score_interval/low", &percent(Some(interval.low))),
            value("/pairings/0/score_interval/high", &percent(Some(interval.high))),
        ),
    );
    let elo = match pairing.elo.elo {
        Some(_) => value("/pairings/0/elo/elo", &elo_text(&pairing.elo)),
        None => escaped(&elo_text(&pairing.elo)),
    };
    tiles += &tile(
        "Elo",
        &elo,
        &ends(
            value("/pairings/0/elo/low", &elo_end(pairing.elo.low, "–∞")),
            value("/pairings/0/elo/high", &elo_end(pairing.elo.high, "+∞")),
        ),
    );
    tiles += &tile(
        "Stronger",
        &value("/pairings/0/los", &percent(Some(pairing.los))),
        "likelihood of superiority",
    );
    if let Some(sprt) = &pairing.sprt {
        tiles += &tile(
            "LLR",
            &value("/pairings/0/sprt/llr", &format!("{:.2}", sprt.llr)),
            &ends(
                value("/pairings/0/sprt/lower", &format!("{:.2}", sprt.lower)),
                value("/pairings/0/sprt/upper", &format!("{:.2}", sprt.upper)),
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
            let count = value(&format!("/pairings/0/{field}"), &count.to_string());
            format!(r#"<span class="{class}">{text} {count}</span>"#)
        })
        .collect();
    let classes = ["0", "½", "1", "1½", "2"];
    let pairs: Vec<String> = (0..5)
        .map(|class| {
            let count = outcomes.pairs[class].to_string();
            let count = value(&format!("/pairings/0/pairs/{class}"), &count);
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
    let score = Curve {
        about: "The score of the first player as the match went on",
        points: pairing.score_curve.iter().map(|at| (at.0 as f64, at.1)).collect(),
        band: pairing.score_curve.iter().map(|at| (at.2, at.3)).collect(),
        levels: vec![(0.5, String::new())],
        range: (0.0, 1.0),
        unit: Unit::Percent,
    };
    let caption = "<figcaption>by games played, with its interval</figcaption>";
    let figure = format!("<figure>{caption}{}</figure>", score.svg());
    card("", "Score", &figure) + &pairing.sprt.as_ref().map_or_else(String::new, llr_chart)
}

fn llr_chart(sprt: &SprtSummary) -> String {
    let values = || sprt.curve.iter().map(|point| point.1);
    let margin = (sprt.upper - sprt.lower) * 0.08;
    let curve = Curve {
        about: "The log-likelihood ratio as the match went on, with its bounds",
        points: sprt.curve.iter().map(|point| (point.0 as f64, point.1)).collect(),
        band: Vec::new(),
        levels: vec![(sprt.upper, "H1".to_owned()), (sprt.lower, "H0".to_owned())],
        range: (
            values().fold(sprt.lower, f64::min) - margin,
            values().fold(sprt.upper, f64::max) + margin,
        ),
        unit: Unit::Plain,
    };
    let caption = "<figcaption>by pairs of games, with the bounds of the test</figcaption>";
    card("", "Log-likelihood ratio", &format!("<figure>{caption}{}</figure>", curve.svg()))
}

/// Time, simulations and lengths.
fn move_charts(summary: &Summary) -> String {
    let names = &summary.info.players;
    let time = &summary.time_by_move;
    let last = |start: u64| start + time.width.saturating_sub(1);
    let simulated = (0..names.len()).any(|player| is_virtual(&summary.info, player));
    let (about, unit, caption) = if simulated {
        (
            "Mean simulations for a move by its number",
            Unit::Plain,
            "simulations, mean for a move, by its number",
        )
    } else {
        ("Mean seconds for a move by its number", Unit::Seconds, "mean for a move, by its number")
    };
    let seconds = Bars {
        about,
        labels: time.starts.iter().map(u64::to_string).collect(),
        names: time.starts.iter().map(|start| format!("{start}–{}", last(*start))).collect(),
        series: of_players(time.mean.clone()),
        unit,
    };
    let shares = |counts: &Vec<u64>| {
        let all = counts.iter().sum::<u64>().max(1) as f64;
        counts.iter().map(|count| (*count > 0).then_some(*count as f64 / all)).collect()
    };
    let histogram = &summary.simulation_histogram;
    let series = of_players(histogram.counts.iter().map(shares).collect());
    let simulations = classes("Moves by their simulations", histogram, series, Unit::Percent);
    let histogram = &summary.length_histogram;
    let counts = histogram.counts.iter().flatten().map(|count| Some(*count as f64)).collect();
    let games = classes("Games by their moves", histogram, vec![(None, counts)], Unit::Plain);
    let figure = |bars: &Bars, caption: &str, none: &str| match bars.svg() {
        svg if svg.is_empty() => format!("<p class=\"note\">{none}</p>"),
        svg => {
            let players = bars.series.iter().filter_map(|(player, _)| *player);
            let key = key(names, players);
            format!("<figure><figcaption>{caption}</figcaption>{svg}{key}</figure>")
        }
    };
    card("", "Time", &figure(&seconds, caption, "No times."))
        + &card("", "Simulations", &figure(&simulations, "share of moves", "None are known."))
        + &card("", "Length of games", &figure(&games, "games by moves", "No games."))
}

/// The series of those players who have any bar, in their colours.
fn of_players(series: Vec<Vec<Option<f64>>>) -> Vec<(Option<usize>, Vec<Option<f64>>)> {
    let players = series.into_iter().enumerate().map(|(player, bars)| (Some(player), bars));
    players.filter(|(_, bars)| bars.iter().any(Option::is_some)).collect()
}

/// The bars of a histogram.
fn classes<'a>(
    about: &'a str,
    histogram: &Histogram,
    series: Vec<(Option<usize>, Vec<Option<f64>>)>,
    unit: Unit,
) -> Bars<'a> {
    Bars {
        about,
        labels: histogram.starts.iter().map(u64::to_string).collect(),
        names: (0..histogram.starts.len()).map(|class| histogram.label(class)).collect(),
        series,
        unit,
    }
}
