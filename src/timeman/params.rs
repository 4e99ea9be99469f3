//! What the time manager can be told in `engine.toml`.

use super::strategy::StrategyText;
use crate::util::{Any, Words, choices, params};

choices! {
    /// When a strategy may end a search before its planned end.
    pub enum EarlyStopping {
        /// Where the time is there later.
        Kept = "kept",
        /// Also where it is lost.
        Always = "always",
        /// Never.
        Never = "never",
    }
}

choices! {
    /// Whether a stop model may end searches.
    pub enum DsMcts {
        /// Where the time is there later.
        Auto = "auto",
        /// Also where it is lost.
        Always = "always",
        /// Never.
        Off = "off",
    }
}

params! {
    /// How long to think.
    pub struct TimeParams {
        /// How the time of a game is used.
        pub strategy: String = "tedomari".to_owned(), StrategyText;
        /// Seconds per move when nobody has set a clock.
        pub seconds_per_move: f64 = 5.0, 0.001..=86400.0;
        /// Milliseconds kept in hand on every move for the way to the server and back; what the clocks show of more is added. Players of a match in the process of the referee keep none unless another number than this is set.
        pub lag_ms: u32 = 200, 0..=60000;
        /// Milliseconds that every move is taken to have cost unseen as long as nobody sends `time_left`: little under a program on the same machine, as much as the line takes under one that is far away.
        pub untold_lag_ms: u32 = 3, 0..=60000;
        /// Share of the time left that one move may take at the most, whatever the strategy says.
        pub max_share: f64 = 0.25, 0.01..=1.0;
        /// Simulations that a move gets however late it is, unless they take longer than five milliseconds by a real clock: without them the move would be random.
        pub least_simulations: u32 = 50, 0..=1_000_000;
        /// When a strategy may end a search early: `kept` if the time is there later, `always`, or `never`.
        pub early_stop: EarlyStopping = EarlyStopping::Kept, Words;
        /// Whether uncertainty networks may end a search (DS-MCTS): `auto` where a stop profile fits the network and `early_stop` allows it, `always` also where the time is lost, as in searches of a number of simulations, or `off`.
        pub ds_mcts: DsMcts = DsMcts::Auto, Words;
        /// Stop profile made by `tedomari uncertainty calibrate`, NAME-stop.toml, read at the start; empty for the one beside the network.
        pub stop_profile: String = String::new(), Any;
        /// A simulation takes one second of the clocks, and real time none: games that repeat exactly.
        pub simulations_as_time: bool = false, Any;
        /// File with a timetable made by `tedomari timetable`, read at the start; empty for the one that is built in.
        pub table: String = String::new(), Any;
    }
}
