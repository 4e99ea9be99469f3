//! Selection where simulations tell of moves that they made later.

use super::{Best, Equals, Formula, Kind, Puct, natural_log, passed};
use crate::search::amaf::{Amaf, amaf_at};
use crate::search::params::SearchParams;
use crate::search::tree::{Block, Node};

/// How much is believed of moves that were made later (RAVE; Gelly and Silver 2011, section 6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rave {
    /// Visits at which both halves count the same, if there are many of the other kind.
    equivalence: f64,
    /// Visits that what is assumed of a move counts for.
    first_play: f64,
    exploration: f64,
}

/// What is known of a move: its visits and their mean value.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    visits: f64,
    value: f64,
}

impl Rave {
    pub(super) fn new(params: &SearchParams) -> Option<Self> {
        (params.rave > 0.0).then_some(Self {
            equivalence: params.rave,
            first_play: params.rave_first_play,
            exploration: params.rave_exploration,
        })
    }

    /// The value of a move by its own visits, by what is assumed of it, and by simulations that made it
    /// later. With `n` visits of the first two kinds and `m` of the last, the last counts for
    /// `β = m / (n + m + n·m / equivalence)`.
    #[inline]
    fn value(self, seen: Seen, assumed: f64, amaf: Amaf) -> f64 {
        let visits = seen.visits + self.first_play;
        let own = if visits > 0.0 {
            (seen.visits * seen.value + self.first_play * assumed) / visits
        } else {
            assumed
        };
        if amaf.visits <= 0.0 {
            return own;
        }
        let beta = amaf.visits / (visits + amaf.visits + visits * amaf.visits / self.equivalence);
        (1.0 - beta) * own + beta * amaf.value
    }
}

impl Formula {
    /// The index of the move to take at a node whose moves are judged by later ones, too; `prior` tells
    /// the prior of a move by its index and by what the tree has. None where nothing is kept of later moves.
    pub(super) fn select_rave(
        &self,
        node: Node<'_>,
        block: Block<'_>,
        prior: impl Fn(usize, f32) -> f32,
    ) -> Option<usize> {
        let rave = self.rave?;
        let (_, words) = block.amaf_words()?;
        let explore = Exploration::at(self.kind, rave.exploration, node)?;
        let assumed = explore.first_play();
        let score = |index, prior, seen: Seen| {
            rave.value(seen, assumed, amaf_at(words, index)) + explore.bonus(prior, seen.visits)
        };
        // The first of equals, whose prior is the highest.
        let mut best = Best::new(Equals::First);
        let mut created = 0;
        block.for_each_child(|index, child| {
            created = index + 1;
            let prior = prior(index, child.edge().prior);
            let (visits, value) = self.seen(child);
            let value = if visits > 0.0 { value } else { 0.0 };
            best.offer(index, score(index, prior, Seen { visits, value }), child.proof());
        });
        let nothing = Seen { visits: 0.0, value: 0.0 };
        for index in created..block.len() {
            let edge = block.edge(index);
            // A move without any prior is tried when all others are known to lose: they are the last.
            if edge.prior <= 0.0 && !best.is_lost() {
                break;
            }
            best.offer(index, score(index, prior(index, edge.prior), nothing), None);
        }
        Some(best.index)
    }
}

/// What is added to values so that moves are tried.
struct Exploration {
    kind: Bonus,
    parent: f64,
}

enum Bonus {
    Puct(Puct),
    /// The factor and the logarithm of the parent's visits.
    Ucb1 {
        c: f64,
        log: f64,
    },
}

impl Exploration {
    /// None where moves are not selected by values.
    fn at(kind: Kind, c: f64, node: Node<'_>) -> Option<Self> {
        let kind = match kind {
            Kind::Puct { growth, first_play, .. } => {
                Bonus::Puct(Puct::at(node, c, growth, first_play))
            }
            Kind::Ucb1 { .. } | Kind::Tuned => {
                Bonus::Ucb1 { c, log: natural_log(passed(node).max(1)) }
            }
            Kind::Flat => return None,
        };
        Some(Self { kind, parent: f64::from(node.value().get()) })
    }

    fn first_play(&self) -> f64 {
        match &self.kind {
            Bonus::Puct(puct) => puct.first_play(0.0),
            Bonus::Ucb1 { .. } => self.parent,
        }
    }

    #[inline]
    fn bonus(&self, prior: f32, visits: f64) -> f64 {
        match &self.kind {
            Bonus::Puct(puct) => puct.score(0.0, prior, visits),
            Bonus::Ucb1 { c, log } => c * (log / (visits + 1.0)).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_blended_as_worked_by_hand() {
        let rave = Rave { equivalence: 1000.0, first_play: 10.0, exploration: 0.0 };
        let nothing = Seen { visits: 0.0, value: 0.0 };
        // Nothing is known but what is assumed.
        assert!((rave.value(nothing, 0.2, Amaf::default()) - 0.2).abs() < 1e-12);
        // 10 visits assumed, 30 of later moves: beta = 30 / (10 + 30 + 0.3).
        let amaf = Amaf { visits: 30.0, value: 1.0 };
        let beta = 30.0 / 40.3;
        assert!((rave.value(nothing, 0.2, amaf) - (beta + (1.0 - beta) * 0.2)).abs() < 1e-12);
        // 990 own visits worth -1 with 10 assumed, and 1000 of later moves: beta is a third.
        let seen = Seen { visits: 990.0, value: -1.0 };
        let amaf = Amaf { visits: 1000.0, value: 1.0 };
        let own = (-990.0 + 2.0) / 1000.0;
        assert!((rave.value(seen, 0.2, amaf) - (1.0 / 3.0 + 2.0 / 3.0 * own)).abs() < 1e-12);
    }
}
