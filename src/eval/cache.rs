//! Evaluations that are remembered.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{EvalError, Evaluation, Evaluator, Look, Opinion, Policy};
use crate::game::Position;
use crate::util::Seed;

/// Remembers what another evaluator said, in as much memory as it was given.
///
/// Two positions share an evaluation when their [`Position::hash_with_past`] is the same: no evaluator can
/// tell them apart. So the answer is the same whether it is remembered or not.
///
/// Two threads that miss the same position at the same time both ask, and get the same answer.
pub struct CachedEvaluator<E> {
    inner: E,
    net: u64,
    store: Arc<Store>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Memory for the evaluations of several evaluators.
#[derive(Clone)]
pub struct CacheMemory(Arc<Store>);

impl CacheMemory {
    /// So many bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Store::new(bytes)))
    }
}

/// How a cache has done so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheStats {
    /// Positions that were answered without the inner evaluator.
    pub hits: u64,
    /// Positions that the inner evaluator was asked about.
    pub misses: u64,
    /// Evaluations in memory.
    pub entries: usize,
    /// Memory they take.
    pub bytes: usize,
    /// Memory they may take.
    pub capacity: usize,
}

impl CacheStats {
    /// The share of positions that were answered from memory, 0 before the first question.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        self.hits as f64 / (self.hits + self.misses).max(1) as f64
    }
}

impl<E: Evaluator> CachedEvaluator<E> {
    /// Puts `bytes` of memory in front of an evaluator. `net` tells the network apart from others,
    /// for instance by a part of its checksum: keys of different networks have nothing in common.
    #[must_use]
    pub fn new(inner: E, net: u64, bytes: usize) -> Self {
        Self::sharing(inner, net, &CacheMemory::new(bytes))
    }

    /// The same in memory that other evaluators have, too.
    #[must_use]
    pub fn sharing(inner: E, net: u64, memory: &CacheMemory) -> Self {
        let (hits, misses) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { inner, net, store: Arc::clone(&memory.0), hits, misses }
    }

    /// The evaluator that is asked about what is not remembered.
    pub const fn inner(&self) -> &E {
        &self.inner
    }

    /// Counts since the beginning, and what is in memory now.
    pub fn stats(&self) -> CacheStats {
        let (entries, bytes) = self.store.used();
        CacheStats {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            entries,
            bytes,
            capacity: self.store.capacity(),
        }
    }

    /// Asks about positions that are all different, and remembers what is said.
    fn ask(&self, missing: &[(u64, &Position)]) -> Result<Vec<Arc<Evaluation>>, EvalError> {
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let positions: Vec<_> = missing.iter().map(|&(_, position)| position).collect();
        let answers = self.inner.evaluate(&positions)?;
        if answers.len() != missing.len() {
            let counts = format!("{} answers for {}", answers.len(), missing.len());
            return Err(EvalError::Device(counts + " positions"));
        }
        let answers: Vec<_> = answers.into_iter().map(Arc::new).collect();
        for (&(key, position), answer) in missing.iter().zip(&answers) {
            self.store.insert(key, answer, cost(answer, position.size().area()));
        }
        Ok(answers)
    }
}

/// Where the answer for a position of a batch comes from.
enum Source {
    Memory(Arc<Evaluation>),
    /// The so-manieth of those that are missing.
    Missing(usize),
}

impl<E: Evaluator> Evaluator for CachedEvaluator<E> {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let mut missing = Vec::new();
        let mut places = HashMap::new();
        let mut sources = Vec::with_capacity(batch.len());
        for &position in batch {
            let key = key_of(position, self.net);
            sources.push(self.store.get(key).map_or_else(
                || {
                    Source::Missing(*places.entry(key).or_insert_with(|| {
                        missing.push((key, position));
                        missing.len() - 1
                    }))
                },
                Source::Memory,
            ));
        }
        let misses = missing.len() as u64;
        self.misses.fetch_add(misses, Ordering::Relaxed);
        self.hits.fetch_add(batch.len() as u64 - misses, Ordering::Relaxed);
        let answers = self.ask(&missing)?;
        let answer = |source| match source {
            Source::Memory(evaluation) => Evaluation::clone(&evaluation),
            Source::Missing(place) => Evaluation::clone(&answers[place]),
        };
        Ok(sources.into_iter().map(answer).collect())
    }

    fn look(&self, position: &Position, look: Look) -> Result<Opinion, EvalError> {
        self.inner.look(position, look)
    }

    fn search_batch(&self, root: &Position) -> usize {
        self.inner.search_batch(root)
    }

    fn begin_game(&self, seed: Seed) {
        self.inner.begin_game(seed);
    }

    fn forget(&self) {
        self.store.clear();
        self.inner.forget();
    }
}

/// The same for positions that share an evaluation.
fn key_of(position: &Position, net: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (net, position.hash_with_past()).hash(&mut hasher);
    hasher.finish()
}

/// What an entry needs beside the evaluation, rounded up: its place in a table that may be less
/// than half full, its place in the queue, and what the allocator adds to three blocks.
const ENTRY_OVERHEAD: usize = 160;

/// Bytes of memory of an entry for a board with `area` points.
fn cost(evaluation: &Evaluation, area: usize) -> usize {
    let policy = match &evaluation.policy {
        Policy::Uniform | Policy::Sensible | Policy::OnDemand => 0,
        Policy::Weights { points, .. } => points.capacity(),
    };
    let ownership = if evaluation.ownership.is_some() { area } else { 0 };
    ENTRY_OVERHEAD + size_of::<Evaluation>() + (policy + ownership) * size_of::<f32>()
}

/// Evaluations by key, in parts with a lock each, so that threads rarely wait for each other.
struct Store {
    shards: Box<[Mutex<Shard>]>,
    bytes_per_shard: usize,
}

impl Store {
    /// The most parts that there are.
    const MAX_SHARDS: usize = 64;
    /// With less memory a part would hold too few entries to be filled evenly.
    const MIN_SHARD_BYTES: usize = 1 << 17;

    fn new(bytes: usize) -> Self {
        let count = (bytes / Self::MIN_SHARD_BYTES).clamp(1, Self::MAX_SHARDS);
        let count = 1 << count.ilog2();
        let shards = (0..count).map(|_| Mutex::new(Shard::default())).collect();
        Self { shards, bytes_per_shard: bytes / count }
    }

    fn capacity(&self) -> usize {
        self.bytes_per_shard * self.shards.len()
    }

    fn shard(&self, key: u64) -> MutexGuard<'_, Shard> {
        #[expect(clippy::cast_possible_truncation, reason = "the remainder is small")]
        let shard = (key % self.shards.len() as u64) as usize;
        lock(&self.shards[shard])
    }

    fn get(&self, key: u64) -> Option<Arc<Evaluation>> {
        let mut shard = self.shard(key);
        let entry = shard.entries.get_mut(&key)?;
        entry.was_used = true;
        Some(Arc::clone(&entry.evaluation))
    }

    fn insert(&self, key: u64, evaluation: &Arc<Evaluation>, cost: usize) {
        if cost <= self.bytes_per_shard {
            let entry = Entry { evaluation: Arc::clone(evaluation), cost, was_used: false };
            self.shard(key).insert(key, entry, self.bytes_per_shard);
        }
    }

    fn clear(&self) {
        self.shards.iter().for_each(|shard| *lock(shard) = Shard::default());
    }

    /// Entries and bytes of all parts.
    fn used(&self) -> (usize, usize) {
        self.shards.iter().map(lock).fold((0, 0), |(entries, bytes), shard| {
            (entries + shard.entries.len(), bytes + shard.bytes)
        })
    }
}

/// Nothing that can panic happens between the changes under a lock, so that a part whose lock was
/// held by a thread that panicked is as good as any.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One part. Entries leave in the order they came, but those that were asked for since they last
/// stood in front go to the end of the queue once more ("second chance", the CLOCK algorithm).
#[derive(Default)]
struct Shard {
    entries: HashMap<u64, Entry>,
    queue: VecDeque<u64>,
    bytes: usize,
}

struct Entry {
    evaluation: Arc<Evaluation>,
    cost: usize,
    was_used: bool,
}

impl Shard {
    fn insert(&mut self, key: u64, entry: Entry, capacity: usize) {
        if self.entries.contains_key(&key) {
            // Another thread has asked about the same position meanwhile.
            return;
        }
        while self.bytes + entry.cost > capacity {
            self.evict();
        }
        self.bytes += entry.cost;
        self.queue.push_back(key);
        self.entries.insert(key, entry);
    }

    /// Makes room for one entry, or gives the one in front its second chance.
    fn evict(&mut self) {
        let key = self.queue.pop_front().expect("invariant: memory is used by what is queued");
        let entry = self.entries.get_mut(&key).expect("invariant: what is queued is there");
        if std::mem::take(&mut entry.was_used) {
            self.queue.push_back(key);
        } else {
            self.bytes -= entry.cost;
            self.entries.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng as _, RngExt as _};

    use super::*;
    use crate::eval::{HashedEvaluator, LastMoveEvaluator, Ownership, Value};
    use crate::game::{BoardSize, Komi, Move, Rules};
    use crate::util::Seed;

    /// Counts the positions that it is asked about; the policy depends on the position too.
    #[derive(Default)]
    struct Counting {
        asked: AtomicU64,
    }

    impl Evaluator for Counting {
        fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
            self.asked.fetch_add(batch.len() as u64, Ordering::Relaxed);
            let mut answers = HashedEvaluator.evaluate(batch)?;
            for (answer, position) in answers.iter_mut().zip(batch) {
                let points = vec![answer.value.get(); position.size().area()];
                answer.policy = Policy::Weights { points, pass: 0.5 };
                answer.ownership = Some(Ownership::of_board(position.board()));
            }
            Ok(answers)
        }
    }

    fn check_same(found: &[Evaluation], batch: &[&Position]) {
        let expected = Counting::default().evaluate(batch).unwrap();
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.value, expected.value);
            assert_eq!(found.policy, expected.policy);
            assert_eq!(found.ownership, expected.ownership);
        }
    }

    /// All positions of some random games.
    fn positions(seed: u64, rules: Rules, side: usize) -> Vec<Position> {
        let size = BoardSize::square(side).unwrap();
        let mut rng = Seed::new(seed).rng();
        let mut position = Position::new(size, rules, Komi::default());
        let mut list = vec![position.clone()];
        for _ in 0..40 {
            let legal: Vec<_> = position.legal_points(position.to_move()).collect();
            let Some(&point) = legal.get(rng.random_range(0..legal.len().max(1))) else { break };
            position.play(position.to_move(), Move::Place(point)).unwrap();
            list.push(position.clone());
        }
        list
    }

    #[test]
    fn answers_are_those_of_the_inner_evaluator_and_each_is_asked_once() {
        let cached = CachedEvaluator::new(Counting::default(), 1, 1 << 20);
        let games = positions(1, Rules::CGOS, 9);
        let batch: Vec<_> = games.iter().chain(&games).collect();
        for round in 1..=3 {
            check_same(&cached.evaluate(&batch).unwrap(), &batch);
            assert_eq!(cached.inner().asked.load(Ordering::Relaxed), games.len() as u64);
            let stats = cached.stats();
            assert_eq!((stats.misses, stats.entries), (games.len() as u64, games.len()));
            assert_eq!(stats.hits + stats.misses, round * batch.len() as u64);
        }
        let asked = (6 * games.len()) as f64;
        assert!((cached.stats().hit_rate() - (asked - games.len() as f64) / asked).abs() < 1e-9);
        assert!(cached.evaluate(&[]).unwrap().is_empty());
    }

    #[test]
    fn what_is_forgotten_is_asked_again() {
        let cached = CachedEvaluator::new(Counting::default(), 1, 1 << 20);
        let position = positions(1, Rules::CGOS, 9).swap_remove(7);
        for asked in [1, 1, 2] {
            cached.evaluate_one(&position).unwrap();
            assert_eq!(cached.inner().asked.load(Ordering::Relaxed), asked);
            if asked == 1 && cached.stats().hits == 1 {
                cached.forget();
                assert_eq!((cached.stats().entries, cached.stats().bytes), (0, 0));
            }
        }
    }

    #[test]
    fn sizes_and_nets_keep_positions_apart() {
        // The empty boards of all sizes have the same stones on them: none.
        let [small, large] = [5, 6].map(|side| positions(1, Rules::NOGO, side).swap_remove(0));
        assert_ne!(key_of(&small, 1), key_of(&large, 1));
        assert_ne!(key_of(&small, 1), key_of(&small, 2));
    }

    #[test]
    fn a_position_was_answered_with_what_was_said_of_another_way_to_it() {
        let size = BoardSize::square(9).unwrap();
        let played = |moves: [&str; 3]| {
            let mut position = Position::new(size, Rules::NOGO, Komi::default());
            for text in moves {
                position.play(position.to_move(), size.parse_move(text).unwrap()).unwrap();
            }
            position
        };
        let (one, other) = (played(["A1", "C3", "E5"]), played(["E5", "C3", "A1"]));
        assert_eq!(one.hash(), other.hash());
        for bytes in [0, 1 << 20] {
            let cached = CachedEvaluator::new(LastMoveEvaluator, 1, bytes);
            for batch in [[&one, &other], [&other, &one]] {
                let expected = LastMoveEvaluator.evaluate(&batch).unwrap();
                let found = cached.evaluate(&batch).unwrap();
                assert!(found.iter().zip(&expected).all(|(a, b)| a.value == b.value));
            }
        }
    }

    fn recount(store: &Store) -> usize {
        let cost = |shard: &Mutex<Shard>| -> usize {
            let shard = lock(shard);
            assert_eq!(shard.queue.len(), shard.entries.len());
            shard.entries.values().map(|entry| entry.cost).sum()
        };
        store.shards.iter().map(cost).sum()
    }

    #[test]
    fn a_million_keys_stay_within_the_memory() {
        for capacity in [1 << 14, 5 << 20] {
            let store = Store::new(capacity);
            let mut rng = Seed::new(3).rng();
            for round in 0..500_000 {
                let points = vec![0.0; rng.random_range(0..400)];
                let policy = Policy::Weights { points, pass: 0.0 };
                let evaluation = Arc::new(Evaluation {
                    value: Value::DRAW,
                    policy,
                    score: None,
                    ownership: None,
                    first_moves: None,
                });
                let cost = cost(&evaluation, 400);
                store.insert(rng.next_u64(), &evaluation, cost);
                if round % 10_000 == 0 {
                    assert!(store.used().1 <= capacity && store.used().1 == recount(&store));
                }
            }
            assert!(store.used().1 > capacity * 9 / 10 - 4000, "most of the memory is in use");
        }
    }

    #[test]
    fn what_is_used_stays_and_what_is_too_large_never_comes() {
        let store = Store::new(100 * 1000);
        let even = Evaluation {
            value: Value::DRAW,
            policy: Policy::Uniform,
            score: None,
            ownership: None,
            first_moves: None,
        };
        let even = Arc::new(even);
        store.insert(0, &even, 1000);
        for key in 1..10_000 {
            assert!(store.get(0).is_some(), "{key}");
            store.insert(key, &even, 1000);
        }
        assert_eq!(store.used(), (100, 100 * 1000));
        assert!(store.get(5000).is_none() && store.get(9999).is_some());
        store.insert(7, &even, 100 * 1000 + 1);
        assert!(store.get(7).is_none());
        let nothing = CachedEvaluator::new(Counting::default(), 1, 0);
        let games = positions(2, Rules::NOGO, 5);
        let batch: Vec<_> = games.iter().collect();
        check_same(&nothing.evaluate(&batch).unwrap(), &batch);
        assert_eq!(nothing.stats().entries, 0);
    }

    #[test]
    fn many_threads_agree() {
        let cached = CachedEvaluator::new(Counting::default(), 1, 60_000);
        let games: Vec<_> = (0..5).flat_map(|seed| positions(seed, Rules::NOGO, 7)).collect();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (cached, games) = (&cached, &games);
                scope.spawn(move || {
                    let mut rng = Seed::new(9).fork("thread", thread).rng();
                    for _ in 0..300 {
                        let batch: Vec<_> =
                            (0..8).map(|_| &games[rng.random_range(0..games.len())]).collect();
                        check_same(&cached.evaluate(&batch).unwrap(), &batch);
                    }
                });
            }
        });
        let stats = cached.stats();
        assert_eq!(stats.hits + stats.misses, 8 * 300 * 8);
        assert_eq!(stats.misses, cached.inner().asked.load(Ordering::Relaxed));
        assert!(stats.hit_rate() > 0.1 && stats.bytes <= stats.capacity, "{stats:?}");
    }

    #[test]
    fn too_few_answers_are_an_error() {
        struct Silent;
        impl Evaluator for Silent {
            fn evaluate(&self, _batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
                Ok(Vec::new())
            }
        }
        let cached = CachedEvaluator::new(Silent, 1, 1 << 20);
        let error = cached.evaluate(&[&positions(1, Rules::NOGO, 5)[0]]).unwrap_err();
        assert_eq!(error.to_string(), "the evaluation failed: 0 answers for 1 positions");
    }

    #[test]
    fn errors_are_passed_on_and_not_remembered() {
        struct Failing;
        impl Evaluator for Failing {
            fn evaluate(&self, _batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
                Err(EvalError::Device("unplugged".to_owned()))
            }
        }
        let cached = CachedEvaluator::new(Failing, 1, 1 << 20);
        let position = &positions(1, Rules::NOGO, 5)[0];
        for _ in 0..2 {
            assert!(cached.evaluate(&[position]).is_err());
        }
        assert_eq!((cached.stats().entries, cached.stats().misses), (0, 2));
    }
}
