//! Plays the scripts in `gtp-scripts/` to the real program, byte for byte as clients send them.
//!
//! A script is a GTP session that gogui-regress can read too. Its lines are sent as they stand, but
//! for those of three kinds that are meant for this test:
//!
//! ```text
//! ## a remark about the script
//! #? [PATTERN]       the answer to the command above succeeds, and all of its text matches
//! #? [!PATTERN]      it succeeds, and its text does not match
//! #? ? [PATTERN]     it fails, and all of its text matches
//! #: args ARGUMENTS  how to start the program
//! #: crlf            lines end in CR LF
//! #: pipelined       everything up to `quit` is sent at once
//! #: varies NAMES    the answers to these commands are not the same in every run
//! #: open NAMES      these commands go on until the next one is sent
//! ```
//!
//! A command without an expectation must succeed. The next command waits for the answer to the one
//! before, comments such as `# interrupt` do not. The program runs in the folder of the scripts.
//!
//! Each script is played twice, the second time with the other line ends: the answers must be the
//! same. Every byte on standard output must belong to an answer, standard error must stay empty,
//! and the program must end by itself, without an error.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use regex::Regex;

/// Makes a test of each script, and a list of them.
macro_rules! scripts {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(concat!(stringify!($name), ".gtp"));
            }
        )*

        const SCRIPTS: &[&str] = &[$(concat!(stringify!($name), ".gtp")),*];
    };
}

scripts! {
    case
    cgos_python
    cgos_tcl
    comments
    control_characters
    gogui
    gogui_interrupt
    gogui_nogo
    gogui_regress
    gogui_statistics
    gogui_twogtp
    gtp2ogs
    gtp2ogs_rectangle
    handicap
    ids
    kgsgtp
    komi
    lizzie
    lizzieyzy
    lizzieyzy_no_list
    loadsgf
    nogo
    q5go
    sabaki
    suicide
    superko
    time_left
    time_settings
    vertices
}

#[test]
fn every_script_is_listed() {
    let mut found: Vec<String> = folder()
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|ext| ext == "gtp"))
        .collect();
    found.sort_unstable();
    assert_eq!(found, SCRIPTS);
}

/// How long an answer, or the end of the program, may take. No script comes near it.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long an open command goes on.
const A_WHILE: Duration = Duration::from_millis(600);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("gtp-scripts")
}

/// Plays a script with both line ends and compares the answers.
fn check(name: &str) {
    let script = Script::read(&std::fs::read(folder().join(name)).unwrap())
        .unwrap_or_else(|problem| panic!("{name}:{problem}"));
    let (own, other) = match script.line_end {
        LineEnd::Lf => (LineEnd::Lf, LineEnd::CrLf),
        LineEnd::CrLf => (LineEnd::CrLf, LineEnd::Lf),
    };
    let play =
        |end| script.play(end).unwrap_or_else(|problem| panic!("{name}:{problem}\nwith {end:?}"));
    let (first, second) = (play(own), play(other));
    for (sent, (first, second)) in script.commands().zip(first.iter().zip(&second)) {
        if !script.varies.contains(&sent.name) {
            assert_eq!(
                first, second,
                "{name}:{}: {} is answered otherwise with {other:?}",
                sent.line, sent.text
            );
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum LineEnd {
    Lf,
    CrLf,
}

impl LineEnd {
    fn bytes(self) -> &'static [u8] {
        match self {
            LineEnd::Lf => b"\n",
            LineEnd::CrLf => b"\r\n",
        }
    }
}

/// A script as it was read.
struct Script {
    arguments: Vec<String>,
    line_end: LineEnd,
    pipelined: bool,
    varies: Vec<String>,
    open: Vec<String>,
    lines: Vec<Line>,
}

/// A line to be sent.
struct Line {
    bytes: Vec<u8>,
    sent: Option<Sent>,
}

/// A command, as far as the test understands it.
struct Sent {
    line: usize,
    text: String,
    id: Option<u32>,
    name: String,
    expected: Vec<Expectation>,
}

struct Expectation {
    status: Status,
    matches: bool,
    pattern: Regex,
}

impl Script {
    /// Reads a script; a problem begins with the number of the line.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut script = Script {
            arguments: Vec::new(),
            line_end: LineEnd::Lf,
            pipelined: false,
            varies: Vec::new(),
            open: Vec::new(),
            lines: Vec::new(),
        };
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        for (i, bytes) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let text = String::from_utf8_lossy(bytes);
            let result = if let Some(expectation) = text.strip_prefix("#?") {
                script.expect(expectation)
            } else if let Some(option) = text.strip_prefix("#:") {
                script.set(option)
            } else {
                if !text.starts_with("##") {
                    let line = Line { bytes: bytes.to_vec(), sent: Sent::read(i + 1, &text) };
                    script.lines.push(line);
                }
                Ok(())
            };
            result.map_err(|problem| format!("{}: {problem}", i + 1))?;
        }
        Ok(script)
    }

    fn set(&mut self, option: &str) -> Result<(), String> {
        let mut words = option.split_whitespace().map(str::to_owned);
        match words.next().as_deref() {
            Some("args") => self.arguments.extend(words),
            Some("crlf") => self.line_end = LineEnd::CrLf,
            Some("pipelined") => self.pipelined = true,
            Some("varies") => self.varies.extend(words),
            Some("open") => self.open.extend(words),
            _ => return Err(format!("unknown option '{option}'")),
        }
        Ok(())
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        let expectation = Expectation::read(text)?;
        let sent = self.lines.iter_mut().rev().find_map(|line| line.sent.as_mut());
        sent.ok_or("there is no command above")?.expected.push(expectation);
        Ok(())
    }

    fn commands(&self) -> impl Iterator<Item = &Sent> {
        self.lines.iter().filter_map(|line| line.sent.as_ref())
    }

    /// Plays the script and returns the answers as they came.
    fn play(&self, line_end: LineEnd) -> Result<Vec<String>, String> {
        let mut engine = Engine::start(&self.arguments);
        let mut waiting = Vec::new();
        let mut answers = Vec::new();
        for line in &self.lines {
            if let Some(sent) = &line.sent {
                let open =
                    waiting.last().is_some_and(|last: &&Sent| self.open.contains(&last.name));
                if open {
                    thread::sleep(A_WHILE);
                } else if !self.pipelined || sent.name == "quit" {
                    engine.answers(&mut waiting, &mut answers)?;
                }
                waiting.push(sent);
            }
            engine.send(&[&line.bytes, line_end.bytes()].concat());
        }
        engine.answers(&mut waiting, &mut answers)?;
        engine.finish().map_err(|problem| format!(" at the end: {problem}"))?;
        Ok(answers)
    }
}

impl Sent {
    /// Reads a command as the protocol says: control characters do not count, `#` starts a
    /// comment, and a number may come first.
    fn read(line: usize, text: &str) -> Option<Self> {
        let clean: String =
            text.replace('\t', " ").chars().filter(|c| !c.is_ascii_control()).collect();
        let clean = clean.split('#').next()?;
        let mut words = clean.split_whitespace().peekable();
        let id: Option<i32> = words.peek().and_then(|word| word.parse().ok()).filter(|&n| n >= 0);
        if id.is_some() {
            words.next();
        }
        let (id, name) = (id.map(i32::unsigned_abs), words.next()?.to_owned());
        Some(Self { line, text: format!("{text:?}"), id, name, expected: Vec::new() })
    }

    /// Says what is wrong with an answer.
    fn check(&self, answer: &Answer) -> Result<(), String> {
        if answer.id != self.id {
            return Err(format!("the answer should have the number {:?}", self.id));
        }
        if self.expected.is_empty() && answer.status == Status::Failure {
            return Err("expected: success".to_owned());
        }
        let unmet = self.expected.iter().find(|expectation| !expectation.is_met(answer));
        unmet.map_or(Ok(()), |expectation| Err(format!("expected: {expectation}")))
    }
}

impl Expectation {
    fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (status, text) = match text.strip_prefix('?') {
            Some(rest) => (Status::Failure, rest.trim_start()),
            None => (Status::Success, text),
        };
        let pattern = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let pattern = pattern.ok_or("an expectation is written in square brackets")?;
        let (matches, pattern) = match pattern.strip_prefix('!') {
            Some(pattern) => (false, pattern),
            None => (true, pattern),
        };
        let pattern =
            Regex::new(&format!(r"\A(?:{pattern})\z")).map_err(|error| error.to_string())?;
        Ok(Self { status, matches, pattern })
    }

    fn is_met(&self, answer: &Answer) -> bool {
        answer.status == self.status && self.pattern.is_match(&answer.text) == self.matches
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let negation = if self.matches { "" } else { "not " };
        write!(f, "{:?}, {negation}{}", self.status, self.pattern)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Success,
    Failure,
}

/// An answer, taken out of its frame.
struct Answer {
    status: Status,
    id: Option<u32>,
    text: String,
}

impl Answer {
    /// Reads an answer without its empty line: a sign, perhaps a number, a blank, and text.
    fn read(frame: &str) -> Result<Self, String> {
        let (status, rest) = match frame.split_at_checked(1) {
            Some(("=", rest)) => (Status::Success, rest),
            Some(("?", rest)) => (Status::Failure, rest),
            _ => return Err("an answer begins with = or ?".to_owned()),
        };
        let (id, text) = rest.split_once(' ').ok_or("there is no blank before the text")?;
        let id = match id {
            "" => None,
            id => Some(id.parse().map_err(|_| "what follows the sign is no number".to_owned())?),
        };
        if text.contains(|c: char| c.is_control() && c != '\n') {
            return Err("there is a control character in the answer".to_owned());
        }
        Ok(Self { status, id, text: text.to_owned() })
    }
}

/// The program with its streams.
struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    errors: Option<JoinHandle<String>>,
    unread: Vec<u8>,
}

impl Engine {
    fn start(arguments: &[String]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tedomari"))
            // One thread repeats itself exactly if no search ends by the speed of the machine. The
            // scripts are about the protocol: without a network they take seconds.
            .args(["--set", "search.threads=1", "--set", "time.early_stop=never"])
            .args(["--set", "net.path=none"])
            .args(arguments)
            .current_dir(folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let errors = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        let input = child.stdin.take();
        Self { child, input, output, errors: Some(errors), unread: Vec::new() }
    }

    /// Sends bytes. A program that has gone away is noticed by the answers that are missing.
    fn send(&mut self, bytes: &[u8]) {
        let _ = self.input.as_mut().map(|input| input.write_all(bytes));
    }

    /// Waits for the answers to all commands that wait, and checks them.
    fn answers(
        &mut self,
        waiting: &mut Vec<&Sent>,
        answers: &mut Vec<String>,
    ) -> Result<(), String> {
        for sent in waiting.drain(..) {
            let frame =
                self.frame().map_err(|why| format!("{}: {}\n{why}", sent.line, sent.text))?;
            Answer::read(&frame)
                .and_then(|answer| sent.check(&answer))
                .map_err(|why| format!("{}: {}\n{why}\ngot: {frame:?}", sent.line, sent.text))?;
            answers.push(frame);
        }
        Ok(())
    }

    /// The next bytes up to an empty line.
    fn frame(&mut self) -> Result<String, String> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|two| two == b"\n\n") {
                let frame: Vec<u8> = self.unread.drain(..end + 2).collect();
                return String::from_utf8(frame[..end].to_vec()).map_err(|e| e.to_string());
            }
            let bytes = self.output.recv_timeout(PATIENCE).map_err(|error| {
                let unread = String::from_utf8_lossy(&self.unread);
                format!("there is no answer ({error}) but {unread:?}")
            })?;
            self.unread.extend(bytes);
        }
    }

    /// Closes the input and waits for a clean end.
    fn finish(mut self) -> Result<(), String> {
        self.input = None;
        while let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
            self.unread.extend(bytes);
        }
        if !self.unread.is_empty() {
            return Err(format!("on stdout: {:?}", String::from_utf8_lossy(&self.unread)));
        }
        let errors = self.errors.take().map(|thread| thread.join().unwrap()).unwrap_or_default();
        let status = self.child.wait().unwrap();
        if errors.is_empty() && status.success() {
            Ok(())
        } else {
            Err(format!("{status}, on stderr: {errors:?}"))
        }
    }
}

impl Drop for Engine {
    /// A program that still runs when a check has failed must not outlive the test.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn broken_frames_are_noticed() {
    for frame in ["", "=", "=1", "D4", "\n= D4", "=x D4", "= a\x07", "= a\r"] {
        assert!(Answer::read(frame).is_err(), "{frame:?}");
    }
    let answer = Answer::read("?12 no\nway").unwrap();
    assert_eq!((answer.status, answer.id), (Status::Failure, Some(12)));
    assert_eq!(answer.text, "no\nway");
}
