//! The whole report as one line of JSON, for programs that read everything.

use serde::Serialize;

use crate::game::Color;
use crate::search::{Proof, SearchReport};

#[derive(Serialize)]
struct Report {
    width: usize,
    height: usize,
    color: String,
    winrate: f32,
    score: Option<f32>,
    proven: Option<&'static str>,
    simulations: u64,
    visits: u64,
    nodes: u64,
    memory: u64,
    full: bool,
    seconds: f64,
    reason: Option<String>,
    moves: Vec<Candidate>,
    /// For Black, row by row from the top; empty if the evaluator does not say.
    ownership: Vec<f32>,
}

#[derive(Serialize)]
struct Candidate {
    #[serde(rename = "move")]
    mv: String,
    visits: u32,
    winrate: f32,
    lower_bound: f32,
    deviation: f32,
    score: Option<f32>,
    prior: f32,
    proven: Option<&'static str>,
    pv: Vec<String>,
    pv_visits: Vec<u32>,
}

/// Everything but the ownership is for the side to move.
pub(crate) fn json_line(report: &SearchReport) -> String {
    let size = report.size;
    let candidates = report.moves.iter().map(|root| Candidate {
        mv: size.move_text(root.mv),
        visits: root.visits,
        winrate: root.value.win_rate(),
        lower_bound: root.lower_bound.win_rate(),
        deviation: root.deviation,
        score: root.score,
        prior: root.prior,
        proven: root.proven.map(word),
        pv: root.line.iter().map(|&(mv, _)| size.move_text(mv)).collect(),
        pv_visits: root.line.iter().map(|&(_, visits)| visits).collect(),
    });
    let known = report.ownership.samples() > 0;
    let owners = size.points().filter(|_| known).map(|p| report.ownership.of(Color::Black, p));
    let report = Report {
        width: size.width(),
        height: size.height(),
        color: report.color.to_string(),
        winrate: report.value.win_rate(),
        score: report.score,
        proven: report.proven.map(word),
        simulations: report.simulations,
        visits: report.visits,
        nodes: report.nodes,
        memory: report.memory,
        full: report.full,
        seconds: report.elapsed.as_secs_f64(),
        reason: report.reason.map(|reason| reason.to_string()),
        moves: candidates.collect(),
        ownership: owners.collect(),
    };
    serde_json::to_string(&report).expect("invariant: numbers and words are JSON values")
}

const fn word(proof: Proof) -> &'static str {
    match proof {
        Proof::Win => "win",
        Proof::Draw => "draw",
        Proof::Loss => "loss",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::analysis::sample_report;

    #[test]
    fn a_report_is_one_object_on_one_line() {
        let line = json_line(&sample_report());
        assert!(!line.contains('\n'));
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["color"], "black");
        assert_eq!((&value["width"], &value["height"]), (&3.into(), &3.into()));
        assert_eq!(value["visits"], 40);
        assert_eq!(value["seconds"], 1.5);
        assert_eq!(value["reason"], "simulations");
        assert_eq!(value["moves"][0]["move"], "B2");
        assert_eq!(value["moves"][0]["proven"], "win");
        assert_eq!(value["moves"][0]["pv"], serde_json::json!(["B2", "A1", "pass"]));
        assert_eq!(value["moves"][0]["pv_visits"], serde_json::json!([30, 12, 3]));
        assert_eq!(value["moves"][1]["winrate"], 0.0);
        assert!(value["moves"][1]["score"].is_null());
        assert_eq!(value["moves"].as_array().unwrap().len(), 3);
        assert_eq!(value["ownership"][0], 1.0);
        assert_eq!(value["ownership"].as_array().unwrap().len(), 9);
    }
}
