//! Files that are read within limits and appear whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use tracing::debug;

/// A file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused.
    #[error("cannot read {}: {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// A directory, a device or a pipe.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// More than the caller takes.
    #[error("{} is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: usize,
    },
}

/// Reads a regular file of at most `limit` bytes. Devices and pipes, which may never end, are
/// refused without being opened; what looks like a file and has nothing to give yet, as some of `/proc`, is an
/// error.
pub fn read_limited(path: &Path, limit: usize) -> Result<Vec<u8>, ReadError> {
    let io_error = |reason| ReadError::Io { path: path.to_owned(), reason };
    let mut bytes = Vec::new();
    let file = open_file(path)?;
    file.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(io_error)?;
    if bytes.len() > limit {
        return Err(ReadError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// Opens a regular file for reading. Devices and pipes are refused.
pub fn open_file(path: &Path) -> Result<File, ReadError> {
    let io_error = |reason| ReadError::Io { path: path.to_owned(), reason };
    if !fs::metadata(path).map_err(io_error)?.is_file() {
        return Err(ReadError::NotAFile { path: path.to_owned() });
    }
    let mut options = OpenOptions::new();
    never_wait(options.read(true));
    options.open(path).map_err(io_error)
}

/// Opens a file for a log, which is written at its end. A pipe must have a reader, and is not waited for.
pub fn open_log(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    never_wait(options.create(true).append(true));
    options.open(path)
}

/// Neither opening nor reading nor writing waits for somebody else. Of regular files it changes nothing.
fn never_wait(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(flags.cast_signed());
    }
}

/// Bytes of a regular file that can be found.
#[must_use]
pub fn file_size(path: &Path) -> Option<usize> {
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    usize::try_from(found.len()).ok()
}

/// What is in a folder, by name.
pub fn list_folder(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let io_error = |reason| ReadError::Io { path: path.to_owned(), reason };
    let entries = fs::read_dir(path).map_err(io_error)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(io_error))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

/// How the names of files begin and end that are not whole yet.
const TEMPORARY: (&str, &str) = (".tedomari-", ".tmp");

/// Writes a file under a temporary name beside its own and then renames it, so that nobody ever
/// sees half of it. Devices, pipes and folders are refused: the new file would take their place.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_whole(path, bytes, File::sync_all)
}

/// The same without waiting for the disk: after a loss of power the file may be empty.
pub fn write_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_whole(path, bytes, |_| Ok(()))
}

fn write_whole(
    path: &Path,
    bytes: &[u8],
    sync: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let invalid =
        |what| io::Error::new(io::ErrorKind::InvalidInput, format!("{} {what}", path.display()));
    path.file_name().ok_or_else(|| invalid("names no file"))?;
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(invalid("is not a regular file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut temporary = temporary_file(folder.unwrap_or(Path::new(".")))?;
    temporary.write_all(bytes)?;
    sync(temporary.as_file())?;
    temporary.persist(path)?;
    Ok(())
}

/// A new file that is removed unless it gets another name. It is locked, which tells it from those of
/// processes that were killed.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    // As any other file: who may read it is for the umask to say.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let file = builder.tempfile_in(folder)?;
        // Where a file system knows no locks, nothing is swept.
        let locked = file.as_file().lock();
        // Somebody may have swept it away before it was locked.
        if locked.is_err() || file.path().exists() {
            return Ok(file);
        }
    }
}

/// Makes a folder with those above it; one that is there already is fine, and is rid of what processes that were
/// killed left in it.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    for entry in fs::read_dir(path)?.flatten() {
        let path = entry.path();
        if is_temporary(&path) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            sweep(&path);
        }
    }
    Ok(())
}

/// Whether a file has a name of those that are not whole yet.
#[must_use]
pub fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1))
}

/// Removes a temporary file that no process is writing.
fn sweep(path: &Path) {
    let Ok(file) = OpenOptions::new().write(true).open(path) else { return };
    if file.try_lock().is_ok() && fs::remove_file(path).is_ok() {
        debug!(path = %path.display(), "removed what a killed process had left");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn files_are_written_whole_and_read_within_limits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, b"first").unwrap();
        write_unsynced(&path, b"second").unwrap();
        assert_eq!(read_limited(&path, 6).unwrap(), b"second");
        assert!(matches!(read_limited(&path, 5), Err(ReadError::TooLarge { limit: 5, .. })));
        assert!(matches!(read_limited(folder.path(), 5), Err(ReadError::NotAFile { .. })));
        assert!(matches!(read_limited(&folder.path().join("b"), 5), Err(ReadError::Io { .. })));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_in_a_folder_comes_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b.sgf");
        make_folder(&inner).unwrap();
        make_folder(&inner).unwrap();
        for name in ["c.sgf", "a.sgf", "d.txt"] {
            write_atomically(&folder.path().join("a").join(name), b"x").unwrap();
        }
        let names = list_folder(&folder.path().join("a")).unwrap();
        let expected = ["a.sgf", "b.sgf", "c.sgf", "d.txt"];
        assert_eq!(names, expected.map(|name| folder.path().join("a").join(name)));
        assert!(list_folder(&folder.path().join("z")).is_err());
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_atomically(&folder.path().join("no/such/a.txt"), b"x").is_err());
        assert!(write_atomically(Path::new("/"), b"x").is_err());
        // The target is a folder.
        fs::create_dir(folder.path().join("d")).unwrap();
        assert!(write_atomically(&folder.path().join("d"), b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_process_left_blocks_nobody_and_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let names = list_folder(folder.path()).unwrap();
            names.iter().map(|path| path.file_name().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let left = format!("{}abc123{}", TEMPORARY.0, TEMPORARY.1);
        for name in [&left, "games.tmp", ".tedomari-notes"] {
            fs::write(folder.path().join(name), b"half").unwrap();
        }
        let growing = temporary_file(folder.path()).unwrap();
        make_folder(folder.path()).unwrap();
        // A file that is being written stays, and so does what is not ours.
        assert!(growing.path().exists());
        drop(growing);
        assert_eq!(names(), [".tedomari-notes", "games.tmp"]);
    }

    #[test]
    fn files_are_written_while_another_thread_sweeps() {
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    make_folder(folder.path()).unwrap();
                }
            });
            for round in 0..500_u16 {
                let written = write_unsynced(&folder.path().join("a"), &round.to_le_bytes());
                if written.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
                written.unwrap();
            }
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(list_folder(folder.path()).unwrap().len(), 1);
        assert_eq!(read_limited(&folder.path().join("a"), 2).unwrap(), 499_u16.to_le_bytes());
    }

    #[cfg(unix)]
    #[test]
    fn new_files_may_be_read_by_those_whom_the_umask_lets() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        write_atomically(&folder.path().join("ours"), b"x").unwrap();
        fs::write(folder.path().join("usual"), b"x").unwrap();
        let mode = |name| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("ours"), mode("usual"));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(write_atomically(&path, b"x").is_err());
        assert!(!fs::metadata(&path).unwrap().is_file());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused() {
        let endless = read_limited(Path::new("/dev/zero"), 100);
        assert!(matches!(endless, Err(ReadError::NotAFile { .. })));
        // A regular file by its looks, whose reader would wait for news of the kernel.
        let kernel = Path::new("/proc/kmsg");
        if kernel.exists() {
            let _ = read_limited(kernel, 1 << 24);
        }
    }
}
