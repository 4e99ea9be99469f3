//! The moves of a node, and the children made of them.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{BLOCK, EDGE, Edge, NODE, Node, NodeId, REST, Tree, distance};
use crate::search::words::Reserve;

/// Words of a block before the moves: the numbers of moves and of children, and the segments.
pub(super) const HEADER: usize = 1 + SEGMENTS / 2;
/// Segments of children: of 2, 4, 8, ... children.
const SEGMENTS: usize = 10;

/// Nodes that a thread makes before it adds them to the count of all.
const COUNTED_TOGETHER: u64 = 16;

/// The moves of a node by their place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct BlockId(u32);

/// The moves of a node and the children made of them.
#[derive(Clone, Copy)]
pub(in crate::search) struct Block<'a> {
    tree: &'a Tree,
    id: BlockId,
    header: &'a [AtomicU64],
}

impl BlockId {
    pub(super) const fn new(at: u32) -> Self {
        Self(at)
    }

    /// The index of its first word.
    pub(super) const fn place(self) -> u32 {
        self.0
    }
}

/// The segment of a child, and its place in there.
#[inline]
pub(super) fn place(child: usize) -> (usize, usize) {
    let segment = (child + 2).ilog2() as usize - 1;
    (segment, child + 2 - (2 << segment))
}

impl<'a> Block<'a> {
    pub(super) fn new(tree: &'a Tree, id: BlockId) -> Self {
        Self { tree, id, header: tree.words.slice(id.0, HEADER) }
    }

    /// Moves.
    #[inline]
    pub(in crate::search) fn len(self) -> usize {
        (self.header[0].load(Ordering::Relaxed) & 0xFFFF) as usize
    }

    /// Children made so far: those of the first moves.
    #[inline]
    pub(in crate::search) fn created(self) -> usize {
        (self.header[0].load(Ordering::Acquire) >> 16 & 0xFFFF) as usize
    }

    /// A move with its prior.
    pub(in crate::search) fn edge(self, index: usize) -> Edge {
        #[expect(clippy::cast_possible_truncation, reason = "a block is small")]
        let at = self.id.0 + (HEADER + index) as u32;
        Edge::from_bits(self.tree.words.slice(at, 1)[0].load(Ordering::Relaxed))
    }

    /// The moves as they are kept, and beside each what was made of it later, if there is room.
    pub(in crate::search) fn amaf_words(self) -> Option<(&'a [AtomicU64], &'a [AtomicU64])> {
        if !self.tree.amaf {
            return None;
        }
        let len = self.len();
        let words = self.tree.words.slice(self.id.0, HEADER + 2 * len);
        Some(words[HEADER..].split_at(len))
    }

    /// Takes over what was made of the same moves later.
    pub(super) fn copy_amaf(self, other: Block<'_>) {
        let (Some((_, to)), Some((_, from))) = (self.amaf_words(), other.amaf_words()) else {
            return;
        };
        for (to, from) in to.iter().zip(from) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    fn segment(self, segment: usize) -> u32 {
        let pair = self.header[1 + segment / 2].load(Ordering::Acquire);
        #[expect(clippy::cast_possible_truncation, reason = "the halves are cut out")]
        let start = (pair >> (32 * (segment % 2))) as u32;
        start
    }

    /// A child that has been made.
    #[expect(clippy::cast_possible_truncation, reason = "a segment is small")]
    pub(in crate::search) fn child(self, index: usize) -> NodeId {
        let (segment, offset) = place(index);
        NodeId(self.segment(segment) + (offset * NODE) as u32)
    }

    /// Calls a function with every child that has been made: its index and itself.
    #[inline]
    pub(in crate::search) fn for_each_child(self, mut call: impl FnMut(usize, Node<'a>)) {
        let created = self.created();
        let (mut first, mut segment) = (0, 0);
        while first < created {
            let count = (2 << segment).min(created - first);
            self.tree.words.fetch(self.segment(segment), count * NODE);
            first += count;
            segment += 1;
        }
        (first, segment) = (0, 0);
        while first < created {
            let count = (2 << segment).min(created - first);
            let start = self.segment(segment);
            let words = self.tree.words.slice(start, count * NODE);
            for (offset, words) in words.chunks_exact(NODE).enumerate() {
                #[expect(clippy::cast_possible_truncation, reason = "a segment is small")]
                let id = NodeId(start + (offset * NODE) as u32);
                call(first + offset, Node { tree: self.tree, id, words });
            }
            first += count;
            segment += 1;
        }
    }

    /// Makes the child with an index if it does not exist, and those before it; none when the
    /// memory is full.
    pub(in crate::search) fn create(self, index: usize, reserve: &mut Reserve) -> Option<NodeId> {
        while self.created() <= index {
            self.create_next(reserve)?;
        }
        Some(self.child(index))
    }

    /// Makes the next child; also when another thread is faster, the child is there afterwards.
    fn create_next(self, reserve: &mut Reserve) -> Option<()> {
        let index = self.created();
        if index == self.len() {
            return Some(());
        }
        let (segment, offset) = place(index);
        if self.segment(segment) == 0 {
            let at = self.tree.allocate(reserve, (2 << segment) * (NODE + REST))?;
            // Whoever is slower has wasted a segment: it happens to two threads at one node only.
            let word = &self.header[1 + segment / 2];
            let bits = u64::from(at) << (32 * (segment % 2));
            let mask = BLOCK << (32 * (segment % 2));
            let set = |old: u64| (old & mask == 0).then_some(old | bits);
            let _ = word.fetch_update(Ordering::AcqRel, Ordering::Acquire, set);
        }
        #[expect(clippy::cast_possible_truncation, reason = "a segment is small")]
        let child = self.tree.node(NodeId(self.segment(segment) + (offset * NODE) as u32));
        // Threads that come here at the same time write the same; none has visited the child yet.
        let edge = self.edge(index).to_bits() | distance(2 << segment, offset);
        let _ = child.words[EDGE].compare_exchange(0, edge, Ordering::AcqRel, Ordering::Relaxed);
        let (old, new) = (self.len() | index << 16, self.len() | (index + 1) << 16);
        let made = self.header[0].compare_exchange(
            old as u64,
            new as u64,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        reserve.made += u64::from(made.is_ok());
        if reserve.made >= COUNTED_TOGETHER {
            self.tree.count(reserve);
        }
        Some(())
    }
}
