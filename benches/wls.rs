//! Win/Loss States against counters of wins and visits, as playouts would use them: eight candidates
//! are compared with a threshold for each result that is recorded, in tables of a million entries that
//! caches hold in part only.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::Rng as _;
use tedomari::playout::Wls;
use tedomari::util::Seed;

/// Entries of a table.
const ENTRIES: usize = 1 << 20;
/// Moves of one game: each looks at eight candidates and records one result.
const MOVES: usize = 1000;
const CANDIDATES: usize = 8;

/// Wins and visits, with a confidence interval where they are compared.
#[derive(Clone, Copy, Default)]
struct Counters {
    wins: u32,
    visits: u32,
}

impl Counters {
    /// The same test as that of a state: whether the lower bound of Agresti and Coull's interval is
    /// above that of 1/2.
    fn is_above(self, bound: f32) -> bool {
        const Z: f32 = 0.674_49;
        if 2 * self.wins < self.visits || self.visits == 0 {
            return false;
        }
        let visits = self.visits as f32 + Z * Z;
        let rate = (self.wins as f32 + Z * Z / 2.0) / visits;
        rate - Z * (rate * (1.0 - rate) / visits).sqrt() > bound
    }
}

/// Which entries a game looks at, and how it ended.
fn games() -> Vec<(Vec<usize>, bool)> {
    let mut rng = Seed::new(9).rng();
    let mut entry = move || rng.next_u32() as usize % ENTRIES;
    (0..64)
        .map(|game| ((0..MOVES * CANDIDATES).map(|_| entry()).collect(), game % 2 == 0))
        .collect()
}

fn compare(c: &mut Criterion) {
    let games = games();
    let wls = Wls::new(21, 1.3).expect("a possible scale");
    let mut states = vec![0u8; ENTRIES];
    let mut counters = vec![Counters::default(); ENTRIES];
    for (entries, won) in games.iter().cycle().take(640) {
        for &at in entries {
            let won = *won == (at % 3 > 0);
            states[at] = if won { wls.win(states[at]) } else { wls.loss(states[at]) };
            counters[at].visits += 1;
            counters[at].wins += u32::from(won);
        }
    }
    assert_eq!(size_of_val(&*counters), 8 * size_of_val(&*states));
    updates(c, &games, &wls, (&mut states, &mut counters));
    thresholds(c, &games, &wls, (&states, &counters));
    both(c, &games, &wls, (&mut states, &mut counters));
}

/// One result for each move.
fn updates(
    c: &mut Criterion,
    games: &[(Vec<usize>, bool)],
    wls: &Wls,
    (states, counters): (&mut [u8], &mut [Counters]),
) {
    let mut group = c.benchmark_group("update");
    group.throughput(Throughput::Elements(MOVES as u64));
    let mut next = games.iter().cycle();
    group.bench_function("states", |b| {
        b.iter(|| {
            let (entries, won) = next.next().expect("an endless list");
            for &at in &entries[..MOVES] {
                let state = states[at];
                states[at] = if *won { wls.win(state) } else { wls.loss(state) };
            }
        });
    });
    group.bench_function("counters", |b| {
        b.iter(|| {
            let (entries, won) = next.next().expect("an endless list");
            for &at in &entries[..MOVES] {
                counters[at].visits += 1;
                counters[at].wins += u32::from(*won);
            }
        });
    });
    group.finish();
}

/// One comparison for each candidate.
fn thresholds(
    c: &mut Criterion,
    games: &[(Vec<usize>, bool)],
    wls: &Wls,
    (states, counters): (&[u8], &[Counters]),
) {
    let mut group = c.benchmark_group("threshold");
    group.throughput(Throughput::Elements((MOVES * CANDIDATES) as u64));
    let mut next = games.iter().cycle();
    let half = black_box(wls.index_of_half());
    group.bench_function("states", |b| {
        b.iter(|| {
            let (entries, _) = next.next().expect("an endless list");
            entries.iter().filter(|&&at| states[at] > half).count()
        });
    });
    let bound = black_box(0.285_f32);
    group.bench_function("counters", |b| {
        b.iter(|| {
            let (entries, _) = next.next().expect("an endless list");
            entries.iter().filter(|&&at| counters[at].is_above(bound)).count()
        });
    });
    group.finish();
}

/// What a playout does: eight comparisons and one result for each move.
fn both(
    c: &mut Criterion,
    games: &[(Vec<usize>, bool)],
    wls: &Wls,
    (states, counters): (&mut [u8], &mut [Counters]),
) {
    let mut group = c.benchmark_group("playout");
    group.throughput(Throughput::Elements(MOVES as u64));
    let mut next = games.iter().cycle();
    let half = black_box(wls.index_of_half());
    group.bench_function("states", |b| {
        b.iter(|| {
            let (entries, won) = next.next().expect("an endless list");
            let mut found = 0;
            for candidates in entries.chunks_exact(CANDIDATES) {
                found += candidates.iter().filter(|&&at| states[at] > half).count();
                let state = &mut states[candidates[0]];
                *state = if *won { wls.win(*state) } else { wls.loss(*state) };
            }
            found
        });
    });
    let bound = black_box(0.285_f32);
    group.bench_function("counters", |b| {
        b.iter(|| {
            let (entries, won) = next.next().expect("an endless list");
            let mut found = 0;
            for candidates in entries.chunks_exact(CANDIDATES) {
                found += candidates.iter().filter(|&&at| counters[at].is_above(bound)).count();
                let counters = &mut counters[candidates[0]];
                counters.visits += 1;
                counters.wins += u32::from(*won);
            }
            found
        });
    });
    group.finish();
}

criterion_group!(benches, compare);
criterion_main!(benches);
