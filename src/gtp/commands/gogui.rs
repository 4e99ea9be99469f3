//! What GoGui asks for: its menu of commands, and the rules of the game when it is not Go.

use super::analyze::no_search;
use super::{Answer, Command, Failure, Spec};
use crate::eval::Evaluation;
use crate::game::{Color, Game, Move, Position};
use crate::gtp::args::ArgError;
use crate::gtp::graphics;
use crate::gtp::session::Session;
use crate::search::SearchReport;

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
    Policy,
    Visits,
    Values,
    Variation,
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
        "How the game ended, such as `B+3.5`, or `W+R` by resignation; `unknown` while it goes on.",
        |_| ok(GoGui::FinalResult),
    ),
    Spec::new(
        "tedomari-policy",
        "",
        "What the evaluator thinks of playing at each point before any search: graphics with colors, and labels in percent.",
        |_| ok(GoGui::Policy),
    ),
    Spec::new(
        "tedomari-visits",
        "",
        "The visits of the last search: graphics with labels.",
        |_| ok(GoGui::Visits),
    ),
    Spec::new(
        "tedomari-values",
        "",
        "The expected results of the moves of the last search, row by row from the top: from -1 (a loss for the side to move) to 1 (a win); 0 where it has not looked.",
        |_| ok(GoGui::Values),
    ),
    Spec::new(
        "tedomari-variation",
        "",
        "The best line of play of the last search: graphics with moves and a text.",
        |_| ok(GoGui::Variation),
    ),
];

/// Type, label and command, as GoGui's manual defines them.
const ANALYZE_COMMANDS: &str = "\
dboard/Ownership/tedomari-ownership
gfx/Policy/tedomari-policy
gfx/Visits of the last search/tedomari-visits
dboard/Values of the last search/tedomari-values
gfx/Variation of the last search/tedomari-variation
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
            GoGui::GameId => position.rules().game.to_string(),
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
            GoGui::Policy => policy_colors(position, &session.engine.evaluate(position.to_move())?),
            GoGui::Visits => graphics::visits(last_report(session)?),
            GoGui::Values => values(last_report(session)?),
            GoGui::Variation => {
                let report = last_report(session)?;
                format!("{}\nTEXT {report}", graphics::variation(report))
            }
            GoGui::FinalResult => {
                let result = session.engine.final_result();
                result.map_or("unknown".to_owned(), |result| result.to_string())
            }
        })
    }
}

fn last_report(session: &Session) -> Result<&SearchReport, Failure> {
    session.engine.last_report().map(|report| &report.search).ok_or_else(no_search)
}

/// The more likely a move, the deeper the red; labels where it is at least one percent.
fn policy_colors(position: &Position, evaluation: &Evaluation) -> String {
    let policy = evaluation.probabilities(position);
    let most = policy.iter().map(|(_, part)| *part).fold(f32::MIN_POSITIVE, f32::max);
    let mut lines = Vec::new();
    for (mv, part) in policy {
        let Some(point) = mv.point() else { continue };
        let vertex = position.size().vertex(point);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
        let pale = (255.0 * (1.0 - part / most)) as u8;
        lines.push(format!("COLOR #ff{pale:02x}{pale:02x} {vertex}"));
        if part >= 0.01 {
            lines.push(format!("LABEL {vertex} {:.0}", 100.0 * part));
        }
    }
    lines.join("\n")
}

/// The values of all moves that the search has tried.
fn values(report: &SearchReport) -> String {
    let value = |point| {
        let tried = report.moves.iter().find(|root| root.mv == Move::Place(point));
        let value = tried.filter(|root| root.visits > 0).map_or(0.0, |root| root.value.get());
        format!("{value:.3}")
    };
    let values: Vec<_> = report.size.points().map(value).collect();
    let rows = values.chunks(report.size.width()).map(|row| row.join(" "));
    rows.collect::<Vec<_>>().join("\n")
}
