//! The positions that have been on the board, for the superko rules.

/// Bits of the filter; a power of two.
const FILTER_BITS: usize = 1024;

/// Hashes of earlier positions, with a filter in front that answers most questions at once.
pub(super) struct History {
    hashes: Vec<u64>,
    filter: [u64; FILTER_BITS / 64],
}

impl History {
    pub(super) const fn new() -> Self {
        Self { hashes: Vec::new(), filter: [0; FILTER_BITS / 64] }
    }

    pub(super) fn add(&mut self, hash: u64) {
        let (word, bit) = place(hash);
        self.filter[word] |= bit;
        self.hashes.push(hash);
    }

    pub(super) fn contains(&self, hash: u64) -> bool {
        let (word, bit) = place(hash);
        // Repetitions are nearly always recent: look at the newest first.
        self.filter[word] & bit != 0 && self.hashes.iter().rev().any(|&seen| seen == hash)
    }
}

impl Clone for History {
    fn clone(&self) -> Self {
        Self { hashes: self.hashes.clone(), filter: self.filter }
    }

    fn clone_from(&mut self, source: &Self) {
        self.hashes.clone_from(&source.hashes);
        self.filter = source.filter;
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the remainder is small")]
const fn place(hash: u64) -> (usize, u64) {
    let bit = (hash % FILTER_BITS as u64) as usize;
    (bit / 64, 1 << (bit % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_added_and_nothing_else() {
        let mut history = History::new();
        for i in 0..200u64 {
            history.add(i * 1024 * 3 + i);
        }
        assert!((0..200).all(|i| history.contains(i * 1024 * 3 + i)));
        // These share bits of the filter with what is there.
        assert!((0..200).all(|i| !history.contains(i * 1024 * 3 + i + 1024)));
    }
}
