//! The time manager at work: real searches with and without rules, whole games on a clock of
//! simulations, and a slow evaluator against a deadline.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tedomari::engine::{Decision, Engine, EngineParams, Purpose, Ticket, View};
use tedomari::eval::{EvalError, Evaluation, Evaluator, HashedEvaluator, UniformEvaluator};
use tedomari::game::{BoardSize, Color, Move, Position};
use tedomari::playout::PlayoutEvaluator;
use tedomari::search::SearchReport;
use tedomari::timeman::{EarlyStopping, StopReason, TimeSystem};
use tedomari::util::Seed;

fn params(strategy: &str) -> EngineParams {
    let mut params = EngineParams::default();
    params.search.threads = 1;
    params.play.resign = false;
    strategy.clone_into(&mut params.time.strategy);
    params
}

fn genmove(engine: &mut Engine, color: Color) -> Decision {
    engine.genmove(color, Purpose::Win, &Ticket::unlimited(), View::none()).unwrap()
}

/// A search of 400 simulations for the move of White, after Black's first move.
fn reply(strategy: &str, first: Move, hashed: bool) -> SearchReport {
    let mut params = params(strategy);
    params.time.early_stop = EarlyStopping::Always;
    params.time.seconds_per_move = 600.0;
    params.search.max_simulations = 400;
    params.search.c_puct = 0.6;
    params.game.board_size = 5;
    let evaluator: Arc<dyn Evaluator> = if hashed {
        Arc::new(HashedEvaluator)
    } else {
        Arc::new(PlayoutEvaluator::new(Seed::new(4)))
    };
    let mut engine = Engine::new(params, evaluator);
    engine.state_mut().play(Color::Black, first).unwrap();
    genmove(&mut engine, Color::White);
    engine.last_report().unwrap().search.clone()
}

#[test]
fn safe_stopping_changes_no_move_of_a_real_search() {
    let size = BoardSize::square(5).unwrap();
    let mut stopped = 0;
    for (k, point) in size.points().enumerate() {
        let hashed = k % 2 == 0;
        let whole = reply("EXP-STONES", Move::Place(point), hashed);
        assert_eq!((whole.simulations, whole.reason), (400, Some(StopReason::Simulations)));
        for strategy in ["STOP_A", "STOP_B"] {
            let early = reply(strategy, Move::Place(point), hashed);
            let shown = size.move_text(Move::Place(point));
            assert_eq!(early.best().unwrap().mv, whole.best().unwrap().mv, "after {shown}");
            assert!(early.simulations > 200, "after {shown}: {}", early.simulations);
            stopped += u32::from(early.reason == Some(StopReason::CannotChange));
        }
    }
    assert!(stopped > 0, "no search was stopped early");
}

/// A game of an engine with itself on clocks of so many simulations.
fn virtual_game(strategy: &str, ticks: u64) -> (Vec<Move>, [Duration; 2]) {
    let mut params = params(strategy);
    params.game.board_size = 5;
    params.game.komi = 24.0;
    params.time.simulations_as_time = true;
    let mut engine = Engine::new(params, Arc::new(PlayoutEvaluator::new(Seed::new(9))));
    engine.set_time_system(TimeSystem::Absolute { main: Duration::from_secs(ticks) });
    let mut color = Color::Black;
    while !engine.state().position().is_over() && engine.state().position().move_count() < 150 {
        let before = engine.clock(color).left();
        genmove(&mut engine, color);
        let report = engine.last_report().unwrap();
        let after = engine.clock(color).left();
        assert!(!engine.clock(color).is_out_of_time(), "{strategy}: {report}");
        let used = before.saturating_sub(after);
        assert_eq!(used, Duration::from_secs(report.search.simulations), "{strategy}");
        color = color.opponent();
    }
    let moves = engine.state().record().moves.iter().map(|recorded| recorded.mv).collect();
    (moves, Color::BOTH.map(|color| engine.clock(color).left()))
}

#[test]
fn games_on_a_clock_of_simulations_repeat_and_never_overstep() {
    for strategy in ["tedomari", "ERICA-BASELINE", "KAPPA-CM", "STOP", "EXP-SIM", "RANDOM+KLD"] {
        let first = virtual_game(strategy, 3000);
        assert_eq!(virtual_game(strategy, 3000), first, "{strategy}");
    }
    // A clock that is too short for any plan.
    virtual_game("OPEN", 40);
}

/// An evaluator whose every answer takes a while.
struct Slow(Duration);

impl Evaluator for Slow {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        thread::sleep(self.0);
        UniformEvaluator.evaluate(batch)
    }
}

#[test]
fn slow_evaluations_are_part_of_the_margin() {
    let mut params = params("OPEN f_opening=100");
    params.time.lag_ms = 100;
    params.time.max_share = 1.0;
    params.search.threads = 2;
    // Fifty simulations, the fewest of a search, would take more than what there is. Half a second of
    // it is kept for the moves to come.
    let mut engine = Engine::new(params, Arc::new(Slow(Duration::from_millis(100))));
    engine.set_time_system(TimeSystem::Absolute { main: Duration::from_secs(2) });
    genmove(&mut engine, Color::Black);
    assert!(!engine.clock(Color::Black).is_out_of_time());
    let report = engine.last_report().unwrap();
    let reason = report.search.reason.unwrap();
    assert!(matches!(reason, StopReason::Deadline | StopReason::Time), "{reason}");
    assert!(report.search.elapsed > Duration::from_millis(600), "{report}");
}

#[test]
fn every_move_explains_itself() {
    let mut engine = Engine::new(params("STOP"), Arc::new(PlayoutEvaluator::new(Seed::new(1))));
    engine.set_time_system(TimeSystem::Absolute { main: Duration::from_secs(2) });
    genmove(&mut engine, Color::Black);
    let report = engine.last_report().unwrap();
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    let time = &json["time"];
    assert_eq!(time["strategy"], "STOP");
    assert_eq!(time["parameters"], "f_earlystop=2.5 p_earlystop=0.4");
    let number = |key: &str| time[key].as_f64().unwrap();
    assert!(number("used") > 0.0 && number("allotted") <= number("limit"));
    assert!((number("allotted") + number("extended") - number("used")) <= number("saved") + 1e-9);
    assert!(json["criticality"].as_f64().is_some() && json["playout_length"].as_f64().is_some());
    let record = engine.state().record();
    let comment = record.moves[0].comment.as_ref().unwrap();
    assert_eq!(*comment, engine.last_report().unwrap().to_string());
    let reason = json["reason"].as_str().unwrap();
    assert!(comment.contains(&format!("({reason})")), "{comment}");
    assert!(record.moves[0].seconds_left.is_some());
}
