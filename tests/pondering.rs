//! Thinking on the opponent's time, and what the next search makes of it.

use std::cell::Cell;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rand::Rng as _;

use tedomari::engine::{Decision, Engine, EngineParams, Purpose, Ticket, Tickets, View};
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
        .genmove(color, Purpose::Win, &Ticket::unlimited(), View::none())
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
    let reply = engine.last_report().unwrap().search.moves[0].line[1].0;
    engine.state_mut().play(Color::White, reply).unwrap();
    assert_eq!(ponder(&mut engine, 100), 0, "it is the engine's turn");
    genmove(&mut engine, Color::Black);
    let report = engine.last_report().unwrap();
    assert_eq!(report.search.simulations, 300);
    assert!(report.search.visits > 350, "{} visits", report.search.visits);
}

#[test]
fn the_number_of_simulations_is_for_moves_and_not_for_pondering() {
    let mut engine = engine(true);
    genmove(&mut engine, Color::Black);
    ponder(&mut engine, 3000);
    // The same position goes on with the same tree.
    engine.suggest(Color::White, &Ticket::unlimited(), View::none()).expect("playouts do not fail");
    let report = engine.last_report().expect("it has just searched");
    assert_eq!(report.search.simulations, 300);
    assert!(report.search.visits > 3000, "{} visits", report.search.visits);
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
    let line = engine.last_report().unwrap().search.moves[0].line.clone();
    engine.state_mut().play(Color::White, line[1].0).unwrap();
    engine.state_mut().undo(1).unwrap();
    engine.state_mut().play(Color::White, line[1].0).unwrap();
    genmove(&mut engine, Color::Black);
    let report = engine.last_report().unwrap();
    assert_eq!(report.search.visits, 300 + u64::from(line[1].1));
}

/// Moves, undos, replies that were foreseen and others, pondering of any length, and searches that
/// are cancelled at any moment: no visit is lost or counted twice, and no move is illegal.
#[test]
fn thousands_of_short_searches_keep_their_counts() {
    let mut params = EngineParams::default();
    params.play.ponder = true;
    params.play.resign = false;
    params.game.board_size = 5;
    params.search = SearchParams { threads: 3, batch: 2, max_simulations: 150, ..params.search };
    let mut engine = Engine::new(params, Arc::new(PlayoutEvaluator::new(Seed::new(1))));
    let mut rng = Seed::new(9).rng();
    let mut reused = 0;
    for round in 0..2000 {
        let color = engine.state().position().to_move();
        let tickets = Tickets::default();
        let ticket = tickets.ticket(0);
        let decision = thread::scope(|scope| {
            if round % 3 == 0 {
                let pause = Duration::from_micros(u64::from(rng.next_u32() % 500));
                scope.spawn(move || {
                    thread::sleep(pause);
                    tickets.cancel_all();
                });
            }
            engine.genmove(color, Purpose::Win, &ticket, View::none())
        });
        let Ok(Decision::Play(played)) = decision else { panic!("round {round}: {decision:?}") };
        let report = engine.last_report().expect("it has just searched").clone();
        let below: u64 = report.search.moves.iter().map(|found| u64::from(found.visits)).sum();
        assert_eq!(report.search.visits, below + 1, "round {round}");
        reused += u64::from(report.search.visits > report.search.simulations + 1);
        let pondered = ponder(&mut engine, rng.next_u32() % 40);
        let state = engine.state_mut();
        if state.position().is_over() || state.position().move_count() > 60 {
            engine.new_game(engine.state().position().size());
            continue;
        }
        assert!(pondered > 0, "round {round}: the opponent is to move");
        let found = report.search.moves.iter().find(|found| found.mv == played);
        let foreseen = found.and_then(|found| found.line.get(1)).map(|step| step.0);
        let legal: Vec<_> = state.position().legal_points(color.opponent()).collect();
        let any = legal.get(rng.next_u32() as usize % legal.len().max(1)).copied();
        match (rng.next_u32() % 4, foreseen, any) {
            (0, _, _) => state.undo(1).expect("a move was just made"),
            (1 | 2, Some(reply), _) => {
                state.play(color.opponent(), reply).expect("a searched move is legal");
            }
            (_, _, Some(point)) => {
                state.play(color.opponent(), Move::Place(point)).expect("a legal move");
            }
            _ => state.play(color.opponent(), Move::Pass).expect("a pass is legal"),
        }
        if engine.state().position().is_over() {
            engine.new_game(engine.state().position().size());
        }
    }
    assert!(reused > 200, "{reused} searches began with what was known");
}
