//! The lab on a few games: interrupted work goes on, and pages show what the JSON says.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "../../../tests/browser/mod.rs"]
mod browser;
#[path = "../../../tests/skip/mod.rs"]
mod skip;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use clap::Parser as _;
use regex::Regex;
use serde_json::Value;
use tedomari::app::import::{self, IMPORT_SEED, ImportSpec};
use tedomari::cli::Cli;
use tedomari::record::Filters;
use tempfile::TempDir;

use browser::{WINDOWS, in_window, opened};

/// Games in which both fill the board from opposite sides; who is said to have won alternates.
fn records(folder: &Path) -> PathBuf {
    let mut text = String::new();
    for game in 0..12u8 {
        let mut moves = String::new();
        for ply in 0..24u8 {
            let color = if ply % 2 == 0 { 'B' } else { 'W' };
            let place = (ply / 2 * 3 + game) % 36;
            let (x, y) = (place % 9, place / 9);
            let y = if ply % 2 == 0 { y } else { 8 - y };
            write!(moves, ";{color}[{}{}]", char::from(b'a' + x), char::from(b'a' + y)).unwrap();
        }
        let winner = if game % 3 == 0 { "W" } else { "B" };
        let komi = if game % 2 == 0 { "7" } else { "6.5" };
        writeln!(text, "(;GM[1]SZ[9]KM[{komi}]RU[Chinese]RE[{winner}+R]{moves})").unwrap();
    }
    let path = folder.join("games.sgfs");
    fs::write(&path, text).unwrap();
    path
}

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tedomari-lab")).args(arguments).output().unwrap()
}

/// Writes an untrained network.
fn untrained(net: &str) {
    let words = ["tedomari", "net", "init", net, "--shape", "1x8"];
    Cli::try_parse_from(words).unwrap().run().unwrap();
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Compares every number and word that is marked, and returns how many there were.
fn compare(dom: &str, found: &Value) -> usize {
    let marked = Regex::new(r#"<span data-key="([^"]*)">([^<]*)</span>"#).unwrap();
    let plain = |text: &str| {
        let text = text.replace("&lt;", "<").replace("&gt;", ">");
        text.replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
    };
    let mut count = 0;
    for shown in marked.captures_iter(dom) {
        let key = plain(&shown[1]);
        let value = found.pointer(&key).unwrap_or_else(|| panic!("{key} is not in the JSON"));
        let expected = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) if number.is_f64() => format!("{:.3}", number.as_f64().unwrap()),
            other => other.to_string(),
        };
        assert_eq!(plain(&shown[2]), expected, "{key}");
        count += 1;
    }
    count
}

fn check_page(page: &Path, found: &Value, least: usize) {
    let Some(dom) = opened(page) else { return };
    let count = compare(&dom, found);
    assert!(count >= least, "only {count} numbers are marked");
    for window in WINDOWS {
        let (width, odd) = in_window(page, window).unwrap();
        assert!(width <= window, "the page is {width} px wide in a window of {window}");
        assert!(!odd, "the page shows a number that is none");
    }
}

#[test]
fn the_page_of_a_study_shows_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let (records, out) = (records(folder.path()), folder.path().join("out"));
    let arguments = [
        "metrics",
        "--records",
        records.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--positions",
        "150",
        "--least",
        "5",
        "--evaluator",
        "mc:300",
        "--evaluator",
        "mc-score:300",
        "--evaluator",
        "uct:30",
        "--evaluator",
        "first=60 uct:60",
        "--json",
    ];
    let study = json(&lab(&arguments));
    assert_eq!(study["rows"].as_array().unwrap().len(), 4);
    assert_eq!(study["rows"][3]["metrics"]["positions"], 60);
    let gains: Vec<_> = study["gains"].as_array().unwrap().iter().collect();
    let names: Vec<_> = gains.iter().map(|gain| (&gain["from"], &gain["to"])).collect();
    assert_eq!(
        names,
        [(&"mc-score:300".into(), &"mc:300".into()), (&"uct:30".into(), &"uct:60".into())]
    );
    assert_eq!([&gains[0]["positions"], &gains[1]["positions"]], [150, 60]);
    let scores = &study["rows"][0]["metrics"]["scores"];
    for name in ["acc", "fsc", "lft", "roc", "apr", "bep"] {
        let part = |field: &str| scores[name][field].as_f64().unwrap();
        assert!(part("low") <= part("value") && part("value") <= part("high"), "{name}");
    }
    let written: Value =
        serde_json::from_slice(&fs::read(out.join("study.json")).unwrap()).unwrap();
    assert_eq!(written, study);
    assert_eq!(study, json(&lab(&arguments)), "a second run says something else");
    check_page(&out.join("report.html"), &study, 60);
    for file in ["metrics.csv", "curves.csv"] {
        assert!(fs::read_to_string(out.join(file)).unwrap().lines().count() > 3, "{file}");
    }
    let drawings = fs::read_dir(&out).unwrap().filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "svg")
    });
    assert!(drawings.count() >= 6);
}

fn experiments(folder: &TempDir) -> PathBuf {
    let records = records(folder.path());
    let records = records.to_str().unwrap();
    let experiments = folder.path().join("experiments");
    fs::create_dir(&experiments).unwrap();
    let study = format!(
        "about = \"a study\"\n[study]\nrecords = [{records:?}]\ngames = 100\npositions = 100\n\
         least = 5\nevaluators = [\"mc:200\", \"uct:20\"]\n"
    );
    fs::write(experiments.join("study.toml"), study).unwrap();
    fs::write(experiments.join("wls.toml"), "about = \"WLS\"\n[wls]\nrepetitions = 400\n").unwrap();
    let time = "about = \"clocks\"\nsettings = [[\"game.board_size\", \"5\"]]\n[time]\n\
                tables = [\"I\", \"II\", \"V\", \"fixed\", \"length\"]\ngames = 4\nsimulations = 400\nplayer = \"net.path=none\"\n\
                opponent = \"EXP-STONES\"\n";
    fs::write(experiments.join("time.toml"), time).unwrap();
    let contest = "about = \"a match\"\nsettings = [[\"game.board_size\", \"5\"], [\"net.path\", \"none\"]]\n\
                   [[match]]\nname = \"short\"\nclaims = [\"A32\"]\nabout = \"20 against 40\"\ngames = 4\n\
                   first = \"name=a tedomari simulations=20 threads=1\"\npaper = 34.0\n\
                   second = \"name=b tedomari simulations=40 threads=1\"\n";
    fs::write(experiments.join("contest.toml"), contest).unwrap();
    let net = folder.path().join("tiny.safetensors");
    let net = net.to_str().unwrap();
    untrained(net);
    let settings = [
        ["game.kind", "nogo"],
        ["game.board_size", "5"],
        ["net.path", net],
        ["uncertainty.simulations", "40"],
        ["uncertainty.steps", "6"],
        ["uncertainty.batch", "8"],
        ["uncertainty.held_out", "0.5"],
        ["selfplay.simulations", "4"],
        ["selfplay.considered", "0"],
    ];
    let stopping = format!(
        "about = \"stopping\"\nsettings = {settings:?}\n[uncertainty]\ngames = 24\nafter = [10, 20]\n\
         checkpoints = [10, 20]\n"
    );
    fs::write(experiments.join("stopping.toml"), stopping).unwrap();
    experiments
}

#[test]
fn all_goes_on_where_it_was_stopped_to_the_same_report() {
    let folder = tempfile::tempdir().unwrap();
    let experiments = experiments(&folder);
    let all = |out: &Path, budget: &str| {
        let (experiments, out) = (experiments.to_str().unwrap(), out.to_str().unwrap());
        json(&lab(&[
            "all",
            "--experiments",
            experiments,
            "--out",
            out,
            "--budget",
            budget,
            "--json",
        ]))
    };
    let read = |out: &Path| -> Value {
        serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap()
    };
    let (once, again) = (folder.path().join("once"), folder.path().join("again"));
    assert_eq!(all(&once, "1h")["missing"].as_array().unwrap().len(), 0);
    fs::create_dir(&again).unwrap();
    assert_eq!(all(&again, "0s")["missing"].as_array().unwrap().len(), 5);
    // A part of the values is there, and the last line of them is torn.
    let values = again.join("study/values");
    fs::create_dir_all(&values).unwrap();
    for entry in fs::read_dir(once.join("study/values")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let half = &text[..text.len() / 2];
        fs::write(values.join(path.file_name().unwrap()), half).unwrap();
    }
    assert_eq!(all(&again, "1h")["missing"].as_array().unwrap().len(), 0);
    let report = read(&once);
    assert_eq!(report, read(&again));
    for id in [
        "A07", "A16", "A29", "A32", "A39", "B12", "B14", "B16", "C20", "C24", "C25", "C37", "D16",
        "D24",
    ] {
        let line = report["lines"].as_array().unwrap().iter().find(|line| line["id"] == id);
        assert_ne!(line.unwrap()["verdict"], "not measured yet", "{id}");
    }
    for table in ["I", "II", "V", "fixed", "length"] {
        assert!(once.join(format!("time/matches/times-{table}.svg")).is_file(), "{table}");
    }
    // The claims were 8,969 px wide in a window of 1,600.
    check_page(&once.join("report.html"), &report, 141 * 6);
    // Another description is another experiment.
    fs::write(experiments.join("wls.toml"), "about = \"WLS\"\n[wls]\nrepetitions = 401\n").unwrap();
    let none = all(&again, "0s");
    assert_eq!(none["missing"], serde_json::json!(["wls"]));
}

/// A match or a training that had begun was done to its end: of a budget of seconds became minutes or hours.
#[test]
#[expect(clippy::disallowed_methods, reason = "a budget is of real time")]
fn all_ends_within_its_budget_and_says_how_long_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let records = records(folder.path());
    let net = folder.path().join("tiny.safetensors");
    let net = net.to_str().unwrap();
    untrained(net);
    let contest = "about = \"x\"\n[[match]]\nname = \"long\"\nclaims = [\"A32\"]\nabout = \"x\"\ngames = 400\n\
                   first = \"name=a tedomari simulations=300 threads=1 net.path=none\"\n\
                   second = \"name=b tedomari simulations=2000 threads=1 net.path=none\"\n";
    let study = format!(
        "about = \"x\"\n[study]\nrecords = [{:?}]\ngames = 100\npositions = 200\nleast = 5\n\
         evaluators = [\"uct:100000\"]\n",
        records.to_str().unwrap()
    );
    let settings = [
        ["game.kind", "nogo"],
        ["game.board_size", "5"],
        ["net.path", net],
        ["uncertainty.simulations", "40"],
        ["uncertainty.steps", "1000000"],
        ["uncertainty.held_out", "0.5"],
        ["selfplay.simulations", "4"],
        ["selfplay.considered", "0"],
    ];
    let training = format!("about = \"x\"\nsettings = {settings:?}\n[uncertainty]\ngames = 24\n");
    for (name, text) in [("match", contest.to_owned()), ("study", study), ("training", training)] {
        let experiments = folder.path().join(name);
        fs::create_dir(&experiments).unwrap();
        fs::write(experiments.join(format!("{name}.toml")), text).unwrap();
        let out = folder.path().join(format!("{name}-out"));
        let words = [experiments.to_str().unwrap(), out.to_str().unwrap()];
        let begun = Instant::now();
        let output =
            lab(&["all", "--experiments", words[0], "--out", words[1], "--budget", "6s", "--json"]);
        let took = begun.elapsed();
        // Generous, because a busy machine may give the program next to nothing. That it is missing below
        // says that it was stopped: on a quiet machine each of these takes longer than this.
        assert!(took < Duration::from_secs(90), "{name} took {took:?}");
        assert_eq!(json(&output)["missing"], serde_json::json!([name]));
        let shown = String::from_utf8(output.stderr).unwrap();
        let begins = format!("experiment 1 of 1, {name}: the budget ends in ");
        assert!(shown.contains(&begins), "{shown}");
    }
}

/// The games that an import keeps away from training, and no others.
#[test]
fn held_out_games_are_those_of_an_import() {
    let folder = tempfile::tempdir().unwrap();
    let (records, out) = (records(folder.path()), folder.path().join("out"));
    let shards = folder.path().join("shards");
    let import = ImportSpec {
        files: vec![records.clone()],
        out: shards,
        filters: Filters { min_moves: 10, ..Filters::default() },
        holdout: 0.4,
        seed: IMPORT_SEED,
        games: None,
        games_per_shard: 5000,
    };
    let held_out = import::import(&import, &|_, _| {}).unwrap().summary.held_out;
    assert!((1..12).contains(&held_out), "{held_out}");
    let (records, out) = (records.to_str().unwrap(), out.to_str().unwrap());
    let study = |share: &str| {
        let evaluator = ["--evaluator", "mc:20", "--json", "--held-out", share];
        lab(&[&["metrics", "--records", records, "--out", out][..], &evaluator].concat())
    };
    let source = json(&study("0.4"))["source"].as_str().unwrap().to_owned();
    assert!(source.contains(&format!(": {held_out} games held out from training")), "{source}");
    let none = study("0");
    assert!(String::from_utf8(none.stderr).unwrap().contains("larger --held-out"));
}

/// An experiment that cannot be done is named, and the others are done; records that are not there are
/// played.
#[test]
fn all_does_what_can_be_done() {
    let folder = tempfile::tempdir().unwrap();
    let experiments = folder.path().join("experiments");
    fs::create_dir(&experiments).unwrap();
    let study = |evaluator: &str| {
        format!(
            "about = \"x\"\nsettings = [[\"game.board_size\", \"5\"]]\n[study]\nrecords = [\"/no/such.sgf\"]\n\
             own_games = 4\nheld_out = 0.02\ngames = 9\npositions = 20\nleast = 1\nevaluators = [{evaluator:?}]\n"
        )
    };
    fs::write(experiments.join("a-broken.toml"), study("gtp:/no/such/program")).unwrap();
    fs::write(experiments.join("b-own.toml"), study("mc:50")).unwrap();
    let out = folder.path().join("out");
    let words = [experiments.to_str().unwrap(), out.to_str().unwrap()];
    let output = lab(&["all", "--experiments", words[0], "--out", words[1], "--json"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && errors.contains("cannot start /no/such/program"),
        "{errors}"
    );
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(told["failed"]["a-broken"].as_str().unwrap().contains("a-broken.toml"), "{told}");
    let result = fs::read(out.join("b-own/result.json")).unwrap();
    let result: Value = serde_json::from_slice(&result).unwrap();
    assert_eq!(result["result"]["rows"][0]["metrics"]["positions"], 20);
    assert_eq!(result["complete"], true);
    // What was found is kept when the results are gone.
    let keep = folder.path().join("kept");
    let report = |out: &str| {
        json(&lab(&["report", "--out", out, "--keep", keep.to_str().unwrap(), "--json"]))
    };
    let before = report(words[1]);
    let elsewhere = folder.path().join("elsewhere");
    let after = report(elsewhere.to_str().unwrap());
    assert_eq!(before["lines"], after["lines"]);
    assert_eq!(after["experiments"]["b-own"], true);
    assert!(fs::metadata(keep.join("b-own.json")).unwrap().len() < 20_000);
    fs::write(keep.join("b-own.json"), "{").unwrap();
    let output =
        lab(&["report", "--out", elsewhere.to_str().unwrap(), "--keep", keep.to_str().unwrap()]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("b-own.json is damaged"));
}

#[test]
fn what_cannot_be_done_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let (records, out) = (records(folder.path()), folder.path().join("out"));
    let error = |arguments: &[&str]| {
        let output = lab(arguments);
        assert!(!output.status.success() && output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    let with = |evaluator: &str| {
        let (records, out) = (records.to_str().unwrap(), out.to_str().unwrap());
        error(&["curves", "--records", records, "--out", out, "--evaluator", evaluator])
    };
    assert!(with("guess").contains("write mc:N"));
    assert!(with("gtp:/no/such/program").contains("cannot start /no/such/program"));
    let none = folder.path().join("none");
    let all = ["all", "--experiments", none.to_str().unwrap()];
    assert!(error(&all).contains("none"));
    fs::create_dir(&none).unwrap();
    assert!(error(&all).contains(".toml files"));
    fs::write(none.join("x.toml"), "about = \"x\"\nspeed = 3\n").unwrap();
    let out = folder.path().join("lab");
    fs::create_dir(&out).unwrap();
    let arguments = [&all[..], &["--out", out.to_str().unwrap()]].concat();
    assert!(error(&arguments).contains("speed"));
}
