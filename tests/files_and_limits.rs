//! Files, pipes and limits that once made the program hang, die or lose something.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::disallowed_methods, reason = "time-outs read the clock")]
#![cfg(unix)]

mod client;
mod skip;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use client::{PATIENCE, run, tedomari};

/// Games on 5x5, one on each line.
fn records() -> String {
    let game = |n: u8| {
        let point = |i: u8| {
            let at = (n + [1, 2, 3, 4, 6, 7, 8, 9][usize::from(n % 8)] * i) % 25;
            [b'a' + at % 5, b'a' + at / 5].map(char::from).iter().collect::<String>()
        };
        let moves: Vec<_> =
            (0..10).map(|i| format!(";{}[{}]", ["B", "W"][usize::from(i % 2)], point(i))).collect();
        format!("(;SZ[5]KM[{n}.5]RE[B+R]{})\n", moves.concat())
    };
    (0..60).map(game).collect()
}

/// All files of a folder and of those below it.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(contents(&path));
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    files
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn half_an_import_looked_whole() {
    let folder = tempfile::tempdir().unwrap();
    let [games, out] = ["games.sgfs", "out"].map(|name| folder.path().join(name));
    fs::write(&games, records()).unwrap();
    let (games, out_text) = (text(&games), text(&out));
    let import = [
        "record",
        "import",
        "--out",
        &out_text,
        "--holdout",
        "0.2",
        "--games-per-shard",
        "8",
        &games,
    ];
    assert!(run(tedomari(&import), b"").status.success());
    let whole = contents(&out);
    assert!(whole.len() > 4);
    // As a kill would leave it: the mark is there, and the last shard and the games that are held out are not.
    for folder in [out.clone(), out.join("holdout")] {
        fs::write(folder.join("UNFINISHED"), "").unwrap();
    }
    let shards: Vec<_> = whole.keys().filter(|path| path.extension().is_some()).collect();
    for shard in &shards[shards.len() / 2..] {
        fs::remove_file(shard).unwrap();
    }
    fs::write(out.join(".tedomari-abcdef.tmp"), b"half").unwrap();
    let net = text(&folder.path().join("net"));
    for reader in
        [vec!["record", "info", &out_text], vec!["train", "--data", &out_text, "--out", &net]]
    {
        let said = run(tedomari(&reader), b"");
        assert!(
            !said.status.success() && said.stderr.contains("has not finished"),
            "{}",
            said.stderr
        );
    }
    assert!(run(tedomari(&import), b"").status.success());
    assert_eq!(contents(&out), whole);
}

#[test]
fn a_match_erased_a_file_that_was_not_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (games, out) = (folder.path().join("games.jsonl"), text(folder.path()));
    for mine in ["something of mine\n", "half a line", "{\"game\":1}\n"] {
        fs::write(&games, mine).unwrap();
        let player = ["--player", "tedomari simulations=1"];
        let args =
            [&["match", "--board", "5", "--games", "2", "--out", &out], &player[..], &player]
                .concat();
        let said = run(tedomari(&args), b"");
        assert!(
            !said.status.success() && said.stderr.contains("name another folder"),
            "{}",
            said.stderr
        );
        assert_eq!(fs::read_to_string(&games).unwrap(), mine);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is made");
    }
}

/// Whatever reads a file that was named, with the file as its last word.
const READERS: [&str; 9] = [
    "--config",
    "--net",
    "--set time.stop_profile=",
    "--set time.table=",
    "net verify",
    "record info",
    "record import --out OUT",
    "timetable --out OUT",
    "match --board 5 --games 2 --out OUT --player tedomari --player tedomari --openings",
];

#[test]
fn files_that_have_nothing_to_say_yet_are_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    // Records have names that end like this.
    let [pipe, messages] = ["pipe.sgf", "kmsg.sgf"].map(|name| text(&folder.path().join(name)));
    let mut files = vec![];
    if Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        files.push(pipe);
    } else {
        skip::skip("mkfifo");
    }
    if fs::File::open("/proc/kmsg").is_ok() {
        std::os::unix::fs::symlink("/proc/kmsg", &messages).unwrap();
        files.push(messages);
    } else {
        skip::skip("/proc/kmsg");
    }
    for file in &files {
        for reader in READERS {
            let mut words: Vec<_> = reader.split(' ').map(str::to_owned).collect();
            match words.last_mut().filter(|last| last.ends_with('=')) {
                Some(last) => last.push_str(file),
                None => words.push(file.clone()),
            }
            let out = text(&folder.path().join("out"));
            let words: Vec<_> = words.iter().map(|word| word.replace("OUT", &out)).collect();
            // `run` does not wait long.
            let said = run(tedomari(&words), b"name\n");
            let complains = format!("{}{}", said.stdout, said.stderr).contains(file.as_str());
            // Without a stop profile that can be read, games go on.
            let refused = !said.status.success() || reader.contains("stop_profile");
            assert!(complains && refused, "{words:?}: {said:?}");
        }
        let said = run(tedomari::<&str>(&[]), format!("loadsgf {file}\nname\n").as_bytes());
        assert!(
            said.stdout.contains("? cannot load file") && said.stdout.contains("= Tedomari"),
            "{}",
            said.stdout
        );
    }
}

#[test]
fn a_limit_of_memory_that_cannot_be_kept_was_accepted() {
    let said = run(tedomari(&["--set", "memory.limit=20"]), b"name\n");
    assert!(!said.status.success() && said.stderr.contains("allow more"), "{}", said.stderr);
}

#[test]
fn a_limit_of_file_sizes_ended_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let mut shell = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_tedomari");
    shell.args(["-c", "ulimit -f 0; exec \"$0\" --set gtp.files=any", program]);
    let record = text(&folder.path().join("a.sgf"));
    let said = run(shell, format!("printsgf {record}\nname\n").as_bytes());
    assert!(
        said.status.success()
            && said.stdout.starts_with("? ")
            && said.stdout.contains("= Tedomari"),
        "{said:?}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn every_row_of_what_a_client_can_do_has_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/operating.md")).unwrap();
    let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() >= 10, "{rows:?}");
    for row in rows {
        let tests = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        for test in tests.split(", ") {
            let (file, name) = test.trim_matches('`').split_once(": ").unwrap();
            let source = fs::read_to_string(root.join(format!("tests/{file}.rs"))).unwrap();
            assert!(source.contains(&format!("fn {name}()")), "{test} of the row {row}");
        }
    }
}

#[test]
fn a_pipe_as_a_log_needs_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = text(&folder.path().join("log"));
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        skip::skip("mkfifo");
        return;
    }
    let said = run(tedomari(&["--log-file", &pipe, "--log-level", "debug"]), b"name\n");
    assert!(
        !said.status.success() && said.stderr.contains("a pipe needs a reader"),
        "{}",
        said.stderr
    );
    // One who does not read is not waited for.
    let reader = Command::new("sh").args(["-c", "exec 3<\"$0\"; sleep 60", &pipe]).spawn();
    let mut reader = reader.unwrap();
    let lines = b"name\n".repeat(5_000);
    let answered = |said: &client::Said| said.stdout.matches("= Tedomari").count() == 5_000;
    let said = loop {
        let said = run(tedomari(&["--log-file", &pipe, "--log-level", "debug"]), &lines);
        if said.status.success() || reader.try_wait().unwrap().is_some() {
            break said;
        }
    };
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert!(answered(&said), "{}", said.stderr);
}

/// Waits for the end of a process.
fn ended(child: &mut std::process::Child, time: Duration) -> Option<ExitStatus> {
    let begin = Instant::now();
    while begin.elapsed() < time {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(20));
    }
    None
}

#[test]
fn answers_that_nobody_read_kept_the_process_alive() {
    let mut child = tedomari::<&str>(&[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than a pipe takes.
    thread::spawn(move || {
        let _ = input.write_all(&b"list_commands\n".repeat(200));
        let _ = input.write_all(b"quit\n");
    });
    let end = ended(&mut child, PATIENCE);
    let _ = child.kill();
    assert!(end.is_some(), "it waits for ever");
}
