//! Boards, moves and set-up.

use super::{Answer, Command, Failure, Spec, done};
use crate::game::{self, BoardSize, Color, Game, Komi, Move, Point, PointSet, handicap};
use crate::gtp::args::{ArgError, Args, VertexText};
use crate::gtp::session::Session;

#[derive(Clone, Debug, PartialEq)]
pub enum Board {
    Size { width: usize, height: usize },
    Clear,
    Komi(f64),
    Game(Option<Game>),
    Play(Color, VertexText),
    PlaySequence(Vec<(Color, VertexText)>),
    Undo(usize),
    Show,
    FixedHandicap(usize),
    PlaceFreeHandicap(usize),
    SetFreeHandicap(Vec<VertexText>),
    SetUp(Vec<(Color, VertexText)>),
    SetPosition(Vec<(Color, VertexText)>),
    SetUpPlayer(Color),
}

pub(super) const SPECS: &[Spec] = &[
    Spec::new(
        "boardsize",
        "SIZE [HEIGHT]",
        "Clears a board of 2 to 25 points a side. Komi and time settings stay.",
        |args| {
            let width = args.parse("size")?;
            let height = args.parse_optional("height")?.unwrap_or(width);
            ok(Board::Size { width, height })
        },
    ),
    Spec::new(
        "rectangular_boardsize",
        "WIDTH HEIGHT",
        "Clears a board that need not be square.",
        |args| ok(Board::Size { width: args.parse("width")?, height: args.parse("height")? }),
    ),
    Spec::new(
        "clear_board",
        "",
        "Begins a new game on the same board. Komi and time settings stay, clocks start anew.",
        |_| ok(Board::Clear),
    ),
    Spec::new("komi", "KOMI", "Points for White, a multiple of 0.5.", |args| {
        ok(Board::Komi(args.parse("komi")?))
    }),
    Spec::new(
        "tedomari-game",
        "[go|nogo]",
        "Begins a game of Go or NoGo, or answers which it is.",
        |args| match args.optional() {
            None => ok(Board::Game(None)),
            Some(text) => {
                let wrong =
                    |_| ArgError::Invalid { text: text.to_owned(), expected: "game: go or nogo" };
                ok(Board::Game(Some(text.parse().map_err(wrong)?)))
            }
        },
    ),
    Spec::new(
        "play",
        "COLOR VERTEX",
        "Plays a move for either player. An illegal one is refused with the reason.",
        |args| ok(Board::Play(args.color()?, args.vertex()?)),
    ),
    Spec::new(
        "gogui-play_sequence",
        "[COLOR VERTEX]...",
        "Plays several moves; if one is illegal, none is played.",
        |args| ok(Board::PlaySequence(args.color_vertex_pairs()?)),
    ),
    Spec::new("undo", "", "Takes back one move.", |_| ok(Board::Undo(1))),
    Spec::new("gg-undo", "[MOVES]", "Takes back several moves, one if none is said.", |args| {
        ok(Board::Undo(args.parse_optional("number of moves")?.unwrap_or(1)))
    }),
    Spec::new("showboard", "", "A picture of the board.", |_| ok(Board::Show)),
    Spec::new(
        "fixed_handicap",
        "STONES",
        "Puts handicap stones on the usual points and answers where.",
        |args| ok(Board::FixedHandicap(stones(args)?)),
    ),
    Spec::new(
        "place_free_handicap",
        "STONES",
        "Puts handicap stones where the engine likes and answers where.",
        |args| ok(Board::PlaceFreeHandicap(stones(args)?)),
    ),
    Spec::new("set_free_handicap", "VERTEX...", "Puts handicap stones on these points.", |args| {
        ok(Board::SetFreeHandicap(args.rest().iter().cloned().map(VertexText).collect()))
    }),
    Spec::new(
        "set_position",
        "[COLOR VERTEX]...",
        "Begins a game from a board with these stones, each point named once.",
        |args| ok(Board::SetPosition(args.color_vertex_pairs()?)),
    ),
    Spec::new(
        "gogui-setup",
        "[COLOR VERTEX]...",
        "Begins a game from a board with these stones; of two on a point the later one counts.",
        |args| ok(Board::SetUp(args.color_vertex_pairs()?)),
    ),
    Spec::new("gogui-setup_player", "COLOR", "Gives the turn to a player.", |args| {
        ok(Board::SetUpPlayer(args.color()?))
    }),
];

fn ok(command: Board) -> Result<Command, ArgError> {
    Ok(Command::Board(command))
}

fn stones(args: &mut Args<'_>) -> Result<usize, ArgError> {
    args.parse("number of stones")
}

impl Board {
    pub(super) fn execute(self, session: &mut Session) -> Answer {
        let engine = &mut session.engine;
        let size = engine.state().position().size();
        match self {
            Board::Size { width, height } => engine.new_game(BoardSize::new(width, height)?),
            Board::Clear => engine.new_game(size),
            Board::Komi(points) => engine.state_mut().set_komi(Komi::from_points(points)?),
            Board::Game(None) => {
                return Ok(engine.state().rules().game.key().to_owned());
            }
            Board::Game(Some(game)) => engine.set_game(game)?,
            Board::Play(color, vertex) => {
                engine.state_mut().play(color, vertex.to_move(size)?)?;
            }
            Board::PlaySequence(moves) => {
                let moves: Result<Vec<_>, _> = moves
                    .iter()
                    .map(|(color, vertex)| Ok::<_, Failure>((*color, vertex.to_move(size)?)))
                    .collect();
                engine.state_mut().play_sequence(&moves?)?;
            }
            Board::Undo(count) => engine.state_mut().undo(count)?,
            Board::Show => return Ok(format!("\n{}", game::render(engine.state().position()))),
            Board::FixedHandicap(stones) => {
                let points = handicap::fixed(size, stones).ok_or_else(invalid_number)?;
                return place_handicap(session, &points);
            }
            Board::PlaceFreeHandicap(stones) => {
                if stones < 2 || stones >= size.area() {
                    return Err(invalid_number());
                }
                return place_handicap(session, &handicap::free(size, stones));
            }
            Board::SetFreeHandicap(vertices) => {
                let points = distinct_points(&vertices, size)?;
                place_handicap(session, &points)?;
            }
            Board::SetPosition(stones) => {
                let all = set_up_stones(&stones, size)?;
                if all.len() < stones.len() {
                    return Err(Failure("a point is named twice".to_owned()));
                }
                engine.state_mut().set_up(all)?;
            }
            Board::SetUp(stones) => engine.state_mut().set_up(set_up_stones(&stones, size)?)?,
            Board::SetUpPlayer(color) => engine.state_mut().set_to_move(color),
        }
        done()
    }
}

fn invalid_number() -> Failure {
    Failure("invalid number of stones".to_owned())
}

fn place_handicap(session: &mut Session, points: &[Point]) -> Answer {
    let state = session.engine.state_mut();
    if state.rules().game == Game::NoGo {
        return Err(Failure("there is no handicap in NoGo".to_owned()));
    }
    state.place_handicap(points)?;
    let size = state.position().size();
    Ok(points.iter().map(|&p| size.move_text(Move::Place(p))).collect::<Vec<_>>().join(" "))
}

/// Points for handicap stones: at least two, each once.
fn distinct_points(vertices: &[VertexText], size: BoardSize) -> Result<Vec<Point>, Failure> {
    if vertices.len() < 2 {
        return Err(Failure("a handicap has at least two stones".to_owned()));
    }
    let mut seen = PointSet::new();
    let mut points = Vec::with_capacity(vertices.len());
    for vertex in vertices {
        let point = vertex.to_point(size)?;
        if !seen.insert(point) {
            return Err(Failure(format!("repeated vertex {}", size.vertex(point))));
        }
        points.push(point);
    }
    Ok(points)
}

/// Stones of a set-up: a later one replaces an earlier one on the same point.
fn set_up_stones(
    stones: &[(Color, VertexText)],
    size: BoardSize,
) -> Result<Vec<(Color, Point)>, Failure> {
    let mut set_up: Vec<(Color, Point)> = Vec::with_capacity(stones.len());
    let mut seen = PointSet::new();
    for (color, vertex) in stones {
        let point = vertex.to_point(size)?;
        if !seen.insert(point) {
            set_up.retain(|&(_, p)| p != point);
        }
        set_up.push((*color, point));
    }
    Ok(set_up)
}
