//! UCT: the first player, with UCB1 in the tree and one evaluation at the leaf.

use rand::seq::SliceRandom;
use std::cmp::Reverse;

use super::report::{RootMove, SearchReport};
use super::request::Request;
use super::tree::{Node, NodeId, Tree};
use crate::eval::{EvalError, Evaluator, Ownership, Value};
use crate::game::{DeadStones, Game, Move, PointSet, Position};
use crate::timeman::{Progress, StopReason, Verdict};
use crate::util::{Rng, Seed, params};

params! {
    /// The tree search.
    pub struct SearchParams {
        /// Exploration: c in UCB1's `value + c · sqrt(ln(parent visits) / visits)`, values in [-1, 1].
        pub exploration: f64 = 0.7, 0.0..=100.0;
        /// Visits of a leaf before its moves are added to the tree.
        pub expand_after: u32 = 4, 1..=1000;
        /// Nodes of the tree at the most, 24 bytes each; a full tree is searched on but grows no more.
        pub max_nodes: u32 = 8_000_000, 1000..=1_000_000_000;
        /// Simulations per move at the most, 0 for no limit.
        pub max_simulations: u64 = 0, 0..=1_000_000_000_000;
        /// Where the random numbers start. One thread and a fixed number of simulations repeat exactly.
        pub seed: u64 = 1, 0..=9_223_372_036_854_775_807;
    }
}

/// A search over an evaluator.
pub struct Search<'a> {
    evaluator: &'a dyn Evaluator,
    params: &'a SearchParams,
    rng: Rng,
}

impl<'a> Search<'a> {
    /// A search whose random choices start from a seed.
    #[must_use]
    pub fn new(evaluator: &'a dyn Evaluator, params: &'a SearchParams, seed: Seed) -> Self {
        Self { evaluator, params, rng: seed.rng() }
    }

    /// Searches for the best move of the side to move until a rule says stop. `elapsed` tells the
    /// time since the search began.
    pub fn run(
        &mut self,
        root: &Position,
        request: Request<'_>,
    ) -> Result<SearchReport, EvalError> {
        let Request { rule, elapsed, allowed, observer, .. } = request;
        let mut tree = Tree::new(self.params.max_nodes as usize);
        let mut ownership = Ownership::new(root.size());
        let mut position = root.clone();
        let mut path = Vec::new();
        let mut progress = Progress::default();
        let mut moves = self.moves(root);
        moves.retain(|&mv| allowed(mv));
        tree.expand(Tree::ROOT, &moves);
        let choices = tree.children(Tree::ROOT).count();
        let reason = loop {
            progress.elapsed = elapsed();
            if choices < 2 && progress.simulations > 0 || choices == 0 {
                break StopReason::OnlyMove;
            }
            if let Verdict::Stop(reason) = rule.check(&progress) {
                break reason;
            }
            position.clone_from(root);
            self.descend(&mut tree, &mut position, &mut path);
            let mut value = self.evaluate(&position, &mut ownership)?;
            for &node in path.iter().rev() {
                tree[node].record(value);
                value = value.flipped();
            }
            progress.simulations += 1;
            observer.look(&progress, &|| report_of(root, &tree, &ownership, &progress, None));
        };
        Ok(report_of(root, &tree, &ownership, &progress, Some(reason)))
    }

    /// Follows the best moves from the root to a leaf, playing them on `position`, and lets the
    /// leaf grow when it has been visited often enough.
    fn descend(&mut self, tree: &mut Tree, position: &mut Position, path: &mut Vec<NodeId>) {
        let mut id = Tree::ROOT;
        path.clear();
        path.push(id);
        loop {
            let node = &tree[id];
            if !node.is_expanded() {
                if node.visits < self.params.expand_after || position.is_over() {
                    return;
                }
                let moves = self.moves(position);
                tree.expand(id, &moves);
            }
            let Some(best) = self.select(tree, id) else { return };
            id = best;
            path.push(id);
            position
                .play(position.to_move(), tree[id].mv)
                .expect("invariant: moves in the tree are legal where they were generated");
        }
    }

    /// The child with the largest upper confidence bound.
    fn select(&self, tree: &Tree, parent: NodeId) -> Option<NodeId> {
        let log = natural_log(tree[parent].visits.max(1));
        let mut best = None;
        let mut highest = f64::NEG_INFINITY;
        for (id, child) in tree.children(parent) {
            if child.visits == 0 {
                return Some(id);
            }
            let score = ucb1(child, log, self.params.exploration);
            if score > highest {
                (best, highest) = (Some(id), score);
            }
        }
        best
    }

    /// The moves worth looking at, in random order: all legal ones but those that fill an eye.
    fn moves(&mut self, position: &Position) -> Vec<Move> {
        let color = position.to_move();
        let mut moves: Vec<Move> = match position.rules().game {
            Game::NoGo => position.legal_points(color).map(Move::Place).collect(),
            Game::Go if position.is_over() => Vec::new(),
            Game::Go => position
                .legal_points(color)
                .filter(|&point| !position.board().around(point).is_eye_of(color))
                .map(Move::Place)
                .chain([Move::Pass])
                .collect(),
        };
        moves.shuffle(&mut self.rng);
        moves
    }

    /// The value of a leaf for its side to move: the result when the game is over and needs no
    /// agreement on dead stones, the evaluator's opinion otherwise.
    fn evaluate(&self, leaf: &Position, ownership: &mut Ownership) -> Result<Value, EvalError> {
        let rules = leaf.rules();
        let decided = rules.game == Game::NoGo || rules.dead_stones == DeadStones::Counted;
        if decided && leaf.is_over() {
            return Ok(match leaf.winner(&PointSet::new()) {
                None => Value::DRAW,
                Some(winner) if winner == leaf.to_move() => Value::WIN,
                Some(_) => Value::LOSS,
            });
        }
        let evaluation = self.evaluator.evaluate(&[leaf])?.swap_remove(0);
        if let Some(one) = &evaluation.ownership {
            ownership.add(one);
        }
        Ok(evaluation.value)
    }
}

/// UCB1 (Auer, Cesa-Bianchi and Fischer 2002) of a visited child, seen by its parent.
fn ucb1(child: &Node, log_parent_visits: f64, exploration: f64) -> f64 {
    let mean = f64::from(child.value().flipped().get());
    mean + exploration * (log_parent_visits / f64::from(child.visits)).sqrt()
}

/// The natural logarithm from additions, multiplications and divisions alone, so that a search
/// takes the same way on every machine: libraries differ in the last digit.
fn natural_log(n: u32) -> f64 {
    let exponent = n.ilog2();
    let mantissa = f64::from(n) / f64::from(1u32 << exponent);
    // ln(m) = 2 artanh((m - 1) / (m + 1)), and the argument is below 1/3.
    let x = (mantissa - 1.0) / (mantissa + 1.0);
    let square = x * x;
    let series = (0..12).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * x * series
}

fn report_of(
    root: &Position,
    tree: &Tree,
    ownership: &Ownership,
    progress: &Progress,
    reason: Option<StopReason>,
) -> SearchReport {
    SearchReport {
        size: root.size(),
        color: root.to_move(),
        moves: root_moves(tree),
        value: tree[Tree::ROOT].value(),
        score: None,
        proven: None,
        ownership: ownership.clone(),
        simulations: progress.simulations,
        visits: progress.simulations,
        nodes: tree.len() as u64,
        memory: 0,
        full: false,
        elapsed: progress.elapsed,
        reason,
    }
}

fn root_moves(tree: &Tree) -> Vec<RootMove> {
    let count = tree.children(Tree::ROOT).count();
    let mut moves: Vec<_> = tree
        .children(Tree::ROOT)
        .map(|(id, child)| RootMove {
            mv: child.mv,
            visits: child.visits,
            value: child.value().flipped(),
            lower_bound: child.value().flipped(),
            deviation: 0.0,
            score: None,
            prior: 1.0 / count as f32,
            proven: None,
            line: principal_line(tree, id),
        })
        .collect();
    moves.sort_by_key(|mv| Reverse(mv.visits));
    moves
}

fn principal_line(tree: &Tree, mut id: NodeId) -> Vec<(Move, u32)> {
    let mut line = vec![(tree[id].mv, tree[id].visits)];
    // The first of equals, as in the list of root moves.
    let most_visited = |id| tree.children(id).min_by_key(|(_, child)| Reverse(child.visits));
    while let Some((best, child)) = most_visited(id) {
        if child.visits == 0 {
            break;
        }
        line.push((child.mv, child.visits));
        id = best;
    }
    line
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::eval::{HashedEvaluator, UniformEvaluator};
    use crate::game::{BoardSize, Color, Komi, Rules};
    use crate::playout::PlayoutEvaluator;
    use crate::timeman::SimulationLimit;

    fn search(position: &Position, evaluator: &dyn Evaluator, simulations: u64) -> SearchReport {
        let params = SearchParams::default();
        let mut search = Search::new(evaluator, &params, Seed::new(3));
        let mut limit = SimulationLimit(simulations);
        search.run(position, Request::new(&mut limit, &|| Duration::ZERO, &mut ())).unwrap()
    }

    fn position(diagram: &str, to_move: Color, rules: Rules, komi: f64) -> Position {
        let diagram = crate::game::Diagram::parse(diagram).unwrap();
        let komi = Komi::from_points(komi).unwrap();
        Position::from_board(diagram.board().clone(), to_move, rules, komi)
    }

    #[test]
    fn the_logarithm_is_the_logarithm() {
        for n in (1..1000).chain([12_345, 1 << 20, u32::MAX]) {
            assert!((natural_log(n) - f64::from(n).ln()).abs() < 1e-10, "{n}");
        }
    }

    #[test]
    fn ucb1_agrees_with_a_value_worked_by_hand() {
        let mut tree = Tree::new(10);
        tree.expand(Tree::ROOT, &[Move::Pass]);
        let (child, _) = tree.children(Tree::ROOT).next().unwrap();
        // Four visits, three of them lost for the side to move there: the parent has +1/2.
        for value in [Value::LOSS, Value::LOSS, Value::LOSS, Value::WIN] {
            tree[child].record(value);
        }
        // 1/2 + 0.7 sqrt(ln 100 / 4) = 0.5 + 0.7 * 1.0729831 = 1.2510882
        let score = ucb1(&tree[child], natural_log(100), 0.7);
        assert!((score - 1.251_088_2).abs() < 1e-6, "{score}");
    }

    #[test]
    fn visits_add_up_and_the_line_starts_with_the_best_move() {
        let size = BoardSize::square(5).unwrap();
        for (rules, evaluator) in [
            (Rules::CHINESE, &HashedEvaluator as &dyn Evaluator),
            (Rules::NOGO, &HashedEvaluator),
            (Rules::CGOS, &UniformEvaluator),
        ] {
            let report = search(&Position::new(size, rules, Komi::default()), evaluator, 3000);
            let visits: u32 = report.moves.iter().map(|mv| mv.visits).sum();
            assert_eq!((u64::from(visits), report.simulations), (3000, 3000));
            assert_eq!(report.line().next(), report.best().map(|best| best.mv));
            assert!(report.moves.is_sorted_by_key(|mv| Reverse(mv.visits)));
        }
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
        let report = search(&position, &PlayoutEvaluator::new(Seed::new(1)), 2000);
        let best = position.size().move_text(report.best().unwrap().mv);
        assert!(report.value.win_rate() > 0.8, "{report}");
        assert_eq!(best, "C3", "{report}");
    }

    #[test]
    fn no_legal_move_gives_an_empty_report() {
        let nogo = position(". X\nX .", Color::White, Rules::NOGO, 0.0);
        let report = search(&nogo, &HashedEvaluator, 100);
        assert!(report.best().is_none() && report.line().next().is_none());
        assert_eq!(report.reason, Some(StopReason::OnlyMove));
    }

    #[test]
    fn a_full_tree_is_searched_on() {
        let params = SearchParams { max_nodes: 1000, ..SearchParams::default() };
        let size = BoardSize::square(9).unwrap();
        let position = Position::new(size, Rules::CHINESE, Komi::default());
        let mut search = Search::new(&HashedEvaluator, &params, Seed::new(3));
        let mut limit = SimulationLimit(5000);
        let report =
            search.run(&position, Request::new(&mut limit, &|| Duration::ZERO, &mut ())).unwrap();
        assert!(report.nodes <= 1000 && report.simulations == 5000);
    }
}
