//! Opens the summary of a match in a browser, and compares what it shows with `summary.json`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod browser;
mod skip;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use regex::Regex;
use serde_json::{Value, json};
use tempfile::TempDir;

use browser::{WINDOWS, in_window, opened};

const NAMES: [&str; 2] = ["tedomari <400>", "GNU Go & \"friends\""];

/// Results as `tedomari match` writes them, of 40 games that the first player mostly wins.
fn results(players: &[&str], sprt: &Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let info = json!({
        "format": 1, "players": players, "specs": players, "board": 9, "rules": "chinese",
        "komi": 7.0, "seed": 7, "games": 40, "schedule": "pairs",
        "time": vec!["fixed:0.5"; players.len()], "openings": "random:4", "opening_plies": 8,
        "dead": "Agreement", "max_moves": 243, "allowance_ms": 20, "sprt": sprt, "shard": [1, 1],
    });
    fs::write(folder.path().join("match.json"), info.to_string()).unwrap();
    fs::create_dir(folder.path().join("sgf")).unwrap();
    let mut lines = String::new();
    for game in 0..40usize {
        let pair = game / 2;
        let first = pair % (players.len() - 1);
        let sides = if game % 2 == 0 { [first, first + 1] } else { [first + 1, first] };
        let winner = match game % 5 {
            0 | 1 | 3 => Some(first),
            2 => Some(first + 1),
            _ => None,
        };
        let result = winner.map_or("0", |winner| if winner == sides[0] { "B+2.5" } else { "W+R" });
        let moves = 30 + 3 * (game % 7);
        let late =
            json!({"player": sides[0], "ply": moves, "kind": "late", "detail": "0.6 s <used>"});
        let line = json!({
            "game": game, "pair": pair, "players": players, "black": sides[0], "white": sides[1],
            "winner": winner, "result": result,
            "reason": if result == "W+R" { "resignation" } else { "score" },
            "opening": "D4", "opening_plies": 1, "plies": moves, "moves": vec!["E5"; moves],
            "seconds": (1..moves).map(|at| 0.5 / at as f64).collect::<Vec<_>>(),
            "simulations": (1..moves).map(|at| (at % 2 == 0).then_some(400 + at)).collect::<Vec<_>>(),
            "stops": vec![Value::Null; moves - 1],
            "faults": if game == 7 { vec![late] } else { Vec::new() },
        });
        writeln!(lines, "{line}").unwrap();
        fs::write(folder.path().join(format!("sgf/{game:06}.sgf")), "(;GM[1])").unwrap();
    }
    fs::write(folder.path().join("games.jsonl"), lines).unwrap();
    folder
}

fn report(arguments: &[&Path]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tedomari"));
    command.args(["match", "report", "--json"]).args(arguments).output().unwrap()
}

/// How the page must show a number, by the last word of the way to it.
fn shown(key: &str, found: &Value) -> String {
    let word = key.rsplit('/').next().unwrap();
    let number = || found.as_f64().unwrap();
    let elo = key.contains("/elo/") || word == "elo";
    match word {
        _ if found.is_null() => if word == "low" { "–∞" } else { "+∞" }.to_owned(),
        _ if elo && number().abs() < 0.5 => "0".to_owned(),
        _ if elo => format!("{:+.0}", number()),
        "score" | "low" | "high" | "los" if !key.starts_with("/reasons/") => {
            format!("{:.1} %", 100.0 * number())
        }
        "llr" | "lower" | "upper" => format!("{:.2}", number()),
        "error" => format!("{:.0}", number()),
        _ => found.as_u64().unwrap().to_string(),
    }
}

/// Compares every marked number, and returns how many there were.
fn compare(dom: &str, summary: &Value) -> usize {
    let marked = Regex::new(r#"<span data-key="([^"]*)">([^<]*)</span>"#).unwrap();
    let mut count = 0;
    for found in marked.captures_iter(dom) {
        let value = summary.pointer(&found[1]);
        let value = value.unwrap_or_else(|| panic!("{} is not in summary.json", &found[1]));
        assert_eq!(found[2], shown(&found[1], value), "{}", &found[1]);
        count += 1;
    }
    count
}

#[test]
fn the_page_shows_the_numbers_of_the_json() {
    let test = json!({"elo0": 0.0, "elo1": 10.0, "alpha": 0.05, "beta": 0.05});
    for (players, sprt, least) in [
        (&NAMES[..], &test, 20),
        (&NAMES[..], &Value::Null, 17),
        (&["a", "b", "a player with a name that is rather long <i>"][..], &Value::Null, 15),
    ] {
        let folder = results(players, sprt);
        let output = report(&[folder.path()]);
        assert!(output.status.success(), "{output:?}");
        let text = fs::read_to_string(folder.path().join("summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), summary);
        let page = folder.path().join("summary.html");
        let Some(dom) = opened(&page) else { return };
        let count = compare(&dom, &summary);
        assert!(count >= least, "only {count} numbers are marked");
        assert_eq!(dom.matches(r#"<a href="sgf/0000"#).count(), 40);
        assert!(dom.contains("0.6 s &lt;used&gt;"), "the fault is not named");
        assert!(dom.contains("<svg") && !dom.contains("<i>"));
        for window in WINDOWS {
            let (width, odd) = in_window(&page, window).unwrap();
            assert!(width <= window, "the page is {width} px wide in a window of {window}");
            assert!(!odd, "the page shows a number that is none");
        }
    }
}

#[test]
fn reports_that_cannot_be_made_say_why() {
    let folder = results(&NAMES, &Value::Null);
    let other = results(&["a", "b"], &Value::Null);
    let error = |arguments: &[&Path]| {
        let output = report(arguments);
        assert!(!output.status.success() && output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    let out = folder.path().join("new");
    let flag = Path::new("--out");
    assert!(error(&[folder.path(), other.path()]).contains("--out DIR"));
    assert!(error(&[folder.path(), other.path(), flag, &out]).contains("'players'"));
    assert!(error(&[Path::new("/no/such/folder")]).contains("not a results directory"));
    assert!(!out.exists(), "a report that failed left something behind");
    assert!(report(&[folder.path(), folder.path(), flag, &out]).status.success());
    assert!(out.join("match.dat").is_file());
}
