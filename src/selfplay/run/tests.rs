use std::convert::Infallible;
use std::sync::LazyLock;

use super::*;
use crate::eval::{HashedEvaluator, UniformEvaluator};
use crate::game::{BoardSize, Game, Komi, Position, Rules};
use crate::playout::{PlayoutEvaluator, PlayoutParams, ReplyLearning};
use crate::timeman::{Progress, StopReason, StopRule, Verdict, expected_simulations};

static SEARCH: LazyLock<SearchParams> = LazyLock::new(SearchParams::default);

fn start(rules: Rules) -> Start {
    let size = BoardSize::square(5).unwrap();
    Start { size, rules, komi: Komi::from_points(7.0).unwrap() }
}

fn selfplay<'a>(
    evaluator: &'a dyn Evaluator,
    params: &'a SelfplayParams,
    rules: Rules,
    archive: &'a Archive,
) -> Selfplay<'a> {
    let (start, seed) = (start(rules), Seed::new(5));
    Selfplay { evaluator, stop_model: None, params, search: &SEARCH, start, archive, seed }
}

fn games(
    evaluator: &dyn Evaluator,
    params: &SelfplayParams,
    rules: Rules,
    archive: &Archive,
    numbers: std::ops::Range<u64>,
) -> Vec<Played> {
    let mut all = Vec::new();
    let keep = |played| -> Result<(), Infallible> {
        all.push(played);
        Ok(())
    };
    let stop = AtomicBool::new(false);
    selfplay(evaluator, params, rules, archive).play(numbers, &stop, keep).unwrap();
    all
}

fn params() -> SelfplayParams {
    SelfplayParams { simulations: 12, resign_value: -1.0, threads: 1, ..SelfplayParams::default() }
}

/// The moves are legal, the targets add up to one over legal moves, and the outcome is that of the
/// last position.
fn check(played: &Played) {
    let game = &played.game;
    let mut position = Position::new(game.size, game.rules, game.komi);
    for (number, turn) in game.turns.iter().enumerate() {
        assert!(!position.is_over());
        let color = position.to_move();
        if number < played.given {
            assert!(turn.weight <= 0.0 && turn.policy.is_empty());
        } else if turn.weight > 0.0 {
            let sum: f32 = turn.policy.iter().map(|&(_, weight)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-4, "{sum}");
            for &(mv, weight) in &turn.policy {
                assert!(weight >= 0.0 && position.check(color, mv).is_ok());
            }
        }
        position.play(color, turn.mv).unwrap();
    }
    if played.resignation == Resignation::Resigned {
        assert_eq!(game.outcome.owners, None);
        return;
    }
    assert_eq!(game.outcome.winner, position.winner(&crate::game::PointSet::new()));
    assert_eq!(game.outcome.owners.as_ref().unwrap().len(), 25);
    if game.rules.game == Game::NoGo {
        assert!(position.is_over());
        let score = game.outcome.score.unwrap();
        let winner = game.outcome.winner.unwrap();
        let left = position.legal_points(winner).count() as f32;
        let expected = if winner == Color::Black { left } else { -left };
        assert!((score - expected).abs() < 1e-6, "{score}");
    }
}

#[test]
fn games_are_whole_and_legal() {
    for rules in [Rules::NOGO, Rules::CHINESE] {
        let played = games(&HashedEvaluator, &params(), rules, &Archive::new(), 0..20);
        assert_eq!(
            played.iter().map(|p| p.number).collect::<Vec<_>>(),
            (0..20).collect::<Vec<_>>()
        );
        played.iter().for_each(check);
        let first = &played[0].game;
        assert!(played.iter().any(|p| p.game.turns[0].mv != first.turns[0].mv), "all begin alike");
    }
}

#[test]
fn a_game_does_not_depend_on_its_neighbours() {
    let one = SelfplayParams { games_per_thread: 1, ..params() };
    let many = SelfplayParams { games_per_thread: 7, threads: 3, ..params() };
    let archive = Archive::new();
    let expected = games(&HashedEvaluator, &one, Rules::NOGO, &archive, 3..23);
    let played = games(&HashedEvaluator, &many, Rules::NOGO, &archive, 3..23);
    for (a, b) in expected.iter().zip(&played) {
        assert_eq!(a.game, b.game);
    }
    let part = games(&HashedEvaluator, &many, Rules::NOGO, &archive, 10..12);
    assert_eq!(part[0].game, expected[7].game);
}

#[test]
fn playouts_of_one_game_changed_those_of_another() {
    let wls = PlayoutParams { replies: ReplyLearning::Wls, ..PlayoutParams::default() };
    let one = SelfplayParams { games_per_thread: 1, ..params() };
    let many = SelfplayParams { games_per_thread: 3, threads: 2, ..params() };
    let archive = Archive::new();
    for playouts in [PlayoutParams::default(), wls] {
        let evaluator = PlayoutEvaluator::with(playouts, Seed::new(1));
        let expected = games(&evaluator, &one, Rules::CHINESE, &archive, 0..10);
        let played = games(&evaluator, &many, Rules::CHINESE, &archive, 0..10);
        assert!(expected.iter().zip(&played).all(|(a, b)| a.game == b.game));
        let part = games(&evaluator, &many, Rules::CHINESE, &archive, 7..9);
        assert_eq!(part[0].game, expected[7].game);
        assert_ne!(expected[0].game.turns, expected[1].game.turns);
    }
}

#[test]
fn what_is_remembered_changes_nothing_but_the_cost() {
    let forgetful = SelfplayParams { remembered: 0, ..params() };
    let archive = Archive::new();
    let expected = games(&HashedEvaluator, &forgetful, Rules::NOGO, &archive, 0..5);
    let played = games(&HashedEvaluator, &params(), Rules::NOGO, &archive, 0..5);
    for (a, b) in expected.iter().zip(&played) {
        assert_eq!(a.game, b.game);
        assert_eq!(a.evaluations, b.evaluations + b.remembered);
        assert!(a.remembered == 0 && b.remembered > 0);
    }
}

#[test]
fn games_begin_in_the_archive() {
    let mut archive = Archive::new();
    let size = BoardSize::square(5).unwrap();
    for played in games(&HashedEvaluator, &params(), Rules::CHINESE, &archive, 0..5) {
        archive.add(Game::Go, size, &played.game);
        archive.add(Game::NoGo, size, &played.game);
    }
    assert_eq!(archive.len(), 5);
    let always = SelfplayParams { archive_share: 1.0, ..params() };
    let played = games(&HashedEvaluator, &always, Rules::CHINESE, &archive, 0..20);
    played.iter().for_each(check);
    assert!(played.iter().filter(|p| p.given > 0).count() > 10);
}

#[test]
fn fast_searches_only_go_on_with_the_game() {
    let mixed = SelfplayParams {
        full_share: 0.3,
        fast_simulations: 2,
        considered: 0,
        simulations: 30,
        ..params()
    };
    let played = games(&HashedEvaluator, &mixed, Rules::NOGO, &Archive::new(), 0..30);
    played.iter().for_each(check);
    let turns: Vec<_> = played.iter().flat_map(|p| &p.game.turns).collect();
    let full = turns.iter().filter(|turn| turn.weight > 0.0).count() as f64 / turns.len() as f64;
    assert!((0.2..0.4).contains(&full), "{full}");
    assert!(turns.iter().all(|turn| (turn.weight > 0.0) != turn.policy.is_empty()));
}

#[test]
fn resignation_has_a_control_group() {
    // Playouts see lost positions well, and the threshold is easily reached.
    let evaluator = PlayoutEvaluator::new(Seed::new(1));
    let eager = SelfplayParams {
        simulations: 60,
        considered: 0,
        resign_value: -0.4,
        resign_control: 0.3,
        ..params()
    };
    let played = games(&evaluator, &eager, Rules::NOGO, &Archive::new(), 0..60);
    played.iter().for_each(check);
    let mut stats = Stats::default();
    for game in &played {
        stats.add(game);
    }
    assert_eq!(stats.games, 60);
    assert!(stats.resigned > 20 && stats.control > 5, "{stats:?}");
    assert!(stats.control_wrong < stats.control, "{stats:?}");
}

#[test]
fn stopping_leaves_whole_games() {
    let stop = AtomicBool::new(false);
    let mut kept = Vec::new();
    let keep = |played: Played| -> Result<(), Infallible> {
        kept.push(played);
        stop.store(kept.len() >= 3, Ordering::Relaxed);
        Ok(())
    };
    // Games that take their time: who keeps them may have to wait for a processor.
    let params = SelfplayParams { threads: 2, simulations: 100, ..params() };
    let archive = Archive::new();
    let selfplay = selfplay(&UniformEvaluator, &params, Rules::NOGO, &archive);
    selfplay.play(0..1000, &stop, keep).unwrap();
    assert!((3..50).contains(&kept.len()), "{} of 1000 games", kept.len());
    kept.iter().for_each(check);
}

#[test]
fn an_error_of_the_keeper_ends_it() {
    let stop = AtomicBool::new(false);
    let keep = |_| Err("the disk is full");
    let (params, archive) = (params(), Archive::new());
    let selfplay = selfplay(&UniformEvaluator, &params, Rules::NOGO, &archive);
    let error = selfplay.play(0..9, &stop, keep).unwrap_err();
    assert_eq!(error.to_string(), "a game could not be kept: the disk is full");
}

/// Ends the searches of White at once, those of Black after five simulations from the fifth move on.
struct Bored;

struct BoredAfter(Option<u64>);

impl StopModel for Bored {
    fn rule(&self, position: &Position) -> Option<Box<dyn StopRule>> {
        let after = match position.move_count() {
            number if number % 2 == 1 => Some(0),
            number if number >= 4 => Some(5),
            _ => None,
        };
        Some(Box::new(BoredAfter(after)))
    }
}

impl StopRule for BoredAfter {
    fn check(&mut self, progress: &Progress<'_>) -> Verdict {
        let search = &progress.search;
        let left = 12 - search.simulations;
        assert_eq!(search.simulations_left, Some(left));
        let expected = expected_simulations(progress);
        assert!((expected - left as f64).abs() < 1e-9, "no clock takes any: {expected}");
        match self.0 {
            Some(after) if search.simulations >= after => Verdict::Stop(StopReason::Certain),
            _ => Verdict::GoOn,
        }
    }
}

#[test]
fn searches_that_end_early_count_as_much_as_is_wanted() {
    let archive = Archive::new();
    for early_weight in [0.0, 0.25] {
        let params = SelfplayParams { considered: 0, early_weight, ..params() };
        let whole = selfplay(&HashedEvaluator, &params, Rules::NOGO, &archive);
        let watched = Selfplay { stop_model: Some(&Bored), ..whole };
        let play = |selfplay: Selfplay<'_>| {
            let (mut all, stop) = (Vec::new(), AtomicBool::new(false));
            let keep = |played| -> Result<(), Infallible> {
                all.push(played);
                Ok(())
            };
            selfplay.play(0..3, &stop, keep).unwrap();
            all
        };
        let (whole, watched) = (play(whole), play(watched));
        assert!(whole.iter().all(|played| played.ended_early == 0));
        for played in &watched {
            let turns = &played.game.turns;
            let mut ended = 0;
            for (number, turn) in turns.iter().enumerate() {
                let expected = match number {
                    _ if number % 2 == 1 => (early_weight, true),
                    0 | 2 => (1.0, false),
                    _ => (early_weight, early_weight == 0.0),
                };
                // Where one move or a proof is left, nobody is asked.
                let found = (f64::from(turn.weight), turn.policy.is_empty());
                let asked = found == expected;
                assert!(asked || found == (1.0, false), "{number}: {found:?}");
                ended += u64::from(asked && number % 2 + number / 4 > 0);
            }
            assert_eq!(played.ended_early, ended);
            assert!(ended > 5, "{ended} of {}", turns.len());
        }
        let mut stats = Stats::default();
        for played in &watched {
            stats.add(played);
        }
        let ended: u64 = watched.iter().map(|played| played.ended_early).sum();
        assert_eq!(stats.ended_early, ended);
    }
}

#[test]
fn settings_of_the_search_were_ignored() {
    let params =
        SelfplayParams { considered: 0, simulations: 40, threads: 1, ..Default::default() };
    let archive = Archive::new();
    let moves = |exploration| {
        let search = SearchParams { exploration, ..SearchParams::default() };
        let whole = selfplay(&HashedEvaluator, &params, Rules::NOGO, &archive);
        let mut moves = Vec::new();
        let keep = |played: Played| {
            moves.extend(played.game.turns.iter().map(|turn| turn.mv));
            Ok::<(), Infallible>(())
        };
        Selfplay { search: &search, ..whole }.play(0..1, &AtomicBool::new(false), keep).unwrap();
        moves
    };
    assert_ne!(moves(0.05), moves(5.0));
}
