//! A search from beginning to end.

mod watchdog;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::params::SearchParams;
use super::report::SearchReport;
use super::request::{Line, Request};
use super::root::RootRule;
use super::select::Formula;
use super::trace::{Ring, TraceEntry};
use super::tree::{Stage, Tree};
use super::view::View;
use super::words::Words;
use super::worker::{Memory, Shared, Worker};
use crate::eval::{Criticality, EvalError, Evaluation, Evaluator, Policy, Value};
use crate::game::{Move, Position, Symmetry};
use crate::timeman::{Progress, StopReason, Verdict};
use crate::util::{Rng, Seed};
use watchdog::Watchdog;

/// Searches positions over an evaluator, and remembers the tree of the last one.
pub struct Search {
    evaluator: Arc<dyn Evaluator>,
    params: SearchParams,
    seed: Seed,
    searches: u64,
    kept: Option<Kept>,
    /// Memory of a tree that is gone.
    spare: Option<Words>,
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
        Self { evaluator, params, seed, searches: 0, kept: None, spare: None, trace: Vec::new() }
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
        self.evaluator.begin_search(position);
        let line = request.line.cloned();
        let mut rng = self.seed.fork("search", self.searches).rng();
        self.searches += 1;
        let owners: Vec<_> = (0..self.params.thread_count())
            .map(|_| Mutex::new(Criticality::new(position.size())))
            .collect();
        let evaluation = self.evaluate_root(position)?;
        let amaf = self.params.rave > 0.0 && evaluation.first_moves.is_some();
        let mut tree = self.tree_for(request.line, amaf);
        add_owners(&owners[0], position, &evaluation);
        let mut memory = Memory::new(tree.reserve());
        let mut shared = Shared::new(tree, position.clone(), &self.params, request.simulations);
        shared.begin(&evaluation, &self.params, request.allowed, (&mut memory, &mut rng));
        let view = View {
            shared: &shared,
            owners: &owners,
            params: &self.params,
            has_score: evaluation.score.is_some(),
        };
        let report = view.run(self.evaluator.as_ref(), request, memory)?;
        self.trace = shared.trace.as_ref().map(Ring::entries).unwrap_or_default();
        match line {
            Some(line) => self.kept = Some(Kept { line, tree: shared.tree }),
            None => self.spare = Some(shared.tree.into_words()),
        }
        Ok(report)
    }

    /// The part of the last tree that begins with the position at the end of the line, or a new one.
    fn tree_for(&mut self, line: Option<&Line>, amaf: bool) -> Tree {
        let memory = self.params.memory();
        let spare = self.spare.take().filter(|words| words.is_for(memory));
        let words = spare.unwrap_or_else(|| Words::new(memory, memory));
        let fresh = |words| Tree::in_words(words, amaf);
        let Some(Kept { line: old, tree }) = self.kept.take() else { return fresh(words) };
        // A Gumbel root's schedule begins with a root that nobody has visited.
        let usable =
            self.params.keep_tree && self.params.gumbel().is_none() && tree.has_amaf() == amaf;
        let moves = line.filter(|_| usable).and_then(|line| line.since(&old));
        if moves.as_ref().is_some_and(Vec::is_empty) {
            self.spare = Some(words);
            return tree;
        }
        let next = match moves.and_then(|moves| tree.descendant(moves)) {
            Some(node) => tree.rooted_at(node, words),
            None => fresh(words),
        };
        self.spare = Some(tree.into_words());
        next
    }

    /// What the evaluator says of the root as it is, its moves included.
    fn evaluate_upright(&self, position: &Position) -> Result<Evaluation, EvalError> {
        let mut evaluation = self.evaluator.evaluate(&[position])?.swap_remove(0);
        if evaluation.policy == Policy::OnDemand {
            evaluation.policy = self.evaluator.policy(position);
        }
        Ok(evaluation)
    }

    /// What the evaluator says of the root, over all symmetries if the parameters ask for it.
    fn evaluate_root(&self, position: &Position) -> Result<Evaluation, EvalError> {
        if !self.params.root_symmetries {
            return self.evaluate_upright(position);
        }
        let size = position.size();
        let symmetries = Symmetry::for_size(size);
        let turned: Vec<_> = symmetries.iter().map(|&symmetry| position.turned(symmetry)).collect();
        let answers = self.evaluator.evaluate(&turned.iter().collect::<Vec<_>>())?;
        let share = 1.0 / answers.len() as f32;
        let (mut points, mut pass) = (vec![0.0; size.area()], 0.0);
        let (mut value, mut score) = (0.0, None);
        for (&symmetry, answer) in symmetries.iter().zip(&answers) {
            if !matches!(answer.policy, Policy::Weights { .. }) {
                return self.evaluate_upright(position);
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
            first_moves: None,
        })
    }
}

fn add_owners(owners: &Mutex<Criticality>, position: &Position, evaluation: &Evaluation) {
    owners.lock().unwrap_or_else(PoisonError::into_inner).add(position.to_move(), evaluation, 0);
}

impl View<'_> {
    /// Runs the workers, asks the rule after every batch of this thread's own worker, and ends them.
    fn run(
        &self,
        evaluator: &dyn Evaluator,
        request: Request<'_>,
        memory: Memory,
    ) -> Result<SearchReport, EvalError> {
        let Request { rule, clock, simulations, mut observer, deadline, .. } = request;
        let choices = self.choices();
        let mut leader = Worker::new(self.shared, evaluator, &self.owners[0], memory);
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
            let mut others = self.owners.iter().enumerate().skip(1);
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
                for (number, owners) in others.by_ref() {
                    let failure = &failure;
                    scope.spawn(move || {
                        let mut worker =
                            Worker::new(self.shared, evaluator, owners, Memory::of_thread(number));
                        let ended = worker.run();
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
}

impl Shared {
    /// A search of a position in a tree, of so many simulations at the most.
    pub(super) fn new(
        tree: Tree,
        position: Position,
        params: &SearchParams,
        simulations: Option<u64>,
    ) -> Self {
        let counts = tree.node(tree.root()).counts();
        let most = |simulations| counts.passed().saturating_add(simulations);
        Self {
            tree,
            position,
            formula: Formula::new(params, false),
            root: RootRule::Plain,
            batch: params.batch,
            expand_visits: params.expand_visits,
            solve: 0,
            most: simulations.map_or(u64::MAX, most),
            trace: (params.trace > 0).then(|| Ring::new(params.trace)),
            before: counts.visits,
            stop: AtomicBool::new(false),
        }
    }

    /// Takes what the evaluator says of the root: the first simulation, if nobody has done it yet.
    pub(super) fn begin(
        &mut self,
        evaluation: &Evaluation,
        params: &SearchParams,
        allowed: &dyn Fn(Move) -> bool,
        (memory, rng): (&mut Memory, &mut Rng),
    ) {
        let root = self.tree.root();
        // Later moves tell moves apart, too: where they do, UCB1 explores too much.
        let informed = evaluation.policy.is_informed() || self.tree.has_amaf();
        self.formula = Formula::new(params, informed);
        // Playouts are faster than a solver.
        let network = matches!(evaluation.policy, Policy::Weights { .. });
        self.solve = if network { params.solve } else { 0 };
        let node = self.tree.node(root);
        if node.claim() {
            self.open(root, &self.position, evaluation, memory);
            self.back_up_root(evaluation);
        } else if let Stage::Seen(plain) = node.stage()
            && node.claim_seen(plain)
        {
            self.open(root, &self.position, evaluation, memory);
        }
        if let Some(block) = self.tree.moves(root) {
            self.root = RootRule::new(block, params, allowed, evaluation.value, rng);
            if self.root.needs_children() {
                block.create(block.len() - 1, &mut memory.reserve);
            }
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
