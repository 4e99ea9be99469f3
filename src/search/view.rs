//! What can be said of a search while it runs and at its end.

use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::look::principal_line;
use super::owners::Owners;
use super::params::{FinalChoice, SearchParams, Selection};
use super::report::{Proof, RootMove, SearchReport};
use super::request::SearchClock;
use super::tree::{Block, NodeId};
use super::worker::Shared;
use crate::eval::Value;
use crate::game::Move;
use crate::timeman::{SearchProgress, Stop, StopReason};

impl Shared {
    /// The moves of the root, if it has any.
    pub(super) fn root_moves(&self) -> Option<Block<'_>> {
        self.tree.moves(self.tree.root())
    }

    /// What is proven for the side to move, with the moves that may be considered.
    pub(super) fn proof(&self) -> Option<Proof> {
        self.root_moves()?;
        self.tree.node(self.tree.root()).proof()
    }

    /// Whether nothing is left to be found: the result is proven, or all simulations have come back.
    pub(super) fn is_over(&self) -> bool {
        let visits = self.tree.node(self.tree.root()).counts().visits;
        u64::from(visits) >= self.most || self.proof().is_some()
    }

    /// Simulations that have come back.
    pub(super) fn simulations(&self) -> u64 {
        u64::from(self.tree.node(self.tree.root()).counts().visits - self.before)
    }
}

/// A search under way, as seen from the thread that called it.
pub(super) struct View<'a> {
    pub(super) shared: &'a Shared,
    pub(super) owners: &'a [Mutex<Owners>],
    pub(super) params: &'a SearchParams,
    pub(super) has_score: bool,
    /// The time that was over when the first simulation began.
    pub(super) before: Duration,
}

impl View<'_> {
    /// Why the search is to end before its deadline, if it is.
    pub(super) fn end(
        &self,
        stop: &mut dyn Stop,
        progress: &SearchProgress<'_>,
    ) -> Option<StopReason> {
        if self.shared.proof().is_some() {
            return Some(StopReason::Proven);
        }
        if let Some(reason) = stop.should_stop(progress) {
            return Some(reason);
        }
        if progress.simulations_left == Some(0) {
            return Some(StopReason::Simulations);
        }
        // Ordering: with the flag the failure of a thread is seen.
        self.shared.stop.load(Ordering::Acquire).then_some(StopReason::Interrupted)
    }

    pub(super) fn progress(&self, clock: SearchClock<'_>, most: Option<u64>) -> SearchProgress<'_> {
        let simulations = self.shared.simulations();
        SearchProgress {
            simulations,
            elapsed: clock.elapsed(simulations),
            before: self.before,
            simulations_left: most.map(|most| most.saturating_sub(simulations)),
            reused: u64::from(self.shared.before),
            root: Some(self),
        }
    }

    /// Moves that may be considered.
    pub(super) fn choices(&self) -> usize {
        self.shared.root_moves().map_or(0, Block::len)
    }

    pub(super) fn report(
        &self,
        progress: &SearchProgress<'_>,
        reason: Option<StopReason>,
    ) -> SearchReport {
        let Shared { tree, position, .. } = self.shared;
        let root = tree.node(tree.root());
        let owners = self.owners();
        SearchReport {
            size: position.size(),
            color: position.to_move(),
            moves: self.moves(&owners),
            policy: self.policy(),
            value: self.shared.proof().map_or(root.value(), Proof::value),
            score: self.has_score.then(|| root.score()),
            proven: self.shared.proof(),
            ownership: owners.criticality.ownership().clone(),
            simulations: progress.simulations,
            visits: u64::from(root.counts().visits),
            nodes: tree.nodes(),
            memory: tree.memory() as u64,
            full: tree.is_full(),
            elapsed: progress.elapsed,
            reason,
            criticality: owners.criticality.highest(),
            playout_length: owners.criticality.playout_length(),
            owner_spread: owners.spreads.map(|spreads| spreads.root),
        }
    }

    fn moves(&self, owners: &Owners) -> Vec<RootMove> {
        let tree = &self.shared.tree;
        let Some(block) = self.shared.root_moves() else { return Vec::new() };
        let created = block.created();
        let root_value = tree.node(tree.root()).value();
        let mut moves: Vec<_> = (0..block.len())
            .map(|index| {
                let edge = block.edge(index);
                if index < created {
                    let owner_spread = owners.of_move(index).cloned();
                    RootMove { owner_spread, ..self.visited(block.child(index)) }
                } else {
                    RootMove::unvisited(edge.mv, edge.prior, root_value)
                }
            })
            .collect();
        // Flat searches visit all moves alike.
        let by_bound =
            self.params.choice == FinalChoice::LowerBound || self.params.formula == Selection::Flat;
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
        let Some(block) = self.shared.root_moves() else { return Vec::new() };
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
            owner_spread: None,
        }
    }
}
