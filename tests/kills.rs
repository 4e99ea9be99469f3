//! Work that is killed at any moment and begun again ends as if nothing had happened.
//!
//! The processes run in a pid namespace of their own where the system allows it, as in a container: there every process has
//! the same number. `TEDOMARI_KILLS` sets how many kills there are; `.ci/full` asks for a hundred.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::disallowed_methods, reason = "moments of kills are times")]
#![allow(clippy::print_stderr, reason = "figures for people, shown with --nocapture")]
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;

/// The program, in a pid namespace of its own if there can be one.
fn command(apart: bool, arguments: &[String]) -> Command {
    let program = env!("CARGO_BIN_EXE_tedomari");
    let mut command = if apart { Command::new("unshare") } else { Command::new(program) };
    if apart {
        command.args(["--pid", "--fork", "--kill-child", "--mount-proc", program]);
    }
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn can_be_apart() -> bool {
    let tried = command(true, &["--version".to_owned()]).status();
    tried.is_ok_and(|status| status.success())
}

/// Runs to the end.
fn run(apart: bool, arguments: &[String]) {
    let output = command(apart, arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
}

/// All files of a folder and of those below it, by their way from it.
fn contents(root: &Path, folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(contents(root, &path));
        } else {
            files.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(path).unwrap());
        }
    }
    files
}

/// What became of a match, without what depends on the clock.
fn games(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let mut games = BTreeMap::new();
    for line in text.lines() {
        let game: Value = serde_json::from_str(line).unwrap();
        let told = ["black", "white", "result", "moves", "simulations"].map(|key| &game[key]);
        let name = PathBuf::from(game["game"].to_string());
        let record = folder.join(format!("sgf/{:06}.sgf", game["game"].as_u64().unwrap()));
        assert!(record.is_file(), "{game}");
        assert_eq!(games.insert(name, format!("{told:?}").into_bytes()), None, "played twice");
    }
    games
}

/// Something that takes a while and writes into a folder.
struct Work {
    name: &'static str,
    arguments: Vec<String>,
    results: fn(&Path) -> BTreeMap<PathBuf, Vec<u8>>,
}

fn all(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    contents(folder, folder)
}

/// The network that was trained.
fn network(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = all(folder);
    files.retain(|path, _| path.ends_with("net.safetensors"));
    files
}

/// Everything that is to be killed; the games to learn from are made in `root`.
fn works(root: &Path) -> Vec<Work> {
    let path = |name: &str| root.join(name).to_str().unwrap().to_owned();
    let words = |line: &str| -> Vec<String> {
        let here = |word: &str| word.replace("HERE", root.to_str().unwrap());
        line.split_whitespace().map(here).collect()
    };
    let nogo = "--game nogo --board 7 --set selfplay.threads=1 --set selfplay.considered=0";
    let selfplay = format!("selfplay --playouts {nogo} --set selfplay.simulations=60");
    run(false, &words(&format!("{selfplay} --games 16 --games-per-file 8 --out HERE/games")));
    let letter = |i: u64| char::from(b'a' + u8::try_from(i).unwrap());
    let record = |n: u64| {
        // All steps have no divisor in common with 81: no game comes to a point twice.
        let step = 1 + (n / 81 % 54) / 2 * 3 + n / 81 % 2;
        let point = |i: u64| (n + i * step) % 81;
        let mv = |i: u64| {
            let color = if i.is_multiple_of(2) { 'B' } else { 'W' };
            format!(";{color}[{}{}]", letter(point(i) % 9), letter(point(i) / 9))
        };
        format!("(;SZ[9]KM[{n}.5]RE[B+R]{})\n", (0..60).map(mv).collect::<String>())
    };
    fs::write(path("records.sgfs"), (0..3_000).map(record).collect::<String>()).unwrap();
    let player = |name: &str| format!("name={name} tedomari simulations=40 net.path=none");
    let mut contest = words("match --game nogo --board 7 --games 40 --concurrency 1 --seed 3");
    for name in ["a", "b"] {
        contest.extend(["--player".to_owned(), player(name)]);
    }
    vec![
        Work { name: "match", arguments: contest, results: games },
        Work {
            name: "selfplay",
            arguments: words(&format!("{selfplay} --games 40 --games-per-file 4")),
            results: all,
        },
        Work {
            name: "train",
            arguments: words(
                "train --data HERE/games --shape 2x16 --steps 200 --batch 32 --threads 1 --name net \
                 --set train.checkpoint_minutes=0.005 --set train.validate_rows=0",
            ),
            results: network,
        },
        Work {
            name: "import",
            arguments: words("record import HERE/records.sgfs --holdout 0.2 --games-per-shard 100"),
            results: all,
        },
        Work {
            name: "traces",
            arguments: words(
                "uncertainty generate --net builtin:nogo9small --game nogo --board 9 --games 6 \
                 --games-per-file 1 --set uncertainty.simulations=16 --set uncertainty.threads=1 \
                 --set selfplay.threads=1 --set selfplay.simulations=8 --set selfplay.considered=0",
            ),
            results: all,
        },
        Work {
            name: "label",
            arguments: words(
                "record label HERE/games --teacher builtin:untrained --games-per-file 1 --holdout 0.3 \
                 --threads 1 --variants 12",
            ),
            results: all,
        },
        Work { name: "store", arguments: words("store put HERE/games"), results: all },
    ]
}

impl Work {
    /// The arguments with the folder that it writes into.
    fn with_folder(&self, out: &Path) -> Vec<String> {
        let out = out.to_str().unwrap().to_owned();
        let out = match self.name {
            "store" => vec![format!("file://{out}")],
            _ => vec!["--out".to_owned(), out],
        };
        [self.arguments.clone(), out].concat()
    }
}

#[test]
fn what_was_killed_goes_on_to_the_same_end() {
    let kills = std::env::var("TEDOMARI_KILLS").map_or(12, |text| text.parse().unwrap());
    let root = tempfile::tempdir().unwrap();
    let apart = can_be_apart();
    let works = works(root.path());
    let mut rng = rand::rngs::SmallRng::seed_from_u64(7);
    let whole: Vec<_> = works
        .iter()
        .map(|work| {
            let out = root.path().join(format!("whole-{}", work.name));
            let begin = Instant::now();
            run(apart, &work.with_folder(&out));
            (begin.elapsed(), (work.results)(&out))
        })
        .collect();
    for kill in 0..kills {
        let (work, (time, expected)) = (&works[kill % works.len()], &whole[kill % works.len()]);
        let out = root.path().join(format!("killed-{kill}"));
        let arguments = work.with_folder(&out);
        let mut child = command(apart, &arguments).spawn().unwrap();
        let moment = time.mul_f64(rng.random_range(0.0..1.0));
        thread::sleep(moment);
        let mut errors = child.stderr.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        // With `unshare` the program itself ends a moment later. Then nobody can write there any more, and its
        // locks are gone a moment after that.
        errors.read_to_end(&mut Vec::new()).unwrap();
        thread::sleep(Duration::from_millis(50));
        // An import that had finished before the kill is refused, as it should be.
        let shards = out.join("000000.shard").exists();
        let finished = work.name == "import" && shards && !out.join("UNFINISHED").exists();
        if !finished {
            run(apart, &arguments);
        }
        assert!(
            (work.results)(&out) == *expected,
            "{} killed after {moment:?} of {time:?} ends with something else",
            work.name
        );
        for path in all(&out).keys() {
            let name = path.file_name().unwrap().to_str().unwrap();
            let stale =
                name.starts_with(".tedomari-") || name.contains('#') || name == "UNFINISHED";
            assert!(!stale, "{} killed after {moment:?} leaves {}", work.name, path.display());
        }
        fs::remove_dir_all(&out).unwrap();
    }
    for (work, (time, _)) in works.iter().zip(&whole) {
        eprintln!("{}: {time:?} undisturbed", work.name);
    }
    eprintln!("{kills} kills, in a pid namespace of their own: {apart}");
}
