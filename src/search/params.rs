//! What can be told to a search.

use super::gumbel::GumbelParams;
use crate::util::{Words, available_memory, choices, params, threads_or_cores};

choices! {
    /// How a descent chooses among moves.
    pub enum Selection {
        /// PUCT where an evaluator tells moves apart, otherwise UCB1.
        Auto = "auto",
        /// Equation 1 of Lan et al. 2021.
        Puct = "puct",
        /// Auer, Cesa-Bianchi and Fischer 2002.
        Ucb1 = "ucb1",
        /// The same with the variance that was found.
        Ucb1Tuned = "ucb1-tuned",
        /// All moves alike.
        Flat = "flat",
    }
}

choices! {
    /// What PUCT assumes of a move without visits.
    pub enum Unvisited {
        /// Somewhat less than its parent's value.
        Parent = "parent",
        /// A draw.
        Draw = "draw",
        /// A loss.
        Loss = "loss",
    }
}

choices! {
    /// Which move is the best at the end of a search.
    pub enum FinalChoice {
        /// The most visited one.
        Visits = "visits",
        /// The one with the highest lower bound of its value.
        LowerBound = "lower-bound",
    }
}

params! {
    /// The tree search.
    pub struct SearchParams {
        /// Threads that search one tree, 0 for as many as there are cores. In searches with a time limit all but one rest while other programs leave them no more processor time than one would get.
        pub threads: usize = 0, 0..=1024;
        /// Positions that a thread sends to the evaluator at a time; 0 for as many as pay: several with wide networks on small boards and on accelerators, otherwise one.
        pub batch: usize = 0, 0..=1024;
        /// Memory of the tree in MiB, 0 for what `memory.limit` leaves. A tree that has three quarters of it is searched on but grows no more; the rest is for what is kept of it after a move.
        pub max_memory: usize = 0, 0..=SearchParams::MOST_MEMORY;
        /// Simulations per move at the most, 0 for no limit.
        pub max_simulations: u64 = 0, 0..=1_000_000_000_000;
        /// Go on in the tree of the search before, where the game has come to a position in it.
        pub keep_tree: bool = true, crate::util::Any;
        /// How moves are selected in the tree: `puct` by priors and values, `ucb1` or `ucb1-tuned` by values alone, `flat` all alike at the root and nothing below it, `auto` puct where moves are told apart before they are visited, otherwise ucb1.
        pub formula: Selection = Selection::Auto, Words;
        /// Exploration of PUCT: c in `value + c · prior · sqrt(parent visits) / (1 + visits)`, values in [-1, 1].
        pub c_puct: f64 = 1.25, 0.0..=100.0;
        /// How much that c grows: by this times the logarithm of 1 + visits / 500. 0 keeps it.
        pub c_puct_growth: f64 = 0.0, 0.0..=100.0;
        /// Exploration of UCB1: c in `value + c · sqrt(ln(parent visits) / visits)`.
        pub exploration: f64 = 0.7, 0.0..=100.0;
        /// What PUCT assumes of a move without visits: `parent` for its parent's value less a reduction, `draw`, or `loss`.
        pub first_play: Unvisited = Unvisited::Parent, Words;
        /// The reduction: this times the square root of the priors of all visited moves.
        pub first_play_reduction: f64 = 0.2, 0.0..=2.0;
        /// The reduction at the root; -1 for the same as elsewhere.
        pub root_first_play_reduction: f64 = -1.0, -1.0..=2.0;
        /// Visits at which a move's own results and those of simulations that made it later count about the same (RAVE), where the evaluator plays games to the end; 0 to use none of the latter.
        pub rave: f64 = 1000.0, 0.0..=1_000_000.0;
        /// Visits that what is assumed of a move counts for beside them.
        pub rave_first_play: f64 = 10.0, 0.0..=10_000.0;
        /// Exploration where they are used, in place of `c_puct` and `exploration`: they explore by themselves.
        pub rave_exploration: f64 = 1.0, 0.0..=100.0;
        /// Visits of a node before its moves are written down, where the evaluator need not be asked for them at once.
        pub expand_visits: u32 = 1, 1..=10_000;
        /// Positions that may be looked at to solve a leaf of NoGo near the end of the game exactly, where a network evaluates; 0 for none.
        pub solve: u32 = 500, 0..=10_000_000;
        /// Lost visits that a descent under way counts for.
        pub virtual_loss: f64 = 1.0, 0.0..=100.0;
        /// Share of Dirichlet noise in the priors at the root, 0 for none.
        pub noise: f64 = 0.0, 0.0..=1.0;
        /// Parameter of the noise for a board with that many legal moves: alpha = this / legal moves.
        pub noise_alpha: f64 = 10.8, 0.01..=1000.0;
        /// Temperature of the priors at the root: above 1 flatter, below sharper.
        pub root_temperature: f64 = 1.0, 0.01..=100.0;
        /// Moves that a Gumbel root considers, 0 for none: then PUCT or UCB1 choose at the root as elsewhere. Needs a number of simulations.
        pub gumbel_considered: u32 = 0, 0..=1000;
        /// Weight of values against priors at a Gumbel root: `(this + most visits) · scale`.
        pub gumbel_visit: f64 = 50.0, 0.0..=10000.0;
        /// The scale in it.
        pub gumbel_scale: f64 = 1.0, 0.0..=100.0;
        /// Average what the evaluator says of the root over all symmetries of the board.
        pub root_symmetries: bool = false, crate::util::Any;
        /// How the move to play is chosen: by `visits`, or by the `lower-bound` of its value.
        pub choice: FinalChoice = FinalChoice::Visits, Words;
        /// Standard errors from the value to its lower bound.
        pub lower_bound_width: f64 = 2.0, 0.0..=10.0;
        /// Simulations that a trace of the search keeps, the newest; 0 for no trace.
        pub trace: usize = 0, 0..=100_000_000;
        /// Where the random numbers start. One thread and a fixed number of simulations repeat exactly.
        pub seed: u64 = 1, 0..=9_223_372_036_854_775_807;
    }
}

impl SearchParams {
    /// Threads to search with.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        threads_or_cores(self.threads)
    }

    /// The parameters of a Gumbel root, if there is to be one.
    #[must_use]
    pub fn gumbel(&self) -> Option<GumbelParams> {
        (self.gumbel_considered > 0 && self.max_simulations > 0).then_some(GumbelParams {
            considered: self.gumbel_considered,
            c_visit: self.gumbel_visit,
            c_scale: self.gumbel_scale,
        })
    }

    /// The most MiB of a tree.
    pub const MOST_MEMORY: usize = 32_000;

    /// Bytes for the tree; without a configuration that divides the memory of the process, a quarter of all.
    #[must_use]
    pub fn memory(&self) -> usize {
        match self.max_memory {
            0 => available_memory().unwrap_or(4 << 30) / 4,
            megabytes => megabytes << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_memory_are_never_nothing() {
        let params = SearchParams::default();
        assert!(params.thread_count() >= 1 && params.memory() >= 64 << 20);
        let set = SearchParams { threads: 3, max_memory: 100, ..params };
        assert_eq!((set.thread_count(), set.memory()), (3, 100 << 20));
    }
}
