//! Nothing that is sent, loaded or configured brings the engine down, makes it hang, or makes it
//! grow without end.
//!
//! Every line and file is made from a seed and a number, so that a failure names what to repeat.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::print_stderr, reason = "figures for people, shown with --nocapture")]
#![allow(clippy::disallowed_methods, reason = "tests measure time")]

mod client;
mod skip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use tedomari::config::{Config, ConfigError};
use tedomari::engine::{Engine, EngineParams, Ticket};
use tedomari::game::{
    BoardSize, Color, GameRecord, Komi, Move, Position, RecordedMove, Rules, sgf,
};
use tedomari::gtp::{
    GtpParams, Line, MAX_LINE, Request, Response, Session, Settings, read_line, serve, specs,
};
use tedomari::playout::{PlayoutEvaluator, PlayoutParams};
use tedomari::util::{Rng, Seed};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use client::{Client, memory, parse_answer, run, tedomari, within};

const SEED: Seed = Seed::new(20_240_229);

/// Lines for one live session.
const LINES: u64 = 1_000_000;

/// What memory may grow by: far more than a session needs, far less than a leak would take.
const MAX_GROWTH: u64 = 200 << 20;

// ---------------------------------------------------------------------------------------------
// The session under test

/// A configuration that a client can change, but for the length of a search.
struct TinySearches(Config);

impl Settings for TinySearches {
    fn list(&self) -> Vec<(String, String)> {
        Settings::list(&self.0)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        Settings::set(&mut self.0, key, value)
    }

    fn engine(&self) -> EngineParams {
        let mut params = self.0.engine();
        params.search.max_simulations = params.search.max_simulations.clamp(1, 10);
        params
    }

    fn gtp(&self) -> GtpParams {
        self.0.gtp.clone()
    }
}

fn session() -> Session {
    let settings = TinySearches(Config::default());
    // What is played out does not matter here, and these are the fastest.
    let evaluator = PlayoutEvaluator::with(PlayoutParams::uniform(), SEED.fork("playouts", 0));
    Session::new(Engine::new(settings.engine(), Arc::new(evaluator)), Box::new(settings))
}

/// Answers one line in process.
fn ask(session: &mut Session, line: &str) -> Result<String, String> {
    let Line::Request(request) = read_line(line.as_bytes()) else { panic!("{line} is no request") };
    session.answer(&request, &Ticket::unlimited()).text
}

/// Whether the session still plays, after whatever has happened to it.
const LAST_WORDS: &str = "tedomari-game go\nboardsize 9\nclear_board\ngenmove b\n";

fn check_move(vertex: &str) {
    let size = BoardSize::square(9).unwrap();
    let mut position = Position::new(size, Rules::CHINESE, Komi::default());
    let mv = size.parse_move(vertex).unwrap_or_else(|_| panic!("{vertex} is no move"));
    position.play(Color::Black, mv).unwrap();
}

fn check_still_plays(session: &mut Session) {
    let answers: Vec<_> = LAST_WORDS.lines().map(|line| ask(session, line)).collect();
    check_move(answers.last().unwrap().as_ref().unwrap());
}

/// Runs a whole conversation through the server.
async fn converse(input: Vec<u8>) -> String {
    let (mut client, server) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(server);
    let serving = serve(read, write, session(), std::future::pending());
    let talking = async {
        let (mut answers, mut requests) = tokio::io::split(&mut client);
        let writing = async {
            requests.write_all(&input).await.unwrap();
            requests.shutdown().await.unwrap();
        };
        let mut text = String::new();
        let ((), read) = tokio::join!(writing, answers.read_to_string(&mut text));
        read.unwrap();
        text
    };
    let (served, text) = tokio::join!(serving, talking);
    served.unwrap();
    text
}

/// Checks that answers are well framed, and splits them.
fn split_answers(text: &str) -> Vec<(Option<u32>, Result<String, String>)> {
    assert!(text.is_empty() || text.ends_with("\n\n"), "the last answer is not complete");
    let answers = text.split_terminator("\n\n");
    answers.map(|a| parse_answer(a).unwrap_or_else(|| panic!("not an answer: {a:?}"))).collect()
}

// ---------------------------------------------------------------------------------------------
// (a) a million lines

/// Makes lines. Files are named inside one folder only.
struct Lines {
    folder: String,
    commands: Vec<&'static str>,
    words: Vec<&'static str>,
}

/// Commands as a well-behaved client sends them. `@` stands for a folder, `C` for a player, `V`
/// for a vertex, `N` for a small number.
const WELL_FORMED: &[&str] = &[
    "play C V",
    "play C V",
    "play C V",
    "play C V",
    "play C V",
    "play C V",
    "play C V",
    "play C V",
    "genmove C",
    "reg_genmove C",
    "kgs-genmove_cleanup C",
    "gogui-play_sequence C V C V C V",
    "undo",
    "gg-undo N",
    "boardsize N",
    "rectangular_boardsize N N",
    "clear_board",
    "komi N.5",
    "komi -N",
    "tedomari-game nogo",
    "tedomari-game go",
    "tedomari-game",
    "fixed_handicap N",
    "place_free_handicap N",
    "set_free_handicap V V V",
    "set_position C V C V C V C V",
    "gogui-setup C V C V C V",
    "gogui-setup_player C",
    "showboard",
    "time_settings N N N",
    "time_left C N N",
    "kgs-time_settings byoyomi N N N",
    "kata-time_settings fischer-capped N N N N",
    "kata-time_settings canadian N N N",
    "kgs-rules japanese",
    "kgs-rules chinese",
    "kata-set-rules tromp-taylor",
    "kata-set-rules {\"ko\":\"SITUATIONAL\",\"suicide\":true}",
    "kata-set-rule scoring TERRITORY",
    "kata-set-rule friendlyPassOk false",
    "kata-get-rules",
    "final_score",
    "final_status_list dead",
    "gogui-rules_legal_moves",
    "gogui-rules_board",
    "gogui-rules_final_result",
    "printsgf",
    "loadsgf @/good.sgf",
    "loadsgf @/good.sgf N",
    "loadsgf @/bad.sgf",
    "loadsgf @/fifo",
    "loadsgf @",
    "loadsgf /dev/zero",
    "loadsgf /dev/stdin",
    "loadsgf @/missing.sgf",
    "tedomari-set-config search.max_simulations N",
    "tedomari-set-config game.board_size N",
    "tedomari-set-config play.resign_below 0.N",
    "tedomari-set-config gtp.kgs_chat true",
    "tedomari-get-config time.lag_ms",
    "kgs-chat game somebody hello",
    "known_command play",
    "list_commands",
    "gomill-explain_last_move",
    "# interrupt",
    "lz-analyze C N",
    "kata-analyze C N ownership true rootInfo true",
    "kata-analyze interval N avoid C V,V,pass N",
    "kata-genmove_analyze C N allow C V N pvVisits true",
    "kata-search_analyze_cancellable C N",
    "cgos-genmove_analyze C",
    "kata-raw-nn N",
    "tedomari-search-report",
    "stop",
];

/// Words that have surprised programs before.
const WORDS: &str = "b w black WHITE pass PASS resign A1 j9 I5 Z99 T19 Z25 A0 a-1 D4D4 \
    0 1 2 5 19 25 26 -1 4294967295 4294967296 18446744073709551616 -9223372036854775809 1e999 \
    -1e999 1e-999 NaN -nan inf -inf 0x10 +7 7.5 3.25 1_000 true false dead alive seki \
    black_territory chinese japanese tromp-taylor nogo go none absolute byoyomi fischer \
    { } {} [] {\"ko\": {\"ko\":\"SIMPLE\"} {\"suicide\":[[[[[[ \"\" \" ' \\ %s%n $(x) é 日本 \
    \u{202e} \u{a0} \u{feff} search.seed search.exploration time.lag_ms time.seconds_per_move \
    game.komi game.rules log.level log.file gtp.name play.resign = ? #";

impl Lines {
    fn new(folder: &Path) -> Self {
        let commands = specs().flat_map(|(_, specs)| specs.iter().map(|spec| spec.name)).collect();
        let words = WORDS.split(' ').collect();
        Self { folder: folder.to_str().unwrap().to_owned(), commands, words }
    }

    /// The line with this number, without its end.
    fn line(&self, number: u64) -> Vec<u8> {
        let mut rng = SEED.fork("line", number).rng();
        let mut line = match rng.random_range(0..20_000) {
            0 => vec![b'x'; rng.random_range(MAX_LINE - 2..MAX_LINE + 5000)],
            1..6_000 => random_bytes(&mut rng, 80),
            6_000..11_000 => self.soup(&mut rng),
            11_000..14_000 => {
                let mut line = self.well_formed(&mut rng);
                mutate(&mut line, &mut rng);
                line
            }
            _ => self.well_formed(&mut rng),
        };
        line.retain(|&byte| byte != b'\n');
        if self.is_harmless(&line, &mut rng) { line } else { b"gogui-rules_side_to_move".to_vec() }
    }

    fn well_formed(&self, rng: &mut Rng) -> Vec<u8> {
        let mut line = request_number(rng);
        for c in pick(WELL_FORMED, rng).chars() {
            match c {
                'C' => line.push_str(if rng.random() { "b" } else { "w" }),
                'V' => {
                    line.push(pick(&['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J'], rng));
                    line.push_str(&rng.random_range(1..10).to_string());
                }
                'N' => line.push_str(&rng.random_range(0..12).to_string()),
                '@' => line.push_str(&self.folder),
                c => line.push(c),
            }
        }
        line.into_bytes()
    }

    fn soup(&self, rng: &mut Rng) -> Vec<u8> {
        let mut line = request_number(rng);
        line.push_str(pick(&self.commands, rng));
        for _ in 0..rng.random_range(0..6) {
            line.push_str(if rng.random_range(0..20) == 0 { "\t " } else { " " });
            match rng.random_range(0..20) {
                0 => line.push_str(pick(&self.commands, rng)),
                1 => line.extend([&self.folder, "/", &rng.random_range(0..9).to_string()]),
                2 => line.push_str(&rng.random::<i64>().to_string()),
                3 => line.push_str(&rng.random::<f64>().to_string()),
                _ => line.push_str(pick(&self.words, rng)),
            }
        }
        line.into_bytes()
    }

    /// No line may end the session or touch files outside the folder; few may write files, which
    /// takes its time.
    fn is_harmless(&self, line: &[u8], rng: &mut Rng) -> bool {
        let Line::Request(request) = read_line(line) else { return true };
        let inside = |path: &String| path.starts_with(&self.folder) && !path.contains("..");
        let known = ["/dev/zero", "/dev/stdin"];
        match (request.command.as_str(), request.arguments.first()) {
            ("printsgf", Some(path)) => {
                let name = path.strip_prefix(&format!("{}/", self.folder));
                let digit = name.is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit());
                digit && rng.random_range(0..10) == 0
            }
            ("loadsgf", Some(path)) => inside(path) || known.contains(&path.as_str()),
            _ => !Session::ends_with(&request),
        }
    }
}

/// What stands before a command: mostly nothing, or a number, which may be too large.
fn request_number(rng: &mut Rng) -> String {
    match rng.random_range(0..8) {
        0 => format!("{} ", rng.random_range(0..1000)),
        1 => format!("{} ", rng.random::<u32>()),
        _ => String::new(),
    }
}

fn pick<T: Copy>(list: &[T], rng: &mut Rng) -> T {
    list[rng.random_range(0..list.len())]
}

fn random_bytes(rng: &mut Rng, max: usize) -> Vec<u8> {
    let printable = rng.random();
    let byte = |rng: &mut Rng| if printable { rng.random_range(b' '..=b'~') } else { rng.random() };
    (0..rng.random_range(0..max)).map(|_| byte(rng)).collect()
}

/// Changes a few bytes: some are replaced, left out, doubled or moved.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..rng.random_range(1..5) {
        if bytes.is_empty() {
            bytes.push(rng.random());
            continue;
        }
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..6) {
            0 => bytes[at] = rng.random(),
            1 => bytes[at] ^= 1 << rng.random_range(0..8),
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, rng.random()),
            4 => bytes.truncate(at),
            _ => {
                let end = bytes.len().min(at + rng.random_range(1..20));
                let part = bytes[at..end].to_vec();
                let to = rng.random_range(0..=bytes.len());
                bytes.splice(to..to, part);
            }
        }
    }
}

/// A folder with what `loadsgf` may be given.
fn folder_of_files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("good.sgf"), "(;GM[1]SZ[9]KM[7];B[ee];W[cc];B[gg])").unwrap();
    fs::write(folder.path().join("bad.sgf"), "(;GM[1]SZ[9];B[ee];W[ee])").unwrap();
    make_fifo(&folder.path().join("fifo"));
    folder
}

/// Makes a pipe with a name where the system has the program for it.
fn make_fifo(path: &Path) -> bool {
    Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success())
}

/// What the server should answer to a line.
enum Expected {
    Nothing,
    /// An answer that repeats the number of the request.
    Answer(Option<u32>),
}

fn expected(line: &[u8]) -> Expected {
    match read_line(&line[..line.len().min(MAX_LINE)]) {
        Line::Request(request) => Expected::Answer(request.id),
        _ if line.len() > MAX_LINE => Expected::Answer(None),
        _ => Expected::Nothing,
    }
}

/// Sends all lines to one server while its answers are checked one by one.
async fn send_lines(lines: &Lines, count: u64) -> String {
    let (mut client, server) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(server);
    let serving = serve(read, write, session(), std::future::pending());
    let talking = async {
        let (answers, mut requests) = tokio::io::split(&mut client);
        let writing = async {
            let mut block = Vec::new();
            for number in 0..count {
                block.extend_from_slice(&lines.line(number));
                block.push(b'\n');
                if block.len() > 1 << 14 {
                    requests.write_all(&block).await.unwrap();
                    block.clear();
                }
            }
            block.extend_from_slice(LAST_WORDS.as_bytes());
            requests.write_all(&block).await.unwrap();
            requests.shutdown().await.unwrap();
        };
        let ((), last) = tokio::join!(writing, check_answers(lines, count, answers));
        last
    };
    let (served, last) = tokio::join!(serving, talking);
    served.unwrap();
    last
}

/// Compares every answer with its line, and returns the answer to the last of [`LAST_WORDS`].
async fn check_answers(
    lines: &Lines,
    count: u64,
    mut answers: impl AsyncReadExt + Unpin,
) -> String {
    let mut numbers = (0..count).filter_map(|number| match expected(&lines.line(number)) {
        Expected::Answer(id) => Some((number, id)),
        Expected::Nothing => None,
    });
    let mut text = Vec::new();
    let mut last = String::new();
    let mut more = LAST_WORDS.lines().count();
    while answers.read_buf(&mut text).await.unwrap() > 0 {
        let mut start = 0;
        while let Some(end) = text[start..].windows(2).position(|two| two == b"\n\n") {
            let answer = std::str::from_utf8(&text[start..start + end]).unwrap();
            start += end + 2;
            let Some((number, id)) = numbers.next() else {
                more = more.checked_sub(1).expect("there are more answers than requests");
                last = parse_answer(answer).unwrap().1.unwrap();
                continue;
            };
            let parsed = parse_answer(answer);
            let right = parsed.as_ref().is_some_and(|(echoed, _)| *echoed == id)
                && !answer.chars().any(|c| c.is_control() && c != '\n')
                && answer.lines().all(|line| !line.is_empty());
            assert!(right, "{} is answered by {answer:?}", describe(lines, number));
        }
        text.drain(..start);
    }
    if let Some((number, _)) = numbers.next() {
        panic!("no answer to {}", describe(lines, number));
    }
    assert!(text.is_empty() && more == 0, "the answers end with {:?}", text.escape_ascii());
    last
}

fn describe(lines: &Lines, number: u64) -> String {
    let line = lines.line(number);
    let shown = &line[..line.len().min(300)];
    format!("line {number} of seed {}, \"{}\",", SEED.number(), shown.escape_ascii())
}

#[test]
fn a_million_bad_lines_do_no_harm_to_one_session() {
    let folder = folder_of_files();
    let before = memory("self", "VmRSS");
    let start = Instant::now();
    let lines = Lines::new(folder.path());
    let last = within(Duration::from_secs(600), move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(send_lines(&lines, LINES))
    });
    check_move(&last);
    let seconds = start.elapsed().as_secs_f64();
    let growth = memory("self", "VmRSS").zip(before).map(|(now, then)| now.saturating_sub(then));
    eprintln!(
        "{LINES} lines in {seconds:.1} s, {:.0} a second, memory grew by {:?} KiB",
        LINES as f64 / seconds,
        growth.map(|bytes| bytes >> 10)
    );
    assert!(growth.is_none_or(|bytes| bytes < MAX_GROWTH), "memory grew by {growth:?} bytes");
}

#[test]
fn every_answer_fits_its_frame_whatever_the_command_says() {
    // Straight to the session: names and versions that a client can set come back in answers.
    let mut session = session();
    for value in ["\"\\n\\n= x\"", "\"\\u0000\\r\\n\"", "\"\\t\\t\"", "\"a\\n\\n\\nb\"", "\"\""] {
        for key in ["gtp.name", "gtp.version"] {
            ask(&mut session, &format!("tedomari-set-config {key} {value}")).unwrap();
        }
        for line in ["name", "7 version", "gomill-describe_engine", "tedomari-get-config"] {
            let Line::Request(request) = read_line(line.as_bytes()) else { unreachable!() };
            let text = session.answer(&request, &Ticket::unlimited()).to_string();
            let answers = split_answers(&text);
            assert_eq!(answers.len(), 1, "{line} with {value}: {text:?}");
            assert_eq!(answers[0].0, request.id);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// (b) lines of all lengths

#[tokio::test]
async fn long_lines_are_refused_and_the_session_goes_on() {
    let longest = |extra: usize| {
        let mut line = b"5 known_command ".to_vec();
        line.resize(MAX_LINE + extra, b'x');
        line
    };
    let mut input = longest(0);
    input.push(b'\n');
    input.extend(longest(1));
    input.push(b'\n');
    input.extend(vec![b'#'; MAX_LINE + 1]);
    input.extend(b"\n\0na\0me\0\n\0\0\0\nprotocol_version");
    let answers = split_answers(&converse(input).await);
    assert_eq!(answers[0], (Some(5), Ok("false".to_owned())));
    let refused = format!("the line is longer than {MAX_LINE} bytes");
    assert_eq!(answers[1], (Some(5), Err(refused.clone())));
    assert_eq!(answers[2], (None, Err(refused)));
    assert_eq!(answers[3], (None, Ok("Tedomari".to_owned())));
    // The last line has no end.
    assert_eq!(answers[4], (None, Ok("2".to_owned())));
    assert_eq!(answers.len(), 5);
}

#[tokio::test]
async fn input_may_end_anywhere() {
    for (input, count) in [
        (&b""[..], 0),
        (b"\n", 0),
        (b"\0", 0),
        (b"#", 0),
        (b"1", 0),
        (b"name", 1),
        (b"name\n2 name", 2),
        (b"quit\nname\n", 1),
        (b"\xef\xbb\xbfname\n", 1),
        (b"name\r\n\r\nversion\r", 2),
    ] {
        let text = converse(input.to_vec()).await;
        let shown = input.escape_ascii();
        assert_eq!(split_answers(&text).len(), count, "\"{shown}\" is answered by {text:?}");
    }
    let endless = converse(vec![b'y'; 10 << 20]).await;
    assert_eq!(split_answers(&endless).len(), 1);
    assert!(endless.starts_with("? "));
}

#[test]
fn a_line_of_a_hundred_megabytes_takes_no_memory() {
    let mut engine = Client::start(tedomari::<&str>(&[]));
    engine.ask("name");
    let process = engine.process_id().to_string();
    let before = memory(&process, "VmHWM");
    let block = vec![b'z'; 1 << 20];
    for _ in 0..100 {
        engine.send_bytes(&block);
    }
    engine.send("");
    let refusal = engine.answer().text.unwrap_err();
    assert!(refusal.contains("longer"), "{refusal}");
    let growth = memory(&process, "VmHWM").zip(before).map(|(now, then)| now - then);
    eprintln!("a line of 100 MB: memory grew by {:?} KiB", growth.map(|bytes| bytes >> 10));
    assert!(growth.is_none_or(|bytes| bytes < 16 << 20), "memory grew by {growth:?} bytes");
    assert_eq!(engine.ask("protocol_version"), "2");
}

// ---------------------------------------------------------------------------------------------
// (c) files for loadsgf

/// Random games, and texts that use more of the format.
fn sgf_samples() -> Vec<Vec<u8>> {
    let mut samples: Vec<Vec<u8>> = [
        "(;GM[1]FF[4]SZ[9]KM[6.5]RU[Japanese]PB[a\\]b]PW[c];B[ee];W[tt];B[](;W[cc])(;W[dd]))",
        "(;GM[1]SZ[7:5]AB[aa][bb:cc]AW[ga]PL[W]HA[4];W[ee]WL[12.5]OW[3]C[so\\\nso])",
        "(;GM[1]SZ[19]RU[NoGo];B[dd];W[pp];B[dp])(;GM[1];B[aa])",
        "(;FF[4]CA[UTF-8]SZ[25]AE[aa:yy]RE[B+0.5]DT[2024-02-29];B[yy];W[aa])",
    ]
    .into_iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    for number in 0..8 {
        let mut rng = SEED.fork("game", number).rng();
        let size = BoardSize::new(rng.random_range(2..12), rng.random_range(2..12)).unwrap();
        let rules = if number % 4 == 0 { Rules::NOGO } else { Rules::CHINESE };
        let mut position = Position::new(size, rules, Komi::default());
        let mut record = GameRecord { rules: Some(rules), ..GameRecord::new(size) };
        for _ in 0..rng.random_range(1..60) {
            let color = position.to_move();
            let legal: Vec<_> = position.legal_points(color).collect();
            if legal.is_empty() {
                break;
            }
            let mv = Move::Place(pick(&legal, &mut rng));
            position.play(color, mv).unwrap();
            record.moves.push(RecordedMove::new(color, mv));
        }
        samples.push(sgf::write(&record).into_bytes());
    }
    samples
}

/// Everything about the game that a client can see.
fn snapshot(session: &mut Session) -> String {
    ["showboard", "printsgf", "kata-get-rules", "gogui-rules_side_to_move", "gogui-rules_game_id"]
        .map(|line| ask(session, line).unwrap())
        .join("\n")
}

/// Loads a file, which may fail but then changes nothing. Returns whether it succeeded.
fn check_load(session: &mut Session, path: &Path, what: &str) -> bool {
    let before = snapshot(session);
    let request = Request {
        id: Some(3),
        command: "loadsgf".to_owned(),
        arguments: vec![path.to_str().unwrap().to_owned()],
    };
    let response: Response = session.answer(&request, &Ticket::unlimited());
    assert_eq!(split_answers(&response.to_string()).len(), 1, "{what}");
    let after = snapshot(session);
    match &response.text {
        Ok(color) => assert!(color.parse::<Color>().is_ok(), "{what}: {color}"),
        Err(error) => {
            assert!(error.starts_with("cannot load file: "), "{what}: {error}");
            assert!(error.len() < 1000, "{what}: {error}");
            assert_eq!(before, after, "{what} was refused with '{error}' and changed the game");
        }
    }
    response.text.is_ok()
}

#[test]
fn damaged_records_are_refused_and_change_nothing() {
    const FILES: u64 = 10_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.sgf");
    let loaded = within(Duration::from_secs(300), move || {
        let samples = sgf_samples();
        let mut session = session();
        let mut loaded = 0;
        for number in 0..FILES {
            let mut rng = SEED.fork("sgf", number).rng();
            let mut bytes = pick(&samples.iter().collect::<Vec<_>>(), &mut rng).clone();
            if number % 10 == 0 {
                bytes = random_bytes(&mut rng, 500);
            } else if number >= samples.len() as u64 {
                mutate(&mut bytes, &mut rng);
            }
            fs::write(&path, &bytes).unwrap();
            let what = format!("file {number}: {}", bytes.escape_ascii());
            loaded += u64::from(check_load(&mut session, &path, &what));
        }
        check_still_plays(&mut session);
        loaded
    });
    eprintln!("{loaded} of {FILES} damaged records could be read all the same");
    assert!((FILES / 50..FILES).contains(&loaded), "the damage is too much or too little");
}

#[test]
fn files_that_are_too_much_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: Vec<u8>| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let deep = write("deep.sgf", [vec![b'('; 1 << 20], vec![b')'; 1 << 20]].concat());
    let nested = [b"(;SZ[9]".repeat(100_000), vec![b')'; 100_000]].concat();
    let mut refused: Vec<(PathBuf, &str)> = vec![
        (write("empty.sgf", Vec::new()), ""),
        (write("large.sgf", [b"(;C[".to_vec(), vec![b'x'; 5 << 20]].concat()), "larger than"),
        (write("nested.sgf", nested), ""),
        (write("nodes.sgf", [b"(".to_vec(), b";B[]".repeat(500_000), b")".to_vec()].concat()), ""),
        (deep, ""),
        (write("open.sgf", b"(;C[".to_vec()), ""),
        (write("zero.sgf", vec![0; 1000]), ""),
        (
            write(
                "stones.sgf",
                b"(;SZ[25]".iter().copied().chain(b"AB[aa:yy]AE[aa:yy]".repeat(100_000)).collect(),
            ),
            "",
        ),
        (folder.path().to_owned(), "not a regular file"),
        (folder.path().join("missing.sgf"), "cannot read"),
        (folder.path().join("empty.sgf/below"), "cannot read"),
        (PathBuf::from("x".repeat(5000)), "cannot read"),
    ];
    if make_fifo(&folder.path().join("fifo")) {
        refused.push((folder.path().join("fifo"), "not a regular file"));
    }
    if Path::new("/dev/zero").exists() {
        refused.push(("/dev/zero".into(), "not a regular file"));
    }
    within(Duration::from_secs(60), move || {
        let mut session = session();
        ask(&mut session, "play b C3").unwrap();
        for (path, message) in refused {
            let shown = format!("{:.60}", path.display());
            let before = snapshot(&mut session);
            let error = ask(&mut session, &format!("loadsgf {}", path.display()));
            let error = error.expect_err(&shown);
            assert!(error.contains(message), "{shown}: {error}");
            assert_eq!(before, snapshot(&mut session), "{shown}");
        }
        check_still_plays(&mut session);
    });
}

#[test]
fn records_are_not_written_over_what_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    if !make_fifo(&fifo) {
        skip::skip("mkfifo");
        return;
    }
    let mut session = session();
    let error = ask(&mut session, &format!("printsgf {}", fifo.display())).unwrap_err();
    assert!(error.contains("cannot write"), "{error}");
    assert!(!fs::metadata(&fifo).unwrap().is_file(), "the pipe is still there");
    assert!(ask(&mut session, &format!("printsgf {}", folder.path().display())).is_err());
    let good = folder.path().join("game.sgf");
    ask(&mut session, &format!("printsgf {}", good.display())).unwrap();
    assert!(check_load(&mut session, &good, "our own file"));
}

// ---------------------------------------------------------------------------------------------
// (d) configurations

#[test]
fn damaged_configurations_are_refused_with_a_reason() {
    const TEXTS: u64 = 40_000;
    let whole = Config::default().to_documented_toml();
    let mut read = 0;
    for number in 0..TEXTS {
        let mut rng = SEED.fork("config", number).rng();
        let mut bytes = if number % 8 == 0 {
            random_bytes(&mut rng, 200)
        } else {
            // A few lines are damaged more thoroughly than a whole file.
            let lines: Vec<_> = whole.lines().collect();
            let from = rng.random_range(0..lines.len());
            lines[from..]
                .iter()
                .take(rng.random_range(1..30))
                .copied()
                .collect::<Vec<_>>()
                .join("\n")
                .into_bytes()
        };
        mutate(&mut bytes, &mut rng);
        match Config::from_toml(&String::from_utf8_lossy(&bytes)) {
            Ok(config) => {
                read += 1;
                assert!(config.engine().check().is_ok(), "text {number}");
            }
            Err(error) => {
                assert!(error.to_string().starts_with("line "), "text {number}: {error}");
            }
        }
    }
    eprintln!("{read} of {TEXTS} damaged configurations could be read all the same");
    assert!(read > 0 && read < TEXTS);
}

#[test]
fn unknown_keys_are_named_with_line_and_neighbour() {
    let mut checked = 0;
    for section in Config::default().sections() {
        for field in section.fields {
            let wrong = format!("{}x", field.name);
            let text = format!("# one\n\n[{}]\n{wrong} = {}\n", section.name, field.value);
            let error = Config::from_toml(&text).unwrap_err();
            let known = format!("{}.{}", section.name, field.name);
            assert_eq!(
                error.to_string(),
                format!("line 4: unknown key '{known}x'; the nearest known key is '{known}'")
            );
            assert!(matches!(error, ConfigError::UnknownKey { .. }));
            checked += 1;
        }
    }
    assert!(checked > 10);
}

#[test]
fn the_committed_configuration_loads() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine.toml");
    Config::load(&path).unwrap();
    let answered = run(tedomari(&["--config".as_ref(), path.as_os_str()]), b"name\n");
    assert_eq!(answered.stdout, "= Tedomari\n\n", "{}", answered.stderr);
}

#[test]
fn the_program_refuses_bad_configurations() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.toml");
    let mut large = Config::default().to_documented_toml();
    large.push_str(&"#".repeat(2 << 20));
    let cases: [(&[u8], &str); 9] = [
        (b"\xff\xfe\x00", "UTF-8"),
        (b"[time\n", "line 1"),
        (
            b"[time]\nlagms = 3\n",
            "line 2: unknown key 'time.lagms'; the nearest known key is 'time.lag_ms'",
        ),
        (b"[time]\nlag_ms = -3\n", "line 2"),
        (b"[game]\nboard_size = 1000\n", "game.board_size is 1000"),
        (b"[game]\nkomi = nan\n", "game.komi"),
        (b"[search]\nexploration = \"much\"\n", "line 2"),
        (b"a = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n", "line 1"),
        (large.as_bytes(), "larger than"),
    ];
    let check = |message: &str| {
        let said = run(tedomari(&["--config".as_ref(), path.as_os_str()]), b"name\nquit\n");
        assert_eq!(said.status.code(), Some(1), "{message}: {said:?}");
        assert_eq!(said.stdout, "", "{message}");
        let named = said.stderr.contains(message) && said.stderr.contains("bad.toml");
        assert!(named, "{message}: {}", said.stderr);
    };
    for (bytes, message) in cases {
        fs::write(&path, bytes).unwrap();
        check(message);
    }
    for number in 0..5 {
        let mut bytes = b"[[".to_vec();
        bytes.extend(random_bytes(&mut SEED.fork("toml", number).rng(), 300));
        fs::write(&path, bytes).unwrap();
        check("");
    }
}
