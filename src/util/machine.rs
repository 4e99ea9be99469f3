//! What the machine has, and what threads get of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of memory that the process may have, where the system tells: what the machine has, or less where a
/// container or a service is limited.
#[must_use]
pub fn available_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let machine = kilobytes.checked_mul(1024)?;
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limit = group_limit(&groups, Path::new("/sys/fs/cgroup"));
    Some(limit.map_or(machine, |limit| limit.min(machine)))
}

/// The least limit of memory of the control groups of a process, of both versions, and of those above them.
/// In a container the path that the system names may not be there: then the root is the container's own.
fn group_limit(groups: &str, root: &Path) -> Option<usize> {
    let limits = groups.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let (root, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            list if list.split(',').any(|one| one == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let group = root.join(path.trim_start_matches('/'));
        let above = group.ancestors().take_while(|folder| folder.starts_with(&root));
        // A group without a limit says `max`, or a number that no machine has.
        let limit = |folder: &Path| {
            std::fs::read_to_string(folder.join(file)).ok()?.trim().parse::<usize>().ok()
        };
        above.filter_map(limit).min()
    });
    limits.min()
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
        // Systems that keep no account may tell of nothing but zeros.
        account.read().filter(|time| !time.used.is_zero()).map(|_| account)
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
    fn the_limit_of_a_container_is_found_in_both_versions() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let limit = |groups: &str| group_limit(groups, root.path());
        assert_eq!(limit("0::/a/b\n"), None);
        write("a/memory.max", "1000\n");
        write("a/b/memory.max", "max\n");
        assert_eq!(limit("0::/a/b\n"), Some(1000));
        write("a/b/memory.max", "500\n");
        assert_eq!(limit("0::/a/b\n"), Some(500));
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/c/memory.limit_in_bytes", "700\n");
        assert_eq!(limit("5:cpu:/c\n4:hugetlb,memory:/c\n0::/\n"), Some(700));
        // Inside of a container that does not see the path of its group.
        write("memory/memory.limit_in_bytes", "300\n");
        assert_eq!(limit("4:memory:/docker/1234\n"), Some(300));
        assert_eq!(limit("nonsense\n4:memory\n"), None);
        assert!(available_memory().is_none_or(|bytes| bytes > 0));
    }

    #[test]
    fn a_thread_that_computes_uses_the_processor() {
        // Where the system tells nothing there is nothing to test.
        let Some(account) = ThreadAccount::of_this_thread() else { return };
        let used = || account.read().map(|time| time.used);
        let before = used();
        let mut sum = 0u64;
        let mut grows = || {
            sum = (0..100_000).fold(sum, |sum: u64, k| std::hint::black_box(sum.wrapping_add(k)));
            used() > before
        };
        assert!((0..100_000).any(|_| grows()));
    }
}
