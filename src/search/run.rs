//! A search from beginning to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::crew::{Crew, Job};
use super::leaf::Memory;
use super::params::SearchParams;
use super::report::SearchReport;
use super::request::{Line, Request};
use super::root::RootRule;
use super::select::Formula;
use super::trace::{Ring, TraceEntry};
use super::tree::{Stage, Tree};
use super::view::View;
use super::words::Words;
use super::worker::{Shared, Worker};
use crate::eval::{Criticality, EvalError, Evaluation, Evaluator, Policy, Value};
use crate::game::{Move, Position, Symmetry};
use crate::timeman::{Progress, StopReason, StopRule, Verdict};
use crate::util::{Rng, Seed};

/// Searches positions over an evaluator, and remembers the tree of the last one.
pub struct Search {
    evaluator: Arc<dyn Evaluator>,
    params: SearchParams,
    seed: Seed,
    searches: u64,
    kept: Option<Kept>,
    /// Memory of a tree that is gone.
    spare: Option<Words>,
    /// Searches before the last one whose threads had not finished when their tree was wanted.
    unsettled: Vec<Arc<Job>>,
    crew: Crew,
    trace: Vec<TraceEntry>,
}

/// An earlier search with its tree, on which a thread that was late may still be at work.
struct Kept {
    /// How its position came about; none where nobody can find it again.
    line: Option<Line>,
    job: Arc<Job>,
}

/// How often a thread that sleeps until the deadline looks whether the search can end before.
const LOOK: Duration = Duration::from_millis(2);

/// Threads that are late are not waited for longer than this share of the time for the next search. Then
/// that begins with a new tree.
const PATIENCE: u32 = 4;

impl Search {
    /// A search whose random choices start from a seed.
    #[must_use]
    pub fn new(evaluator: Arc<dyn Evaluator>, params: SearchParams, seed: Seed) -> Self {
        Self {
            evaluator,
            params,
            seed,
            searches: 0,
            kept: None,
            spare: None,
            unsettled: Vec::new(),
            crew: Crew::new(),
            trace: Vec::new(),
        }
    }

    /// Forgets the tree of the last search.
    pub fn forget(&mut self) {
        self.unsettled.extend(self.kept.take().map(|kept| kept.job));
        self.unsettled.retain(|job| Arc::strong_count(job) > 1);
    }

    /// The newest simulations of the last search, oldest first, as many as the parameters ask for.
    #[must_use]
    pub fn trace(&self) -> &[TraceEntry] {
        &self.trace
    }

    /// Searches for the best move of the side to move until the rule says stop. Whatever the rule
    /// says, the position itself is evaluated.
    ///
    /// Without a deadline the calling thread is one of those that search, and all have finished at the
    /// end. With a deadline it sleeps, so that it is there when the time has come, and waits for nobody.
    pub fn run(
        &mut self,
        position: &Position,
        request: Request<'_>,
    ) -> Result<SearchReport, EvalError> {
        self.evaluator.begin_search(position);
        let mut rng = self.seed.fork("search", self.searches).rng();
        self.searches += 1;
        let evaluation = self.evaluate_root(position)?;
        let amaf = self.params.rave > 0.0 && evaluation.first_moves.is_some();
        if let Some(kept) = &self.kept {
            self.crew.settle(&kept.job, request.deadline.map(|deadline| deadline / PATIENCE));
        }
        let mut tree = self.tree_for(request.line, amaf);
        tree.set_limit(self.memory());
        let mut memory = Memory::new(tree.reserve());
        let mut shared = Shared::new(tree, position.clone(), &self.params, request.simulations);
        shared.begin(&evaluation, &self.params, request.allowed, (&mut memory, &mut rng));
        let mut owners = vec![Criticality::new(position.size()); self.params.thread_count()];
        owners[0].add(position.to_move(), &evaluation, 0);
        let owners = owners.into_iter().map(Mutex::new).collect();
        let outside = usize::from(request.deadline.is_none());
        let evaluator = Arc::clone(&self.evaluator);
        let job = Arc::new(Job::new(shared, evaluator, owners, memory, outside));
        let line = request.line.cloned();
        let found = self.lead(&job, request, evaluation.score.is_some());
        if found.is_ok() {
            self.trace = job.shared.trace.as_ref().map(Ring::entries).unwrap_or_default();
            self.kept = Some(Kept { line, job });
        } else {
            self.unsettled.push(job);
        }
        found
    }

    /// Has a job done, asks the rule now and then, and reports when it says stop.
    fn lead(
        &mut self,
        job: &Arc<Job>,
        request: Request<'_>,
        has_score: bool,
    ) -> Result<SearchReport, EvalError> {
        let Request { rule, clock, simulations, mut observer, deadline, .. } = request;
        let (shared, owners) = (&job.shared, job.owners.as_slice());
        let view = View { shared, owners, params: &self.params, has_score };
        let now = || view.progress(clock, simulations);
        let mut progress = now();
        let mut shift = self.crew.shift(job);
        let mut caller = match deadline {
            None => Caller::Works(job.worker(0)),
            Some(deadline) => Caller::Sleeps(deadline),
        };
        let only_move = view.choices() < 2;
        let reason = loop {
            if only_move {
                break StopReason::OnlyMove;
            }
            progress = now();
            if let Some(reason) = view.end(rule, &progress) {
                break reason;
            }
            match &mut caller {
                Caller::Works(worker) => {
                    worker.run_batch()?;
                    shift.begin()?;
                }
                Caller::Sleeps(deadline) => {
                    let left = deadline.saturating_sub(progress.elapsed);
                    if left.is_zero() {
                        break StopReason::Deadline;
                    }
                    shift.begin()?;
                    shift.wait(LOOK.min(left));
                    shift.look(progress.elapsed);
                }
            }
            if let Some(observer) = &mut observer {
                observer.look(&progress, &|| view.report(&progress, None));
            }
        };
        drop(shift);
        if let Caller::Works(mut worker) = caller {
            worker.count();
            self.crew.settle(job, None);
        }
        if let Some(error) = job.failure() {
            return Err(error);
        }
        let last = now();
        let elapsed = progress.elapsed.max(last.elapsed);
        Ok(view.report(&Progress { elapsed, ..last }, Some(reason)))
    }

    /// The part of the last tree that begins with the position at the end of the line, or a new one.
    fn tree_for(&mut self, line: Option<&Line>, amaf: bool) -> Tree {
        let kept = self.kept.take().and_then(|kept| self.settled(kept));
        let memory = self.params.memory();
        let spare = self.spare.take().filter(|words| words.is_for(memory));
        let words = spare.unwrap_or_else(|| Words::new(memory, memory));
        let fresh = |words| Tree::in_words(words, amaf);
        let Some((old, tree)) = kept else { return fresh(words) };
        // A Gumbel root's schedule begins with a root that nobody has visited.
        let usable =
            self.params.keep_tree && self.params.gumbel().is_none() && tree.has_amaf() == amaf;
        let moves = line.filter(|_| usable).zip(old).and_then(|(line, old)| line.since(&old));
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

    /// The tree of an earlier search, if nobody is at work on it any more.
    fn settled(&mut self, Kept { line, job }: Kept) -> Option<(Option<Line>, Tree)> {
        match Arc::try_unwrap(job) {
            Ok(job) => Some((line, job.shared.tree)),
            Err(job) => {
                self.unsettled.push(job);
                None
            }
        }
    }

    /// Bytes that a tree may take beside those that threads are still at work on.
    fn memory(&mut self) -> usize {
        self.unsettled.retain(|job| Arc::strong_count(job) > 1);
        let in_use: usize = self.unsettled.iter().map(|job| job.shared.tree.memory()).sum();
        self.params.memory().saturating_sub(in_use)
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

impl View<'_> {
    /// Why the search is to end before its deadline, if it is.
    fn end(&self, rule: &mut dyn StopRule, progress: &Progress<'_>) -> Option<StopReason> {
        if self.shared.proof().is_some() {
            return Some(StopReason::Proven);
        }
        if let Verdict::Stop(reason) = rule.check(progress) {
            return Some(reason);
        }
        if progress.simulations_left == Some(0) {
            return Some(StopReason::Simulations);
        }
        // Ordering: with the flag the failure of a thread is seen.
        self.shared.stop.load(Ordering::Acquire).then_some(StopReason::Interrupted)
    }
}

/// What the thread that called a search does meanwhile.
enum Caller<'a> {
    Works(Worker<'a>),
    /// Until this time.
    Sleeps(Duration),
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

#[cfg(test)]
mod tests;
