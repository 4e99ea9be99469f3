//! What can be said of networks in `engine.toml`.

use crate::util::{Any, params};

params! {
    /// The network that evaluates positions.
    pub struct NetParams {
        /// File with the weights: NAME.safetensors with its manifest beside it, one of KataGo's
        /// files such as NAME.bin.gz, or builtin:NAME; empty for the built-in network that fits the
        /// game and the board, or games played to the end where there is none; `none` for
        /// these anyway.
        pub path: String = String::new(), Any;
        /// Where to compute: auto, cpu, cuda:N or metal. An accelerator must be compiled in.
        pub device: String = "auto".to_owned(), Any;
        /// MiB for evaluations that are kept, of all networks together; -1 for a part of `memory.limit`, up to 128.
        pub cache_mb: i64 = -1, -1..=1_000_000;
        /// Positions computed together on an accelerator at the most.
        pub max_batch: usize = 64, 1..=4096;
    }
}
