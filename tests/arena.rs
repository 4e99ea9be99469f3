//! `tedomari match` with programs that do everything wrong, with clocks, and killed in the middle.

#![allow(clippy::print_stderr, reason = "stubs write there")]
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::disallowed_methods, reason = "the stub is told by its environment what to do")]

mod client;
mod skip;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use client::{run, tedomari, within};

/// What tells this program that it is the stub, and how to misbehave.
const STUB: &str = "TEDOMARI_TEST_STUB";

/// The line for `--player`: this very program as a GTP engine that always passes, and misbehaves
/// when it is asked for a move. What the test harness prints goes elsewhere.
fn stub(name: &str, how: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!(
        "name={name} gtp:sh -c '{STUB}={how} exec \"$0\" --exact the_stub --nocapture 3>&1 >&2' '{}'",
        program.display()
    )
}

/// What tells the stub where to write down what it hears.
const LOG: &str = "TEDOMARI_TEST_LOG";

/// Not a test: the stub itself.
#[test]
fn the_stub() {
    let Ok(how) = std::env::var(STUB) else { return };
    let mut out = fs::OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        if let Ok(path) = std::env::var(LOG) {
            let mut log = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
            let command = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
            writeln!(log, "{command}").unwrap();
        }
        let mut words = line.split_whitespace().peekable();
        let id = words.next_if(|word| word.parse::<u32>().is_ok()).unwrap_or_default().to_owned();
        let mut say = |text: &str| out.write_all(text.as_bytes()).unwrap();
        match words.next().unwrap_or_default() {
            "list_commands" => say(&format!("={id} {}\n\n", commands(&how))),
            word if how == "whole" && word.starts_with("time_") && line.contains('.') => {
                say(&format!("?{id} three integers, please\n\n"));
            }
            "boardsize" if how == "refuse" => say(&format!("?{id} unacceptable size\n\n")),
            "genmove" => misbehave(&how, &id, &mut say),
            "quit" => std::process::exit(0),
            _ => say(&format!("={id}\n\n")),
        }
    }
    std::process::exit(0);
}

/// What the stub says that it knows.
fn commands(how: &str) -> String {
    let more = match how {
        "plain" | "whole" => " time_settings time_left",
        "kgs" => " time_settings time_left kgs-time_settings kgs-rules",
        "kata" => " time_settings time_left kata-time_settings kata-set-rules",
        "none" => return String::new(),
        _ => "",
    };
    format!("boardsize clear_board komi play genmove{more}").replace(' ', "\n")
}

fn misbehave(how: &str, id: &str, say: &mut dyn FnMut(&str)) {
    let (what, milliseconds) = how.split_once(':').unwrap_or((how, "0"));
    let time = Duration::from_millis(milliseconds.parse().unwrap());
    match what {
        "crash" => {
            eprintln!("something terrible");
            std::process::exit(3);
        }
        "hang" => thread::sleep(Duration::from_secs(1000)),
        "sleep" => thread::sleep(time),
        "junk" => say("hello\n=77777 E5\n\nworld\n"),
        "endless" => loop {
            say("for ever and ever\n");
        },
        "flood" => {
            let line = "x".repeat(1000);
            (0..3000).for_each(|_| eprintln!("{line}"));
        }
        "illegal" => return say(&format!("={id} Z99\n\n")),
        "occupied" => return say(&format!("={id} C3\n\n")),
        "error" => return say(&format!("?{id} do not want to\n\n")),
        _ => {}
    }
    say(&format!("={id} pass\n\n"));
}

/// Plays a match of these players; the summary and the games by their numbers.
fn play(players: &[&str], args: &[&str], folder: &Path) -> (Value, BTreeMap<u64, Value>) {
    let mut all = vec!["match", "--json", "--out", folder.to_str().unwrap()];
    all.extend(players.iter().flat_map(|player| ["--player", player]));
    all.extend(args);
    let all: Vec<_> = all.into_iter().map(str::to_owned).collect();
    let said = within(Duration::from_secs(300), move || tedomari(&all).output().unwrap());
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    (serde_json::from_slice(&said.stdout).unwrap(), games(folder))
}

fn games(folder: &Path) -> BTreeMap<u64, Value> {
    let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let count = text.lines().count();
    let games: BTreeMap<_, _> = lines.map(|line| (line["game"].as_u64().unwrap(), line)).collect();
    assert_eq!(games.len(), count, "a game was played twice");
    games
}

const SMALL: [&str; 6] = ["--board", "5", "--openings", "none", "--games", "2"];

/// A match of two games between a good stub and one that does this at every move: each game is
/// lost for this reason, and the fault is named.
fn check_fault(how: &str, time: &str, reason: &str, (kind, detail): (&str, &str)) {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (stub("good", "well"), stub("bad", how));
    let openings = folder.path().join("openings.txt");
    fs::write(&openings, "C3\n").unwrap();
    let mut args = SMALL.to_vec();
    args.extend(["--time", time]);
    args[3] = openings.to_str().unwrap();
    let (summary, games) = play(&[&good, &bad], &args, &folder.path().join("out"));
    assert_eq!(games.len(), 2, "{how}");
    let lost = reason != "score";
    assert_eq!(summary["wins"][0] == 2, lost, "{how}: {summary}");
    for game in games.values() {
        assert_eq!(game["reason"], reason, "{how}: {game}");
        assert_eq!(
            game["winner"].as_u64() == Some(0),
            lost || game["winner"] == 0,
            "{how}: {game}"
        );
        let faults = game["faults"].as_array().unwrap();
        assert!(faults.iter().all(|fault| fault["player"] == 1), "{how}: {game}");
        let named = faults.iter().any(|fault| {
            fault["kind"] == kind && fault["detail"].as_str().unwrap().contains(detail)
        });
        assert!(named, "{how}: {game}");
    }
}

/// What a program that knows some commands hears in a game in which both pass.
fn heard(how: &str, args: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let listening =
        stub("listening", how).replacen(STUB, &format!("{LOG}={} {STUB}", log.display()), 1);
    let args = [&["--board", "5", "--games", "1", "--openings", "none"], args].concat();
    play(&[&listening, &stub("other", "well")], &args, &folder.path().join("out"));
    fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn programs_hear_what_they_know() {
    let check = |how: &str, args: &[&str], expected: &[&str]| {
        let lines = heard(how, args);
        let all = [&["list_commands", "boardsize 5", "clear_board"], expected].concat();
        assert_eq!(lines, [&all[..], &["play w pass", "quit"]].concat(), "{how} {args:?}");
    };
    check("well", &["--time", "fixed:2"], &["komi 7", "genmove b"]);
    let plain = |time: &str, expected: &[&str]| check("plain", &["--time", time], expected);
    plain("fixed:0.5", &["komi 7", "time_settings 0 0.5 1", "time_left b 0.5 1", "genmove b"]);
    plain("sudden:9", &["komi 7", "time_settings 9 0 0", "time_left b 9 0", "genmove b"]);
    plain("canadian:9+5/3", &["komi 7", "time_settings 9 3 5", "time_left b 9 0", "genmove b"]);
    plain("byoyomi:9+5x3", &["komi 7", "time_settings 9 3 1", "time_left b 9 0", "genmove b"]);
    plain("fischer:9+2", &["komi 7", "time_settings 9 0 0", "time_left b 9 0", "genmove b"]);
    plain("none", &["komi 7", "time_settings 0 1 0", "genmove b"]);
    let told =
        ["kgs-rules chinese", "komi 7", "kgs-time_settings byoyomi 0 3 5", "time_left b 3 5"];
    check("kgs", &["--time", "byoyomi:0+5x3"], &[&told[..], &["genmove b"]].concat());
    let told =
        ["kata-set-rules aga", "komi -3.5", "kata-time_settings fischer 9 2", "time_left b 9 0"];
    let args = ["--rules", "aga", "--komi", "-3.5", "--time", "fischer:9+2"];
    check("kata", &args, &[&told[..], &["genmove b"]].concat());
    // Without fractions: rounded down, or nothing where nothing would be left.
    let told = ["komi 7", "time_settings 2.5 0 0", "time_settings 2 0 0", "time_left b 2 0"];
    check("whole", &["--time", "sudden:2.5"], &[&told[..], &["genmove b"]].concat());
    let told = ["komi 7", "time_settings 0 0.5 1", "genmove b"];
    check("whole", &["--time", "fixed:0.5"], &told);
    // The simplest of programs are told nothing that they need not know.
    check("none", &["--time", "fixed:2"], &["komi 7", "genmove b"]);
}

#[test]
fn a_crash_is_named() {
    check_fault("crash", "none", "crash", ("crash", "ended with code 3"));
}

#[test]
fn a_hanging_program_is_killed() {
    check_fault("hang", "fixed:1", "hang", ("hang", "no answer to 'genmove"));
    // So is one that writes without end.
    check_fault("endless", "fixed:1", "hang", ("junk", "for ever and ever"));
}

#[test]
fn a_late_answer_loses() {
    check_fault("sleep:1300", "sudden:1", "time", ("late", "had 1.000 s"));
}

#[test]
fn junk_and_floods_are_survived() {
    check_fault("junk", "none", "score", ("junk", "'hello'"));
    check_fault("flood", "none", "score", ("flood", "standard error"));
}

#[test]
fn illegal_moves_and_refusals_lose() {
    check_fault("illegal", "none", "illegal", ("illegal", "answered 'Z99'"));
    check_fault("occupied", "none", "illegal", ("illegal", "C3: the point is occupied"));
    check_fault("error", "none", "illegal", ("refused", "do not want to"));
    check_fault("refuse", "none", "illegal", ("refused", "unacceptable size"));
}

#[test]
fn a_program_that_closes_its_output_loses() {
    let folder = tempfile::tempdir().unwrap();
    let script = "while read id word rest; do case $id$word in \
        *list_commands*) printf \"= boardsize genmove play\\n\\n\";; \
        *genmove*) exec >&-; sleep 1000;; \
        *) printf \"=$id\\n\\n\";; esac; done";
    let closing = format!("name=bad gtp:sh -c '{script}'");
    let (_, games) = play(&[&stub("good", "well"), &closing], &SMALL, folder.path());
    for game in games.values() {
        assert_eq!((&game["reason"], &game["winner"]), (&"crash".into(), &0.into()), "{game}");
        assert_eq!(game["faults"][0]["kind"], "closed", "{game}");
    }
}

#[test]
fn a_program_that_does_not_exist_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let said = run(
        tedomari(&[
            "match",
            "--player",
            "tedomari simulations=1",
            "--player",
            "gtp:/no/such/program",
            "--out",
            out.to_str().unwrap(),
        ]),
        b"",
    );
    assert!(!said.status.success());
    assert!(said.stderr.contains("cannot start /no/such/program"), "{}", said.stderr);
}

/// How the games end of a stub that answers this long after the question, with half a second for
/// each move.
fn reasons_after(milliseconds: u64) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let slow = stub("slow", &format!("sleep:{milliseconds}"));
    let args = [&SMALL[..], &["--time", "fixed:0.5", "--concurrency", "1"]].concat();
    let (_, games) = play(&[&slow, &stub("quick", "well")], &args, folder.path());
    games.values().map(|game| game["reason"].clone()).collect()
}

/// Who is 50 ms late loses every time. Who has 50 ms in hand does not: a stub may be kept waiting
/// for a processor now and then, but a referee that charges too much does so every time.
fn check_fifty_milliseconds() {
    let late = reasons_after(550);
    assert!(late.iter().all(|reason| reason == "time"), "{late:?}");
    let mut tries = Vec::new();
    for _ in 0..3 {
        tries.push(reasons_after(450));
        if tries.last().is_some_and(|last| last.iter().all(|reason| reason == "score")) {
            return;
        }
    }
    panic!("{tries:?}");
}

/// Runs something while all cores are busy.
fn loaded(job: impl FnOnce()) {
    let stop = Arc::new(AtomicBool::new(false));
    let cores = thread::available_parallelism().map_or(2, usize::from);
    let busy: Vec<_> = (0..cores)
        .map(|_| {
            let stop = Arc::clone(&stop);
            thread::spawn(move || while !stop.load(Ordering::Relaxed) {})
        })
        .collect();
    job();
    stop.store(true, Ordering::Relaxed);
    for thread in busy {
        thread.join().unwrap();
    }
}

#[test]
fn fifty_milliseconds_decide() {
    check_fifty_milliseconds();
    loaded(check_fifty_milliseconds);
}

/// Everything but times.
fn timeless(games: BTreeMap<u64, Value>) -> Vec<Value> {
    let strip = |mut game: Value| {
        game.as_object_mut().unwrap().remove("seconds");
        game
    };
    games.into_values().map(strip).collect()
}

const INSIDE: [&str; 2] = ["tedomari simulations=30", "tedomari simulations=15"];

#[test]
fn a_match_that_is_killed_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, torn) = (folder.path().join("whole"), folder.path().join("torn"));
    let args = ["--board", "7", "--games", "40", "--seed", "11"];
    let (summary, expected) = play(&INSIDE, &args, &whole);
    assert_eq!(summary["games"], 40);
    let mut killed = 0;
    loop {
        let players = INSIDE.iter().flat_map(|player| ["--player", player]);
        let mut command = tedomari(&["match", "--out", torn.to_str().unwrap()]);
        command.args(players).args(args);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let written = || {
            let text = fs::read_to_string(torn.join("games.jsonl")).unwrap_or_default();
            text.lines().count()
        };
        let (before, start) = (written(), Instant::now());
        // SIGKILL after a few more games.
        while written() < before + 5 && child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(100), "no games");
            thread::sleep(Duration::from_millis(1));
        }
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        if let Some(status) = ended {
            assert!(status.success());
            break;
        }
        killed += 1;
    }
    assert!(killed >= 2, "killed {killed} times");
    let (again, lines) = play(&INSIDE, &args, &torn);
    assert_eq!(timeless(lines), timeless(expected));
    for key in ["wins", "losses", "draws", "games", "pairs"] {
        assert_eq!(again[key], summary[key], "{key}");
    }
    // The same folder for another match is refused, by what differs.
    let mut other = tedomari(&["match", "--out", torn.to_str().unwrap(), "--seed", "12"]);
    other.args(INSIDE.iter().flat_map(|player| ["--player", player]));
    other.args(&args[..4]);
    let said = run(other, b"");
    assert!(!said.status.success() && said.stderr.contains("its seed is 11"), "{}", said.stderr);
}

/// What a network has said in one game is forgotten in the next: no game depends on those that were played
/// before it, or on how many at the same time.
#[test]
fn games_of_networks_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let all = |name: &str, concurrency: &str, kind: &[&str]| {
        let args = ["--games", "4", "--seed", "3", "--concurrency", concurrency];
        let (_, lines) = play(&NETS, &[&args[..], kind].concat(), &folder.path().join(name));
        timeless(lines)
    };
    for (game, kind) in [("go", &[][..]), ("nogo", &["--rules", "nogo"])] {
        let one = all(&format!("{game}-one"), "1", kind);
        let played: usize = one.iter().map(|line| line["moves"].as_array().unwrap().len()).sum();
        assert!(played > 100, "{played} moves");
        assert_eq!(one, all(&format!("{game}-two"), "2", kind), "{game}");
    }
}

/// Networks, in Go with games played to the end beside them; few simulations, in which the same positions
/// are reached in other ways.
const NETS: [&str; 2] = ["name=a tedomari simulations=24", "name=b tedomari simulations=16"];

#[test]
fn three_players_meet_in_nogo() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_tedomari");
    let outside =
        format!("name=outside gtp:{program} --set search.max_simulations=5 --set search.threads=1");
    let players = ["name=x tedomari simulations=5", "name=y tedomari simulations=2", &outside];
    let args = ["--game", "nogo", "--board", "5", "--games", "2", "--time", "sudden:60"];
    let (summary, games) = play(&players, &args, folder.path());
    assert_eq!((games.len(), &summary["faults"]), (6, &serde_json::json!([0, 0, 0])));
    for game in games.values() {
        assert!(game["winner"].is_u64(), "{game}");
        assert!(["no-move", "resignation"].contains(&game["reason"].as_str().unwrap()), "{game}");
        let simulations = game["simulations"].as_array().unwrap();
        assert!(simulations.iter().all(Value::is_u64), "a report from each move: {game}");
    }
    let info: Value =
        serde_json::from_slice(&fs::read(folder.path().join("match.json")).unwrap()).unwrap();
    assert_eq!((&info["schedule"], &info["rules"]), (&"round-robin".into(), &"nogo".into()));
}

#[test]
fn gnu_go_plays() {
    let program = Path::new("/usr/games/gnugo");
    if !program.is_file() {
        skip::skip("gnugo");
        return;
    }
    let gnugo = "gtp:/usr/games/gnugo --mode gtp --chinese-rules --level 1";
    let players = ["tedomari simulations=50", gnugo];
    let args =
        ["--board", "7", "--komi", "7", "--games", "2", "--time", "sudden:120", "--seed", "7"];
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [first, second] = folders.each_ref().map(|folder| play(&players, &args, folder.path()).1);
    for (one, other) in first.values().zip(second.values()) {
        assert_eq!(one["faults"], serde_json::json!([]), "{one}");
        assert_eq!(one["opening"], other["opening"]);
        assert_eq!((&one["black"], &one["white"]), (&other["black"], &other["white"]));
        assert_eq!(one["players"][1], "gnugo");
    }
}

#[test]
fn children_do_not_outlive_a_match() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("1{}", std::process::id());
    // A shell that starts a process of its own and waits for it.
    let nested = format!(
        "name=nested gtp:sh -c 'sleep {mark} & {}'",
        "while read l; do printf \"=\\n\\n\"; done"
    );
    play(&[&stub("good", "well"), &nested], &SMALL, folder.path());
    let found = Command::new("sh")
        .args(["-c", &format!("ps ax | grep -v grep | grep -q 'sleep {mark}'")])
        .status()
        .unwrap();
    assert!(!found.success(), "sleep {mark} lives on");
}
