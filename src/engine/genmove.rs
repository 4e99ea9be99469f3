//! From the question for a move to the answer.

use std::time::Duration;

use tracing::{info, warn};

use super::choice::{self, Decision, End, Purpose};
use super::early::Early;
use super::limit::{AtLeast, Limit, MoveRules};
use super::stopwatch::Stopwatch;
use super::thought::{Brief, Thought};
use super::timing::{LEAST, Planned, outcome};
use super::{Engine, Ticket, View, run};
use crate::eval::EvalError;
use crate::game::{Color, GameResult};
use crate::timeman::{Outcome, TimeSystem};

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
        let mut thought = self.think(color, (purpose, &watch), ticket, view)?;
        let report = &mut thought.report;
        report.time = Some(self.timing.account(color, &thought.planned, report.elapsed));
        let decision = self.play_out(color, purpose, &thought);
        self.settle(color, &thought.planned, &outcome(&thought.report), &watch);
        self.last_report = Some(thought.report);
        self.write_down(color, decision);
        Ok(decision)
    }

    /// The same for who wants to know little of it, and neither looks at reports nor at the record: after
    /// a search of a few simulations all that would take longer than the search.
    pub fn genmove_briefly(
        &mut self,
        color: Color,
        purpose: Purpose,
        ticket: &Ticket,
    ) -> Result<Brief, EvalError> {
        let watch = Stopwatch::start();
        let thought = self.think(color, (purpose, &watch), ticket, View::none())?;
        let decision = self.play_out(color, purpose, &thought);
        let Thought { report, planned, .. } = thought;
        let came = outcome(&report);
        let (simulations, win_rate) = (report.simulations, report.value.win_rate());
        // The next search, whoever makes it, finds its memory near.
        drop(report);
        let plan = &planned.plan;
        let allotted = plan.expected.map(|_| plan.budget.planned.as_secs_f64());
        let used = self.settle(color, &planned, &came, &watch);
        let mv = decision.text(self.state.position().size());
        info!(%color, mv, simulations, "move");
        Ok(Brief { decision, simulations, reason: came.reason, allotted, win_rate, used })
    }

    /// Makes the move that was thought of, or gives up.
    fn play_out(&mut self, color: Color, purpose: Purpose, thought: &Thought) -> Decision {
        let position = self.state.position();
        let resignation = &mut self.resignation[color.index()];
        let lost = resignation.update(position, &thought.report, &self.params.play);
        let decision = match thought.choice {
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

    /// Takes the time since the question off the clock, and returns it.
    fn settle(
        &mut self,
        color: Color,
        planned: &Planned,
        outcome: &Outcome,
        watch: &Stopwatch,
    ) -> Duration {
        let used = watch.elapsed();
        self.thought += used;
        if self.timing.settle(color, planned, used, outcome) {
            warn!(%color, "out of time by the engine's own clock");
        }
        used
    }

    /// Searches for `color` within its time, which has begun to run, and chooses.
    pub(super) fn think(
        &mut self,
        color: Color,
        (purpose, watch): (Purpose, &Stopwatch),
        ticket: &Ticket,
        view: View<'_>,
    ) -> Result<Thought, EvalError> {
        let other = self.state.position_for(color);
        let position = other.as_deref().unwrap_or(self.state.position());
        let mut planned = self.timing.plan(color, position);
        let mode = self.params.time.ds_mcts.as_str();
        let mut early = Early::of(self.watcher.as_ref(), position, planned.plan.budget, mode);
        let virtual_time = self.timing.is_virtual();
        let simulations =
            self.timing.simulations(&planned.plan, self.params.search.max_simulations);
        let mut end = End::new(position, &self.judge);
        let deadline = self.timing.deadline(&planned.plan, simulations);
        let deadline = deadline.map(|deadline| end.prepare(purpose, watch, deadline).max(LEAST));
        let mut rules = MoveRules {
            ticket,
            early: &mut early,
            thinking: AtLeast { rule: &mut planned.thinking, virtual_time },
        };
        let limit = Limit { rule: &mut rules, simulations, deadline, virtual_time };
        let line = self.state.line_to(position);
        let mut report = run(&mut self.search, (position, line.as_deref()), limit, watch, view)?;
        report.certainty = early.certainty();
        let choice = choice::choose(&end, &report, purpose);
        Ok(Thought { report, choice, planned })
    }

    /// Writes down what happened, and how the clock stands now.
    fn write_down(&mut self, color: Color, what: Decision) {
        let Some(report) = &self.last_report else { return };
        let clock = *self.timing.clock(color);
        let time = report.time.as_ref().map(tracing::field::display);
        let reason = report.reason.map(tracing::field::display);
        let mv = what.text(report.size);
        let certainty = report.certainty.map(tracing::field::display);
        let simulations = report.simulations;
        info!(%color, mv, time, reason, certainty, simulations, %report, "move");
        if let (Decision::Play(_), Some(recorded)) = (what, self.state.last_recorded()) {
            recorded.comment = Some(if self.params.play.record_reports {
                format!("{report}\n{}", report.to_json())
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::EngineParams;
    use crate::eval::HashedEvaluator;
    use crate::game::{BoardSize, Komi, Rules};

    fn engine(clock: bool) -> Engine {
        let mut params = EngineParams::default();
        params.search.threads = 1;
        params.search.max_simulations = 60;
        params.time.seconds_per_move = 1000.0;
        let mut engine = Engine::new(params, Arc::new(HashedEvaluator));
        engine.start(BoardSize::square(5).unwrap(), Rules::CGOS, Komi::default());
        if clock {
            engine.set_time_system(TimeSystem::Absolute { main: Duration::from_secs(2000) });
            engine.count_simulations_as_time();
        }
        engine
    }

    /// Whoever wants to know little gets the same moves, and what he is told is what the report says.
    #[test]
    fn brief_answers_are_the_same() {
        for clock in [false, true] {
            let (mut full, mut brief) = (engine(clock), engine(clock));
            let ticket = Ticket::unlimited();
            for number in 0..30 {
                if full.state().position().is_over() {
                    break;
                }
                let color = full.state().position().to_move();
                let decision = full.genmove(color, Purpose::Win, &ticket, View::none()).unwrap();
                let told = brief.genmove_briefly(color, Purpose::Win, &ticket).unwrap();
                let report = full.last_report().unwrap();
                assert_eq!(told.decision, decision, "move {number}");
                assert_eq!(told.simulations, report.simulations);
                assert_eq!(told.reason, report.reason);
                assert!((told.win_rate - report.value.win_rate()).abs() < f32::EPSILON);
                let time = report.time.as_ref().unwrap();
                assert_eq!(told.allotted, clock.then_some(time.allotted));
                assert_eq!(brief.clock(color), full.clock(color));
                assert!(told.used > Duration::ZERO && told.used <= brief.thought());
                assert_eq!(full.state().position().hash(), brief.state().position().hash());
                assert!(brief.last_report().is_none());
                if decision == Decision::Resign {
                    break;
                }
            }
            assert!(full.state().position().move_count() >= 10);
        }
    }
}
