//! Memory that trees grow in: atomic words in chunks that never move.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Words of a chunk, a power of two.
const CHUNK: usize = 1 << 15;

/// Words of a cache line; a block that begins on a half of one wastes least.
const LINE: usize = 8;

/// Bytes of a chunk.
pub(super) const CHUNK_BYTES: usize = CHUNK * size_of::<u64>();

/// The chunks of all trees of a search, up to a limit. What a tree gives back is kept for the next one: so there are never
/// more, however the memory between them is used, and a short search waits for no new memory.
pub(super) struct Supply {
    /// Chunks that can still be had.
    left: AtomicUsize,
    limit: usize,
    kept: Mutex<Chunks>,
}

#[derive(Default)]
struct Chunks {
    free: Vec<Chunk>,
    /// Chunks in use beyond the limit: the first of trees for which there was none.
    excess: usize,
}

impl Supply {
    /// A supply of so many bytes; one chunk there always is.
    pub(super) fn new(bytes: usize) -> Arc<Self> {
        let limit = places(bytes);
        Arc::new(Self { left: AtomicUsize::new(limit), limit, kept: Mutex::default() })
    }

    /// Bytes of all chunks together.
    pub(super) fn bytes(&self) -> usize {
        self.limit * CHUNK_BYTES
    }

    /// A chunk with nothing in it; none when all are in use.
    fn take(&self) -> Option<Chunk> {
        // Ordering: a number; the chunks are behind a lock.
        let take = |left: usize| left.checked_sub(1);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        let free = self.kept().free.pop();
        Some(free.map_or_else(Chunk::new, Chunk::cleared))
    }

    /// The same for a tree that has none yet, which gets one in any case.
    fn take_first(&self) -> Chunk {
        self.take().unwrap_or_else(|| {
            self.kept().excess += 1;
            Chunk::new()
        })
    }

    fn give_back(&self, chunks: impl IntoIterator<Item = Chunk>) {
        let mut kept = self.kept();
        for chunk in chunks {
            if kept.excess > 0 {
                kept.excess -= 1;
            } else {
                kept.free.push(chunk);
                self.left.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// What is behind the lock is written whole: a panic elsewhere leaves it in order.
    fn kept(&self) -> MutexGuard<'_, Chunks> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Words by their index, up to a limit. Any number of threads read, write and allocate; none waits
/// for another but where both need a new chunk.
pub(super) struct Words {
    chunks: Vec<OnceLock<Chunk>>,
    /// Chunks given out; may run ahead of what there is.
    taken: AtomicUsize,
    supply: Arc<Supply>,
}

/// Some words, and where among them a cache line begins. The first of them counts those in use; its
/// line is its own, so that an index of 0 can stand for nothing.
struct Chunk {
    words: Box<[AtomicU64]>,
    start: usize,
}

impl Chunk {
    fn new() -> Self {
        let words: Box<[_]> = (0..CHUNK + LINE).map(|_| AtomicU64::new(0)).collect();
        // Words can always be aligned; were they not, it would only be slower.
        let start = words.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE);
        Self { words, start }
    }

    /// The same with nothing in it.
    fn cleared(mut self) -> Self {
        let used = self.words[self.start].get_mut();
        let used = usize::try_from(*used).map_or(CHUNK, |used| used.min(CHUNK));
        self.words[self.start..][..used].fill_with(AtomicU64::default);
        self
    }
}

/// What is left of the chunk that one thread allocates from.
#[derive(Debug, Default)]
pub(super) struct Reserve {
    next: usize,
    end: usize,
    /// Nodes that the thread has made and not counted yet.
    pub(super) made: u64,
}

impl Words {
    /// Room for up to `bytes` bytes, as long as the supply has them. One chunk there always is.
    pub(super) fn new(supply: &Arc<Supply>, bytes: usize) -> Self {
        let chunks = (0..places(bytes)).map(|_| OnceLock::new()).collect();
        Self { chunks, taken: AtomicUsize::new(0), supply: Arc::clone(supply) }
    }

    /// The same room with nothing in it. The chunks go back to the supply.
    pub(super) fn cleared(mut self) -> Self {
        self.give_back();
        self
    }

    fn give_back(&mut self) {
        let used = std::mem::take(self.taken.get_mut()).min(self.chunks.len());
        self.supply.give_back(self.chunks[..used].iter_mut().filter_map(OnceLock::take));
    }

    /// Another chunk, if there is one, by its number.
    fn take_chunk(&self) -> Option<usize> {
        // Ordering: the number alone decides where a chunk goes.
        let taken = self.taken.load(Ordering::Relaxed);
        if taken >= self.chunks.len() {
            return None;
        }
        let chunk = if taken == 0 { self.supply.take_first() } else { self.supply.take()? };
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        let Some(place) = self.chunks.get(number) else {
            // Other threads were faster.
            self.supply.give_back([chunk]);
            return None;
        };
        place.set(chunk).ok().map(|()| number)
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        // Ordering: a count, nothing hangs on it.
        self.taken.load(Ordering::Relaxed).min(self.chunks.len()) * CHUNK_BYTES
    }

    /// The index of a block of so many words, all zero, at the begin of half a cache line; none
    /// when the memory is full. The first block is never at index 0.
    ///
    /// # Panics
    /// If the block is larger than a chunk.
    pub(super) fn allocate(&self, reserve: &mut Reserve, count: usize) -> Option<u32> {
        let count = count.next_multiple_of(LINE / 2);
        assert!(count <= CHUNK - LINE, "a block fits into a chunk");
        if reserve.end - reserve.next < count {
            let start = self.take_chunk()? * CHUNK;
            *reserve = Reserve { next: start + LINE, end: start + CHUNK, made: reserve.made };
        }
        let at = reserve.next;
        reserve.next += count;
        let chunk = self.chunk(at);
        let used = reserve.next - at / CHUNK * CHUNK;
        // Ordering: read by who owns the words alone.
        chunk.words[chunk.start].store(used as u64, Ordering::Relaxed);
        u32::try_from(at).ok()
    }

    /// `count` words from an index on that [`allocate`](Self::allocate) has given.
    #[inline]
    pub(super) fn slice(&self, at: u32, count: usize) -> &[AtomicU64] {
        let chunk = self.chunk(at as usize);
        &chunk.words[chunk.start + at as usize % CHUNK..][..count]
    }

    /// Asks for words to be brought near, without waiting for them.
    #[inline]
    pub(super) fn fetch(&self, at: u32, count: usize) {
        #[cfg(target_arch = "x86_64")]
        for line in self.slice(at, count).chunks(LINE) {
            // SAFETY: an address of memory that is there; a hint reads nothing.
            #[expect(unsafe_code, reason = "the hint has no safe form")]
            unsafe {
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
                    line.as_ptr().cast(),
                );
            }
        }
    }

    #[inline]
    fn chunk(&self, at: usize) -> &Chunk {
        self.chunks[at / CHUNK].get().expect("invariant: an index comes from `allocate`")
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Chunks in so many bytes.
fn places(bytes: usize) -> usize {
    (bytes / CHUNK_BYTES).clamp(1, u32::MAX as usize / CHUNK)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All blocks of so many words that there is room for.
    fn fill(words: &Words, size: usize) -> Vec<u32> {
        let mut reserve = Reserve::default();
        std::iter::from_fn(|| words.allocate(&mut reserve, size)).collect()
    }

    #[test]
    fn blocks_do_not_overlap_and_end_with_the_memory() {
        let words = Words::new(&Supply::new(3 * CHUNK_BYTES), 3 * CHUNK_BYTES);
        let mut all = std::thread::scope(|scope| {
            let threads = [(); 2].map(|()| scope.spawn(|| fill(&words, 1000)));
            threads.map(|thread| thread.join().unwrap()).concat()
        });
        all.sort_unstable();
        assert_eq!(all.len(), 3 * (CHUNK / 1000));
        assert!(all.is_sorted_by(|a, b| a + 1000 <= *b) && all[0] > 0);
        assert!(all.iter().all(|&at| words.slice(at, 1000).len() == 1000));
        assert_eq!(words.bytes(), 3 * CHUNK_BYTES);
    }

    #[test]
    fn trees_share_what_there_is_and_each_gets_something() {
        let supply = Supply::new(4 * CHUNK_BYTES);
        let [one, two, three] = [(); 3].map(|()| Words::new(&supply, 3 * CHUNK_BYTES));
        let chunks = |words| fill(words, CHUNK - LINE).len();
        // The third has the first chunk that every tree gets.
        assert_eq!([&one, &two, &three].map(chunks), [3, 1, 1]);
        let mut reserve = Reserve::default();
        assert!(two.allocate(&mut reserve, 1).is_none());
        drop(one);
        assert!(two.allocate(&mut reserve, 1).is_some());
        drop((two, three));
        let kept = supply.kept();
        assert_eq!((kept.free.len(), kept.excess), (4, 0));
        assert_eq!(supply.left.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn cleared_words_are_zero_again() {
        let supply = Supply::new(6 * CHUNK_BYTES);
        let mut words = Words::new(&supply, supply.bytes());
        for size in [1, 100, CHUNK - LINE] {
            for at in fill(&words, size) {
                let block = words.slice(at, size);
                assert!(block.iter().all(|word| word.load(Ordering::Relaxed) == 0));
                for word in block {
                    word.store(u64::MAX, Ordering::Relaxed);
                }
            }
            assert_eq!(words.bytes(), supply.bytes());
            words = words.cleared();
            assert_eq!((words.bytes(), supply.kept().free.len()), (0, 6));
        }
    }
}
