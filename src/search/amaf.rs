//! All moves as first: what simulations that made a move later say of making it now (Brügmann 1993;
//! Gelly and Silver 2011).

use std::sync::atomic::{AtomicU64, Ordering};

use super::leaf::Leaf;
use super::tree::{Block, Edge};
use super::worker::Shared;
use crate::eval::{FirstMoves, Value};
use crate::game::Color;

/// A win in the sum of results, whose parts are from 0 for a loss to this.
const WIN: f32 = 64.0;

/// What the simulations say in which a player made a move first, now or later.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Amaf {
    pub(super) visits: f64,
    /// Mean result for the player, from -1 to 1.
    pub(super) value: f64,
}

impl Amaf {
    /// Reads a word: visits in the low half, the sum of results in the high half.
    #[inline]
    pub(super) fn from_bits(bits: u64) -> Self {
        let visits = (bits & 0xFFFF_FFFF) as f64;
        let sum = (bits >> 32) as f64;
        // Without visits both are zero, and the value does not matter.
        Self { visits, value: 2.0 * sum / (f64::from(WIN) * visits.max(1.0)) - 1.0 }
    }

    /// What a result adds to a word.
    #[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
    #[expect(clippy::cast_sign_loss, reason = "win rates are not negative")]
    fn bits_of(value: Value) -> u64 {
        ((value.win_rate() * WIN).round() as u64) << 32 | 1
    }
}

impl Block<'_> {
    /// Counts a result for all moves that `color`, to move here, was first to make.
    fn record_amaf(self, color: Color, first: &FirstMoves, value: Value) {
        let Some((edges, amaf)) = self.amaf_words() else { return };
        let bits = Amaf::bits_of(value);
        for (edge, word) in edges.iter().zip(amaf) {
            let mv = Edge::from_bits(edge.load(Ordering::Relaxed)).mv;
            if first.is_by(color, mv) {
                word.fetch_add(bits, Ordering::Relaxed);
            }
        }
    }
}

/// What is known of a move, by its place among the words of a block.
#[inline]
pub(super) fn amaf_at(words: &[AtomicU64], index: usize) -> Amaf {
    Amaf::from_bits(words[index].load(Ordering::Relaxed))
}

impl Shared {
    /// Adds the result of a leaf, for the side to move there, to the moves of all nodes on the way to
    /// it that were made below them, in the tree or in the game that was played on from the leaf.
    pub(super) fn back_up_amaf(
        &self,
        leaf: &Leaf,
        mut value: Value,
        played: &FirstMoves,
        first: &mut FirstMoves,
    ) {
        first.copy_from(played);
        let mut color = leaf.position.to_move();
        for &id in leaf.path().iter().rev() {
            if let Some(block) = self.tree.moves(id) {
                block.record_amaf(color, first, value);
            }
            // The move that led here comes before all that were made below.
            color = color.opponent();
            value = value.flipped();
            first.put_before(color, self.tree.node(id).mv());
        }
    }
}

#[cfg(test)]
mod tests;
