//! What evaluators say of positions, remembered from run to run.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::sample::{Sample, stones};
use tedomari::arena::{Client, Trouble};
use tedomari::eval::{EvalError, Evaluator, Value};
use tedomari::game::{Color, Position};
use tedomari::playout::{Playout, PlayoutEvaluator, PlayoutParams};
use tedomari::search::{Request, Search, SearchClock, SearchParams};
use tedomari::timeman::{SearchProgress, SimulationLimit, Stop, StopReason};
use tedomari::util::{Journal, Seed};

/// Positions that are evaluated before they are written down.
const CHUNK: usize = 64;
/// How long a program may think about a score.
const PATIENCE: Duration = Duration::from_secs(60);

/// What values mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// The chance that Black wins.
    Chance,
    /// The points that Black wins by.
    Points,
}

impl Scale {
    /// From where on Black is ahead.
    #[must_use]
    pub const fn threshold(self) -> f64 {
        match self {
            Self::Chance => 0.5,
            Self::Points => 0.0,
        }
    }
}

/// A way to evaluate positions.
pub enum Assessor {
    /// Random games, as many as the budget allows for each legal move, as in the paper: their share of
    /// wins, or their mean score.
    MonteCarlo {
        /// Random games for all legal moves together.
        playouts: u32,
        /// Whether wins or points are counted.
        scale: Scale,
        /// Where random numbers start.
        seed: Seed,
    },
    /// A tree search by random games: the value of the best move.
    Playouts(Searched),
    /// A tree search with an evaluator: the value of the best move.
    Search(Arc<dyn Evaluator>, Searched),
    /// What an evaluator says at first sight.
    Raw(Arc<dyn Evaluator>),
    /// A program that is asked for the score.
    Program(Programs),
}

/// A number of simulations for every position.
pub struct Searched {
    /// Settings; searches have one thread, so that they repeat.
    pub params: SearchParams,
    /// How games are played out, where there is no other evaluator.
    pub playouts: PlayoutParams,
    /// Simulations of each search.
    pub simulations: u64,
    /// Where random numbers start.
    pub seed: Seed,
}

/// Programs of one kind, as many as there are threads.
pub struct Programs {
    words: Vec<String>,
    idle: Mutex<Vec<Client>>,
}

impl Programs {
    /// Programs with this command line; they are started when they are needed.
    #[must_use]
    pub fn new(words: Vec<String>) -> Self {
        Self { words, idle: Mutex::default() }
    }
}

/// A position could not be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum AssessError {
    /// The evaluator failed.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The program failed.
    #[error(transparent)]
    Program(#[from] Trouble),
    /// The program says what is no score.
    #[error("the program answers estimate_score with '{0}', which is no score")]
    NoScore(String),
    /// The values could not be kept.
    #[error("cannot keep the values: {0}")]
    Io(#[from] io::Error),
    /// Values of something else.
    #[error("{path} holds values of '{found}', not of '{wanted}': give another folder")]
    Other {
        /// The file.
        path: String,
        /// What it holds.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// There is no time left.
    #[error("the budget is used up: run the same command again to go on")]
    Stopped,
}

impl Assessor {
    /// What its values mean.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        match self {
            Self::MonteCarlo { scale, .. } => *scale,
            Self::Program(_) => Scale::Points,
            Self::Playouts(_) | Self::Search(..) | Self::Raw(_) => Scale::Chance,
        }
    }

    /// What it says of a position, for Black; [`AssessError::Stopped`] if it is told to stop before.
    pub fn assess(&self, position: &Position, stop: &AtomicBool) -> Result<f64, AssessError> {
        match self {
            Self::MonteCarlo { playouts, scale, seed } => {
                let legal = position.legal_points(position.to_move()).count().max(1);
                let games = (*playouts as usize / legal).max(1);
                Ok(monte_carlo(position, games, *scale, *seed))
            }
            Self::Playouts(searched) => searched.value(position, searched.games(position), stop),
            Self::Search(net, searched) => searched.value(position, Arc::clone(net), stop),
            Self::Raw(evaluator) => {
                let answers = evaluator.evaluate(&[position])?;
                Ok(for_black(position, answers[0].value))
            }
            Self::Program(programs) => programs.score(position),
        }
    }
}

/// The chance that Black wins.
fn for_black(position: &Position, value: Value) -> f64 {
    let value = if position.to_move() == Color::Black { value } else { value.flipped() };
    f64::from(value.win_rate())
}

fn monte_carlo(position: &Position, games: usize, scale: Scale, seed: Seed) -> f64 {
    let mut rng = seed.fork("monte-carlo", position.hash()).rng();
    let mut playout = Playout::new(position);
    let mut sum = 0.0;
    for _ in 0..games {
        let winner = playout.run(position, &mut rng);
        sum += match scale {
            Scale::Chance => match winner {
                Some(Color::Black) => 1.0,
                Some(Color::White) => 0.0,
                None => 0.5,
            },
            Scale::Points => f64::from(playout.board().quick_area()) - position.komi().points(),
        };
    }
    sum / games as f64
}

/// Ends a search after some simulations, or when it is told to stop.
struct Unless<'a> {
    stop: &'a AtomicBool,
    limit: SimulationLimit,
}

impl Stop for Unless<'_> {
    fn should_stop(&mut self, progress: &SearchProgress<'_>) -> Option<StopReason> {
        // Ordering: the flag itself is all that is exchanged.
        if self.stop.load(Ordering::Relaxed) {
            return Some(StopReason::Interrupted);
        }
        self.limit.should_stop(progress)
    }
}

impl Searched {
    /// Games whose random numbers depend on the position alone, not on what came before.
    fn games(&self, position: &Position) -> Arc<dyn Evaluator> {
        let seed = self.seed.fork("playouts", position.hash());
        Arc::new(PlayoutEvaluator::with(self.playouts.clone(), seed))
    }

    fn value(
        &self,
        position: &Position,
        evaluator: Arc<dyn Evaluator>,
        stop: &AtomicBool,
    ) -> Result<f64, AssessError> {
        let params = SearchParams { threads: 1, ..self.params.clone() };
        let mut search = Search::new(evaluator, params, self.seed.fork("search", position.hash()));
        let mut rule = Unless { stop, limit: SimulationLimit(self.simulations) };
        let mut request = Request::new(&mut rule, &|| Duration::ZERO);
        request.clock = SearchClock::Simulations;
        request.simulations = Some(self.simulations);
        let report = search.run(position, request)?;
        if stop.load(Ordering::Relaxed) {
            return Err(AssessError::Stopped);
        }
        let value = report.best().map_or(report.value, |best| best.value);
        Ok(for_black(position, value))
    }
}

impl Programs {
    fn score(&self, position: &Position) -> Result<f64, AssessError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut client = match idle {
            Some(client) => client,
            None => Client::start(&self.words)?,
        };
        let size = position.size();
        let mut ask = |command: &str| client.ask(command, PATIENCE);
        ask(&format!("boardsize {}", size.width()))?;
        ask("clear_board")?;
        ask(&format!("komi {}", position.komi().points()))?;
        for (color, point) in stones(position) {
            ask(&format!("play {color} {}", size.vertex(point)))?;
        }
        let answer = ask("estimate_score")?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(client);
        score(&answer).ok_or(AssessError::NoScore(answer))
    }
}

/// Points for Black of an answer such as `W+3.5 (upper bound: -1.0, lower: -7.0)`.
fn score(answer: &str) -> Option<f64> {
    let word = answer.split_whitespace().next()?;
    if word == "0" || word == "0.0" {
        return Some(0.0);
    }
    let (side, points) = word.split_once('+')?;
    let points: f64 = points.parse().ok().filter(|points: &f64| points.is_finite())?;
    match side {
        "B" | "b" => Some(points),
        "W" | "w" => Some(-points),
        _ => None,
    }
}

/// The values of one evaluator on the disk.
pub struct Memory {
    journal: Journal,
    known: HashMap<u64, f64>,
}

#[derive(Deserialize, Serialize)]
struct Head {
    evaluator: String,
}

#[derive(Deserialize, Serialize)]
struct Line {
    position: String,
    value: f64,
}

impl Memory {
    /// Opens the file with the values of what `evaluator` describes, or begins it.
    pub fn open(path: &Path, evaluator: &str) -> Result<Self, AssessError> {
        let value = |line: &str| -> Option<(u64, f64)> {
            let line: Line = serde_json::from_str(line).ok()?;
            Some((u64::from_str_radix(&line.position, 16).ok()?, line.value))
        };
        let head = |line: &str| serde_json::from_str::<Head>(line).ok();
        let (mut journal, lines) =
            Journal::open(path, &|line| value(line).is_some() || head(line).is_some())?;
        match lines.first().and_then(|line| head(line)) {
            None => {
                let head = Head { evaluator: evaluator.to_owned() };
                journal
                    .append([serde_json::to_string(&head).map_err(io::Error::from)?.as_str()])?;
            }
            Some(head) if head.evaluator == evaluator => {}
            Some(head) => {
                return Err(AssessError::Other {
                    path: path.display().to_string(),
                    found: head.evaluator,
                    wanted: evaluator.to_owned(),
                });
            }
        }
        Ok(Self { journal, known: lines.iter().filter_map(|line| value(line)).collect() })
    }

    fn add(&mut self, values: &[(u64, f64)]) -> Result<(), AssessError> {
        let lines: Vec<String> = values
            .iter()
            .map(|&(hash, value)| {
                serde_json::to_string(&Line { position: format!("{hash:016x}"), value })
            })
            .collect::<Result<_, _>>()
            .map_err(io::Error::from)?;
        self.journal.append(lines.iter().map(String::as_str))?;
        self.journal.sync()?;
        self.known.extend(values.iter().copied());
        Ok(())
    }
}

/// Watches the work, and may end it.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Set to end the work.
    pub stop: &'a AtomicBool,
    /// Told how many positions are known, from any thread.
    pub known: &'a (dyn Fn(usize) + Sync),
}

/// Has the evaluator look at all positions that it has not seen; the values of all of them. What is known
/// when the watch ends the work is kept.
pub fn assess(
    assessor: &Assessor,
    samples: &[Sample],
    memory: &mut Memory,
    watch: Watch<'_>,
) -> Result<Vec<f64>, AssessError> {
    let mut missing: Vec<(u64, &Sample)> = samples
        .iter()
        .map(|sample| (sample.position.hash(), sample))
        .filter(|(hash, _)| !memory.known.contains_key(hash))
        .collect();
    missing.sort_by_key(|&(hash, _)| hash);
    missing.dedup_by_key(|(hash, _)| *hash);
    let known = AtomicUsize::new(samples.len() - missing.len());
    (watch.known)(known.load(Ordering::Relaxed));
    for chunk in missing.chunks(CHUNK) {
        let value = |&(hash, sample): &(u64, &Sample)| {
            if watch.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let value = match assessor.assess(&sample.position, watch.stop) {
                Err(AssessError::Stopped) => return Ok(None),
                value => value?,
            };
            // Ordering: the number itself is all that is exchanged.
            (watch.known)(known.fetch_add(1, Ordering::Relaxed) + 1);
            // What is read again must be what was computed: few digits are the same in both.
            Ok(Some((hash, (value * 1e6).round() / 1e6)))
        };
        let values: Vec<_> =
            chunk.par_iter().map(value).collect::<Result<Vec<_>, AssessError>>()?;
        let values: Vec<_> = values.into_iter().flatten().collect();
        memory.add(&values)?;
        if values.len() < chunk.len() {
            return Err(AssessError::Stopped);
        }
    }
    Ok(samples.iter().map(|sample| memory.known[&sample.position.hash()]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Traits;
    use tedomari::eval::HashedEvaluator;
    use tedomari::game::{BoardSize, Komi, Move, Rules};

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn position(moves: usize, komi: f64) -> Position {
        let size = BoardSize::square(5).unwrap();
        let komi = Komi::from_points(komi).unwrap();
        let mut position = Position::new(size, Rules::CHINESE, komi);
        for point in size.points().step_by(2).take(moves) {
            position.play(position.to_move(), Move::Place(point)).unwrap();
        }
        position
    }

    fn sample(game: usize) -> Sample {
        let position = position(game, 0.5);
        let traits = Traits::of(&position, game);
        Sample { position, black_won: true, game, traits }
    }

    #[test]
    fn values_are_for_black_whoever_moves() {
        let seed = Seed::new(1);
        let searched = || Searched {
            params: SearchParams::default(),
            playouts: PlayoutParams::default(),
            simulations: 50,
            seed,
        };
        for assessor in [
            Assessor::MonteCarlo { playouts: 500, scale: Scale::Chance, seed },
            Assessor::Playouts(searched()),
        ] {
            for moves in [0, 1] {
                assert!(assessor.assess(&position(moves, -50.0), &NEVER).unwrap() > 0.99);
                assert!(assessor.assess(&position(moves, 50.0), &NEVER).unwrap() < 0.01);
            }
        }
        let points = Assessor::MonteCarlo { playouts: 5000, scale: Scale::Points, seed };
        let difference = points.assess(&position(1, 0.0), &NEVER).unwrap()
            - points.assess(&position(1, 10.0), &NEVER).unwrap();
        // Other random games: 200 of them with a deviation below 20 points.
        assert!((difference - 10.0).abs() < 8.0, "{difference}");
    }

    #[test]
    fn scores_are_read() {
        assert_eq!(score("W+3.5 (upper bound: -1.0, lower: -7.0)"), Some(-3.5));
        assert_eq!(score("B+12.0 (upper bound: 1.0, lower: 2.0)"), Some(12.0));
        assert_eq!(score("0"), Some(0.0));
        for nonsense in ["", "X+1", "B+", "B+inf", "unknown"] {
            assert_eq!(score(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn what_was_interrupted_goes_on_to_the_same_values() {
        let folder = tempfile::tempdir().unwrap();
        let samples: Vec<_> = (0..150).map(|n| sample(n % 12)).collect();
        let assessor = Assessor::Raw(Arc::new(HashedEvaluator));
        let path = folder.path().join("values.jsonl");
        let open = || Memory::open(&path, "hashed").unwrap();
        let on = Watch { stop: &NEVER, known: &|_| {} };
        // One that is stopped within a chunk keeps what it has.
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for wanted in [0, 1, 4] {
            let stop = AtomicBool::new(false);
            let known = |known| stop.store(known >= 138 + wanted, Ordering::Relaxed);
            let watch = Watch { stop: &stop, known: &known };
            let stopped = alone.install(|| assess(&assessor, &samples, &mut open(), watch));
            assert!(matches!(stopped, Err(AssessError::Stopped)));
            assert_eq!(open().known.len(), wanted);
        }
        let whole = assess(&assessor, &samples, &mut open(), on).unwrap();
        assert_eq!(whole.len(), 150);
        // All of it from memory: nothing is left to be asked.
        let broken = Assessor::Program(Programs::new(vec!["/no/such/program".to_owned()]));
        let again = assess(&broken, &samples, &mut open(), on).unwrap();
        assert_eq!(whole, again);
        assert!(matches!(Memory::open(&path, "other"), Err(AssessError::Other { .. })));
        let none = Memory::open(&folder.path().join("new.jsonl"), "x").unwrap();
        assert!(assess(&broken, &samples, &mut { none }, on).is_err());
    }
}
