//! Networks packed for the sizes of board that are asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::game::{BoardSize, Position};

/// A network packed for one size of board.
pub(super) trait SizedNet {
    /// What a thread needs to compute with it.
    type Workspace;

    /// A workspace for as many positions as are computed together.
    fn workspace(&self) -> Self::Workspace;

    /// How many of so many positions are computed together.
    fn together(&self, positions: usize) -> usize;
}

/// A network packed for each size, when it is asked for the first time.
pub(super) struct Boards<N: SizedNet>(Mutex<HashMap<BoardSize, Arc<Packed<N>>>>);

/// A network packed for one size, with the workspaces that no thread is using.
pub(super) struct Packed<N: SizedNet> {
    pub(super) net: N,
    idle: Mutex<Vec<N::Workspace>>,
}

/// How many leaves a search should have evaluated together on a processor by a network with so many channels.
///
/// The weights of a wide network come from memory once for each batch. Where a board is small, that is much of the
/// work: four positions at a time are 1.4 times as fast. Elsewhere it is nothing, and leaves that are chosen
/// one by one are chosen better.
pub(super) fn search_batch(channels: usize, size: BoardSize) -> usize {
    const WIDE: usize = 160;
    const SMALL: usize = 100;
    if channels >= WIDE && size.area() <= SMALL { 4 } else { 1 }
}

impl<N: SizedNet> Boards<N> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(HashMap::new()))
    }

    /// Cuts a batch into pieces of one size of board that are computed together, and hands each over
    /// with its network and a workspace.
    pub(super) fn for_each_piece(
        &self,
        batch: &[&Position],
        pack: impl Fn(BoardSize) -> N,
        mut compute: impl FnMut(&[&Position], &N, &mut N::Workspace),
    ) {
        for same_size in batch.chunk_by(|a, b| a.size() == b.size()) {
            let packed = self.packed(same_size[0].size(), &pack);
            for some in same_size.chunks(packed.net.together(same_size.len())) {
                let mut work = packed.take();
                compute(some, &packed.net, &mut work);
                packed.give_back(work);
            }
        }
    }

    fn packed(&self, size: BoardSize, pack: impl Fn(BoardSize) -> N) -> Arc<Packed<N>> {
        // What a panic could leave behind here is a map without an entry.
        let mut boards = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Packed { net: pack(size), idle: Mutex::new(Vec::new()) });
        Arc::clone(boards.entry(size).or_insert_with(new))
    }
}

impl<N: SizedNet> Packed<N> {
    fn take(&self) -> N::Workspace {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| self.net.workspace())
    }

    fn give_back(&self, work: N::Workspace) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_networks_have_batches_on_small_boards() {
        let size = |side| BoardSize::square(side).unwrap();
        assert_eq!(search_batch(96, size(9)), 1);
        assert_eq!(search_batch(192, size(9)), 4);
        assert_eq!(search_batch(384, size(9)), 4);
        assert_eq!(search_batch(384, size(19)), 1);
    }
}
