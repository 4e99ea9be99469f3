use std::sync::LazyLock;

use super::*;
use crate::eval::LastMoveEvaluator;
use crate::game::{BoardSize, Komi, Move, Rules};

fn research(params: &UncertaintyParams) -> Research<'_> {
    static SEARCH: LazyLock<SearchParams> = LazyLock::new(SearchParams::default);
    Research { net: &LastMoveEvaluator, params, search: &SEARCH }
}

#[test]
fn positions_are_searched_alike_whatever_is_searched_beside_them() {
    let size = BoardSize::square(5).unwrap();
    let mut position = Position::new(size, Rules::NOGO, Komi::default());
    let mut positions = vec![position.clone()];
    for point in [0, 6, 12, 3] {
        let mv = Move::Place(size.point_at_offset(point).unwrap());
        position.play(position.to_move(), mv).unwrap();
        positions.push(position.clone());
    }
    let run = |together, threads, positions: &[Position]| {
        let params = UncertaintyParams { simulations: 60, together, threads, ..Default::default() };
        let stop = AtomicBool::new(false);
        research(&params).run(positions, &stop, &|| {}).unwrap().unwrap()
    };
    let back: Vec<_> = positions.iter().rev().cloned().collect();
    let alone = run(1, 1, &positions);
    assert_eq!(alone, run(8, 2, &positions));
    let mut turned = run(2, 1, &back);
    turned.reverse();
    assert_eq!(alone, turned);
    assert!(alone.iter().flatten().all(|trace| trace.simulations() == 60));
    assert!(alone.iter().flatten().count() >= 4);
    let stop = AtomicBool::new(true);
    let params = UncertaintyParams::default();
    assert_eq!(research(&params).run(&positions, &stop, &|| {}).unwrap(), None);
}

#[test]
fn settings_of_the_search_were_ignored() {
    let size = BoardSize::square(5).unwrap();
    let position = Position::new(size, Rules::NOGO, Komi::default());
    let params = UncertaintyParams { simulations: 60, ..Default::default() };
    let found = |exploration| {
        let search = SearchParams { exploration, ..SearchParams::default() };
        let research = Research { search: &search, ..research(&params) };
        let stop = AtomicBool::new(false);
        research.run(std::slice::from_ref(&position), &stop, &|| {}).unwrap().unwrap()
    };
    assert_ne!(found(0.05), found(5.0));
}
