//! Judgements of finished games against oracles that we did not write: a server's counts, and the owners that
//! a strong network sees.

#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]
#![allow(clippy::print_stderr, reason = "figures for people, shown with --nocapture")]

mod shared;
mod skip;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tedomari::eval::{Evaluator as _, Ownership};
use tedomari::game::sgf::{self, SgfLimits};
use tedomari::game::{
    Board, Color, GameResult, Move, Point, PointSet, Position, Rules, Symmetry, render,
};
use tedomari::judge::{Judge, Judgement};
use tedomari::nn::{Network, Orientation};

/// The last positions of games that two passes have ended, with their results.
fn ends(path: &str, rules: Rules, most: usize) -> Option<Vec<(Position, Option<GameResult>)>> {
    let lines = shared::sgf_lines(path)?;
    let end = |line: &Vec<u8>| {
        let (record, _) = sgf::read(line, &SgfLimits::default()).ok()?;
        let moves = record.moves.len();
        let passed = moves > 20 && record.moves[moves - 2..].iter().all(|m| m.mv == Move::Pass);
        let komi = record.komi.unwrap_or_default();
        let position = record.replay(moves, rules, komi).ok().filter(|_| passed)?;
        Some((position, record.result))
    };
    Some(lines.iter().filter_map(end).take(most).collect())
}

/// Does something for every item, with two threads.
fn for_each<T: Sync>(items: &[T], work: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    items.get(index).map(|item| (index, item))
                } {
                    work(item.0, item.1);
                }
            });
        }
    });
}

fn exchanged(position: &Position) -> Position {
    let mut board = Board::new(position.size());
    for point in position.size().points() {
        if let Some(color) = position.board().stone(point) {
            board.place(color.opponent(), point);
        }
    }
    Position::from_board(board, Color::White, *position.rules(), position.komi())
}

fn turned(dead: &PointSet, position: &Position, symmetry: Symmetry) -> PointSet {
    dead.iter().map(|point| symmetry.apply(position.size(), point)).collect()
}

/// Scores used to differ from call to call, after passes, and from process to process.
#[test]
fn scores_do_not_differ_from_call_to_call() {
    const CALLS: usize = 2;
    /// How many stones are dead at the end of each game, in this process as in all others.
    const DEAD: [usize; 30] =
        [0, 11, 1, 2, 0, 2, 3, 0, 2, 0, 1, 0, 0, 0, 0, 6, 7, 2, 3, 1, 1, 3, 0, 0, 3, 1, 0, 0, 6, 0];
    let Some(games) = ends("go9/ogs9_dan.sgfs.gz", Rules::CHINESE, DEAD.len()) else { return };
    let shared = Judge::new();
    for_each(&games, |game, (position, _)| {
        let first = Judge::new().judge(position);
        let score = first.score(position);
        assert_eq!(first.dead.len(), DEAD[game], "game {game}");
        for call in 0..CALLS {
            let again = shared.judge(position);
            assert_eq!(again, first, "game {game}, call {call}");
            assert_eq!(again.score(position), score);
        }
        let mut passed = position.clone();
        passed.resume();
        passed.play(passed.to_move(), Move::Pass).unwrap();
        assert_eq!(shared.judge(&passed), first, "game {game} after a pass");
        for &symmetry in Symmetry::for_size(position.size()) {
            let other = position.turned(symmetry);
            let there = shared.judge(&other);
            assert_eq!(there.dead, turned(&first.dead, position, symmetry), "game {game}");
            assert_eq!(there.score(&other), score, "game {game}");
        }
        assert_eq!(shared.judge(&exchanged(position)).dead, first.dead, "game {game}");
    });
}

/// Every stone on the board counts under the rules of CGOS, whatever the judge thinks of it.
#[test]
fn games_of_cgos_are_counted_as_the_server_did() {
    let Some(games) = ends("go9/cgos9_scored10k.sgfs.gz", Rules::CGOS, usize::MAX) else { return };
    let judge = Judge::new();
    let dead = PointSet::new();
    let wrong = AtomicUsize::new(0);
    for_each(&games, |game, (position, result)| {
        let counted = position.score(&dead);
        // The judge is slow beside the count: one game in a hundred shows that it changes nothing.
        if game % 100 == 0 {
            assert_eq!(judge.judge(position).score(position), counted);
        }
        wrong.fetch_add(usize::from(Some(GameResult::from(counted)) != *result), Ordering::Relaxed);
    });
    assert!(games.len() > 9_000, "{} games", games.len());
    assert_eq!(wrong.into_inner(), 0, "of {} games", games.len());
}

/// What a network says of owners, whoever is to move.
fn owners(network: &Network, position: &Position) -> Ownership {
    let Network::KataGo(net) = network else { panic!("a network of KataGo") };
    let evaluator = net.evaluator(Orientation::ByHash);
    let mut sum = Ownership::new(position.size());
    for color in Color::BOTH {
        let board = position.board().clone();
        let start = Position::from_board(board, color, *position.rules(), position.komi());
        let answer = evaluator.evaluate(&[&start]).unwrap().remove(0);
        sum.add(&answer.ownership.unwrap());
    }
    sum
}

/// A stone of each chain on which two judgements differ.
fn differences(position: &Position, judgements: [&Judgement; 2]) -> Vec<Point> {
    let board = position.board();
    let differ = |p: &Point| judgements[0].dead.contains(*p) != judgements[1].dead.contains(*p);
    let is_head = |p: &Point| !board.is_empty(*p) && board.chain_head(*p) == *p;
    position.size().points().filter(is_head).filter(differ).collect()
}

#[test]
fn dead_stones_of_dan_games_are_those_that_a_strong_network_sees() {
    let Some(games) = ends("go9/ogs9_dan.sgfs.gz", Rules::CHINESE, 200) else { return };
    let Some(path) = shared::nets_dir() else { return };
    let path = path.join("g170-b6c96-s175395328-d26788732.bin.gz");
    let Ok(network) = Network::load(path.to_str().unwrap()) else {
        skip::skip(&path.display().to_string());
        return;
    };
    let judge = Judge::new();
    let (wrong, dead) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_each(&games, |game, (position, _)| {
        let seen = Judgement::of(position, &owners(&network, position));
        let judged = judge.judge(position);
        dead.fetch_add(judged.dead.len(), Ordering::Relaxed);
        let differences = differences(position, [&judged, &seen]);
        if let Some(point) = differences.first() {
            wrong.fetch_add(1, Ordering::Relaxed);
            let vertex = position.size().vertex(*point);
            eprintln!("game {game}: the chain on {vertex} differs\n{}", render(position));
        }
    });
    let (wrong, dead) = (wrong.into_inner(), dead.into_inner());
    eprintln!("{} games, {dead} dead stones, {wrong} games judged otherwise", games.len());
    assert_eq!(games.len(), 200);
    assert!(dead > 300, "{dead} dead stones were left on the boards");
    assert!(wrong <= 2, "{wrong} of 200 games are judged otherwise");
}
