//! The record of a game: who played, from which position, and the moves.

use std::fmt;
use std::str::FromStr;

use super::board::Board;
use super::color::Color;
use super::point::{BoardSize, Move, Point};
use super::position::{Illegal, Position};
use super::rules::{Komi, Rules};
use super::score::Score;
use super::setup::SetupError;

/// A game as it was written down. Nothing says that its moves are legal: see
/// [`GameRecord::replay`].
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// Width and height of the board.
    pub size: BoardSize,
    /// The rules, if the record names ones that are known.
    pub rules: Option<Rules>,
    /// Points for White.
    pub komi: Option<Komi>,
    /// Handicap stones of Black; 0 in an even game, otherwise at least 2.
    pub handicap: u16,
    /// The stones on the board before the first move, handicap stones among them. A record that
    /// was read has them in reading order from the top left.
    pub setup: Vec<(Color, Point)>,
    /// Who moves first.
    pub to_move: Color,
    /// Names of the players, by [`Color::index`].
    pub players: [Option<String>; 2],
    /// Ranks of the players as they were written, by [`Color::index`].
    pub ranks: [Option<String>; 2],
    /// The tournament or match.
    pub event: Option<String>,
    /// When the game was played, usually `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Main time of each player in seconds, to the millisecond.
    pub time_limit: Option<f64>,
    /// What follows the main time, in words.
    pub overtime: Option<String>,
    /// How the game ended.
    pub result: Option<GameResult>,
    /// The program that wrote the record, as `name:version`.
    pub application: Option<String>,
    /// A comment on the game or on the position before the first move.
    pub comment: Option<String>,
    /// The moves in order. The players need not alternate.
    pub moves: Vec<RecordedMove>,
}

/// One move of a [`GameRecord`].
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMove {
    /// Who moved.
    pub color: Color,
    /// Where.
    pub mv: Move,
    /// Seconds on the mover's clock after the move, to the millisecond.
    pub seconds_left: Option<f64>,
    /// Moves that the mover still had to make in the overtime period.
    pub stones_left: Option<u32>,
    /// A comment on the move.
    pub comment: Option<String>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// Counted.
    Score {
        /// Who has more points.
        winner: Color,
        /// How many more, in half points; at least 1.
        halves: u32,
    },
    /// The opponent of this player resigned.
    Resignation(Color),
    /// The opponent of this player ran out of time.
    Time(Color),
    /// The opponent of this player broke the rules or did not appear.
    Forfeit(Color),
    /// This player won, and it is not said how.
    Win(Color),
    /// Nobody won.
    Draw,
    /// The game does not count.
    Void,
    /// Nobody knows.
    Unknown,
}

/// The text is no result of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a result: write such as B+3.5, W+R, B+T, W+F, B+, 0, Void or ?")]
pub struct NotAResult(pub String);

/// A record does not fit the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The stones before the first move cannot stand on a board together.
    #[error("the start position is impossible: {0}")]
    Setup(#[from] SetupError),
    /// A move is not allowed.
    #[error("move {number}, {color} {vertex}, is illegal: {reason}")]
    IllegalMove {
        /// The number of the move, from 1.
        number: usize,
        /// Who moved.
        color: Color,
        /// The move as GTP writes it.
        vertex: String,
        /// What is wrong with it.
        #[source]
        reason: Illegal,
    },
}

impl GameRecord {
    /// The record of a game that has not begun, about which nothing is known.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        Self {
            size,
            rules: None,
            komi: None,
            handicap: 0,
            setup: Vec::new(),
            to_move: Color::Black,
            players: [None, None],
            ranks: [None, None],
            event: None,
            date: None,
            time_limit: None,
            overtime: None,
            result: None,
            application: None,
            comment: None,
            moves: Vec::new(),
        }
    }

    /// Who moves first when a record does not say: whoever made the first move, in a game without
    /// moves White if there is a handicap, otherwise Black.
    #[must_use]
    pub fn usual_starter(&self) -> Color {
        match self.moves.first() {
            Some(first) => first.color,
            None if self.handicap >= 2 => Color::White,
            None => Color::Black,
        }
    }

    /// The position before the first move. Rules and komi are those of the caller, who may know
    /// better than the record.
    pub fn start(&self, rules: Rules, komi: Komi) -> Result<Position, ReplayError> {
        let board = Board::with_stones(self.size, self.setup.iter().copied())?;
        let mut position = Position::from_board(board, self.to_move, rules, komi);
        position.set_handicap(self.handicap);
        Ok(position)
    }

    /// The position after the first `up_to` moves, or after all when there are fewer.
    pub fn replay(&self, up_to: usize, rules: Rules, komi: Komi) -> Result<Position, ReplayError> {
        let mut position = self.start(rules, komi)?;
        for (number, recorded) in (1..).zip(self.moves.iter().take(up_to)) {
            position.play(recorded.color, recorded.mv).map_err(|reason| {
                let vertex = self.size.move_text(recorded.mv);
                ReplayError::IllegalMove { number, color: recorded.color, vertex, reason }
            })?;
        }
        Ok(position)
    }
}

impl RecordedMove {
    /// A move about which nothing else is known.
    #[must_use]
    pub const fn new(color: Color, mv: Move) -> Self {
        Self { color, mv, seconds_left: None, stones_left: None, comment: None }
    }
}

impl GameResult {
    /// Who won, if somebody did.
    #[must_use]
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Score { winner, .. }
            | Self::Resignation(winner)
            | Self::Time(winner)
            | Self::Forfeit(winner)
            | Self::Win(winner) => Some(winner),
            Self::Draw | Self::Void | Self::Unknown => None,
        }
    }
}

impl From<Score> for GameResult {
    fn from(score: Score) -> Self {
        match score.winner() {
            Some(winner) => Self::Score { winner, halves: score.halves().unsigned_abs() },
            None => Self::Draw,
        }
    }
}

impl fmt::Display for GameResult {
    /// Writes what stands in `RE` of an SGF file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(winner) = self.winner() {
            write!(f, "{}+", winner.letter())?;
        }
        match self {
            Self::Score { halves, .. } => write!(f, "{}", f64::from(*halves) / 2.0),
            Self::Resignation(_) => f.write_str("R"),
            Self::Time(_) => f.write_str("T"),
            Self::Forfeit(_) => f.write_str("F"),
            Self::Win(_) => Ok(()),
            Self::Draw => f.write_str("0"),
            Self::Void => f.write_str("Void"),
            Self::Unknown => f.write_str("?"),
        }
    }
}

impl FromStr for GameResult {
    type Err = NotAResult;

    /// Reads the forms of the SGF standard in any case. A win by no points is a draw.
    fn from_str(text: &str) -> Result<Self, NotAResult> {
        let plain = text.trim().to_ascii_lowercase();
        let unreadable = || NotAResult(text.to_owned());
        let (winner, how) = match plain.split_once('+') {
            Some((player, how)) => (player.trim().parse().map_err(|_| unreadable())?, how.trim()),
            None => {
                return match plain.as_str() {
                    "0" | "draw" | "jigo" => Ok(Self::Draw),
                    "void" => Ok(Self::Void),
                    "?" => Ok(Self::Unknown),
                    _ => Err(unreadable()),
                };
            }
        };
        match how {
            "" => Ok(Self::Win(winner)),
            "r" | "res" | "resign" | "resignation" => Ok(Self::Resignation(winner)),
            "t" | "time" | "timeout" => Ok(Self::Time(winner)),
            "f" | "forfeit" => Ok(Self::Forfeit(winner)),
            margin => match parse_halves(margin).ok_or_else(unreadable)? {
                0 => Ok(Self::Draw),
                halves => Ok(Self::Score { winner, halves }),
            },
        }
    }
}

/// Reads a number of points such as `3.5` that is a multiple of one half.
fn parse_halves(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let halves = text.parse::<f64>().ok().filter(|_| is_number)? * 2.0;
    if halves.fract() != 0.0 || halves > f64::from(u16::MAX) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    #[expect(clippy::cast_sign_loss, reason = "a number without a sign")]
    Some(halves as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    use Color::{Black, White};

    #[test]
    fn results_are_read_and_written() {
        let table = [
            ("B+3.5", GameResult::Score { winner: Black, halves: 7 }),
            ("W+12", GameResult::Score { winner: White, halves: 24 }),
            ("W+R", GameResult::Resignation(White)),
            ("B+T", GameResult::Time(Black)),
            ("W+F", GameResult::Forfeit(White)),
            ("B+", GameResult::Win(Black)),
            ("0", GameResult::Draw),
            ("Void", GameResult::Void),
            ("?", GameResult::Unknown),
        ];
        for (text, result) in table {
            assert_eq!(text.parse(), Ok(result));
            assert_eq!(result.to_string(), text);
        }
    }

    #[test]
    fn other_spellings_of_results_are_read() {
        let table = [
            ("Draw", GameResult::Draw),
            ("jigo", GameResult::Draw),
            ("B+0", GameResult::Draw),
            ("W+0.0", GameResult::Draw),
            ("b+resign", GameResult::Resignation(Black)),
            ("W+Time", GameResult::Time(White)),
            ("B+Forfeit", GameResult::Forfeit(Black)),
            ("black + 2.50", GameResult::Score { winner: Black, halves: 5 }),
            (" void ", GameResult::Void),
        ];
        for (text, result) in table {
            assert_eq!(text.parse(), Ok(result), "{text}");
        }
        for text in ["", "B", "X+R", "B+x", "B+-3", "B+1e3", "B+nan", "B+0.25", "B+99999", "B+1+1"]
        {
            assert_eq!(text.parse::<GameResult>(), Err(NotAResult(text.to_owned())));
        }
    }

    #[test]
    fn a_score_is_a_result() {
        for halves in [-15, -1, 0, 1, 7, 24] {
            let score = Score::from_halves(halves);
            assert_eq!(GameResult::from(score).to_string(), score.to_string());
        }
    }

    /// A record from a list such as `B D4 W pass` on a 5x5 board, the stones of `setup` in place.
    fn record(setup: &str, moves: &str) -> GameRecord {
        let size = BoardSize::square(5).unwrap();
        let read = |list: &str| -> Vec<(Color, Move)> {
            let words: Vec<_> = list.split_whitespace().collect();
            let pairs = words.chunks(2);
            pairs.map(|w| (w[0].parse().unwrap(), size.parse_move(w[1]).unwrap())).collect()
        };
        let stones = read(setup).into_iter().map(|(color, mv)| (color, mv.point().unwrap()));
        let moves = read(moves).into_iter().map(|(color, mv)| RecordedMove::new(color, mv));
        let mut record = GameRecord::new(size);
        record.setup = stones.collect();
        record.moves = moves.collect();
        record
    }

    /// What `record` answers when it is replayed, in words; stones on the board if it is legal.
    fn check_replay(rules: Rules, setup: &str, moves: &str, expected: &str) {
        let answer = match record(setup, moves).replay(usize::MAX, rules, Komi::default()) {
            Ok(position) => {
                let stones = |color| position.board().stones(color);
                format!("{} black, {} white", stones(Black), stones(White))
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(answer, expected, "set up {setup}, moves {moves}");
    }

    #[test]
    fn games_are_replayed_until_a_move_is_illegal() {
        let go = Rules::CGOS;
        check_replay(go, "", "b C3 w C4 b pass w pass", "1 black, 1 white");
        check_replay(go, "", "b A2 w A1 b B1", "2 black, 0 white");
        check_replay(go, "", "b C3 b C3", "move 2, black C3, is illegal: the point is occupied");
        check_replay(
            Rules::NOGO,
            "",
            "b A2 w A1 b B1",
            "move 3, black B1, is illegal: a capture is not allowed in NoGo",
        );
        check_replay(
            Rules::NOGO,
            "b C3",
            "w pass",
            "move 1, white pass, is illegal: a pass is not allowed in NoGo",
        );
    }

    #[test]
    fn a_start_position_captures_nothing() {
        let go = Rules::CGOS;
        check_replay(go, "b A2 w A1", "b B1", "2 black, 0 white");
        let dead = |vertex| {
            format!(
                "the start position is impossible: a chain has no liberty once there is a stone at {vertex}"
            )
        };
        check_replay(go, "b A2 w A1 b B1", "", &dead("B1"));
        check_replay(go, "b A2 b B1 w A1", "", &dead("A1"));
        let twice = "the start position is impossible: there is a stone at A1 already";
        check_replay(go, "w A1 w A1", "", twice);
    }

    #[test]
    fn a_replay_stops_where_it_is_told() {
        let mut record = record("b C3", "w C4 b D4 w D4");
        record.to_move = White;
        record.handicap = 2;
        let komi = Komi::from_points(0.5).unwrap();
        let start = record.start(Rules::CHINESE, komi).unwrap();
        assert_eq!((start.to_move(), start.handicap(), start.komi()), (White, 2, komi));
        let before = record.replay(2, Rules::CHINESE, komi).unwrap();
        assert_eq!((before.move_count(), before.to_move()), (2, White));
        assert!(record.replay(3, Rules::CHINESE, komi).is_err());
    }

    #[test]
    fn the_first_move_tells_who_starts() {
        let mut record = record("", "w C4");
        assert_eq!(record.usual_starter(), White);
        record.moves.clear();
        assert_eq!(record.usual_starter(), Black);
        record.handicap = 2;
        assert_eq!(record.usual_starter(), White);
    }
}
