use super::*;
use crate::util::Seed;

fn source(score: Option<f32>, winner: Option<Color>) -> TrainingGame {
    let size = BoardSize::square(5).unwrap();
    TrainingGame {
        size,
        rules: Rules::CGOS,
        komi: Komi::from_points(7.0).unwrap(),
        stones: Vec::new(),
        turns: Vec::new(),
        outcome: Outcome { winner, score, owners: score.map(|_| vec![Some(Color::Black); 25]) },
    }
}

#[test]
fn outcomes_under_other_terms_are_counted_again_or_unknown() {
    let komi = |points| Komi::from_points(points).unwrap();
    let lost = source(Some(-2.0), Some(Color::White));
    assert_eq!(outcome(&lost, Rules::CGOS, komi(7.0)), lost.outcome);
    // 2 behind with a komi of 7: ahead by half a point with 4.5, and even with 5.
    let won = outcome(&lost, Rules::TROMP_TAYLOR, komi(4.5));
    assert_eq!((won.winner, won.score), (Some(Color::Black), Some(0.5)));
    assert_eq!(won.owners, lost.outcome.owners);
    let even = outcome(&lost, Rules::CGOS, komi(5.0));
    assert_eq!((even.winner, even.score), (None, Some(0.0)));
    // Nobody knows what came of it by territory, after a resignation, or with a compensation.
    assert_eq!(outcome(&lost, Rules::JAPANESE, komi(7.0)), Outcome::UNKNOWN);
    let resigned = source(None, Some(Color::White));
    assert_eq!(outcome(&resigned, Rules::CGOS, komi(7.0)), resigned.outcome);
    assert_eq!(outcome(&resigned, Rules::CGOS, komi(9.0)), Outcome::UNKNOWN);
    let stones = vec![lost.size.point(2, 2).unwrap(), lost.size.point(1, 1).unwrap()];
    let handicap = TrainingGame { stones, ..lost };
    assert_eq!(outcome(&handicap, Rules::AGA, komi(7.0)), Outcome::UNKNOWN);
}

#[test]
fn turns_are_spread_over_the_game_with_its_end() {
    let mut rng = Seed::new(1).rng();
    assert_eq!(spread(3, 8, &mut rng), [0, 1, 2]);
    assert!(spread(0, 8, &mut rng).is_empty());
    for turns in [8, 9, 30, 301] {
        let chosen = spread(turns, 8, &mut rng);
        assert!(chosen.is_sorted_by(|a, b| a < b) && chosen.len() == 8, "{chosen:?}");
        assert_eq!(chosen[7], turns - 1);
        assert!(chosen[0] <= turns / 8);
    }
}

#[test]
fn komi_lie_around_that_of_the_game() {
    let (game, mut rng) = (source(None, None), Seed::new(1).rng());
    let params = LabelParams { varied: 1.0, komi_spread: 6.0, ..LabelParams::default() };
    let komi = (0..4000).map(|_| terms(&game, &params, &mut rng).1.points() - 7.0);
    let komi: Vec<_> = komi.collect();
    let mean = |f: fn(f64) -> f64| komi.iter().map(|&x| f(x)).sum::<f64>() / komi.len() as f64;
    assert!(mean(|x| x).abs() < 0.5 && (mean(f64::abs) - 6.0).abs() < 0.4);
    assert!(komi.iter().any(|&x| x > 20.0) && komi.iter().any(|&x| x < -20.0));
    let same = LabelParams { varied: 0.0, ..params };
    assert_eq!(terms(&game, &same, &mut rng), (game.rules, game.komi));
}

#[test]
fn handicap_stones_stand_apart_on_every_board() {
    let mut rng = Seed::new(1).rng();
    for side in [2, 3, 5, 9, 13, 19] {
        let size = BoardSize::square(side).unwrap();
        for _ in 0..50 {
            let mut stones = stones(size, &mut rng);
            let count = stones.len();
            assert!((2..=9).contains(&count), "{count} on {side}");
            stones.sort_unstable_by_key(|&point| size.offset(point));
            stones.dedup();
            assert_eq!(stones.len(), count);
        }
    }
}
