//! `tedomari analysis` as a process: how it begins, how it ends, and what it does with lines that are too long.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod client;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::thread;

use client::PATIENCE;
use serde_json::{Value as Json, json};

/// A running analysis. It is killed when it is dropped.
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let arguments = [&["analysis", "--set", "search.max_memory=32"], arguments].concat();
        let mut child = client::tedomari(&arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { child, input, output }
    }

    fn say(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(&[line, b"\n"].concat()).unwrap();
        input.flush().unwrap();
    }

    fn answer(&mut self) -> Json {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// All answers until the end, how it ended, and what was written to standard error.
    fn end(mut self) -> (Vec<Json>, ExitStatus, String) {
        drop(self.input.take());
        let lines = self.output.take().unwrap().lines().map(Result::unwrap);
        let answers = lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
        let (status, errors) = self.wait();
        (answers, status, errors)
    }

    /// Waits for the process, which is to end by itself.
    fn wait(&mut self) -> (ExitStatus, String) {
        let mut errors = self.child.stderr.take().unwrap();
        let (sender, told) = channel();
        thread::spawn(move || {
            let mut text = String::new();
            let _ = std::io::Read::read_to_string(&mut errors, &mut text);
            let _ = sender.send(text);
        });
        let text = told.recv_timeout(PATIENCE).expect("the process ends");
        (self.child.wait().unwrap(), text)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn query(id: &str, visits: u64) -> Vec<u8> {
    let query = json!({
        "id": id, "rules": "chinese", "komi": 7, "boardXSize": 9, "boardYSize": 9, "moves": [],
        "maxVisits": visits,
    });
    query.to_string().into_bytes()
}

const ENDLESS: u64 = 1 << 40;

fn is_final(answer: &Json, id: &str) -> bool {
    answer["id"] == id && answer["isDuringSearch"] == false
}

#[test]
fn everything_is_answered_after_the_end_of_the_input() {
    let mut running = Running::start(&["-analysis-threads", "2"]);
    for id in ["a", "b", "c", "d"] {
        running.say(&query(id, 30));
    }
    let (answers, status, errors) = running.end();
    assert!(status.success(), "{errors}");
    for id in ["a", "b", "c", "d"] {
        assert_eq!(answers.iter().filter(|answer| is_final(answer, id)).count(), 1, "{id}");
    }
    assert!(errors.contains("Started, ready to begin handling requests\n"), "{errors}");
}

#[test]
fn searches_come_to_an_end_with_the_input_if_that_is_asked_for() {
    let mut running = Running::start(&["-quit-without-waiting", "-analysis-threads", "1"]);
    running.say(&query("a", 2));
    assert!(is_final(&running.answer(), "a"));
    running.say(&query("b", ENDLESS));
    running.say(&query("c", ENDLESS));
    running.say(br#"{"id":"v","action":"query_version"}"#);
    assert_eq!(running.answer()["action"], "query_version");
    let (answers, status, errors) = running.end();
    assert!(status.success(), "{errors}");
    assert!(answers.len() <= 2, "{answers:?}");
}

#[test]
fn a_line_that_is_too_long_is_refused_and_the_next_one_is_answered() {
    let mut running = Running::start(&[]);
    running.say(&vec![b'['; 3 << 20]);
    assert!(running.answer()["error"].as_str().unwrap().contains("1048576"));
    // Long lines that are allowed.
    let padded = [query("a", 2), vec![b' '; (1 << 20) - 500]].concat();
    running.say(&padded);
    assert!(is_final(&running.answer(), "a"));
    running.say(b"\xff\xfe");
    assert!(running.answer()["error"].is_string());
    running.say(&query("b", 2));
    assert!(is_final(&running.answer(), "b"));
}

#[test]
fn a_reader_that_has_gone_ends_the_process() {
    let mut running = Running::start(&[]);
    running.say(&query("a", ENDLESS));
    drop(running.output.take());
    let (status, errors) = running.wait();
    assert!(status.success(), "{errors}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_process() {
    let mut running = Running::start(&[]);
    running.say(&query("a", 2));
    assert!(is_final(&running.answer(), "a"));
    running.say(&query("b", ENDLESS));
    let id = running.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let (status, errors) = running.wait();
    assert!(status.success(), "{status}: {errors}");
}

#[test]
fn the_command_line_of_katago_is_understood_and_what_has_no_effect_is_said() {
    let parameters = "maxVisits=3,homeDataDir=/home/x";
    let mut running = Running::start(&[
        "-model",
        "builtin:go9small",
        "-config",
        "no/such/file.cfg",
        "-human-model",
        "human.bin.gz",
        "-override-config",
        parameters,
    ]);
    running.say(br#"{"id":"a","rules":"chinese","boardXSize":9,"boardYSize":9,"moves":[]}"#);
    assert_eq!(running.answer()["rootInfo"]["visits"], 3);
    running.say(br#"{"id":"m","action":"query_models"}"#);
    assert_eq!(running.answer()["models"][0]["internalName"], "go9small");
    let (_, status, errors) = running.end();
    assert!(status.success());
    for told in ["file.cfg", "human.bin.gz", "homeDataDir"] {
        assert!(errors.contains(told), "{told}: {errors}");
    }
    assert!(!errors.contains("maxVisits"), "{errors}");
}

#[test]
fn what_cannot_be_used_is_said_before_it_begins() {
    for arguments in [
        &["-model", "no/such/net.bin.gz"][..],
        &["-analysis-threads", "0"],
        &["-override-config", "maxVisits"],
        &["-override-config", "maxVisits=none"],
        &["-nonsense"],
    ] {
        let (answers, status, errors) = Running::start(arguments).end();
        assert!(answers.is_empty() && !status.success() && !errors.is_empty(), "{arguments:?}");
    }
}
