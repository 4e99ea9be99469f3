use super::*;
use crate::eval::Value;
use crate::game::Komi;
use crate::record::{Outcome, Turn};

fn size() -> BoardSize {
    BoardSize::square(3).unwrap()
}

/// A game on 3x3: the moves as GTP writes them, each with a search's value or none.
fn game(moves: &[(&str, Option<f32>)]) -> TrainingGame {
    let turn = |&(vertex, value): &(&str, Option<f32>)| {
        let mv = size().parse_move(vertex).unwrap();
        Turn { mv, policy: vec![(mv, 1.0)], value: value.map(Value::new), weight: 1.0, label: None }
    };
    let mut owners = vec![Some(Color::Black); 9];
    owners[2] = Some(Color::White);
    owners[8] = None;
    TrainingGame {
        size: size(),
        rules: Rules::CGOS,
        komi: Komi::from_points(2.0).unwrap(),
        stones: Vec::new(),
        turns: moves.iter().map(turn).collect(),
        outcome: Outcome { winner: Some(Color::Black), score: Some(4.0), owners: Some(owners) },
    }
}

fn target(game: &TrainingGame, ply: usize, symmetry: Symmetry, params: &TrainParams) -> Target {
    let row = Row { game: game.clone(), ply, symmetry };
    let batch = Batch::new(&[row], params, None).unwrap();
    assert_eq!((batch.len(), batch.points()), (1, 9));
    assert_eq!((batch.planes.len(), batch.globals.len()), (9 * PLANES, GLOBALS));
    batch.targets[0].clone()
}

/// The places of the numbers that are not zero.
fn places(numbers: &[f32]) -> Vec<(usize, f32)> {
    numbers.iter().copied().enumerate().filter(|(_, number)| *number != 0.0).collect()
}

#[test]
fn targets_are_for_the_side_to_move() {
    let game = game(&[("B2", None), ("A3", None), ("pass", None)]);
    let params = TrainParams::default();
    let black = target(&game, 0, Symmetry::IDENTITY, &params);
    assert_eq!(places(&black.policy), [(4, 1.0)]);
    assert_eq!(places(&black.reply), [(0, 1.0)]);
    assert_eq!((black.value, black.short_term, black.score), (Some(1.0), Some(1.0), Some(0.4)));
    assert_eq!(black.ownership, [1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    assert!(black.legal.iter().all(|&legal| legal));
    let white = target(&game, 1, Symmetry::IDENTITY, &params);
    assert_eq!(places(&white.reply), [(9, 1.0)]);
    assert_eq!((white.value, white.short_term, white.score), (Some(-1.0), Some(-1.0), Some(-0.4)));
    assert_eq!(white.ownership[..3], [-1.0, -1.0, 1.0]);
    assert!(!white.legal[4]);
    let last = target(&game, 2, Symmetry::IDENTITY, &params);
    assert_eq!(places(&last.policy), [(9, 1.0)]);
    assert!(last.reply.is_empty());
}

#[test]
fn targets_turn_with_the_board() {
    let game = game(&[("A3", None), ("B3", None), ("B1", None)]);
    let params = TrainParams::default();
    for symmetry in Symmetry::ALL {
        let turned = target(&game, 1, symmetry, &params);
        let at = |vertex: &str| {
            let point = size().parse_point(vertex).unwrap();
            size().offset(symmetry.apply(size(), point))
        };
        assert_eq!(places(&turned.policy), [(at("B3"), 1.0)]);
        assert_eq!(places(&turned.reply), [(at("B1"), 1.0)]);
        assert!(!turned.legal[at("A3")]);
        assert_eq!((turned.ownership[at("C3")], turned.ownership[at("C1")]), (1.0, 0.0));
    }
}

#[test]
fn values_of_the_search_are_mixed_in() {
    let game = game(&[("B2", Some(0.2)), ("A3", Some(-0.4)), ("B3", None), ("A1", Some(-0.8))]);
    let params = TrainParams { search_value_share: 0.25, ..TrainParams::default() };
    let close = |found: Option<f32>, expected: f32| {
        assert!((found.unwrap() - expected).abs() < 1e-5, "{found:?}, expected {expected}");
    };
    let black = target(&game, 0, Symmetry::IDENTITY, &params);
    close(black.value, 0.75 + 0.25 * 0.2);
    assert_eq!(black.result, Some(1.0));
    let white = target(&game, 1, Symmetry::IDENTITY, &params);
    close(white.value, -0.75 - 0.25 * 0.4);
    // A move without a value leaves the result alone.
    close(target(&game, 2, Symmetry::IDENTITY, &params).value, 1.0);
    // Seen by Black the later values are 0.4, none, 0.8, and then the result 1.
    let keep = (-1.0_f32 / (4.0 / 9.0)).exp();
    let last = (1.0 - keep) * 0.8 + keep;
    close(black.short_term, (1.0 - keep) * 0.4 + keep * last);
    close(white.short_term, -last);
}

#[test]
fn what_nobody_knows_is_not_learnt() {
    let mut game = game(&[("B2", None), ("A3", Some(0.5))]);
    game.outcome = Outcome::UNKNOWN;
    game.turns[0].policy.clear();
    let params = TrainParams::default();
    let first = target(&game, 0, Symmetry::IDENTITY, &params);
    assert!(first.policy.is_empty() && first.ownership.is_empty());
    assert_eq!((first.value, first.result, first.score), (None, None, None));
    assert_eq!(first.short_term, Some(-0.5));
    let second = target(&game, 1, Symmetry::IDENTITY, &params);
    assert_eq!((second.value, second.short_term), (Some(0.5), None));
}

#[test]
fn illegal_games_are_errors() {
    let game = game(&[("B2", None), ("B2", None), ("A1", None)]);
    let row = |ply| Row { game: game.clone(), ply, symmetry: Symmetry::IDENTITY };
    for ply in [1, 2] {
        let error = Batch::new(&[row(ply)], &TrainParams::default(), None).unwrap_err();
        assert!(error.to_string().contains("move 2 is illegal"), "{error}");
    }
    assert!(Batch::new(&[row(0)], &TrainParams::default(), None).is_ok());
}

#[test]
fn rules_vary_where_it_does_not_matter() {
    let mut game = game(&[("B2", None)]);
    let params = TrainParams { rule_variation: 1.0, ..TrainParams::default() };
    let mut rng = Seed::new(1).rng();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..300 {
        let rules = varied_rules(&game, &params, &mut rng).unwrap();
        assert_eq!((rules.game, rules.scoring), (Game::Go, Scoring::Area));
        seen.insert(rules);
    }
    assert_eq!(seen.len(), 3 * 2 * 2 * 2);
    game.rules = Rules::CHINESE;
    for _ in 0..100 {
        let rules = varied_rules(&game, &params, &mut rng).unwrap();
        assert_eq!(rules.dead_stones, DeadStones::Removed);
    }
    let never = TrainParams { rule_variation: 0.0, ..TrainParams::default() };
    assert_eq!(varied_rules(&game, &never, &mut rng), None);
    for rules in [Rules::NOGO, Rules::JAPANESE] {
        game.rules = rules;
        assert_eq!(varied_rules(&game, &params, &mut rng), None);
    }
}

/// The game with a label at a turn: B2 and the pass, the value 0.5, 3 points ahead, Black owns half of A3.
fn labelled(ply: usize) -> TrainingGame {
    let mut game = game(&[("B2", None), ("A3", None), ("pass", Some(0.25))]);
    let mv = |vertex| size().parse_move(vertex).unwrap();
    let mut owners = vec![0.0; 9];
    owners[0] = 0.5;
    // As labelled games are: what was played is not learnt.
    for turn in &mut game.turns {
        turn.policy.clear();
    }
    game.turns[ply].label = Some(Box::new(Label {
        policy: vec![(mv("B3"), 0.75), (Move::Pass, 0.25)],
        value: Value::new(0.5),
        lead: 3.0,
        owners,
    }));
    game
}

#[test]
fn a_label_is_learnt_beside_what_became_of_the_game() {
    let params = TrainParams { teacher_share: 0.75, ..TrainParams::default() };
    // White's turn: Black has won by 4 points and owns all but C3 and C1.
    let white = target(&labelled(1), 1, Symmetry::IDENTITY, &params);
    assert_eq!(places(&white.policy), [(1, 0.75), (9, 0.25)]);
    // 0.25 · (-1) + 0.75 · 0.5, and 0.25 · (-4) + 0.75 · 3 points of ten.
    assert_eq!((white.value, white.score), (Some(0.125), Some(0.125)));
    assert_eq!(white.result, Some(-1.0));
    // Seen by White: -(0.25 · 1 + 0.75 · 0.5), -0.25 where Black has come to own a point, 0.25 at C3.
    assert_eq!(white.ownership[..3], [-0.625, -0.25, 0.25]);
    assert_eq!(white.teacher, Some(Opinion { value: 0.5, odd: false }));
    assert!(white.reply.is_empty(), "the next move has no label: it may be anybody's");
    let alone = TrainParams { teacher_share: 1.0, ..params.clone() };
    let white = target(&labelled(1), 1, Symmetry::IDENTITY, &alone);
    assert_eq!((white.value, white.score), (Some(0.5), Some(0.3)));
    assert_eq!(white.ownership[..3], [-0.5, 0.0, 0.0]);
    // The turn before learns the label as the reply, and its value as what comes: 0.5 for White.
    let black = target(&labelled(1), 0, Symmetry::IDENTITY, &params);
    assert_eq!(places(&black.reply), [(1, 0.75), (9, 0.25)]);
    assert_eq!((black.value, black.teacher), (Some(1.0), None));
    let keep = (-1.0 / (4.0 * 9.0 / 81.0_f32)).exp();
    let last = (1.0 - keep) * 0.25 + keep;
    let expected = (1.0 - keep) * -0.5 + keep * last;
    assert!((black.short_term.unwrap() - expected).abs() < 1e-6);
}

#[test]
fn a_label_alone_is_enough_and_its_rules_stay() {
    let mut game = labelled(0);
    game.outcome = Outcome::UNKNOWN;
    let params = TrainParams { rule_variation: 1.0, ..TrainParams::default() };
    let black = target(&game, 0, Symmetry::IDENTITY, &params);
    assert_eq!((black.value, black.score, black.result), (Some(0.5), Some(0.3), None));
    assert_eq!(black.ownership[0].to_bits(), 0.5_f32.to_bits());
    let row = Row { game: game.clone(), ply: 0, symmetry: Symmetry::IDENTITY };
    let upright = Batch::new(std::slice::from_ref(&row), &params, None).unwrap();
    for seed in 0..20 {
        let varied =
            Batch::new(std::slice::from_ref(&row), &params, Some(Seed::new(seed).rng())).unwrap();
        assert_eq!(varied.globals, upright.globals);
    }
    game.stones = vec![size().point(0, 0).unwrap(), size().point(2, 2).unwrap()];
    let white = target(&game, 0, Symmetry::IDENTITY, &params);
    assert!(white.teacher.is_some_and(|opinion| opinion.odd), "handicap stones are odd");
    assert!(!white.legal[0] && white.legal[4]);
    assert_eq!(white.ownership[0].to_bits(), (-0.5_f32).to_bits(), "White begins");
}
