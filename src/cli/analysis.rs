//! `tedomari analysis`: KataGo's JSON protocol on standard input and output.

mod lines;

use std::io::{self, BufRead, Read as _};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;

use super::{print, stop};
use crate::analysis::Service;
use crate::analysis::katago::{Session, schema};
use crate::app::analysis::{self, Analysis, Overridden, Parameter};
use crate::config::Config;
use lines::{Room, lines, write_lines};

/// Bytes of the longest line: lists of moves and of turns can be long.
const MAX_LINE: usize = 1 << 20;

/// How long a line may wait for a reader once the input has ended.
const UNREAD: Duration = Duration::from_secs(300);

#[derive(Debug, Args)]
pub(super) struct AnalysisArgs {
    /// Positions that are searched at the same time (KataGo's `-analysis-threads`)
    #[arg(long, value_name = "NUMBER")]
    analysis_threads: Option<usize>,
    /// When the input ends, give up what waits and end what is searched
    #[arg(long)]
    quit_without_waiting: bool,
    /// The network to search with, as `--net` says it (KataGo's `-model`)
    #[arg(long, value_name = "FILE")]
    pub(super) model: Option<String>,
    /// Parameters of KataGo; those that have no equivalent are named on standard error
    #[arg(long, value_name = "KEY=VALUE,…")]
    override_config: Vec<String>,
    /// A configuration of KataGo, which is not read: `-config FILE` behind `analysis` means this unless FILE ends in .toml
    #[arg(long, value_name = "FILE")]
    katago_config: Option<PathBuf>,
    /// A human model of KataGo, which cannot be used
    #[arg(long, value_name = "FILE")]
    human_model: Option<PathBuf>,
    /// Print the JSON Schema of the answers instead
    #[arg(long)]
    schema: bool,
}

/// KataGo's flags, which have one dash there.
const KATAGO_FLAGS: [&str; 6] = [
    "analysis-threads",
    "config",
    "human-model",
    "model",
    "override-config",
    "quit-without-waiting",
];

/// The command line with KataGo's flags behind `analysis` as this program has them.
pub(super) fn translated(mut arguments: Vec<String>) -> Vec<String> {
    let Some(command) = arguments.iter().position(|argument| argument == "analysis") else {
        return arguments;
    };
    for at in command + 1..arguments.len() {
        let (flag, value) = match arguments[at].split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (arguments[at].as_str(), None),
        };
        let name = flag.strip_prefix("--").or_else(|| flag.strip_prefix('-')).unwrap_or_default();
        if !KATAGO_FLAGS.contains(&name) {
            continue;
        }
        let file = value.as_ref().or(arguments.get(at + 1));
        let ours =
            file.is_some_and(|file| Path::new(file).extension().is_some_and(|e| e == "toml"));
        let name = if name == "config" && !ours { "katago-config" } else { name };
        arguments[at] = match value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        };
    }
    arguments
}

/// What the end of the program depends on.
enum Event {
    /// There is no more input.
    InputEnded,
    /// All answers are written.
    Written,
    /// Somebody wants the process to end, or nobody reads the answers any more.
    Told,
    /// The input or the output cannot be used.
    Failed(anyhow::Error),
}

/// Answers queries until the input ends, nobody reads the answers, or the process is told to end.
pub(super) fn run(args: &AnalysisArgs, config: Config) -> anyhow::Result<()> {
    if args.schema {
        return print(&schema());
    }
    let (config, parameters) = configured(args, config)?;
    let Analysis { service, context } = analysis::start(&config, &parameters, clock())?;
    let (events, inbox) = channel();
    watch_signals(events.clone())?;
    let (lines, waiting, room) = lines();
    let (written, watched) = (events.clone(), Arc::clone(&room));
    spawn("writer", move || {
        let _ = written.send(match write_lines(&waiting, &watched) {
            Ok(()) => Event::Written,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Event::Told,
            Err(error) => Event::Failed(anyhow::Error::new(error).context("cannot write answers")),
        });
    })?;
    let session = Session::new(service.client(), context, Arc::new(lines));
    spawn("reader", move || {
        let read = read_lines(&mut io::stdin().lock(), &session);
        let _ = events.send(match read {
            Ok(()) => Event::InputEnded,
            Err(error) => Event::Failed(anyhow::Error::new(error).context("cannot read queries")),
        });
        // With the session its end of the output goes.
        drop(session);
    })?;
    let positions = config.analysis.threads;
    say(&format!("Tedomari {}: up to {positions} positions at a time", env!("CARGO_PKG_VERSION")));
    // Programs wait for these words.
    say("Started, ready to begin handling requests");
    conclude(service, args.quit_without_waiting, &inbox, &room)
}

/// Waits for the end. Whatever threads are doing then ends with the process.
fn conclude(
    service: Service,
    at_once: bool,
    inbox: &Receiver<Event>,
    room: &Room,
) -> anyhow::Result<()> {
    let mut service = ManuallyDrop::new(Some(service));
    let mut ended = false;
    loop {
        match inbox.recv_timeout(Duration::from_secs(1)) {
            Ok(Event::InputEnded) => {
                ended = true;
                if let Some(service) = service.take() {
                    let end = if at_once { Service::abandon } else { Service::finish };
                    spawn("end", move || end(service))?;
                }
            }
            Ok(Event::Written | Event::Told) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Ok(Event::Failed(error)) => return Err(error),
            Err(RecvTimeoutError::Timeout) => anyhow::ensure!(
                !(ended && room.is_stuck_for(UNREAD)),
                "the input has ended, and nobody has read the answers for {} s",
                UNREAD.as_secs()
            ),
        }
    }
}

/// The configuration with what the flags change, and parameters of KataGo for the search.
fn configured(args: &AnalysisArgs, config: Config) -> anyhow::Result<(Config, Vec<Parameter>)> {
    let mut pairs = Vec::new();
    for pair in args.override_config.iter().flat_map(|list| list.split(',')) {
        let (key, value) = pair
            .split_once('=')
            .with_context(|| format!("in --override-config {pair}: write KEY=VALUE"))?;
        pairs.push((key.trim().to_owned(), value.trim().to_owned()));
    }
    let Overridden { mut config, search, unknown } =
        analysis::override_config(config, &pairs).context("in --override-config")?;
    if let Some(threads) = args.analysis_threads {
        config = config
            .with("analysis.threads", &threads.to_string())
            .context("in --analysis-threads")?;
    }
    for key in unknown {
        say(&format!("Note: {key} of --override-config has no equivalent here and no effect"));
    }
    if let Some(file) = &args.katago_config {
        say(&format!(
            "Note: {} is a configuration of KataGo and is not read; settings are those of engine.toml",
            file.display()
        ));
    }
    if let Some(file) = &args.human_model {
        say(&format!("Note: the human model {} cannot be used", file.display()));
    }
    Ok((config, search))
}

/// Tells the main thread when the process is told to end, or nobody reads the answers any more.
fn watch_signals(events: Sender<Event>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    spawn("signals", move || {
        runtime.block_on(async {
            tokio::select! {
                () = stop::told_to_end() => {}
                () = stop::output_closed() => {}
            }
        });
        let _ = events.send(Event::Told);
    })
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.context("the system gives too few threads").map(drop)
}

/// Has a session do what lines ask for, up to the end of the input.
fn read_lines(input: &mut impl BufRead, session: &Session) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = MAX_LINE as u64 + 1;
        if input.take(most).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.len() > MAX_LINE && line.last() != Some(&b'\n') {
            session.too_long(MAX_LINE);
            skip_line(input)?;
        } else {
            session.line(&line);
        }
    }
}

/// Passes over the rest of a line.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let (count, over) = end.map_or((bytes.len(), bytes.is_empty()), |end| (end + 1, true));
        input.consume(count);
        if over {
            return Ok(());
        }
    }
}

/// The time since now.
#[expect(clippy::disallowed_methods, reason = "the clock of the searches, which read none")]
fn clock() -> Box<dyn Fn() -> Duration + Send + Sync> {
    let start = Instant::now();
    Box::new(move || start.elapsed())
}

#[expect(clippy::print_stderr, reason = "for whoever started the program")]
fn say(text: &str) {
    eprintln!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_translated(given: &str, expected: &str) {
        let words = given.split(' ').map(str::to_owned).collect();
        assert_eq!(translated(words).join(" "), expected);
    }

    #[test]
    fn flags_of_katago_are_understood_with_one_dash_and_with_two() {
        check_translated(
            "tedomari analysis -model a.bin.gz -config b.cfg -override-config k=v -analysis-threads 3",
            "tedomari analysis --model a.bin.gz --katago-config b.cfg --override-config k=v --analysis-threads 3",
        );
        check_translated(
            "x analysis --config=b.cfg -quit-without-waiting",
            "x analysis --katago-config=b.cfg --quit-without-waiting",
        );
        check_translated("x analysis --config my.toml -h", "x analysis --config my.toml -h");
        check_translated("x --config b.cfg gtp -model", "x --config b.cfg gtp -model");
        check_translated(
            "x --config my.toml analysis --schema",
            "x --config my.toml analysis --schema",
        );
    }

    #[test]
    fn the_rest_of_a_long_line_is_passed_over() {
        let mut input = &b"rest of it\nnext"[..];
        skip_line(&mut input).unwrap();
        assert_eq!(input, b"next");
        skip_line(&mut input).unwrap();
        assert_eq!(input, b"");
    }
}
