use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rand::Rng as _;

use super::*;
use crate::eval::{HashedEvaluator, UniformEvaluator};
use crate::game::{BoardSize, Color, Game, Komi, Rules};
use crate::playout::PlayoutEvaluator;
use crate::search::worker::BUSY;
use crate::search::{Proof, Selection, Unvisited};
use crate::timeman::{SearchProgress, SimulationLimit};

mod late;
mod limits;

/// Draws values and priors from the hash of the position.
struct HashedPriors;

impl Evaluator for HashedPriors {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let mut answers = HashedEvaluator.evaluate(batch)?;
        for (answer, position) in answers.iter_mut().zip(batch) {
            let mut state = position.hash();
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ((state >> 40) % 1000) as f32
            };
            let points = (0..position.size().area()).map(|_| next()).collect();
            answer.policy = Policy::Weights { points, pass: next() };
            answer.score = Some(8.0 * answer.value.get());
        }
        Ok(answers)
    }
}

fn params(threads: usize) -> SearchParams {
    SearchParams { threads, max_memory: 64, formula: Selection::Puct, ..SearchParams::default() }
}

fn empty(side: usize, rules: Rules) -> Position {
    Position::new(BoardSize::square(side).unwrap(), rules, Komi::from_points(6.5).unwrap())
}

fn position(diagram: &str, to_move: Color, rules: Rules, komi: f64) -> Position {
    let diagram = crate::game::Diagram::parse(diagram).unwrap();
    let komi = Komi::from_points(komi).unwrap();
    Position::from_board(diagram.board().clone(), to_move, rules, komi)
}

fn search(evaluator: impl Evaluator + 'static, params: SearchParams) -> Search {
    Search::new(Arc::new(evaluator), params, Seed::new(3))
}

fn run(search: &mut Search, position: &Position, simulations: u64) -> SearchReport {
    let mut limit = SimulationLimit(simulations);
    search.run(position, Request::new(&mut limit, &|| Duration::ZERO)).unwrap()
}

/// Searches with a line, so that the tree is kept.
fn run_line(
    search: &mut Search,
    position: &Position,
    line: &Line,
    simulations: u64,
) -> SearchReport {
    let mut limit = SimulationLimit(simulations);
    let elapsed = || Duration::ZERO;
    let request = Request { line: Some(line), ..Request::new(&mut limit, &elapsed) };
    search.run(position, request).unwrap()
}

/// The search as the paper describes it, slow and plain.
mod reference {
    use super::*;

    pub(super) struct Node {
        edges: Vec<(Move, f64)>,
        pub(super) children: HashMap<Move, Node>,
        pub(super) visits: u32,
        pub(super) sum: f64,
    }

    pub(super) struct Rule {
        pub(super) c: f64,
        pub(super) first_play: fn(parent: f64, visited_priors: f64) -> f64,
    }

    impl Node {
        pub(super) fn new() -> Self {
            Self { edges: Vec::new(), children: HashMap::new(), visits: 0, sum: 0.0 }
        }

        /// One simulation; returns the value for the side to move here.
        pub(super) fn simulate(&mut self, position: &Position, rule: &Rule) -> f64 {
            let value = if self.visits == 0 || position.is_over() {
                self.expand(position)
            } else {
                let (mv, _) = self.edges[self.select(rule)];
                let mut after = position.clone();
                after.play(position.to_move(), mv).unwrap();
                -self.children.entry(mv).or_insert_with(Node::new).simulate(&after, rule)
            };
            self.visits += 1;
            self.sum += value;
            value
        }

        fn expand(&mut self, position: &Position) -> f64 {
            let answer = HashedPriors.evaluate(&[position]).unwrap().swap_remove(0);
            let color = position.to_move();
            let points = position.legal_points(color).map(Move::Place);
            let moves: Vec<_> = points.chain([Move::Pass]).collect();
            let total: f32 = {
                // In the order in which the search adds them up.
                moves.iter().map(|&mv| answer.policy.weight(position, mv)).sum()
            };
            let mut edges: Vec<_> = moves
                .iter()
                .map(|&mv| (mv, f64::from(answer.policy.weight(position, mv) / total)))
                .collect();
            edges.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.code().cmp(&a.0.code())));
            self.edges = edges;
            f64::from(answer.value.get())
        }

        fn select(&self, rule: &Rule) -> usize {
            let passed: u32 = self.children.values().map(|child| child.visits).sum();
            let visited: f64 = self
                .edges
                .iter()
                .filter(|(mv, _)| self.children.contains_key(mv))
                .map(|(_, prior)| prior)
                .sum();
            let parent = self.sum / f64::from(self.visits);
            let score = |&(mv, prior): &(Move, f64)| {
                let child = self.children.get(&mv);
                let visits = child.map_or(0, |child| child.visits);
                let value = child.map_or_else(
                    || (rule.first_play)(parent, visited),
                    |child| -child.sum / f64::from(child.visits),
                );
                value + rule.c * f64::from(passed).sqrt() * prior / (1.0 + f64::from(visits))
            };
            let mut best = 0;
            for index in 1..self.edges.len() {
                if score(&self.edges[index]) > score(&self.edges[best]) {
                    best = index;
                }
            }
            best
        }
    }
}

#[test]
fn visits_and_values_agree_with_the_reference_after_every_simulation() {
    let rules = [
        (Unvisited::Loss, reference::Rule { c: 1.25, first_play: |_, _| -1.0 }),
        (Unvisited::Draw, reference::Rule { c: 1.25, first_play: |_, _| 0.0 }),
        (
            Unvisited::Parent,
            reference::Rule {
                c: 1.25,
                first_play: |parent, visited| (parent - 0.2 * visited.sqrt()).max(-1.0),
            },
        ),
    ];
    for (first_play, rule) in rules {
        let position = empty(4, Rules::JAPANESE);
        let mut expected = reference::Node::new();
        for simulations in 1..=50 {
            expected.simulate(&position, &rule);
            let params = SearchParams { first_play, ..params(1) };
            let report = run(&mut search(HashedPriors, params), &position, simulations);
            assert_eq!((report.simulations, report.visits), (simulations, simulations));
            let mean = expected.sum / f64::from(expected.visits);
            assert!(
                (f64::from(report.value.get()) - mean).abs() < 1e-6,
                "{first_play:?} {simulations}: {} for {mean}",
                report.value.get()
            );
            for found in &report.moves {
                let child = expected.children.get(&found.mv);
                let visits = child.map_or(0, |child| child.visits);
                assert_eq!(found.visits, visits, "{first_play:?} {simulations} {:?}", found.mv);
                if let Some(child) = child {
                    let value = -child.sum / f64::from(child.visits);
                    assert!((f64::from(found.value.get()) - value).abs() < 1e-6);
                    assert!((found.score.unwrap() - 8.0 * found.value.get()).abs() < 0.01);
                }
            }
        }
    }
}

/// What must hold of every tree when nobody is at work on it.
fn check_tree(tree: &Tree) {
    let mut waiting = vec![tree.root()];
    while let Some(id) = waiting.pop() {
        let node = tree.node(id);
        assert_eq!(node.counts().in_flight, 0, "a descent has not come back");
        assert!(node.stage() != super::super::tree::Stage::Claimed);
        let Some(block) = tree.moves(id) else { continue };
        let children: Vec<_> = (0..block.created()).map(|index| block.child(index)).collect();
        let below: u32 = children.iter().map(|&child| tree.node(child).counts().visits).sum();
        assert!(below < node.counts().visits.max(1), "{below} visits below {:?}", node.counts());
        waiting.extend(children);
    }
}

fn kept(search: &Search) -> &Tree {
    &search.kept.as_ref().unwrap().job.shared.tree
}

fn start(position: &Position) -> Line {
    Line { start: 1, moves: Vec::new(), to_move: position.to_move() }
}

#[test]
fn nothing_is_lost_between_threads() {
    for threads in [1, 2, 8] {
        for (rules, batch) in [(Rules::CHINESE, 1), (Rules::NOGO, 4), (Rules::CGOS, 8)] {
            let position = empty(7, rules);
            let params = SearchParams { trace: 1 << 16, batch, ..params(threads) };
            let mut search = search(HashedPriors, params);
            let report = run_line(&mut search, &position, &start(&position), 4000);
            assert!(report.simulations >= 4000 && report.visits == report.simulations);
            let below: u64 = report.moves.iter().map(|mv| u64::from(mv.visits)).sum();
            assert_eq!(below, report.simulations - 1);
            let tree = kept(&search);
            check_tree(tree);
            // The tree can be rebuilt from the trace.
            let trace = search.trace();
            assert_eq!(trace.len() as u64, report.simulations);
            let block = tree.moves(tree.root()).unwrap();
            for index in 0..block.created() {
                let node = tree.node(block.child(index));
                let own = trace.iter().filter(|entry| entry.first.map(usize::from) == Some(index));
                let (count, sum) =
                    own.fold((0, 0), |(n, sum), entry| (n + 1, sum + i64::from(entry.value)));
                assert_eq!((count, -sum), (node.counts().visits, node.fixed_sum()));
            }
            let all: i64 = trace.iter().map(|entry| i64::from(entry.value)).sum();
            assert_eq!(all, tree.node(tree.root()).fixed_sum());
        }
    }
}

#[test]
fn nothing_is_lost_where_descents_leave_no_marks() {
    for (threads, batch) in [(1, 4), (2, 1), (8, 2)] {
        let position = empty(5, Rules::CHINESE);
        let mut search = search(HashedPriors, SearchParams { batch, ..params(threads) });
        let report = run_line(&mut search, &position, &start(&position), 40_000);
        assert!(report.moves[0].visits > 4 * BUSY, "moves of the root are busy");
        let below: u64 = report.moves.iter().map(|mv| u64::from(mv.visits)).sum();
        assert_eq!(below, report.simulations - 1);
        check_tree(kept(&search));
    }
}

#[test]
fn one_thread_and_a_seed_repeat_exactly() {
    let position = empty(9, Rules::CHINESE);
    let run_once = || {
        let params = SearchParams { noise: 0.25, root_temperature: 1.1, ..params(1) };
        let report = run(&mut search(HashedPriors, params), &position, 1000);
        report.moves.iter().map(|mv| (mv.mv, mv.visits)).collect::<Vec<_>>()
    };
    assert_eq!(run_once(), run_once());
}

#[test]
fn the_tree_is_found_again_after_moves_and_undos() {
    let position = empty(7, Rules::CHINESE);
    let mut search = search(HashedPriors, params(1));
    let first = run_line(&mut search, &position, &start(&position), 2000);
    let line = &first.moves[0].line;
    let (mut after, mut moves) = (position.clone(), Vec::new());
    for &(mv, _) in &line[..2] {
        moves.push((after.to_move(), mv));
        after.play(after.to_move(), mv).unwrap();
    }
    let there = Line { start: 1, moves: moves.clone(), to_move: after.to_move() };
    // The same node, with its visits and its children.
    let second = run_line(&mut search, &after, &there, 1);
    assert_eq!(second.visits, u64::from(line[1].1) + 1);
    assert_eq!(second.moves[0].mv, line[2].0);
    check_tree(kept(&search));
    // Back above the root of the kept tree: it begins anew.
    let third = run_line(&mut search, &position, &start(&position), 10);
    assert_eq!(third.visits, 10);
    // Another beginning, or the same player twice: as well.
    let other = Line { start: 2, moves: Vec::new(), to_move: Color::Black };
    assert_eq!(run_line(&mut search, &position, &other, 10).visits, 10);
    let again = run_line(&mut search, &position, &other, 10);
    assert_eq!(again.visits, 20, "the same position goes on with the same tree");
    let twice = Line { start: 2, moves: vec![(Color::White, Move::Pass)], to_move: Color::Black };
    assert_eq!(run_line(&mut search, &position, &twice, 10).visits, 10);
    // Unless it is not to be.
    search.params.keep_tree = false;
    assert_eq!(run_line(&mut search, &position, &twice, 10).visits, 10);
}

#[test]
fn a_full_tree_is_searched_on_and_says_so() {
    let position = empty(9, Rules::CHINESE);
    let params = SearchParams { max_memory: 4, ..params(2) };
    let mut search = search(UniformEvaluator, params);
    let report = run_line(&mut search, &position, &start(&position), 30_000);
    // A quarter is for what is kept of it.
    assert!(report.full && report.memory <= 3 << 20, "{}", report.memory);
    assert!(report.simulations >= 30_000);
    check_tree(kept(&search));
    // What is kept of it is searched on, and fits as well.
    let before = kept(&search).nodes();
    let mut after = position.clone();
    let mv = report.moves[0].mv;
    after.play(Color::Black, mv).unwrap();
    let line = Line { start: 1, moves: vec![(Color::Black, mv)], to_move: Color::White };
    let report = run_line(&mut search, &after, &line, 1);
    assert!(
        report.visits > 100 && report.nodes > before / 200,
        "{} {}",
        report.visits,
        report.nodes
    );
    assert!(report.memory <= 1 << 20, "{}", report.memory);
    let report = run_line(&mut search, &after, &line, 10_000);
    assert!(report.memory <= 3 << 20);
    check_tree(kept(&search));
}

#[test]
fn a_capture_that_wins_the_game_is_found() {
    let diagram = "
        . X O X X
        X X O O X
        O O * O X    the star takes all of white
        O O O O X
        X X X X .";
    let position = position(diagram, Color::Black, Rules::CGOS, 7.0);
    let params = SearchParams { formula: Selection::Auto, ..params(1) };
    let mut search = search(PlayoutEvaluator::new(Seed::new(1)), params);
    let report = run(&mut search, &position, 2000);
    let best = position.size().move_text(report.best().unwrap().mv);
    assert!(report.value.win_rate() > 0.8, "{report}");
    assert_eq!(best, "C3", "{report}");
}

#[test]
fn no_legal_move_gives_an_empty_report() {
    let nogo = position(". X\nX .", Color::White, Rules::NOGO, 0.0);
    let report = run(&mut search(HashedEvaluator, params(1)), &nogo, 100);
    assert!(report.best().is_none() && report.line().next().is_none());
    assert_eq!(report.reason, Some(StopReason::OnlyMove));
}

#[test]
fn an_error_of_the_evaluator_ends_the_search_and_leaves_nothing_behind() {
    struct Failing(AtomicUsize);
    impl Evaluator for Failing {
        fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
            if self.0.fetch_add(1, Ordering::Relaxed) > 500 {
                return Err(EvalError::Device("gone".to_owned()));
            }
            HashedPriors.evaluate(batch)
        }
    }
    let position = empty(7, Rules::CHINESE);
    for threads in [1, 4] {
        let mut search = search(Failing(AtomicUsize::new(0)), params(threads));
        let mut limit = SimulationLimit(100_000);
        let request = Request::new(&mut limit, &|| Duration::ZERO);
        assert!(search.run(&position, request).is_err());
    }
}

#[test]
fn proofs_outrank_visits() {
    let report = run(&mut search(HashedEvaluator, params(1)), &empty(3, Rules::NOGO), 100_000);
    assert!(report.proven.is_some(), "{report}");
    assert_eq!(report.reason, Some(StopReason::Proven));
    if report.proven == Some(Proof::Win) {
        assert_eq!(report.moves[0].proven, Some(Proof::Win));
    }
}

#[test]
fn thousands_of_short_searches_with_interruptions_moves_and_undos() {
    struct Flag<'a>(&'a AtomicBool, u64);
    impl crate::timeman::Stop for Flag<'_> {
        fn should_stop(&mut self, progress: &SearchProgress<'_>) -> Option<StopReason> {
            let over = self.0.load(Ordering::Relaxed) || progress.simulations >= self.1;
            over.then_some(StopReason::Interrupted)
        }
    }
    let mut rng = Seed::new(5).rng();
    let mut search = search(HashedPriors, SearchParams { batch: 2, ..params(3) });
    let beginning = empty(5, Rules::CGOS);
    let mut moves: Vec<(Color, Move)> = Vec::new();
    for round in 0..2000 {
        let mut position = beginning.clone();
        for &(color, mv) in &moves {
            position.play(color, mv).unwrap();
        }
        let interrupted = AtomicBool::new(false);
        let limit = 20 + u64::from(rng.next_u32() % 200);
        let line = Line { start: 7, moves: moves.clone(), to_move: position.to_move() };
        let report = thread::scope(|scope| {
            if round % 3 == 0 {
                let pause = Duration::from_micros(u64::from(rng.next_u32() % 300));
                let interrupted = &interrupted;
                scope.spawn(move || {
                    thread::sleep(pause);
                    interrupted.store(true, Ordering::Relaxed);
                });
            }
            let mut rule = Flag(&interrupted, limit);
            let elapsed = || Duration::ZERO;
            let request = Request { line: Some(&line), ..Request::new(&mut rule, &elapsed) };
            search.run(&position, request).unwrap()
        });
        check_tree(kept(&search));
        match (rng.next_u32() % 4, report.best()) {
            (0, _) if moves.len() > 1 => moves.truncate(moves.len() - 2),
            (1, _) => {}
            (_, Some(best)) if !position.is_over() && moves.len() < 40 => {
                moves.push((position.to_move(), best.mv));
                let mut after = position.clone();
                after.play(position.to_move(), best.mv).unwrap();
                if after.is_over() {
                    moves.clear();
                }
            }
            _ => moves.clear(),
        }
    }
}

#[test]
fn root_symmetries_make_symmetric_moves_equal() {
    let position = empty(5, Rules::CHINESE);
    let params = SearchParams { root_symmetries: true, ..params(1) };
    let report = run(&mut search(HashedPriors, params), &position, 1);
    let size = position.size();
    let prior = |text: &str| {
        let mv = size.parse_move(text).unwrap();
        report.moves.iter().find(|found| found.mv == mv).unwrap().prior
    };
    for text in ["A5", "E1", "E5"] {
        assert!((prior("A1") - prior(text)).abs() < 1e-6);
    }
    assert!((prior("B1") - prior("A2")).abs() < 1e-6);
    assert_eq!(position.rules().game, Game::Go);
}

#[test]
fn a_gumbel_root_keeps_to_its_schedule_and_improves_the_policy() {
    let position = empty(5, Rules::CHINESE);
    let params = SearchParams { gumbel_considered: 4, max_simulations: 17, ..params(1) };
    let report = run(&mut search(HashedPriors, params), &position, 17);
    let mut visits: Vec<_> = report.moves.iter().map(|mv| mv.visits).collect();
    visits.sort_unstable_by(|a, b| b.cmp(a));
    // Sixteen simulations on four moves: two each in the first phase, then four more on two.
    assert_eq!(visits[..5], [6, 6, 2, 2, 0]);
    assert_eq!(report.moves[0].visits, 6);
    let sum: f32 = report.policy.iter().map(|(_, share)| share).sum();
    assert!((sum - 1.0).abs() < 1e-4);
    let expected = |policy: &dyn Fn(Move) -> f32| -> f32 {
        report
            .moves
            .iter()
            .filter(|mv| mv.visits > 0)
            .map(|mv| policy(mv.mv) * mv.value.get())
            .sum()
    };
    let learned = |mv: Move| report.policy.iter().find(|(found, _)| *found == mv).unwrap().1;
    let prior = |mv: Move| report.moves.iter().find(|found| found.mv == mv).unwrap().prior;
    assert!(expected(&learned) > expected(&prior));
}

#[test]
fn threads_share_the_simulations_of_the_limit() {
    let position = empty(7, Rules::CHINESE);
    for (threads, batch) in [(1, 1), (1, 8), (4, 1), (4, 3)] {
        let params = SearchParams { batch, ..params(threads) };
        let mut search = search(HashedPriors, params);
        let line = start(&position);
        for visits in [500, 1000] {
            let mut rule = SimulationLimit(u64::MAX);
            let elapsed = || Duration::ZERO;
            let request = Request {
                simulations: Some(500),
                line: Some(&line),
                ..Request::new(&mut rule, &elapsed)
            };
            let report = search.run(&position, request).unwrap();
            assert_eq!(report.reason, Some(StopReason::Simulations));
            assert_eq!((report.simulations, report.visits), (500, visits), "{threads} threads");
        }
    }
}

/// A position near the end is proven after a look at its moves, whatever the priors say; and a search
/// that begins where an earlier one has only been told the result has moves again.
#[test]
fn a_network_need_not_know_the_end_of_nogo() {
    let mut rng = Seed::new(5).rng();
    let mut wins = 0;
    for _ in 0..30 {
        let mut position = empty(9, Rules::NOGO);
        while position.legal_points(Color::Black).count() > 8 && !position.is_over() {
            let points: Vec<_> = position.legal_points(position.to_move()).collect();
            let point = points[rng.next_u32() as usize % points.len()];
            position.play(position.to_move(), Move::Place(point)).unwrap();
        }
        let solved = SearchParams { solve: 1_000_000, ..params(1) };
        let mut search = search(HashedPriors, solved);
        let report = run_line(&mut search, &position, &start(&position), 400);
        if position.is_over() || report.moves.len() < 2 {
            continue;
        }
        assert!(report.proven.is_some(), "{report}");
        assert!(report.simulations <= 40, "{report}");
        if report.proven == Some(Proof::Win) {
            wins += 1;
            let best = report.moves[0].mv;
            let mut next = position.clone();
            next.play(position.to_move(), best).unwrap();
            let moves = vec![(position.to_move(), best)];
            let line = Line { moves, to_move: next.to_move(), ..start(&position) };
            let after = run_line(&mut search, &next, &line, 400);
            assert_eq!(after.moves.is_empty(), next.is_over(), "{after}");
            assert_eq!(after.proven, Some(Proof::Loss), "{after}");
        }
    }
    assert!(wins > 5, "{wins} won");
}
