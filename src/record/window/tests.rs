use std::collections::HashSet;

use super::*;
use crate::game::{Komi, Move, Rules};
use crate::record::{Outcome, Turn, write_shard};

/// A game of passes on a board, whose turns have the given weights; its komi is its number.
fn game(number: i32, side: usize, weights: &[f32]) -> TrainingGame {
    let turn =
        |&weight| Turn { mv: Move::Pass, policy: Vec::new(), value: None, weight, label: None };
    TrainingGame {
        size: BoardSize::square(side).unwrap(),
        rules: Rules::CHINESE,
        komi: Komi::from_points(number.into()).unwrap(),
        stones: Vec::new(),
        turns: weights.iter().map(turn).collect(),
        outcome: Outcome::UNKNOWN,
    }
}

fn window(shards: &[Vec<TrainingGame>], params: Option<&WindowParams>) -> Window {
    let folder = tempfile::tempdir().unwrap();
    for (games, number) in shards.iter().zip(0..) {
        write_shard(&folder.path().join(format!("{number}.shard")), games).unwrap();
    }
    // Something else in the folder is left alone.
    write_shard(&folder.path().join("other.txt"), &[]).unwrap();
    let files = shard_files(folder.path()).unwrap();
    assert_eq!(files.len(), shards.len());
    Window::open(&files, params).unwrap()
}

#[test]
fn the_window_grows_as_in_kata_go() {
    let params = WindowParams::default();
    assert_eq!(params.rows(10), 10);
    assert_eq!(params.rows(50_000), 50_000);
    // By hand: 50000 + 0.4 · (100000^0.65 - 50000^0.65) / (0.65 · 50000^-0.35)
    // = 50000 + 0.4 · 50000 · (2^0.65 - 1) / 0.65, and with 10^6 rows 20^0.65.
    let by_hand = |factor: f64| 50_000.0 + 20_000.0 * (factor.powf(0.65) - 1.0) / 0.65;
    assert!((params.rows(100_000) as f64 - by_hand(2.0)).abs() <= 0.5);
    assert!((params.rows(1_000_000) as f64 - by_hand(20.0)).abs() <= 0.5);
    assert_eq!(params.rows(1_000_000), 234_899);
    // The slope at the beginning is the factor.
    assert_eq!(params.rows(51_000) - params.rows(50_000), 399);
    let linear = WindowParams { exponent: 1.0, factor: 1.0, ..params };
    assert_eq!(linear.rows(123_456), 123_456);
}

#[test]
fn the_newest_games_are_taken() {
    let pair = |n| vec![game(2 * n, 9, &[1.0; 10]), game(2 * n + 1, 9, &[1.0; 10])];
    let shards: Vec<_> = (0..4).map(pair).collect();
    let params = WindowParams { min_rows: 25.0, factor: 0.0, ..WindowParams::default() };
    let some = window(&shards, Some(&params));
    assert_eq!((some.games(), some.rows(), some.all_rows()), (3, 30, 80));
    let rows = some.sample(Seed::new(1), 100).unwrap();
    let komi: HashSet<_> = rows[0].iter().map(|row| row.game.komi.halves() / 2).collect();
    assert_eq!(komi, HashSet::from([5, 6, 7]));
    assert_eq!(window(&shards, None).rows(), 80);
    assert!(window(&[], None).is_empty());
}

#[test]
fn an_epoch_shows_every_row_that_counts_once() {
    let games = vec![
        game(0, 9, &[1.0, 0.0, 2.0]),
        game(1, 5, &[1.0; 8]),
        game(2, 9, &[0.0; 5]),
        game(3, 9, &[1.0; 6]),
    ];
    let window = window(&[games], None);
    assert_eq!((window.rows(), window.games()), (16, 3));
    assert_eq!(window.sizes()[&BoardSize::square(9).unwrap()], 8);
    for epoch in 0..3 {
        let mut seen = HashSet::new();
        for step in 4 * epoch..4 * (epoch + 1) {
            let batch = window.batch(Seed::new(5), step, 4).unwrap();
            assert!(batch.iter().all(|row| row.game.size == batch[0].game.size));
            for row in batch {
                assert!(row.game.turns[row.ply].weight > 0.0);
                assert!(seen.insert((row.game.komi, row.ply)), "{:?} comes again", row.ply);
            }
        }
        assert_eq!(seen.len(), 16);
    }
}

#[test]
fn seed_and_step_give_the_same_batch() {
    let games: Vec<_> = (0..20).map(|number| game(number, 9, &[1.0; 20])).collect();
    let window = window(&[games], None);
    let key = |seed, step| -> Vec<_> {
        let rows = window.batch(Seed::new(seed), step, 16).unwrap();
        rows.iter().map(|row| (row.game.komi, row.ply, row.symmetry)).collect()
    };
    assert_eq!(key(1, 7), key(1, 7));
    assert_ne!(key(1, 7), key(1, 8));
    assert_ne!(key(1, 7), key(2, 7));
    let symmetries: HashSet<_> = (0..20).flat_map(|step| key(1, step)).map(|row| row.2).collect();
    assert_eq!(symmetries.len(), 8);
}

#[test]
fn fewer_rows_than_a_batch_come_more_than_once() {
    let window = window(&[vec![game(0, 9, &[1.0; 3])]], None);
    let batch = window.batch(Seed::new(1), 9, 8).unwrap();
    let plies: HashSet<_> = batch.iter().map(|row| row.ply).collect();
    assert_eq!((batch.len(), plies.len()), (8, 3));
}

#[test]
fn newer_shards_come_to_a_window() {
    let shard = |folder: &Path, number: i32| {
        let path = folder.join(format!("{number}.shard"));
        write_shard(&path, &[game(number, 9, &[1.0; 10])]).unwrap();
        path
    };
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = (0..3).map(|number| shard(folder.path(), number)).collect();
    let all = Window::open(&files, None).unwrap();
    let first = Window::open(&files[..1], None).unwrap();
    let newer = files[1..].iter().map(|file| Shard::read(file).unwrap()).collect();
    let grown = first.with(newer, None).unwrap();
    assert!(grown.files().eq(files.iter().map(PathBuf::as_path)));
    assert_eq!((grown.games(), grown.rows(), grown.all_rows()), (3, 30, 30));
    let keys = |window: &Window| -> Vec<_> {
        let rows = window.batch(Seed::new(1), 4, 8).unwrap();
        rows.iter().map(|row| (row.game.komi, row.ply, row.symmetry)).collect()
    };
    assert_eq!(keys(&grown), keys(&all));
    let params = WindowParams { min_rows: 15.0, factor: 0.0, ..WindowParams::default() };
    assert_eq!(grown.with(Vec::new(), Some(&params)).unwrap().games(), 2);
}
