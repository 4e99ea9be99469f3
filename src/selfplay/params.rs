//! What can be told to self-play.

use crate::game::{BoardSize, DeadStones, Komi, Rules};
use crate::search::SearchParams;
use crate::util::{Any, params, threads_or_cores};

params! {
    /// Games of the engine with itself.
    pub struct SelfplayParams {
        /// Threads, 0 for as many as there are cores.
        pub threads: usize = 0, 0..=1024;
        /// Games that a thread plays side by side: their leaves are evaluated together.
        pub games_per_thread: usize = 4, 1..=1024;
        /// Simulations of a full search.
        pub simulations: u64 = 32, 1..=1_000_000;
        /// Moves that a Gumbel root considers, 0 for PUCT or UCB1 with noise.
        pub considered: u32 = 16, 0..=1000;
        /// Share of the moves with a full search, from which the policy learns; the others only go on with the game.
        pub full_share: f64 = 1.0, 0.01..=1.0;
        /// Simulations of the other moves.
        pub fast_simulations: u64 = 16, 1..=1_000_000;
        /// End full searches whose answer will not change, by the network's stop profile; needs considered = 0.
        pub ds_mcts: bool = false, Any;
        /// Weight in training of positions whose search ended so.
        pub early_weight: f64 = 1.0, 0.0..=1.0;
        /// Share of Dirichlet noise in the priors at the root of a full search without Gumbel.
        pub noise: f64 = 0.25, 0.0..=1.0;
        /// Moves at the start that are drawn by how good they look, not chosen.
        pub drawn_moves: usize = 8, 0..=1000;
        /// Share of later moves that are drawn in the same way.
        pub drawn_share: f64 = 0.0, 0.0..=1.0;
        /// Share of the games that begin in a position of an earlier game.
        pub archive_share: f64 = 0.3, 0.0..=1.0;
        /// Resign when a search thinks so little of the position, from -1 to 1; -1 for never.
        pub resign_value: f64 = -0.9, -1.0..=0.0;
        /// Own moves in a row that must look so.
        pub resign_moves: u32 = 2, 1..=100;
        /// Share of the games without resignation, which show how often it would have been wrong.
        pub resign_control: f64 = 0.1, 0.0..=1.0;
        /// Standard deviation of komi in points, in Go.
        pub komi_spread: f64 = 1.0, 0.0..=100.0;
        /// Longest game, in points of the board; then it is counted as it stands.
        pub longest: f64 = 2.5, 0.1..=100.0;
        /// Evaluations that each game remembers.
        pub remembered: usize = 4096, 0..=10_000_000;
    }
}

impl SelfplayParams {
    /// Threads to play with.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        threads_or_cores(self.threads)
    }

    /// How a full or a fast search is done: as in `base`, but for what belongs to self-play.
    pub(super) fn search(&self, full: bool, base: &SearchParams) -> SearchParams {
        let gumbel = self.considered > 0;
        SearchParams {
            threads: 1,
            batch: 1,
            max_simulations: if full { self.simulations } else { self.fast_simulations },
            gumbel_considered: self.considered,
            noise: if full && !gumbel { self.noise } else { 0.0 },
            ..base.clone()
        }
    }

    /// Moves of a game at the most.
    pub(super) fn longest_game(&self, size: BoardSize) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "both factors have limits"
        )]
        let moves = (self.longest * size.area() as f64) as usize;
        moves.max(1)
    }
}

/// Where games begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The board.
    pub size: BoardSize,
    /// The rules. Go is played until the stones on the board tell the result, whatever they say of
    /// dead stones.
    pub rules: Rules,
    /// Points for White, in the middle.
    pub komi: Komi,
}

impl Start {
    /// The rules that are played by: there is nobody to agree with on dead stones.
    pub(super) fn played_rules(&self) -> Rules {
        Rules { dead_stones: DeadStones::Counted, ..self.rules }
    }
}
