//! The nodes of a search tree in one array.

use std::ops::{Index, IndexMut, Range};

use crate::eval::Value;
use crate::game::Move;

/// Values are summed as integers, so that sums do not depend on the order of their parts.
const FIXED_POINT: f32 = 65536.0;

/// A node by its place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

/// A position reached by a move, with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The move that leads here.
    pub(super) mv: Move,
    pub(super) visits: u32,
    /// Sum of the values for the side to move here.
    value_sum: i64,
    first_child: u32,
    children: u16,
}

impl Node {
    fn new(mv: Move) -> Self {
        Self { mv, visits: 0, value_sum: 0, first_child: 0, children: 0 }
    }

    /// Counts a simulation that came through, with its value for the side to move here.
    pub(super) fn record(&mut self, value: Value) {
        self.visits += 1;
        #[expect(clippy::cast_possible_truncation, reason = "values are in [-1, 1]")]
        let fixed = (value.get() * FIXED_POINT) as i64;
        self.value_sum += fixed;
    }

    /// Mean value for the side to move here; a draw as long as nothing is known.
    pub(super) fn value(&self) -> Value {
        if self.visits == 0 {
            return Value::DRAW;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a value needs no more digits")]
        let mean = (self.value_sum as f64 / f64::from(self.visits)) as f32;
        Value::new(mean / FIXED_POINT)
    }

    pub(super) const fn is_expanded(&self) -> bool {
        self.children > 0
    }
}

/// A tree that grows up to a number of nodes.
pub(super) struct Tree {
    nodes: Vec<Node>,
    limit: usize,
}

impl Tree {
    pub(super) const ROOT: NodeId = NodeId(0);

    pub(super) fn new(limit: usize) -> Self {
        Self { nodes: vec![Node::new(Move::Pass)], limit }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Gives a node children, unless the tree is full. The root always gets them.
    #[expect(clippy::cast_possible_truncation, reason = "the limit is below 2^32 nodes")]
    pub(super) fn expand(&mut self, parent: NodeId, moves: &[Move]) {
        if self.nodes.len() + moves.len() > self.limit && parent != Self::ROOT {
            return;
        }
        let first = self.nodes.len();
        self.nodes.extend(moves.iter().map(|&mv| Node::new(mv)));
        self[parent].first_child = first as u32;
        self[parent].children = moves.len() as u16;
    }

    pub(super) fn children(&self, parent: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        let node = &self[parent];
        let ids: Range<u32> = node.first_child..node.first_child + u32::from(node.children);
        ids.clone().map(NodeId).zip(&self.nodes[ids.start as usize..ids.end as usize])
    }
}

impl Index<NodeId> for Tree {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

impl IndexMut<NodeId> for Tree {
    fn index_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }
}
