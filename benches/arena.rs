//! What a match costs beside the engines: the same games with and without a referee.
//!
//! Two engines with a free evaluator and 16 simulations a move play 1,000 games: in a match with its
//! clocks, rules, records and results on the disk; without one, asked in turn until the game is over;
//! and the same searches are made once more without anything else. Each is done in a thread of its own, as
//! the games of a match are: some threads give memory back to the system that others keep, which
//! `MALLOC_TRIM_THRESHOLD_=1000000000` avoids. Other numbers of rounds and of games in each may follow the
//! command: `cargo bench --bench arena -- 1 20`.

#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on should say where")]
#![allow(clippy::print_stdout, reason = "the result is for people")]
#![allow(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use tedomari::arena::{
    Audience, Contestant, DeadBy, EngineMaker, GameLine, Match, MatchInfo, Pairing, Patience,
    Results, Schedule, Shard, Source, Standing, Terms, TimeControl,
};
use tedomari::engine::{Decision, Engine, EngineParams, GameState, Purpose, Ticket, View};
use tedomari::eval::UniformEvaluator;
use tedomari::game::{BoardSize, Color, Komi, Move, Rules};
use tedomari::search::{Request, Search};
use tedomari::timeman::SimulationLimit;
use tedomari::util::Seed;

const ROUNDS: u64 = 5;
const GAMES: u64 = 1000;

/// Rounds and games in each, as they are asked for.
fn numbers() -> [u64; 2] {
    let mut given = std::env::args().filter_map(|word| word.parse().ok());
    [ROUNDS, GAMES].map(|usual| given.next().unwrap_or(usual))
}

const LONGEST: usize = 243;

fn params() -> EngineParams {
    let mut params = EngineParams::default();
    params.search.threads = 1;
    params.search.max_memory = 64;
    params.search.max_simulations = 16;
    params.time.seconds_per_move = 1000.0;
    params
}

fn engine(seed: Seed) -> Engine {
    let mut params = params();
    params.search.seed = seed.number() >> 1;
    Engine::new(params, Arc::new(UniformEvaluator))
}

fn contest(games: u64, seed: Seed) -> Match {
    let player = |name: &str| Contestant {
        name: name.to_owned(),
        time: TimeControl::NONE,
        source: Source::Engine(Arc::new(|| Ok(Box::new(|seed| Ok(engine(seed))) as EngineMaker))),
    };
    let size = BoardSize::square(9).unwrap();
    Match {
        players: vec![player("a"), player("b")],
        terms: Terms {
            size,
            rules: Rules::CGOS,
            komi: komi(),
            dead: DeadBy::Nobody,
            max_moves: LONGEST,
            allowance: Duration::from_millis(20),
            patience: Patience { unlimited: Duration::from_secs(60), late: Duration::from_secs(5) },
        },
        schedule: Schedule { players: 2, pairing: Pairing::Pairs, games },
        shard: Shard::WHOLE,
        openings: vec![Vec::new()],
        seed,
        concurrency: 1,
        sprt: None,
        stop: Arc::default(),
    }
}

fn info(games: u64) -> MatchInfo {
    MatchInfo {
        format: 1,
        players: vec!["a".to_owned(), "b".to_owned()],
        specs: Vec::new(),
        board: 9.into(),
        rules: "cgos".to_owned(),
        komi: 7.0,
        seed: 1,
        games,
        schedule: "pairs".to_owned(),
        time: Vec::new(),
        openings: "none".to_owned(),
        opening_plies: 0,
        dead: "none".to_owned(),
        max_moves: LONGEST,
        allowance_ms: 20,
        sprt: None,
        shard: [1, 1],
    }
}

/// Counts moves, and the seconds that players had them for.
#[derive(Default)]
struct Count {
    plies: usize,
    seconds: f64,
}

impl Audience for Count {
    fn see(&mut self, _: &Standing, last: Option<&GameLine>) {
        if let Some(line) = last {
            self.plies += line.plies;
            self.seconds += line.seconds.iter().sum::<f64>();
        }
    }
}

/// Where the random numbers of a player start in a game, as the referee has it.
fn player_seed(seed: Seed, game: u64, color: Color) -> Seed {
    seed.fork("game", game).fork("player", color.index() as u64)
}

fn komi() -> Komi {
    Komi::from_points(7.0).unwrap()
}

/// The games of a match by two engines, without a match.
fn engines_alone(count: u64, seed: Seed) -> Vec<Vec<Move>> {
    let play = |game| {
        let mut engines = Color::BOTH.map(|color| engine(player_seed(seed, game, color)));
        for engine in &mut engines {
            engine.state_mut().set_rules(Rules::CGOS).unwrap();
            engine.state_mut().set_komi(komi());
        }
        let mut moves = Vec::new();
        let mut color = Color::Black;
        while !engines[0].state().position().is_over() && moves.len() < LONGEST {
            let mover = &mut engines[color.index()];
            let ticket = Ticket::unlimited();
            let decision = mover.genmove(color, Purpose::Win, &ticket, View::none()).unwrap();
            let Decision::Play(mv) = decision else { break };
            color = color.opponent();
            engines[color.index()].state_mut().play(color.opponent(), mv).unwrap();
            moves.push(mv);
        }
        moves
    };
    (0..count).map(play).collect()
}

/// The time of the searches of these games, and of nothing else.
fn searches_alone(seed: Seed, games: &[Vec<Move>]) -> Duration {
    let mut sum = Duration::ZERO;
    for (number, moves) in (0..).zip(games) {
        let mut searches = Color::BOTH.map(|color| {
            let seed = Seed::new(player_seed(seed, number, color).number() >> 1);
            Search::new(Arc::new(UniformEvaluator), params().search, seed)
        });
        let mut state = GameState::new(BoardSize::square(9).unwrap(), Rules::CGOS, komi());
        for &mv in moves {
            let color = state.position().to_move();
            let start = Instant::now();
            let mut rule = SimulationLimit(16);
            let elapsed = || start.elapsed();
            let request = Request {
                simulations: Some(16),
                line: Some(state.line()),
                ..Request::new(&mut rule, &elapsed)
            };
            drop(searches[color.index()].run(state.position(), request).unwrap());
            sum += start.elapsed();
            state.play_legal(color, mv);
        }
    }
    sum
}

/// Does something in a new thread.
fn apart<R: Send>(job: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| scope.spawn(job).join()).unwrap()
}

/// Runs something; its result and the time that it took.
fn timed<R>(job: impl FnOnce() -> R) -> (R, [Duration; 2]) {
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let result = job();
    (result, [wall.elapsed(), cpu.elapsed()])
}

/// How much longer than the searches something took.
fn over(time: Duration, searches: Duration) -> f64 {
    100.0 * (time.as_secs_f64() / searches.as_secs_f64() - 1.0)
}

fn main() {
    let [rounds, count] = numbers();
    // File systems look long for a place where many files have just been deleted: all stay until the end.
    let folder = tempfile::tempdir().unwrap();
    println!(
        "{count} games with 16 simulations a move; time, processor time, more than the searches"
    );
    for round in 0..rounds {
        let seed = Seed::new(7).fork("round", round);
        let folder = folder.path().join(round.to_string());
        let (Count { plies, seconds }, in_match) = timed(|| {
            let (results, lines) = Results::open(&folder, &info(count)).unwrap();
            let mut counted = Count::default();
            contest(count, seed).run(results, &lines, &mut counted).unwrap();
            counted
        });
        let (games, engines) = timed(|| apart(|| engines_alone(count, seed)));
        assert_eq!(plies, games.iter().map(Vec::len).sum::<usize>(), "the games are the same");
        let searches = apart(|| searches_alone(seed, &games));
        println!("{plies} moves: searches {:.3} s", searches.as_secs_f64());
        for (what, [wall, cpu]) in [("match", in_match), ("engines alone", engines)] {
            let [more, more_cpu] = [wall, cpu].map(|time| over(time, searches));
            let [wall, cpu] = [wall, cpu].map(|time| time.as_secs_f64());
            println!("  {what:14} {wall:.3} s ({more:+.1} %), {cpu:.3} s ({more_cpu:+.1} %)");
        }
        let beside = 100.0 * (in_match[0].as_secs_f64() / seconds - 1.0);
        println!("  players in the match {seconds:.3} s, the match {beside:+.1} %");
    }
}
