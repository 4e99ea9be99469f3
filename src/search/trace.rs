//! What every simulation of a search found: its first move and its value, seen from the root.

use std::sync::atomic::{AtomicU64, Ordering};

use super::tree::Node;
use crate::eval::Value;

/// The newest simulations of a search, in the order in which they ended.
#[derive(Debug)]
pub(super) struct Ring {
    entries: Vec<AtomicU64>,
    /// Simulations written, also those that were overwritten.
    written: AtomicU64,
}

/// A simulation of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    /// The first move, by its place among the moves of the root in the order of their priors; none
    /// for the simulation that evaluated the root itself.
    pub first: Option<u16>,
    /// The value of the leaf for the side to move at the root, as the tree sums it: 2^24 is a win.
    pub value: i32,
}

impl Ring {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            entries: (0..capacity).map(|_| AtomicU64::new(0)).collect(),
            written: AtomicU64::new(0),
        }
    }

    /// Adds a simulation.
    #[expect(clippy::cast_possible_truncation, reason = "fixed values fit, and so does the rest")]
    pub(super) fn add(&self, first: Option<usize>, value: Value) {
        // Ordering: read after `Pool::settle`, or as a snapshot that may be torn
        // between entries but never inside one.
        let index = self.written.fetch_add(1, Ordering::Relaxed) as usize % self.entries.len();
        let first = first.map_or(u16::MAX, |first| first as u16);
        let value = (Node::fixed(value) as i32).cast_unsigned();
        let entry = u64::from(first) << 32 | u64::from(value);
        self.entries[index].store(entry, Ordering::Relaxed);
    }

    /// The simulations, oldest first.
    #[expect(clippy::cast_possible_truncation, reason = "the parts are cut out")]
    pub(super) fn entries(&self) -> Vec<TraceEntry> {
        let written = self.written.load(Ordering::Relaxed) as usize;
        let capacity = self.entries.len();
        (written.saturating_sub(capacity)..written)
            .map(|index| {
                let entry = self.entries[index % capacity].load(Ordering::Relaxed);
                let first = (entry >> 32) as u16;
                TraceEntry {
                    first: (first != u16::MAX).then_some(first),
                    value: (entry as u32).cast_signed(),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept() {
        let ring = Ring::new(3);
        ring.add(None, Value::DRAW);
        assert_eq!(ring.entries(), [TraceEntry { first: None, value: 0 }]);
        for first in 0..4 {
            ring.add(Some(first), Value::LOSS);
        }
        let expected = [1, 2, 3].map(|first| TraceEntry { first: Some(first), value: -(1 << 24) });
        assert_eq!(ring.entries(), expected);
    }
}
