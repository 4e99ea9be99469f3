//! What the Computer Go Server keeps with a move: one line of JSON.

use serde::Serialize;

use super::{Parts, line_of_play};
use crate::search::SearchReport;

/// Moves that are told of.
const MAX_MOVES: usize = 20;

#[derive(Serialize)]
struct Analysis {
    winrate: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    visits: u64,
    moves: Vec<Candidate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership: Option<String>,
}

#[derive(Serialize)]
struct Candidate {
    #[serde(rename = "move")]
    mv: String,
    winrate: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    visits: u32,
    prior: f32,
    pv: String,
}

/// All for the side to move. A line of play begins with the answer to the move.
pub(crate) fn cgos_line(report: &SearchReport) -> String {
    let parts = Parts { max_moves: MAX_MOVES, ..Parts::default() };
    let candidates = parts.moves(report).map(|root| Candidate {
        mv: report.size.move_text(root.mv),
        winrate: root.value.win_rate(),
        score: root.score,
        visits: root.visits,
        prior: root.prior,
        pv: line_of_play(report.size, root)[1..].join(" "),
    });
    let known = report.ownership.samples() > 0;
    let owner = |point| letter(report.ownership.of(report.color, point));
    let analysis = Analysis {
        winrate: report.value.win_rate(),
        score: report.score,
        visits: report.visits,
        moves: candidates.collect(),
        ownership: known.then(|| report.size.points().map(owner).collect()),
    };
    serde_json::to_string(&analysis).expect("invariant: numbers and words are JSON values")
}

/// One of 63 letters for a number from -1 to 1.
fn letter(owner: f32) -> char {
    const LETTERS: &[u8; 63] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 62")]
    let number = (f32::midpoint(owner.clamp(-1.0, 1.0), 1.0) * 62.0).round() as usize;
    LETTERS[number] as char
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::analysis::sample_report;

    #[test]
    fn the_server_gets_one_object() {
        assert_eq!(
            cgos_line(&sample_report()),
            "{\"winrate\":0.625,\"score\":1.25,\"visits\":40,\"moves\":[\
             {\"move\":\"B2\",\"winrate\":0.625,\"score\":1.5,\"visits\":30,\"prior\":0.5,\
             \"pv\":\"A1 pass\"},\
             {\"move\":\"A3\",\"winrate\":0.0,\"visits\":9,\"prior\":0.125,\"pv\":\"\"}],\
             \"ownership\":\"+vfQAnXfj\"}"
        );
    }

    #[test]
    fn letters_are_those_of_the_server() {
        assert_eq!([-2.0, -1.0, 0.0, 1.0, 2.0].map(letter), ['A', 'A', 'f', '+', '+']);
    }
}
