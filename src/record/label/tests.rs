use super::*;
use crate::eval::{Evaluation, Ownership, Policy, Value};
use crate::game::{BoardSize, Color, Komi, Move, Rules};
use crate::record::{Outcome, Turn, shard_bytes};

/// Says something of each position that depends on nothing else.
struct Stub;

impl Evaluator for Stub {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let number = |position: &Position, index: u64| {
            (Seed::new(position.hash()).fork("stub", index).number() % 1000) as f32 / 1000.0
        };
        let evaluate = |position: &&Position| {
            let legal = |point| position.is_legal(position.to_move(), point);
            let mut points: Vec<f32> = position
                .size()
                .points()
                .zip(1..)
                .map(|(point, i)| if legal(point) { number(position, i) } else { 0.0 })
                .collect();
            let sum: f32 = points.iter().sum::<f32>() + 0.1;
            for weight in &mut points {
                *weight /= sum;
            }
            Evaluation {
                value: Value::new(2.0 * number(position, 0) - 1.0),
                policy: Policy::Weights { points, pass: 0.1 / sum },
                score: Some(20.0 * number(position, 500) - 10.0),
                ownership: Some(Ownership::of_board(position.board())),
                first_moves: None,
            }
        };
        Ok(batch.iter().map(evaluate).collect())
    }
}

/// A random game on a small board, with a value of a search at each turn.
fn game(number: u64, turns: usize) -> TrainingGame {
    let size = BoardSize::square(7).unwrap();
    let mut rng = Seed::new(number).rng();
    let mut position = Position::new(size, Rules::CGOS, Komi::from_points(7.0).unwrap());
    let mut list = Vec::new();
    while list.len() < turns {
        let color = position.to_move();
        let legal: Vec<_> = position.legal_points(color).collect();
        let mv = match legal.len() {
            0 => Move::Pass,
            count => Move::Place(legal[rand::Rng::next_u32(&mut rng) as usize % count]),
        };
        position.play(color, mv).unwrap();
        let value = Some(Value::new(0.5));
        list.push(Turn { mv, policy: vec![(mv, 1.0)], value, weight: 1.0, label: None });
    }
    TrainingGame {
        size,
        rules: Rules::CGOS,
        komi: position.komi(),
        stones: Vec::new(),
        turns: list,
        outcome: Outcome::as_it_stands(&position),
    }
}

fn games() -> Vec<(u64, TrainingGame)> {
    (0..8).map(|number| (number, game(number, 30))).collect()
}

fn label(games: &[(u64, TrainingGame)], params: &LabelParams) -> Vec<TrainingGame> {
    let labeller = Labeller { teacher: &Stub, params, seed: Seed::new(5) };
    labeller.label(games, &|_, _| true).unwrap().unwrap()
}

fn labelled(game: &TrainingGame) -> Vec<usize> {
    let turns = game.turns.iter().enumerate();
    turns.filter(|(_, turn)| turn.label.is_some()).map(|(ply, _)| ply).collect()
}

#[test]
fn labels_say_what_the_teacher_says_and_no_other_turn_counts() {
    let params = LabelParams { variants: 6, wander: 0.3, handicap: 0.3, ..LabelParams::default() };
    let written = label(&games(), &params);
    assert_eq!(written.len(), 48);
    let mut handicaps = 0;
    for game in &written {
        handicaps += usize::from(!game.stones.is_empty());
        let begins = if game.stones.is_empty() { Color::Black } else { Color::White };
        assert_eq!(game.position(0, game.rules).unwrap().to_move(), begins);
        for (ply, turn) in game.turns.iter().enumerate() {
            let position = game.position(ply, game.rules).unwrap();
            assert_eq!(position.to_move(), game.color(ply));
            let expected = turn.label.as_ref().map_or(0.0, |_| 1.0);
            assert_eq!(turn.weight.to_bits(), f32::to_bits(expected));
            let Some(label) = &turn.label else { continue };
            let said = Stub.evaluate(&[&position]).unwrap().swap_remove(0);
            assert_eq!(**label, Label::of(&position, &said).unwrap());
        }
        game.position(game.turns.len(), game.rules).unwrap();
        assert!(!labelled(game).is_empty());
    }
    assert!((5..30).contains(&handicaps), "{handicaps}");
}

#[test]
fn a_game_is_written_alike_whatever_is_written_beside_it() {
    let params = LabelParams { variants: 3, ..LabelParams::default() };
    let together = label(&games(), &params);
    let apart: Vec<_> =
        games().iter().flat_map(|game| label(std::slice::from_ref(game), &params)).collect();
    assert_eq!(shard_bytes(&together).unwrap(), shard_bytes(&apart).unwrap());
    assert_ne!(together[0], together[1], "variants differ");
}

#[test]
fn plain_games_keep_their_moves_and_their_last_turn_is_labelled() {
    let plain = LabelParams {
        variants: 1,
        varied: 0.0,
        wander: 0.0,
        handicap: 0.0,
        play_on: 0.0,
        positions: 5,
        ..LabelParams::default()
    };
    for ((_, source), written) in games().iter().zip(label(&games(), &plain)) {
        assert_eq!(written.outcome, source.outcome);
        assert_eq!((written.rules, written.komi), (source.rules, source.komi));
        let moves = |game: &TrainingGame| game.turns.iter().map(|turn| turn.mv).collect::<Vec<_>>();
        assert_eq!(moves(&written), moves(source));
        let chosen = labelled(&written);
        assert!(chosen.len() == 5 && chosen[4] == 29 && chosen[0] < 6, "{chosen:?}");
        assert!(written.turns.iter().all(|turn| turn.value == Some(Value::new(0.5))));
    }
    let short = [(0, game(1, 3))];
    assert_eq!(labelled(&label(&short, &plain)[0]), [0, 1, 2]);
    let on = LabelParams { play_on: 1.0, ..plain };
    let longer = &label(&games(), &on)[0];
    assert!(longer.turns.len() > 30 && labelled(longer)[0] == 30);
    let mut over = game(2, 10);
    let pass = Turn { mv: Move::Pass, ..over.turns[0].clone() };
    over.turns.extend([pass.clone(), pass]);
    let over = &label(&[(0, over)], &on)[0];
    assert_eq!(
        (over.turns.len(), labelled(over).len()),
        (12, 5),
        "it has ended, and is not played on"
    );
}

#[test]
fn it_ends_when_it_is_told_to() {
    let params = LabelParams::default();
    let labeller = Labeller { teacher: &Stub, params: &params, seed: Seed::new(5) };
    assert!(labeller.label(&games(), &|_, _| false).unwrap().is_none());
    let mut broken = game(1, 5);
    broken.turns[4].mv = broken.turns[2].mv;
    broken.turns[3].mv = broken.turns[2].mv;
    let plain = LabelParams { wander: 0.0, handicap: 0.0, play_on: 0.0, ..params.clone() };
    let labeller = Labeller { params: &plain, ..labeller };
    let error = labeller.label(&[(6, broken)], &|_, _| true).unwrap_err().to_string();
    assert!(error.starts_with("game 7 breaks its rules: move 4"), "{error}");
}

#[test]
fn the_same_moves_are_always_held_out() {
    let all = games();
    assert!(all.iter().all(|(_, game)| is_game_held_out(game, 1.0)));
    assert!(!all.iter().any(|(_, game)| is_game_held_out(game, 0.0)));
    let held_out = (0..400).filter(|&number| is_game_held_out(&game(number, 9), 0.25)).count();
    assert!((70..130).contains(&held_out), "{held_out}");
}

#[test]
fn odd_positions_are_odd() {
    let params = LabelParams::default();
    let labeller = Labeller { teacher: &Stub, params: &params, seed: Seed::new(2) };
    let numbers: Vec<u64> = (0..30).collect();
    let odd =
        |numbers: &[u64]| labeller.odd_positions(numbers, &(5..=9), &|_, _| true).unwrap().unwrap();
    let positions = odd(&numbers);
    let hashes = |positions: &[Position]| positions.iter().map(Position::hash).collect::<Vec<_>>();
    assert_eq!(hashes(&positions[7..9]), hashes(&odd(&[7, 8])));
    for (position, &number) in positions.iter().zip(&numbers) {
        assert!((5..=9).contains(&position.size().width()));
        let komi = position.komi().points();
        match Oddity::of(number) {
            Oddity::Handicap => assert!((2..=9).contains(&position.handicap())),
            Oddity::Komi => assert!((-20.0..=30.5).contains(&komi)),
            Oddity::Settled => assert!(position.move_count() > 8, "{}", position.move_count()),
        }
    }
}
