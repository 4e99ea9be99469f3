//! `tedomari time` and `tedomari timetable` as programs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::fmt::Write;
use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

fn tedomari(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tedomari")).args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = tedomari(args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn failure(args: &[&str]) -> String {
    let output = tedomari(args);
    assert!(!output.status.success(), "{args:?} succeeds");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn strategies_are_listed_and_tried() {
    let list: Value = serde_json::from_str(&stdout(&["time", "list", "--json"])).unwrap();
    let names: Vec<_> = list["strategies"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    let paper = [
        "tedomari",
        "EXP-MOVES",
        "EXP-SIM",
        "EXP-STONES",
        "OPEN",
        "MID",
        "KAPPA-EXP",
        "KAPPA-LM",
        "KAPPA-CM",
        "BEHIND",
        "BEHIND-L",
        "UNST",
        "UNST-L",
        "CLOSE",
        "CLOSE-L",
        "STOP",
        "STOP_A",
        "STOP_B",
        "ERICA-BASELINE",
    ];
    for name in paper {
        assert!(names.iter().any(|listed| **listed == name), "{name}");
    }
    let all = ["time", "simulate", "--game", "nogo", "--board", "9", "--games", "4", "--json"];
    let lines = stdout(&all);
    assert_eq!(lines.lines().count(), names.len());
    for (line, name) in lines.lines().zip(&names) {
        let result: Value = serde_json::from_str(line).unwrap();
        assert_eq!(result["strategy"], **name);
        assert_eq!(result["forfeits"], 0, "{line}");
        for key in ["unused_share", "worst_move_share"] {
            assert!((0.0..=1.0).contains(&result[key].as_f64().unwrap()), "{line}");
        }
    }
    assert!(stdout(&["time", "list"]).contains("p_earlystop=0.4"));
    assert!(failure(&["time", "simulate", "--strategy", "STOPP"]).contains("'STOPP'"));
    assert!(failure(&["time", "simulate", "--time", "hourglass:3"]).contains("sudden:SECONDS"));
    assert!(failure(&["--set", "time.strategy=x", "time", "list"]).contains("time list"));
}

#[test]
fn a_timetable_is_learned_drawn_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (games, table, svg) = (path("games.sgfs"), path("table.toml"), path("time.svg"));
    // Thirty games of forty moves on 7x7, and one on another board.
    let letters: Vec<char> = ('a'..='g').collect();
    let points = letters.iter().flat_map(|x| letters.iter().map(move |y| format!("{x}{y}")));
    let mut game = "(;GM[1]FF[4]SZ[7]KM[9]RU[Chinese]".to_owned();
    for (k, point) in points.take(40).enumerate() {
        let color = if k % 2 == 0 { 'B' } else { 'W' };
        write!(game, ";{color}[{point}]").unwrap();
    }
    let lines = format!("{game})\n").repeat(30) + "(;GM[1]SZ[9];B[aa])\nnonsense\n";
    fs::write(&games, lines).unwrap();
    let args = ["--board", "7", "timetable", &games, "--out", &table, "--json"];
    let about: Value = serde_json::from_str(&stdout(&args)).unwrap();
    assert_eq!((&about["games"], &about["left_out"]), (&30.into(), &2.into()));
    let set = format!("time.table={table}");
    let simulate = ["--board", "7", "--set", &set, "time", "simulate", "--strategy", "STOP"];
    let text = stdout(&[&simulate[..], &["--records", &games, "--svg", &svg]].concat());
    assert!(text.contains("STOP") && text.contains("0/30"), "{text}");
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    let wrong_board = ["--board", "9", "--set", &set, "time", "simulate"];
    assert!(failure(&wrong_board).contains("another game or board"));
    assert!(failure(&["--board", "13", "timetable", &games]).contains("no game of Go on 13x13"));
    assert!(failure(&["timetable", "/no/such/file"]).contains("/no/such/file"));
    fs::write(&table, "format = 2").unwrap();
    assert!(failure(&["--set", &set, "gtp"]).contains("not a timetable"));
}
