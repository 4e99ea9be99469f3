//! Speed of writing the features of a position into a batch.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::RngExt as _;
use tedomari::game::{BoardSize, Komi, Move, Position, Rules, Symmetry};
use tedomari::nn::features::{GLOBALS, PLANES, encode};
use tedomari::util::Seed;

/// Positions of the middle game, in the orientation that takes the longest way through memory.
fn encodings(c: &mut Criterion) {
    let mut group = c.benchmark_group("features");
    group.throughput(Throughput::Elements(1));
    let cases = [
        ("cgos-9x9", 9, Rules::CGOS),
        ("chinese-9x9", 9, Rules::CHINESE),
        ("nogo-9x9", 9, Rules::NOGO),
        ("cgos-19x19", 19, Rules::CGOS),
        ("chinese-19x19", 19, Rules::CHINESE),
        ("nogo-19x19", 19, Rules::NOGO),
    ];
    let channel_stride = PLANES.next_multiple_of(8);
    for (name, side, rules) in cases {
        let position = middle_game(side, rules);
        let mut planes = vec![0.0; side * side * channel_stride];
        let mut globals = [0.0; GLOBALS];
        let symmetry = Symmetry::ALL[7];
        group.bench_function(name, |b| {
            b.iter(|| {
                let position = black_box(&position);
                encode(position, symmetry, &mut planes, channel_stride, &mut globals);
            });
        });
    }
    group.finish();
}

/// A position after as many random moves as half of the board has points.
fn middle_game(side: usize, rules: Rules) -> Position {
    let size = BoardSize::square(side).expect("a legal size");
    let mut position = Position::new(size, rules, Komi::from_points(7.5).expect("a legal komi"));
    let mut rng = Seed::new(2).rng();
    for _ in 0..size.area() / 2 {
        let color = position.to_move();
        let legal: Vec<_> = position.legal_points(color).collect();
        if legal.is_empty() {
            break;
        }
        let choice = rng.random_range(0..legal.len());
        position.play(color, Move::Place(legal[choice])).expect("a legal move");
    }
    position
}

criterion_group!(benches, encodings);
criterion_main!(benches);
