//! Searches within limits, and what is told of owners where it is asked for.

use super::*;
use crate::eval::Ownership;
use crate::search::{Limit, LimitKind, Limits};
use LimitKind::{Allow, Avoid};

fn limits(size: BoardSize, all: &[(LimitKind, Color, &str, u32)]) -> Limits {
    let limit = |&(kind, player, moves, until_depth): &(_, _, &str, _)| {
        let moves = moves.split(' ').map(|text| size.parse_move(text).unwrap()).collect();
        Limit { player, moves, until_depth, kind }
    };
    all.iter().map(limit).collect()
}

/// Searches with a line and within limits.
fn run_within(
    search: &mut Search,
    position: &Position,
    line: &Line,
    limits: &Limits,
    simulations: u64,
) -> SearchReport {
    let mut limit = SimulationLimit(simulations);
    let elapsed = || Duration::ZERO;
    let request =
        Request { line: Some(line), limits: limits.clone(), ..Request::new(&mut limit, &elapsed) };
    search.run(position, request).unwrap()
}

/// The moves that the last search has written down: of the root, and of all positions after a move.
fn written(search: &Search) -> (Vec<Move>, Vec<Vec<Move>>) {
    let tree = kept(search);
    let moves = |block: super::super::super::tree::Block<'_>| {
        (0..block.len()).map(|index| block.edge(index).mv).collect::<Vec<_>>()
    };
    let root = tree.moves(tree.root()).unwrap();
    let replies = (0..root.created()).filter_map(|index| tree.moves(root.child(index)).map(moves));
    (moves(root), replies.collect())
}

#[test]
fn only_allowed_moves_are_considered() {
    let position = empty(5, Rules::CHINESE);
    let size = position.size();
    let limits = limits(size, &[(Allow, Color::Black, "A1 C3", 1)]);
    for params in [params(1), SearchParams { noise: 0.25, ..params(1) }] {
        let mut search = search(HashedPriors, params);
        let report = run_within(&mut search, &position, &start(&position), &limits, 300);
        let mut moves: Vec<_> = report.moves.iter().map(|mv| size.move_text(mv.mv)).collect();
        moves.sort_unstable();
        assert_eq!(moves, ["A1", "C3"]);
        assert_eq!(report.moves.iter().map(|mv| mv.visits).sum::<u32>(), 299);
    }
}

#[test]
fn a_limit_of_the_second_ply_changes_the_answers_alone() {
    let position = empty(5, Rules::CHINESE);
    let size = position.size();
    for on_demand in [false, true] {
        let new = || {
            if on_demand {
                // Its moves are written down when they are wanted.
                search(UniformEvaluator, params(1))
            } else {
                search(HashedPriors, params(1))
            }
        };
        let (mut free, mut within) = (new(), new());
        let line = start(&position);
        let limits = limits(size, &[(Avoid, Color::White, "C3 D4 pass", 2)]);
        run_line(&mut free, &position, &line, 3000);
        let report = run_within(&mut within, &position, &line, &limits, 3000);
        let (own, replies) = written(&within);
        assert_eq!(own, written(&free).0, "Black's first moves are free");
        let avoided = ["C3", "D4", "pass"].map(|text| size.parse_move(text).unwrap());
        assert!(replies.len() > 1 && replies.iter().all(|moves| !moves.is_empty()));
        assert!(replies.iter().flatten().all(|mv| !avoided.contains(mv)));
        assert!(written(&free).1.iter().flatten().any(|mv| avoided.contains(mv)));
        assert!(
            report.moves.iter().all(|mv| mv.line.len() < 2 || !avoided.contains(&mv.line[1].0))
        );
        check_tree(kept(&within));
        // White's next move is free: a tree of it has the moves.
        let tree = kept(&within);
        let mut later = Vec::new();
        let mut waiting = vec![(tree.root(), 0)];
        while let Some((id, ply)) = waiting.pop() {
            let Some(block) = tree.moves(id) else { continue };
            if ply == 3 {
                later.extend((0..block.len()).map(|index| block.edge(index).mv));
            }
            waiting.extend((0..block.created()).map(|index| (block.child(index), ply + 1)));
        }
        assert!(avoided.iter().all(|mv| later.contains(mv)));
    }
}

#[test]
fn a_tree_that_was_grown_within_other_limits_is_not_searched_on() {
    let position = empty(5, Rules::CHINESE);
    let line = start(&position);
    let mut search = search(HashedPriors, params(1));
    let [none, first, reply] =
        [&[][..], &[(Avoid, Color::Black, "C3", 1)], &[(Avoid, Color::White, "C3", 2)]]
            .map(|all| limits(position.size(), all));
    let mut visits =
        |within: &Limits| run_within(&mut search, &position, &line, within, 100).visits;
    assert_eq!([visits(&none), visits(&none)], [100, 200]);
    assert_eq!([visits(&first), visits(&first)], [100, 200]);
    assert_eq!([visits(&reply), visits(&reply)], [100, 200]);
    assert_eq!([visits(&none), visits(&first)], [100, 100]);
    // The first move was limited alone: what is below it was grown without limits.
    let best = run_within(&mut search, &position, &line, &first, 2000).moves[0].clone();
    let mut after = position.clone();
    after.play(Color::Black, best.mv).unwrap();
    let there =
        Line { moves: vec![(Color::Black, best.mv)], to_move: Color::White, ..line.clone() };
    let next = run_within(&mut search, &after, &there, &none, 1);
    assert_eq!(next.visits, u64::from(best.visits) + 1);
    // The answer is limited: the tree goes on within what is left of the limit only.
    for (within, reused) in [(&none, false), (&reply, true)] {
        let best = run_within(&mut search, &position, &line, &reply, 2000).moves[0].clone();
        let mut after = position.clone();
        after.play(Color::Black, best.mv).unwrap();
        let moves = vec![(Color::Black, best.mv)];
        let there = Line { moves, to_move: Color::White, ..line.clone() };
        let next = run_within(&mut search, &after, &there, within, 1);
        assert_eq!(next.visits > 1, reused);
    }
}

#[test]
fn searches_within_limits_repeat_exactly() {
    let position = empty(7, Rules::CHINESE);
    let size = position.size();
    let within =
        limits(size, &[(Avoid, Color::Black, "D4", 3), (Allow, Color::White, "A1 B1 C1", 4)]);
    let run_once = |threads| {
        let mut search = search(HashedPriors, params(threads));
        let report = run_within(&mut search, &position, &start(&position), &within, 1000);
        let (own, replies) = written(&search);
        assert!(own.len() == 49 && replies.iter().all(|moves| moves.len() <= 3));
        check_tree(kept(&search));
        report.moves
    };
    assert_eq!(run_once(1), run_once(1));
    run_once(4);
}

#[test]
fn a_position_without_an_allowed_move_is_judged_as_it_stands() {
    let position = empty(5, Rules::CHINESE);
    let within = limits(position.size(), &[(Allow, Color::White, "C3", 2)]);
    let mut search = search(HashedPriors, params(1));
    let report = run_within(&mut search, &position, &start(&position), &within, 500);
    // After Black's own move there White has none.
    let there = report.moves.iter().find(|mv| position.size().move_text(mv.mv) == "C3").unwrap();
    assert!(there.visits > 0 && there.line.len() == 1);
    assert_eq!(report.simulations, 500);
    check_tree(kept(&search));
}

#[test]
fn a_win_by_a_move_that_is_not_allowed_is_no_proof() {
    let position = empty(3, Rules::NOGO);
    let mut search = search(HashedEvaluator, params(1));
    let first = run_line(&mut search, &position, &start(&position), 100_000);
    assert_eq!(first.proven, Some(Proof::Win));
    let winning = position.size().move_text(first.moves[0].mv);
    let within = limits(position.size(), &[(Avoid, Color::Black, &winning, 1)]);
    let second = run_within(&mut search, &position, &start(&position), &within, 10);
    assert_eq!((second.proven, second.simulations), (None, 10), "{second}");
    assert!(second.moves.iter().all(|found| found.proven.is_none()));
}

/// Says owners that are drawn from the hash of the position, and remembers what it said after which first move.
#[derive(Default)]
struct Owners(Arc<std::sync::Mutex<Vec<Said>>>);

/// The first move, and the owners that were said.
type Said = (Option<Move>, Vec<f32>);

impl Evaluator for Owners {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let mut answers = HashedPriors.evaluate(batch)?;
        for (answer, position) in answers.iter_mut().zip(batch) {
            let size = position.size();
            let owner = |k: usize| ((position.hash() >> (k % 50)) & 0xFF) as f32 / 127.5 - 1.0;
            let owners: Vec<_> = (0..size.area()).map(owner).collect();
            // Black's only stone is the first move of these searches, as long as none is captured.
            let stone = |&point: &_| position.board().stone(point) == Some(Color::Black);
            let first = size.points().find(stone).map(Move::Place);
            self.0.lock().unwrap().push((first, owners.clone()));
            answer.ownership = Some(Ownership::of_black(size, owners));
        }
        Ok(answers)
    }
}

#[test]
fn owners_and_their_deviations_agree_with_a_recount() {
    let position = empty(4, Rules::CHINESE);
    let size = position.size();
    let evaluator = Owners::default();
    let said = Arc::clone(&evaluator.0);
    let mut search = search(evaluator, params(1));
    // So few that no path has two moves of Black.
    let mut limit = SimulationLimit(12);
    let elapsed = || Duration::ZERO;
    let request = Request { owner_spreads: true, ..Request::new(&mut limit, &elapsed) };
    let report = search.run(&position, request).unwrap();
    let said = said.lock().unwrap();
    assert!(said.len() == 12 && report.moves[0].visits > 1);
    let check = |spread: &crate::eval::OwnerSpread, first: Option<Move>| {
        let own: Vec<_> = said.iter().filter(|(mv, _)| first.is_none() || *mv == first).collect();
        assert_eq!(spread.samples(), own.len() as u64);
        for point in size.points() {
            let owners = own.iter().map(|(_, owners)| f64::from(owners[size.offset(point)]));
            let mean = owners.clone().sum::<f64>() / own.len() as f64;
            let variance =
                owners.map(|owner| (owner - mean).powi(2)).sum::<f64>() / own.len() as f64;
            assert!((f64::from(spread.mean(Color::Black, point)) - mean).abs() < 1e-5);
            assert!((f64::from(spread.deviation(point)) - variance.sqrt()).abs() < 1e-5);
        }
    };
    check(report.owner_spread.as_ref().unwrap(), None);
    for root in report.moves.iter().filter(|root| root.mv != Move::Pass) {
        assert_eq!(root.owner_spread.is_some(), root.visits > 0);
        if let Some(spread) = &root.owner_spread {
            check(spread, Some(root.mv));
        }
    }
    drop(said);
    // Nothing of it where nobody asks.
    let report = run(&mut search, &position, 12);
    assert!(report.owner_spread.is_none());
    assert!(report.moves.iter().all(|root| root.owner_spread.is_none()));
}
