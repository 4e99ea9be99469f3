//! What game servers tell the engine.

use tracing::info;

use super::{Answer, Command, Failure, Spec, done};
use crate::game::GameResult;
use crate::gtp::args::ArgError;
use crate::gtp::session::Session;

#[derive(Clone, Debug, PartialEq)]
pub enum Servers {
    GameOver(String),
    OpponentName(String),
    OpponentRating(String),
    Chat { place: String, name: String, message: String },
}

/// Where everybody who watches the game reads the answer.
const GAME: &str = "game";

/// Where only the one who asks reads it.
const PRIVATE: &str = "private";

/// The command that exists only when it is switched on.
pub(super) const CHAT: &str = "kgs-chat";

pub(super) const SPECS: &[Spec] = &[
    Spec::new("kgs-game_over", "", "KGS says that the game is over.", |args| {
        ok(Servers::GameOver(args.rest().join(" ")))
    }),
    Spec::new("cgos-gameover", "RESULT", "CGOS says how the game ended.", |args| {
        ok(Servers::GameOver(args.rest().join(" ")))
    }),
    Spec::new("cgos-opponent_name", "NAME", "CGOS says who the opponent is.", |args| {
        ok(Servers::OpponentName(args.rest().join(" ")))
    }),
    Spec::new("cgos-opponent_rating", "RATING", "CGOS says how strong the opponent is.", |args| {
        ok(Servers::OpponentRating(args.rest().join(" ")))
    }),
    Spec::new(
        CHAT,
        "game|private NAME MESSAGE...",
        "Answers chat on KGS; only with `gtp.kgs_chat = true`. What the engine thinks is told after the game, and before its end to `gtp.kgs_operator` in private.",
        |args| {
            ok(Servers::Chat {
                place: args.word("place: game or private")?.to_owned(),
                name: args.word("name")?.to_owned(),
                message: args.rest().join(" "),
            })
        },
    ),
];

fn ok(command: Servers) -> Result<Command, ArgError> {
    Ok(Command::Servers(command))
}

impl Servers {
    pub(super) fn execute(self, session: &mut Session) -> Answer {
        match self {
            Servers::GameOver(result) => {
                session.describe_game();
                let opponent = session.opponent.take();
                info!(result, opponent, "the server says that the game is over");
                session.engine.end_game(result.parse().unwrap_or(GameResult::Unknown));
            }
            Servers::OpponentName(name) => session.opponent = Some(name),
            Servers::OpponentRating(rating) => info!(rating, "the opponent's rating"),
            Servers::Chat { place, name, message } => {
                if place != GAME && place != PRIVATE {
                    return Err(Failure("chat is in a game or private".to_owned()));
                }
                info!(place, name, message, "chat");
                return Ok(chat(session, &place, &name));
            }
        }
        done()
    }
}

/// What is answered to somebody. An opponent must not learn in the middle of a game what is planned.
fn chat(session: &Session, place: &str, name: &str) -> String {
    let operator = session.settings.gtp().kgs_operator;
    // Names on KGS are the same in any case.
    let trusted = place == PRIVATE && !operator.is_empty() && name.eq_ignore_ascii_case(&operator);
    match session.engine.last_report() {
        _ if !trusted && !session.engine.is_over() => {
            "I will tell what I think after the game.".to_owned()
        }
        Some(report) => report.to_string(),
        None => "I have not thought about this position.".to_owned(),
    }
}
