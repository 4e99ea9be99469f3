//! Files that are read within limits and appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

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
/// refused without being opened.
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
    File::open(path).map_err(io_error)
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
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, format!("{} names no file", path.display()))
    })?;
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let message = format!("{} is not a regular file", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let written = File::create_new(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| sync(&file)))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Best effort: the error that matters is the one returned.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Makes a folder with those above it; one that is there already is fine.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(test)]
mod tests {
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
    }
}
