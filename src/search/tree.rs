//! The tree: nodes in one memory, addressed by index, with statistics that many threads add to.
//!
//! A node is a record of a few words. Its moves stand in a block of their own, sorted by prior, and
//! the children are made in that order when they are visited for the first time, in segments that
//! double in size, so that the children of a node lie side by side.

mod block;
mod node;

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use block::HEADER;
pub(super) use block::{Block, BlockId};

use super::words::{Reserve, Supply, Words};
use crate::eval::Policy;
use crate::game::Move;

/// Values and their squares are summed as integers, so that sums do not depend on the order of
/// their parts.
const FIXED_POINT: f32 = 16_777_216.0;

/// The same for scores in points.
const SCORE_POINT: f32 = 256.0;

/// A node by its place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

/// Words of a node that every selection looks at: half a cache line.
const NODE: usize = 4;
/// Visits in the low half, descents under way in the high half.
const COUNTS: usize = 0;
/// Sum of the values for the side to move at the node.
const VALUES: usize = 1;
/// How the node is reached, prior and move; where its other words are; and what is proven of it.
const EDGE: usize = 2;
/// The block of the moves in the low half, and flags.
const MOVES: usize = 3;

/// Words of a node that are seldom looked at; those of a segment follow the others.
const REST: usize = 2;
/// Sum of the squares of the values.
const SQUARES: usize = 0;
/// Sum of the scores for the side to move at the node.
const SCORES: usize = 1;

/// The bits of [`EDGE`] for what is proven.
const PROOF: u64 = 3;
/// The bits of [`EDGE`] for the distance from the node to its other words.
const DISTANCE: u64 = 0xFFFC;

const IN_FLIGHT: u64 = 1 << 32;
/// Somebody evaluates the node for the first time.
const CLAIMED: u64 = 1 << 32;
/// The node never gets moves: the game is over there.
const CLOSED: u64 = 1 << 33;
/// The node was evaluated, and its moves can be written down without the evaluator.
const SEEN: u64 = 1 << 34;
/// With [`SEEN`]: moves that fill an own eye come last.
const SENSIBLE: u64 = 1 << 35;
/// With [`SEEN`]: the evaluator tells which moves look good.
const ON_DEMAND: u64 = 1 << 36;
const BLOCK: u64 = 0xFFFF_FFFF;

// Ordering: the sums are counters that are read as estimates while threads run, and exactly after
// `Pool::settle`, so that relaxed accesses do. What must be seen in order are blocks and
// segments: their content is written before their index is published with Release, and whoever
// reads the index with Acquire sees it.

/// A tree that grows up to an amount of memory.
pub(super) struct Tree {
    words: Words,
    root: NodeId,
    /// What the root has left of its chunk.
    reserve: Reserve,
    nodes: Apart<AtomicU64>,
    full: AtomicBool,
    /// Whether every move has a word for what was made of it later in simulations.
    amaf: bool,
}

/// In a cache line of its own: what many threads write slows down all reads beside it.
#[repr(align(128))]
struct Apart<T>(T);

/// A node, to be read and added to.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    tree: &'a Tree,
    id: NodeId,
    words: &'a [AtomicU64],
}

/// How often a node was visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) visits: u32,
    /// Descents that have passed and not come back yet.
    pub(super) in_flight: u32,
}

impl Counts {
    #[expect(clippy::cast_possible_truncation, reason = "the halves are cut out")]
    fn from_bits(bits: u64) -> Self {
        Self { visits: bits as u32, in_flight: (bits >> 32) as u32 }
    }

    /// Descents that have passed, also those that have not come back.
    pub(super) fn passed(self) -> u64 {
        u64::from(self.visits) + u64::from(self.in_flight)
    }
}

/// What a selection needs of most children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glance {
    pub(super) prior: f32,
    pub(super) counts: Counts,
    pub(super) value_sum: f64,
    /// Whether something is proven.
    pub(super) proof: bool,
}

/// Whether a node has moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nobody has been there.
    New,
    /// Somebody evaluates it or writes its moves down.
    Claimed,
    /// It was evaluated, and its moves are not written down: most nodes are never visited again.
    Seen(Plain),
    /// Its moves are known.
    Open(BlockId),
    /// It never gets moves.
    Closed,
}

/// A policy that need not be written down to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    /// [`Policy::Uniform`].
    Uniform,
    /// [`Policy::Sensible`].
    Sensible,
    /// [`Policy::OnDemand`].
    OnDemand,
}

impl Plain {
    /// The same, if the policy is one of these.
    pub(super) fn of(policy: &Policy) -> Option<Self> {
        match policy {
            Policy::Uniform => Some(Plain::Uniform),
            Policy::Sensible => Some(Plain::Sensible),
            Policy::OnDemand => Some(Plain::OnDemand),
            Policy::Weights { .. } => None,
        }
    }

    /// The policy, unless the evaluator has to be asked.
    pub(super) fn policy(self) -> Option<Policy> {
        match self {
            Plain::Uniform => Some(Policy::Uniform),
            Plain::Sensible => Some(Policy::Sensible),
            Plain::OnDemand => None,
        }
    }

    fn bits(self) -> u64 {
        match self {
            Plain::Uniform => SEEN,
            Plain::Sensible => SEEN | SENSIBLE,
            Plain::OnDemand => SEEN | ON_DEMAND,
        }
    }
}

/// A move with its prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) mv: Move,
    pub(super) prior: f32,
}

impl Edge {
    /// As a number: the larger the prior, the larger the number.
    pub(super) fn to_bits(self) -> u64 {
        u64::from(self.prior.to_bits()) << 32 | u64::from(self.mv.code()) << 16
    }

    #[expect(clippy::cast_possible_truncation, reason = "the parts are cut out")]
    pub(super) fn from_bits(bits: u64) -> Self {
        Self {
            mv: Move::from_code((bits >> 16) as u16),
            prior: f32::from_bits((bits >> 32) as u32),
        }
    }
}

impl Tree {
    /// A tree with a root that nobody has visited, in at most `memory` bytes.
    #[must_use]
    pub(super) fn new(memory: usize) -> Self {
        Self::in_words(Words::new(&Supply::new(memory), memory), false)
    }

    /// The same in words that are all zero, with room for [`Amaf`](super::amaf::Amaf) if it is wanted.
    pub(super) fn in_words(words: Words, amaf: bool) -> Self {
        let mut reserve = Reserve::default();
        let root = words
            .allocate(&mut reserve, NODE + REST)
            .map(NodeId)
            .expect("invariant: the first chunk can always be had");
        words.slice(root.0, NODE)[EDGE].store(distance(1, 0), Ordering::Relaxed);
        let (nodes, full) = (Apart(AtomicU64::new(1)), AtomicBool::new(false));
        Self { words, root, reserve, nodes, full, amaf }
    }

    /// Whether there is room for what moves were later.
    pub(super) fn has_amaf(&self) -> bool {
        self.amaf
    }

    /// What there is to allocate from without taking a chunk, for one thread.
    pub(super) fn reserve(&mut self) -> Reserve {
        std::mem::take(&mut self.reserve)
    }

    /// The memory of a tree that is not needed any more, for another one.
    pub(super) fn into_words(self) -> Words {
        self.words.cleared()
    }

    pub(super) fn root(&self) -> NodeId {
        self.root
    }

    /// Nodes that have been visited, but for the newest few of threads at work.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes.0.load(Ordering::Relaxed)
    }

    /// Adds the nodes that a thread has made and not counted yet.
    pub(super) fn count(&self, reserve: &mut Reserve) {
        self.nodes.0.fetch_add(std::mem::take(&mut reserve.made), Ordering::Relaxed);
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        self.words.bytes()
    }

    /// Lets the tree try to grow again.
    pub(super) fn begin(&mut self) {
        *self.full.get_mut() = false;
    }

    /// Whether the tree could not grow any more.
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn node(&self, id: NodeId) -> Node<'_> {
        Node { tree: self, id, words: self.words.slice(id.0, NODE) }
    }

    #[inline]
    pub(super) fn block(&self, id: BlockId) -> Block<'_> {
        Block::new(self, id)
    }

    /// Asks for the first words of a node's moves to be brought near.
    #[inline]
    pub(super) fn fetch_moves(&self, id: NodeId) {
        if let Stage::Open(block) = self.node(id).stage() {
            self.words.fetch(block.place(), HEADER);
        }
    }

    /// The moves of a node, if they are known.
    pub(super) fn moves(&self, id: NodeId) -> Option<Block<'_>> {
        match self.node(id).stage() {
            Stage::Open(block) => Some(self.block(block)),
            _ => None,
        }
    }

    /// Gives a claimed node its moves, sorted by falling prior, and ends the claim. When the memory
    /// is full, the claim ends and the node stays as it was.
    pub(super) fn open(&self, id: NodeId, moves: &[u64], reserve: &mut Reserve) {
        let node = self.node(id);
        let count = HEADER + moves.len() * if self.amaf { 2 } else { 1 };
        let Some(at) = self.allocate(reserve, count) else {
            node.words[MOVES].store(0, Ordering::Release);
            return;
        };
        let words = self.words.slice(at, HEADER + moves.len());
        words[0].store(moves.len() as u64, Ordering::Relaxed);
        for (word, &edge) in words[HEADER..].iter().zip(moves) {
            word.store(edge, Ordering::Relaxed);
        }
        node.words[MOVES].store(u64::from(at), Ordering::Release);
    }

    /// Follows moves from the root.
    pub(super) fn descendant(&self, moves: impl IntoIterator<Item = Move>) -> Option<NodeId> {
        moves.into_iter().try_fold(self.root, |id, mv| {
            let block = self.moves(id)?;
            (0..block.created()).map(|k| block.child(k)).find(|&child| self.node(child).mv() == mv)
        })
    }

    /// A new tree with a node of this one as its root, and of what is below it as much as there are words for
    /// beside this tree: the most visited nodes first.
    pub(super) fn rooted_at(&self, id: NodeId, words: Words) -> Self {
        let mut copy = Self::in_words(words, self.amaf);
        let mut reserve = copy.reserve();
        copy.node(copy.root).copy_from(self.node(id));
        let mut waiting = BinaryHeap::from([(u32::MAX, id, copy.root)]);
        while let Some((_, from, to)) = waiting.pop() {
            let Some(block) = self.moves(from) else { continue };
            let moves: Vec<_> = (0..block.len()).map(|k| block.edge(k).to_bits()).collect();
            copy.open(to, &moves, &mut reserve);
            let Some(target) = copy.moves(to) else { break };
            target.copy_amaf(block);
            for k in 0..block.created() {
                let Some(child) = target.create(k, &mut reserve) else { break };
                let source = block.child(k);
                copy.node(child).copy_from(self.node(source));
                waiting.push((self.node(source).counts().visits, source, child));
            }
        }
        copy.count(&mut reserve);
        copy.reserve = reserve;
        copy
    }

    fn allocate(&self, reserve: &mut Reserve, words: usize) -> Option<u32> {
        let at = self.words.allocate(reserve, words);
        if at.is_none() && !self.is_full() {
            self.full.store(true, Ordering::Relaxed);
        }
        at
    }
}

/// How far it is from a node in a segment to its other words, as the bits of [`EDGE`].
fn distance(segment: usize, index: usize) -> u64 {
    ((segment * NODE - index * NODE + index * REST) << 2) as u64
}

#[cfg(test)]
mod tests;
