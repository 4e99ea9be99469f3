//! What the evaluations of a search say of owners.

use super::leaf::Leaf;
use crate::eval::{Criticality, Evaluation, OwnerSpread};
use crate::game::BoardSize;

/// What one thread, or all of them, have found of owners.
#[derive(Clone, Debug)]
pub(super) struct Owners {
    pub(super) criticality: Criticality,
    pub(super) spreads: Option<Spreads>,
}

/// How far evaluations differ, for the root and for each of its moves that was evaluated.
#[derive(Clone, Debug)]
pub(super) struct Spreads {
    pub(super) root: OwnerSpread,
    /// By their places among the moves of the root.
    moves: Vec<Option<OwnerSpread>>,
}

impl Owners {
    /// Nothing known yet; `spreads` says whether it is to be known how far evaluations differ.
    pub(super) fn new(size: BoardSize, spreads: bool) -> Self {
        let spreads = spreads.then(|| Spreads { root: OwnerSpread::new(size), moves: Vec::new() });
        Self { criticality: Criticality::new(size), spreads }
    }

    /// Adds what was said of a leaf.
    pub(super) fn add(&mut self, leaf: &Leaf, evaluation: &Evaluation) {
        self.criticality.add(leaf.position.to_move(), evaluation, leaf.depth());
        if let (Some(spreads), Some(owners)) = (&mut self.spreads, &evaluation.ownership) {
            spreads.root.add(owners);
            if let Some(first) = leaf.first {
                spreads.of_move(first, leaf.position.size()).add(owners);
            }
        }
    }

    /// Adds what another has found.
    pub(super) fn merge(&mut self, other: &Self) {
        self.criticality.merge(&other.criticality);
        if let (Some(own), Some(other)) = (&mut self.spreads, &other.spreads) {
            own.root.merge(&other.root);
            for (index, more) in other.moves.iter().enumerate() {
                if let Some(more) = more {
                    own.of_move(index, more.size()).merge(more);
                }
            }
        }
    }

    /// How far evaluations below a move of the root differ, by its place.
    pub(super) fn of_move(&self, index: usize) -> Option<&OwnerSpread> {
        self.spreads.as_ref()?.moves.get(index)?.as_ref()
    }
}

impl Spreads {
    fn of_move(&mut self, index: usize, size: BoardSize) -> &mut OwnerSpread {
        if self.moves.len() <= index {
            self.moves.resize(index + 1, None);
        }
        self.moves[index].get_or_insert_with(|| OwnerSpread::new(size))
    }
}
