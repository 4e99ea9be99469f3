//! A search from beginning to end.

mod look;
mod watchdog;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::params::SearchParams;
use super::report::{Proof, RootMove, SearchReport};
use super::request::{Line, Request, SearchClock};
use super::root::RootRule;
use super::select::Formula;
use super::trace::{Ring, TraceEntry};
use super::tree::{Block, NodeId, Tree};
use super::worker::{Memory, Shared, Worker};
use crate::eval::{Criticality, EvalError, Evaluation, Evaluator, Policy, Value};
use crate::game::{Move, Position, Symmetry};
use crate::timeman::{Progress, StopReason, Verdict};
use crate::util::Seed;
use look::principal_line;
use watchdog::Watchdog;

/// Searches positions over an evaluator, and remembers the tree of the last one.
pub struct Search {
    evaluator: Arc<dyn Evaluator>,
    params: SearchParams,
    seed: Seed,
    searches: u64,
    kept: Option<Kept>,
    trace: Vec<TraceEntry>,
}

/// The tree of an earlier search.
struct Kept {
    line: Line,
    tree: Tree,
}

impl Search {
    /// A search whose random choices start from a seed.
    #[must_use]
    pub fn new(evaluator: Arc<dyn Evaluator>, params: SearchParams, seed: Seed) -> Self {
        Self { evaluator, params, seed, searches: 0, kept: None, trace: Vec::new() }
    }

    /// Forgets the tree of the last search.
    pub fn forget(&mut self) {
        self.kept = None;
    }

    /// The newest simulations of the last search, oldest first, as many as the parameters ask for.
    #[must_use]
    pub fn trace(&self) -> &[TraceEntry] {
        &self.trace
    }

    /// Searches for the best move of the side to move until the rule says stop. Whatever the rule
    /// says, the position itself is evaluated.
    pub fn run(
        &mut self,
        position: &Position,
        request: Request<'_>,
    ) -> Result<SearchReport, EvalError> {
        let tree = self.tree_for(request.line);
        let line = request.line.cloned();
        let mut rng = self.seed.fork("search", self.searches).rng();
        self.searches += 1;
        let owners: Vec<_> = (0..self.params.thread_count())
            .map(|_| Mutex::new(Criticality::new(position.size())))
            .collect();
        let evaluation = self.evaluate_root(position)?;
        add_owners(&owners[0], position, &evaluation);
        let has_priors = evaluation.policy.is_informed();
        let mut shared = Shared {
            tree: &tree,
            position,
            evaluator: self.evaluator.as_ref(),
            formula: Formula::new(&self.params, has_priors),
            root: RootRule::Plain,
            batch: self.params.batch,
            most: request.simulations.map_or(u64::MAX, |simulations| {
                tree.node(tree.root()).counts().passed().saturating_add(simulations)
            }),
            trace: (self.params.trace > 0).then(|| Ring::new(self.params.trace)),
            before: tree.node(tree.root()).counts().visits,
            stop: AtomicBool::new(false),
        };
        let mut memory = Memory::default();
        shared.begin(&evaluation, &mut memory);
        if let Some(block) = tree.moves(tree.root()) {
            shared.root =
                RootRule::new(block, &self.params, request.allowed, evaluation.value, &mut rng);
            if shared.root.needs_children() {
                block.create(block.len() - 1, &mut memory.reserve);
            }
        }
        let view = View {
            shared: &shared,
            owners: &owners,
            params: &self.params,
            has_score: evaluation.score.is_some(),
        };
        let report = view.run(request, memory)?;
        self.trace = shared.trace.as_ref().map(Ring::entries).unwrap_or_default();
        self.kept = line.map(|line| Kept { line, tree });
        Ok(report)
    }

    /// The part of the last tree that begins with the position at the end of the line, or a new one.
    fn tree_for(&mut self, line: Option<&Line>) -> Tree {
        let memory = self.params.memory();
        let fresh = || Tree::new(memory);
        let kept = self.kept.take();
        if self.params.gumbel().is_some() {
            // Its schedule begins with a root that nobody has visited.
            return fresh();
        }
        let (Some(Kept { line: old, tree }), Some(line)) = (kept, line) else {
            return fresh();
        };
        let Some(moves) = line.since(&old) else { return fresh() };
        if moves.is_empty() {
            return tree;
        }
        match tree.descendant(moves) {
            Some(node) => tree.rooted_at(node, memory),
            None => fresh(),
        }
    }

    /// What the evaluator says of the root, over all symmetries if the parameters ask for it.
    fn evaluate_root(&self, position: &Position) -> Result<Evaluation, EvalError> {
        if !self.params.root_symmetries {
            return Ok(self.evaluator.evaluate(&[position])?.swap_remove(0));
        }
        let size = position.size();
        let symmetries = Symmetry::for_size(size);
        let turned: Vec<_> = symmetries.iter().map(|&symmetry| position.turned(symmetry)).collect();
        let answers = self.evaluator.evaluate(&turned.iter().collect::<Vec<_>>())?;
        let share = 1.0 / answers.len() as f32;
        let (mut points, mut pass) = (vec![0.0; size.area()], 0.0);
        let (mut value, mut score) = (0.0, None);
        for (&symmetry, answer) in symmetries.iter().zip(&answers) {
            if !answer.policy.is_informed() {
                return Ok(self.evaluator.evaluate(&[position])?.swap_remove(0));
            }
            for point in size.points() {
                let there = Move::Place(symmetry.apply(size, point));
                points[size.offset(point)] += share * answer.policy.weight(position, there);
            }
            pass += share * answer.policy.weight(position, Move::Pass);
            value += share * answer.value.get();
            score = answer.score.map(|points| score.unwrap_or(0.0) + share * points);
        }
        let upright = self.evaluator.evaluate(&[position])?.swap_remove(0);
        Ok(Evaluation {
            value: Value::new(value),
            policy: Policy::Weights { points, pass },
            score,
            ownership: upright.ownership,
        })
    }
}

fn add_owners(owners: &Mutex<Criticality>, position: &Position, evaluation: &Evaluation) {
    owners.lock().unwrap_or_else(PoisonError::into_inner).add(position.to_move(), evaluation, 0);
}

/// A search under way, as seen from the thread that called it.
struct View<'a> {
    shared: &'a Shared<'a>,
    owners: &'a [Mutex<Criticality>],
    params: &'a SearchParams,
    has_score: bool,
}

impl View<'_> {
    /// Runs the workers, asks the rule after every batch of this thread's own worker, and ends them.
    fn run(&self, request: Request<'_>, memory: Memory) -> Result<SearchReport, EvalError> {
        let Request { rule, clock, simulations, mut observer, deadline, .. } = request;
        let choices = self.choices();
        let mut leader = Worker::new(self.shared, &self.owners[0], memory);
        let failure = Mutex::new(None);
        let now = || self.progress(clock, simulations);
        let mut progress = now();
        let watchdog = Watchdog::new(&self.shared.stop);
        let reason = thread::scope(|scope| {
            // At the end of this, however it comes, the other threads end too.
            let _end = StopAtEnd(&self.shared.stop);
            if choices < 2 {
                return Ok(StopReason::OnlyMove);
            }
            let _guard = deadline.map(|deadline| {
                let (dog, left) = (&watchdog, deadline.saturating_sub(progress.elapsed));
                scope.spawn(move || dog.watch(left));
                watchdog.guard()
            });
            let mut others = self.owners[1..].iter();
            loop {
                progress = now();
                if self.proof().is_some() {
                    return Ok(StopReason::Proven);
                }
                if let Verdict::Stop(reason) = rule.check(&progress) {
                    return Ok(reason);
                }
                if simulations.is_some_and(|most| progress.simulations >= most) {
                    return Ok(StopReason::Simulations);
                }
                if self.shared.stop.load(Ordering::Relaxed) {
                    return Ok(watchdog.reason());
                }
                leader.run_batch()?;
                if let Some(observer) = &mut observer {
                    observer.look(&progress, &|| self.report(&progress, None));
                }
                for owners in others.by_ref() {
                    let failure = &failure;
                    scope.spawn(move || {
                        let ended = Worker::new(self.shared, owners, Memory::default()).run();
                        if let Err(error) = ended {
                            self.shared.stop.store(true, Ordering::Relaxed);
                            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        }
                    });
                }
            }
        })?;
        leader.count();
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let last = now();
        let elapsed = progress.elapsed.max(last.elapsed);
        Ok(self.report(&Progress { elapsed, ..last }, Some(reason)))
    }

    fn progress(&self, clock: SearchClock<'_>, most: Option<u64>) -> Progress<'_> {
        let simulations = self.shared.simulations();
        Progress {
            simulations,
            elapsed: clock.elapsed(simulations),
            simulations_left: most.map(|most| most.saturating_sub(simulations)),
            reused: u64::from(self.shared.before),
            planned: Duration::ZERO,
            root: Some(self),
        }
    }

    fn block(&self) -> Option<Block<'_>> {
        self.shared.tree.moves(self.shared.tree.root())
    }

    /// Moves that may be considered.
    fn choices(&self) -> usize {
        let count =
            |block: Block<'_>| (0..block.len()).filter(|&k| self.shared.root.allows(k)).count();
        self.block().map_or(0, count)
    }

    /// What is proven for the side to move with the moves that it may consider: an earlier search may
    /// have found more with others.
    fn proof(&self) -> Option<Proof> {
        let proof = self.shared.tree.node(self.shared.tree.root()).proof()?;
        let mut reached = proof == Proof::Loss;
        self.block()?.for_each_child(|index, child| {
            let same = child.proof().map(Proof::flipped) == Some(proof);
            reached |= same && self.shared.root.allows(index);
        });
        reached.then_some(proof)
    }

    fn report(&self, progress: &Progress<'_>, reason: Option<StopReason>) -> SearchReport {
        let Shared { tree, position, .. } = *self.shared;
        let root = tree.node(tree.root());
        let owners = self.owners();
        SearchReport {
            size: position.size(),
            color: position.to_move(),
            moves: self.moves(),
            policy: self.policy(),
            value: self.proof().map_or(root.value(), Proof::value),
            score: self.has_score.then(|| root.score()),
            proven: self.proof(),
            ownership: owners.ownership().clone(),
            simulations: progress.simulations,
            visits: u64::from(root.counts().visits),
            nodes: tree.nodes(),
            memory: tree.memory() as u64,
            full: tree.is_full(),
            elapsed: progress.elapsed,
            reason,
            criticality: owners.highest(),
            playout_length: owners.playout_length(),
            time: None,
        }
    }

    fn moves(&self) -> Vec<RootMove> {
        let tree = self.shared.tree;
        let Some(block) = self.block() else { return Vec::new() };
        let created = block.created();
        let root_value = tree.node(tree.root()).value();
        let mut moves: Vec<_> = (0..block.len())
            .filter(|&index| self.shared.root.allows(index))
            .map(|index| {
                let edge = block.edge(index);
                if index < created {
                    self.visited(block.child(index))
                } else {
                    RootMove::unvisited(edge.mv, edge.prior, root_value)
                }
            })
            .collect();
        let by_bound = self.params.choice == "lower-bound";
        moves.sort_by(|a, b| b.rank(by_bound).total_cmp(&a.rank(by_bound)));
        if let Some((best, _)) = self.shared.root.improvement(block) {
            let best = block.edge(best).mv;
            if let Some(place) = moves.iter().position(|mv| mv.mv == best) {
                moves[..=place].rotate_right(1);
            }
        }
        moves
    }

    /// How much a network should learn to prefer each move: by the improved policy of a Gumbel
    /// root, otherwise by visits.
    fn policy(&self) -> Vec<(Move, f32)> {
        let Some(block) = self.block() else { return Vec::new() };
        let edge = |index: usize| block.edge(index).mv;
        #[expect(clippy::cast_possible_truncation, reason = "a probability needs no more digits")]
        if let Some((_, policy)) = self.shared.root.improvement(block) {
            return policy.iter().enumerate().map(|(k, &p)| (edge(k), p as f32)).collect();
        }
        let mut visits = vec![0; block.len()];
        block.for_each_child(|index, child| visits[index] = child.counts().visits);
        let sum = visits.iter().sum::<u32>();
        let share = |k: usize| {
            if sum == 0 { block.edge(k).prior } else { visits[k] as f32 / sum as f32 }
        };
        (0..block.len()).map(|k| (edge(k), share(k))).collect()
    }

    fn visited(&self, id: NodeId) -> RootMove {
        let tree = self.shared.tree;
        let node = tree.node(id);
        let edge = node.edge();
        let visits = node.counts().visits;
        if visits == 0 {
            let root_value = tree.node(tree.root()).value();
            return RootMove::unvisited(edge.mv, edge.prior, root_value);
        }
        let proven = node.proof().map(Proof::flipped);
        let value = proven.map_or(node.value().flipped(), Proof::value);
        let deviation = node.deviation();
        #[expect(clippy::cast_possible_truncation, reason = "a value needs no more digits")]
        let width = self.params.lower_bound_width as f32;
        // A few visits that agree tell nothing of the spread: one result of each kind is added.
        let spread = (deviation * deviation + 2.0 / (visits as f32 + 2.0)).sqrt();
        RootMove {
            mv: edge.mv,
            visits,
            value,
            lower_bound: Value::new(value.get() - width * spread / (visits as f32).sqrt()),
            deviation,
            score: self.has_score.then(|| -node.score()),
            prior: edge.prior,
            proven,
            line: principal_line(tree, id),
        }
    }
}

impl Shared<'_> {
    /// Evaluates the root if nobody has yet: the first simulation.
    fn begin(&self, evaluation: &Evaluation, memory: &mut Memory) {
        let root = self.tree.root();
        if self.tree.node(root).claim() {
            self.open(root, self.position, evaluation, memory);
            self.back_up_root(evaluation);
        }
    }
}

struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
