//! All commands: one file for each family, with its table and what its commands do.
//!
//! The tables are the only lists of commands: `list_commands`, `known_command`, the parser and
//! `docs/gtp.md` are made from them.

#![allow(clippy::unnecessary_wraps, reason = "rows of the tables and answers are results")]

mod admin;
mod analyze;
mod board;
mod gogui;
mod rules;
mod score;
mod servers;
mod sgf;
mod think;
mod time;

use std::error::Error;

use super::args::{ArgError, Args};
use super::line::Request;
use super::output::Output;
use super::session::{GtpParams, Session};
use crate::engine::Ticket;

pub(super) use admin::Admin;
pub(super) use analyze::STOP;

/// A command with its arguments read.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The conversation itself and the configuration.
    Admin(admin::Admin),
    /// Boards, moves and set-up.
    Board(board::Board),
    /// Moves by the engine.
    Think(think::Think),
    /// Analysis.
    Analyze(analyze::Analyze),
    /// Clocks.
    Time(time::Time),
    /// Rule sets.
    Rules(rules::RulesCommand),
    /// The end of the game.
    Score(score::ScoreCommand),
    /// Records of games.
    Sgf(sgf::Sgf),
    /// What GoGui asks for.
    GoGui(gogui::GoGui),
    /// What servers tell.
    Servers(servers::Servers),
}

/// A command as the protocol knows it.
pub struct Spec {
    /// Its name.
    pub name: &'static str,
    /// Its arguments for people.
    pub arguments: &'static str,
    /// What it does and answers.
    pub about: &'static str,
    parse: Parse,
}

type Parse = fn(&mut Args<'_>) -> Result<Command, ArgError>;

impl Spec {
    const fn new(
        name: &'static str,
        arguments: &'static str,
        about: &'static str,
        parse: Parse,
    ) -> Self {
        Self { name, arguments, about, parse }
    }
}

/// The families with their headings, in the order of the documentation.
const FAMILIES: [(&str, &[Spec]); 10] = [
    ("The conversation", admin::SPECS),
    ("Board and moves", board::SPECS),
    ("Moves by the engine", think::SPECS),
    ("Analysis", analyze::SPECS),
    ("Clocks", time::SPECS),
    ("Rules", rules::SPECS),
    ("The end of the game", score::SPECS),
    ("Records", sgf::SPECS),
    ("GoGui", gogui::SPECS),
    ("Servers", servers::SPECS),
];

/// All commands by family.
pub fn specs() -> impl Iterator<Item = (&'static str, &'static [Spec])> {
    FAMILIES.into_iter()
}

/// The commands that a client may use under these parameters.
pub(super) fn listed(params: &GtpParams) -> impl Iterator<Item = &'static Spec> {
    let chat = params.kgs_chat;
    FAMILIES
        .into_iter()
        .flat_map(|(_, specs)| specs)
        .filter(move |spec| chat || spec.name != servers::CHAT)
}

/// The request is no command, or its arguments do not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParseError {
    #[error("unknown command")]
    Unknown,
    /// What somebody types who is not a program.
    #[error("unknown command: list_commands shows all, quit ends the program")]
    UnknownToPeople,
    #[error("{error} (usage: {name} {usage})")]
    Arguments { error: ArgError, name: &'static str, usage: &'static str },
}

/// Reads the arguments of a request.
pub(super) fn parse(request: &Request, params: &GtpParams) -> Result<Command, ParseError> {
    let unknown = || match request.command.as_str() {
        "help" | "?" | "commands" | "exit" | "bye" => ParseError::UnknownToPeople,
        _ => ParseError::Unknown,
    };
    let spec = listed(params).find(|spec| spec.name == request.command).ok_or_else(unknown)?;
    let mut args = Args::new(&request.arguments);
    (spec.parse)(&mut args)
        .and_then(|command| args.finish().map(|()| command))
        .map_err(|error| ParseError::Arguments { error, name: spec.name, usage: spec.arguments })
}

/// Why a command could not be carried out, for the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure(pub(super) String);

impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// The text of an answer.
type Answer = Result<String, Failure>;

/// An answer that says nothing but yes.
fn done() -> Answer {
    Ok(String::new())
}

/// What belongs to one request while it is carried out.
pub(super) struct Call<'a> {
    /// Says when to stop thinking.
    pub(super) ticket: &'a Ticket,
    /// Takes what is known of the answer before it is complete.
    pub(super) output: &'a mut dyn Output,
}

impl Command {
    /// Carries the command out.
    pub(super) fn execute(self, session: &mut Session, call: &mut Call<'_>) -> Answer {
        match self {
            Command::Admin(command) => command.execute(session),
            Command::Board(command) => command.execute(session),
            Command::Think(command) => command.execute(session, call.ticket),
            Command::Analyze(command) => command.execute(session, call),
            Command::Time(command) => command.execute(session),
            Command::Rules(command) => command.execute(session),
            Command::Score(command) => command.execute(session),
            Command::Sgf(command) => command.execute(session),
            Command::GoGui(command) => command.execute(session),
            Command::Servers(command) => command.execute(session),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_everything_is_described() {
        let mut names = HashSet::new();
        for spec in FAMILIES.iter().flat_map(|(_, specs)| *specs) {
            assert!(names.insert(spec.name), "{} is there twice", spec.name);
            assert!(spec.about.len() > 10 && spec.about.ends_with('.'), "{}", spec.name);
        }
    }

    #[test]
    fn all_of_version_2_is_there() {
        let known: HashSet<_> = listed(&GtpParams::default()).map(|spec| spec.name).collect();
        let required = "protocol_version name version known_command list_commands quit boardsize \
            clear_board komi fixed_handicap place_free_handicap set_free_handicap play genmove undo \
            time_settings time_left final_score final_status_list loadsgf reg_genmove showboard";
        assert_eq!(required.split_whitespace().count(), 22);
        for name in required.split_whitespace() {
            assert!(known.contains(name), "{name} is missing");
        }
    }

    #[test]
    fn help_and_exit_get_a_hint_and_other_unknown_commands_the_words_of_the_protocol() {
        let error = |name: &str| {
            let request = Request { id: None, command: name.into(), arguments: Vec::new() };
            parse(&request, &GtpParams::default()).unwrap_err().to_string()
        };
        for name in ["help", "exit"] {
            assert!(error(name).contains("list_commands") && error(name).contains("quit"));
        }
        assert_eq!(error("gogui-no_such_command"), "unknown command");
    }

    #[test]
    fn errors_say_how_the_command_is_used() {
        let request = Request { id: None, command: "play".into(), arguments: vec!["b".into()] };
        let error = parse(&request, &GtpParams::default()).unwrap_err();
        assert_eq!(error.to_string(), "syntax error: vertex is missing (usage: play COLOR VERTEX)");
    }
}
