//! From a request for a move to its answer.

use std::time::Duration;

use tracing::{info, warn};

use super::choice::{self, Decision, End, Purpose};
use super::move_report::MoveReport;
use super::stopwatch::Stopwatch;
use super::timing::{LEAST, outcome};
use super::{Engine, Ticket, View};
use crate::eval::EvalError;
use crate::game::{Color, GameResult, Move};
use crate::search::{Request, SearchClock, SearchReport};
use crate::timeman::{DsMcts, Floor, Plan, Spent, TimeSystem};

/// The longest wait for the least simulations, on a real clock.
const FLOOR_TIME: Duration = Duration::from_millis(5);

/// What came of thinking about a move.
pub(super) struct Thought {
    pub(super) report: MoveReport,
    pub(super) choice: Option<Move>,
    plan: Plan,
    spent: Spent,
}

impl Engine {
    /// Thinks and plays: the move is on the board afterwards, and the clock has run.
    pub fn genmove(
        &mut self,
        color: Color,
        purpose: Purpose,
        ticket: &Ticket,
        view: View<'_>,
    ) -> Result<Decision, EvalError> {
        let watch = Stopwatch::start();
        let thought = self.think(color, (purpose, &watch), ticket, view)?;
        let Thought { mut report, choice, plan, spent } = thought;
        let decision = self.play_out(color, purpose, &report.search, choice);
        report.used = watch.elapsed();
        self.thought += report.used;
        let came = outcome(&report);
        if self.timing.settle(color, (&plan, &spent), &came) {
            warn!(%color, "out of time by the engine's own clock");
        }
        self.last_report = Some(report);
        self.write_down(color, decision);
        Ok(decision)
    }

    /// Makes the move that was chosen, or gives up.
    fn play_out(
        &mut self,
        color: Color,
        purpose: Purpose,
        report: &SearchReport,
        choice: Option<Move>,
    ) -> Decision {
        let position = self.state.position();
        let resignation = &mut self.resignation[color.index()];
        let lost = resignation.update(position, report, &self.params.play);
        let decision = match choice {
            Some(_) if lost && purpose == Purpose::Win => Decision::Resign,
            Some(mv) => Decision::Play(mv),
            None => Decision::Resign,
        };
        if let Decision::Play(mv) = decision {
            self.state.play_legal(color, mv);
            self.may_ponder = Some(color);
        } else {
            self.state.end(GameResult::Resignation(color.opponent()));
        }
        self.moved_for[color.index()] = true;
        decision
    }

    /// Searches for `color` within its time, which has begun to run, and chooses.
    pub(super) fn think(
        &mut self,
        color: Color,
        (purpose, watch): (Purpose, &Stopwatch),
        ticket: &Ticket,
        View { limits, owner_spreads, observer }: View<'_>,
    ) -> Result<Thought, EvalError> {
        let other = self.state.position_for(color);
        let position = other.as_deref().unwrap_or(self.state.position());
        let (plan, chain) = self.timing.plan(color, position);
        let mode = self.params.time.ds_mcts;
        let model = self.stop_model.as_ref().filter(|_| mode != DsMcts::Off);
        let is_virtual = self.timing.is_virtual();
        let simulations = self.params.time.least_simulations.into();
        let time = if is_virtual { Duration::MAX } else { FLOOR_TIME };
        let floor = Floor { simulations, time };
        let mut chain = chain
            .with_floor(floor)
            .estimated_by(model.and_then(|model| model.rule(position)), mode == DsMcts::Always)
            .interrupted_by(ticket.cancelled_after(floor));
        let simulations = self.timing.simulations(&plan, self.params.search.max_simulations);
        let mut end = End::new(position, &self.judge);
        let deadline = self.timing.deadline(&plan, simulations);
        let deadline = deadline.map(|deadline| end.prepare(purpose, watch, deadline).max(LEAST));
        let elapsed = || watch.elapsed();
        let line = self.state.line_to(position);
        let clock = if is_virtual { SearchClock::Simulations } else { SearchClock::Real(&elapsed) };
        let request = Request {
            clock,
            deadline,
            simulations,
            line: line.as_deref(),
            limits,
            owner_spreads,
            observer: observer.map(|one| one as _),
            ..Request::new(&mut chain, &elapsed)
        };
        let report = self.search.run(position, request)?;
        let spent = chain.spent();
        let choice = choice::choose(&end, &report, purpose);
        let time = Some(self.timing.account(color, (&plan, &spent), report.elapsed));
        let report = MoveReport { time, certainty: spent.certainty, ..report.into() };
        Ok(Thought { report, choice, plan, spent })
    }

    /// Writes down what happened, and how the clock stands now.
    fn write_down(&mut self, color: Color, what: Decision) {
        let Some(told) = &self.last_report else { return };
        let report = &told.search;
        let clock = *self.timing.clock(color);
        let time = told.time.as_ref().map(tracing::field::display);
        let reason = report.reason.map(tracing::field::display);
        let mv = what.text(report.size);
        let certainty = told.certainty.map(tracing::field::display);
        let simulations = report.simulations;
        info!(%color, mv, time, reason, certainty, simulations, %report, "move");
        if let (Decision::Play(_), Some(recorded)) = (what, self.state.last_recorded()) {
            recorded.comment = Some(if self.params.play.record_reports {
                format!("{report}\n{}", told.to_json())
            } else {
                report.to_string()
            });
            if clock.system() != TimeSystem::Unlimited {
                recorded.seconds_left = Some((clock.left().as_secs_f64() * 1e3).round() / 1e3);
                recorded.stones_left = (clock.overtime() > 0).then_some(clock.overtime());
            }
        }
    }
}
