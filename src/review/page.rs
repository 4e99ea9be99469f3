//! The review as one page that needs nothing else.
//!
//! Numbers that stand in `review.json` too are marked with the way to them there (`data-key`), so that the two can be
//! compared. The board and the graphs are drawn by a script from the data in the page.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::sgf::{has_scores, name, score_text};
use super::{Grade, Phase, Player, Review, Turn};
use crate::chart::{Page, card, escaped, marked};
use crate::game::{Color, Position};

const STYLE: &str = include_str!("page/review.css");
const SCRIPT: &str = include_str!("page/review.js");

/// The page.
#[must_use]
pub fn page(review: &Review) -> String {
    let [black, white] = Color::BOTH.map(|color| player_name(review, color));
    let heading =
        format!(r#"{} <span class="vs">against</span> {}"#, escaped(&black), escaped(&white));
    let mut body = format!("<style>\n{STYLE}</style>\n<div class=\"review\">\n");
    body.push_str(&board_card());
    body.push_str("<div class=\"side\">\n");
    body.push_str(&graphs(review));
    body.push_str(&players(review));
    body.push_str(&worst(review));
    body.push_str("</div>\n</div>\n");
    let _ = writeln!(
        body,
        "<script type=\"application/json\" id=\"game\">{}</script>\n<script>\n{SCRIPT}</script>",
        data(review).to_string().replace('<', "\\u003c")
    );
    Page {
        title: &format!("{black} against {white}"),
        header: &format!("<h1>{heading}</h1>{}", facts(review)),
        body: &body,
        footer: "Win rates and scores are for Black, by the search before and after each move. A move is doubtful from 5\u{a0}% \
                 of the win rate or 2 points lost, a mistake from 10\u{a0}% or 4 points, a blunder from 20\u{a0}% or 8 points. Its accuracy \
                 is 100\u{a0}% if nothing is lost and halves with every 2 points, or 10\u{a0}% of the win rate where there are no points. \
                 The opening ends when 15\u{a0}% of the board have been played, the middle game at 45\u{a0}%. Made by \
                 <code>tedomari review</code>; the numbers are in <a href=\"review.json\">review.json</a>.",
    }
    .html()
}

fn player_name(review: &Review, color: Color) -> String {
    let player = &review.players[color.index()];
    match (&player.name, &player.rank) {
        (Some(name), Some(rank)) => format!("{name} {rank}"),
        (Some(name), None) => name.clone(),
        (None, _) => name(color).to_owned(),
    }
}

fn facts(review: &Review) -> String {
    let subject = &review.subject;
    let record = &subject.record;
    let mut parts = vec![subject.rules.game.to_string(), record.size.to_string().replace('x', "×")];
    if let Some(rules) = subject.rules.name().filter(|_| has_scores(review)) {
        parts.push(format!("{} rules", escaped(rules)));
        parts.push(format!("komi {}", marked("/komi", &subject.komi.to_string())));
    }
    if record.handicap >= 2 {
        parts.push(format!("handicap {}", record.handicap));
    }
    parts.push(format!("{} moves", record.moves.len()));
    parts.extend(
        record.result.map(|result| format!("result {}", marked("/result", &result.to_string()))),
    );
    let texts = [&record.event, &record.date];
    parts.extend(texts.into_iter().flatten().map(|text| escaped(text)));
    parts.push(format!("{}, {}", escaped(&subject.evaluator), escaped(&subject.effort)));
    format!("<p class=\"facts\">{}</p>", parts.join(" · "))
}

fn board_card() -> String {
    let button = |go: &str, label: &str, sign: &str| {
        format!(
            r#"<button type="button" data-step="{go}" aria-label="{label}" title="{label}">{sign}</button>"#
        )
    };
    let buttons = [
        button("first", "To the beginning (Home)", "|◀"),
        button("worse", "To the mistake before (Page Up)", "◂!"),
        button("-1", "One move back (arrow left)", "◀"),
        button("1", "One move on (arrow right)", "▶"),
        button("better", "To the next mistake (Page Down)", "!▸"),
        button("last", "To the end (End)", "▶|"),
    ]
    .concat();
    let inside = format!(
        "<noscript><p class=\"warn\">The board and the graphs need JavaScript.</p></noscript>\
         <div id=\"board\" tabindex=\"0\" role=\"img\" aria-label=\"The board\"></div>\
         <div class=\"steps\">{buttons}</div>\
         <div id=\"said\" aria-live=\"polite\"></div><div id=\"choices\"></div>"
    );
    format!("<section class=\"card boardcard\">{inside}</section>\n")
}

fn graphs(review: &Review) -> String {
    let mut inside =
        "<p class=\"note\">Black's win rate</p><div class=\"graph\" data-graph=\"rate\"></div>"
            .to_owned();
    if has_scores(review) {
        inside.push_str("<p class=\"note\">Points that Black is ahead</p><div class=\"graph\" data-graph=\"score\"></div>");
    }
    if review.turns.iter().any(|turn| turn.seconds.is_some()) {
        inside.push_str("<p class=\"note\">Seconds for each move</p><div class=\"graph\" data-graph=\"time\"></div>");
    }
    card("", "The game", &inside)
}

/// A share in percent that stands in the JSON, or a dash.
fn percent(key: &str, share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| marked(key, &format!("{:.0} %", 100.0 * share)))
}

/// How both players played, side by side.
fn players(review: &Review) -> String {
    let both = |row: &dyn Fn(&str, &Player) -> String| {
        let cell = |(side, player): (&str, &Player)| {
            format!("<td>{}</td>", row(&format!("/players/{side}"), player))
        };
        ["black", "white"].into_iter().zip(&review.players).map(cell).collect::<String>()
    };
    let mut rows = vec![(
        "Accuracy".to_owned(),
        both(&|key, player| percent(&format!("{key}/accuracy"), player.accuracy)),
    )];
    for (at, phase) in Phase::ALL.into_iter().enumerate() {
        let share = both(&|key, player| {
            percent(&format!("{key}/accuracy_by_phase/{at}"), player.accuracy_by_phase[at])
        });
        rows.push((format!("– {}", phase.name().to_lowercase()), share));
    }
    if has_scores(review) {
        let points = both(&|key, player| {
            let key = format!("{key}/points_lost");
            player
                .points_lost
                .map_or_else(|| "–".to_owned(), |lost| marked(&key, &format!("{lost:.2}")))
        });
        rows.push(("Points lost in a move".to_owned(), points));
    }
    rows.push((
        "Win rate lost in a move".to_owned(),
        both(&|key, player| {
            let key = format!("{key}/win_rate_lost");
            player.win_rate_lost.map_or_else(
                || "–".to_owned(),
                |lost| marked(&key, &format!("{:.1} %", 100.0 * lost)),
            )
        }),
    ));
    rows.push((
        "First choices".to_owned(),
        both(&|key, player| percent(&format!("{key}/first_choices"), player.first_choices)),
    ));
    for (at, word) in ["Doubtful moves", "Mistakes", "Blunders"].into_iter().enumerate() {
        let count = both(&|key, player| {
            marked(&format!("{key}/grades/{at}"), &player.grades[at].to_string())
        });
        rows.push((word.to_owned(), count));
    }
    rows.push((
        "Moves".to_owned(),
        both(&|key, player| marked(&format!("{key}/moves"), &player.moves.to_string())),
    ));
    if review.players.iter().any(|player| player.seconds.is_some()) {
        let time = both(&|key, player| {
            let key = format!("{key}/seconds");
            player
                .seconds
                .map_or_else(|| "–".to_owned(), |seconds| marked(&key, &format!("{seconds:.0} s")))
        });
        rows.push(("Time".to_owned(), time));
    }
    let row =
        |(name, cells): (String, String)| format!("<tr><td class=\"t\">{name}</td>{cells}</tr>");
    let rows = rows.into_iter().map(row).collect::<Vec<_>>().concat();
    let heads = Color::BOTH.map(|color| {
        format!(
            "<th><span class=\"stone {}\"></span>{}</th>",
            name(color).to_lowercase(),
            name(color)
        )
    });
    card(
        "",
        "The players",
        &format!(
            "<div class=\"scroll\"><table><thead><tr><th></th>{}</tr></thead><tbody>{rows}</tbody></table></div>",
            heads.concat()
        ),
    )
}

/// The moves that lost most, with what was better.
fn worst(review: &Review) -> String {
    if review.worst.is_empty() {
        return card(
            "",
            "Moves that lost most",
            "<p class=\"note\">No move lost more than 5 % of the win rate or 2 points.</p>",
        );
    }
    let scores = has_scores(review);
    let row = |(rank, &place): (usize, &usize)| {
        let turn: &Turn = &review.turns[place];
        let number = marked(&format!("/worst/{rank}"), &turn.number.to_string());
        let key = format!("/moves/{place}/loss");
        let rate =
            marked(&format!("{key}/win_rate"), &format!("{:.1} %", 100.0 * turn.loss.win_rate));
        let points = turn.loss.points.filter(|_| scores).map_or_else(String::new, |points| {
            format!("<td>{}</td>", marked(&format!("{key}/points"), &format!("{points:.1}")))
        });
        let better = review.findings[place].moves.iter().find(|candidate| candidate.mv != turn.mv);
        let line = better.map_or_else(
            || "–".to_owned(),
            |better| {
                let rest = better.line.get(1..).unwrap_or_default().join(" ");
                format!("{} <span class=\"more\">{}</span>", escaped(&better.mv), escaped(&rest))
            },
        );
        format!(
            "<tr><td class=\"t\"><button type=\"button\" class=\"go\" data-go=\"{}\">{number}</button> \
             <span class=\"stone {}\"></span>{} <small class=\"{}\">{}</small></td><td>{rate}</td>{points}\
             <td class=\"t long\">{line}</td></tr>",
            turn.number,
            name(turn.color).to_lowercase(),
            escaped(&turn.mv),
            grade_word(turn.grade),
            grade_word(turn.grade),
        )
    };
    let rows: String = review.worst.iter().enumerate().map(row).collect();
    let points = if scores { "<th>points</th>" } else { "" };
    let table = format!(
        "<div class=\"scroll\"><table class=\"worst\"><thead><tr><th class=\"t\">move</th><th>win rate</th>{points}\
         <th class=\"t\">better</th></tr></thead><tbody>{rows}</tbody></table></div>"
    );
    card("", "Moves that lost most", &table)
}

const fn grade_word(grade: Grade) -> &'static str {
    match grade {
        Grade::Good => "good",
        Grade::Doubtful => "doubtful",
        Grade::Mistake => "mistake",
        Grade::Blunder => "blunder",
    }
}

/// What the script draws.
fn data(review: &Review) -> Value {
    let size = review.subject.record.size;
    let turns: Vec<_> = review
        .turns
        .iter()
        .map(|turn| {
            json!({
                "color": turn.color.to_string(), "move": turn.mv, "grade": turn.grade,
                "rate": turn.loss.win_rate, "points": turn.loss.points, "seconds": turn.seconds,
            })
        })
        .collect();
    let findings = review.findings.iter().map(|finding| {
        json!({
            "rate": finding.win_rate, "score": finding.score,
            "text": finding.score.map(score_text),
            "moves": finding.moves.iter().map(|candidate| json!({
                "move": candidate.mv, "rate": candidate.win_rate, "text": candidate.score.map(score_text),
                "visits": candidate.visits, "line": candidate.line,
            })).collect::<Vec<_>>(),
        })
    });
    json!({
        "width": size.width(),
        "height": size.height(),
        "scores": has_scores(review),
        "boards": review.positions.iter().map(stones).collect::<Vec<_>>(),
        "to_move": review.positions.iter().map(|position| position.to_move().to_string()).collect::<Vec<_>>(),
        "moves": turns,
        "positions": findings.collect::<Vec<_>>(),
    })
}

/// The stones in reading order, a letter for each point.
fn stones(position: &Position) -> String {
    let letter = |point| match position.board().stone(point) {
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
        None => '.',
    };
    position.size().points().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::game::tests::review;

    #[test]
    fn the_page_holds_the_game_and_no_markup_of_the_record() {
        let page = page(&review());
        assert!(page.contains("a &lt;b&gt;") && !page.contains("a <b>"));
        assert!(page.contains(r#"data-key="/moves/1/loss/points">2.5<"#), "{page}");
        assert!(page.contains(r#"<button type="button" class="go" data-go="2">"#));
        let data = page.split("id=\"game\">").nth(1).unwrap().split("</script>").next().unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["boards"][1].as_str().unwrap().len(), 25);
        assert_eq!(data["boards"][1].as_str().unwrap().matches('X').count(), 1);
        assert_eq!(data["to_move"][1], "white");
        assert!(!page.contains("http://") && !page.contains("https://"), "it needs nothing else");
    }
}
