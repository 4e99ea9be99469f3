//! A match: games at the same time, written down as they end.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::line::{Fault, GameLine, Reason};
use super::player::{EngineMaker, Inside, Player, Program};
use super::referee::{self, GameContext, Played, Terms};
use super::results::{Results, ResultsError};
use super::schedule::{Schedule, Scheduled, Shard};
use super::time::TimeControl;
use crate::game::{Color, Move, Position, sgf};
use crate::judge::Judge;
use crate::util::Seed;
use crate::util::stats::{Sprt, Verdict};

/// Where a player comes from.
#[derive(Clone)]
pub enum Source {
    /// A program: its command line, and the commands that it gets first.
    Program {
        /// Command and arguments.
        words: Vec<String>,
        /// GTP commands.
        setup: Vec<String>,
        /// Whether it has ever answered.
        proven: Arc<AtomicBool>,
    },
    /// An engine in this process. Called once for each game that is played at the same time.
    Engine(Arc<dyn Fn() -> Result<EngineMaker, String> + Send + Sync>),
}

/// A player of a match.
#[derive(Clone)]
pub struct Contestant {
    /// Its name, unlike all others.
    pub name: String,
    /// Its time.
    pub time: TimeControl,
    /// Where it comes from.
    pub source: Source,
}

/// Games that may wait for being written down.
const AHEAD: usize = 64;

/// They are written down together after so long: to be woken for each costs as much as a few moves.
const TOGETHER: Duration = Duration::from_millis(5);

/// A match.
pub struct Match {
    /// The players.
    pub players: Vec<Contestant>,
    /// What all games have in common.
    pub terms: Terms,
    /// Who plays whom.
    pub schedule: Schedule,
    /// The part that is played here.
    pub shard: Shard,
    /// The openings; used again from the first when there are not enough.
    pub openings: Vec<Vec<Move>>,
    /// Where random numbers start.
    pub seed: Seed,
    /// Games at the same time.
    pub concurrency: usize,
    /// The test that ends the match, if there is one.
    pub sprt: Option<Sprt>,
    /// When it is set, the match ends within a move. Games that are not over are not written down, so
    /// that they are played when the match goes on.
    pub stop: Arc<AtomicBool>,
}

/// Why a match has ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A player cannot be started.
    #[error("{name} cannot play: {reason}")]
    Absent {
        /// The player.
        name: String,
        /// Why.
        reason: String,
    },
    /// The results cannot be kept.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

/// Sees a match while it runs.
pub trait Audience {
    /// How the match stands after a game, or at the beginning.
    fn see(&mut self, standing: &Standing, last: Option<&GameLine>);
}

/// How a match stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Games of this part of the schedule.
    pub scheduled: u64,
    /// Games that have been played, those of earlier runs included.
    pub games: u64,
    /// Games won by each player.
    pub wins: Vec<u64>,
    /// Games lost by each player.
    pub losses: Vec<u64>,
    /// Games that nobody won.
    pub draws: u64,
    /// Games that do not count.
    pub void: u64,
    /// What players did wrong.
    pub faults: Vec<u64>,
    /// Pairs in which the first player of two had 0, 1/2, 1, 3/2 and 2 points: those without a gap
    /// before them.
    pub pairs: [u64; 5],
    /// The log-likelihood ratio of those pairs.
    pub ratio: Option<f64>,
    /// What the sequential test has decided.
    pub decided: Option<Verdict>,
}

impl Standing {
    /// Whether there is nothing left to play.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.decided.is_some() || self.games >= self.scheduled
    }
}

impl Match {
    /// Plays all games that are not among the lines already, and returns how the match stands.
    pub fn run(
        &self,
        mut results: Results,
        lines: &[GameLine],
        audience: &mut dyn Audience,
    ) -> Result<Standing, MatchError> {
        let done: HashSet<u64> = lines.iter().map(|line| line.game).collect();
        let games: Vec<_> = self.schedule.part(self.shard).collect();
        let mut book = Book::new(self, games.len() as u64);
        book.add(lines);
        audience.see(&book.standing, None);
        let todo: Vec<_> = games.into_iter().filter(|game| !done.contains(&game.game)).collect();
        if book.standing.decided.is_some() || todo.is_empty() {
            return Ok(book.standing);
        }
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        // Nobody plays ahead of a test that may be decided.
        let (sender, finished) = sync_channel(if self.sprt.is_some() { 0 } else { AHEAD });
        thread::scope(|scope| {
            for _ in 0..self.concurrency.clamp(1, todo.len()) {
                let (sender, work) =
                    (sender.clone(), Work { todo: &todo, next: &next, stop: &stop });
                scope.spawn(move || self.work(&work, &sender));
            }
            drop(sender);
            let result = self.keep(&finished, (&mut results, &mut book), &stop, audience);
            stop.store(true, Ordering::Relaxed);
            // Whoever still plays must not wait for a reader who is gone.
            for _ in finished {}
            result
        })?;
        Ok(book.standing)
    }

    /// Plays games one after the other until there are no more.
    fn work<'a>(&self, work: &Work<'a>, sender: &SyncSender<Finished<'a>>) {
        let mut seats: Vec<Option<Box<dyn Player>>> = self.players.iter().map(|_| None).collect();
        let judge = Judge::new();
        let stopped = || self.stop.load(Ordering::Relaxed);
        while !work.stop.load(Ordering::Relaxed) && !stopped() {
            // Ordering: the number itself is all that is exchanged.
            let Some(game) = work.todo.get(work.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let played = self.game(game, &mut seats, &judge).map(|played| (game, played));
            let unfinished = |(_, played): &(_, Played)| stopped() && played.reason == Reason::Void;
            if played.as_ref().is_ok_and(unfinished) {
                return;
            }
            let failed = played.is_err();
            if sender.send(played).is_err() || failed {
                return;
            }
        }
    }

    fn game(
        &self,
        game: &Scheduled,
        seats: &mut [Option<Box<dyn Player>>],
        judge: &Judge,
    ) -> Result<Played, MatchError> {
        let indices = [game.black, game.white];
        let absent = |index: usize, reason| {
            let name = self.players[index].name.clone();
            MatchError::Absent { name, reason }
        };
        let mut pair = Vec::with_capacity(2);
        for index in indices {
            pair.push(match seats[index].take() {
                Some(player) => player,
                None => self.players[index].make().map_err(|reason| absent(index, reason))?,
            });
        }
        let [black, white] = &mut pair[..] else { unreachable!("invariant: two players") };
        let opening = self.opening(game);
        let seed = self.seed.fork("game", game.game);
        let times = indices.map(|index| self.players[index].time);
        let judge = |position: &Position| judge.judge(position).dead;
        let context = GameContext { seed, judge: &judge, stop: &self.stop };
        let players: [&mut dyn Player; 2] = [black.as_mut(), white.as_mut()];
        let played = referee::play(&self.terms, players, times, opening, context)
            .map_err(|error| absent(indices[error.color.index()], error.reason))?;
        for (color, player) in Color::BOTH.into_iter().zip(pair) {
            if !played.broken[color.index()] {
                seats[indices[color.index()]] = Some(player);
            }
        }
        Ok(played)
    }

    fn opening(&self, game: &Scheduled) -> &[Move] {
        let number = usize::try_from(game.opening).unwrap_or(usize::MAX);
        &self.openings[number % self.openings.len()]
    }

    /// Writes games down as they end, all that have ended at a time, and says when to stop.
    fn keep(
        &self,
        finished: &Receiver<Finished<'_>>,
        (results, book): (&mut Results, &mut Book),
        stop: &AtomicBool,
        audience: &mut dyn Audience,
    ) -> Result<(), MatchError> {
        while let Ok(first) = finished.recv() {
            let mut error = None;
            let mut games = Vec::new();
            for game in [first].into_iter().chain(finished.try_iter()) {
                match game {
                    Ok((game, played)) => games.push(self.write(game, played)),
                    Err(failed) => error = Some(failed),
                }
            }
            results.add(&games)?;
            for (line, _) in games {
                book.add(std::slice::from_ref(&line));
                audience.see(&book.standing, Some(&line));
            }
            if let Some(error) = error {
                return Err(error);
            }
            if book.standing.decided.is_some() {
                stop.store(true, Ordering::Relaxed);
            }
            if self.sprt.is_none() {
                thread::sleep(TOGETHER);
            }
        }
        results.sync()?;
        Ok(())
    }

    /// The line and the record of a game.
    fn write(&self, game: &Scheduled, played: Played) -> (GameLine, String) {
        let opening = self.opening(game);
        let indices = [game.black, game.white];
        let size = self.terms.size;
        let vertex = |mv: &Move| size.move_text(*mv);
        let mut record = played.record;
        for (recorded, noted) in record.moves.iter_mut().skip(opening.len()).zip(&played.moves) {
            recorded.comment = Some(noted.comment());
        }
        record.application = Some(concat!("Tedomari:", env!("CARGO_PKG_VERSION")).to_owned());
        record.players = indices.map(|index| Some(self.players[index].name.clone()));
        record.event = Some(format!("match, game {}, pair {}", game.game, game.pair));
        let [black, white] = indices.map(|index| self.players[index].time);
        match black {
            TimeControl::Clock(system) if black == white => {
                record.time_limit = system.main().map(|main| main.as_secs_f64());
                record.overtime = system.overtime();
            }
            _ if black == white => record.overtime = Some(black.to_string()),
            _ => record.overtime = Some(format!("Black {black}, White {white}")),
        }
        let mut comment = vec![format!("reason: {}", reason_text(played.reason))];
        let mut faults = Vec::new();
        for (color, ply, trouble) in played.faults {
            comment.push(format!("{color} after move {ply}: {trouble}"));
            let player = indices[color.index()];
            let kind = trouble.kind.to_string();
            faults.push(Fault { player, ply, kind, detail: trouble.detail });
        }
        record.comment = Some(comment.join("\n"));
        let line = GameLine {
            game: game.game,
            pair: game.pair,
            players: self.players.iter().map(|player| player.name.clone()).collect(),
            black: game.black,
            white: game.white,
            winner: played.result.winner().map(|color| indices[color.index()]),
            result: played.result.to_string(),
            reason: played.reason,
            opening: opening.iter().map(vertex).collect::<Vec<_>>().join(" "),
            opening_plies: opening.len(),
            plies: record.moves.len(),
            moves: record.moves.iter().map(|recorded| vertex(&recorded.mv)).collect(),
            seconds: played.moves.iter().map(|noted| micros(noted.used.as_secs_f64())).collect(),
            simulations: played.moves.iter().map(|noted| noted.simulations).collect(),
            planned: played.moves.iter().map(|noted| noted.planned.map(micros)).collect(),
            stops: played.moves.into_iter().map(|noted| noted.stop).collect(),
            faults,
        };
        (line, sgf::write(&record) + "\n")
    }
}

impl Contestant {
    fn make(&self) -> Result<Box<dyn Player>, String> {
        Ok(match &self.source {
            Source::Program { words, setup, proven } => {
                Box::new(Program::new(words.clone(), setup.clone(), Arc::clone(proven)))
            }
            Source::Engine(make) => Box::new(Inside::new(make()?)),
        })
    }
}

/// A game that is over, or why it could not be played.
type Finished<'a> = Result<(&'a Scheduled, Played), MatchError>;

/// What those who play games share.
struct Work<'a> {
    todo: &'a [Scheduled],
    next: &'a AtomicUsize,
    stop: &'a AtomicBool,
}

/// Counts games.
struct Book {
    sprt: Option<Sprt>,
    standing: Standing,
    /// Pairs that wait for their second game or for those before them: points of the first player
    /// in halves, none where a game does not count.
    open: BTreeMap<u64, Vec<Option<u64>>>,
    /// The first pair that has not been counted, and the way to the next one.
    next_pair: u64,
    step: u64,
}

impl Book {
    fn new(of: &Match, scheduled: u64) -> Self {
        let players = of.players.len();
        let standing = Standing {
            scheduled,
            wins: vec![0; players],
            losses: vec![0; players],
            faults: vec![0; players],
            ..Standing::default()
        };
        Self {
            sprt: of.sprt,
            standing,
            open: BTreeMap::new(),
            next_pair: of.shard.part - 1,
            step: of.shard.of,
        }
    }

    fn add(&mut self, lines: &[GameLine]) {
        for line in lines {
            let standing = &mut self.standing;
            standing.games += 1;
            for fault in &line.faults {
                count(&mut standing.faults, fault.player);
            }
            let points = match line.winner {
                Some(winner) => {
                    let loser = if winner == line.black { line.white } else { line.black };
                    count(&mut standing.wins, winner);
                    count(&mut standing.losses, loser);
                    Some(if winner == 0 { 2 } else { 0 })
                }
                None if line.result == "Void" => {
                    standing.void += 1;
                    None
                }
                None => {
                    standing.draws += 1;
                    Some(1)
                }
            };
            self.open.entry(line.pair).or_default().push(points);
        }
        self.count_pairs();
    }

    /// Counts pairs in their order, so that what the test decides depends neither on which games
    /// end first nor on how often the match was interrupted. A decision is final.
    fn count_pairs(&mut self) {
        while self.standing.decided.is_none()
            && let Some(games) = self.open.get(&self.next_pair).filter(|games| games.len() == 2)
        {
            if let [Some(first), Some(second)] = games[..] {
                let points = usize::try_from(first + second).unwrap_or_default();
                self.standing.pairs[points] += 1;
            }
            self.open.remove(&self.next_pair);
            self.next_pair += self.step;
            if let Some(test) = self.sprt {
                let ratio = test.llr(self.standing.pairs);
                self.standing.ratio = Some(ratio);
                self.standing.decided = Some(test.verdict(ratio)).filter(|v| *v != Verdict::Open);
            }
        }
    }
}

/// Counts for a player; a file that was changed by hand may name one that does not exist.
fn count(counts: &mut [u64], player: usize) {
    if let Some(count) = counts.get_mut(player) {
        *count += 1;
    }
}

fn micros(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

fn reason_text(reason: super::line::Reason) -> String {
    let value = serde_json::to_value(reason).ok();
    value.as_ref().and_then(|value| value.as_str()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
