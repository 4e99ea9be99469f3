//! Memory that a tree grows in: atomic words in chunks that never move.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Words of a chunk, a power of two.
const CHUNK: usize = 1 << 15;

/// Words of a cache line; a block that begins on a half of one wastes least.
const LINE: usize = 8;

/// Bytes of a chunk.
pub(super) const CHUNK_BYTES: usize = CHUNK * size_of::<u64>();

/// Words by their index, up to a limit. Any number of threads read, write and allocate; none waits
/// for another but where both need the same new chunk.
pub(super) struct Words {
    chunks: Vec<OnceLock<Chunk>>,
    /// Chunks given out; may run ahead of what there is.
    taken: AtomicUsize,
    /// Chunks that may be given out, at most as many as there are places for.
    limit: usize,
}

/// Chunks that are kept for the next tree at the most: new memory costs more than a short search.
const KEPT: usize = 4;

/// They are no more than this part of all.
const KEPT_SHARE: usize = 64;

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

    /// Forgets everything.
    fn clear(&mut self) {
        let used = self.words[self.start].get_mut();
        let used = usize::try_from(*used).map_or(CHUNK, |used| used.min(CHUNK));
        self.words[self.start..][..used].fill_with(AtomicU64::default);
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
    /// Room for up to `bytes` bytes, of which `now` may be used at once. One chunk there always is.
    pub(super) fn new(bytes: usize, now: usize) -> Self {
        let mut words = Self {
            chunks: (0..places(bytes)).map(|_| OnceLock::new()).collect(),
            taken: AtomicUsize::new(0),
            limit: 0,
        };
        words.set_limit(now);
        words
    }

    /// Changes how many bytes may be used; what is already stays.
    pub(super) fn set_limit(&mut self, bytes: usize) {
        // Requests that were refused have counted on.
        let taken = self.taken.get_mut();
        *taken = (*taken).min(self.limit);
        self.limit = (bytes / CHUNK_BYTES).max(*taken).clamp(1, self.chunks.len());
    }

    /// The same memory with nothing in it.
    pub(super) fn cleared(mut self) -> Self {
        let taken = self.taken.get_mut();
        let used = std::mem::take(taken).min(self.limit);
        let kept = KEPT.min(self.chunks.len() / KEPT_SHARE);
        for (index, chunk) in self.chunks[..used].iter_mut().enumerate() {
            match chunk.get_mut() {
                Some(chunk) if index < kept => chunk.clear(),
                _ => drop(chunk.take()),
            }
        }
        self
    }

    /// Bytes that there is room for.
    pub(super) fn room(&self) -> usize {
        self.chunks.len() * CHUNK_BYTES
    }

    /// Whether it is as large as a new one with room for so many bytes.
    pub(super) fn is_for(&self, bytes: usize) -> bool {
        self.chunks.len() == places(bytes)
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        // Ordering: a count, nothing hangs on it.
        self.taken.load(Ordering::Relaxed).min(self.limit) * CHUNK_BYTES
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
            // Ordering: the number alone decides who gets the chunk.
            let chunk = self.taken.fetch_add(1, Ordering::Relaxed);
            if chunk >= self.limit {
                return None;
            }
            self.chunks[chunk].get_or_init(Chunk::new);
            let start = chunk * CHUNK;
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

/// Chunks in so many bytes.
fn places(bytes: usize) -> usize {
    (bytes / CHUNK_BYTES).clamp(1, u32::MAX as usize / CHUNK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_overlap_and_end_with_the_memory() {
        let words = Words::new(3 * CHUNK_BYTES, 3 * CHUNK_BYTES);
        let mut all = std::thread::scope(|scope| {
            let allocate = || {
                let mut reserve = Reserve::default();
                std::iter::from_fn(|| words.allocate(&mut reserve, 1000)).collect::<Vec<_>>()
            };
            let threads = [scope.spawn(allocate), scope.spawn(allocate)];
            threads.map(|thread| thread.join().unwrap()).concat()
        });
        all.sort_unstable();
        assert_eq!(all.len(), 3 * (CHUNK / 1000));
        assert!(all.is_sorted_by(|a, b| a + 1000 <= *b) && all[0] > 0);
        assert!(all.iter().all(|&at| words.slice(at, 1000).len() == 1000));
        assert_eq!(words.bytes(), 3 * CHUNK_BYTES);
    }

    #[test]
    fn a_limit_can_be_raised() {
        let mut words = Words::new(2 * CHUNK_BYTES, 0);
        let mut reserve = Reserve::default();
        assert!(words.allocate(&mut reserve, CHUNK - LINE).is_some());
        assert!(words.allocate(&mut reserve, 10).is_none());
        words.set_limit(2 * CHUNK_BYTES);
        assert_eq!(words.bytes(), CHUNK_BYTES);
        assert!(words.allocate(&mut reserve, 10).is_some());
        assert_eq!(words.bytes(), 2 * CHUNK_BYTES);
    }

    #[test]
    fn cleared_words_are_zero_again() {
        let count = KEPT + 2;
        let mut words = Words::new(KEPT * KEPT_SHARE * CHUNK_BYTES, count * CHUNK_BYTES);
        for size in [1, 100, CHUNK - LINE] {
            let mut reserve = Reserve::default();
            let mut blocks = Vec::new();
            while let Some(at) = words.allocate(&mut reserve, size) {
                let block = words.slice(at, size);
                assert!(block.iter().all(|word| word.load(Ordering::Relaxed) == 0));
                for word in block {
                    word.store(u64::MAX, Ordering::Relaxed);
                }
                blocks.push(at);
            }
            assert!(blocks.len() >= count && words.bytes() == count * CHUNK_BYTES);
            words = words.cleared();
            assert_eq!(words.bytes(), 0);
            let kept = words.chunks.iter().filter(|chunk| chunk.get().is_some());
            assert_eq!(kept.count(), KEPT);
        }
    }
}
