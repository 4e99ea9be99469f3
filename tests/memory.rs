//! The whole process keeps to `memory.limit`, and to the limit of its control group, through games and analyses.
//!
//! `TEDOMARI_SOAK` sets for how many seconds each of them goes on; `.ci/full` asks for twenty minutes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::print_stderr, reason = "figures for people, shown with --nocapture")]
#![allow(clippy::disallowed_methods, reason = "tests measure time")]
#![cfg(target_os = "linux")]

mod client;
mod skip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use client::{Client, memory, tedomari};

const MIB: u64 = 1 << 20;

/// One at a time: each keeps all cores busy.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn soak() -> Duration {
    let seconds = std::env::var("TEDOMARI_SOAK").map_or(20.0, |text| text.parse().unwrap());
    Duration::from_secs_f64(seconds)
}

/// Threads and open files.
fn handles(process: &str) -> [usize; 2] {
    let count = |what| fs::read_dir(format!("/proc/{process}/{what}")).unwrap().count();
    [count("task"), count("fd")]
}

/// Games and analyses on 19x19, until the time is over. The number of threads and files stays what it was after the
/// first minutes of both.
fn play(engine: &mut Client, time: Duration) -> (u32, u32) {
    let process = engine.process_id().to_string();
    let begin = Instant::now();
    let (mut moves, mut analyses, mut before) = (0, 0, None);
    engine.ask("boardsize 19");
    while begin.elapsed() < time {
        let answer = engine.ask(["genmove b", "genmove w"][moves as usize % 2]);
        moves += 1;
        if moves % 10 == 0 {
            // Longer as time goes on, so that trees become full.
            let length = begin.elapsed().div_f64(10.0).clamp(Duration::from_secs(1), time / 4);
            engine.send("kata-analyze 50");
            thread::sleep(length);
            engine.ask("name");
            engine.answer();
            analyses += 1;
            engine.ask("undo");
            moves += 1;
            let now = handles(&process);
            assert_eq!(now, *before.get_or_insert(now), "threads and files");
        }
        if moves % 120 == 0 || answer == "resign" {
            engine.ask("clear_board");
            moves += moves % 2;
        }
    }
    (moves, analyses)
}

/// Plays with these settings, and returns the highest memory in MiB.
fn peak(settings: &[&str], prepare: impl FnOnce(Command) -> Command) -> f64 {
    let common =
        ["--set", "time.seconds_per_move=1", "--set", "play.resign=false", "--board", "19"];
    let mut engine = Client::start(prepare(tedomari(&[&common, settings].concat())));
    let begin = Instant::now();
    let (moves, analyses) = play(&mut engine, soak());
    let process = engine.process_id().to_string();
    let [peak, threads] = [memory(&process, "VmHWM").unwrap(), handles(&process)[0] as u64];
    let peak = peak as f64 / MIB as f64;
    // There is none behind an `undo`.
    let report = engine.try_ask("tedomari-search-report").unwrap_or_default();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap_or_default();
    eprintln!(
        "{settings:?}: {:.0} s, {moves} moves, {analyses} analyses, {threads} threads, last tree \
         {} bytes, peak {peak:.0} MiB",
        begin.elapsed().as_secs_f64(),
        report["memory"],
    );
    engine.ask("quit");
    assert!(engine.wait(client::PATIENCE).success());
    peak
}

#[test]
fn the_whole_process_keeps_to_its_limit() {
    let _alone = alone();
    for limit in [256, 1024] {
        let setting = format!("memory.limit={limit}");
        let peak = peak(&["--set", "search.threads=2", "--set", &setting], |command| command);
        assert!(peak <= 1.1 * f64::from(limit), "{peak} of {limit} MiB");
    }
}

#[test]
fn a_client_cannot_raise_the_tree_over_the_limit() {
    let _alone = alone();
    let mut engine = Client::start(tedomari(&["--set", "memory.limit=200", "--board", "5"]));
    engine.ask("tedomari-set-config search.max_memory 30000");
    engine.try_ask("tedomari-set-config memory.limit 30000").unwrap_err();
    engine.ask("tedomari-set-config search.max_simulations 2000000");
    engine.ask("tedomari-set-config time.seconds_per_move 10");
    engine.ask("tedomari-game nogo");
    engine.send("genmove b");
    engine.answer_within(Duration::from_secs(60)).text.unwrap();
    let peak = memory(&engine.process_id().to_string(), "VmHWM").unwrap();
    assert!(peak < 220 * MIB, "{} MiB", peak / MIB);
}

/// A control group below the own one, which is removed at the end.
struct Group(PathBuf);

impl Group {
    /// One with so much memory, if there can be one; of version 1 or 2.
    fn with_memory(bytes: u64) -> Option<Self> {
        Self::new("memory", ["memory.limit_in_bytes", "memory.max"], bytes)
    }

    /// One with a limit that is called like this in version 1 or 2.
    fn new(controller: &str, names: [&str; 2], limit: u64) -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let root = Path::new("/sys/fs/cgroup");
        let find = |root: PathBuf, mark: &str, file: &str| {
            let line =
                own.lines().find(|line| line.split(':').nth(1).is_some_and(|c| c == mark))?;
            let path = line.splitn(3, ':').nth(2)?.trim_start_matches('/');
            let group = root.join(path).join(format!("tedomari-{}", std::process::id()));
            fs::create_dir(&group).ok()?;
            let group = Self(group);
            fs::write(group.0.join(file), limit.to_string()).ok()?;
            Some(group)
        };
        find(root.join(controller), controller, names[0])
            .or_else(|| find(root.to_owned(), "", names[1]))
    }

    /// The program in the group.
    fn enter(&self, engine: &Command) -> Command {
        // A shell joins it before it becomes the engine.
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo $$ > \"$0\"/cgroup.procs && exec \"$@\""]).arg(&self.0);
        shell.arg(engine.get_program()).args(engine.get_args());
        shell
    }

    /// A number that the system tells of the group, under its name in version 1 or 2.
    fn number(&self, names: [&str; 2]) -> Option<u64> {
        names
            .iter()
            .find_map(|name| fs::read_to_string(self.0.join(name)).ok()?.trim().parse().ok())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for _ in 0..100 {
            // A process that has ended may be there for a moment.
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// With the defaults, in a container of 256 MB.
#[test]
fn a_small_control_group_is_enough_for_games_and_analyses() {
    let _alone = alone();
    let Some(group) = Group::with_memory(256 * MIB) else {
        skip::skip("a control group that can be made");
        return;
    };
    let peak = peak(&[], |engine| group.enter(&engine));
    let highest = group.number(["memory.max_usage_in_bytes", "memory.peak"]);
    let killed = fs::read_to_string(group.0.join("memory.oom_control"))
        .or_else(|_| fs::read_to_string(group.0.join("memory.events")))
        .unwrap();
    let failures = group.number(["memory.failcnt", "memory.failcnt"]);
    eprintln!("{}: at most {highest:?} bytes, refused {failures:?}: {killed}", group.0.display());
    let kills = killed.lines().find_map(|line| line.strip_prefix("oom_kill "));
    assert_eq!(kills, Some("0"));
    // The default is half of so little.
    assert!(peak <= 1.1 * 128.0, "{peak} MiB");
}

#[test]
fn threads_that_the_system_does_not_give_are_done_without() {
    let _alone = alone();
    // The program needs five to be there, and a sixth to search until a deadline.
    for threads in 1..=12 {
        let Some(group) = Group::new("pids", ["pids.max", "pids.max"], threads) else {
            skip::skip("a control group that can be made");
            return;
        };
        let settings = ["--set", "search.threads=16", "--set", "search.max_simulations=300"];
        let engine = tedomari(&[&settings[..], &["--board", "5", "--log-level", "warn"]].concat());
        let said = client::run(group.enter(&engine), b"genmove b\nname\n");
        let lives = said.stdout.contains("= Tedomari");
        assert_eq!(lives, said.status.success(), "{threads} threads: {said:?}");
        assert_eq!(lives, threads >= 5, "{threads} threads: {said:?}");
        assert_eq!(said.stdout.starts_with("= "), threads >= 6, "{threads} threads: {said:?}");
        let told = [&said.stderr, &said.stdout].iter().any(|text| text.contains("threads"));
        assert!(told, "{threads} threads: {said:?}");
    }
}
