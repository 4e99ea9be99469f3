//! The end of the game.

use super::{Answer, Command, Failure, Spec};
use crate::game::{Board, Color, Game, Point, PointSet, Position, owners};
use crate::gtp::args::ArgError;
use crate::gtp::session::Session;
use crate::judge::Judgement;

#[derive(Clone, Debug, PartialEq)]
pub enum ScoreCommand {
    FinalScore,
    FinalStatusList(Status),
    Ownership,
}

/// What can be asked of `final_status_list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Alive,
    Seki,
    Dead,
    Territory(Color),
}

pub(super) const SPECS: &[Spec] = &[
    Spec::new(
        "final_score",
        "",
        "How the game would end now, such as `B+3.5` or `0`, or how it has ended, such as `W+R`; where the rules take dead stones off, they are judged by the stones on the board and the rules alone.",
        |_| ok(ScoreCommand::FinalScore),
    ),
    Spec::new(
        "final_status_list",
        "alive|seki|dead|black_territory|white_territory",
        "The stones or points of a status, one chain or region on a line.",
        |args| ok(ScoreCommand::FinalStatusList(status(args.word("status")?)?)),
    ),
    Spec::new(
        "tedomari-ownership",
        "",
        "Who will own each point, row by row from the top: from -1 (White) to 1 (Black).",
        |_| ok(ScoreCommand::Ownership),
    ),
];

fn ok(command: ScoreCommand) -> Result<Command, ArgError> {
    Ok(Command::Score(command))
}

fn status(word: &str) -> Result<Status, ArgError> {
    Ok(match word {
        "alive" => Status::Alive,
        "seki" => Status::Seki,
        "dead" => Status::Dead,
        "black_territory" => Status::Territory(Color::Black),
        "white_territory" => Status::Territory(Color::White),
        _ => return Err(ArgError::Invalid { text: word.to_owned(), expected: "status" }),
    })
}

impl ScoreCommand {
    pub(super) fn execute(self, session: &mut Session) -> Answer {
        let engine = &mut session.engine;
        match self {
            ScoreCommand::FinalScore => engine
                .result()
                .map(|result| result.to_string())
                .ok_or_else(|| Failure("cannot score: the game is not over".to_owned())),
            ScoreCommand::FinalStatusList(status) => {
                let judgement = engine.judge();
                let position = engine.state().position();
                let groups = status_groups(position, &judgement, status);
                let line = |group: &Vec<Point>| {
                    let names = group.iter().map(|&p| position.size().vertex(p).to_string());
                    names.collect::<Vec<_>>().join(" ")
                };
                Ok(groups.iter().map(line).collect::<Vec<_>>().join("\n"))
            }
            ScoreCommand::Ownership => {
                let ownership = engine.judge().ownership;
                let size = engine.state().position().size();
                let text = |point| format!("{:.2}", ownership.of(Color::Black, point));
                let values: Vec<_> = size.points().map(text).collect();
                Ok(values
                    .chunks(size.width())
                    .map(|row| row.join(" "))
                    .collect::<Vec<_>>()
                    .join("\n"))
            }
        }
    }
}

/// The chains or regions of a status, in reading order.
fn status_groups(position: &Position, judgement: &Judgement, status: Status) -> Vec<Vec<Point>> {
    let board = position.board();
    if position.rules().game == Game::NoGo {
        return if status == Status::Alive { chains(board, |_| true) } else { Vec::new() };
    }
    let dead = &judgement.dead;
    let owners = owners(board, dead);
    // Alive without an eye of its own, and beside points that are nobody's: alive by seki.
    let in_seki = |head: Point, color: Color| {
        let liberties = board.liberties(head);
        liberties.len() >= 2 && liberties.iter().all(|p| owners.owner(p) != Some(color))
    };
    match status {
        Status::Dead => chains(board, |head| dead.contains(head)),
        Status::Seki | Status::Alive => chains(board, |head| {
            let seki = board.stone(head).is_some_and(|color| in_seki(head, color));
            !dead.contains(head) && seki == (status == Status::Seki)
        }),
        Status::Territory(color) => {
            let mine: PointSet =
                owners.points(color).iter().filter(|&p| board.stone(p) != Some(color)).collect();
            mine.iter().map(|point| vec![point]).collect()
        }
    }
}

/// The chains whose first stone passes a test.
fn chains(board: &Board, test: impl Fn(Point) -> bool) -> Vec<Vec<Point>> {
    let mut seen = PointSet::new();
    let mut groups = Vec::new();
    for point in board.size().points() {
        if board.stone(point).is_none() || seen.contains(point) {
            continue;
        }
        let mut chain: Vec<_> = board.chain_stones(point).collect();
        chain.sort_unstable();
        for &stone in &chain {
            seen.insert(stone);
        }
        if test(point) {
            groups.push(chain);
        }
    }
    groups
}
