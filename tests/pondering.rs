//! Thinking on the opponent's time, and what the next search makes of it.

use std::cell::Cell;
use std::sync::Arc;

use tedomari::engine::{Decision, Engine, EngineParams, Purpose, Ticket, View};
use tedomari::game::{Color, Move};
use tedomari::playout::PlayoutEvaluator;
use tedomari::search::SearchParams;
use tedomari::util::Seed;

fn engine(ponder: bool) -> Engine {
    let mut params = EngineParams::default();
    params.play.ponder = ponder;
    params.game.board_size = 5;
    params.search = SearchParams { threads: 1, max_simulations: 300, ..params.search };
    Engine::new(params, Arc::new(PlayoutEvaluator::new(Seed::new(1))))
}

fn genmove(engine: &mut Engine, color: Color) -> Move {
    match engine
        .genmove(color, Purpose::Win, &Ticket::unlimited(), View::none(&mut ()))
        .expect("playouts do not fail")
    {
        Decision::Play(mv) => mv,
        Decision::Resign => panic!("resigned in the opening"),
    }
}

/// Ponders until it has been asked so many times whether something else is wanted.
fn ponder(engine: &mut Engine, checks: u32) -> u32 {
    let asked = Cell::new(0);
    engine.ponder(&|| {
        asked.set(asked.get() + 1);
        asked.get() > checks
    });
    asked.get()
}

#[test]
fn what_was_pondered_is_used() {
    let mut engine = engine(true);
    assert_eq!(ponder(&mut engine, 100), 0, "before an own move there is nothing to ponder");
    genmove(&mut engine, Color::Black);
    assert!(ponder(&mut engine, 3000) > 3000);
    let reply = engine.last_report().unwrap().moves[0].line[1].0;
    engine.state_mut().play(Color::White, reply).unwrap();
    assert_eq!(ponder(&mut engine, 100), 0, "it is the engine's turn");
    genmove(&mut engine, Color::Black);
    let report = engine.last_report().unwrap();
    assert_eq!(report.simulations, 300);
    assert!(report.visits > 350, "{} visits", report.visits);
}

#[test]
fn the_number_of_simulations_is_for_moves_and_not_for_pondering() {
    let mut engine = engine(true);
    genmove(&mut engine, Color::Black);
    ponder(&mut engine, 3000);
    // The same position goes on with the same tree.
    let mut nobody = ();
    let view = View::none(&mut nobody);
    engine.suggest(Color::White, &Ticket::unlimited(), view).expect("playouts do not fail");
    let report = engine.last_report().expect("it has just searched");
    assert_eq!(report.simulations, 300);
    assert!(report.visits > 3000, "{} visits", report.visits);
}

#[test]
fn pondering_is_off_unless_asked_for() {
    let mut engine = engine(false);
    genmove(&mut engine, Color::Black);
    assert_eq!(ponder(&mut engine, 10), 0);
}

#[test]
fn the_tree_of_the_last_search_is_used_without_pondering_too() {
    let mut engine = engine(false);
    genmove(&mut engine, Color::Black);
    let line = engine.last_report().unwrap().moves[0].line.clone();
    engine.state_mut().play(Color::White, line[1].0).unwrap();
    engine.state_mut().undo(1).unwrap();
    engine.state_mut().play(Color::White, line[1].0).unwrap();
    genmove(&mut engine, Color::Black);
    let report = engine.last_report().unwrap();
    assert_eq!(report.visits, 300 + u64::from(line[1].1));
}
