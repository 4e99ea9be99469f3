//! What each part of the process may have of the memory.

use std::path::Path;

use super::Config;
use crate::util::{available_memory, file_size, params};

params! {
    /// The memory of a process that plays.
    pub struct MemoryParams {
        /// MiB for everything together: tree, evaluations that are kept, networks and the program itself. 0 for a quarter of what the machine, or the container, has, or half of it where that is less than 512.
        pub limit: usize = 0, 0..=1_000_000;
    }
}

/// Bytes for the parts of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryParts {
    /// All together.
    pub whole: usize,
    /// The program, its threads and its networks.
    pub fixed: usize,
    /// Evaluations that are kept.
    pub cache: usize,
    /// Trees.
    pub tree: usize,
}

impl MemoryParts {
    /// Whether the parts keep to the whole. They do not where it is too small for the program and a tree.
    #[must_use]
    pub fn fit(&self) -> bool {
        self.fixed + self.cache + self.tree <= self.whole
    }
}

const MIB: usize = 1 << 20;
/// What is taken for the machine where the system does not tell.
const UNKNOWN_MACHINE: usize = 4 << 30;
/// What a small machine spares half of its memory for.
const SMALL: usize = 512 * MIB;
/// The program with its built-in networks, measured; and what each search thread adds.
const PROGRAM: usize = 64 * MIB;
const THREAD: usize = 2 * MIB;
/// A network of a file in memory takes so many times its file.
const NET: usize = 5;
/// More evaluations than fit into this are seldom asked for again.
const MOST_CACHE: usize = 128 * MIB;
/// With less than this there is no search.
const LEAST_TREE: usize = 4 * MIB;

impl Config {
    /// What each part may have. Parts that are set keep to the whole where that is set, too.
    #[must_use]
    pub fn memory(&self) -> MemoryParts {
        let net = file_size(Path::new(&self.net.path)).unwrap_or(0);
        let fixed = PROGRAM + THREAD * self.search.thread_count() + NET * net;
        let machine = available_memory().unwrap_or(UNKNOWN_MACHINE);
        self.memory_of(machine, fixed)
    }

    fn memory_of(&self, machine: usize, fixed: usize) -> MemoryParts {
        let is_set = self.memory.limit > 0;
        let whole = match self.memory.limit {
            0 => (machine / 4).max((machine / 2).min(SMALL)),
            limit => limit * MIB,
        };
        let rest = whole.saturating_sub(fixed).max(LEAST_TREE);
        let within = |wanted: usize, most: usize| if is_set { wanted.min(most) } else { wanted };
        let cache = match usize::try_from(self.net.cache_mb) {
            Ok(wanted) => within(wanted * MIB, rest - LEAST_TREE),
            Err(_) => (rest / 4).min(MOST_CACHE).min(rest - LEAST_TREE),
        };
        let left = rest.saturating_sub(cache).max(LEAST_TREE);
        let tree = match self.search.max_memory {
            0 => left,
            wanted => within(wanted * MIB, left),
        };
        MemoryParts { whole, fixed, cache, tree }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole, cache and tree in MiB with these settings, on a machine with so much.
    fn parts(machine: usize, settings: &[(&str, &str)]) -> [usize; 3] {
        let set = |config: Config, &(key, value): &(&str, &str)| config.with(key, value).unwrap();
        let config = settings.iter().fold(Config::default(), set);
        let parts = config.memory_of(machine * MIB, 40 * MIB);
        [parts.whole, parts.cache, parts.tree].map(|bytes| bytes / MIB)
    }

    #[test]
    fn the_parts_follow_from_the_whole() {
        assert_eq!(parts(256, &[]), [128, 22, 66]);
        assert_eq!(parts(1024, &[]), [512, 118, 354]);
        assert_eq!(parts(24_000, &[]), [6000, 128, 5832]);
        let limit = ("memory.limit", "240");
        assert_eq!(parts(24_000, &[limit]), [240, 50, 150]);
        assert_eq!(parts(24_000, &[limit, ("net.cache_mb", "0")]), [240, 0, 200]);
        // What is set keeps to the whole.
        assert_eq!(parts(24_000, &[limit, ("search.max_memory", "30000")]), [240, 50, 150]);
        assert_eq!(parts(24_000, &[limit, ("net.cache_mb", "30000")]), [240, 196, 4]);
        assert_eq!(parts(24_000, &[limit, ("search.max_memory", "32")]), [240, 50, 32]);
        // Without a whole it is taken as it is.
        let parts = parts(256, &[("search.max_memory", "300"), ("net.cache_mb", "400")]);
        assert_eq!(parts, [128, 400, 300]);
    }

    #[test]
    fn too_little_is_still_something() {
        assert_eq!(parts(24_000, &[("memory.limit", "1")]), [1, 0, 4]);
        assert_eq!(parts(10, &[]), [5, 0, 4]);
        for (limit, fits) in [(43, false), (44, true), (45, true)] {
            let config = Config::default().with("memory.limit", &limit.to_string()).unwrap();
            assert_eq!(config.memory_of(24_000 * MIB, 40 * MIB).fit(), fits, "{limit}");
        }
        let config = Config::default().with("memory.limit", "200").unwrap();
        let parts = config.memory();
        assert!(parts.whole == 200 * MIB && parts.fit());
    }
}
