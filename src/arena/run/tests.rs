use std::path::Path;
use std::time::Duration;

use super::*;
use crate::arena::line::Reason;
use crate::arena::referee::{DeadBy, Patience};
use crate::arena::results::MatchInfo;
use crate::arena::schedule::Pairing;
use crate::engine::{Engine, EngineParams};
use crate::eval::HashedEvaluator;
use crate::game::{BoardSize, Komi, PointSet, Rules};

/// An engine that searches a little over values that mean nothing.
fn engine(simulations: u64) -> Source {
    Source::Engine(Arc::new(move || {
        Ok(Box::new(move |seed: Seed| {
            let mut params = EngineParams::default();
            params.search.threads = 1;
            params.search.max_memory = 16;
            params.search.max_simulations = simulations;
            params.search.seed = seed.number() >> 1;
            params.time.seconds_per_move = 1000.0;
            Ok(Engine::new(params, Arc::new(HashedEvaluator)))
        }) as EngineMaker)
    }))
}

fn contest(time: TimeControl, games: u64) -> Match {
    let size = BoardSize::square(5).unwrap();
    let player = |name: &str, simulations| Contestant {
        name: name.to_owned(),
        time,
        source: engine(simulations),
    };
    Match {
        players: vec![player("a", 12), player("b", 6)],
        terms: Terms {
            size,
            rules: Rules::CGOS,
            komi: Komi::from_points(1.5).unwrap(),
            dead: DeadBy::Nobody,
            max_moves: 75,
            allowance: Duration::from_millis(20),
            patience: Patience { unlimited: Duration::from_secs(60), late: Duration::from_secs(1) },
        },
        schedule: Schedule { players: 2, pairing: Pairing::Pairs, games },
        shard: Shard::WHOLE,
        openings: vec![
            vec![size.parse_move("C3").unwrap()],
            vec![size.parse_move("B2").unwrap(), size.parse_move("D4").unwrap()],
        ],
        seed: Seed::new(5),
        concurrency: 2,
        sprt: None,
        stop: Arc::default(),
    }
}

fn info(seed: u64) -> MatchInfo {
    MatchInfo {
        format: 1,
        players: vec!["a".to_owned(), "b".to_owned()],
        specs: Vec::new(),
        board: 5.into(),
        rules: "cgos".to_owned(),
        komi: 1.5,
        seed,
        games: 8,
        schedule: "pairs".to_owned(),
        time: Vec::new(),
        openings: "none".to_owned(),
        opening_plies: 0,
        dead: "none".to_owned(),
        max_moves: 75,
        allowance_ms: 20,
        sprt: None,
        shard: [1, 1],
    }
}

/// Sees nothing, or makes a match stop after some games.
struct Quiet;

impl Audience for Quiet {
    fn see(&mut self, _: &Standing, _: Option<&GameLine>) {}
}

/// Tells the match to stop after its first game.
struct Impatient(Arc<AtomicBool>);

impl Audience for Impatient {
    fn see(&mut self, _: &Standing, last: Option<&GameLine>) {
        self.0.store(last.is_some(), Ordering::Relaxed);
    }
}

/// Plays a match in a folder; its lines by the numbers of their games, without times.
fn run(contest: &Match, folder: &Path) -> (Standing, Vec<GameLine>) {
    let (results, lines) = Results::open(folder, &info(5)).unwrap();
    let standing = contest.run(results, &lines, &mut Quiet).unwrap();
    let (_, mut lines) = Results::open(folder, &info(5)).unwrap();
    lines.sort_by_key(|line| line.game);
    for line in &mut lines {
        line.seconds.clear();
    }
    (standing, lines)
}

#[test]
fn the_same_seed_gives_the_same_games() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [(standing, first), (_, second)] =
        folders.each_ref().map(|folder| run(&contest(TimeControl::NONE, 8), folder.path()));
    assert_eq!(first, second);
    assert_eq!(first.len(), 8);
    assert_eq!((standing.games, standing.scheduled), (8, 8));
    assert_eq!(standing.wins.iter().sum::<u64>() + standing.draws, 8);
    assert_eq!(standing.pairs.iter().sum::<u64>(), 4);
    for (number, line) in first.iter().enumerate() {
        assert_eq!(line.game, number as u64);
        assert_eq!((line.black, line.white), if number % 2 == 0 { (0, 1) } else { (1, 0) });
        assert_eq!(line.opening, if number / 2 % 2 == 0 { "C3" } else { "B2 D4" });
        assert_eq!(line.plies, line.moves.len());
        assert_eq!(line.simulations.len(), line.plies - line.opening_plies);
        assert!(line.faults.is_empty());
        // The record tells the same game.
        let path = folders[0].path().join("sgf").join(format!("{number:06}.sgf"));
        let (record, warnings) =
            sgf::read(&std::fs::read(path).unwrap(), &sgf::SgfLimits::default()).unwrap();
        assert!(warnings.is_empty());
        assert_eq!(record.result.unwrap().to_string(), line.result);
        let moves: Vec<_> = record.moves.iter().map(|mv| record.size.move_text(mv.mv)).collect();
        assert_eq!(moves, line.moves);
        // Our own rules say the same of it.
        let position = record.replay(usize::MAX, Rules::CGOS, record.komi.unwrap()).unwrap();
        assert_eq!(line.reason, Reason::Score);
        assert_eq!(position.score(&PointSet::new()).to_string(), line.result);
    }
}

/// Budgets of the lab were overrun by hours, because a match that had begun was played to its end.
#[test]
fn a_match_that_is_told_to_stop_writes_no_half_games_and_goes_on_later() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let contest = contest(TimeControl::NONE, 8);
    contest.stop.store(true, Ordering::Relaxed);
    let (standing, lines) = run(&contest, folders[0].path());
    assert_eq!((standing.games, standing.scheduled, lines.len()), (0, 8, 0));
    let (results, lines) = Results::open(folders[0].path(), &info(5)).unwrap();
    let mut audience = Impatient(Arc::clone(&contest.stop));
    contest.stop.store(false, Ordering::Relaxed);
    let standing = contest.run(results, &lines, &mut audience).unwrap();
    assert!(standing.games >= 1 && standing.void == 0, "{standing:?}");
    contest.stop.store(false, Ordering::Relaxed);
    let [(_, later), (_, whole)] = folders.each_ref().map(|folder| run(&contest, folder.path()));
    assert_eq!(later, whole);
    assert_eq!(later.len(), 8);
}

#[test]
fn an_interrupted_match_goes_on() {
    let whole = tempfile::tempdir().unwrap();
    let (standing, expected) = run(&contest(TimeControl::NONE, 8), whole.path());
    let torn = tempfile::tempdir().unwrap();
    run(&contest(TimeControl::NONE, 8), torn.path());
    let path = torn.path().join("games.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    // Some games are lost, and the last line is torn.
    let kept: Vec<_> = text.lines().take(3).collect();
    let half = &text.lines().nth(3).unwrap()[..40];
    std::fs::write(&path, format!("{}\n{half}", kept.join("\n"))).unwrap();
    let (again, lines) = run(&contest(TimeControl::NONE, 8), torn.path());
    assert_eq!(lines, expected);
    assert_eq!(again, standing);
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 8, "no game twice");
}

#[test]
fn another_match_is_refused_by_the_key_that_differs() {
    let folder = tempfile::tempdir().unwrap();
    drop(Results::open(folder.path(), &info(5)).unwrap());
    let error = Results::open(folder.path(), &info(6)).unwrap_err().to_string();
    assert!(error.contains("its seed is 5, not 6"), "{error}");
    std::fs::write(folder.path().join("match.json"), "{").unwrap();
    let error = Results::open(folder.path(), &info(5)).unwrap_err().to_string();
    assert!(error.contains("match.json is damaged"), "{error}");
}

#[test]
fn parts_together_are_the_whole() {
    let whole = tempfile::tempdir().unwrap();
    let (_, expected) = run(&contest(TimeControl::NONE, 8), whole.path());
    let mut lines = Vec::new();
    for part in 1..=3 {
        let folder = tempfile::tempdir().unwrap();
        let shard = Shard { part, of: 3 };
        lines.extend(run(&Match { shard, ..contest(TimeControl::NONE, 8) }, folder.path()).1);
    }
    lines.sort_by_key(|line| line.game);
    assert_eq!(lines, expected);
}

#[test]
fn simulations_can_be_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let (_, lines) = run(&contest(TimeControl::Simulations(100), 4), folder.path());
    for line in &lines {
        for first in 0..2 {
            let own = line.simulations.iter().skip(first).step_by(2);
            let used: u64 = own.map(|count| count.unwrap()).sum();
            assert!(used <= 100, "{used} simulations in {line:?}");
        }
    }
    let other = tempfile::tempdir().unwrap();
    assert_eq!(lines, run(&contest(TimeControl::Simulations(100), 4), other.path()).1);
}

#[test]
fn a_test_ends_a_match_on_whole_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let sprt = Some(Sprt { elo0: 0.0, elo1: 400.0, alpha: 0.3, beta: 0.3 });
    let contest = Match { sprt, concurrency: 1, ..contest(TimeControl::NONE, 400) };
    let (standing, lines) = run(&contest, folder.path());
    assert!(standing.decided.is_some() && standing.games < 400, "{standing:?}");
    assert!(lines.len() as u64 - 2 * standing.pairs.iter().sum::<u64>() <= 2);
    // Nothing more is played.
    assert_eq!(run(&contest, folder.path()).0, standing);
}

/// A line of a game that the first player won, lost or drew.
fn line(game: u64, winner: Option<usize>) -> GameLine {
    let black = usize::from(game % 2 == 1);
    GameLine {
        game,
        pair: game / 2,
        players: vec!["a".to_owned(), "b".to_owned()],
        black,
        white: 1 - black,
        winner,
        result: "0".to_owned(),
        reason: Reason::Score,
        opening: String::new(),
        opening_plies: 0,
        plies: 0,
        moves: Vec::new(),
        seconds: Vec::new(),
        simulations: Vec::new(),
        stops: Vec::new(),
        planned: Vec::new(),
        faults: Vec::new(),
    }
}

#[test]
fn pairs_are_counted_in_their_order() {
    let contest = contest(TimeControl::NONE, 10);
    let mut book = Book::new(&contest, 10);
    book.add(&[line(0, Some(0)), line(3, None), line(2, Some(1))]);
    assert_eq!(book.standing.pairs, [0; 5], "the first pair is not complete");
    book.add(&[line(1, Some(0))]);
    assert_eq!(book.standing.pairs, [0, 1, 0, 0, 1]);
    let void = GameLine { result: "Void".to_owned(), ..line(4, None) };
    book.add(&[void, line(5, Some(0)), line(6, Some(0)), line(7, Some(1))]);
    assert_eq!(book.standing.pairs, [0, 1, 1, 0, 1], "a pair with a void game does not count");
    assert_eq!((book.standing.wins[0], book.standing.wins[1]), (4, 2));
    assert_eq!((book.standing.draws, book.standing.void), (1, 1));
}
