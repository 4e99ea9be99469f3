//! What the targets do with the bytes that they are given. `tests/fuzz_seeds.rs` does the same with the seeds and with what was
//! found once.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use sha2::{Digest, Sha256};
use tedomari::analysis::katago::{Context, Output as Answers, Session as Analysis, Settings};
use tedomari::analysis::{AnalysisParams, Service, Setup};
use tedomari::arena::{GameStart, Player, Program, Question, Streams, TimeControl};
use tedomari::config::Config;
use tedomari::engine::{Engine, Purpose, Ticket};
use tedomari::eval::UniformEvaluator;
use tedomari::game::sgf::{self, SgfLimits};
use tedomari::game::{BoardSize, Color, Game, Komi, Rules};
use tedomari::gtp::{Line, Response, Session, read_line};
use tedomari::nn::NetFile;
use tedomari::nn::katago::{Model, looks_like_katago};
use tedomari::record::Shard;
use tedomari::search::SearchParams;
use tedomari::train::steps_of_checkpoint;
use tedomari::uncertainty::{StopProfile, TraceFile};
use tedomari::util::Seed;

/// A target by the name of its file.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 12] = [
    ("analysis", analysis),
    ("answers", answers),
    ("checkpoint", checkpoint),
    ("config", config),
    ("gtp_line", gtp_line),
    ("gtp_session", gtp_session),
    ("katago", katago),
    ("profile", profile),
    ("sgf", sgf),
    ("shard", shard),
    ("traces", traces),
    ("weights", weights),
];

/// Any lines are queries: every answer is an object on a line, and the service still answers after them.
pub fn analysis(bytes: &[u8]) {
    const LAST: &str = "the last query";
    let evaluator = Arc::new(UniformEvaluator);
    let setup = Setup { evaluator, threads: 1, now: Box::new(|| Duration::ZERO) };
    let service = Service::start(setup).expect("a thread");
    let search = SearchParams { threads: 1, max_memory: 4, ..SearchParams::default() };
    let params = AnalysisParams { max_visits: 4, ..AnalysisParams::default() };
    let context = Arc::new(Context {
        settings: Settings::new(&params, search),
        games: Game::ALL.to_vec(),
        models: Box::new(|| Err("none".to_owned())),
        version: String::new(),
    });
    let finals = Arc::new(Finals { wanted: LAST, count: AtomicUsize::new(0) });
    let session = Analysis::new(service.client(), context, Arc::clone(&finals) as _);
    for line in bytes.split(|&byte| byte == b'\n').take(16) {
        session.line(line);
        // Nobody waits for a search without an end.
        session.line(br#"{"id":"end","action":"terminate_all"}"#);
    }
    let last = format!(
        r#"{{"id":"{LAST}","boardXSize":5,"boardYSize":5,"rules":"chinese","moves":[],"maxVisits":3}}"#
    );
    session.line(last.as_bytes());
    service.finish();
    assert!(finals.count.load(Ordering::Relaxed) >= 1);
}

/// Counts the final answers to a query.
struct Finals {
    wanted: &'static str,
    count: AtomicUsize,
}

impl Answers for Finals {
    fn send(&self, line: String) {
        assert!(line.starts_with('{') && line.ends_with('}') && !line.contains('\n'), "{line}");
        let is_wanted = line.contains(self.wanted) && line.contains("rootInfo");
        self.count.fetch_add(usize::from(is_wanted), Ordering::Relaxed);
    }

    fn send_report(&self, line: String) {
        self.send(line);
    }
}

/// Any bytes are a checkpoint of a training or an error, in bounded memory.
pub fn checkpoint(bytes: &[u8]) {
    let _ = steps_of_checkpoint(bytes);
}

/// Any text is a configuration or an error.
pub fn config(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(config) = Config::from_toml(text) {
        let again = Config::from_toml(&config.to_documented_toml());
        assert_eq!(again.ok(), Some(config));
    }
}

/// Any bytes are a line of GTP, and any answer fits its frame.
pub fn gtp_line(bytes: &[u8]) {
    if let Line::Request(request) = read_line(bytes) {
        let echo = request.arguments.join("\n");
        let answer = Response { id: request.id, text: Ok(echo) }.to_string();
        assert!(answer.ends_with("\n\n"));
        assert_eq!(answer.matches("\n\n").count(), 1);
    }
}

/// Commands that would go on until the next line, for which nobody waits here.
const ENDLESS: [&str; 2] = ["analyze", "kata-search"];

/// Any lines are a conversation: each request gets one answer, and the engine still plays after it. Searches have few
/// simulations, and no file can be touched.
pub fn gtp_session(bytes: &[u8]) {
    let settings = [
        ("search.max_simulations", "4"),
        ("search.threads", "1"),
        ("search.max_memory", "4"),
        ("time.seconds_per_move", "0.001"),
        ("gtp.files", "off"),
        ("gtp.set_config", "false"),
    ];
    let config = settings.iter().fold(Config::default(), |config, (key, value)| {
        config.with(key, value).expect("a setting")
    });
    let engine = Engine::new(config.engine(), Arc::new(UniformEvaluator));
    let mut session = Session::new(engine, Box::new(config));
    let mut ask = |line: &[u8]| {
        let Line::Request(request) = read_line(line) else { return None };
        if ENDLESS.iter().any(|word| request.command.contains(word)) {
            return None;
        }
        let answer = session.answer(&request, &Ticket::unlimited());
        let text = answer.to_string();
        assert!(text.ends_with("\n\n") && text.matches("\n\n").count() == 1, "{text:?}");
        Some(answer.text)
    };
    for line in bytes.split(|&byte| byte == b'\n').take(64) {
        ask(line);
    }
    for line in ["tedomari-game go", "boardsize 5", "clear_board", "genmove b"] {
        assert!(ask(line.as_bytes()).is_some_and(|text| text.is_ok()), "{line}");
    }
}

/// Any file is one of KataGo's networks or an error, in bounded memory.
pub fn katago(bytes: &[u8]) {
    let model = Model::from_bytes(bytes);
    // What is read is also recognised.
    assert!(model.is_err() || looks_like_katago(bytes));
}

/// Any text is a stop profile or an error.
pub fn profile(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = StopProfile::from_text(text);
}

/// Any bytes are a record or an error, and a record survives writing and reading.
pub fn sgf(bytes: &[u8]) {
    let limits = SgfLimits::default();
    if let Ok((record, _)) = sgf::read(bytes, &limits) {
        let text = sgf::write(&record);
        assert!(sgf::read(text.as_bytes(), &limits).is_ok());
    }
}

/// Any bytes are a shard of games or an error, and every game of a shard can be read or is an error.
pub fn shard(bytes: &[u8]) {
    if let Ok(shard) = Shard::from_bytes(Path::new("a.shard"), with_checksum(bytes)) {
        for game in shard.games() {
            let _ = game;
        }
    }
}

/// Any bytes are a file of traces or an error.
pub fn traces(bytes: &[u8]) {
    let _ = TraceFile::from_bytes(Path::new("a.traces"), &with_checksum(bytes));
}

/// The same with the checksum at the end that belongs there, which no fuzzer finds.
fn with_checksum(bytes: &[u8]) -> Vec<u8> {
    let contents = &bytes[..bytes.len().saturating_sub(32)];
    [contents, &Sha256::digest(contents)].concat()
}

/// Any two files are a network or an error, in bounded memory. The bytes before the first zero are
/// the manifest, those after it the weights.
pub fn weights(bytes: &[u8]) {
    let mut files = bytes.splitn(2, |&byte| byte == 0);
    let manifest = files.next().unwrap_or_default();
    let weights = files.next().unwrap_or_default();
    let _ = NetFile::from_bytes(manifest, weights);
    // Behind the checksum, which no fuzzer finds.
    let _ = NetFile::from_parts(manifest, weights);
}

/// Whatever a GTP program of a match writes, what is understood of it fits the board, and the referee goes on. A zero byte
/// ends what the program writes for one command; an answer follows in any case, so that nobody waits for it.
pub fn answers(bytes: &[u8]) {
    let (sender, receiver) = channel();
    let answers = bytes.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    let output = Output { receiver, rest: Vec::new() };
    let input = Input { answers, sender: Some(sender) };
    let mut player = Program::over(Streams { input: Box::new(input), output: Box::new(output) });
    let size = BoardSize::square(9).expect("a size");
    let time: TimeControl = "byoyomi:60+3x10".parse().expect("a time");
    let (rules, komi) = (Rules::CHINESE, Komi::default());
    let game = GameStart { size, rules, komi, time, seed: Seed::new(1) };
    let clock = time.clock();
    let mut talk = || {
        player.start(&game)?;
        for color in Color::BOTH {
            let (purpose, limit) = (Purpose::Win, Duration::from_secs(30));
            let reply = player.genmove(&Question { color, purpose, clock: &clock, limit })?;
            if let tedomari::arena::Answer::Move(mv) = reply.answer {
                assert_eq!(size.parse_move(&size.move_text(mv)).ok(), Some(mv));
                player.play(color.opponent(), mv)?;
            }
            if let Some(dead) = player.dead_stones()? {
                assert!(dead.iter().all(|point| size.points().any(|other| other == point)));
            }
        }
        Ok::<(), tedomari::arena::Trouble>(())
    };
    if let Err(trouble) = talk() {
        assert!(trouble.to_string().len() < 4096, "{trouble}");
    }
    assert!(player.take_minor().iter().all(|minor| minor.to_string().len() < 4096));
}

/// What the program reads: for each line it writes its next answer.
struct Input {
    answers: VecDeque<Vec<u8>>,
    /// None after the last answer: then the program has ended.
    sender: Option<Sender<Vec<u8>>>,
}

impl Write for Input {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for _ in bytes.iter().filter(|&&byte| byte == b'\n') {
            let Some(mut answer) = self.answers.pop_front() else {
                self.sender = None;
                return Err(io::ErrorKind::BrokenPipe.into());
            };
            answer.extend(b"\n=\n\n");
            if let Some(sender) = &self.sender {
                let _ = sender.send(answer);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What the program writes.
struct Output {
    receiver: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Output {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.receiver.recv().unwrap_or_default();
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}
