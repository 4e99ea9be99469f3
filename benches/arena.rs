//! What a match costs beside the engines: the same games with and without a referee.
//!
//! Two engines with a free evaluator and 16 simulations a move play 1,000 games, once in a match with
//! its clocks, rules, records and results on the disk, and once bare: they are asked in turn until
//! the game is over. The difference is printed, by the processor time of the whole process and by the
//! clock, and so is the share of the searches alone.

#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on should say where")]
#![allow(clippy::print_stdout, reason = "the result is for people")]
#![allow(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use tedomari::arena::{
    Audience, Contestant, DeadBy, EngineMaker, GameLine, Match, MatchInfo, Pairing, Patience,
    Results, Schedule, Shard, Source, Standing, Terms, TimeControl,
};
use tedomari::engine::{Decision, Engine, EngineParams, Purpose, Ticket, View};
use tedomari::eval::UniformEvaluator;
use tedomari::game::{BoardSize, Color, Komi, Position, Rules};
use tedomari::util::Seed;

const ROUNDS: u64 = 5;
const GAMES: u64 = 200;

fn engine(seed: Seed) -> Engine {
    let mut params = EngineParams::default();
    params.search.threads = 1;
    params.search.max_memory = 64;
    params.search.max_simulations = 16;
    params.search.seed = seed.number() >> 1;
    params.time.seconds_per_move = 1000.0;
    Engine::new(params, Arc::new(UniformEvaluator))
}

fn contest(seed: Seed) -> Match {
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
            komi: Komi::from_points(7.0).unwrap(),
            dead: DeadBy::Nobody,
            max_moves: 3 * size.area(),
            allowance: Duration::from_millis(20),
            patience: Patience { unlimited: Duration::from_secs(60), late: Duration::from_secs(5) },
        },
        schedule: Schedule { players: 2, pairing: Pairing::Pairs, games: GAMES },
        shard: Shard::WHOLE,
        openings: vec![Vec::new()],
        seed,
        concurrency: 1,
        sprt: None,
        judging: Arc::new(|_, _| Err("nobody judges here".to_owned())),
    }
}

fn info() -> MatchInfo {
    MatchInfo {
        format: 1,
        players: vec!["a".to_owned(), "b".to_owned()],
        specs: Vec::new(),
        board: 9.into(),
        rules: "cgos".to_owned(),
        komi: 7.0,
        seed: 1,
        games: GAMES,
        schedule: "pairs".to_owned(),
        time: Vec::new(),
        openings: "none".to_owned(),
        opening_plies: 0,
        dead: "none".to_owned(),
        max_moves: 243,
        allowance_ms: 20,
        sprt: None,
        shard: [1, 1],
    }
}

/// Counts moves.
#[derive(Default)]
struct Count(usize);

impl Audience for Count {
    fn see(&mut self, _: &Standing, last: Option<&GameLine>) {
        self.0 += last.map_or(0, |line| line.plies);
    }
}

/// Plays the games of a match without a match; moves, and time in searches.
fn bare(seed: Seed) -> (usize, Duration) {
    let (mut plies, mut searching) = (0, Duration::ZERO);
    let size = BoardSize::square(9).unwrap();
    let komi = Komi::from_points(7.0).unwrap();
    for game in 0..GAMES {
        let seed = seed.fork("game", game);
        let mut engines =
            Color::BOTH.map(|color| engine(seed.fork("player", color.index() as u64)));
        for engine in &mut engines {
            engine.state_mut().set_rules(Rules::CGOS).unwrap();
            engine.state_mut().set_komi(komi);
        }
        let mut position = Position::new(size, Rules::CGOS, komi);
        while !position.is_over() && position.move_count() < 243 {
            let color = position.to_move();
            let mover = &mut engines[color.index()];
            let decision = mover
                .genmove(color, Purpose::Win, &Ticket::unlimited(), View::none(&mut ()))
                .unwrap();
            searching += mover.last_report().unwrap().elapsed;
            let Decision::Play(mv) = decision else { break };
            position.play(color, mv).unwrap();
            engines[color.opponent().index()].state_mut().play(color, mv).unwrap();
            plies += 1;
        }
    }
    (plies, searching)
}

fn main() {
    let mut sums = [(Duration::ZERO, Duration::ZERO); 2];
    let (mut plies, mut searching) = (0, Duration::ZERO);
    for round in 0..ROUNDS {
        let seed = Seed::new(7).fork("round", round);
        let folder = tempfile::tempdir().unwrap();
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let (results, lines) = Results::open(folder.path(), &info()).unwrap();
        let mut count = Count::default();
        contest(seed).run(results, lines, &mut count).unwrap();
        sums[0].0 += wall.elapsed();
        sums[0].1 += cpu.elapsed();
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let (moves, time) = bare(seed);
        sums[1].0 += wall.elapsed();
        sums[1].1 += cpu.elapsed();
        assert_eq!(count.0, moves, "the games are the same");
        plies += moves;
        searching += time;
    }
    let over = |a: Duration, b: Duration| 100.0 * (a.as_secs_f64() / b.as_secs_f64() - 1.0);
    let [(wall, cpu), (bare_wall, bare_cpu)] = sums;
    println!(
        "{} games, {plies} moves of 16 simulations: match {:.2} s CPU, {:.2} s; engines alone \
         {:.2} s CPU, {:.2} s; searches alone {:.2} s",
        ROUNDS * GAMES,
        cpu.as_secs_f64(),
        wall.as_secs_f64(),
        bare_cpu.as_secs_f64(),
        bare_wall.as_secs_f64(),
        searching.as_secs_f64(),
    );
    println!(
        "overhead over the engines: {:.1} % CPU, {:.1} % by the clock; over the searches: {:.1} % \
         by the clock",
        over(cpu, bare_cpu),
        over(wall, bare_wall),
        over(wall, searching),
    );
}
