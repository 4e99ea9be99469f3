//! Searches the empty 9x9 board for 10,000 simulations and prints the report.
//!
//! Run it with `cargo run --release --example search`.

use std::sync::Arc;
use std::time::Duration;

use tedomari::game::{BoardSize, Komi, Position, Rules};
use tedomari::playout::PlayoutEvaluator;
use tedomari::search::{Request, Search, SearchParams};
use tedomari::timeman::SimulationLimit;
use tedomari::util::Seed;

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let position = Position::new(BoardSize::square(9)?, Rules::CHINESE, Komi::from_points(7.0)?);
    let evaluator = Arc::new(PlayoutEvaluator::new(Seed::new(1)));
    let params = SearchParams::default();
    let mut search = Search::new(evaluator, params, Seed::new(2));
    let mut limit = SimulationLimit(10_000);
    let report = search.run(&position, Request::new(&mut limit, &|| Duration::ZERO))?;
    println!("{report}");
    for candidate in report.moves.iter().take(5) {
        let vertex = position.size().move_text(candidate.mv);
        println!("{vertex:>4} {:>6} visits", candidate.visits);
    }
    Ok(())
}
