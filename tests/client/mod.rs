//! What several test programs need: a GTP client for child processes, with time-outs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(dead_code, reason = "every test program compiles this file and uses a part of it")]
#![allow(clippy::disallowed_methods, reason = "time-outs and measurements read the clock")]

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long an answer may take where the test does not measure it: long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The program under test with these arguments.
pub(crate) fn tedomari<S: AsRef<OsStr>>(args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tedomari"));
    command.args(args);
    command
}

/// An answer with the time at which it was complete.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The number of the request.
    pub(crate) id: Option<u32>,
    /// Text of a success or of a failure, lines separated by `\n`.
    pub(crate) text: Result<String, String>,
    /// When its last byte was read.
    pub(crate) at: Instant,
}

/// A GTP engine in a child process. It is killed when the client is dropped.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Result<Answer, String>>,
    started: Instant,
}

impl Client {
    /// Starts an engine. What it writes to standard error is thrown away.
    pub(crate) fn start(mut command: Command) -> Self {
        let started = Instant::now();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        let mut output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let input = child.stdin.take();
        let (sender, answers) = channel();
        thread::spawn(move || {
            while let Some(answer) = read_answer(&mut output) {
                if sender.send(answer).is_err() {
                    break;
                }
            }
        });
        Self { child, input, answers, started }
    }

    /// When the process was started.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// The number of the process.
    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the engine reads its input");
    }

    /// Sends a line and does not wait for an answer.
    pub(crate) fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// The next answer, within a time.
    pub(crate) fn answer_within(&mut self, time: Duration) -> Answer {
        match self.answers.recv_timeout(time) {
            Ok(Ok(answer)) => answer,
            Ok(Err(garbage)) => panic!("not an answer: {garbage:?}"),
            Err(RecvTimeoutError::Timeout) => panic!("no answer within {time:?}"),
            Err(RecvTimeoutError::Disconnected) => panic!("the engine has closed its output"),
        }
    }

    /// The next answer.
    pub(crate) fn answer(&mut self) -> Answer {
        self.answer_within(PATIENCE)
    }

    /// Whether nothing more comes, neither in this time nor before it.
    pub(crate) fn is_silent_for(&mut self, time: Duration) -> bool {
        self.answers.recv_timeout(time).is_err()
    }

    /// Sends a command and returns its answer.
    pub(crate) fn try_ask(&mut self, line: &str) -> Result<String, String> {
        self.send(line);
        self.answer().text
    }

    /// Sends a command that must succeed, and returns its answer.
    pub(crate) fn ask(&mut self, line: &str) -> String {
        self.try_ask(line).unwrap_or_else(|error| panic!("{line:.80}: {error}"))
    }

    /// Sends a command and returns how long its answer took.
    pub(crate) fn time(&mut self, line: &str) -> (Duration, Result<String, String>) {
        let asked = Instant::now();
        self.send(line);
        let answer = self.answer();
        (answer.at.saturating_duration_since(asked), answer.text)
    }

    /// Closes the engine's input.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the process to end by itself.
    pub(crate) fn wait(&mut self, time: Duration) -> ExitStatus {
        wait(&mut self.child, time)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended already, and then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a process to end by itself; one that does not is killed, and the test fails.
pub(crate) fn wait(child: &mut Child, time: Duration) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        if start.elapsed() > time {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the process has not ended within {time:?}");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Everything that a program has said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program with this input until it ends.
pub(crate) fn run(mut command: Command, input: &[u8]) -> Said {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let input = input.to_vec();
    // A program that ends early does not read its input; that is no failure.
    let writing = thread::spawn(move || drop(stdin.write_all(&input)));
    let stdout = read_all(child.stdout.take().expect("stdout is piped"));
    let stderr = read_all(child.stderr.take().expect("stderr is piped"));
    let status = wait(&mut child, PATIENCE);
    writing.join().expect("the writer does not panic");
    let text = |reading: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8(reading.join().expect("the reader does not panic")).expect("UTF-8")
    };
    Said { status, stdout: text(stdout), stderr: text(stderr) }
}

fn read_all(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

/// Reads the next answer from a stream: none at its end, and an error for what is none.
fn read_answer(output: &mut impl BufRead) -> Option<Result<Answer, String>> {
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        // A process that was killed leaves a broken pipe, which is an end as well.
        let count = output.read_until(b'\n', &mut line).unwrap_or(0);
        let line = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
        match (count, line.is_empty()) {
            (0, _) if lines.is_empty() => return None,
            (0, _) => return Some(Err(lines.join("\n"))),
            // Some engines write more than one empty line.
            (_, true) if lines.is_empty() => {}
            (_, true) => break,
            (_, false) => lines.push(line),
        }
    }
    let text = lines.join("\n");
    let at = Instant::now();
    let Some((id, text)) = parse_answer(&text) else { return Some(Err(text)) };
    Some(Ok(Answer { id, text, at }))
}

/// Splits an answer without its empty line into number and text.
pub(crate) fn parse_answer(text: &str) -> Option<(Option<u32>, Result<String, String>)> {
    let status = text.chars().next().filter(|c| "=?".contains(*c))?;
    let digits: String = text[1..].chars().take_while(char::is_ascii_digit).collect();
    let id = if digits.is_empty() { None } else { Some(digits.parse().ok()?) };
    let rest = &text[1 + digits.len()..];
    if !rest.is_empty() && !rest.starts_with([' ', '\n']) {
        return None;
    }
    let body = rest.strip_prefix(' ').unwrap_or(rest).trim_end().to_owned();
    Some((id, if status == '=' { Ok(body) } else { Err(body) }))
}

/// The memory of a process in bytes as Linux tells it under a name such as `VmRSS` or `VmHWM`;
/// none elsewhere. `process` is a number or `self`.
pub(crate) fn memory(process: &str, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// The middle one.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Fails the test when `job` is not done in time.
pub(crate) fn within<R: Send + 'static>(
    time: Duration,
    job: impl FnOnce() -> R + Send + 'static,
) -> R {
    let (sender, receiver) = channel();
    let working = thread::spawn(move || drop(sender.send(job())));
    match receiver.recv_timeout(time) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("not done within {time:?}"),
        Err(RecvTimeoutError::Disconnected) => match working.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("a job that ends sends its result"),
        },
    }
}

/// An engine whose output is read line by line.
pub(crate) struct Lines {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: Receiver<(String, Instant)>,
}

impl Lines {
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut command = tedomari(args);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let written = BufReader::new(child.stdout.take().unwrap());
        let (sender, output) = channel();
        thread::spawn(move || {
            for line in written.lines() {
                if sender.send((line.unwrap(), Instant::now())).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        let mut engine = Self { child, input, output };
        engine.send("boardsize 9");
        assert_eq!(engine.answer(), [("= ").to_owned()]);
        engine
    }

    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn line(&mut self) -> (String, Instant) {
        self.output.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("no line: {error}"))
    }

    /// The lines up to the next empty one.
    pub(crate) fn answer(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.line().0 {
                line if line.is_empty() => return lines,
                line => lines.push(line),
            }
        }
    }

    /// Starts an analysis and waits for its first report, which is returned.
    pub(crate) fn analyze(&mut self, command: &str, beginning: &str) -> String {
        self.send(command);
        assert_eq!(self.line().0, beginning, "{command}");
        self.line().0
    }

    /// Whether nothing is said for a while.
    pub(crate) fn is_silent(&mut self) -> bool {
        self.output.recv_timeout(Duration::from_millis(150)).is_err()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
