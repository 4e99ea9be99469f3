//! What can be told to playouts.

use crate::util::{Any, Words, choices, params};

choices! {
    /// How games are played to the end.
    pub enum PlayoutMoves {
        /// Good moves near the last ones first.
        Tactical = "tactical",
        /// Any legal move that fills no eye.
        Uniform = "uniform",
    }
}

choices! {
    /// What a game that was played to the end is worth.
    pub enum PlayoutValue {
        /// Who has won.
        Result = "result",
        /// By how much, as a share of the board.
        Score = "score",
    }
}

choices! {
    /// What playouts learn from each other.
    pub enum ReplyLearning {
        /// Nothing.
        None = "none",
        /// The last good reply (Baier and Drake 2010).
        LastGood = "last-good",
        /// Win/Loss States (Basaldúa and Moreno Vega 2013).
        Wls = "wls",
    }
}

choices! {
    /// What becomes of replies when another search begins.
    pub enum BetweenMoves {
        /// They stay.
        Keep = "keep",
        /// They are forgotten.
        Clear = "clear",
        /// Each counts as if it had lost once.
        Age = "age",
    }
}

params! {
    /// Games played to the end in place of a network.
    pub struct PlayoutParams {
        /// How they are played on: `tactical` looks for good moves near the last ones, `uniform` draws any legal move that fills no eye.
        pub policy: PlayoutMoves = PlayoutMoves::Tactical, Words;
        /// What a game is worth: its `result`, or its `score` in points as a share of the board.
        pub value: PlayoutValue = PlayoutValue::Result, Words;
        /// Probability to look for the vital point of a small space beside the last move.
        pub nakade: f64 = 0.8, 0.0..=1.0;
        /// Probability to look for chains in atari beside the last moves, to capture or to save.
        pub atari: f64 = 0.9, 0.0..=1.0;
        /// Probability to look for chains with two liberties beside the last move.
        pub two_liberties: f64 = 0.3, 0.0..=1.0;
        /// Probability to look for 3x3 patterns around the last moves.
        pub patterns: f64 = 0.95, 0.0..=1.0;
        /// Probability to retake a ko that was taken a few moves ago.
        pub ko: f64 = 0.4, 0.0..=1.0;
        /// Probability that a move into atari is refused where a pattern or a reply suggests it.
        pub self_atari: f64 = 0.9, 0.0..=1.0;
        /// The same for moves drawn at random.
        pub self_atari_random: f64 = 0.6, 0.0..=1.0;
        /// Replies that playouts learn from each other: `none`, `last-good` for the last one that won, until it loses, `wls` by Win/Loss States.
        pub replies: ReplyLearning = ReplyLearning::None, Words;
        /// End of scale of the Win/Loss States: the more, the longer they remember.
        pub wls_end: u16 = 7, 1..=21;
        /// Jumps to the past of the Win/Loss States.
        pub wls_jump: f64 = 1.3, 0.0..=2.0;
        /// States by which a reply must be better than one half to be played.
        pub wls_above_half: u8 = 0, 0..=120;
        /// What becomes of them when the next move is searched: `keep`, `clear`, or `age`, which is a loss for each.
        pub replies_between_moves: BetweenMoves = BetweenMoves::Keep, Words;
        /// Whether tactics and patterns tell the moves of a tree node apart.
        pub priors: bool = true, Any;
        /// Weight of a capture among the priors, where any move has 1; the square root of it for a single stone.
        pub prior_capture: f64 = 30.0, 0.001..=1000.0;
        /// Weight of saving a chain from atari; the square root of it for a single stone.
        pub prior_escape: f64 = 15.0, 0.001..=1000.0;
        /// Weight of giving atari.
        pub prior_atari: f64 = 2.0, 0.001..=1000.0;
        /// Weight of a move into atari.
        pub prior_self_atari: f64 = 0.05, 0.001..=1000.0;
        /// Weight of a 3x3 pattern.
        pub prior_pattern: f64 = 3.0, 0.001..=1000.0;
        /// Weight of a move beside the last one; farther moves have less, down to 1.
        pub prior_near: f64 = 4.0, 0.001..=1000.0;
        /// Weight of the first line far from all stones; its square root on the second.
        pub prior_edge: f64 = 0.1, 0.001..=1000.0;
    }
}

impl PlayoutParams {
    /// Playouts without any knowledge, the base that others are compared with.
    #[must_use]
    pub fn uniform() -> Self {
        Self { policy: PlayoutMoves::Uniform, priors: false, ..Self::default() }
    }
}
