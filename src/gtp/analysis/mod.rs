//! What a search has found, in the words of those who read it: one file for each format.

mod cgos;
mod kata;
mod lz;
mod raw;

use crate::game::BoardSize;
use crate::search::{RootMove, SearchReport};

pub(super) use cgos::cgos_line;
pub(super) use kata::kata_line;
pub(super) use lz::lz_line;
pub(super) use raw::{numbered, raw_block};

/// Which parts of a report are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "clients ask for each part by itself")]
pub struct Parts {
    /// Moves that are told of though they were never tried.
    pub min_moves: usize,
    /// Moves that are told of at most.
    pub max_moves: usize,
    /// The root.
    pub root_info: bool,
    /// The visits of the positions in the lines of play.
    pub pv_visits: bool,
    /// The visits of the moves in the lines of play.
    pub pv_edge_visits: bool,
    /// Who will own each point.
    pub ownership: bool,
    /// How far evaluations differ about it.
    pub ownership_stdev: bool,
    /// Who will own each point after each move.
    pub moves_ownership: bool,
    /// How far evaluations differ about that.
    pub moves_ownership_stdev: bool,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            min_moves: 0,
            max_moves: usize::MAX,
            root_info: false,
            pv_visits: false,
            pv_edge_visits: false,
            ownership: false,
            ownership_stdev: false,
            moves_ownership: false,
            moves_ownership_stdev: false,
        }
    }
}

impl Parts {
    /// Whether the search has to tell how far evaluations differ about owners, or owners after moves.
    pub(super) fn owner_spreads(&self) -> bool {
        self.ownership_stdev || self.moves_ownership || self.moves_ownership_stdev
    }

    /// The moves to tell of, best first.
    fn moves<'a>(&self, report: &'a SearchReport) -> impl Iterator<Item = &'a RootMove> + 'a {
        let (min, max) = (self.min_moves, self.max_moves);
        let tried = report.moves.iter().filter(|root| root.visits > 0);
        let untried = report.moves.iter().filter(|root| root.visits == 0);
        let count = tried.clone().count();
        tried.chain(untried.take(min.saturating_sub(count))).take(max)
    }

    /// ` pvVisits …` and ` pvEdgeVisits …`, as far as they are wanted. There is one number for
    /// both: positions that several lines of play lead to are not counted together.
    fn visits_of_line(&self, root: &RootMove) -> String {
        let visits: Vec<_> = match &root.line[..] {
            [] => vec![root.visits.to_string()],
            line => line.iter().map(|(_, visits)| visits.to_string()).collect(),
        };
        let wanted = [(self.pv_visits, "pvVisits"), (self.pv_edge_visits, "pvEdgeVisits")];
        let wanted = wanted.into_iter().filter(|(wanted, _)| *wanted);
        wanted.map(|(_, name)| [" ", name, " ", &visits.join(" ")].concat()).collect()
    }
}

/// The line of play that begins with a move, itself included.
fn line_of_play(size: BoardSize, root: &RootMove) -> Vec<String> {
    match &root.line[..] {
        [] => vec![size.move_text(root.mv)],
        line => line.iter().map(|&(mv, _)| size.move_text(mv)).collect(),
    }
}

/// What tests of formats write: Black to move on a board of 3x3, two moves tried and one not.
#[cfg(test)]
pub(super) fn sample_report() -> SearchReport {
    use crate::eval::{Ownership, Value};
    use crate::game::{Color, Move};
    use crate::search::Proof;
    use crate::timeman::StopReason;

    let size = BoardSize::square(3).unwrap();
    let mv = |text: &str| size.parse_move(text).unwrap();
    let root = |text: &str, visits, value: f32| RootMove {
        lower_bound: Value::new(value - 0.25),
        deviation: 0.5,
        prior: 0.125,
        ..RootMove::blank(mv(text), visits, Value::new(value))
    };
    let best = RootMove {
        score: Some(1.5),
        prior: 0.5,
        proven: Some(Proof::Win),
        line: vec![(mv("B2"), 30), (mv("A1"), 12), (Move::Pass, 3)],
        ..root("B2", 30, 0.25)
    };
    SearchReport {
        moves: vec![best, root("A3", 9, -1.0), root("pass", 0, 0.0)],
        value: Value::new(0.25),
        score: Some(1.25),
        ownership: Ownership::of_black(
            size,
            vec![1.0, 0.5, 0.0, -0.5, -1.0, 0.25, -0.25, 0.0, 0.125],
        ),
        simulations: 39,
        visits: 40,
        nodes: 50,
        memory: 4096,
        elapsed: std::time::Duration::from_millis(1500),
        reason: Some(StopReason::Simulations),
        ..SearchReport::blank(size, Color::Black)
    }
}

#[cfg(test)]
mod json_tests {
    use super::*;

    #[test]
    fn a_report_is_one_object_on_one_line() {
        let line = serde_json::to_string(&sample_report()).unwrap();
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
        assert_eq!(value["moves"].as_array().unwrap().len(), 2, "those with visits");
        assert_eq!(value["ownership"][0], 1.0);
        assert_eq!(value["ownership"].as_array().unwrap().len(), 9);
    }
}
