//! One game: our own rules decide what is legal and who has won, and our own clock who is late.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::line::Reason;
use super::player::{Answer, GameStart, Kind, Player, Question, Reply, Trouble};
use super::time::{TimeControl, time_for_move};
use crate::engine::Purpose;
use crate::game::{
    BoardSize, Color, DeadStones, Game, GameRecord, GameResult, Komi, Move, PointSet, Position,
    RecordedMove, Rules,
};
use crate::timeman::{Clock, TimeSystem};
use crate::util::Seed;

/// Which stones are dead when passes have ended a game of Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadBy {
    /// Those that both players name; if they do not agree, those that the judge names.
    Agreement,
    /// The game goes on until both players pass without a stone between; then none is dead.
    PlayOn,
    /// Those that the judge names.
    Judge,
    /// None.
    Nobody,
}

impl DeadBy {
    /// What goes with the rules.
    #[must_use]
    pub const fn usual(rules: &Rules) -> Self {
        match rules.dead_stones {
            DeadStones::Removed => Self::Agreement,
            DeadStones::Counted => Self::Nobody,
        }
    }
}

impl fmt::Display for DeadBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agreement => "agreement",
            Self::PlayOn => "play-on",
            Self::Judge => "judge",
            Self::Nobody => "none",
        })
    }
}

/// What all games of a match have in common.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The board.
    pub size: BoardSize,
    /// The rules.
    pub rules: Rules,
    /// Points for White.
    pub komi: Komi,
    /// Dead stones.
    pub dead: DeadBy,
    /// Moves from which a game is too long.
    pub max_moves: usize,
    /// What is taken off the time of every move before it is charged: the way through the pipe.
    pub allowance: Duration,
    /// How long a program without a clock may think, and one whose time is up may still answer.
    pub patience: Patience,
}

/// How long to wait for programs.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a move without a clock.
    pub unlimited: Duration,
    /// After the time is up, before the program counts as hanging.
    pub late: Duration,
}

/// A game that has been played.
#[derive(Debug)]
pub struct Played {
    /// Its result.
    pub result: GameResult,
    /// How it came to that.
    pub reason: Reason,
    /// All moves, with clocks.
    pub record: GameRecord,
    /// What is known of each move after the opening.
    pub moves: Vec<Noted>,
    /// What went wrong: by whom, after how many moves.
    pub faults: Vec<(Color, usize, Trouble)>,
    /// Who has to be restarted.
    pub broken: [bool; 2],
}

/// What is known of a move beside the move.
#[derive(Clone, Debug, PartialEq)]
pub struct Noted {
    /// What it took.
    pub used: Duration,
    /// Simulations of the search.
    pub simulations: Option<u64>,
    /// Why the search ended.
    pub stop: Option<Cow<'static, str>>,
    /// What the move was planned to take.
    pub planned: Option<f64>,
    /// Share of games that the player expects to win.
    pub win_rate: Option<f32>,
}

impl Noted {
    /// What is known, in the words of a [`SearchReport`](crate::search::SearchReport). Whole numbers are written several times as fast as fractions.
    #[must_use]
    pub fn comment(&self) -> String {
        let mut text = String::with_capacity(64);
        let mut write = || {
            if let Some(rate) = self.win_rate {
                let rate = thousandths(f64::from(rate));
                write!(text, "wins {}.{} % ", rate / 10, rate % 10)?;
            }
            if let Some(count) = self.simulations {
                write!(text, "after {count} simulations ")?;
            }
            let millis = thousandths(self.used.as_secs_f64());
            write!(text, "in {}.{:03} s", millis / 1000, millis % 1000)?;
            self.stop.as_ref().map_or(Ok(()), |stop| write!(text, " ({stop})"))
        };
        write().expect("invariant: a String takes any text");
        text
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds of a move and shares are small and not negative"
)]
fn thousandths(number: f64) -> u64 {
    (1000.0 * number).round() as u64
}

/// Says which stones are dead.
pub type FindDead<'a> = &'a dyn Fn(&Position) -> PointSet;

/// What a game needs beside its players and terms.
pub struct GameContext<'a> {
    /// Where the random numbers of the game start.
    pub seed: Seed,
    /// Finds dead stones.
    pub judge: FindDead<'a>,
    /// When it is set, the game is given up before the next move: it is void.
    pub stop: &'a AtomicBool,
}

/// A game that one of the players makes impossible to play at all, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Absent {
    /// Who.
    pub color: Color,
    /// Why.
    pub reason: String,
}

/// Plays a game between two players, by [`Color::index`], from an opening that is legal.
pub fn play<'a>(
    terms: &'a Terms,
    players: [&'a mut dyn Player; 2],
    times: [TimeControl; 2],
    opening: &[Move],
    context: GameContext<'_>,
) -> Result<Played, Absent> {
    let mut record = GameRecord::new(terms.size);
    record.rules = Some(terms.rules);
    record.komi = (terms.rules.game == Game::Go).then_some(terms.komi);
    let mut game = Table {
        terms,
        players,
        times,
        clocks: times.map(TimeControl::clock),
        position: Position::new(terms.size, terms.rules, terms.komi),
        played: Played {
            result: GameResult::Unknown,
            reason: Reason::Void,
            record,
            moves: Vec::new(),
            faults: Vec::new(),
            broken: [false; 2],
        },
    };
    let (result, reason) = match game.begin(opening, context.seed)? {
        Some(end) => end,
        None => game.go_on(context),
    };
    let mut played = game.close();
    (played.result, played.reason) = (result, reason);
    played.record.result = Some(result);
    Ok(played)
}

/// How a game ends.
type End = (GameResult, Reason);

struct Table<'a> {
    terms: &'a Terms,
    players: [&'a mut dyn Player; 2],
    times: [TimeControl; 2],
    clocks: [Clock; 2],
    position: Position,
    played: Played,
}

impl Table<'_> {
    /// Starts both players and gives them the opening; the end of the game if one of them fails.
    fn begin(&mut self, opening: &[Move], seed: Seed) -> Result<Option<End>, Absent> {
        let mut failed = [None, None];
        for color in Color::BOTH {
            let Terms { size, rules, komi, .. } = *self.terms;
            let time = self.times[color.index()];
            let seed = seed.fork("player", color.index() as u64);
            let start = GameStart { size, rules, komi, time, seed };
            let player = &mut self.players[color.index()];
            let started = player.start(&start).and_then(|()| {
                let colors = Color::BOTH.into_iter().cycle();
                opening.iter().zip(colors).try_for_each(|(&mv, color)| player.play(color, mv))
            });
            match started {
                Err(Trouble { kind: Kind::Absent, detail }) => {
                    return Err(Absent { color, reason: detail });
                }
                Err(trouble) => failed[color.index()] = Some(self.lose(color, trouble)),
                Ok(()) => {}
            }
        }
        for &mv in opening {
            let color = self.position.to_move();
            self.position.play_legal(color, mv);
            self.played.record.moves.push(RecordedMove::new(color, mv));
        }
        Ok(match failed {
            [Some(_), Some(_)] => Some((GameResult::Void, Reason::Void)),
            [black, white] => black.or(white),
        })
    }

    fn go_on(&mut self, GameContext { judge, stop, .. }: GameContext<'_>) -> End {
        let mut purpose = Purpose::Win;
        let mut stones = 0;
        loop {
            let color = self.position.to_move();
            if self.position.is_over() {
                if self.terms.rules.game == Game::NoGo {
                    return (GameResult::Resignation(color.opponent()), Reason::NoMove);
                }
                if self.terms.dead != DeadBy::PlayOn || (purpose == Purpose::CleanUp && stones == 0)
                {
                    return self.count(judge);
                }
                (purpose, stones) = (Purpose::CleanUp, 0);
                self.position.resume();
            }
            // Ordering: the flag itself is all that is exchanged.
            if stop.load(Ordering::Relaxed) {
                return (GameResult::Void, Reason::Void);
            }
            if self.played.record.moves.len() >= self.terms.max_moves {
                return (self.position.score(&PointSet::new()).into(), Reason::Length);
            }
            let mv = match self.turn(color, purpose) {
                Ok(mv) => mv,
                Err(end) => return end,
            };
            stones += usize::from(mv != Move::Pass);
            if let Err(trouble) = self.players[color.opponent().index()].play(color, mv) {
                return self.lose(color.opponent(), trouble);
            }
        }
    }

    /// Asks for a move and makes it on our own board.
    fn turn(&mut self, color: Color, purpose: Purpose) -> Result<Move, End> {
        let mut clock = self.clocks[color.index()];
        let is_virtual = matches!(self.times[color.index()], TimeControl::Simulations(_));
        let time = time_for_move(&clock).filter(|_| !is_virtual);
        let patience = self.terms.patience;
        let limit =
            time.map_or(patience.unlimited, |time| time + self.terms.allowance + patience.late);
        let question = Question { color, purpose, clock: &clock, limit };
        let asked = self.players[color.index()].genmove(&question);
        let reply = asked.map_err(|trouble| self.lose(color, trouble))?;
        let spent = if is_virtual {
            Duration::from_secs(reply.simulations.unwrap_or_default())
        } else {
            reply.used.saturating_sub(self.terms.allowance)
        };
        clock.spend(spent);
        self.clocks[color.index()] = clock;
        if clock.is_out_of_time() {
            let used = reply.used.as_secs_f64();
            let had = time.map_or(0.0, |time| time.as_secs_f64());
            let detail = if is_virtual {
                "all simulations were used up".to_owned()
            } else {
                format!("{used:.3} s for a move that had {had:.3} s")
            };
            self.lose(color, Trouble::new(Kind::Late, detail));
            self.note(reply);
            return Err((GameResult::Time(color.opponent()), Reason::Time));
        }
        match &self.note(reply) {
            Answer::Resign => Err((GameResult::Resignation(color.opponent()), Reason::Resignation)),
            Answer::Nonsense(text) => {
                let detail = format!("answered '{text}' when asked for a move");
                Err(self.lose(color, Trouble::new(Kind::Illegal, detail)))
            }
            &Answer::Move(mv) => match self.position.play(color, mv) {
                Ok(()) => {
                    self.write_down(color, mv);
                    Ok(mv)
                }
                Err(reason) => {
                    let vertex = self.terms.size.move_text(mv);
                    let detail = format!("played {vertex}: {reason}");
                    Err(self.lose(color, Trouble::new(Kind::Illegal, detail)))
                }
            },
        }
    }

    /// Writes down what is known of a move, also of one that does not count; the answer itself.
    fn note(&mut self, reply: Reply) -> Answer {
        let Reply { answer, used, simulations, stop, planned, win_rate } = reply;
        self.played.moves.push(Noted { used, simulations, stop, planned, win_rate });
        answer
    }

    fn write_down(&mut self, color: Color, mv: Move) {
        let clock = &self.clocks[color.index()];
        let mut recorded = RecordedMove::new(color, mv);
        if clock.system() != TimeSystem::Unlimited {
            recorded.seconds_left = Some((clock.left().as_secs_f64() * 1e3).round() / 1e3);
            recorded.stones_left = (clock.overtime() > 0).then_some(clock.overtime());
        }
        self.played.record.moves.push(recorded);
    }

    /// Counts a game of Go that passes have ended.
    fn count(&mut self, judge: FindDead<'_>) -> End {
        let dead = match self.terms.dead {
            DeadBy::Nobody | DeadBy::PlayOn => PointSet::new(),
            DeadBy::Judge => judge(&self.position),
            DeadBy::Agreement => self.agreed().unwrap_or_else(|| judge(&self.position)),
        };
        (self.position.score(&dead).into(), Reason::Score)
    }

    /// The stones that both players think dead, if they think the same and not nonsense.
    fn agreed(&mut self) -> Option<PointSet> {
        let mut opinions = [None, None];
        for color in Color::BOTH {
            match self.players[color.index()].dead_stones() {
                Ok(opinion) => opinions[color.index()] = opinion,
                Err(trouble) => {
                    self.lose(color, trouble);
                }
            }
        }
        let [Some(black), Some(white)] = opinions else { return None };
        let board = self.position.board();
        let stones = black.iter().all(|point| board.stone(point).is_some());
        (black == white && stones).then_some(black)
    }

    /// The end of a game by the fault of a player, who has to be restarted.
    fn lose(&mut self, color: Color, trouble: Trouble) -> End {
        let reason = match trouble.kind {
            Kind::Late => Reason::Time,
            Kind::Hang => Reason::Hang,
            Kind::Crash | Kind::Closed | Kind::Absent => Reason::Crash,
            Kind::Junk | Kind::Illegal | Kind::Flood | Kind::Refused => Reason::Illegal,
        };
        self.played.broken[color.index()] = true;
        self.blame(color, trouble);
        (GameResult::Forfeit(color.opponent()), reason)
    }

    fn blame(&mut self, color: Color, trouble: Trouble) {
        let ply = self.played.record.moves.len();
        self.played.faults.push((color, ply, trouble));
    }

    fn close(mut self) -> Played {
        for color in Color::BOTH {
            for trouble in self.players[color.index()].take_minor() {
                self.blame(color, trouble);
            }
        }
        self.played
    }
}

#[cfg(test)]
mod tests;
