//! A child process that speaks GTP, and may do anything else.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::{Kind, Trouble};
use crate::arena::stopwatch::Stopwatch;

/// Bytes of a line that are kept; the rest of a longer one is dropped.
const MAX_LINE: usize = 1 << 16;
/// Lines of one answer that are kept.
const MAX_LINES: usize = 10_000;
/// Lines that are read ahead: then the program must wait.
const READ_AHEAD: usize = 1000;
/// Lines of standard error that are kept for a report, and bytes of each.
const TAIL_LINES: usize = 10;
const TAIL_BYTES: usize = 300;
/// Bytes of standard error from which it is a flood.
const FLOOD: u64 = 1 << 20;
/// How long a program that has closed its output may take to end, and one that was told to quit.
const END: Duration = Duration::from_millis(500);

/// A line of standard output, or the end of it.
enum Event {
    Line { text: String, at: Stopwatch },
    End,
}

/// The last lines of standard error, and how many bytes there were.
#[derive(Default)]
struct Tail {
    lines: VecDeque<String>,
    bytes: u64,
    reported: bool,
}

/// An answer: the text of a success or of a failure.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) text: Result<String, String>,
    /// Time from writing the command to reading the first line of the answer.
    pub(super) used: Duration,
}

/// The two ends of a conversation with a program, wherever it runs.
pub struct Streams {
    /// What it reads.
    pub input: Box<dyn Write + Send>,
    /// What it writes.
    pub output: Box<dyn Read + Send>,
}

/// A running program. It is killed, with the processes that it started, when this is dropped.
pub(super) struct Process {
    /// None where only its streams are known.
    child: Option<Child>,
    input: Option<Box<dyn Write + Send>>,
    events: Receiver<Event>,
    errors: Arc<Mutex<Tail>>,
    next_id: u32,
    /// Whether commands carry numbers.
    pub(super) numbered: bool,
    /// Lines that were no answers: how many, and the first.
    junk: Option<(u64, String)>,
    broken: bool,
}

impl Process {
    /// Starts a program by its command line.
    pub(super) fn start(words: &[String]) -> Result<Self, Trouble> {
        let absent = |reason: String| Trouble::new(Kind::Absent, reason);
        let (program, arguments) =
            words.split_first().ok_or_else(|| absent("the command line is empty".to_owned()))?;
        let mut command = Command::new(program);
        command.args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            command.process_group(0);
        }
        let mut child =
            command.spawn().map_err(|error| absent(format!("cannot start {program}: {error}")))?;
        let streams = child.stdin.take().zip(child.stdout.take());
        let (input, output) =
            streams.ok_or_else(|| absent(format!("cannot speak to {program}")))?;
        let mut process = Self::over(Streams { input: Box::new(input), output: Box::new(output) });
        if let Some(output) = child.stderr.take() {
            let tail = Arc::clone(&process.errors);
            thread::spawn(move || drain(BufReader::new(output), &tail));
        }
        process.child = Some(child);
        Ok(process)
    }

    /// A program that runs already.
    pub(super) fn over(Streams { input, output }: Streams) -> Self {
        let (sender, events) = sync_channel(READ_AHEAD);
        thread::spawn(move || read_output(BufReader::new(output), &sender));
        Self {
            child: None,
            input: Some(input),
            events,
            errors: Arc::default(),
            next_id: 1,
            numbered: false,
            junk: None,
            broken: false,
        }
    }

    /// Sends a command and waits for its answer.
    pub(super) fn ask(&mut self, command: &str, limit: Duration) -> Result<Said, Trouble> {
        let said = self.try_ask(command, limit);
        self.broken |= said.is_err();
        said
    }

    /// What has gone wrong without being the end, since the last time.
    pub(super) fn take_minor(&mut self) -> Vec<Trouble> {
        let mut list = Vec::new();
        if let Some((count, first)) = self.junk.take() {
            let detail = format!("{count} lines that are no answers, the first: '{first}'");
            list.push(Trouble::new(Kind::Junk, detail));
        }
        let mut tail = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        if tail.bytes >= FLOOD && !tail.reported {
            tail.reported = true;
            let detail = format!("more than {FLOOD} bytes on standard error");
            list.push(Trouble::new(Kind::Flood, detail));
        }
        list
    }

    /// Begins to count standard error anew.
    pub(super) fn begin_game(&mut self) {
        let mut tail = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        (tail.bytes, tail.reported) = (0, false);
    }

    fn try_ask(&mut self, command: &str, limit: Duration) -> Result<Said, Trouble> {
        // What comes before the question is no answer to it.
        while let Ok(Event::Line { text, .. }) = self.events.try_recv() {
            self.add_junk(&text);
        }
        let id = self.numbered.then_some(self.next_id);
        let line = match id {
            Some(id) => format!("{id} {command}\n"),
            None => format!("{command}\n"),
        };
        self.next_id += 1;
        let watch = Stopwatch::start();
        let written = self
            .input
            .as_mut()
            .map(|input| input.write_all(line.as_bytes()).and_then(|()| input.flush()));
        if !matches!(written, Some(Ok(()))) {
            return Err(self.gone(command));
        }
        let mut head: Option<(Duration, bool)> = None;
        let mut lines: Vec<String> = Vec::new();
        loop {
            // Whoever writes without end does not answer either.
            let received = match limit.checked_sub(watch.elapsed()) {
                Some(left) => self.events.recv_timeout(left),
                None => Err(RecvTimeoutError::Timeout),
            };
            let (text, at) = match received {
                Ok(Event::Line { text, at }) => (text, at),
                Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.gone(command));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = limit.as_secs_f64();
                    let detail = format!("no answer to '{command}' within {seconds:.3} s");
                    return Err(Trouble::new(Kind::Hang, detail + &self.last_words()));
                }
            };
            match (head, read_head(&text, id)) {
                (None, Some((success, rest))) => {
                    head = Some((at.since(watch), success));
                    lines.push(rest.to_owned());
                }
                (None, None) => self.add_junk(&text),
                (Some((used, success)), _) if text.trim().is_empty() => {
                    let text = lines.join("\n").trim().to_owned();
                    return Ok(Said { text: if success { Ok(text) } else { Err(text) }, used });
                }
                (Some(_), _) if lines.len() < MAX_LINES => lines.push(text),
                (Some(_), _) => {}
            }
        }
    }

    fn add_junk(&mut self, text: &str) {
        // Engines may write more than one empty line behind an answer.
        if !text.trim().is_empty() {
            let (count, _) = self.junk.get_or_insert_with(|| (0, shorten(text)));
            *count += 1;
        }
    }

    /// What to say of a program whose pipes are closed.
    fn gone(&mut self, command: &str) -> Trouble {
        let watch = Stopwatch::start();
        let status = loop {
            let Some(child) = &mut self.child else { break None };
            match child.try_wait() {
                Ok(None) if watch.elapsed() < END => thread::sleep(Duration::from_millis(2)),
                Ok(status) => break status,
                Err(_) => break None,
            }
        };
        let words = self.last_words();
        if let Some(status) = status {
            let how = describe(status);
            return Trouble::new(Kind::Crash, format!("{how} at '{command}'{words}"));
        }
        let detail = format!("closed its output and lives on, at '{command}'{words}");
        Trouble::new(Kind::Closed, detail)
    }

    /// The last line of standard error, for a report.
    fn last_words(&self) -> String {
        let tail = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        match tail.lines.back() {
            Some(last) => format!("; it said last: '{last}'"),
            None => String::new(),
        }
    }

    /// Tells a program that works to quit, and waits for it a little.
    fn quit(&mut self) {
        let Some(mut input) = self.input.take().filter(|_| !self.broken) else { return };
        if input.write_all(b"quit\n").is_err() {
            return;
        }
        // Some end at the end of their input only.
        drop(input);
        let watch = Stopwatch::start();
        while let Some(left) = END.checked_sub(watch.elapsed()) {
            match self.events.recv_timeout(left) {
                Ok(Event::Line { .. }) => {}
                Ok(Event::End) | Err(_) => return,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.quit();
        let Some(child) = &mut self.child else { return };
        // What does not exist any more cannot be killed, and need not.
        #[cfg(unix)]
        {
            let script = format!("kill -KILL -{}", child.id());
            let mut killer = Command::new("sh");
            killer.args(["-c", &script]);
            killer.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let _ = killer.status();
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Whether a line is the first of the answer to the command with this number: success or failure,
/// and the rest. An answer without any number is taken for an answer.
fn read_head(line: &str, id: Option<u32>) -> Option<(bool, &str)> {
    let success = match line.bytes().next()? {
        b'=' => true,
        b'?' => false,
        _ => return None,
    };
    let rest = &line[1..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && id.is_some() && rest[..digits].parse().ok() != id {
        return None;
    }
    // Without numbers, the answer may begin with a digit right behind the sign.
    Some((success, if id.is_some() { &rest[digits..] } else { rest }))
}

fn read_output(mut output: impl BufRead, sender: &SyncSender<Event>) {
    while let Some(text) = read_line(&mut output) {
        if sender.send(Event::Line { text, at: Stopwatch::start() }).is_err() {
            return;
        }
    }
    let _ = sender.send(Event::End);
}

fn drain(mut output: impl BufRead, tail: &Mutex<Tail>) {
    while let Some(line) = read_line(&mut output) {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.bytes += line.len() as u64 + 1;
        if !line.trim().is_empty() {
            tail.lines.push_back(shorten(&line));
        }
        if tail.lines.len() > TAIL_LINES {
            tail.lines.pop_front();
        }
    }
}

/// Reads a line of any length in little memory, without its end; none at the end of the stream. A
/// very long line comes in parts.
fn read_line(input: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    let count = input.take(MAX_LINE as u64).read_until(b'\n', &mut bytes).ok()?;
    if count == 0 {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned())
}

fn shorten(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(TAIL_BYTES) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("ended by signal {signal}");
        }
    }
    match status.code() {
        Some(code) => format!("ended with code {code}"),
        None => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_answers() {
        let cases = [
            ("=7 D4", Some(7), Some((true, " D4"))),
            ("= D4", Some(7), Some((true, " D4"))),
            ("=D4", None, Some((true, "D4"))),
            ("?7 no", Some(7), Some((false, " no"))),
            ("=6 D4", Some(7), None),
            ("=99999999999 D4", Some(7), None),
            ("hello", Some(7), None),
            ("", Some(7), None),
            ("=", None, Some((true, ""))),
            ("=2", None, Some((true, "2"))),
        ];
        for (line, id, expected) in cases {
            assert_eq!(read_head(line, id), expected, "{line} {id:?}");
        }
    }

    #[test]
    fn long_lines_come_in_parts() {
        let text = format!("{}\nb\r\n\nc", "a".repeat(MAX_LINE + 5));
        let mut input = BufReader::new(text.as_bytes());
        let lengths: Vec<_> =
            std::iter::from_fn(|| read_line(&mut input)).map(|line| line.len()).collect();
        assert_eq!(lengths, [MAX_LINE, 5, 1, 0, 1]);
    }
}
