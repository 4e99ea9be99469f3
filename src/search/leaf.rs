//! The end of a descent, and what a thread grows the tree with.

use super::select::Equals;
use super::solve::Solver;
use super::tree::NodeId;
use super::words::Reserve;
use crate::eval::FirstMoves;
use crate::game::Position;

/// What a thread grows the tree with.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) reserve: Reserve,
    /// The moves of one node on their way into the tree.
    pub(super) moves: Vec<u64>,
    /// Who was first where, below a node.
    pub(super) first: FirstMoves,
    /// Which of equal moves it tries.
    pub(super) equals: Equals,
    /// What it looks for exact results with.
    pub(super) solver: Solver,
}

impl Memory {
    /// Memory that begins with what a tree has at hand.
    pub(super) fn new(reserve: Reserve) -> Self {
        Self { reserve, ..Self::default() }
    }

    /// Memory of a thread other than the first.
    pub(super) fn of_thread(number: usize) -> Self {
        Self { equals: Equals::for_thread(number), ..Self::default() }
    }
}

/// The end of a descent.
pub(super) struct Leaf {
    pub(super) position: Position,
    pub(super) path: Vec<NodeId>,
    /// The first move, by its place among the moves of the root.
    pub(super) first: Option<usize>,
    /// Nodes at the beginning of the path that the descent has passed without a mark.
    pub(super) unmarked: usize,
}

impl Leaf {
    /// A leaf that is the root itself.
    pub(super) fn new(position: Position) -> Self {
        Self { position, path: Vec::new(), first: None, unmarked: 0 }
    }

    /// Moves from the root.
    pub(super) fn depth(&self) -> usize {
        self.path.len().saturating_sub(1)
    }

    /// The nodes from the root on.
    pub(super) fn path(&self) -> &[NodeId] {
        &self.path
    }

    /// Whether the descent has marked a node of the path.
    pub(super) fn has_marked(&self, depth: usize) -> bool {
        depth >= self.unmarked
    }

    /// The last node of the path.
    pub(super) fn end(&self) -> NodeId {
        *self.path.last().expect("invariant: a path begins with the root")
    }
}
