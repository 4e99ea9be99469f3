//! What can be said of a search while it runs and at its end.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::params::SearchParams;
use super::report::{Proof, RootMove, SearchReport};
use super::tree::{Block, NodeId, Tree};
use super::worker::Shared;
use crate::eval::{Ownership, Value};
use crate::game::Move;
use crate::timeman::{Progress, StopReason};

/// A search under way, as seen from the thread that called it.
pub(super) struct View<'a> {
    pub(super) shared: &'a Shared,
    pub(super) owners: &'a [Mutex<Ownership>],
    pub(super) params: &'a SearchParams,
    pub(super) has_score: bool,
}

impl View<'_> {
    pub(super) fn progress(&self, elapsed: Duration) -> Progress {
        Progress { simulations: self.shared.simulations(), elapsed }
    }

    fn block(&self) -> Option<Block<'_>> {
        self.shared.tree.moves(self.shared.tree.root())
    }

    /// Moves that may be considered.
    pub(super) fn choices(&self) -> usize {
        let count =
            |block: Block<'_>| (0..block.len()).filter(|&k| self.shared.root.allows(k)).count();
        self.block().map_or(0, count)
    }

    /// What is proven for the side to move with the moves that it may consider: an earlier search may
    /// have found more with others.
    pub(super) fn proof(&self) -> Option<Proof> {
        let proof = self.shared.tree.node(self.shared.tree.root()).proof()?;
        let mut reached = proof == Proof::Loss;
        self.block()?.for_each_child(|index, child| {
            let same = child.proof().map(Proof::flipped) == Some(proof);
            reached |= same && self.shared.root.allows(index);
        });
        reached.then_some(proof)
    }

    pub(super) fn report(&self, progress: &Progress, reason: Option<StopReason>) -> SearchReport {
        let Shared { tree, position, .. } = self.shared;
        let root = tree.node(tree.root());
        let mut ownership = Ownership::new(position.size());
        for part in self.owners {
            ownership.add(&part.lock().unwrap_or_else(PoisonError::into_inner));
        }
        SearchReport {
            size: position.size(),
            color: position.to_move(),
            moves: self.moves(),
            policy: self.policy(),
            value: self.proof().map_or(root.value(), Proof::value),
            score: self.has_score.then(|| root.score()),
            proven: self.proof(),
            ownership,
            simulations: progress.simulations,
            visits: u64::from(root.counts().visits),
            nodes: tree.nodes(),
            memory: tree.memory() as u64,
            full: tree.is_full(),
            elapsed: progress.elapsed,
            reason,
        }
    }

    fn moves(&self) -> Vec<RootMove> {
        let tree = &self.shared.tree;
        let Some(block) = self.block() else { return Vec::new() };
        let created = block.created();
        let root_value = tree.node(tree.root()).value();
        let mut moves: Vec<_> = (0..block.len())
            .filter(|&index| self.shared.root.allows(index))
            .map(|index| {
                let edge = block.edge(index);
                if index < created {
                    self.visited(block.child(index))
                } else {
                    RootMove::unvisited(edge.mv, edge.prior, root_value)
                }
            })
            .collect();
        let by_bound = self.params.choice == "lower-bound";
        moves.sort_by(|a, b| b.rank(by_bound).total_cmp(&a.rank(by_bound)));
        if let Some((best, _)) = self.shared.root.improvement(block) {
            let best = block.edge(best).mv;
            if let Some(place) = moves.iter().position(|mv| mv.mv == best) {
                moves[..=place].rotate_right(1);
            }
        }
        moves
    }

    /// How much a network should learn to prefer each move: by the improved policy of a Gumbel
    /// root, otherwise by visits.
    fn policy(&self) -> Vec<(Move, f32)> {
        let Some(block) = self.block() else { return Vec::new() };
        let edge = |index: usize| block.edge(index).mv;
        #[expect(clippy::cast_possible_truncation, reason = "a probability needs no more digits")]
        if let Some((_, policy)) = self.shared.root.improvement(block) {
            return policy.iter().enumerate().map(|(k, &p)| (edge(k), p as f32)).collect();
        }
        let mut visits = vec![0; block.len()];
        block.for_each_child(|index, child| visits[index] = child.counts().visits);
        let sum = visits.iter().sum::<u32>();
        let share = |k: usize| {
            if sum == 0 { block.edge(k).prior } else { visits[k] as f32 / sum as f32 }
        };
        (0..block.len()).map(|k| (edge(k), share(k))).collect()
    }

    fn visited(&self, id: NodeId) -> RootMove {
        let tree = &self.shared.tree;
        let node = tree.node(id);
        let edge = node.edge();
        let visits = node.counts().visits;
        if visits == 0 {
            let root_value = tree.node(tree.root()).value();
            return RootMove::unvisited(edge.mv, edge.prior, root_value);
        }
        let proven = node.proof().map(Proof::flipped);
        let value = proven.map_or(node.value().flipped(), Proof::value);
        let deviation = node.deviation();
        #[expect(clippy::cast_possible_truncation, reason = "a value needs no more digits")]
        let width = self.params.lower_bound_width as f32;
        // A few visits that agree tell nothing of the spread: one result of each kind is added.
        let spread = (deviation * deviation + 2.0 / (visits as f32 + 2.0)).sqrt();
        RootMove {
            mv: edge.mv,
            visits,
            value,
            lower_bound: Value::new(value.get() - width * spread / (visits as f32).sqrt()),
            deviation,
            score: self.has_score.then(|| -node.score()),
            prior: edge.prior,
            proven,
            line: principal_line(tree, id),
        }
    }
}

fn principal_line(tree: &Tree, mut id: NodeId) -> Vec<(Move, u32)> {
    let mut line = Vec::new();
    loop {
        let node = tree.node(id);
        let visits = node.counts().visits;
        if visits == 0 {
            return line;
        }
        line.push((node.mv(), visits));
        let Some(block) = tree.moves(id) else { return line };
        let best = (0..block.created())
            .map(|index| block.child(index))
            .min_by_key(|&child| std::cmp::Reverse(tree.node(child).counts().visits));
        let Some(best) = best else { return line };
        id = best;
    }
}
