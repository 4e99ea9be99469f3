//! The program as its clients meet it: a process that reads and writes GTP.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::print_stderr, reason = "figures for people, shown with --nocapture")]
#![allow(clippy::disallowed_methods, reason = "tests measure time")]

mod client;

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rand::RngExt;
use tedomari::game::{BoardSize, Color, Komi, Move, Position, Rules};
use tedomari::util::Seed;

use client::{Client, Said, median, parse_answer, run, tedomari, wait};

const SECOND: Duration = Duration::from_secs(1);

/// A search that would take a minute.
const LONG: &[&str] = &["--set", "time.seconds_per_move=60"];

/// Tests that measure time run one by one.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

fn check_legal_on_empty_board(vertex: &str) {
    let size = BoardSize::square(9).unwrap();
    let mv = size.parse_move(vertex).unwrap_or_else(|_| panic!("{vertex} is no move"));
    Position::new(size, Rules::CHINESE, Komi::default()).play(Color::Black, mv).unwrap();
}

/// Longer than the time after a command's start in which an end of the input belongs to a script.
const LATER: Duration = Duration::from_millis(700);

/// Starts an engine that has been thinking for a while.
fn thinking() -> Client {
    let mut engine = Client::start(tedomari(LONG));
    engine.ask("name");
    engine.send("1 genmove b");
    thread::sleep(LATER);
    engine
}

// ---------------------------------------------------------------------------------------------
// Speed

#[test]
fn the_name_comes_within_50_ms_of_the_start() {
    let _alone = alone();
    let times: Vec<_> = (0..15)
        .map(|_| {
            let mut engine = Client::start(tedomari::<&str>(&[]));
            engine.send("name");
            engine.answer().at.duration_since(engine.started())
        })
        .collect();
    let best = *times.iter().min().unwrap();
    eprintln!("start to name: best {best:?}, median {:?}", median(times));
    assert!(best < Duration::from_millis(50), "the best of several starts took {best:?}");
}

/// A game of random moves, in the words of `gogui-play_sequence`.
fn random_game(size: BoardSize, moves: usize) -> String {
    let mut rng = Seed::new(5).fork("midgame", size.area() as u64).rng();
    let mut position = Position::new(size, Rules::CHINESE, Komi::default());
    let mut words = Vec::new();
    for _ in 0..moves {
        let color = position.to_move();
        let eye = |&point: &_| position.board().around(point).is_eye_of(color);
        let legal: Vec<_> = position.legal_points(color).filter(|point| !eye(point)).collect();
        let point = legal[rng.random_range(0..legal.len())];
        position.play(color, Move::Place(point)).unwrap();
        words.push(format!("{color} {}", size.vertex(point)));
    }
    words.join(" ")
}

/// Arguments that make a command do its work in the middle of a game.
fn example(command: &str, size: BoardSize, file: &str) -> String {
    let side = size.width();
    let arguments = match command {
        "known_command" => "genmove",
        "boardsize" => return format!("boardsize {side}"),
        "rectangular_boardsize" => return format!("rectangular_boardsize {side} {side}"),
        "komi" => "6.5",
        "tedomari-game" => "go",
        "play" => "b pass",
        "gogui-play_sequence" => "b pass w pass",
        "set_position" | "gogui-setup" => "b A1 w C3 b D4",
        "gg-undo" => "10",
        "fixed_handicap" | "place_free_handicap" => "4",
        "set_free_handicap" => "A1 B2",
        "gogui-setup_player" => "w",
        "time_settings" => "60 10 5",
        "time_left" => "b 30 0",
        "kgs-time_settings" | "kata-time_settings" => "byoyomi 60 10 5",
        "kgs-rules" | "kata-set-rules" => "aga",
        "kata-set-rule" => "ko SITUATIONAL",
        "final_status_list" => "dead",
        "kata-raw-nn" => "0",
        "tedomari-set-config" => "time.lag_ms 100",
        "cgos-opponent_name" | "cgos-opponent_rating" => "x",
        "loadsgf" | "printsgf" => file,
        _ => "",
    };
    format!("{command} {arguments}").trim_end().to_owned()
}

/// Whether a command may take as long as it likes.
fn thinks(command: &str) -> bool {
    let analyzes = command.contains("analyze") && command != "gogui-analyze_commands";
    let searches = command.starts_with("kata-search");
    command == "quit" || command.contains("genmove") || analyzes || searches
}

/// Whether a command judges the board, by playouts and reading: it may take longer.
fn judges(line: &str) -> bool {
    ["final_score", "final_status_list", "tedomari-ownership"]
        .iter()
        .any(|name| line.starts_with(name))
}

/// The median time of a command, each time from the same position.
fn measure(engine: &mut Client, line: &str, size: BoardSize, game: &str) -> Duration {
    let times = (0..7).map(|_| {
        engine.ask(&format!("boardsize {}", size.width()));
        engine.ask("kgs-rules chinese");
        // Handicap stones want an empty board.
        if !line.contains("handicap") {
            engine.ask(&format!("gogui-play_sequence {game}"));
        }
        engine.time(line).0
    });
    median(times.collect())
}

#[test]
fn commands_that_need_no_search_answer_within_5_ms() {
    const LIMIT: Duration = Duration::from_millis(5);
    const JUDGES: Duration = Duration::from_millis(400);
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    let file = file.to_str().unwrap();
    let mut engine = Client::start(tedomari::<&str>(&[]));
    let commands = engine.ask("list_commands");
    let mut table = Vec::new();
    for (side, moves) in [(9, 40), (19, 150), (25, 300)] {
        let size = BoardSize::square(side).unwrap();
        let game = random_game(size, moves);
        engine.ask(&format!("boardsize {side}"));
        engine.ask(&format!("gogui-play_sequence {game}"));
        engine.ask(&format!("printsgf {file}"));
        for command in commands.lines().filter(|command| !thinks(command)) {
            let line = example(command, size, file);
            let mut time = measure(&mut engine, &line, size, &game);
            // Somebody else may have used the processor: a slow command is slow every time.
            for _ in 0..3 {
                if time >= LIMIT {
                    time = time.min(measure(&mut engine, &line, size, &game));
                }
            }
            table.push((time, side, line));
        }
    }
    table.sort_by_key(|row| std::cmp::Reverse(row.0));
    for (time, side, line) in table.iter().take(12) {
        eprintln!("{:7.3} ms  {side}x{side}  {line:.60}", time.as_secs_f64() * 1e3);
    }
    // A file that is written must reach the disk, which takes what it takes.
    let slow = table.iter().filter(|(time, _, line)| {
        let limit = if judges(line) { JUDGES } else { LIMIT };
        *time >= limit && !line.starts_with("printsgf ")
    });
    let slow: Vec<_> = slow.collect();
    assert!(slow.is_empty(), "too slow: {slow:?}");
}

// ---------------------------------------------------------------------------------------------
// The end

#[test]
fn quit_while_thinking_answers_with_a_move_first() {
    let _alone = alone();
    let mut engine = thinking();
    let asked = Instant::now();
    engine.send("2 quit");
    let moved = engine.answer();
    assert_eq!(moved.id, Some(1));
    check_legal_on_empty_board(&moved.text.unwrap());
    let quit = engine.answer();
    assert_eq!((quit.id, quit.text), (Some(2), Ok(String::new())));
    assert!(engine.wait(SECOND).success());
    let took = asked.elapsed();
    eprintln!("quit while thinking: {took:?}");
    assert!(took < SECOND, "{took:?}");
}

#[test]
fn the_end_of_input_while_thinking_ends_the_program() {
    let _alone = alone();
    let mut engine = thinking();
    let closed = Instant::now();
    engine.close_input();
    check_legal_on_empty_board(&engine.answer().text.unwrap());
    assert!(engine.wait(SECOND).success());
    let took = closed.elapsed();
    eprintln!("end of input while thinking: {took:?}");
    assert!(took < SECOND, "{took:?}");
}

#[test]
fn quit_and_the_end_of_input_while_idle_end_the_program() {
    let _alone = alone();
    let mut engine = Client::start(tedomari(LONG));
    assert_eq!(engine.ask("quit"), "");
    assert!(engine.wait(SECOND).success());
    let mut engine = Client::start(tedomari(LONG));
    engine.ask("name");
    engine.close_input();
    assert!(engine.wait(SECOND).success());
}

/// Searches of 300 simulations.
const COUNTED: &[&str] =
    &["--set", "time.seconds_per_move=60", "--set", "search.max_simulations=300"];

/// Plays a script of searches, and checks that each has made all of its simulations.
fn check_script_is_carried_out(script: &str, args: &[&str]) -> Said {
    let said = run(tedomari(args), script.as_bytes());
    assert!(said.status.success(), "{said:?}");
    let counted = said.stdout.matches("\"simulations\":300,").count();
    assert_eq!(counted, script.matches("genmove").count(), "{}", said.stdout);
    said
}

#[test]
fn a_script_plays_moves_of_all_their_simulations_though_quit_is_waiting() {
    let report = "tedomari-search-report";
    let script = format!("genmove b\n{report}\ngenmove w\n{report}\n").repeat(2);
    let said = check_script_is_carried_out(&format!("{script}quit\n"), COUNTED);
    assert_eq!(said.stdout.matches("\n\n").count(), 9);
    // A script need not say that it ends.
    check_script_is_carried_out(&script, COUNTED);
}

#[test]
fn a_script_that_arrives_a_moment_after_its_first_command_is_carried_out() {
    let _alone = alone();
    let args = ["--set", "time.seconds_per_move=2.5", "--set", "time.early_stop=never"];
    let mut engine = Client::start(tedomari(&args));
    engine.ask("name");
    let asked = Instant::now();
    engine.send("genmove b");
    thread::sleep(Duration::from_millis(100));
    engine.send("quit");
    check_legal_on_empty_board(&engine.answer().text.unwrap());
    let took = asked.elapsed();
    assert!(took > 2 * SECOND, "the search was cut short after {took:?}");
    assert_eq!(engine.answer().text, Ok(String::new()));
    assert!(engine.wait(SECOND).success());
}

#[test]
fn the_end_of_input_while_thinking_cuts_short_what_waits_too() {
    let _alone = alone();
    let mut engine = Client::start(tedomari(LONG));
    engine.send_bytes("genmove b\ngenmove w\n".repeat(10).as_bytes());
    thread::sleep(LATER);
    let closed = Instant::now();
    engine.close_input();
    for _ in 0..20 {
        engine.answer().text.unwrap();
    }
    assert!(engine.wait(SECOND).success());
    let took = closed.elapsed();
    eprintln!("20 searches and the end of input: {took:?}");
    assert!(took < 2 * SECOND, "{took:?}");
}

#[test]
fn the_next_line_of_a_script_ends_an_analysis() {
    let said = run(tedomari(LONG), b"lz-analyze b 10\nname\nkata-analyze b 10\n");
    assert!(said.status.success());
    assert!(said.stdout.contains("= Tedomari\n\n"), "{}", said.stdout);
    assert_eq!(said.stdout.matches("\n\n").count(), 3, "{}", said.stdout);
}

#[cfg(unix)]
#[test]
fn a_script_whose_output_nobody_reads_any_more_ends() {
    let _alone = alone();
    let mut command = tedomari(LONG);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"genmove b\nquit\n").unwrap();
    thread::sleep(LATER);
    assert!(child.try_wait().unwrap().is_none(), "the script was cut short");
    drop(child.stdout.take());
    wait(&mut child, SECOND);
}

#[cfg(unix)]
#[test]
fn sigterm_ends_the_program() {
    let _alone = alone();
    let terminate = |engine: &mut Client| {
        let sent = Instant::now();
        let process = engine.process_id().to_string();
        assert!(Command::new("kill").args(["-TERM", &process]).status().unwrap().success());
        engine.wait(SECOND);
        let took = sent.elapsed();
        assert!(took < SECOND, "{took:?}");
        took
    };
    let busy = terminate(&mut thinking());
    let mut engine = Client::start(tedomari(LONG));
    engine.ask("name");
    let idle = terminate(&mut engine);
    eprintln!("SIGTERM: {busy:?} while thinking, {idle:?} while idle");
}

#[test]
fn a_closed_output_ends_the_program() {
    let _alone = alone();
    for line in ["name\n", "genmove b\n# interrupt\n"] {
        let mut command = tedomari(LONG);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        drop(child.stdout.take());
        input.write_all(line.as_bytes()).unwrap();
        // The input stays open: only the missing reader can be the reason to end.
        wait(&mut child, SECOND);
        drop(input);
    }
}

#[cfg(unix)]
#[test]
fn a_closed_standard_error_does_no_harm() {
    let mut command = tedomari(&["--log-level", "trace"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stderr.take());
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"name\nversion\nboardsize 7\nquit\n").unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(wait(&mut child, SECOND).success());
    assert_eq!(text.matches("\n\n").count(), 4, "{text}");
    // And one that was never open.
    let shell = "exec \"$0\" --log-level trace 2>&-";
    let mut command = Command::new("sh");
    command.args(["-c", shell, env!("CARGO_BIN_EXE_tedomari")]);
    let said = run(command, b"name\nboardsize 7\nquit\n");
    assert_eq!(said.stdout, "= Tedomari\n\n= \n\n= \n\n");
    assert!(said.status.success());
}

// ---------------------------------------------------------------------------------------------
// Interruptions

#[test]
fn an_interrupt_brings_the_move_at_once() {
    let _alone = alone();
    let mut latencies = Vec::new();
    for _ in 0..5 {
        let mut engine = thinking();
        let asked = Instant::now();
        engine.send("# interrupt");
        let moved = engine.answer();
        latencies.push(moved.at.duration_since(asked));
        assert_eq!(moved.id, Some(1));
        check_legal_on_empty_board(&moved.text.unwrap());
        assert!(engine.is_silent_for(Duration::from_millis(50)), "a comment was answered");
        assert_eq!(engine.ask("gogui-rules_side_to_move"), "white");
    }
    let worst = *latencies.iter().max().unwrap();
    let middle = median(latencies);
    eprintln!("interrupt to move: median {middle:?}, worst {worst:?}");
    assert!(middle < Duration::from_millis(100), "{middle:?}");
}

#[test]
fn an_interrupt_while_idle_changes_nothing() {
    let _alone = alone();
    let mut engine = Client::start(tedomari(&["--set", "time.seconds_per_move=0.4"]));
    engine.ask("name");
    engine.send("# interrupt");
    thread::sleep(Duration::from_millis(50));
    let (time, moved) = engine.time("genmove b");
    check_legal_on_empty_board(&moved.unwrap());
    assert!(time >= Duration::from_millis(300), "the search was cut short: {time:?}");
}

// ---------------------------------------------------------------------------------------------
// Streams

#[test]
fn pipelined_commands_are_answered_in_order() {
    const COUNT: u32 = 20_000;
    let input: String = (0..COUNT)
        .map(|id| match id % 4 {
            0 => format!("{id} name\n"),
            1 => format!("{id} play b {}{}\n", ["A", "C", "E"][id as usize % 3], 1 + id % 9),
            2 => format!("{id} clear_board\n# a comment\n\n"),
            _ => format!("{id} no_such_command\n"),
        })
        .collect();
    let said = run(tedomari::<&str>(&[]), input.as_bytes());
    let ids: Vec<_> =
        said.stdout.split_terminator("\n\n").map(|a| parse_answer(a).unwrap().0).collect();
    assert_eq!(ids, (0..COUNT).map(Some).collect::<Vec<_>>());
    assert!(said.status.success());
}

#[test]
fn a_client_that_does_not_read_for_a_while_loses_nothing() {
    const COUNT: usize = 3000;
    let mut command = tedomari::<&str>(&[]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writing = thread::spawn(move || {
        for id in 0..COUNT {
            writeln!(input, "{id} list_commands").unwrap();
        }
    });
    // The answers are several megabytes: every buffer on the way is full by now.
    thread::sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "the program did not wait for its client");
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    writing.join().unwrap();
    assert!(wait(&mut child, SECOND).success());
    let answers: Vec<_> = text.split_terminator("\n\n").map(|a| parse_answer(a).unwrap()).collect();
    assert_eq!(answers.len(), COUNT);
    for (id, (echoed, text)) in (0..).zip(&answers) {
        assert_eq!(*echoed, Some(id));
        assert_eq!(text, &answers[0].1);
    }
}

// ---------------------------------------------------------------------------------------------
// Logs, flags and the other commands

#[test]
fn logs_go_to_standard_error_or_a_file_and_never_to_standard_output() {
    let input = b"name\nboardsize 5\ngenmove b\nquit\n";
    let tiny = ["--set", "search.max_simulations=10", "--log-level", "trace"];
    let is_protocol = |said: &Said| {
        assert_eq!(said.stdout.matches("\n\n").count(), 4, "{}", said.stdout);
        assert!(said.stdout.split_terminator("\n\n").all(|a| parse_answer(a).is_some()));
    };
    let said = run(tedomari(&tiny), input);
    is_protocol(&said);
    assert!(said.stderr.contains("genmove"), "nothing was logged: {}", said.stderr);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("engine.log");
    let mut command = tedomari(&tiny);
    command.arg("--log-file").arg(&file);
    let said = run(command, input);
    is_protocol(&said);
    assert_eq!(said.stderr, "");
    assert!(std::fs::read_to_string(&file).unwrap().contains("genmove"));
}

#[test]
fn bad_flags_are_refused_by_name() {
    let cases: [(&[&str], i32, &str); 10] = [
        (&["--no-such-flag"], 2, "--no-such-flag"),
        (&["--board"], 2, "--board"),
        (&["no-such-command"], 2, "no-such-command"),
        (&["--board", "99"], 1, "--board 99"),
        (&["--board", "x"], 1, "--board x"),
        (&["--game", "chess"], 1, "--game chess"),
        (&["--set", "time.lagms=3"], 1, "--set time.lagms=3"),
        (&["--log-level", "loud"], 1, "--log-level loud"),
        (&["--config", "missing.toml"], 1, "missing.toml"),
        (&["bench", "--seconds=-1"], 2, "--seconds"),
    ];
    for (flags, code, message) in cases {
        let said = run(tedomari(flags), b"name\n");
        assert_eq!(said.status.code(), Some(code), "{flags:?}: {said:?}");
        assert!(said.stderr.contains(message), "{flags:?}: {}", said.stderr);
        assert_eq!(said.stdout, "", "{flags:?}");
    }
}

#[test]
fn other_commands_print_exactly_one_json_object() {
    for (args, key) in [
        (&["config", "--json"][..], "time"),
        (&["commands", "--json"], "commands"),
        (&["bench", "--signature", "--json"], "signature"),
        (&["bench", "--seconds", "0.05", "--rounds", "1", "--json"], "settings"),
    ] {
        let said = run(tedomari(args), b"");
        assert!(said.status.success(), "{args:?}: {}", said.stderr);
        let object: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        assert!(object.get(key).is_some(), "{args:?}: {object}");
        assert_eq!(said.stdout.trim_end().lines().count(), 1, "{args:?}");
    }
}

// ---------------------------------------------------------------------------------------------
// Networks

#[test]
fn a_network_for_another_game_was_used_silently() {
    let refused = |args: &[&str], input: &str| {
        let said = run(tedomari(args), input.as_bytes());
        assert_eq!(said.status.code(), Some(1), "{said:?}");
        assert_eq!(said.stdout, "");
        said.stderr
    };
    let said = refused(&["--net", "builtin:nogo9"], "genmove b\n");
    let clear = "builtin:nogo9 is a network for NoGo, and the game is Go";
    assert!(said.contains(clear), "{said}");
    let said = refused(&["--net", "builtin:go9", "--game", "nogo"], "genmove b\n");
    assert!(said.contains("builtin:go9 is a network for Go, and the game is NoGo"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("match");
    let player = "tedomari net=builtin:nogo9 simulations=2";
    let args = ["match", "--player", player, "--player", player, "--out", out.to_str().unwrap()];
    let said = refused(&args, "");
    assert!(said.contains(clear) && !out.exists(), "{said}");
    // Nor is it when the game changes.
    let mut engine = Client::start(tedomari(&["--net", "builtin:nogo9small", "--game", "nogo"]));
    for line in ["tedomari-game go", "tedomari-set-config game.kind go"] {
        let why = engine.try_ask(line).unwrap_err();
        assert!(why.contains("the network is not for Go"), "{line}: {why}");
        assert_eq!(engine.ask("tedomari-game"), "nogo");
        assert_eq!(engine.ask("tedomari-get-config game.kind"), "\"nogo\"");
    }
}

#[test]
fn the_engine_named_another_player_than_the_one_that_plays() {
    let log = ["--log-level", "info", "--set", "search.max_simulations=10"];
    let input = "gomill-describe_engine\nboardsize 5\ngomill-describe_engine\ngenmove b\n";
    let said = run(tedomari(&log), input.as_bytes());
    let answers: Vec<_> = said.stdout.split_terminator("\n\n").collect();
    assert!(answers[0].contains("Go on 9x9") && answers[0].contains("go9"), "{}", answers[0]);
    assert!(answers[2].contains("Go on 5x5"), "{}", answers[2]);
    assert!(answers[2].contains("without a network"), "{}", answers[2]);
    // The log says the same, and names moves like people do.
    let boards: Vec<_> = said.stderr.lines().filter(|line| line.contains("the board")).collect();
    assert_eq!(boards.len(), 2, "{}", said.stderr);
    assert!(boards[0].contains("go9") && boards[1].contains("without a network"), "{boards:?}");
    assert!(said.stderr.contains(&format!("mv=\"{}\"", &answers[3][2..])), "{}", said.stderr);
    assert!(!said.stderr.contains("Point("), "{}", said.stderr);
}

#[test]
fn built_in_networks_are_listed() {
    let said = run(tedomari(&["net", "list"]), b"");
    let line = said.stdout.lines().find(|line| line.starts_with("builtin:go9 ")).unwrap();
    assert!(line.contains("6x64") && line.contains("Go on 9x9"), "{line}");
    let said = run(tedomari(&["net", "list", "--json"]), b"");
    let object: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let nets = object["nets"].as_array().unwrap();
    assert!(nets.iter().any(|net| net["net"] == "builtin:go19" && net["boards"][1] == 19));
    for net in nets {
        let name = net["net"].as_str().unwrap();
        assert!(run(tedomari(&["net", "info", name]), b"").status.success(), "{name}");
    }
}

#[test]
fn a_network_that_is_good_is_told_plainly() {
    let said = run(tedomari(&["net", "verify", "builtin:untrained"]), b"");
    assert!(said.stdout.contains("good") && !said.stdout.contains("sing"), "{}", said.stdout);
}

// ---------------------------------------------------------------------------------------------
// What people type

#[test]
fn a_report_on_no_match_tells_its_error_once() {
    let said = run(tedomari(&["match", "report", "nosuch"]), b"");
    assert_eq!(said.stderr.matches("No such file").count(), 1, "{}", said.stderr);
}

#[test]
fn flags_that_people_type_are_obeyed() {
    let flags = ["--komi", "6.5", "--rules", "japanese", "--threads", "1", "--simulations", "60"];
    let ask = |before: &[&str], input: &str| {
        let said = run(tedomari(&[before, &flags].concat()), input.as_bytes());
        assert!(said.status.success(), "{said:?}");
        said.stdout
    };
    for before in [&[][..], &["gtp"]] {
        let said = ask(before, "printsgf\ngenmove b\ntedomari-search-report\n");
        for part in ["KM[6.5]", "RU[Japanese]", "\"simulations\":60,"] {
            assert!(said.contains(part), "{part} is missing: {said}");
        }
    }
    let said = run(tedomari(&["--time", "fixed:0.3", "--board", "9x9"]), b"genmove b\nprintsgf\n");
    assert!(said.stdout.contains("OT[1/0.3 Canadian]"), "{}", said.stdout);
    assert!(said.stdout.contains("SZ[9]"), "{}", said.stdout);
}

#[test]
fn a_misspelt_key_of_a_player_is_answered_with_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("match");
    let player = "tedomari simulatons=2";
    let args = ["match", "--player", player, "--player", player, "--out", out.to_str().unwrap()];
    let said = run(tedomari(&args), b"");
    assert!(
        said.stderr.contains("the nearest known key is 'search.max_simulations'"),
        "{}",
        said.stderr
    );
    let said = run(tedomari(&["--set", "simulatons=2"]), b"");
    assert!(said.stderr.contains("'search.max_simulations'"), "{}", said.stderr);
}

#[test]
fn help_and_exit_get_a_hint() {
    let said = run(tedomari::<&str>(&[]), b"help\n7 exit\nname\n");
    let hint = "unknown command: list_commands shows all, quit ends the program";
    assert_eq!(said.stdout, format!("? {hint}\n\n?7 {hint}\n\n= Tedomari\n\n"));
}

// ---------------------------------------------------------------------------------------------
// Clocks

/// Plays a game of 2 s for each side; the time that each has used.
fn game_of_two_seconds() -> [Duration; 2] {
    let mut engine = Client::start(tedomari(&["--set", "play.resign=false"]));
    engine.ask("boardsize 9");
    engine.ask("time_settings 2 0 0");
    let mut used = [Duration::ZERO; 2];
    let (mut passes, mut moves) = (0, 0);
    while passes < 2 && moves < 500 {
        let (time, answer) = engine.time(["genmove b", "genmove w"][moves % 2]);
        used[moves % 2] += time;
        passes = if answer.unwrap() == "pass" { passes + 1 } else { 0 };
        moves += 1;
    }
    eprintln!("2 s for a game of {moves} moves: {used:?}");
    assert_eq!(passes, 2, "the game did not end");
    used
}

#[test]
fn two_seconds_are_enough_for_a_whole_game() {
    let _alone = alone();
    // Somebody else may use the processors: who cannot keep time oversteps in every game.
    let in_time = (0..3).any(|_| game_of_two_seconds().iter().all(|&time| time < 2 * SECOND));
    assert!(in_time, "three games took too long");
}

#[test]
fn no_move_takes_longer_than_its_period() {
    let _alone = alone();
    let mut engine = Client::start(tedomari::<&str>(&[]));
    engine.ask("kgs-time_settings byoyomi 0 1 1");
    let mut longest_of_six =
        || (0..6).map(|n| engine.time(["genmove b", "genmove w"][n % 2]).0).max().unwrap();
    // Somebody else may use the processors, but not every time.
    let mut longest = longest_of_six();
    for _ in 0..2 {
        if longest >= SECOND {
            longest = longest.min(longest_of_six());
        }
    }
    eprintln!("1 s of byo-yomi: the longest move took {longest:?}");
    assert!(longest < SECOND, "{longest:?}");
    assert!(longest > SECOND / 4, "the period is not used: {longest:?}");
}

#[test]
fn a_period_without_stones_means_the_default_time() {
    let _alone = alone();
    let mut engine = Client::start(tedomari(&["--set", "time.seconds_per_move=0.05"]));
    for settings in ["time_settings 0 1 0", "time_settings 0 0 0", "kgs-time_settings none"] {
        engine.ask("clear_board");
        engine.ask(settings);
        let mut middle_of_five =
            || median((0..5).map(|n| engine.time(["genmove b", "genmove w"][n % 2]).0).collect());
        let allowed = Duration::from_millis(45)..Duration::from_millis(150);
        // Somebody else may use the processors, but not every time.
        let mut middle = middle_of_five();
        for _ in 0..2 {
            if !allowed.contains(&middle) {
                middle = middle_of_five();
            }
        }
        assert!(allowed.contains(&middle), "{settings}: {middle:?}");
    }
}
