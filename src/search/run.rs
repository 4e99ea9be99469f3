//! A search from beginning to end.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::leaf::Memory;
use super::limits::Limits;
use super::owners::Owners;
use super::params::SearchParams;
use super::pool::{Job, Pool};
use super::report::SearchReport;
use super::request::{Line, Request};
use super::root::RootRule;
use super::select::Formula;
use super::trace::{Ring, TraceEntry};
use super::tree::{Stage, Tree};
use super::view::View;
use super::words::{Supply, Words};
use super::worker::{Shared, Worker};
use crate::eval::{EvalError, Evaluation, Evaluator, Policy, Value};
use crate::game::{Move, Position, Symmetry};
use crate::timeman::StopReason;
use crate::util::{Rng, Seed};

/// Searches positions over an evaluator, and remembers the tree of the last one.
pub struct Search {
    evaluator: Arc<dyn Evaluator>,
    params: SearchParams,
    seed: Seed,
    searches: u64,
    kept: Option<Kept>,
    /// The memory of all trees.
    supply: Arc<Supply>,
    /// Room for a tree, from one that is gone.
    spare: Option<Words>,
    /// Searches before the last one whose threads had not finished when their tree was wanted.
    unsettled: Vec<Arc<Job>>,
    pool: Pool,
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

/// The next search waits for late threads at most one part in so many of its time, and at most the time below. Then
/// it begins with a new tree.
const WAIT_DIVISOR: u32 = 4;
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// Quarters of its memory that a tree grows to. The rest is for what is kept of it after the next moves: the copy has to
/// stand beside it for a moment.
const GROWTH_IN_4: usize = 3;

impl Search {
    /// A search whose random choices start from a seed.
    #[must_use]
    pub fn new(evaluator: Arc<dyn Evaluator>, params: SearchParams, seed: Seed) -> Self {
        Self {
            evaluator,
            supply: Supply::new(params.memory()),
            params,
            seed,
            searches: 0,
            kept: None,
            spare: None,
            unsettled: Vec::new(),
            pool: Pool::new(),
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

    /// Searches for the best move of the side to move until it is told to stop. The position itself is evaluated
    /// in any case.
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
        self.wait_for_tree(&request);
        self.unsettled.retain(|job| Arc::strong_count(job) > 1);
        let limits = request.limits.after(0, position.to_move());
        let mut tree = self.tree_for(request.line, &limits, amaf);
        tree.begin();
        let mut memory = Memory::new(tree.reserve());
        let mut shared = Shared::new(tree, position.clone(), &self.params, request.simulations);
        shared.limits = limits;
        if self.params.batch == 0 {
            shared.batch = self.evaluator.search_batch(position);
        }
        shared.begin(&evaluation, &self.params, (&mut memory, &mut rng));
        let owners = Owners::new(position.size(), request.owner_spreads);
        let mut owners = vec![owners; self.params.thread_count()];
        owners[0].add(&shared.root_leaf(), &evaluation);
        let owners = owners.into_iter().map(Mutex::new).collect();
        let caller_works = request.deadline.is_none();
        let evaluator = Arc::clone(&self.evaluator);
        let job = Arc::new(Job::new(shared, evaluator, owners, memory, caller_works));
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

    /// Waits a while for threads that are still at work on the last tree, if that can be searched on.
    fn wait_for_tree(&self, request: &Request<'_>) {
        let Some(Kept { line: Some(old), job }) = &self.kept else { return };
        let usable = |line: &Line| self.keeps_trees() && line.since(old).is_some();
        if request.line.is_some_and(usable) {
            let left =
                request.deadline.map(|deadline| deadline.saturating_sub(request.clock.elapsed(0)));
            self.pool.settle(job, left.map(|left| (left / WAIT_DIVISOR).min(LONGEST_WAIT)));
        }
    }

    /// Whether a search may go on in the tree of the one before. A Gumbel root's schedule begins with a root
    /// that nobody has visited.
    fn keeps_trees(&self) -> bool {
        self.params.keep_tree && self.params.gumbel().is_none()
    }

    /// Runs a job, asks now and then whether to stop, and reports at the end.
    fn lead(
        &mut self,
        job: &Arc<Job>,
        request: Request<'_>,
        has_score: bool,
    ) -> Result<SearchReport, EvalError> {
        let Request { stop, clock, simulations, mut observer, deadline, also_one_move, .. } =
            request;
        let (shared, owners) = (&job.shared, job.owners.as_slice());
        let before = clock.elapsed(0);
        let view = View { shared, owners, params: &self.params, has_score, before };
        let now = || view.progress(clock, simulations);
        let mut running = self.pool.running(job);
        let mut caller = match deadline {
            None => Caller::Works(job.next_worker().expect("invariant: the first is wanted").1),
            Some(deadline) => Caller::Sleeps(deadline),
        };
        // A move that is the only one because of limits is looked at.
        let limited = shared.limits.at(shared.position.to_move(), 0).is_some();
        let only_move = view.choices() < if also_one_move || limited { 1 } else { 2 };
        let reason = loop {
            if only_move {
                break StopReason::OnlyMove;
            }
            let progress = now();
            if let Some(reason) = view.end(stop, &progress) {
                break reason;
            }
            match &mut caller {
                Caller::Works(worker) => {
                    worker.run_batch()?;
                    running.begin()?;
                }
                Caller::Sleeps(deadline) => {
                    let left = deadline.saturating_sub(progress.elapsed);
                    if left.is_zero() {
                        break StopReason::Deadline;
                    }
                    running.begin()?;
                    running.look(progress.elapsed);
                    running.wait(LOOK.min(left));
                }
            }
            if let Some(observer) = &mut observer {
                observer.look(&progress, &|| view.report(&progress, None));
            }
        };
        drop(running);
        if let Caller::Works(mut worker) = caller {
            worker.count();
            self.pool.settle(job, None);
        }
        if let Some(error) = job.failure() {
            return Err(error);
        }
        Ok(view.report(&now(), Some(reason)))
    }

    /// The part of the last tree that begins with the position at the end of the line, or a new tree: also
    /// where the last one was grown under other limits of moves.
    fn tree_for(&mut self, line: Option<&Line>, limits: &Limits, amaf: bool) -> Tree {
        let kept = self.kept.take().and_then(|kept| self.settled(kept));
        let room = self.supply.bytes() / 4 * GROWTH_IN_4;
        let words = self.spare.take().unwrap_or_else(|| Words::new(&self.supply, room));
        let fresh = |words| Tree::in_words(words, amaf);
        let Some((old, shared)) = kept else { return fresh(words) };
        let Shared { tree, limits: grown, .. } = shared;
        let usable = self.keeps_trees() && tree.has_amaf() == amaf;
        let moves = line.filter(|_| usable).zip(old).and_then(|(line, old)| {
            let moves = line.since(&old)?;
            (grown.after(moves.len(), line.to_move) == *limits).then_some(moves)
        });
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

    /// What the threads of an earlier search shared, if nobody is at work on it any more.
    fn settled(&mut self, Kept { line, job }: Kept) -> Option<(Option<Line>, Shared)> {
        match Arc::try_unwrap(job) {
            // A thread that failed after the report has left the tree in disorder.
            Ok(job) => job.failure().is_none().then_some((line, job.shared)),
            Err(job) => {
                self.unsettled.push(job);
                None
            }
        }
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
            limits: Limits::default(),
            batch: params.batch.max(1),
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
        (memory, rng): (&mut Memory, &mut Rng),
    ) {
        let root = self.tree.root();
        // Statistics of RAVE tell moves apart, too: where there are some, UCB1 explores too much.
        let informed = evaluation.policy.is_informed() || self.tree.has_amaf();
        self.formula = Formula::new(params, informed);
        // Playouts are faster than a solver.
        let network = matches!(evaluation.policy, Policy::Weights { .. });
        self.solve = if network { params.solve } else { 0 };
        let node = self.tree.node(root);
        let leaf = self.root_leaf();
        if node.claim() {
            self.open(&leaf, evaluation, memory);
            self.back_up_root(&leaf, evaluation);
        } else if let Stage::Seen(plain) = node.stage()
            && node.claim_seen(plain)
        {
            self.open(&leaf, evaluation, memory);
        }
        if let Some(block) = self.tree.moves(root) {
            self.root = RootRule::new(block, params, evaluation.value, rng);
            if self.root.needs_children() {
                block.create(block.len() - 1, &mut memory.reserve);
            }
        }
    }
}

#[cfg(test)]
mod tests;
