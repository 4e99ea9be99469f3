//! Matches between players that need not trust each other.

mod line;
mod openings;
mod player;
mod referee;
pub mod report;
mod results;
mod run;
mod schedule;
mod spec;
mod stopwatch;
mod time;

pub use line::{Fault, GameLine, Reason};
pub use openings::{Ground, OpeningError, OpeningSource};
pub use player::{
    Answer, Client, EngineMaker, GameStart, Inside, Kind, Player, Program, Question, Reply,
    Streams, Trouble,
};
pub use referee::{Absent, DeadBy, FindDead, GameContext, Noted, Patience, Played, Terms, play};
pub use results::{GAMES, MATCH, MatchInfo, RECORDS, Results, ResultsError, record_name};
pub use run::{Audience, Contestant, Match, MatchError, Source, Standing};
pub use schedule::{NoShard, Pairing, Schedule, Scheduled, Shard};
pub use spec::{PlayerKind, PlayerSpec, SpecError, distinguish};
pub use time::{NoTimeControl, TimeControl};
