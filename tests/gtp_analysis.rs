//! Analysis as clients meet it: a process that writes while it searches, and formats that are read
//! by the rules of the clients' own parsers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::print_stderr, reason = "figures for people, shown with --nocapture")]
#![allow(clippy::disallowed_methods, reason = "tests measure time")]

mod client;

use std::collections::HashMap;
use std::io::Write;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use regex::Regex;

use client::{Lines, parse_answer, run, tedomari, wait};

/// A search that would take a minute.
const LONG: &[&str] = &["--set", "time.seconds_per_move=60"];

// ---------------------------------------------------------------------------------------------
// What clients read

/// How a format writes numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// KataGo's: parts of one.
    Parts,
    /// Leela Zero's: whole ten thousandths.
    Whole,
}

impl Numbers {
    /// In percent.
    fn read(self, word: &str) -> f64 {
        match self {
            Numbers::Parts => word.parse::<f64>().unwrap() * 100.0,
            Numbers::Whole => f64::from(word.parse::<i32>().unwrap()) / 100.0,
        }
    }
}

/// A move as a client understands it: percent, points.
#[derive(Debug)]
struct Read {
    vertex: String,
    visits: u32,
    winrate: f64,
    score: Option<f64>,
    line: Vec<String>,
}

/// Sabaki's `parseAnalysis`: the owners are cut off, each move is split at `info`, its line of
/// play is what stands at the end, and the words before are pairs. A winrate with a point is a part
/// of one.
fn read_as_sabaki(line: &str, points: usize) -> (Vec<Read>, Option<Vec<f64>>) {
    let owners = Regex::new(r"ownership\s+(.+)").unwrap();
    let (line, owners) = match owners.captures(line) {
        Some(found) => {
            let owners: Vec<f64> =
                found[1].split_whitespace().map(|word| word.parse().unwrap()).collect();
            (&line[..found.get(0).unwrap().start()], Some(owners))
        }
        None => (line, None),
    };
    let split = Regex::new(r"\s*info\s+").unwrap();
    let end = Regex::new(r"(pass|[A-Za-z]\d+)(\s+(pass|[A-Za-z]\d+))*$").unwrap();
    let vertex = Regex::new(r"^[A-Za-z]\d+$").unwrap();
    let mut moves = Vec::new();
    for text in split.split(line).skip(1).map(str::trim) {
        let found = end.find(text).unwrap_or_else(|| panic!("no line of play: {text}"));
        let words: Vec<_> = text[..found.start()].split_whitespace().collect();
        let pairs: HashMap<_, _> =
            words[..words.len() - 1].chunks(2).map(|pair| (pair[0], pair[1])).collect();
        if !vertex.is_match(pairs["move"]) {
            continue;
        }
        let winrate: f64 = pairs["winrate"].parse().unwrap();
        moves.push(Read {
            vertex: pairs["move"].to_owned(),
            visits: pairs["visits"].parse().unwrap(),
            winrate: if pairs["winrate"].contains('.') { 100.0 * winrate } else { winrate / 100.0 },
            score: pairs.get("scoreLead").map(|score| score.parse().unwrap()),
            line: found
                .as_str()
                .split("pass")
                .next()
                .unwrap()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        });
    }
    (moves, owners.filter(|owners| owners.len() == points))
}

/// `MoveData` of `LizzieYzy`: moves are split at ` info `, words are pairs up to `pv`, and whole
/// numbers must be whole where the format is Leela Zero's.
fn read_as_lizzieyzy(line: &str, numbers: Numbers) -> Vec<Read> {
    let line = line.split(" rootInfo ").next().unwrap().split(" ownership ").next().unwrap();
    let mut moves = Vec::new();
    for text in line.strip_prefix("info ").unwrap().split(" info ") {
        let mut words = text.trim().split(' ');
        let (mut vertex, mut visits, mut winrate, mut score) = (None, None, None, None);
        let mut line = Vec::new();
        while let Some(key) = words.next() {
            if key == "pv" {
                line = words
                    .by_ref()
                    .take_while(|word| *word != "pvVisits")
                    .map(str::to_owned)
                    .collect();
                break;
            }
            let value = words.next().unwrap();
            match key {
                "move" => vertex = Some(value.to_owned()),
                "visits" => visits = Some(value.parse().unwrap()),
                "order" => assert_eq!(value.parse(), Ok(moves.len())),
                "winrate" | "lcb" | "prior" => {
                    let part = numbers.read(value);
                    assert!((0.0..=100.0).contains(&part), "{key} {value}");
                    if key == "winrate" {
                        winrate = Some(part);
                    }
                }
                "scoreMean" => score = Some(value.parse().unwrap()),
                _ => assert!(value.parse::<f64>().is_ok(), "{key} {value}"),
            }
        }
        moves.push(Read {
            vertex: vertex.unwrap(),
            visits: visits.unwrap(),
            winrate: winrate.unwrap(),
            score,
            line,
        });
    }
    moves
}

/// q5Go's `gtp_eval`: patterns in what follows `info move `.
fn read_as_q5go(line: &str, numbers: Numbers) -> Vec<Read> {
    assert!(line.starts_with("info move "));
    let find = |pattern: &str, text: &str| {
        let found = Regex::new(pattern).unwrap().captures(text).map(|found| found[1].to_owned());
        found.unwrap_or_else(|| panic!("{pattern} is not in {text}"))
    };
    let read = |text: &str| {
        let winrate = find(r"\s+winrate\s+([^\s]+)\s+", text);
        Read {
            vertex: find(r"^(\S+)\s+", text),
            visits: find(r"\s+visits\s+(\d+)\s+", text).parse().unwrap(),
            winrate: numbers.read(&winrate),
            score: None,
            line: find(r"\s+pv\s+(.*)$", text).split(' ').map(str::to_owned).collect(),
        }
    };
    line.split("info move ").filter(|text| !text.is_empty()).map(read).collect()
}

/// All that is true of a report on an empty board of 9x9.
fn check_moves(moves: &[Read], what: &str) {
    let vertex = Regex::new("^[A-HJ][1-9]$|^pass$").unwrap();
    assert!(!moves.is_empty(), "{what}");
    for read in moves {
        assert!(vertex.is_match(&read.vertex), "{what}: {read:?}");
        assert!(read.visits > 0 && (0.0..=100.0).contains(&read.winrate), "{what}: {read:?}");
        assert!(read.score.is_none_or(f64::is_finite), "{what}: {read:?}");
        if read.vertex != "pass" {
            assert_eq!(read.line.first(), Some(&read.vertex), "{what}: {read:?}");
        }
    }
    assert!((20.0..80.0).contains(&moves[0].winrate), "{what}: {:?}", moves[0]);
}

#[test]
fn reports_are_read_by_the_rules_of_the_clients() {
    // Without a network a first report has thousands of simulations, and all moves.
    let mut engine = Lines::start(&["--net", "none"]);
    let line = engine.analyze("analyze B 5 ownership true", "= ");
    let (moves, owners) = read_as_sabaki(&line, 81);
    check_moves(&moves, "Sabaki");
    assert!(owners.unwrap().iter().all(|owner| (-1.0..=1.0).contains(owner)));
    let line = engine_line(&mut engine, "kata-analyze B 5");
    check_moves(&read_as_lizzieyzy(&line, Numbers::Parts), "LizzieYzy, KataGo");
    check_moves(&read_as_q5go(&line, Numbers::Parts), "q5Go, KataGo");
    let line =
        engine_line(&mut engine, "kata-analyze w 5 ownership true pvVisits true rootInfo true");
    check_moves(&read_as_lizzieyzy(&line, Numbers::Parts), "LizzieYzy, all of KataGo");
    let root =
        Regex::new(r" rootInfo visits (\d+) utility \S+ winrate (\S+) .*ownership ").unwrap();
    assert!(root.is_match(&line), "{line}");
    let line = engine_line(&mut engine, "lz-analyze B 5");
    check_moves(&read_as_sabaki(&line, 81).0, "Sabaki, Leela Zero");
    check_moves(&read_as_lizzieyzy(&line, Numbers::Whole), "LizzieYzy, Leela Zero");
    check_moves(&read_as_q5go(&line, Numbers::Whole), "q5Go, Leela Zero");
    let line = engine_line(&mut engine, "lz-analyze B 5 maxmoves 2");
    assert_eq!(read_as_lizzieyzy(&line, Numbers::Whole).len(), 2);
    let line = engine_line(&mut engine, "kata-analyze B 5 allow b C3,E5 1");
    let mut names: Vec<_> =
        read_as_lizzieyzy(&line, Numbers::Parts).into_iter().map(|read| read.vertex).collect();
    names.sort_unstable();
    assert_eq!(names, ["C3", "E5"]);
    // White may only pass in the second ply.
    let line = engine_line(&mut engine, "kata-analyze B 20 allow b C3 1 allow w pass 2");
    assert!(line.contains(" pv C3 pass"), "{line}");
    let line = engine_line(
        &mut engine,
        "kata-analyze B 20 maxmoves 1 ownership true ownershipStdev true movesOwnership true movesOwnershipStdev true",
    );
    let owners = |name: &str, number: &str| format!(" {name}( {number}){{81}}");
    let (signed, plain) = (r"-?[01]\.\d{3}", r"[01]\.\d{3}");
    let expected = [
        owners("movesOwnership", signed),
        owners("movesOwnershipStdev", plain),
        owners("ownership", signed),
        owners("ownershipStdev", plain),
    ];
    assert!(Regex::new(&format!("{}$", expected.concat())).unwrap().is_match(&line), "{line}");
}

/// Ends the analysis that is running by starting another one, whose first report is returned.
fn engine_line(engine: &mut Lines, command: &str) -> String {
    engine.send(command);
    engine.answer();
    assert_eq!(engine.line().0, "= ", "{command}");
    engine.line().0
}

#[test]
fn cgos_gets_a_line_of_json_and_a_move() {
    let mut engine = Lines::start(&["--set", "search.max_simulations=300"]);
    engine.send("7 cgos-genmove_analyze b");
    let answer = engine.answer();
    assert_eq!((answer.len(), answer[0].as_str()), (3, "=7 "));
    let json: serde_json::Value = serde_json::from_str(&answer[1]).unwrap();
    let played = answer[2].strip_prefix("play ").unwrap();
    assert!((0.0..=1.0).contains(&json["winrate"].as_f64().unwrap()));
    assert_eq!(json["moves"][0]["move"], played);
    assert_eq!(json["ownership"].as_str().unwrap().len(), 81);
    engine.send("gogui-rules_side_to_move");
    assert_eq!(engine.answer(), ["= white"]);
}

// ---------------------------------------------------------------------------------------------
// Beginning and end

#[test]
fn any_input_ends_an_analysis() {
    let mut engine = Lines::start(&[]);
    for (line, answer) in [
        ("", None),
        ("# a comment", None),
        ("# interrupt", None),
        ("5 protocol_version", Some("=5 2")),
        ("6 play b E5", Some("=6 ")),
        ("7 no_such_command", Some("?7 unknown command")),
        ("stop", Some("= ")),
    ] {
        let report = engine.analyze("4 kata-analyze 1", "=4 ");
        assert!(report.starts_with("info move "), "{report}");
        engine.send(line);
        for info in engine.answer() {
            assert!(info.starts_with("info move "), "{line}: {info}");
        }
        if let Some(expected) = answer {
            assert_eq!(engine.answer(), [expected], "{line}");
        }
        assert!(engine.is_silent(), "after {line}");
    }
    engine.analyze("kata-analyze 1", "= ");
    engine.input = None;
    engine.answer();
    assert!(wait(&mut engine.child, Duration::from_secs(1)).success());
}

#[test]
fn a_game_without_legal_moves_can_be_analysed() {
    let mut engine = Lines::start(&["--game", "nogo"]);
    for line in ["boardsize 2", "play b A1", "play w B2", "play b A2"] {
        engine.send(line);
        assert_eq!(engine.answer(), ["= "], "{line}");
    }
    engine.send("kata-analyze w 1");
    assert_eq!(engine.line().0, "= ");
    assert!(engine.is_silent());
    engine.send("4 kata-genmove_analyze w 1");
    assert!(engine.answer().is_empty());
    assert_eq!(engine.answer(), ["=4 ", "play resign"]);
    engine.send("kata-search_analyze_cancellable w");
    assert_eq!(engine.answer(), ["= ", "play resign"]);
}

#[test]
fn an_analysis_touches_neither_board_nor_turn() {
    let mut engine = Lines::start(&[]);
    engine.analyze("lz-analyze w 1", "= ");
    engine.send("gogui-rules_side_to_move");
    engine.answer();
    assert_eq!(engine.answer(), ["= black"]);
    engine.send("gogui-rules_board");
    assert!(engine.answer().iter().all(|row| !row.contains(['X', 'O'])));
}

#[test]
fn a_move_with_reports_goes_on_until_stop() {
    let mut engine = Lines::start(LONG);
    for command in ["kata-genmove_analyze b 2", "lz-genmove_analyze w 2", "genmove_analyze b 2"] {
        engine.analyze(command, "= ");
        // Other commands wait for their turn.
        engine.send("8 name");
        for _ in 0..5 {
            assert!(engine.line().0.starts_with("info move "), "{command}");
        }
        engine.send("9 stop");
        let answer = engine.answer();
        assert!(answer.last().unwrap().starts_with("play "), "{command}: {answer:?}");
        assert!(answer[answer.len() - 2].starts_with("info move "), "{command}: {answer:?}");
        assert_eq!(engine.answer(), ["=8 Tedomari"]);
        assert_eq!(engine.answer(), ["=9 "]);
    }
    engine.send("3 genmove w");
    thread::sleep(Duration::from_millis(50));
    engine.send("stop");
    assert!(engine.answer()[0].starts_with("=3 "));
    assert_eq!(engine.answer(), ["= "]);
}

#[test]
fn without_an_interval_a_move_comes_with_one_report() {
    let mut engine = Lines::start(&["--set", "search.max_simulations=200"]);
    for command in ["kata-genmove_analyze b ownership true", "lz-genmove_analyze w 100000"] {
        engine.send(command);
        let answer = engine.answer();
        assert_eq!(answer.len(), 3, "{command}: {answer:?}");
        assert!(answer[1].starts_with("info move ") && answer[2].starts_with("play "));
    }
}

#[test]
fn a_search_finds_a_move_and_does_not_play_it() {
    let vertex = Regex::new("^= (play )?[A-HJ][1-9]$").unwrap();
    let mut engine = Lines::start(&["--set", "search.max_simulations=200"]);
    for command in ["kata-search b", "kata-search_cancellable b"] {
        engine.send(command);
        let answer = engine.answer();
        assert!(vertex.is_match(&answer[0]) && answer.len() == 1, "{command}: {answer:?}");
    }
    for command in ["kata-search_analyze b", "kata-search_analyze_cancellable b"] {
        engine.send(command);
        let answer = engine.answer();
        assert!(answer[1].starts_with("info ") && answer[2].starts_with("play "), "{answer:?}");
    }
    engine.send("gogui-rules_side_to_move");
    assert_eq!(engine.answer(), ["= black"]);
}

#[test]
fn a_search_that_can_be_cancelled_is() {
    let mut engine = Lines::start(LONG);
    for line in ["name", "stop", "# interrupt", ""] {
        let answered = !line.is_empty() && !line.starts_with('#');
        engine.send("4 kata-search_cancellable b");
        thread::sleep(Duration::from_millis(30));
        engine.send(line);
        assert_eq!(engine.answer(), ["=4 cancelled"], "{line}");
        if answered {
            engine.answer();
        }
        engine.analyze("kata-search_analyze_cancellable b 1", "= ");
        engine.send(line);
        assert_eq!(engine.answer().last().unwrap(), "play cancelled", "{line}");
        if answered {
            engine.answer();
        }
    }
}

#[test]
fn analyses_that_are_sent_at_once_are_all_answered() {
    let input: String = (0..300)
        .map(|id| match id % 3 {
            0 => format!("{id} kata-analyze b 1\n"),
            1 => format!("{id} play b {}{}\n", ["A", "C", "E"][id / 3 % 3], 1 + id % 9),
            _ => format!("{id} lz-analyze 1 ownership true\n"),
        })
        .collect();
    let said = run(tedomari::<&str>(&[]), input.as_bytes());
    let ids: Vec<_> =
        said.stdout.split_terminator("\n\n").map(|a| parse_answer(a).unwrap().0).collect();
    assert_eq!(ids, (0..300).map(Some).collect::<Vec<_>>());
    assert!(said.status.success());
}

#[test]
fn wrong_arguments_are_refused_before_anything_begins() {
    let mut engine = Lines::start(&[]);
    for (command, words) in [
        ("kata-analyze x", "'x' is no color"),
        ("lz-analyze b 10 avoid b Z99 1", "Z99"),
        ("kata-genmove_analyze b allow b A1 1 avoid b A1 1", "no legal move is allowed"),
        ("kata-raw-nn 8", "'8' is no symmetry"),
        ("cgos-genmove_analyze", "color"),
        ("tedomari-search-report", "there was no search"),
        ("tedomari-variation", "there was no search"),
    ] {
        engine.send(command);
        let answer = engine.answer();
        assert!(answer[0].starts_with("? ") && answer[0].contains(words), "{command}: {answer:?}");
    }
}

#[test]
fn a_client_that_does_not_read_does_not_hold_the_engine_up() {
    let mut command = tedomari::<&str>(&[]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A report of all moves on 19x19 is long: the pipe is full after some of them.
    write!(input, "boardsize 19\n1 kata-analyze b 1 ownership true\n").unwrap();
    thread::sleep(Duration::from_millis(1500));
    writeln!(input, "2 name").unwrap();
    drop(input);
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut text).unwrap();
    assert!(wait(&mut child, Duration::from_secs(2)).success());
    let answers: Vec<_> = text.split_terminator("\n\n").collect();
    assert_eq!((answers.len(), answers[2]), (3, "=2 Tedomari"));
    assert!(answers[1].lines().skip(1).all(|line| line.starts_with("info move ")));
}

#[test]
fn live_graphics_are_drawn_on_standard_error_when_they_are_wanted() {
    let input = b"boardsize 5\ngenmove b\nquit\n";
    let time = ["--set", "time.seconds_per_move=0.7"];
    let quiet = run(tedomari(&time), input);
    assert_eq!(quiet.stderr, "");
    let said =
        run(tedomari(&[&time[..], &["--set", "gtp.gogui_live_graphics=true"]].concat()), input);
    let blocks: Vec<_> = said.stderr.split_terminator("\n\n").collect();
    assert!((1..=4).contains(&blocks.len()), "{}", said.stderr);
    for block in blocks {
        let words: Vec<_> = block.lines().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(words, ["gogui-gfx:", "VAR", "LABEL", "INFLUENCE", "TEXT"], "{block}");
    }
    assert_eq!(said.stdout.matches("\n\n").count(), 3);
}
