//! What a search did, simulation by simulation.

use crate::game::{BoardSize, Move};
use crate::search::TraceEntry;
use crate::timeman::Tally;

/// The value of a win in a [`TraceEntry`].
const WIN: f64 = (1 << 24) as f64;

/// All simulations of a search from an empty tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The moves at the root by falling priors, with those priors.
    pub moves: Vec<(Move, f32)>,
    /// The simulations from the second on: the first evaluates the root and begins with no move.
    pub steps: Vec<Step>,
    /// The moves whose result was proven in the end, by their places, and whether they win. One that
    /// wins ends the search, and so does the last one if all lose; one that loses gets no more visits.
    pub proven: Vec<(u16, bool)>,
}

/// A simulation: `(a_i, v_i)` of Lan et al. 2021.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Its first move, by its place among those of the root.
    pub first: u16,
    /// The value of its leaf for the side to move at the root.
    pub value: f32,
}

impl Trace {
    /// The trace of a search with the moves at its root; none if a simulation did not begin with one
    /// of them, as in a search on a tree that was there before.
    #[must_use]
    pub fn new(size: BoardSize, root: &[Tally], entries: &[TraceEntry]) -> Option<Self> {
        let mv = |tally: &Tally| match tally.point {
            Some(offset) => size.point_at_offset(offset).map(Move::Place),
            None => Some(Move::Pass),
        };
        let moves = root.iter().map(|tally| Some((mv(tally)?, tally.prior)));
        let moves: Option<Vec<_>> = moves.collect();
        let (head, rest) = entries.split_first()?;
        let count = root.len();
        let steps: Option<Vec<_>> = rest
            .iter()
            .map(|entry| {
                let first = entry.first.filter(|&first| usize::from(first) < count)?;
                #[expect(clippy::cast_possible_truncation, reason = "a value needs no more digits")]
                let value = (f64::from(entry.value) / WIN) as f32;
                Some(Step { first, value })
            })
            .collect();
        let proven = Vec::new();
        head.first.is_none().then_some(Self { moves: moves?, steps: steps?, proven })
    }

    /// The same with what was proven of its moves.
    #[must_use]
    pub fn with_proofs(mut self, wins: impl Fn(Move) -> Option<bool>) -> Self {
        let proven = |(index, &(mv, _)): (u16, &(Move, f32))| Some((index, wins(mv)?));
        self.proven = (0..).zip(&self.moves).filter_map(proven).collect();
        self
    }

    /// Simulations with the first, which evaluates the root.
    #[must_use]
    pub const fn simulations(&self) -> usize {
        self.steps.len() + 1
    }

    /// The moves at the root as they stood after `n` simulations.
    #[must_use]
    pub fn tallies(&self, size: BoardSize, n: usize) -> Vec<Tally> {
        let unvisited = |&(mv, prior): &(Move, f32)| {
            let point = mv.point().map(|point| size.offset(point));
            Tally { point, prior, ..Tally::default() }
        };
        let mut tallies: Vec<_> = self.moves.iter().map(unvisited).collect();
        for step in self.steps.iter().take(n.saturating_sub(1)) {
            let (tally, value) = (&mut tallies[usize::from(step.first)], f64::from(step.value));
            tally.visits += 1;
            tally.sum += value;
            tally.squares += value * value;
        }
        tallies
    }

    /// The most visited move after 1, 2, … simulations. Before the first visit it is the move of the
    /// highest prior; a move with as many visits as the leader does not take its place. A move that was
    /// proven to lose, by its last visit, leads no more unless all lose; one that wins leads at the end.
    #[must_use]
    pub fn leaders(&self) -> Vec<usize> {
        let mut visits = vec![0_u32; self.moves.len()];
        let mut lost = vec![false; self.moves.len()];
        let ends = self.last_visits();
        let mut leader = 0;
        let mut leaders = vec![leader];
        for (number, step) in self.steps.iter().enumerate() {
            let first = usize::from(step.first);
            visits[first] += 1;
            if ends.contains(&(first, number)) {
                lost[first] = true;
            }
            if lost[leader] {
                let open = (0..visits.len()).rev().filter(|&i| !lost[i]);
                leader = open.max_by_key(|&i| visits[i]).unwrap_or(leader);
            } else if visits[first] > visits[leader] && !lost[first] {
                leader = first;
            }
            leaders.push(leader);
        }
        let winner = self.proven.iter().find(|(_, wins)| *wins);
        if let (Some((winner, _)), Some(last)) = (winner, leaders.last_mut()) {
            *last = usize::from(*winner);
        }
        leaders
    }

    /// For each move that loses, its place with the number of its last simulation.
    fn last_visits(&self) -> Vec<(usize, usize)> {
        let losers = self.proven.iter().filter(|(_, wins)| !wins);
        let last = |first: u16| self.steps.iter().rposition(|step| step.first == first);
        losers.filter_map(|&(first, _)| Some((usize::from(first), last(first)?))).collect()
    }

    /// The share of the visits that each move has got in the end.
    #[must_use]
    pub fn policy(&self) -> Vec<(Move, f32)> {
        let mut visits = vec![0_u32; self.moves.len()];
        self.steps.iter().for_each(|step| visits[usize::from(step.first)] += 1);
        let sum = self.steps.len().max(1) as f32;
        self.moves.iter().zip(visits).map(|(&(mv, _), n)| (mv, n as f32 / sum)).collect()
    }
}
