//! What the machine has, and what threads get of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of memory that the machine has, where the system tells.
#[must_use]
pub fn machine_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// As many threads as are wanted, or for 0 as many as there are cores.
#[must_use]
pub fn threads_or_cores(wanted: usize) -> usize {
    match wanted {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// What threads have got of the processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorTime {
    /// What they have used.
    pub used: Duration,
    /// What they have waited for while others used them.
    pub waited: Duration,
}

/// Where the system tells of one thread.
#[derive(Debug)]
pub struct ThreadAccount(PathBuf);

impl ThreadAccount {
    /// The account of the calling thread, where the system keeps one.
    #[must_use]
    pub fn of_this_thread() -> Option<Self> {
        let proc = Path::new("/proc");
        let thread = std::fs::read_link(proc.join("thread-self")).ok()?;
        let account = Self(proc.join(thread).join("schedstat"));
        account.read().map(|_| account)
    }

    /// What the thread has got since it began; none when it has ended.
    #[must_use]
    pub fn read(&self) -> Option<ProcessorTime> {
        let text = std::fs::read_to_string(&self.0).ok()?;
        let mut numbers = text.split_whitespace().map_while(|number| number.parse().ok());
        let (used, waited) = (numbers.next()?, numbers.next()?);
        Some(ProcessorTime {
            used: Duration::from_nanos(used),
            waited: Duration::from_nanos(waited),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_computes_uses_the_processor() {
        // Where the system tells nothing there is nothing to test.
        let Some(account) = ThreadAccount::of_this_thread() else { return };
        let used = || account.read().map(|time| time.used);
        let before = used();
        let mut sum = 0u64;
        while used() == before {
            sum = (0..100_000).fold(sum, |sum: u64, k| std::hint::black_box(sum.wrapping_add(k)));
        }
        assert!(used() > before);
    }
}
