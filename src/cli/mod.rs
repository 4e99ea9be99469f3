//! The command line: one file for each subcommand.

mod bench;
mod chart;
mod commands;
mod config;
mod evaluator;
mod games;
mod gtp;
mod lab;
mod log;
mod match_report;
mod matches;
mod net;
mod pieces;
mod progress;
mod record;
mod restart;
mod run;
mod selfplay;
mod stop;
mod store;
mod time;
mod timetable;
mod train;
mod uncertainty;
mod watcher;

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};

use crate::config::Config;

/// A Go and NoGo engine that knows when to stop thinking.
///
/// Without a command it speaks GTP on standard input and output.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Option<Subcommands>,
}

/// Where the configuration comes from; later ones win.
#[derive(Debug, Args)]
struct Options {
    /// Read settings from a file like engine.toml
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set one key of engine.toml, such as `time.lag_ms=500`
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The game: go or nogo
    #[arg(long, global = true, value_name = "GAME")]
    game: Option<String>,
    /// Side of the board
    #[arg(long, global = true, value_name = "SIZE")]
    board: Option<String>,
    /// The network to play with: NAME.safetensors with its manifest beside it, one of KataGo's files
    /// such as NAME.bin.gz, or builtin:NAME
    #[arg(long, global = true, value_name = "FILE")]
    net: Option<String>,
    /// What evaluates positions: auto for a network where one fits, playout for games played to the end
    #[arg(long, global = true, value_name = "KIND", value_parser = ["auto", "playout"], conflicts_with = "net")]
    evaluator: Option<String>,
    /// What the GTP command `name` answers
    #[arg(long, global = true, value_name = "NAME")]
    gtp_name: Option<String>,
    /// What the GTP command `version` answers
    #[arg(long, global = true, value_name = "VERSION")]
    gtp_version: Option<String>,
    /// How much to log: off, error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL")]
    log_level: Option<String>,
    /// Append the log to a file instead of standard error
    #[arg(long, global = true, value_name = "FILE")]
    log_file: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Speak GTP on standard input and output (the default)
    Gtp,
    /// Print the settings in force, as a file with comments
    Config(config::ConfigArgs),
    /// Print the reference of all GTP commands
    Commands(commands::CommandsArgs),
    /// Look at, check, measure or make networks
    #[command(subcommand)]
    Net(net::NetCommand),
    /// Play games of the engine with itself, to learn from
    Selfplay(selfplay::SelfplayArgs),
    /// Make and look at games to learn from
    #[command(subcommand)]
    Record(record::RecordCommand),
    /// Train a network on games
    Train(Box<train::TrainArgs>),
    /// Learn when a search may stop early: traces, networks, stop profiles
    Uncertainty(uncertainty::UncertaintyArgs),
    /// Do generations of self-play, training and matches
    Run(run::RunArgs),
    /// Play a match between engines, with a referee, or report on one
    Match(Box<matches::MatchLine>),
    /// Look at the strategies of the time manager, and try them on a virtual clock
    #[command(subcommand)]
    Time(time::TimeCommand),
    /// Learn from games how long games are
    Timetable(timetable::TimetableArgs),
    /// Copy files to and from object stores
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// Repeat the experiments of the papers
    #[command(subcommand)]
    Lab(Box<lab::LabCommand>),
    /// Measure speed, or print the signature of the search
    Bench(bench::BenchArgs),
}

impl Cli {
    /// Does what the user has asked for.
    pub fn run(mut self) -> anyhow::Result<()> {
        // Boards that are not square are for matches; the settings know a side only.
        let board = self.options.board.clone();
        if matches!(self.command, Some(Subcommands::Match(_)))
            && board.as_ref().is_some_and(|board| board.contains('x'))
        {
            self.options.board = None;
        }
        let config = self.options.config()?;
        log::start(&config.log)?;
        match self.command.unwrap_or(Subcommands::Gtp) {
            Subcommands::Gtp => gtp::run(config),
            Subcommands::Config(args) => config::run(&args, &config),
            Subcommands::Commands(args) => commands::run(&args),
            Subcommands::Net(command) => net::run(&command, &config),
            Subcommands::Selfplay(args) => selfplay::run(&args, &config),
            Subcommands::Record(command) => record::run(&command, board.as_deref()),
            Subcommands::Train(args) => train::run(&args, &config),
            Subcommands::Uncertainty(args) => uncertainty::run(&args, &config),
            Subcommands::Run(args) => run::run(&args, &config, self.options.config.as_deref()),
            Subcommands::Match(line) => matches::run(&line, &config, board.as_deref()),
            Subcommands::Time(command) => time::run(&command, &config),
            Subcommands::Timetable(args) => timetable::run(&args, &config),
            Subcommands::Store(command) => store::run(&command),
            Subcommands::Lab(command) => lab::run(&command, &config),
            Subcommands::Bench(args) => bench::run(&args, &config),
        }
    }
}

impl Options {
    fn config(&self) -> anyhow::Result<Config> {
        let mut config = match &self.config {
            Some(path) => Config::load(path).with_context(|| format!("in {}", path.display()))?,
            None => Config::default(),
        };
        let no_net = self.evaluator.as_deref() == Some("playout");
        let no_net = no_net.then(|| evaluator::NO_NET.to_owned());
        let flags = [
            ("--game", "game.kind", &self.game),
            ("--board", "game.board_size", &self.board),
            ("--net", "net.path", &self.net),
            ("--evaluator", "net.path", &no_net),
            ("--gtp-name", "gtp.name", &self.gtp_name),
            ("--gtp-version", "gtp.version", &self.gtp_version),
            ("--log-level", "log.level", &self.log_level),
            ("--log-file", "log.file", &self.log_file),
        ];
        for (flag, key, value) in flags {
            if let Some(value) = value {
                config = config.with(key, value).with_context(|| format!("in {flag} {value}"))?;
            }
        }
        for pair in &self.set {
            let (key, value) = pair
                .split_once('=')
                .with_context(|| format!("in --set {pair}: write KEY=VALUE"))?;
            config = config
                .with(key.trim(), value.trim())
                .with_context(|| format!("in --set {pair}"))?;
        }
        Ok(config)
    }
}

/// Prints to standard output, which is not GTP's here. A reader that has gone away is no error.
fn print(text: &str) -> anyhow::Result<()> {
    use std::io::{ErrorKind, Write};
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Prints one JSON object on a line.
fn print_json(object: &serde_json::Value) -> anyhow::Result<()> {
    print(&format!("{object}\n"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_match_is_played_or_reported_on() {
        let read = |args: &[&str]| Cli::try_parse_from([&["tedomari", "match"], args].concat());
        let play = ["--player", "tedomari", "--player", "gtp:x", "--out", "o"];
        assert!(matches!(read(&play).unwrap().command, Some(Subcommands::Match(_))));
        assert!(read(&["report", "a", "b", "--out", "c", "--json"]).is_ok());
        for args in [&[][..], &["report"], &["--out", "o"], &["--player", "a", "report", "b"]] {
            assert!(read(args).is_err(), "{args:?}");
        }
    }

    #[test]
    fn flags_win_over_defaults_and_errors_name_them() {
        let options = |args: &[&str]| {
            Cli::try_parse_from([&["tedomari"], args].concat()).unwrap().options.config()
        };
        let config = options(&["--game", "nogo", "--set", "time.lag_ms = 5"]).unwrap();
        assert_eq!((config.game.kind.as_str(), config.time.lag_ms), ("nogo", 5));
        assert_eq!(options(&["--gtp-version", "1.0"]).unwrap().gtp.version, "1.0");
        assert_eq!(options(&["--evaluator", "playout"]).unwrap().net.path, "none");
        assert_eq!(options(&["--evaluator", "auto"]).unwrap().net.path, "");
        let error = |args: &[&str]| format!("{:#}", options(args).unwrap_err());
        assert!(error(&["--board", "99"]).starts_with("in --board 99: "));
        assert!(error(&["--set", "lag"]).contains("KEY=VALUE"));
        assert!(error(&["--config", "/no/such/file"]).contains("/no/such/file"));
    }
}
