//! What can be told to an analysis.

use crate::util::{Any, Words, choices, params};

choices! {
    /// Whose win rates and scores are told.
    pub enum Perspective {
        /// Black's.
        Black = "black",
        /// White's.
        White = "white",
        /// Those of the player to move in the position.
        SideToMove = "side-to-move",
    }
}

choices! {
    /// Whether a network sees which moves led to a position.
    pub enum History {
        /// Hidden from KataGo's networks, which have learnt to do without, and shown to others.
        Auto = "auto",
        /// It sees them.
        Shown = "shown",
        /// It does not.
        Hidden = "hidden",
    }
}

params! {
    /// The analysis of many positions, by `tedomari analysis`.
    pub struct AnalysisParams {
        /// Positions that are searched at the same time. With `search.threads = 0` the cores are divided among them.
        pub threads: usize = 2, 1..=1024;
        /// Visits of a position that a query does not limit.
        pub max_visits: u64 = 500, 1..=1_125_899_906_842_624;
        /// Moves of a line of play after the first, where a query does not say how many.
        pub pv_length: usize = 15, 1..=1000;
        /// Whose win rates, scores and owners are told where a query does not say it: `black`, `white` or `side-to-move`.
        pub winrates: Perspective = Perspective::Black, Words;
        /// Whether a network sees which moves led to a position, where a query does not say it by `ignorePreRootHistory`: `shown`, `hidden`, or `auto` for hidden from KataGo's networks, as in KataGo, and shown to others.
        pub history: History = History::Auto, Words;
        /// Warn of fields of a query that mean nothing.
        pub warn_unused: bool = true, Any;
    }
}
