//! Games that are scored and reviewed by the program: its files, its page in a browser, and what becomes of work that
//! was broken off.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod browser;
mod skip;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use regex::Regex;
use serde_json::Value;

use browser::{WINDOWS, in_window, opened};

/// A game on 7x7 with clocks, in which White throws a group away.
const GAME: &str = "(;GM[1]FF[4]SZ[7]KM[6.5]RU[Chinese]TM[300]PB[<Black> & co]PW[White]BR[3k]EV[A \"cup\"]RE[B+R]\
    ;B[dd]BL[295];W[cd]WL[290]C[hm];B[cc]BL[290.5];W[ce]WL[280];B[bd]BL[288];W[be]WL[279];B[de]BL[286];W[df]WL[270]\
    ;B[dc]BL[285];W[ad]WL[200](;B[ef]BL[284];W[gg]WL[199];B[cf]BL[283];W[ga]WL[198])(;B[bc]))";

fn tedomari(arguments: &[&str]) -> Output {
    let quick = ["--evaluator", "playout", "--set", "search.threads=1"];
    Command::new(env!("CARGO_BIN_EXE_tedomari")).args(arguments).args(quick).output().unwrap()
}

fn ok(arguments: &[&str]) -> String {
    let output = tedomari(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// How the page must show a number, by the way to it.
fn shown(key: &str, found: &Value) -> String {
    let number = || found.as_f64().unwrap();
    let word = key.rsplit('/').next().unwrap();
    match word {
        "win_rate" | "win_rate_lost" => format!("{:.1} %", 100.0 * number()),
        "points" => format!("{:.1}", number()),
        "points_lost" => format!("{:.2}", number()),
        "seconds" => format!("{:.0} s", number()),
        "result" => found.as_str().unwrap().to_owned(),
        "komi" => number().to_string(),
        "moves" => found.as_u64().unwrap().to_string(),
        _ if key.contains("grades") || key.contains("worst") => found.as_u64().unwrap().to_string(),
        _ => format!("{:.0} %", 100.0 * number()),
    }
}

#[test]
fn a_review_is_a_page_a_record_and_json() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("game.sgf"), GAME).unwrap();
    let said = ok(&["review", "--visits", "80", "--out", &at("out"), &at("game.sgf"), "--json"]);
    let said = json(&said);
    assert_eq!((&said["games"][0]["moves"], &said["replaced"]), (&14.into(), &false.into()));
    let review = json(&fs::read_to_string(at("out/review.json")).unwrap());
    assert_eq!(review["positions"].as_array().unwrap().len(), 15);
    assert_eq!(review["moves"][0]["seconds"], 5.0);
    let worst: Vec<_> = review["worst"].as_array().unwrap().iter().map(Value::as_u64).collect();
    assert!(worst.contains(&Some(12)) || worst.contains(&Some(14)), "{worst:?}");
    // The record is what it was but for what was put between.
    let record = fs::read_to_string(at("out/review.sgf")).unwrap();
    let mut rest = record.as_str();
    for part in GAME.split_inclusive([';', ']']).map(|part| part.trim().trim_end_matches(']')) {
        let found = rest.find(part).unwrap_or_else(|| panic!("{part} is gone: {record}"));
        rest = &rest[found + part.len()..];
    }
    assert!(record.contains("C[hm\n\n") && record.contains("Black wins "), "{record}");
    let again = ok(&["review", "--visits", "80", "--out", &at("out"), &at("game.sgf")]);
    assert!(again.contains("accuracy") && again.contains("review.html"), "{again}");
    let page = Path::new(&at("out/review.html")).to_owned();
    let Some(dom) = opened(&page) else { return };
    let marked = Regex::new(r#"<span data-key="([^"]*)">([^<]*)</span>"#).unwrap();
    let mut count = 0;
    for found in marked.captures_iter(&dom) {
        let value = review.pointer(&found[1]).unwrap_or_else(|| panic!("no {}", &found[1]));
        assert_eq!(found[2], shown(&found[1], value), "{}", &found[1]);
        count += 1;
    }
    assert!(count >= 20, "only {count} numbers are marked");
    assert!(dom.contains("&lt;Black&gt; &amp; co 3k") && !dom.contains("<Black>"));
    // What the script has drawn: the board, three graphs, and candidates.
    let drawn = |pattern: &str| Regex::new(pattern).unwrap().find_iter(&dom).count();
    assert_eq!(drawn(r#"<svg viewBox="-1.05 -.65 7.7 7.7">"#), 1);
    assert_eq!(drawn(r#"<line class="cursor" y1="\d"#), 3);
    assert!(drawn(r#"<rect class="took (black|white)" x="\d"#) == 14, "a bar for each move");
    assert_eq!(drawn("Black to move: first choices"), 1);
    for window in WINDOWS {
        let (width, odd) = in_window(&page, window).unwrap();
        assert!(width <= window, "the page is {width} px wide in a window of {window}");
        assert!(!odd, "the page shows a number that is none");
    }
}

#[test]
fn work_that_was_broken_off_goes_on_unless_something_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("game.sgf"), GAME).unwrap();
    let review = |visits: &str, out: &str| {
        let (out, game) = (at(out), at("game.sgf"));
        json(&ok(&["review", "--visits", visits, "--out", &out, &game, "--json"]))["replaced"]
            .clone()
    };
    assert_eq!(review("40", "whole"), false);
    let journal = fs::read_to_string(at("whole/review.journal")).unwrap();
    assert_eq!(journal.lines().count(), 16);
    // Killed in the middle of a line.
    fs::create_dir(at("torn")).unwrap();
    let kept: usize = journal.lines().take(6).map(|line| line.len() + 1).sum();
    fs::write(at("torn/review.journal"), &journal[..kept + 20]).unwrap();
    assert_eq!(review("40", "torn"), false);
    for name in ["review.html", "review.sgf", "review.json", "review.journal"] {
        let read = |out: &str| fs::read(at(&format!("{out}/{name}"))).unwrap();
        assert!(read("torn") == read("whole"), "{name} is another one");
    }
    // Other visits, and then another game: everything anew, and it says so.
    assert_eq!(review("30", "torn"), true);
    fs::write(at("game.sgf"), GAME.replace("KM[6.5]", "KM[7.5]")).unwrap();
    let said = ok(&["review", "--visits", "30", "--out", &at("torn"), &at("game.sgf")]);
    assert!(said.contains("analysed anew"), "{said}");
}

#[test]
fn several_games_have_folders_and_a_page_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("a b.sgf"), GAME).unwrap();
    // NoGo with set-up stones, and a game that two passes have ended.
    fs::write(at("nogo.sgf"), "(;GM[1]SZ[5]RU[NoGo]AB[aa]AW[bb]PL[W];W[cc];B[dd];W[de])").unwrap();
    fs::write(at("over.sgf"), "(;SZ[5]KM[0.5]HA[2]AB[bb][dd];W[cc];B[cb];W[];B[])").unwrap();
    let games = ["a b.sgf", "nogo.sgf", "over.sgf"].map(at);
    let out = at("out");
    let mut arguments = vec!["review", "--budget", "1s", "--out", &out];
    arguments.extend(games.iter().map(String::as_str));
    let said = ok(&arguments);
    assert!(said.contains("nogo.sgf (") && said.contains("s a position"), "{said}");
    let index = fs::read_to_string(at("out/index.html")).unwrap();
    assert!(index.contains(r#"href="a%20b/review.html""#) && index.contains("&lt;Black&gt;"));
    let nogo = json(&fs::read_to_string(at("out/nogo/review.json")).unwrap());
    assert!(
        nogo["positions"][0]["score"].is_null()
            && nogo["players"]["black"]["points_lost"].is_null()
    );
    let over = json(&fs::read_to_string(at("out/over/review.json")).unwrap());
    assert_eq!(over["positions"][4]["certain"], true);
    assert_eq!(over["handicap"], 2);
}

#[test]
fn positions_are_scored_in_text_and_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf").display().to_string();
    // Walls through the middle and a dead black stone in White's half.
    let walls = "AB[ca][cb][cc][cd][ce][ea]AW[da][db][dc][dd][de]";
    fs::write(&path, format!("(;SZ[5]RU[Chinese]KM[0.5]{walls};B[];W[])")).unwrap();
    let text = ok(&["score", &path]);
    assert!(text.contains(" 5 + + X O x 5\n 4 + + X O - 4\n"), "{text}");
    assert!(Regex::new(r"\nB\+4\.5, \d+ % sure \(two passes").unwrap().is_match(&text), "{text}");
    assert!(text.contains("dead black stones: E5"), "{text}");
    let found = json(&ok(&["score", &path, "--json"]));
    assert_eq!((&found["result"], &found["basis"]), (&"B+4.5".into(), &"judged".into()));
    assert_eq!(found["territory"]["white"].as_array().unwrap().len(), 5);
    let found = json(&ok(&["score", &path, "--json", "--move", "-2"]));
    assert_eq!((&found["move"], &found["moves"]), (&0.into(), &2.into()));
    // Nothing is on the board yet.
    fs::write(&path, "(;SZ[7]KM[9];B[dd];W[cc])").unwrap();
    let text = ok(&["score", &path, "--visits", "50"]);
    assert!(text.contains("the game goes on") && text.contains(" ?"), "{text}");
    let found = json(&ok(&["score", &path, "--visits", "50", "--json"]));
    assert_eq!(found["basis"], "search");
    let (confidence, rate) = (found["confidence"].as_f64().unwrap(), found["win_rate"].as_f64());
    assert!((0.5..1.0).contains(&confidence) && rate.is_some());
    fs::write(&path, "(;SZ[3]RU[NoGo];B[bb])").unwrap();
    assert!(ok(&["score", &path]).contains("nogo rules\n"));
}

#[test]
fn what_cannot_be_reviewed_says_why_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("game.sgf"), GAME).unwrap();
    fs::write(at("illegal.sgf"), "(;SZ[5];B[aa];W[aa])").unwrap();
    fs::write(at("none.sgf"), "hello").unwrap();
    fs::create_dir(at("sub")).unwrap();
    fs::write(at("sub/game.sgf"), GAME).unwrap();
    fs::write(at("a file"), "").unwrap();
    let (out, game) = (at("out"), at("game.sgf"));
    for (arguments, words) in [
        (&["review", &game][..], "--out"),
        (&["review", "--out", &out, &at("illegal.sgf")], "move 2, white A5, is illegal"),
        (&["review", "--out", &out, &game, &at("none.sgf")], "none.sgf: not an SGF file"),
        (&["review", "--out", &out, &at("absent.sgf")], "absent.sgf"),
        (&["review", "--out", &out, &game, &at("sub/game.sgf")], "names of their own"),
        (&["review", "--out", &out, &game, "--budget", "soon"], "60s"),
        (&["review", "--out", &out, &game, "--visits", "0"], "--visits"),
        (&["review", "--out", &out, &game, "--visits", "5", "--budget", "5s"], "--budget"),
        (&["review", "--out", &at("a file"), &game], "a file"),
        (&["score", &game, "--move", "15"], "allowed is -14 to 14"),
        (&["score", &game, "--move", "-15"], "allowed is -14 to 14"),
        (&["score", &at("illegal.sgf")], "is illegal"),
    ] {
        let output = tedomari(arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(errors.contains(words) && !errors.contains("panicked"), "{arguments:?}: {errors}");
        assert!(!Path::new(&out).exists(), "{arguments:?} left something behind");
    }
}
