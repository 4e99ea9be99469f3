//! The root as stop rules see it.

use std::sync::{Mutex, PoisonError};

use super::owners::Owners;
use super::report::Proof;
use super::tree::{NodeId, Tree};
use super::view::View;
use crate::game::Move;
use crate::timeman::{Root, Summary, Tally};

impl View<'_> {
    /// What all threads have found of owners so far.
    pub(super) fn owners(&self) -> Owners {
        let part =
            |part: &Mutex<Owners>| part.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut parts = self.owners.iter().map(part);
        let mut sum = parts.next().expect("invariant: there is a thread");
        parts.for_each(|part| sum.merge(&part));
        sum
    }
}

impl Root for View<'_> {
    fn summary(&self) -> Option<Summary> {
        let block = self.shared.root_moves()?;
        if self.params.gumbel().is_some() {
            // The schedule decides there, and needs all its simulations.
            return None;
        }
        let mut found = Summary { best: 0, second: 0, win_rate: 0.0, best_is_highest: true };
        let (mut best_value, mut highest) = (f32::MIN, f32::MIN);
        block.for_each_child(|_, child| {
            let visits = child.counts().visits;
            // Lost moves are not chosen, whatever their visits.
            let lost = child.proof() == Some(Proof::Win);
            if visits == 0 || lost {
                return;
            }
            let value = child.value().flipped().get();
            highest = highest.max(value);
            if visits > found.best {
                found.second = found.best;
                found.best = visits;
                best_value = value;
            } else {
                found.second = found.second.max(visits);
            }
        });
        found.win_rate = f64::from(best_value.max(-1.0) + 1.0) / 2.0;
        found.best_is_highest = best_value >= highest;
        (found.best > 0).then_some(found)
    }

    fn visits(&self) -> Vec<u32> {
        let Some(block) = self.shared.root_moves() else { return Vec::new() };
        let mut visits = vec![0; block.len()];
        block.for_each_child(|index, child| {
            visits[index] = child.counts().visits;
        });
        visits
    }

    fn criticality(&self) -> Option<f64> {
        self.owners().criticality.highest()
    }

    fn tallies(&self) -> Vec<Tally> {
        let Some(block) = self.shared.root_moves() else { return Vec::new() };
        let size = self.shared.position.size();
        let mut tallies: Vec<_> = (0..block.len())
            .map(|index| {
                let edge = block.edge(index);
                let point = edge.mv.point().map(|point| size.offset(point));
                Tally { point, prior: edge.prior, ..Tally::default() }
            })
            .collect();
        block.for_each_child(|index, child| {
            let tally = &mut tallies[index];
            tally.visits = child.counts().visits;
            tally.sum = -child.value_sum();
            tally.squares = child.square_sum();
        });
        tallies
    }
}

/// The most visited moves from a node on, its own first.
pub(super) fn principal_line(tree: &Tree, mut id: NodeId) -> Vec<(Move, u32)> {
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
