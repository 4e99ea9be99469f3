//! How far moves overstep their hard deadline, from the question to the answer of the engine: the
//! choice of the move and its record included.
//!
//! `cargo bench --bench deadline`, with `-- --json` for one object that programs can read. A strategy
//! that wants more than there is plays on clocks of 40 to 120 ms, each move on a clock of its own.
#![expect(clippy::print_stdout, reason = "a report for people")]
#![allow(dead_code, reason = "the benchmarks share a module and use parts of it")]

mod measure;

use std::sync::Arc;
use std::time::Duration;

use measure::now;
use serde_json::json;
use tedomari::engine::{Decision, Engine, EngineParams, Purpose, Ticket, View};
use tedomari::eval::Evaluator;
use tedomari::nn::{NetEvaluator, NetShape, Orientation, random_weights};
use tedomari::playout::PlayoutEvaluator;
use tedomari::timeman::{StopReason, TimeSystem};
use tedomari::util::Seed;

const MOVES: u32 = 2000;

fn main() {
    let json = std::env::args().any(|argument| argument == "--json");
    let cases = ["playouts", "6x64"].map(|name| [1, 2].map(|threads| Case::measure(name, threads)));
    if json {
        let cases: Vec<_> = cases.iter().flatten().map(Case::json).collect();
        println!("{}", json!({ "moves": MOVES, "cases": cases }));
        return;
    }
    println!("ms over the hard deadline, {MOVES} moves each");
    println!("evaluator threads    median      99 %    99.9 %      most");
    cases.iter().flatten().for_each(Case::print);
}

/// How late the moves of an engine came, sorted; negative where one came in time.
struct Case {
    evaluator: &'static str,
    threads: usize,
    milliseconds: Vec<f64>,
}

impl Case {
    fn measure(name: &'static str, threads: usize) -> Self {
        let evaluator: Arc<dyn Evaluator> = if name == "playouts" {
            Arc::new(PlayoutEvaluator::new(Seed::new(1)))
        } else {
            let shape = NetShape::new(6, 64);
            let weights = random_weights(&shape, Seed::new(1));
            Arc::new(NetEvaluator::new(shape, weights, Orientation::ByHash))
        };
        let mut params = EngineParams::default();
        params.play.resign = false;
        params.search.threads = threads;
        params.search.max_memory = 1000;
        "OPEN f_opening=100".clone_into(&mut params.time.strategy);
        params.time.max_share = 1.0;
        let mut engine = Engine::new(params, evaluator);
        let mut milliseconds = Vec::new();
        for number in 0..MOVES {
            let main = Duration::from_millis(40 + u64::from(number % 81));
            engine.set_time_system(TimeSystem::Absolute { main });
            let color = engine.state().position().to_move();
            let begin = now();
            let decision = engine.genmove(color, Purpose::Win, &Ticket::unlimited(), View::none());
            let taken = begin.elapsed();
            let decision = decision.expect("these evaluators do not fail");
            let report = engine.last_report().expect("it has just searched");
            let late =
                matches!(report.search.reason, Some(StopReason::Deadline | StopReason::Time));
            if let (true, Some(time)) = (late, &report.time) {
                milliseconds.push(1e3 * (taken.as_secs_f64() - time.limit));
            }
            if decision == Decision::Resign || engine.state().position().is_over() {
                engine.new_game(engine.state().position().size());
            }
        }
        milliseconds.sort_by(f64::total_cmp);
        Self { evaluator: name, threads, milliseconds }
    }

    fn quantile(&self, thousandths: usize) -> f64 {
        self.milliseconds[(self.milliseconds.len() - 1) * thousandths / 1000]
    }

    fn print(&self) {
        let [median, high, higher, most] = [500, 990, 999, 1000].map(|part| self.quantile(part));
        println!(
            "{:9} {:7} {median:9.2} {high:9.2} {higher:9.2} {most:9.2}   {} moves to the end",
            self.evaluator,
            self.threads,
            self.milliseconds.len()
        );
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "evaluator": self.evaluator,
            "threads": self.threads,
            "searches": self.milliseconds.len(),
            "median": self.quantile(500),
            "p99": self.quantile(990),
            "p999": self.quantile(999),
            "most": self.quantile(1000),
        })
    }
}
