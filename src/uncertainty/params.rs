//! What can be said of uncertainty networks and their data.

use crate::util::{Words, choices, params, threads_or_cores};

choices! {
    /// What the networks foresee.
    pub enum Target {
        /// How likely it is that more search would matter.
        Change = "change",
        /// How much would be lost without it.
        Regret = "regret",
    }
}

choices! {
    /// How thresholds are found.
    pub enum ThresholdsBy {
        /// Each by the share of the positions that need more search which it catches.
        Recall = "recall",
        /// All together by what they may lose.
        Loss = "loss",
    }
}

params! {
    /// Uncertainty: traces of searches, the networks trained on them, and when to stop.
    pub struct UncertaintyParams {
        /// `N_max`: simulations of a search that is traced.
        pub simulations: usize = 400, 2..=1_000_000;
        /// Every so many positions of a game one is searched.
        pub every: usize = 2, 1..=1000;
        /// Positions that a thread searches side by side: their leaves are evaluated together.
        pub together: usize = 8, 1..=1024;
        /// Threads, 0 for as many as there are cores.
        pub threads: usize = 0, 0..=1024;
        /// How much worse, in values from -1 to 1, a move must be in the end to count as another one.
        pub epsilon: f64 = 0.05, 0.0001..=2.0;
        /// What the networks foresee: `change` for how likely it is that more search would matter by epsilon or more, `regret` for how much would be lost without it.
        pub target: Target = Target::Change, Words;
        /// Where they foresee regret: the loss of value that an answer of 1 stands for, and all larger ones.
        pub most_regret: f64 = 0.5, 0.001..=2.0;
        /// Share of the games that nothing is trained on: thresholds are chosen on one half of them, and tested on the other.
        pub held_out: f64 = 0.3, 0.01..=0.9;
        /// Steps of the training of each network.
        pub steps: u64 = 8000, 1..=100_000_000;
        /// Positions in a step.
        pub batch: usize = 64, 1..=65_536;
        /// Highest learning rate.
        pub learning_rate: f64 = 1e-3, 0.0..=1.0;
        /// Weight decay: c2 of equations 5 and 8.
        pub weight_decay: f64 = 1e-4, 0.0..=1.0;
        /// Weight of policy and value beside the uncertainty: c1 of equations 5 and 8.
        pub auxiliary: f64 = 0.1, 0.0..=100.0;
        /// Positions of which State-UN says less than this, and is right, are not shown to MCTS-UN.
        pub prune: f64 = 0.05, 0.0..=1.0;
        /// Share of the positions in a step of MCTS-UN that are uncertain, drawn more often than they are; 0 to draw all alike.
        pub hard_share: f64 = 0.5, 0.0..=0.9;
        /// Share of the positions of which MCTS-UN sees both the position and the search; the others lack one of them.
        pub both_share: f64 = 0.5, 0.0..=1.0;
        /// How thresholds are found: `recall` for each by the share of the positions that need more search which it catches, `loss` for all together by what they may lose.
        pub thresholds: ThresholdsBy = ThresholdsBy::Recall, Words;
        /// Share of the positions that need more search which a threshold must catch.
        pub recall: f64 = 0.96, 0.5..=1.0;
        /// Value that the searches may lose in the mean, those that are not ended among them.
        pub loss: f64 = 0.001, 0.0..=2.0;
        /// Where the random numbers start.
        pub seed: u64 = 1, 0..=9_223_372_036_854_775_807;
    }
}

impl UncertaintyParams {
    /// Whether networks foresee how much would be lost.
    #[must_use]
    pub fn foresees_regret(&self) -> bool {
        self.target == Target::Regret
    }

    /// Whether thresholds are found by what they may lose.
    #[must_use]
    pub fn limits_loss(&self) -> bool {
        self.thresholds == ThresholdsBy::Loss
    }

    /// Threads to compute with.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        threads_or_cores(self.threads)
    }
}
