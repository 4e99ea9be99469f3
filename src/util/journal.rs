//! A file of lines that only grows, and survives being cut off in the middle of one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// A file of lines that one process at a time appends to.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Opens a journal, or makes an empty one, and returns the lines that it holds. A last line that
    /// is not whole or not `valid` was torn when its writer was killed, and is cut off; any other
    /// line that is not valid is an error, and so is another process that keeps the same journal open.
    pub fn open(path: &Path, valid: &dyn Fn(&str) -> bool) -> io::Result<(Self, Vec<String>)> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let (mut lines, mut good, mut bad) = (Vec::new(), 0, None);
        for (number, line) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
            if let Some(bad) = bad {
                let message = format!("line {bad} of {} is damaged", path.display());
                return Err(io::Error::new(ErrorKind::InvalidData, message));
            }
            let whole = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
            match whole.filter(|line| valid(line)) {
                Some(line) => {
                    lines.push(line.to_owned());
                    good += line.len() as u64 + 1;
                }
                None => bad = Some(number),
            }
        }
        file.set_len(good)?;
        file.seek(SeekFrom::End(0))?;
        Ok((Self { file }, lines))
    }

    /// Appends lines, which must not hold line breaks. They are there when the process is killed; that
    /// they are on the disk is certain after [`sync`](Self::sync).
    pub fn append<'a>(&mut self, lines: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
        let mut text = String::new();
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        self.file.write_all(text.as_bytes())
    }

    /// Waits until all lines are on the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Times that a lock is tried for, and the time between them: a process that was killed still holds its
/// locks while the system takes it apart.
const TRIES: u32 = 40;
const BETWEEN: Duration = Duration::from_millis(50);

fn lock(file: &File, path: &Path) -> io::Result<()> {
    for tries in 1.. {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if tries < TRIES => thread::sleep(BETWEEN),
            Err(TryLockError::WouldBlock) => break,
            // Where a file system knows no locks, there is none.
            Err(TryLockError::Error(_)) | Ok(()) => return Ok(()),
        }
    }
    let message = format!("another process is writing {}", path.display());
    Err(io::Error::new(ErrorKind::ResourceBusy, message))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn open(path: &Path) -> io::Result<(Journal, Vec<String>)> {
        Journal::open(path, &|line| line.starts_with('{') && line.ends_with('}'))
    }

    #[test]
    fn lines_come_back_and_a_torn_one_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, lines) = open(&path).unwrap();
        assert!(lines.is_empty());
        journal.append(["{1}", "{2}"]).unwrap();
        drop(journal);
        // Torn without its end, torn with a line break, and zeros as after a loss of power.
        for rest in ["{3", "{3}", "{3\n", "\0\0\0\0\n", "\0\0\0\0"] {
            fs::write(&path, format!("{{1}}\n{{2}}\n{rest}")).unwrap();
            let (mut journal, lines) = open(&path).unwrap();
            assert_eq!(lines, ["{1}", "{2}"], "{rest:?}");
            journal.append(["{4}"]).unwrap();
            drop(journal);
            assert_eq!(fs::read_to_string(&path).unwrap(), "{1}\n{2}\n{4}\n");
        }
    }

    #[test]
    fn damage_in_the_middle_is_not_repaired() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        fs::write(&path, "{1}\n{2\n{3}\n").unwrap();
        assert!(open(&path).unwrap_err().to_string().contains("line 2"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "{1}\n{2\n{3}\n");
        // What is no journal at all is left alone.
        fs::write(&path, "some\nother\ntext\n").unwrap();
        assert!(open(&path).unwrap_err().to_string().contains("line 1"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "some\nother\ntext\n");
    }

    #[test]
    fn one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (journal, _) = open(&path).unwrap();
        assert!(open(&path).unwrap_err().to_string().contains("another process"));
        // One that ends meanwhile is waited for.
        let end = thread::spawn(move || {
            thread::sleep(2 * BETWEEN);
            drop(journal);
        });
        assert!(open(&path).is_ok());
        end.join().unwrap();
    }
}
