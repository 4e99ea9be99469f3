//! A number that changes when the search does.

use std::sync::Arc;
use std::time::Duration;

use rand::Rng as _;

use super::params::{SearchParams, Selection};
use super::request::Request;
use super::run::Search;
use crate::eval::{EvalError, HashedEvaluator};
use crate::game::{BoardSize, Komi, Move, Position, Rules};
use crate::timeman::SimulationLimit;
use crate::util::Seed;

/// Simulations in each position.
const SIMULATIONS: u64 = 2000;

/// Searches fixed positions with one thread and the hashed evaluator, and mixes the visits of all
/// moves into one number: the same on every machine as long as rules and search do the same.
pub fn signature() -> Result<u64, EvalError> {
    let cases = [
        (9, 9, Rules::CHINESE, 0),
        (9, 9, Rules::CGOS, 30),
        (9, 9, Rules::NOGO, 20),
        (7, 5, Rules::TROMP_TAYLOR, 12),
        (13, 13, Rules::JAPANESE, 60),
        (19, 19, Rules::AGA, 120),
    ];
    let params = SearchParams { threads: 1, formula: Selection::Puct, ..SearchParams::default() };
    let mut signature = 0u64;
    for (index, (width, height, rules, moves)) in (0..).zip(cases) {
        let seed = Seed::new(1).fork("signature", index);
        let position = random_position(width, height, rules, moves, seed);
        let mut search = Search::new(Arc::new(HashedEvaluator), params.clone(), seed);
        let mut limit = SimulationLimit(SIMULATIONS);
        let report = search.run(&position, Request::new(&mut limit, &|| Duration::ZERO))?;
        let mut visits: Vec<_> = report.moves.iter().map(|mv| (mv.mv, mv.visits)).collect();
        visits.sort_unstable();
        for (_, visits) in visits {
            signature =
                (signature.rotate_left(7) ^ u64::from(visits)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }
    Ok(signature)
}

/// A position after a number of random legal moves.
fn random_position(width: usize, height: usize, rules: Rules, moves: u32, seed: Seed) -> Position {
    let size = BoardSize::new(width, height).expect("invariant: the sizes above are legal");
    let komi = Komi::from_points(6.5).expect("invariant: a multiple of a half");
    let mut position = Position::new(size, rules, komi);
    let mut rng = seed.fork("moves", 0).rng();
    for _ in 0..moves {
        let color = position.to_move();
        let mut legal: Vec<_> = position.legal_points(color).collect();
        legal.sort_unstable();
        if legal.is_empty() {
            break;
        }
        let choice = rng.next_u32() as usize % legal.len();
        position.play(color, Move::Place(legal[choice])).expect("invariant: the move is legal");
    }
    position
}
