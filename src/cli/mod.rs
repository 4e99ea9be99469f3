//! The command line: one file for each subcommand.

mod analysis;
mod bench;
mod commands;
mod compare;
mod config;
mod gtp;
mod label;
pub mod log;
mod match_report;
mod matches;
mod net;
mod progress;
mod record;
pub mod restart;
mod review;
mod run;
mod score;
mod selfplay;
mod settings;
pub mod stop;
mod store;
mod time;
mod timetable;
mod train;
mod tune;
mod uncertainty;

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};

pub use matches::play_match;
pub use progress::Bars;
pub use record::share;
pub use settings::{Flag, Settings};

use crate::arena::TimeControl;

/// A Go and NoGo engine that knows when to stop thinking.
///
/// Without a command it speaks GTP on standard input and output.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Cli {
    #[command(flatten)]
    play: PlayFlags,
    #[command(flatten)]
    options: Settings,
    #[command(subcommand)]
    command: Option<Subcommands>,
}

/// How the engine plays over GTP. Other commands have flags of these names with their own meaning.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Play")]
struct PlayFlags {
    /// Points for White
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    komi: Option<String>,
    /// Rules by name, such as chinese or japanese; with nogo the game is NoGo
    #[arg(long, value_name = "NAME")]
    rules: Option<String>,
    /// Threads of a search; 0 for one on each core
    #[arg(long, value_name = "NUMBER")]
    threads: Option<String>,
    /// Simulations of a search at the most; 0 for as many as there is time for
    #[arg(long, value_name = "NUMBER")]
    simulations: Option<String>,
    /// The clock, until the client sets another: none, fixed:SECONDS, sudden:SECONDS,
    /// canadian:MAIN+STONES/SECONDS, byoyomi:MAIN+PERIODSxSECONDS, fischer:MAIN+INCREMENT, or
    /// simulations:NUMBER for the game
    #[arg(long, value_name = "TIME")]
    time: Option<TimeControl>,
}

impl PlayFlags {
    /// The flags with their keys, and what they are set to.
    fn settings(&self) -> [Flag; 5] {
        let (kind, rules) = match self.rules.as_deref() {
            Some("nogo") => (self.rules.clone(), None),
            _ => (None, self.rules.clone()),
        };
        [
            ("--rules", "game.kind", kind),
            ("--rules", "game.rules", rules),
            ("--komi", "game.komi", self.komi.clone()),
            ("--threads", "search.threads", self.threads.clone()),
            ("--simulations", "search.max_simulations", self.simulations.clone()),
        ]
    }

    /// A flag that was given, if one was.
    fn first_given(&self) -> Option<&'static str> {
        let time = self.time.map(|_| "--time");
        self.settings().into_iter().find_map(|(flag, _, value)| value.map(|_| flag)).or(time)
    }

    /// These flags, and those of `before` where there are none.
    fn or(self, before: Self) -> Self {
        Self {
            komi: self.komi.or(before.komi),
            rules: self.rules.or(before.rules),
            threads: self.threads.or(before.threads),
            simulations: self.simulations.or(before.simulations),
            time: self.time.or(before.time),
        }
    }
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Speak GTP on standard input and output (the default)
    Gtp(PlayFlags),
    /// Answer queries about positions in KataGo's JSON protocol
    Analysis(analysis::AnalysisArgs),
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
    /// Train the network that is described on standard input, for `run`
    #[command(hide = true)]
    TrainJob,
    /// Learn when a search may stop early: traces, networks, stop profiles
    Uncertainty(uncertainty::UncertaintyArgs),
    /// Do generations of self-play, training and matches
    Run(run::RunArgs),
    /// Find the best numbers of settings by games
    Tune(Box<tune::TuneArgs>),
    /// Play a match between engines, with a referee, or report on one
    Match(Box<matches::MatchLine>),
    /// Say what is dead, who owns what and who wins a position of a game
    Score(score::ScoreArgs),
    /// Analyse games: a page, an annotated record and JSON
    Review(review::ReviewArgs),
    /// Look at the strategies of the time manager, and try them on a virtual clock
    #[command(subcommand)]
    Time(time::TimeCommand),
    /// Learn from games how long games are
    Timetable(timetable::TimetableArgs),
    /// Copy files to and from object stores
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// Measure speed, or print the signature of the search
    Bench(bench::BenchArgs),
}

impl Cli {
    /// The command line of this process.
    #[must_use]
    pub fn of_process() -> Self {
        let arguments = std::env::args_os().collect::<Vec<_>>();
        let texts: Option<Vec<_>> =
            arguments.iter().map(|argument| argument.to_str().map(str::to_owned)).collect();
        match texts {
            Some(texts) => Self::parse_from(analysis::translated(texts)),
            None => Self::parse_from(arguments),
        }
    }

    /// Does what the user has asked for.
    pub fn run(mut self) -> anyhow::Result<()> {
        let before = std::mem::take(&mut self.play);
        let mut command = self.command.take().unwrap_or(Subcommands::Gtp(PlayFlags::default()));
        let flags = if let Subcommands::Gtp(flags) = &command {
            flags.clone().or(before)
        } else {
            if let Some(flag) = before.first_given() {
                anyhow::bail!(
                    "{flag} before the command is for GTP: put it behind the command if it has such a flag, or use --set"
                );
            }
            before
        };
        let board = self.options.board.clone();
        // Boards that are not square are for matches; the settings know a side only.
        if let Subcommands::Match(_) = &command
            && board.as_deref().is_some_and(|board| board.contains('x'))
        {
            self.options.board = None;
        }
        if let Subcommands::Analysis(args) = &mut command
            && let Some(model) = args.model.take()
        {
            anyhow::ensure!(self.options.net.is_none(), "--model and --net are the same: give one");
            self.options.net = Some(model);
        }
        let config = self.options.begin(flags.settings())?;
        match command {
            Subcommands::Gtp(_) => gtp::run(config, flags.time),
            Subcommands::Analysis(args) => analysis::run(&args, config),
            Subcommands::Config(args) => config::run(&args, &config),
            Subcommands::Commands(args) => commands::run(&args),
            Subcommands::Net(command) => net::run(&command, &config),
            Subcommands::Selfplay(args) => selfplay::run(&args, &config),
            Subcommands::Record(command) => record::run(&command, &config, board.as_deref()),
            Subcommands::Train(args) => train::run(&args, &config),
            Subcommands::TrainJob => train::run_job(),
            Subcommands::Uncertainty(args) => uncertainty::run(&args, &config),
            Subcommands::Run(args) => run::run(&args, &config),
            Subcommands::Tune(args) => tune::run(&args, &config),
            Subcommands::Match(line) => matches::run(&line, &config, board.as_deref()),
            Subcommands::Score(args) => score::run(&args, &config),
            Subcommands::Review(args) => review::run(&args, &config),
            Subcommands::Time(command) => time::run(&command, &config),
            Subcommands::Timetable(args) => timetable::run(&args, &config),
            Subcommands::Store(command) => store::run(&command),
            Subcommands::Bench(args) => bench::run(&args, &config),
        }
    }
}

/// Runs a program to its end. What goes wrong is said on standard error.
pub fn run_program(name: &str, work: impl FnOnce() -> anyhow::Result<()>) -> ExitCode {
    #[cfg(unix)]
    survive_limits();
    match work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If nobody listens any more, there is nothing left to say.
            let _ = writeln!(std::io::stderr(), "{name}: {}", explain(&error));
            ExitCode::FAILURE
        }
    }
}

/// A file that becomes larger than allowed fails the write instead of ending the process.
#[cfg(unix)]
fn survive_limits() {
    let seen = std::sync::Arc::default();
    // Where it cannot be had, the system does as it always does.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
}

/// An error with its causes. Some errors tell their cause themselves; it is told once.
#[must_use]
fn explain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text = if text.is_empty() { cause } else { format!("{text}: {cause}") };
        }
    }
    text
}

/// Prints to standard output, which is not GTP's here. A reader that has gone away is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    use std::io::ErrorKind;
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Prints one JSON object on a line.
pub fn print_json(object: &serde_json::Value) -> anyhow::Result<()> {
    print(&format!("{object}\n"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::game::Game;

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
    fn flags_of_a_command_are_its_own_also_where_the_program_has_them() {
        let read = |args: &[&str]| Cli::try_parse_from([&["tedomari"], args].concat());
        for args in [
            &["--threads", "1", "--time", "fixed:0.5"][..],
            &["gtp", "--threads", "1", "--time", "sudden:60", "--komi", "7.5"],
            &["bench", "--threads", "1"],
            &["--threads", "1", "net", "bench", "--threads", "2"],
            &[
                "match", "--player", "a", "--out", "o", "--time", "fixed:1", "--komi", "0",
                "--rules", "cgos",
            ],
        ] {
            assert!(read(args).is_ok(), "{args:?}: {}", read(args).unwrap_err());
        }
        let error = read(&["--time", "5"]).unwrap_err().to_string();
        assert!(error.contains("fixed:SECONDS"), "{error}");
        let misplaced = read(&["--time", "fixed:1", "commands"]).unwrap().run().unwrap_err();
        assert!(misplaced.to_string().contains("behind the command"), "{misplaced}");
    }

    #[test]
    fn an_error_that_tells_its_cause_is_not_told_twice() {
        let error = anyhow::anyhow!("no such file").context("a is no match: no such file");
        assert_eq!(explain(&error.context("in --out")), "in --out: a is no match: no such file");
    }

    #[test]
    fn global_flags_have_a_heading_of_their_own() {
        let help = Cli::command().render_long_help().to_string();
        let after = |heading: &str| help.split(heading).nth(1).unwrap().to_owned();
        assert!(after("Settings, for every command:").contains("--config"), "{help}");
        assert!(after("\nPlay:").contains("--komi"), "{help}");
    }

    #[test]
    fn flags_win_over_defaults_and_errors_name_them() {
        let options = |args: &[&str]| {
            let cli = Cli::try_parse_from([&["tedomari"], args].concat()).unwrap();
            cli.options.config(cli.play.settings())
        };
        let config = options(&["--game", "nogo", "--set", "time.lag_ms = 5"]).unwrap();
        assert_eq!((config.game.kind, config.time.lag_ms), (Game::NoGo, 5));
        assert_eq!(options(&["--gtp-version", "1.0"]).unwrap().gtp.version, "1.0");
        assert_eq!(options(&["--evaluator", "playout"]).unwrap().net.path, "none");
        assert_eq!(options(&["--evaluator", "auto"]).unwrap().net.path, "");
        let game = options(&["--komi", "-3.5", "--rules", "japanese", "--board", "13x13"]).unwrap();
        assert_eq!((game.game.rules.as_str(), game.game.board_size), ("japanese", 13));
        assert!((game.game.komi + 3.5).abs() < 1e-9);
        assert_eq!(options(&["--rules", "nogo"]).unwrap().game.kind, Game::NoGo);
        let search = options(&["--threads", "2", "--simulations", "70"]).unwrap().search;
        assert_eq!((search.threads, search.max_simulations), (2, 70));
        let error = |args: &[&str]| format!("{:#}", options(args).unwrap_err());
        assert!(error(&["--board", "9x13"]).contains("rectangular_boardsize 9 13"));
        assert!(error(&["--komi", "6.3"]).starts_with("in --komi 6.3: "));
        assert!(error(&["--rules", "mars"]).contains("tromp-taylor"));
        assert!(error(&["--threads", "x"]).starts_with("in --threads x: "));
        assert!(error(&["--board", "99"]).starts_with("in --board 99: "));
        assert!(error(&["--set", "lag"]).contains("KEY=VALUE"));
        assert!(error(&["--config", "/no/such/file"]).contains("/no/such/file"));
    }
}
