//! The analysis of many positions. Whoever has a queue of searches need only replace [`analyse`].

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::eval::{EvalError, Evaluator};
use crate::game::{Color, Position};
use crate::judge::Judge;
use crate::search::{Request, Search, SearchParams, SearchReport};
use crate::timeman::{SearchProgress, SimulationLimit, Stop, StopReason};
use crate::util::Seed;

/// Candidates that are kept of a position, and moves of their lines.
const CANDIDATES: usize = 5;
const LINE: usize = 12;

/// Who searches positions.
pub struct Analyst<'a> {
    /// What is asked about positions.
    pub evaluator: Arc<dyn Evaluator>,
    /// How to search.
    pub params: SearchParams,
    /// The time since some moment.
    pub clock: &'a dyn Fn() -> Duration,
}

/// How much is spent on a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effort {
    /// So many simulations.
    Visits(u64),
    /// So much time.
    Time(Duration),
}

/// What was found of a position, all for Black.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Probability that Black wins, a draw counting half.
    pub win_rate: f64,
    /// Points that Black is ahead, if what evaluates knows.
    pub score: Option<f64>,
    /// Simulations of the search; 0 where the game is over.
    pub simulations: u64,
    /// Whether the result is certain.
    pub certain: bool,
    /// The best moves, best first.
    pub moves: Vec<Candidate>,
}

/// A move that was looked at, all for Black.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The move as GTP writes it.
    #[serde(rename = "move")]
    pub mv: String,
    /// Simulations that began with it.
    pub visits: u32,
    /// Probability that Black wins after it.
    pub win_rate: f64,
    /// Points that Black is ahead after it.
    pub score: Option<f64>,
    /// The line that begins with it.
    pub line: Vec<String>,
}

/// Never ends a search.
struct Endless;

impl Stop for Endless {
    fn should_stop(&mut self, _: &SearchProgress<'_>) -> Option<StopReason> {
        None
    }
}

/// Analyses positions in their order and hands each finding to `found` with the place of its position, until that
/// breaks. What is found of a position does not depend on the others.
pub fn analyse<E: From<EvalError>>(
    analyst: &Analyst<'_>,
    positions: &[(usize, &Position)],
    effort: Effort,
    found: &mut dyn FnMut(usize, Finding) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    for &(place, position) in positions {
        let finding = if position.is_over() {
            Finding::of_end(position)
        } else {
            Finding::of(&analyst.search(position, effort)?)
        };
        if found(place, finding)?.is_break() {
            break;
        }
    }
    Ok(())
}

impl Analyst<'_> {
    /// Searches a position.
    pub(super) fn search(
        &self,
        position: &Position,
        effort: Effort,
    ) -> Result<SearchReport, EvalError> {
        // One of its own: what was searched before changes nothing, so that work that was broken off ends alike.
        let seed = Seed::new(self.params.seed);
        let apart = self.evaluator.apart(position, seed);
        let evaluator = apart.map_or_else(|| Arc::clone(&self.evaluator), Arc::from);
        let mut search = Search::new(evaluator, self.params.clone(), seed);
        let begin = (self.clock)();
        let elapsed = || (self.clock)().saturating_sub(begin);
        match effort {
            Effort::Visits(visits) => {
                let mut limit = SimulationLimit(visits);
                let request = Request::new(&mut limit, &elapsed);
                search.run(position, Request { simulations: Some(visits), ..request })
            }
            Effort::Time(time) => {
                let mut endless = Endless;
                let request = Request::new(&mut endless, &elapsed);
                search.run(position, Request { deadline: Some(time), ..request })
            }
        }
    }
}

impl Finding {
    fn of(report: &SearchReport) -> Self {
        let black = |rate: f32| {
            let rate = f64::from(rate);
            rounded(if report.color == Color::Black { rate } else { 1.0 - rate })
        };
        let points = |score: Option<f32>| {
            let score = f64::from(score?);
            Some(rounded(if report.color == Color::Black { score } else { -score }))
        };
        let moves = report.moves.iter().filter(|mv| mv.visits > 0).take(CANDIDATES);
        let text = |mv| report.size.move_text(mv);
        let moves: Vec<_> = moves
            .map(|root| Candidate {
                mv: text(root.mv),
                visits: root.visits,
                win_rate: black(root.value.win_rate()),
                score: points(root.score),
                line: root.line.iter().take(LINE).map(|&(mv, _)| text(mv)).collect(),
            })
            .collect();
        // The root has tried bad moves too: what counts is where the best one leads.
        let best = moves.first();
        Self {
            win_rate: best.map_or_else(|| black(report.value.win_rate()), |best| best.win_rate),
            score: best.map_or_else(|| points(report.score), |best| best.score),
            simulations: report.simulations,
            certain: report.proven.is_some(),
            moves,
        }
    }

    /// What is known where the game is over.
    fn of_end(position: &Position) -> Self {
        let judgement = Judge::new().judge(position);
        let winner = position.winner(&judgement.dead);
        let win_rate = match winner {
            Some(Color::Black) => 1.0,
            Some(Color::White) => 0.0,
            None => 0.5,
        };
        let is_go = position.rules().game == crate::game::Game::Go;
        let score = is_go.then(|| judgement.score(position).points());
        Self { win_rate, score, simulations: 0, certain: true, moves: Vec::new() }
    }
}

/// Four digits are more than any of these numbers is worth.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::HashedEvaluator;
    use crate::game::{BoardSize, Komi, Move, Rules};

    #[test]
    fn findings_are_for_black_and_do_not_depend_on_each_other() {
        let size = BoardSize::square(5).unwrap();
        let start = Position::new(size, Rules::CHINESE, Komi::default());
        let mut next = start.clone();
        next.play(Color::Black, Move::Place(size.parse_point("C3").unwrap())).unwrap();
        let mut over = next.clone();
        over.play(Color::White, Move::Pass).unwrap();
        over.play(Color::Black, Move::Pass).unwrap();
        let analyst = Analyst {
            evaluator: Arc::new(HashedEvaluator),
            params: SearchParams { threads: 1, max_memory: 64, ..SearchParams::default() },
            clock: &|| Duration::ZERO,
        };
        let run = |positions: &[(usize, &Position)]| {
            let mut all = Vec::new();
            analyse::<EvalError>(&analyst, positions, Effort::Visits(200), &mut |place, found| {
                all.push((place, found));
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
            all
        };
        let all = run(&[(0, &start), (1, &next), (2, &over)]);
        assert_eq!(run(&[(1, &next)])[0], all[1]);
        let [(_, first), (_, second), (_, end)] = &all[..] else { unreachable!() };
        let report = analyst.search(&next, Effort::Visits(200)).unwrap();
        let white = f64::from(report.moves[0].value.win_rate());
        assert!((second.win_rate - (1.0 - white)).abs() < 1e-4, "White's value is turned");
        assert!(first.simulations == 200 && first.moves.len() == CANDIDATES && !first.certain);
        // A stone in the middle of 5x5 owns the board.
        assert_eq!((end.win_rate, end.score, end.certain), (1.0, Some(25.0), true));
    }
}
