//! What is answered.

use schemars::JsonSchema;
use serde::Serialize;

use super::hash::hashes;
use crate::analysis::params::Perspective;
use crate::analysis::query::Query;
use crate::analysis::worker::Found;
use crate::eval::{OwnerSpread, Ownership};
use crate::game::{BoardSize, Color, Game, KoRule, Move, Position};
use crate::search::{Proof, RootMove, SearchReport};

/// A field of a query is wrong, or a whole line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Complaint {
    /// Why the query is not answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The field that is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What may be wrong; the query is answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// The final answer about a position that was not searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoResults {
    /// Why it could not be searched; absent where it was terminated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The query.
    pub id: String,
    /// Always false.
    pub is_during_search: bool,
    /// Always true.
    pub no_results: bool,
    /// Moves before the position.
    pub turn_number: usize,
}

/// What is known of a position. Win rates, scores, utilities and owners are those of the player that
/// `reportAnalysisWinratesAs` names.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Analysis {
    /// The query.
    pub id: String,
    /// Whether the search goes on. Each position gets one answer where it does not.
    pub is_during_search: bool,
    /// The moves that were searched, best first.
    pub move_infos: Vec<MoveInfo>,
    /// The owner of each point at the end, row by row from the top, from -1 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ownership: Option<Vec<f64>>,
    /// Standard deviation of the owners over the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ownership_stdev: Option<Vec<f64>>,
    /// The probability of each point and, at the end, of a pass before any search; -1 for illegal moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Vec<f64>>,
    /// The position itself.
    pub root_info: RootInfo,
    /// Moves before the position.
    pub turn_number: usize,
}

/// What is known of a move.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoveInfo {
    /// Simulations that began with the move.
    pub edge_visits: u32,
    /// The same number.
    pub edge_weight: f64,
    /// The pessimistic end of the interval around the win rate.
    pub lcb: f64,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Probability that the game ends without a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_result_value: Option<f64>,
    /// The place of the move, from 0 for the best.
    pub order: usize,
    /// The owner of each point after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ownership: Option<Vec<f64>>,
    /// Standard deviation of the owners after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ownership_stdev: Option<Vec<f64>>,
    /// Visits, with those of the root on top for a proven win, and 0 for a proven loss.
    pub play_selection_value: f64,
    /// The evaluator's probability of the move.
    pub prior: f64,
    /// The most visited line of play from the move on.
    pub pv: Vec<String>,
    /// Visits of the moves of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pv_edge_visits: Option<Vec<u32>>,
    /// The same numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pv_visits: Option<Vec<u32>>,
    /// Expected score.
    #[serde(flatten)]
    pub score: Option<MoveScore>,
    /// Standard deviation of the score before any search, of the whole position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_stdev: Option<f64>,
    /// What the search maximises: from -1, a sure loss, to 1, a sure win.
    pub utility: f64,
    /// The pessimistic end of the interval around the utility.
    pub utility_lcb: f64,
    /// Simulations that began with the move.
    pub visits: u32,
    /// The same number.
    pub weight: f64,
    /// Expected share of games won.
    pub winrate: f64,
}

/// The expected score after a move, in points, by three names.
#[expect(clippy::struct_field_names, reason = "KataGo's names")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoveScore {
    /// Expected score.
    pub score_lead: f64,
    /// The same number.
    pub score_mean: f64,
    /// The same number.
    pub score_selfplay: f64,
}

/// What is known of a position, and what the evaluator says of it before any search (`raw…`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RootInfo {
    /// The player to move, `B` or `W`.
    pub current_player: char,
    /// The evaluator's score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_lead: Option<f64>,
    /// The evaluator's probability of no result.
    pub raw_no_result_prob: f64,
    /// The evaluator's mean score of games with itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_score_selfplay: Option<f64>,
    /// Its standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_score_selfplay_stdev: Option<f64>,
    /// -1: unknown, in KataGo's words.
    pub raw_st_score_error: f64,
    /// -0.5: unknown, in KataGo's words.
    pub raw_st_wr_error: f64,
    /// -1: unknown, in KataGo's words.
    pub raw_var_time_left: f64,
    /// The evaluator's win rate.
    pub raw_winrate: f64,
    /// Expected score in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_lead: Option<f64>,
    /// The same number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_selfplay: Option<f64>,
    /// Standard deviation of the score before any search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_stdev: Option<f64>,
    /// A name that all symmetric positions share.
    pub sym_hash: String,
    /// A name for the board, the player to move and the ko.
    pub this_hash: String,
    /// What the search maximises: from -1, a sure loss, to 1, a sure win.
    pub utility: f64,
    /// Simulations.
    pub visits: u64,
    /// The same number.
    pub weight: f64,
    /// Expected share of games won.
    pub winrate: f64,
}

/// What a client wants to be told, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) winrates: Perspective,
    pub(super) pv_length: usize,
    pub(super) policy: bool,
    pub(super) pv_visits: bool,
    pub(super) no_result: bool,
}

/// Numbers for the player to move, as the client wants them.
#[derive(Clone, Copy)]
struct View {
    color: Color,
    flipped: bool,
}

impl View {
    fn new(position: &Position, winrates: Perspective) -> Self {
        let mover = position.to_move();
        let color = match winrates {
            Perspective::Black => Color::Black,
            Perspective::White => Color::White,
            Perspective::SideToMove => mover,
        };
        Self { color, flipped: color != mover }
    }

    fn signed(self, number: f32) -> f64 {
        rounded(if self.flipped { -number } else { number })
    }

    fn rate(self, number: f32) -> f64 {
        rounded(if self.flipped { 1.0 - number } else { number })
    }

    fn owners(self, size: BoardSize, ownership: &Ownership) -> Option<Vec<f64>> {
        let owner = |point| rounded(ownership.of(self.color, point));
        (ownership.samples() > 0).then(|| size.points().map(owner).collect())
    }

    fn mean_owners(self, spread: &OwnerSpread) -> Vec<f64> {
        spread.size().points().map(|point| rounded(spread.mean(self.color, point))).collect()
    }
}

/// The standard deviation of the owner of each point.
fn deviations(spread: Option<&OwnerSpread>) -> Option<Vec<f64>> {
    let spread = spread.filter(|spread| spread.samples() > 0)?;
    Some(spread.size().points().map(|point| rounded(spread.deviation(point))).collect())
}

/// Six digits are more than any of these numbers is worth.
fn rounded(number: f32) -> f64 {
    // No negative zero.
    (f64::from(number) * 1e6).round() / 1e6 + 0.0
}

impl Form {
    /// What was found of a position of a query.
    pub(super) fn analysis(&self, query: &Query, turn: usize, found: &Found<'_>) -> Analysis {
        let Found { position, opinion, report } = *found;
        let view = View::new(position, self.winrates);
        let visited = report.moves.iter().filter(|mv| mv.visits > 0).enumerate();
        let deviation_of_score = opinion.score.map(|(_, deviation)| rounded(deviation));
        let rules = position.rules();
        let repeats = rules.game == Game::Go && rules.ko == KoRule::Simple;
        let no_result = if repeats { rounded(opinion.no_result) } else { 0.0 };
        Analysis {
            id: query.id.clone(),
            is_during_search: report.reason.is_none(),
            move_infos: visited
                .map(|(order, mv)| MoveInfo {
                    no_result_value: self.no_result.then_some(no_result),
                    score_stdev: mv.score.and(deviation_of_score),
                    ownership: mv
                        .owner_spread
                        .as_ref()
                        .filter(|_| query.owners.of_moves)
                        .map(|spread| view.mean_owners(spread)),
                    ownership_stdev: deviations(
                        mv.owner_spread.as_ref().filter(|_| query.owners.deviation_of_moves),
                    ),
                    ..self.move_info(report, view, (order, mv))
                })
                .collect(),
            ownership: view.owners(report.size, &report.ownership).filter(|_| query.owners.mean),
            ownership_stdev: deviations(
                report.owner_spread.as_ref().filter(|_| query.owners.deviation),
            ),
            policy: self.policy.then(|| policy(found)),
            root_info: root_info(found, view),
            turn_number: turn,
        }
    }

    fn move_info(
        &self,
        report: &SearchReport,
        view: View,
        (order, mv): (usize, &RootMove),
    ) -> MoveInfo {
        let line = &mv.line[..mv.line.len().min(self.pv_length + 1)];
        let visits_of_line = || line.iter().map(|&(_, visits)| visits).collect::<Vec<_>>();
        let visits = f64::from(mv.visits);
        MoveInfo {
            edge_visits: mv.visits,
            edge_weight: visits,
            lcb: view.rate(mv.lower_bound.win_rate()),
            mv: report.size.move_text(mv.mv),
            no_result_value: None,
            order,
            ownership: None,
            ownership_stdev: None,
            play_selection_value: match mv.proven {
                Some(Proof::Win) => visits + report.visits as f64,
                Some(Proof::Loss) => 0.0,
                Some(Proof::Draw) | None => visits,
            },
            prior: rounded(mv.prior),
            pv: line.iter().map(|&(mv, _)| report.size.move_text(mv)).collect(),
            pv_edge_visits: self.pv_visits.then(visits_of_line),
            pv_visits: self.pv_visits.then(visits_of_line),
            score: mv.score.map(|score| {
                let score = view.signed(score);
                MoveScore { score_lead: score, score_mean: score, score_selfplay: score }
            }),
            score_stdev: None,
            utility: view.signed(mv.value.get()),
            utility_lcb: view.signed(mv.lower_bound.get()),
            visits: mv.visits,
            weight: visits,
            winrate: view.rate(mv.value.win_rate()),
        }
    }
}

fn root_info(found: &Found<'_>, view: View) -> RootInfo {
    let Found { position, opinion, report } = *found;
    let said = &opinion.evaluation;
    let score = report.score.map(|score| view.signed(score));
    let deviation = opinion.score.map(|(_, deviation)| rounded(deviation));
    let (this_hash, sym_hash) = hashes(position);
    RootInfo {
        current_player: position.to_move().letter(),
        raw_lead: said.score.map(|score| view.signed(score)),
        raw_no_result_prob: rounded(opinion.no_result),
        raw_score_selfplay: opinion.score.map(|(mean, _)| view.signed(mean)),
        raw_score_selfplay_stdev: deviation,
        raw_st_score_error: -1.0,
        raw_st_wr_error: -0.5,
        raw_var_time_left: -1.0,
        raw_winrate: view.rate(said.value.win_rate()),
        score_lead: score,
        score_selfplay: score,
        score_stdev: score.and(deviation),
        sym_hash,
        this_hash,
        utility: view.signed(report.value.get()),
        visits: report.visits,
        weight: report.visits as f64,
        winrate: view.rate(report.value.win_rate()),
    }
}

/// The probability of each point and of a pass, -1 for what is illegal.
fn policy(found: &Found<'_>) -> Vec<f64> {
    let Found { position, opinion, .. } = *found;
    let size = position.size();
    let mut policy = vec![-1.0; size.area() + 1];
    for (mv, share) in opinion.evaluation.probabilities(position) {
        let at = match mv {
            Move::Place(point) => size.offset(point),
            Move::Pass => size.area(),
        };
        policy[at] = rounded(share);
    }
    policy
}
