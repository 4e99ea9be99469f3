//! The tables of the page.

use super::page::{elo_text, percent, signed, verdict_text};
use super::summary::{Spread, Summary};
use crate::chart::{Unit, card, escaped, marked, number};

/// Rows of a long table; the rest is in the files.
const ROWS: usize = 2000;

struct Column {
    title: &'static str,
    text: bool,
}

/// A column of numbers.
const fn figures(title: &'static str) -> Column {
    Column { title, text: false }
}

/// A column of words.
const fn words(title: &'static str) -> Column {
    Column { title, text: true }
}

/// A table that scrolls by itself; cells are HTML.
fn table(columns: &[Column], rows: &[Vec<String>]) -> String {
    let class = |column: &Column| if column.text { " class=\"t\"" } else { "" };
    let head: Vec<String> = columns
        .iter()
        .map(|column| format!("<th{}>{}</th>", class(column), column.title))
        .collect();
    let row = |cells: &Vec<String>| {
        let cells: Vec<String> = columns
            .iter()
            .zip(cells)
            .map(|(column, cell)| match column.title {
                "Detail" => format!("<td class=\"t long\">{cell}</td>"),
                _ if column.text => format!("<td class=\"t name\">{cell}</td>"),
                _ => format!("<td>{cell}</td>"),
            })
            .collect();
        format!("<tr>{}</tr>\n", cells.concat())
    };
    let body: Vec<String> = rows.iter().map(row).collect();
    format!(
        "<div class=\"scroll\"><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>",
        head.concat(),
        body.concat()
    )
}

/// More than two players by strength.
pub(super) fn ratings(summary: &Summary) -> String {
    let Some(ratings) = &summary.ratings else { return String::new() };
    let mut order: Vec<usize> = (0..ratings.players.len()).collect();
    order.sort_by(|a, b| ratings.players[*b].elo.total_cmp(&ratings.players[*a].elo));
    let rows: Vec<Vec<String>> = (1..)
        .zip(&order)
        .map(|(place, player)| {
            let (rating, totals) = (&ratings.players[*player], &summary.players[*player]);
            let points = totals.wins as f64 + 0.5 * totals.draws as f64;
            let score = (totals.games > 0).then(|| points / totals.games as f64);
            let key = |field: &str| format!("/ratings/players/{player}/{field}");
            vec![
                format!("{place}"),
                escaped(&totals.name),
                marked(&key("elo"), &signed(rating.elo)),
                format!("± {}", marked(&key("error"), &format!("{:.0}", rating.error))),
                marked(&format!("/players/{player}/games"), &totals.games.to_string()),
                percent(score),
            ]
        })
        .collect();
    let columns = [
        figures("#"),
        words("Player"),
        figures("Elo"),
        figures(""),
        figures("Games"),
        figures("Score"),
    ];
    let note = if ratings.imagined {
        "Bradley-Terry, around the mean of all. A player or a group that lost nothing to the others, \
         or never met them, has no most likely rating: each player was given half a game drawn with \
         an imaginary player of rating 0."
    } else {
        "Bradley-Terry, most likely ratings around the mean of all."
    };
    card("wide", "Ratings", &format!("{}<p class=\"note\">{note}</p>", table(&columns, &rows)))
}

/// Those who met.
pub(super) fn pairings(summary: &Summary) -> String {
    if summary.pairings.is_empty() {
        return String::new();
    }
    let name = |player: usize| escaped(&summary.info.players[player]);
    let tested = summary.info.sprt.is_some();
    let rows: Vec<Vec<String>> = summary
        .pairings
        .iter()
        .enumerate()
        .map(|(at, pairing)| {
            let key = |field: &str| format!("/pairings/{at}/{field}");
            let outcomes = &pairing.outcomes;
            let counts = [outcomes.wins, outcomes.draws, outcomes.losses].map(|n| n.to_string());
            let error = pairing.elo.error.map_or(String::new(), |error| format!("± {error:.0}"));
            let interval = pairing.score_interval;
            let mut row = vec![
                name(pairing.first),
                name(pairing.second),
                marked(&key("games"), &pairing.games.to_string()),
                counts.join(" / "),
                marked(&key("score"), &percent(pairing.score)),
                format!("{} – {}", percent(Some(interval.low)), percent(Some(interval.high))),
                format!("{} {error}", escaped(&elo_text(&pairing.elo))),
                marked(&key("los"), &percent(Some(pairing.los))),
                outcomes.pairs.map(|count| count.to_string()).join(" "),
            ];
            if let Some(sprt) = &pairing.sprt {
                row.push(marked(&key("sprt/llr"), &format!("{:.2}", sprt.llr)));
                row.push(escaped(&verdict_text(sprt)));
            }
            row
        })
        .collect();
    let mut columns = vec![
        words("First"),
        words("Second"),
        figures("Games"),
        figures("Won / drawn / lost"),
        figures("Score"),
        figures("Interval"),
        figures("Elo"),
        figures("Stronger"),
        figures("Pairs 0 ½ 1 1½ 2"),
    ];
    if tested {
        columns.extend([figures("LLR"), words("Test")]);
    }
    card("wide", "Pairings", &table(&columns, &rows))
}

/// What each player did.
pub(super) fn players(summary: &Summary) -> String {
    let rows: Vec<Vec<String>> = summary
        .players
        .iter()
        .enumerate()
        .map(|(at, player)| {
            let key = |field: &str| format!("/players/{at}/{field}");
            let sides = |counts: [u64; 3]| counts.map(|count| count.to_string()).join(" / ");
            let faults: u64 = player.faults.values().sum();
            vec![
                escaped(&player.name),
                marked(&key("games"), &player.games.to_string()),
                sides(player.as_black),
                sides(player.as_white),
                seconds(player.seconds.mean),
                seconds(player.seconds.most),
                mean(&player.simulations),
                player.saved.map_or_else(|| "–".to_owned(), |share| number(share, Unit::Percent)),
                if faults == 0 {
                    "0".to_owned()
                } else {
                    format!("<span class=\"warn\">{faults}</span>")
                },
            ]
        })
        .collect();
    let columns = [
        words("Player"),
        figures("Games"),
        figures("With Black"),
        figures("With White"),
        figures("Time a move"),
        figures("Longest"),
        figures("Simulations a move"),
        figures("Saved"),
        figures("Faults"),
    ];
    let note = "<p class=\"note\">With each colour: won / drawn / lost. Saved: the share of the planned time that \
                searches did not use.</p>";
    card("wide", "Players", &(table(&columns, &rows) + note))
}

fn seconds(time: Option<f64>) -> String {
    time.map_or_else(|| "–".to_owned(), |time| number(time, Unit::Seconds))
}

fn mean(spread: &Spread) -> String {
    spread.mean.map_or_else(|| "–".to_owned(), |mean| number(mean.round(), Unit::Plain))
}

/// How games ended, and who won.
pub(super) fn endings(summary: &Summary) -> String {
    let words_of = |reason: &str| match reason {
        "score" => "counted",
        "no-move" => "no legal move left",
        "resignation" => "resigned",
        "time" => "time overstepped",
        "illegal" => "illegal move",
        "crash" => "program ended",
        "hang" => "no answer",
        "length" => "too long, counted as it stood",
        _ => "does not count",
    };
    let rows: Vec<Vec<String>> = summary
        .reasons
        .iter()
        .map(|(reason, count)| {
            let count = marked(&format!("/reasons/{reason}"), &count.to_string());
            vec![words_of(reason).to_owned(), count]
        })
        .collect();
    let [black, draws, white] = summary.colours;
    let lengths = summary.lengths;
    let moves = lengths.mean.map_or_else(String::new, |mean| {
        let end = |end: Option<f64>| number(end.unwrap_or_default(), Unit::Plain);
        format!(" A game had {mean:.0} moves, {} to {}.", end(lengths.least), end(lengths.most))
    });
    let note = format!(
        "<p class=\"note\">Black won {}, White {}, {} drawn.{moves}</p>",
        marked("/colours/0", &black.to_string()),
        marked("/colours/2", &white.to_string()),
        marked("/colours/1", &draws.to_string()),
    );
    card("", "How games ended", &(table(&[words("Ending"), figures("Games")], &rows) + &note))
}

/// What went wrong, by whose fault.
pub(super) fn faults(summary: &Summary) -> String {
    // Beside the chart of the score where that stands alone.
    let class = if summary.players.len() == 2 && summary.info.sprt.is_none() { "" } else { "wide" };
    if summary.faults.is_empty() {
        return card(
            class,
            "Faults",
            "<p class=\"note\">None: nobody crashed, hung, was late or played an illegal move.</p>",
        );
    }
    let mut kinds: Vec<Vec<String>> = Vec::new();
    for (at, player) in summary.players.iter().enumerate() {
        for (kind, count) in &player.faults {
            // A kind may be any text, and a slash would be part of the way in the JSON.
            let key = kind.replace('~', "~0").replace('/', "~1");
            let key = escaped(&format!("/players/{at}/faults/{key}"));
            let count = marked(&key, &count.to_string());
            kinds.push(vec![escaped(&player.name), escaped(kind), count]);
        }
    }
    let columns = [words("Player"), words("Fault"), figures("Times")];
    let first = card(class, "Faults", &table(&columns, &kinds));
    let rows: Vec<Vec<String>> = summary
        .faults
        .iter()
        .take(ROWS)
        .map(|fault| {
            vec![
                fault.game.to_string(),
                escaped(&summary.info.players[fault.player]),
                escaped(&fault.kind),
                fault.ply.to_string(),
                escaped(&fault.detail),
            ]
        })
        .collect();
    let columns =
        [figures("Game"), words("Player"), words("Fault"), figures("Move"), words("Detail")];
    let list = details("Faults one by one", summary.faults.len(), &table(&columns, &rows));
    first + &list
}

/// All games, with links to their records.
pub(super) fn games(summary: &Summary) -> String {
    if summary.list.is_empty() {
        return String::new();
    }
    let name = |player: usize| escaped(&summary.info.players[player]);
    let rows: Vec<Vec<String>> = summary
        .list
        .iter()
        .take(ROWS)
        .map(|game| {
            let number_text = game.game.to_string();
            let link = game
                .sgf
                .as_ref()
                .map(|sgf| format!("<a href=\"{}\">{number_text}</a>", escaped(sgf)));
            vec![
                link.unwrap_or(number_text),
                name(game.black),
                name(game.white),
                escaped(&game.result),
                game.winner.map_or_else(|| "–".to_owned(), name),
                game.reason.to_owned(),
                game.plies.to_string(),
                number(game.seconds[0], Unit::Seconds),
                number(game.seconds[1], Unit::Seconds),
            ]
        })
        .collect();
    let columns = [
        figures("Game"),
        words("Black"),
        words("White"),
        words("Result"),
        words("Winner"),
        words("Ending"),
        figures("Moves"),
        figures("Black's time"),
        figures("White's time"),
    ];
    details("All games", summary.list.len(), &table(&columns, &rows))
}

/// A long table, folded.
fn details(title: &str, all: usize, table: &str) -> String {
    let more = all.saturating_sub(ROWS);
    let note = if more == 0 {
        String::new()
    } else {
        format!("<p class=\"note\">The first {ROWS}; {more} more are in summary.json.</p>")
    };
    format!(
        "<details class=\"card wide\"><summary>{title} ({all})</summary>{table}{note}</details>\n"
    )
}
