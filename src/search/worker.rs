//! What each thread of a search does: descend, evaluate, grow, and carry the result back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::leaf::{Leaf, Memory};
use super::limits::Limits;
use super::moves::sorted_moves;
use super::owners::Owners;
use super::proof::{prove_upwards, result};
use super::report::Proof;
use super::root::RootRule;
use super::select::Formula;
use super::solve::Solver;
use super::trace::Ring;
use super::tree::{NodeId, Plain, Stage, Tree};
use crate::eval::{EvalError, Evaluation, Evaluator, Policy, Value};
use crate::game::{Game, Position};

/// What the threads of one search share.
pub(super) struct Shared {
    pub(super) tree: Tree,
    pub(super) position: Position,
    pub(super) formula: Formula,
    pub(super) root: RootRule,
    /// Moves that are not written down.
    pub(super) limits: Limits,
    pub(super) batch: usize,
    /// Visits of a node before its moves are written down, where that needs no evaluation.
    pub(super) expand_visits: u32,
    /// Positions that a solver may look at for each leaf, 0 for no solver.
    pub(super) solve: u32,
    /// Visits of the root at the most.
    pub(super) most: u64,
    pub(super) trace: Option<Ring>,
    /// Visits of the root before the search.
    pub(super) before: u32,
    pub(super) stop: AtomicBool,
}

/// One thread's part of a search.
pub(super) struct Worker<'a> {
    shared: &'a Shared,
    evaluator: &'a dyn Evaluator,
    memory: Memory,
    leaves: Vec<Leaf>,
    batches: u32,
    owners: &'a Mutex<Owners>,
}

/// How many batches a thread does before it makes room for others.
const BATCHES_BETWEEN_TURNS: u32 = 64;

/// Descents that may come to a node in the hands of another thread before one waits for it. Each leaves
/// its marks until another way is found, so that the next goes elsewhere.
const DETOURS: usize = 32;

/// How long it then sleeps. To yield instead could cost it a whole time slice on a busy machine.
const PAUSE: Duration = Duration::from_micros(50);

/// How long a thread that rests sleeps before it looks whether it is wanted.
const REST: Duration = Duration::from_millis(2);

/// Visits of a node from which descents under way are not marked in it, but where simulations are
/// counted: they change nothing that matters, and each mark makes the other threads wait for the node.
pub(super) const BUSY: u32 = 1024;

/// What a descent came to.
pub(super) enum Descent {
    /// A leaf that the evaluator is to be asked about.
    Leaf,
    /// A node whose value is known exactly.
    Known(Proof),
    /// A node that another descent is about to evaluate.
    Taken,
    /// No further than the root: as many simulations as allowed are under way.
    Enough,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        shared: &'a Shared,
        evaluator: &'a dyn Evaluator,
        owners: &'a Mutex<Owners>,
        memory: Memory,
    ) -> Self {
        Self { shared, evaluator, memory, leaves: Vec::new(), batches: 0, owners }
    }

    /// Runs batches until the search is to stop, or nothing is left to be found, but none while it rests.
    pub(super) fn run(&mut self, rests: impl Fn() -> bool) -> Result<(), EvalError> {
        // Ordering: the flag carries no data.
        while !self.shared.stop.load(Ordering::Relaxed) && !self.shared.is_over() {
            if rests() {
                std::thread::sleep(REST);
            } else {
                self.run_batch()?;
            }
        }
        self.count();
        Ok(())
    }

    /// Counts the nodes that this thread has made.
    pub(super) fn count(&mut self) {
        self.shared.tree.count(&mut self.memory.reserve);
    }

    /// Lets other threads of the machine have a turn now and then: those that read the input wait
    /// for whole slices of time otherwise, where all cores are searching.
    fn make_room(&mut self) {
        self.batches = self.batches.wrapping_add(1);
        if self.batches.is_multiple_of(BATCHES_BETWEEN_TURNS) {
            std::thread::yield_now();
        }
    }

    /// Does a batch of simulations: all leaves are evaluated together.
    pub(super) fn run_batch(&mut self) -> Result<(), EvalError> {
        self.make_room();
        match self.gather() {
            0 => Ok(()),
            pending => self.evaluate(pending),
        }
    }

    /// Descends to the leaves of a batch, and returns how many there are.
    fn gather(&mut self) -> usize {
        let (mut pending, mut tries, mut detours) = (0, 0, Vec::new());
        let ask = |position: &Position| self.evaluator.policy(position);
        while tries < self.shared.batch && detours.len() < DETOURS {
            self.leaf(pending);
            let leaf = &mut self.leaves[pending];
            match self.shared.descend(leaf, &mut self.memory, &ask) {
                Descent::Leaf => pending += 1,
                Descent::Known(proof) => self.shared.know(leaf, proof),
                Descent::Taken if pending == 0 => {
                    self.shared.unmark_root(leaf);
                    detours.push(self.leaves.swap_remove(0));
                    continue;
                }
                // Whoever has a leaf of its own does not look for others.
                Descent::Taken | Descent::Enough => {
                    self.shared.turn_back(leaf);
                    if pending == 0 {
                        std::thread::yield_now();
                    }
                    break;
                }
            }
            tries += 1;
        }
        let nowhere = detours.len() == DETOURS;
        for leaf in detours {
            self.shared.turn_back(&leaf);
            self.leaves.push(leaf);
        }
        if nowhere {
            std::thread::sleep(PAUSE);
        }
        pending
    }

    /// Makes sure that there is a leaf with this index, at the root.
    fn leaf(&mut self, index: usize) {
        let position = &self.shared.position;
        match self.leaves.get_mut(index) {
            Some(leaf) => leaf.position.clone_from(position),
            None => self.leaves.push(Leaf::new(position.clone())),
        }
    }

    /// Asks the evaluator about the leaves, gives them moves, and carries their values back.
    fn evaluate(&mut self, count: usize) -> Result<(), EvalError> {
        let leaves = &self.leaves[..count];
        let mut unknown = Vec::with_capacity(count);
        for leaf in leaves {
            if !self.shared.decide(leaf, &mut self.memory.solver) {
                unknown.push(leaf);
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        let positions: Vec<_> = unknown.iter().map(|leaf| &leaf.position).collect();
        let answers = match self.evaluator.evaluate(&positions) {
            Ok(answers) => answers,
            Err(error) => {
                for leaf in unknown {
                    self.shared.give_up(leaf);
                }
                return Err(error);
            }
        };
        for (leaf, answer) in unknown.into_iter().zip(&answers) {
            self.shared.grow(leaf, answer, &mut self.memory);
            if answer.ownership.is_some() {
                // A panic elsewhere cannot leave a sum half done.
                let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
                owners.add(leaf, answer);
            }
        }
        Ok(())
    }
}

impl Shared {
    /// Follows the best moves from the root to a leaf. `ask` tells which moves look good where that
    /// was left open.
    pub(super) fn descend(
        &self,
        leaf: &mut Leaf,
        memory: &mut Memory,
        ask: &dyn Fn(&Position) -> Policy,
    ) -> Descent {
        let Shared { tree, root: rule, .. } = self;
        let formula = self.formula.taking(memory.equals);
        let Leaf { position, path, first, unmarked } = leaf;
        let mut id = tree.root();
        path.clear();
        *first = None;
        *unmarked = 0;
        loop {
            let node = tree.node(id);
            // Nodes have fewer visits from step to step: those without a mark are the first ones.
            let busy = self.most == u64::MAX && *unmarked == path.len();
            let before = match node.counts() {
                counts if busy && counts.visits >= BUSY => {
                    *unmarked += 1;
                    counts
                }
                _ => node.enter(),
            };
            path.push(id);
            let at_root = path.len() == 1;
            if at_root && before.passed() >= self.most {
                return Descent::Enough;
            }
            if let Some(proof) = node.proof()
                && !at_root
            {
                return Descent::Known(proof);
            }
            let stage = node.stage();
            if matches!(stage, Stage::Open(_) | Stage::Seen(_))
                && path.len() >= formula.longest_path(position)
            {
                return Descent::Leaf;
            }
            let block = match stage {
                Stage::Open(block) => tree.block(block),
                // Whoever has seen it may not have come back yet.
                Stage::Seen(_) if before.passed() < self.expand_visits.into() => {
                    return Descent::Leaf;
                }
                Stage::Seen(plain) if node.claim_seen(plain) => {
                    let policy = plain.policy().unwrap_or_else(|| ask(position));
                    self.write_moves((id, path.len() - 1), position, &policy, memory);
                    let Some(block) = tree.moves(id) else {
                        if node.stage() == Stage::Closed {
                            return Descent::Leaf;
                        }
                        // Without memory for moves, the node itself is evaluated again.
                        node.see(plain);
                        return Descent::Leaf;
                    };
                    block
                }
                Stage::Closed => return Descent::Leaf,
                Stage::New if node.claim() => return Descent::Leaf,
                Stage::New | Stage::Claimed | Stage::Seen(_) => return Descent::Taken,
            };
            let choice = if at_root {
                rule.select(formula, node, block)
            } else {
                formula.select(node, block)
            };
            // Without memory for a child, the node itself is evaluated again.
            let Some(child) = block.create(choice, &mut memory.reserve) else {
                return Descent::Leaf;
            };
            if at_root {
                *first = Some(choice);
            }
            id = child;
            tree.fetch_moves(id);
            position.play_legal(position.to_move(), tree.node(id).mv());
        }
    }

    /// Counts a descent to a node whose value is known exactly.
    pub(super) fn know(&self, leaf: &Leaf, proof: Proof) {
        let score = self.tree.node(leaf.end()).score();
        prove_upwards(&self.tree, &leaf.path, proof);
        self.back_up(leaf, proof.value(), score);
    }

    /// Counts a descent to the end of a game, or to where it can be foreseen; whether it is one.
    pub(super) fn decide(&self, leaf: &Leaf, solver: &mut Solver) -> bool {
        let node = self.tree.node(leaf.end());
        let (proof, score) = if let Some(end) = result(&leaf.position) {
            node.prove(end.0);
            node.close();
            end
        } else if let Some(proof) = solver.solve(&leaf.position, self.solver_nodes(leaf)) {
            node.prove(proof);
            // The next search may begin there and want its moves.
            if node.stage() == Stage::Claimed {
                node.unclaim();
            }
            (proof, 0.0)
        } else {
            return false;
        };
        prove_upwards(&self.tree, &leaf.path, proof);
        self.back_up(leaf, proof.value(), score);
        true
    }

    /// Counts a descent to a leaf that was evaluated, and gives it moves if it has none.
    pub(super) fn grow(&self, leaf: &Leaf, evaluation: &Evaluation, memory: &mut Memory) {
        let id = leaf.end();
        let node = self.tree.node(id);
        if node.stage() == Stage::Claimed {
            match Plain::of(&evaluation.policy) {
                Some(plain) if !is_end(&leaf.position) => node.see(plain),
                _ => self.open(leaf, evaluation, memory),
            }
        }
        if let (true, Some(first)) = (self.tree.has_amaf(), &evaluation.first_moves) {
            self.back_up_amaf(leaf, evaluation.value, first, &mut memory.first);
        }
        self.back_up(leaf, evaluation.value, evaluation.score.unwrap_or(0.0));
    }

    /// Takes the mark of a descent off the root, where marks count for simulations.
    fn unmark_root(&self, leaf: &mut Leaf) {
        if leaf.has_marked(0) {
            self.tree.node(self.tree.root()).leave();
            leaf.unmarked = 1;
        }
    }

    /// Undoes a descent that came to nothing.
    pub(super) fn turn_back(&self, leaf: &Leaf) {
        for (depth, &id) in leaf.path.iter().enumerate() {
            if leaf.has_marked(depth) {
                self.tree.node(id).leave();
            }
        }
    }

    /// Positions that a solver may look at for a leaf: it knows nothing of limits.
    fn solver_nodes(&self, leaf: &Leaf) -> u32 {
        let limited = (self.limits.reach() as usize) > leaf.depth();
        if limited { 0 } else { self.solve }
    }

    /// Gives the claimed node at the end of a path the moves of its position.
    pub(super) fn open(&self, leaf: &Leaf, evaluation: &Evaluation, memory: &mut Memory) {
        if is_end(&leaf.position) {
            self.tree.node(leaf.end()).close();
            return;
        }
        let node = (leaf.end(), leaf.depth());
        self.write_moves(node, &leaf.position, &evaluation.policy, memory);
    }

    /// Writes the moves of a claimed node down that may be considered, so many plies below the root. It never gets
    /// any if there are none.
    fn write_moves(
        &self,
        (id, ply): (NodeId, usize),
        position: &Position,
        policy: &Policy,
        memory: &mut Memory,
    ) {
        let limits = self.limits.at(position.to_move(), ply);
        sorted_moves(position, policy, limits, &mut memory.moves);
        if memory.moves.is_empty() {
            self.tree.node(id).close();
        } else {
            self.tree.open(id, &memory.moves, &mut memory.reserve);
        }
    }

    /// The path that ends at the root.
    pub(super) fn root_leaf(&self) -> Leaf {
        Leaf { path: vec![self.tree.root()], ..Leaf::new(self.position.clone()) }
    }

    /// Counts the evaluation of the root as the first simulation.
    pub(super) fn back_up_root(&self, leaf: &Leaf, evaluation: &Evaluation) {
        self.tree.node(leaf.end()).enter();
        self.back_up(leaf, evaluation.value, evaluation.score.unwrap_or(0.0));
    }

    /// Adds the value of a leaf, for the side to move there, to all nodes on the way to it.
    fn back_up(&self, leaf: &Leaf, mut value: Value, mut score: f32) {
        for (depth, &id) in leaf.path.iter().enumerate().rev() {
            self.tree.node(id).record(value, score, leaf.has_marked(depth));
            (value, score) = (value.flipped(), -score);
        }
        if let Some(trace) = &self.trace {
            // Flipped once too often: it stands for the player above the root.
            trace.add(leaf.first, value.flipped());
        }
    }

    /// Undoes a descent whose leaf could not be evaluated.
    fn give_up(&self, leaf: &Leaf) {
        let last = self.tree.node(leaf.end());
        if last.stage() == Stage::Claimed {
            last.unclaim();
        }
        self.turn_back(leaf);
    }
}

/// Whether a game of Go is over, and there are no moves to be searched.
fn is_end(position: &Position) -> bool {
    position.rules().game == Game::Go && position.is_over()
}
