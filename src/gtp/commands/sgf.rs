//! Records of games.

use tracing::warn;

use super::{Answer, Command, Failure, Spec, done};
use crate::game::sgf::{self, SgfLimits};
use crate::gtp::args::ArgError;
use crate::gtp::session::Session;
use crate::util::{read_limited, write_atomically};

#[derive(Clone, Debug, PartialEq)]
pub enum Sgf {
    Load { path: String, before_move: Option<usize> },
    Print(Option<String>),
}

pub(super) const SPECS: &[Spec] = &[
    Spec::new(
        "loadsgf",
        "FILE [MOVE]",
        "Loads a game; with a number, the position before that move. Komi and rules are the file's where it names them. Answers whose turn it is.",
        |args| {
            let path = args.word("file")?.to_owned();
            ok(Sgf::Load { path, before_move: args.parse_optional("move number")? })
        },
    ),
    Spec::new(
        "printsgf",
        "[FILE]",
        "The game as SGF, as the answer (also for `-`) or in a file: the players where they are known, the date, the result once the game is over, and a line on each move of the engine (`play.record_reports` adds the whole report).",
        |args| ok(Sgf::Print(args.optional().filter(|file| *file != "-").map(str::to_owned))),
    ),
];

fn ok(command: Sgf) -> Result<Command, ArgError> {
    Ok(Command::Sgf(command))
}

impl Sgf {
    pub(super) fn execute(self, session: &mut Session) -> Answer {
        match self {
            Sgf::Load { path, before_move } => load(session, &path, before_move),
            Sgf::Print(path) => {
                session.describe_game();
                let text = sgf::write(&session.engine.record());
                let Some(path) = path else { return Ok(text) };
                write_atomically(&session.file(&path).map_err(Failure)?, text.as_bytes())
                    .map_err(|error| Failure(format!("cannot write {path}: {error}")))?;
                done()
            }
        }
    }
}

fn load(session: &mut Session, path: &str, before_move: Option<usize>) -> Answer {
    let limits = SgfLimits::default();
    let fail = |error: &dyn std::fmt::Display| Failure(format!("cannot load file: {error}"));
    let file = session.file(path).map_err(Failure)?;
    let bytes = read_limited(&file, limits.bytes).map_err(|e| fail(&e))?;
    let (record, warnings) = sgf::read(&bytes, &limits).map_err(|e| fail(&e))?;
    for warning in &warnings {
        warn!(path, %warning, "while loading a game");
    }
    let moves = before_move.map_or(record.moves.len(), |number| number.saturating_sub(1));
    session.engine.load(record, moves).map_err(|e| fail(&e))?;
    Ok(session.engine.state().position().to_move().to_string())
}
