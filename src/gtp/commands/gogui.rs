//! What GoGui asks for: its menu of commands, and the rules of the game when it is not Go.

use super::{Answer, Command, Spec};
use crate::game::{Color, Game, Move};
use crate::gtp::args::ArgError;
use crate::gtp::session::Session;

#[derive(Clone, Debug, PartialEq)]
pub enum GoGui {
    AnalyzeCommands,
    GameId,
    Board,
    BoardSize,
    LegalMoves,
    SideToMove,
    CapturedCount,
    FinalResult,
}

pub(super) const SPECS: &[Spec] = &[
    Spec::new("gogui-analyze_commands", "", "The commands for GoGui's analyze menu.", |_| {
        ok(GoGui::AnalyzeCommands)
    }),
    Spec::new("gogui-rules_game_id", "", "The game: `Go` or `NoGo`.", |_| ok(GoGui::GameId)),
    Spec::new("gogui-rules_board", "", "The board: rows of `.`, `X` and `O`.", |_| {
        ok(GoGui::Board)
    }),
    Spec::new(
        "gogui-rules_board_size",
        "",
        "The side of the board, or width and height if they differ.",
        |_| ok(GoGui::BoardSize),
    ),
    Spec::new(
        "gogui-rules_legal_moves",
        "",
        "The legal moves of the side to move. None means that the game is over; `pass` is missing where it is forbidden.",
        |_| ok(GoGui::LegalMoves),
    ),
    Spec::new("gogui-rules_side_to_move", "", "`black` or `white`.", |_| ok(GoGui::SideToMove)),
    Spec::new(
        "gogui-rules_captured_count",
        "",
        "Stones that have been captured: black ones, then white ones.",
        |_| ok(GoGui::CapturedCount),
    ),
    Spec::new(
        "gogui-rules_final_result",
        "",
        "How the game ended, `unknown` while it goes on.",
        |_| ok(GoGui::FinalResult),
    ),
];

/// Type, label and command, as GoGui's manual defines them.
const ANALYZE_COMMANDS: &str = "\
dboard/Ownership/tedomari-ownership
plist/Legal moves/gogui-rules_legal_moves
plist/Dead stones/final_status_list dead
plist/Black territory/final_status_list black_territory
plist/White territory/final_status_list white_territory
string/Final score/final_score
hstring/Explain last move/gomill-explain_last_move
hstring/Engine/gomill-describe_engine
hstring/Settings/tedomari-get-config
string/Rules/kata-get-rules
none/Change setting/tedomari-set-config %s
none/Play Go/tedomari-game go
none/Play NoGo/tedomari-game nogo";

fn ok(command: GoGui) -> Result<Command, ArgError> {
    Ok(Command::GoGui(command))
}

impl GoGui {
    pub(super) fn execute(self, session: &mut Session) -> Answer {
        let position = session.engine.state().position();
        let size = position.size();
        Ok(match self {
            GoGui::AnalyzeCommands => ANALYZE_COMMANDS.to_owned(),
            GoGui::GameId => match position.rules().game {
                Game::Go => "Go".to_owned(),
                Game::NoGo => "NoGo".to_owned(),
            },
            GoGui::Board => {
                let sign = |point| match position.board().stone(point) {
                    Some(Color::Black) => "X",
                    Some(Color::White) => "O",
                    None => ".",
                };
                let signs: Vec<_> = size.points().map(sign).collect();
                signs.chunks(size.width()).map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")
            }
            GoGui::BoardSize if size.is_square() => size.width().to_string(),
            GoGui::BoardSize => format!("{} {}", size.width(), size.height()),
            GoGui::LegalMoves => {
                if position.is_over() {
                    return Ok(String::new());
                }
                let color = position.to_move();
                let pass = (position.rules().game == Game::Go).then_some(Move::Pass);
                let stones = size.points().filter(|&p| position.is_legal(color, p));
                let moves = stones.map(Move::Place).chain(pass);
                moves.map(|mv| size.move_text(mv)).collect::<Vec<_>>().join(" ")
            }
            GoGui::SideToMove => position.to_move().to_string(),
            GoGui::CapturedCount => {
                let [black, white] = Color::BOTH.map(|color| position.board().captured(color));
                format!("{black} {white}")
            }
            GoGui::FinalResult if !position.is_over() => "unknown".to_owned(),
            GoGui::FinalResult => {
                session.engine.result()?.map_or("unknown".to_owned(), |result| result.to_string())
            }
        })
    }
}
