//! A study as one page that needs nothing else.
//!
//! Numbers that stand in `study.json` too are marked with the way to them there (`data-key`).

use std::fmt::Write;

use super::chart::chart;
use super::curves::{Curve, Split};
use super::metrics::{Estimate, NAMES};
use super::study::{Assessed, Study};
use tedomari::chart::{Page, card, escaped, marked};

/// The study as a page.
#[must_use]
pub fn study_page(study: &Study) -> String {
    let mut body = format!("<p class=\"facts\">{}</p>\n", escaped(&study.source));
    body.push_str("<div class=\"grid two\">\n");
    body.push_str(&metrics(study));
    body.push_str(&gains(study));
    body.push_str(&winners(study));
    body.push_str(&totals(study));
    for row in &study.rows {
        for family in row.families() {
            body.push_str(&conditioned(row, family));
        }
    }
    body.push_str("</div>\n");
    Page {
        title: "Evaluation curves",
        header: "<h1>Evaluation curves</h1>",
        body: &body,
        footer: "Intervals are of 95 %.",
    }
    .html()
}

fn metrics(study: &Study) -> String {
    let mut table =
        "<div class=\"scroll\"><table class=\"metrics\"><thead><tr><th class=\"t\">evaluator</th>\
                     <th>positions</th><th>won by Black</th>"
            .to_owned();
    for name in NAMES {
        let _ = write!(table, "<th>{}</th>", name.to_uppercase());
    }
    table.push_str("</tr></thead><tbody>");
    for (number, row) in study.rows.iter().enumerate() {
        let at = format!("/rows/{number}/metrics");
        let _ = write!(
            table,
            "<tr><td class=\"t\">{}</td><td>{}</td><td>{}</td>",
            escaped(&row.evaluator),
            marked(&format!("{at}/positions"), &row.metrics.positions.to_string()),
            marked(&format!("{at}/black_won"), &format!("{:.3}", row.metrics.black_won)),
        );
        for (name, score) in NAMES.iter().zip(&row.metrics.scores) {
            let part = |field: &str, number: f64| {
                marked(&format!("{at}/scores/{name}/{field}"), &format!("{number:.3}"))
            };
            let cell = score.map_or_else(
                || "–".to_owned(),
                |score| {
                    format!(
                        "{} <small>{} to {}</small>",
                        part("value", score.value),
                        part("low", score.interval.low),
                        part("high", score.interval.high)
                    )
                },
            );
            let _ = write!(table, "<td>{cell}</td>");
        }
        table.push_str("</tr>");
        if let Some(paper) = row.paper {
            table.push_str(
                "<tr class=\"note\"><td class=\"t\">the paper</td><td>111946</td><td>0.547</td>",
            );
            for (index, score) in paper.iter().enumerate() {
                let score =
                    marked(&format!("/rows/{number}/paper/{index}"), &format!("{score:.3}"));
                let _ = write!(table, "<td>{score}</td>");
            }
            table.push_str("</tr>");
        }
    }
    table.push_str("</tbody></table></div>");
    table.push_str(
        "<p class=\"note\">Takeuchi, Kaneko and Yamaguchi's Table I. The metrics depend on the \
         positions: the paper's are of other games.</p>",
    );
    card("wide", "Metrics", &table)
}

fn gains(study: &Study) -> String {
    if study.gains.is_empty() {
        return String::new();
    }
    let mut table = "<div class=\"scroll\"><table><thead><tr><th class=\"t\">evaluator</th><th class=\"t\">over</th>\
                     <th>positions</th><th>ACC</th><th>the paper</th></tr></thead><tbody>"
        .to_owned();
    for (number, gain) in study.gains.iter().enumerate() {
        let at = format!("/gains/{number}");
        let part = |field: &str, number: f64| {
            marked(&format!("{at}/acc/{field}"), &format!("{number:.3}"))
        };
        let Estimate { value, interval } = gain.acc;
        let _ = write!(
            table,
            "<tr><td class=\"t\">{}</td><td class=\"t\">{}</td><td>{}</td><td>{} <small>{} to {}</small></td><td>{}</td></tr>",
            escaped(&gain.to),
            escaped(&gain.from),
            marked(&format!("{at}/positions"), &gain.positions.to_string()),
            part("value", value),
            part("low", interval.low),
            part("high", interval.high),
            gain.paper.map_or_else(
                || "–".to_owned(),
                |paper| marked(&format!("{at}/paper"), &format!("{paper:.3}"))
            ),
        );
    }
    table.push_str("</tbody></table></div>");
    table.push_str(
        "<p class=\"note\">How much higher the accuracy is with more playouts, or of the next better \
         kind, on the positions that both have seen.</p>",
    );
    card("wide", "More playouts, better kinds", &table)
}

fn winners(study: &Study) -> String {
    let mut table = "<div class=\"scroll\"><table><thead><tr><th>komi</th><th>rules</th>\
                     <th>Black won</th><th>Black lost</th></tr></thead><tbody>"
        .to_owned();
    for (number, row) in study.winners.iter().enumerate() {
        let at = format!("/winners/{number}");
        let _ = write!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            row.komi,
            escaped(&row.rules),
            marked(&format!("{at}/black_won"), &row.black_won.to_string()),
            marked(&format!("{at}/white_won"), &row.white_won.to_string()),
        );
    }
    table.push_str("</tbody></table></div>");
    card("", "Winners of the games", &table)
}

/// The curves of all positions, those of one scale together.
fn totals(study: &Study) -> String {
    let mut cards = String::new();
    let mut scales: Vec<_> = study.rows.iter().map(|row| row.scale).collect();
    scales.dedup();
    for (number, scale) in scales.iter().enumerate() {
        if scales[..number].contains(scale) {
            continue;
        }
        let rows = study.rows.iter().filter(|row| row.scale == *scale);
        let curves: Vec<(String, &Curve)> =
            rows.map(|row| (row.evaluator.clone(), &row.total)).collect();
        let chart = chart("All positions", *scale, None, &curves);
        cards.push_str(&card("wide", "All positions", &chart.figure()));
    }
    cards
}

fn conditioned(row: &Assessed, family: &str) -> String {
    let mut curves = Vec::new();
    let mut list = "<ul class=\"note\">".to_owned();
    for some in row.conditioned.iter().filter(|c| c.family == family) {
        let _ =
            write!(list, "<li>{}: {} positions", escaped(&some.condition), some.curve.positions);
        if let Some(Split { shift, shift_errors, apart, apart_errors }) = some.split {
            let _ = write!(
                list,
                ", {shift:+.3} from all ({shift_errors:+.1} standard errors), apart {apart:.3} \
                 ({apart_errors:+.1})"
            );
        }
        list.push_str("</li>");
        if !some.curve.bins.is_empty() {
            curves.push((some.condition.clone(), &some.curve));
        }
    }
    list.push_str("</ul>");
    let title = format!("{} by {family}", row.evaluator);
    let chart = chart(&title, row.scale, Some(&row.total), &curves);
    card("", &title, &(chart.figure() + &list))
}
