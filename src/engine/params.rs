//! What the engine can be told in `engine.toml`.

use crate::game::{BoardSize, Game, Komi, Rules};
use crate::search::SearchParams;
use crate::timeman::TimeParams;
use crate::util::{Any, LimitError, OneOf, Params, Words, params};

params! {
    /// The game at the start, until a client chooses another.
    pub struct GameParams {
        /// Which game.
        pub kind: Game = Game::Go, Words;
        /// Side of the board.
        pub board_size: usize = 9, BoardSize::MIN..=BoardSize::MAX;
        /// Rules of Go by name.
        pub rules: String = "chinese".to_owned(), OneOf(Rules::names().filter(|&name| name != "nogo").collect());
        /// Points for White, a multiple of 0.5.
        pub komi: f64 = 7.0, -1000.0..=1000.0;
    }
}

params! {
    /// How to play.
    pub struct PlayParams {
        /// Resign games that are lost.
        pub resign: bool = true, Any;
        /// Win rate below which a game counts as lost.
        pub resign_below: f64 = 0.05, 0.0..=0.5;
        /// Own moves in a row that must look lost.
        pub resign_moves: u32 = 3, 1..=100;
        /// Share of the board's points that must have been played before.
        pub resign_after: f64 = 0.25, 0.0..=10.0;
        /// Keep the whole report of each move, as JSON, in the comments of records; otherwise one line tells of it.
        pub record_reports: bool = false, Any;
        /// Think while the opponent does.
        pub ponder: bool = false, Any;
        /// Seconds to think on the opponent's time at the most, for each of its moves.
        pub ponder_seconds: f64 = 60.0, 0.1..=86400.0;
    }
}

/// All parameters of an engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineParams {
    /// The game at the start.
    pub game: GameParams,
    /// How to play.
    pub play: PlayParams,
    /// How long to think.
    pub time: TimeParams,
    /// The tree search.
    pub search: SearchParams,
}

impl GameParams {
    /// The rules that these parameters name.
    #[must_use]
    pub fn rules(&self) -> Rules {
        match self.kind {
            Game::Go => self.go_rules(),
            Game::NoGo => Rules::NOGO,
        }
    }

    /// The rules for Go, whatever game is chosen.
    #[must_use]
    pub fn go_rules(&self) -> Rules {
        self.rules.parse().unwrap_or(Rules::CHINESE)
    }

    /// Komi at the start.
    #[must_use]
    pub fn komi(&self) -> Komi {
        Komi::from_points(self.komi).unwrap_or_default()
    }

    /// The board at the start.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        BoardSize::square(self.board_size).expect("invariant: the limits of board_size are checked")
    }
}

impl EngineParams {
    /// Refuses values outside their limits, by the name of the section and the error.
    pub fn check(&self) -> Result<(), (&'static str, LimitError)> {
        self.game.check().map_err(|error| ("game", error))?;
        if Komi::from_points(self.game.komi).is_err() {
            let (name, value) = ("komi", self.game.komi.to_string());
            return Err(("game", LimitError { name, value, limits: "a multiple of 0.5".into() }));
        }
        self.play.check().map_err(|error| ("play", error))?;
        self.time.check().map_err(|error| ("time", error))?;
        self.search.check().map_err(|error| ("search", error))
    }
}
