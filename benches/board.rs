//! Speed of the board: whole random games, and the parts that a search spends its time in.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tedomari::game::{BoardSize, Color, Komi, Position, Rules};
use tedomari::playout::Playout;
use tedomari::util::Seed;

fn start(side: usize, rules: Rules) -> Position {
    let size = BoardSize::square(side).expect("a legal size");
    Position::new(size, rules, Komi::from_points(7.5).expect("a legal komi"))
}

/// Uniformly random games from the empty board; the throughput is games per second on one core.
fn playouts(c: &mut Criterion) {
    let mut group = c.benchmark_group("playouts");
    group.throughput(Throughput::Elements(1));
    let cases = [
        ("go-9x9", 9, Rules::CHINESE),
        ("go-13x13", 13, Rules::CHINESE),
        ("go-19x19", 19, Rules::CHINESE),
        ("nogo-9x9", 9, Rules::NOGO),
    ];
    for (name, side, rules) in cases {
        let position = start(side, rules);
        let mut playout = Playout::new(&position);
        let mut rng = Seed::new(1).rng();
        group.bench_function(name, |b| b.iter(|| playout.run(black_box(&position), &mut rng)));
    }
    group.finish();
}

/// What a search does with positions in the middle of a game.
fn positions(c: &mut Criterion) {
    let mut group = c.benchmark_group("positions");
    for (name, side, rules) in [("9x9", 9, Rules::CGOS), ("19x19", 19, Rules::CGOS)] {
        let position = middle_game(side, rules);
        let mut copy = position.clone();
        group.bench_function(format!("copy-{name}"), |b| {
            b.iter(|| copy.clone_from(black_box(&position)));
        });
        group.bench_function(format!("legal-points-{name}"), |b| {
            b.iter(|| black_box(&position).legal_points(Color::Black).count());
        });
    }
    group.finish();
}

/// A position after a third of the board has been filled at random.
fn middle_game(side: usize, rules: Rules) -> Position {
    let mut position = start(side, rules);
    let mut rng = Seed::new(2).rng();
    for _ in 0..side * side / 3 {
        let color = position.to_move();
        let legal: Vec<_> = position.legal_points(color).collect();
        let choice = rand::RngExt::random_range(&mut rng, 0..legal.len());
        position.play(color, tedomari::game::Move::Place(legal[choice])).expect("a legal move");
    }
    position
}

criterion_group!(benches, playouts, positions);
criterion_main!(benches);
