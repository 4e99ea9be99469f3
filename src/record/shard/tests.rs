use std::fs;

use proptest::prelude::*;

use super::*;
use crate::eval::Value;
use crate::game::{BoardSize, Color, Komi, Move, Rules};
use crate::record::{Label, MAX_TURNS, Outcome, Turn};

fn moves(size: BoardSize) -> impl Strategy<Value = Move> {
    (0..=size.area()).prop_map(move |i| size.point_at_offset(i).map_or(Move::Pass, Move::Place))
}

/// A policy of a few moves whose weights need not add up to 1.
fn policies(size: BoardSize) -> impl Strategy<Value = Vec<(Move, f32)>> {
    prop::collection::vec((moves(size), 0.0_f32..=1.0), 0..6)
}

fn labels(size: BoardSize) -> impl Strategy<Value = Label> {
    let owners = prop::collection::vec(-1.0_f32..=1.0, size.area());
    (policies(size), -1.0_f32..=1.0, -400.0_f32..400.0, owners).prop_map(
        |(policy, value, lead, owners)| Label { policy, value: Value::new(value), lead, owners },
    )
}

fn turns(size: BoardSize) -> impl Strategy<Value = Turn> {
    let weights = prop_oneof![Just(1.0), Just(0.0), 0.0_f32..9.0];
    let values = prop::option::of(-1.0_f32..=1.0);
    let labels = prop::option::of(labels(size));
    (moves(size), policies(size), any::<bool>(), values, weights, labels).prop_map(
        |(mv, policy, played, value, weight, label)| Turn {
            mv,
            policy: if played { vec![(mv, 1.0)] } else { policy },
            value: value.map(Value::new),
            weight,
            label: label.map(Box::new),
        },
    )
}

fn outcomes(size: BoardSize) -> impl Strategy<Value = Outcome> {
    let color = prop::option::of(prop::sample::select(Color::BOTH.to_vec()));
    let owners = prop::option::of(prop::collection::vec(color.clone(), size.area()));
    let scores = prop::option::of(-400.0_f32..400.0);
    (color, scores, owners).prop_map(|(winner, score, owners)| Outcome { winner, score, owners })
}

fn games() -> impl Strategy<Value = TrainingGame> {
    let rules = prop::sample::select(Rules::names().collect::<Vec<_>>());
    (2usize..=25, 2usize..=25, rules, -2000i32..=2000).prop_flat_map(|(w, h, rules, halves)| {
        let size = BoardSize::new(w, h).unwrap();
        let turns = prop::collection::vec(turns(size), 0..20);
        let offsets = prop::collection::hash_set(0..size.area(), 0..size.area().min(10));
        (turns, outcomes(size), offsets).prop_map(move |(turns, outcome, offsets)| TrainingGame {
            size,
            rules: rules.parse().unwrap(),
            komi: Komi::from_points(f64::from(halves) / 2.0).unwrap(),
            stones: offsets.into_iter().filter_map(|i| size.point_at_offset(i)).collect(),
            turns,
            outcome,
        })
    })
}

/// The game as it comes back: weights and values are rounded, moves of no weight are gone.
fn check_like(found: &TrainingGame, given: &TrainingGame) {
    assert_eq!((found.size, found.rules, found.komi), (given.size, given.rules, given.komi));
    assert_eq!(found.outcome, given.outcome);
    assert_eq!(found.stones, given.stones);
    assert_eq!(found.turns.len(), given.turns.len());
    for (found, given) in found.turns.iter().zip(&given.turns) {
        assert_eq!((found.mv, found.weight.to_bits()), (given.mv, given.weight.to_bits()));
        assert_eq!(found.value.is_some(), given.value.is_some());
        let value = |turn: &Turn| turn.value.map_or(0.0, Value::get);
        assert!((value(found) - value(given)).abs() < 1e-4);
        let kept: Vec<_> = given.policy.iter().filter(|(_, w)| w * 65_535.0 >= 0.5).collect();
        assert_eq!(found.policy.len(), kept.len());
        for (found, given) in found.policy.iter().zip(kept) {
            assert!(found.0 == given.0 && (found.1 - given.1).abs() < 1e-5);
        }
        assert_eq!(found.label.is_some(), given.label.is_some());
        if let Some((found, given)) = found.label.as_ref().zip(given.label.as_ref()) {
            check_label_like(found, given);
        }
    }
}

fn check_label_like(found: &Label, given: &Label) {
    assert!((found.value.get() - given.value.get()).abs() < 1e-4);
    assert!((found.lead - given.lead).abs() < 0.051);
    for (found, given) in found.owners.iter().zip(&given.owners) {
        assert!((found - given).abs() < 0.005);
    }
    let kept: Vec<_> = given.policy.iter().filter(|(_, w)| w.sqrt() * 255.0 >= 0.5).collect();
    assert_eq!(found.policy.len(), kept.len());
    for (found, given) in found.policy.iter().zip(kept) {
        assert!(found.0 == given.0 && (found.1 - given.1).abs() < 0.005);
    }
}

fn read(bytes: &[u8]) -> Result<Shard, ShardError> {
    Shard::from_bytes(Path::new("some.shard"), bytes.to_vec())
}

/// All games of a shard, also when they are damaged behind the checksum.
fn read_all(bytes: &[u8]) -> Result<Vec<TrainingGame>, ShardError> {
    read(bytes)?.games().collect()
}

fn sample() -> Vec<TrainingGame> {
    let size = BoardSize::new(3, 2).unwrap();
    let point = |i| Move::Place(size.point_at_offset(i).unwrap());
    let turn = |mv, policy: &[(Move, f32)], value: Option<f32>, weight| Turn {
        mv,
        policy: policy.to_vec(),
        value: value.map(Value::new),
        weight,
        label: None,
    };
    let game = TrainingGame {
        size,
        rules: Rules::CGOS,
        komi: Komi::from_points(-0.5).unwrap(),
        stones: Vec::new(),
        turns: vec![
            turn(point(4), &[(point(4), 1.0)], None, 1.0),
            turn(Move::Pass, &[(point(0), 0.25), (Move::Pass, 0.75)], Some(-0.5), 0.0),
        ],
        outcome: Outcome {
            winner: Some(Color::White),
            score: Some(-1.5),
            owners: Some(vec![None, Some(Color::Black), Some(Color::White), None, None, None]),
        },
    };
    vec![game.clone(), TrainingGame { turns: Vec::new(), outcome: Outcome::UNKNOWN, ..game }]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn games_come_back(games in prop::collection::vec(games(), 0..4)) {
        let bytes = shard_bytes(&games).unwrap();
        let found = read_all(&bytes).unwrap();
        prop_assert_eq!(found.len(), games.len());
        found.iter().zip(&games).for_each(|(found, given)| check_like(found, given));
        // What was rounded once stays as it is.
        prop_assert_eq!(shard_bytes(&found).unwrap(), bytes);
    }

    #[test]
    fn no_bytes_behind_a_good_checksum_make_it_panic(
        games in prop::collection::vec(games(), 1..3),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = shard_bytes(&games).unwrap();
        let end = bytes.len() - CHECKSUM;
        for (at, byte) in changes {
            bytes[12 + at.index(end - 12)] = byte;
        }
        let checksum = Sha256::digest(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum);
        // Either it is refused, or the changes made other games.
        let _ = read_all(&bytes);
    }
}

#[test]
fn the_format_is_as_documented() {
    let bytes = shard_bytes(&sample()).unwrap();
    let mut expected = b"TEDOGAME".to_vec();
    expected.extend([1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    // Length, board, rules, komi in halves, turns; outcome; two turns.
    expected.extend([36, 0, 0, 0, 3, 2, 0, 1, 0, 0, 1, 0, 0, 255, 255, 2]);
    expected.extend([0b1110, 0, 0, 192, 191, 0b0010_0100, 0]);
    expected.extend([1, 4]);
    expected.extend([0b1110, 6, 0, 192, 0, 0, 0, 0, 2, 0, 0, 64, 6, 255, 191]);
    expected.extend([13, 0, 0, 0, 3, 2, 0, 1, 0, 0, 1, 0, 0, 255, 255, 0, 0]);
    assert_eq!(bytes[..bytes.len() - CHECKSUM], expected);
}

#[test]
fn labels_and_handicap_stones_are_as_documented() {
    let mut games = sample();
    let (size, point) = (games[0].size, |i| games[0].size.point_at_offset(i).unwrap());
    let label = Label {
        // The square roots are a half, and 2 of 255; what is below half of 1 of 255 is not written.
        policy: vec![
            (Move::Place(point(3)), 0.25),
            (Move::Pass, 6e-5),
            (Move::Place(point(1)), 3e-6),
        ],
        value: Value::new(1.0),
        lead: -2.5,
        owners: vec![1.0, -1.0, 0.0, 0.5, -0.5, 0.25],
    };
    let stones = vec![point(5), point(0)];
    games.truncate(1);
    games[0].turns.truncate(1);
    games[0].turns[0].label = Some(Box::new(label.clone()));
    games[0].stones = stones;
    games[0].outcome = Outcome::UNKNOWN;
    let bytes = shard_bytes(&games).unwrap();
    let mut expected = b"TEDOGAME".to_vec();
    expected.extend([2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend([33, 0, 0, 0, 3, 2, 0, 1, 0, 0, 1, 0, 0, 255, 255, 1]);
    // No outcome, but two stones; the first turn with a label.
    expected.extend([16, 2, 5, 0]);
    expected.extend([0b1_0001, 4, 255, 127, 231, 255, 2, 3, 128, 6, 2]);
    expected.extend([127, 129, 0, 64, 192, 32]);
    assert_eq!(bytes[..bytes.len() - CHECKSUM], expected);
    let refused = |change: &dyn Fn(&mut TrainingGame)| {
        let mut games = games.clone();
        change(&mut games[0]);
        shard_bytes(&games).unwrap_err().to_string()
    };
    let with = |label: Label| refused(&|game| game.turns[0].label = Some(Box::new(label.clone())));
    assert!(with(Label { lead: f32::NAN, ..label.clone() }).contains("turn 1"));
    assert!(with(Label { owners: vec![0.0; 5], ..label.clone() }).contains("5 points"));
    assert!(with(Label { policy: vec![(Move::Pass, -1.0)], ..label }).contains("turn 1"));
    let corner = size.point_at_offset(0).unwrap();
    assert!(refused(&|game| game.stones = vec![corner; 2]).contains("handicap"));
    assert!(refused(&|game| game.stones = size.points().collect()).contains("handicap"));
}

#[test]
fn every_damage_is_refused_by_name() {
    let bytes = shard_bytes(&sample()).unwrap();
    assert_eq!(read_all(&bytes).unwrap().len(), 2);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let error = read(&changed).unwrap_err().to_string();
            assert!(error.starts_with("some.shard "), "{error}");
        }
        let error = read(&bytes[..at]).unwrap_err().to_string();
        assert!(error.starts_with("some.shard "), "{error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(read(&longer), Err(ShardError::Damaged { .. })));
    assert!(matches!(read(b""), Err(ShardError::NotAShard { .. })));
    assert!(matches!(read(b"(;GM[1])"), Err(ShardError::NotAShard { .. })));
    let later = [&bytes[..8], &[9, 0, 0, 0], &bytes[12..]].concat();
    assert!(matches!(read(&later), Err(ShardError::Version { found: 9, .. })));
}

#[test]
fn impossible_games_are_not_written_and_leave_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.shard");
    write_shard(&path, &sample()).unwrap();
    let before = fs::read(&path).unwrap();
    let refused = |change: &dyn Fn(&mut TrainingGame)| {
        let mut games = sample();
        change(&mut games[0]);
        let error = write_shard(&path, &games).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), before);
        error.to_string()
    };
    let nan = refused(&|game| game.turns[1].weight = f32::NAN);
    assert!(nan.contains("game 1") && nan.contains("turn 2"), "{nan}");
    assert!(refused(&|game| game.turns[0].policy[0].1 = -1.0).contains("turn 1"));
    assert!(refused(&|game| game.outcome.score = Some(f32::INFINITY)).contains("score"));
    assert!(refused(&|game| game.outcome.owners = Some(Vec::new())).contains("0 points"));
    let turn = sample()[0].turns[0].clone();
    let long = refused(&|game| game.turns = vec![turn.clone(); MAX_TURNS + 1]);
    assert!(long.contains("10001 turns"), "{long}");
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    let folder = tempfile::tempdir().unwrap();
    // A file stands where the folder should be, which even root cannot write into.
    fs::write(folder.path().join("file"), b"").unwrap();
    let path = folder.path().join("file/a.shard");
    let error = write_shard(&path, &sample()).unwrap_err();
    assert!(matches!(error, ShardError::Write { .. }) && error.to_string().contains("a.shard"));
    let missing = Shard::read(&folder.path().join("b.shard")).unwrap_err().to_string();
    assert!(missing.contains("b.shard"), "{missing}");
}
