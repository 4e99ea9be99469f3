//! Answers on their way to standard output.

use std::io::{self, Write as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::analysis::katago::Output;

/// Bytes that may wait for the reader; then searches wait. A client may write many queries before it reads.
const MOST: usize = 64 << 20;

/// Bytes that may wait before reports of searches that go on are dropped: they are out of date by then.
const MOST_WITH_REPORTS: usize = 1 << 20;

/// Lines that threads send and one writes.
pub(super) struct Lines {
    sender: Sender<String>,
    room: Arc<Room>,
}

/// How much waits to be written.
#[derive(Default)]
pub(super) struct Room {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    bytes: usize,
    /// Nobody writes any more.
    closed: bool,
    /// Since when the reader is waited for.
    since: Option<Instant>,
}

/// A way for lines, which ends when all its beginnings are dropped.
pub(super) fn lines() -> (Lines, Receiver<String>, Arc<Room>) {
    let (sender, receiver) = channel();
    let room = Arc::new(Room::default());
    (Lines { sender, room: Arc::clone(&room) }, receiver, room)
}

impl Room {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the writer has been waiting for a reader for so long.
    pub(super) fn is_stuck_for(&self, time: Duration) -> bool {
        self.state().since.is_some_and(|since| since.elapsed() > time)
    }

    #[expect(clippy::disallowed_methods, reason = "how long a reader is waited for")]
    fn begin(&self) {
        self.state().since = Some(Instant::now());
    }

    fn end(&self, bytes: usize) {
        let mut state = self.state();
        state.since = None;
        state.bytes -= bytes;
        self.freed.notify_all();
    }
}

impl Output for Lines {
    fn send(&self, line: String) {
        let full = |state: &mut State| state.bytes > MOST && !state.closed;
        let state = self.room.freed.wait_while(self.room.state(), full);
        state.unwrap_or_else(PoisonError::into_inner).bytes += line.len();
        // Without a writer the process is about to end.
        let _ = self.sender.send(line);
    }

    fn send_report(&self, line: String) {
        if self.room.state().bytes <= MOST_WITH_REPORTS {
            self.send(line);
        }
    }
}

/// Writes lines until there never will be another.
pub(super) fn write_lines(lines: &Receiver<String>, room: &Room) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let mut write = || -> io::Result<()> {
        for mut line in lines {
            let bytes = line.len();
            line.push('\n');
            room.begin();
            let written = output.write_all(line.as_bytes()).and_then(|()| output.flush());
            room.end(bytes);
            written?;
        }
        Ok(())
    };
    let written = write();
    room.state().closed = true;
    room.freed.notify_all();
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_dropped_where_much_waits_and_answers_are_not() {
        let (lines, receiver, room) = lines();
        lines.send_report("a".repeat(MOST_WITH_REPORTS));
        lines.send_report("b".to_owned());
        lines.send_report("c".to_owned());
        lines.send("d".to_owned());
        drop(lines);
        let first: Vec<_> = receiver.iter().map(|line| line.as_bytes()[0]).collect();
        assert_eq!(first, b"abd");
        assert!(!room.is_stuck_for(Duration::ZERO));
    }

    #[test]
    fn threads_wait_for_room_and_for_no_writer_that_has_gone() {
        let (lines, _receiver, room) = lines();
        lines.send("a".repeat(MOST + 1));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| lines.send("b".to_owned()));
            room.state().closed = true;
            room.freed.notify_all();
            waiting.join().unwrap();
        });
    }
}
