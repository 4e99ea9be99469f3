//! What can be said of a training.

use crate::util::{params, threads_or_cores};

params! {
    /// How a network is trained.
    pub struct TrainParams {
        /// Steps in all; the learning rate falls towards the last.
        pub steps: u64 = 100_000, 1..=1_000_000_000;
        /// Positions in a step.
        pub batch: usize = 128, 1..=65_536;
        /// Parts that a batch is cut into, each computed by one thread. Their number changes the last digits of the weights, the number of threads does not.
        pub pieces: usize = 2, 1..=64;
        /// Threads that compute, 0 for as many as there are cores.
        pub threads: usize = 0, 0..=64;
        /// Highest learning rate.
        pub learning_rate: f64 = 4e-4, 0.0..=1.0;
        /// Learning rate at the end as a share of the highest.
        pub final_rate: f64 = 0.05, 0.0..=1.0;
        /// Steps in which the learning rate rises from 0.
        pub warmup: u64 = 500, 0..=1_000_000;
        /// Weight decay, of all tensors but biases.
        pub weight_decay: f64 = 1e-4, 0.0..=1.0;
        /// How long Adam remembers gradients.
        pub beta1: f64 = 0.9, 0.0..=0.9999;
        /// How long Adam remembers their squares.
        pub beta2: f64 = 0.999, 0.0..=0.99999;
        /// Gradients longer than this are shortened to it, 0 for never.
        pub clip: f64 = 1.0, 0.0..=1e6;
        /// How long the average of the weights remembers: it is what is exported.
        pub average: f64 = 0.999, 0.0..=0.999_999;
        /// Weight of the loss of the value; that of the policy is 1.
        pub value_weight: f64 = 1.0, 0.0..=100.0;
        /// Weight of the loss of the reply.
        pub reply_weight: f64 = 0.15, 0.0..=100.0;
        /// Weight of the loss of the owners.
        pub ownership_weight: f64 = 0.15, 0.0..=100.0;
        /// Weight of the loss of the score.
        pub score_weight: f64 = 0.02, 0.0..=100.0;
        /// Weight of the loss of the value some turns later.
        pub short_term_weight: f64 = 0.25, 0.0..=100.0;
        /// Share of the search's value in the target of the value, where it is known; the rest is the result.
        pub search_value_share: f64 = 0.2, 0.0..=1.0;
        /// Share of the teacher in the targets of value, score and owners, where there is a label; the rest is what became of the game.
        pub teacher_share: f64 = 0.8, 0.0..=1.0;
        /// Turns that the value some turns later looks ahead on a 9x9 board; more on larger ones.
        pub short_term_turns: f64 = 4.0, 0.1..=100.0;
        /// Share of the positions that are shown under other rules of Go which do not change who wins.
        pub rule_variation: f64 = 0.5, 0.0..=1.0;
        /// Steps between two lines of the log.
        pub log_every: u64 = 100, 1..=1_000_000;
        /// Steps between two validations, each of which exports the network.
        pub validate_every: u64 = 2000, 1..=100_000_000;
        /// Positions held out that a validation looks at.
        pub validate_rows: usize = 4096, 0..=1_000_000;
        /// Minutes between two checkpoints.
        pub checkpoint_minutes: f64 = 5.0, 0.0..=10_000.0;
        /// Where the random numbers start.
        pub seed: u64 = 1, 0..=9_223_372_036_854_775_807;
    }
}

impl TrainParams {
    /// Threads to compute with.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        threads_or_cores(self.threads)
    }

    /// The learning rate of a step, from 0: it rises evenly and falls as a cosine does.
    #[must_use]
    pub fn rate(&self, step: u64) -> f64 {
        let warm = ((step + 1) as f64 / (self.warmup + 1) as f64).min(1.0);
        let progress = (step as f64 / self.steps as f64).min(1.0);
        let fall = f64::midpoint(1.0, (std::f64::consts::PI * progress).cos());
        self.learning_rate * warm * (self.final_rate + (1.0 - self.final_rate) * fall)
    }
}
