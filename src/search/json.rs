//! The whole report as one line of JSON, for programs that read everything.

use serde::{Serialize, Serializer};

use super::report::{Proof, SearchReport};
use crate::game::Color;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    criticality: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    playout_length: Option<f64>,
    moves: Vec<Candidate>,
    /// How much a network should learn to prefer each move.
    policy: Vec<(String, f32)>,
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

impl Serialize for SearchReport {
    /// Everything but the moves without visits. All but the ownership is for the side to move.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let size = self.size;
        let visited = self.moves.iter().filter(|root| root.visits > 0);
        let candidates = visited.map(|root| Candidate {
            mv: size.move_text(root.mv),
            visits: root.visits,
            winrate: rounded(root.value.win_rate()),
            lower_bound: rounded(root.lower_bound.win_rate()),
            deviation: rounded(root.deviation),
            score: root.score.map(rounded),
            prior: rounded(root.prior),
            proven: root.proven.map(word),
            pv: root.line.iter().map(|&(mv, _)| size.move_text(mv)).collect(),
            pv_visits: root.line.iter().map(|&(_, visits)| visits).collect(),
        });
        let known = self.ownership.samples() > 0;
        let owners = size.points().filter(|_| known).map(|p| self.ownership.of(Color::Black, p));
        let shares = self.policy.iter().map(|&(mv, share)| (mv, rounded(share)));
        let report = Report {
            width: size.width(),
            height: size.height(),
            color: self.color.to_string(),
            winrate: rounded(self.value.win_rate()),
            score: self.score.map(rounded),
            proven: self.proven.map(word),
            simulations: self.simulations,
            visits: self.visits,
            nodes: self.nodes,
            memory: self.memory,
            full: self.full,
            seconds: self.elapsed.as_secs_f64(),
            reason: self.reason.map(|reason| reason.to_string()),
            criticality: self.criticality.map(|kappa| (kappa * 1e4).round() / 1e4),
            playout_length: self.playout_length.map(|length| (length * 10.0).round() / 10.0),
            moves: candidates.collect(),
            policy: shares
                .filter(|&(_, share)| share > 0.0)
                .map(|(mv, share)| (size.move_text(mv), share))
                .collect(),
            ownership: owners.map(rounded).collect(),
        };
        report.serialize(serializer)
    }
}

/// Four digits are more than any of these numbers is worth.
fn rounded(value: f32) -> f32 {
    (value * 1e4).round() / 1e4
}

const fn word(proof: Proof) -> &'static str {
    match proof {
        Proof::Win => "win",
        Proof::Draw => "draw",
        Proof::Loss => "loss",
    }
}
