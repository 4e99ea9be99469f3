//! What KataGo's networks of input version 7 see of a position.
//!
//! Everything is seen by the side to move ("own"). Planes come channels last, and all are 0 or 1.
//!
//! | plane | is 1 at |
//! |---|---|
//! | 0 | every point of the board |
//! | 1, 2 | own stones, the opponent's stones |
//! | 3, 4, 5 | stones of chains with one, two, three liberties |
//! | 6 | points forbidden by the ko rule or as a repetition |
//! | 7, 8 | nothing: they belong to the disputes that follow a game by KataGo's territory rules |
//! | 9 … 13 | the last move, the one before, … up to the fifth, as long as the players took turns |
//! | 14 | stones of chains that can be caught in a ladder |
//! | 15, 16 | the same one move ago, two moves ago |
//! | 17 | moves that catch a chain of the opponent with two liberties |
//! | 18, 19 | own area, the opponent's area, under area scoring |
//! | 20, 21 | nothing, as 7 and 8 |
//!
//! | global | meaning |
//! |---|---|
//! | 0 … 4 | the last move was a pass, the one before, … up to the fifth |
//! | 5 | komi for the side to move with all compensations, divided by 20 |
//! | 6, 7 | 1 and ½ for positional superko, 1 and -½ for situational superko |
//! | 8 | suicide is allowed |
//! | 9 | territory scoring |
//! | 10 | no points in seki, which is how KataGo plays by territory |
//! | 11, 12, 13 | nothing: a tax on groups, and the disputes |
//! | 14 | a pass would end the game |
//! | 15, 16, 17 | nothing: a handicap in playouts, and the button |
//! | 18 | a wave with a period of two points that tells which komi allow a draw |

use super::area;
use super::ladder::{caught_chains, stones_of};
use crate::game::{
    Board, BoardSize, Color, Illegal, KoRule, Move, Point, PointSet, Position, Scoring, Suicide,
    Symmetry,
};

/// Planes of each point.
pub const PLANES: usize = 22;

/// Values that belong to the whole position.
pub const GLOBALS: usize = 19;

/// The numbers of the planes.
mod plane {
    pub(super) const ON_BOARD: usize = 0;
    pub(super) const OWN: usize = 1;
    pub(super) const OPPONENT: usize = 2;
    /// The first of three.
    pub(super) const LIBERTIES: usize = 3;
    pub(super) const FORBIDDEN: usize = 6;
    /// The first of five.
    pub(super) const LAST_MOVES: usize = 9;
    /// The first of three: now, one move ago, two moves ago.
    pub(super) const CAUGHT: usize = 14;
    pub(super) const CATCHES: usize = 17;
    pub(super) const OWN_AREA: usize = 18;
    pub(super) const OPPONENT_AREA: usize = 19;
}

/// Writes the features of a position, turned by `symmetry`: what belongs to a point `p` goes to the
/// place of `symmetry.apply(size, p)`. Whatever the slices held before is overwritten.
///
/// # Panics
///
/// If there is not room for [`PLANES`] values for each point and for [`GLOBALS`], or if the board
/// does not have the symmetry.
pub fn encode(position: &Position, symmetry: Symmetry, planes: &mut [f32], globals: &mut [f32]) {
    encode_by(Areas::ByTheRules, position, symmetry, planes, globals);
}

/// How a network sees the areas of positions in which suicide is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Areas {
    /// As they are.
    ByTheRules,
    /// As if suicide were allowed: less is alive without an answer.
    WithSuicide,
}

/// The same for networks that see areas otherwise.
///
/// # Panics
///
/// As [`encode`].
pub fn encode_by(
    areas: Areas,
    position: &Position,
    symmetry: Symmetry,
    planes: &mut [f32],
    globals: &mut [f32],
) {
    let size = position.size();
    assert_eq!(planes.len(), size.area() * PLANES, "planes of a {size} board");
    planes.fill(0.0);
    let mut canvas = Canvas { planes, size, symmetry };
    // As KataGo has it, a game that is over has no past.
    let past = if position.is_over() { 0 } else { turns_in_a_row(position) };
    draw_stones(position, &mut canvas);
    draw_moves(position, past, &mut canvas);
    draw_ladders(position, past, &mut canvas);
    if position.rules().scoring == Scoring::Area {
        let own = position.to_move();
        let suicide = match areas {
            Areas::ByTheRules => position.rules().suicide,
            Areas::WithSuicide => Suicide::Allowed,
        };
        let areas = area::areas(position.board(), suicide);
        canvas.set_all(&areas[own.index()], plane::OWN_AREA);
        canvas.set_all(&areas[own.opponent().index()], plane::OPPONENT_AREA);
    }
    globals.copy_from_slice(&encode_globals(position, past));
}

/// The planes of one position.
struct Canvas<'a> {
    planes: &'a mut [f32],
    size: BoardSize,
    symmetry: Symmetry,
}

impl Canvas<'_> {
    fn set(&mut self, point: Point, plane: usize) {
        let offset = self.size.offset(self.symmetry.apply(self.size, point));
        self.planes[offset * PLANES + plane] = 1.0;
    }

    fn set_all(&mut self, points: &PointSet, plane: usize) {
        points.iter().for_each(|point| self.set(point, plane));
    }
}

/// How many of the last moves were made by the players in turn, so that the side to move is next.
fn turns_in_a_row(position: &Position) -> usize {
    let mut expected = position.to_move();
    position
        .last_moves()
        .take_while(|&(color, _)| {
            expected = expected.opponent();
            color == expected
        })
        .count()
}

fn draw_stones(position: &Position, canvas: &mut Canvas<'_>) {
    let (board, own) = (position.board(), position.to_move());
    for point in position.size().points() {
        canvas.set(point, plane::ON_BOARD);
        match board.stone(point) {
            None if is_forbidden(position, point) => canvas.set(point, plane::FORBIDDEN),
            None => {}
            Some(color) => {
                let plane = if color == own { plane::OWN } else { plane::OPPONENT };
                canvas.set(point, plane);
                if board.chain_head(point) == point {
                    draw_liberties(board, point, canvas);
                }
            }
        }
    }
}

/// Whether a rule against repetition forbids a point to the side to move.
fn is_forbidden(position: &Position, point: Point) -> bool {
    let (board, own) = (position.board(), position.to_move());
    // The suicide of a single stone repeats the position, but is forbidden for what it is.
    let is_lone_suicide = || board.is_suicide(own, point) && !board.around(point).touches(own);
    position.ko() == Some(point)
        || position.rules().ko != KoRule::Simple
            && position.check(own, Move::Place(point)) == Err(Illegal::Superko)
            && !is_lone_suicide()
}

fn draw_liberties(board: &Board, head: Point, canvas: &mut Canvas<'_>) {
    let liberties = board.liberties(head).len();
    if (1..=3).contains(&liberties) {
        for stone in board.chain_stones(head) {
            canvas.set(stone, plane::LIBERTIES + liberties - 1);
        }
    }
}

fn draw_moves(position: &Position, past: usize, canvas: &mut Canvas<'_>) {
    for ((_, mv), age) in position.last_moves().take(past).zip(0..) {
        if let Some(point) = mv.point() {
            canvas.set(point, plane::LAST_MOVES + age);
        }
    }
}

fn draw_ladders(position: &Position, past: usize, canvas: &mut Canvas<'_>) {
    let board = position.board();
    let chains = caught_chains(board, position.ko());
    let mut stones = stones_of(board, &chains);
    canvas.set_all(&stones, plane::CAUGHT);
    for chain in chains {
        if board.stone(chain.stone) == Some(position.to_move().opponent()) {
            let attacks = chain.attacks.into_iter().flatten();
            attacks.for_each(|attack| canvas.set(attack, plane::CATCHES));
        }
    }
    let mut boards = position.earlier_boards().into_iter().take(past);
    for plane in [plane::CAUGHT + 1, plane::CAUGHT + 2] {
        // Where there is no earlier board, the one after it stands in for it.
        if let Some((board, ko)) = boards.next() {
            stones = stones_of(&board, &caught_chains(&board, ko));
        }
        canvas.set_all(&stones, plane);
    }
}

fn encode_globals(position: &Position, past: usize) -> [f32; GLOBALS] {
    let (size, rules) = (position.size(), position.rules());
    let mut globals = [0.0; GLOBALS];
    for ((_, mv), global) in position.last_moves().take(past).zip(&mut globals) {
        *global = flag(mv == Move::Pass);
    }
    let most = size.area() as f32 + 20.0;
    let komi = own_komi(position).clamp(-most, most);
    globals[5] = komi / 20.0;
    let superko = match rules.ko {
        KoRule::Simple => [0.0, 0.0],
        KoRule::PositionalSuperko => [1.0, 0.5],
        KoRule::SituationalSuperko => [1.0, -0.5],
    };
    globals[6..8].copy_from_slice(&superko);
    globals[8] = flag(rules.suicide == Suicide::Allowed);
    let territory = rules.scoring == Scoring::Territory;
    globals[9] = flag(territory);
    globals[10] = flag(territory);
    let passes = position.passes().saturating_add(1);
    globals[14] = flag(!position.is_over() && rules.ends_after(passes, position.to_move()));
    if !territory {
        globals[18] = wave(komi, size);
    }
    globals
}

/// Komi as the side to move has it. Under territory scoring KataGo counts area and takes a point
/// for every stone that was played.
fn own_komi(position: &Position) -> f32 {
    let (board, rules) = (position.board(), position.rules());
    let bonus = f32::from(rules.handicap_points(position.handicap()));
    let played = |color| board.stones(color) as f32 + board.captured(color) as f32;
    let stones = match rules.scoring {
        Scoring::Area => 0.0,
        Scoring::Territory => played(Color::Black) - played(Color::White),
    };
    let white = position.komi().halves() as f32 / 2.0 + bonus + stones;
    match position.to_move() {
        Color::Black => -white,
        Color::White => white,
    }
}

/// Rises through 0 at the komi that allow a draw, falls through 0 half-way between them. Two areas
/// that fill the board differ by an odd number if it has an odd number of points.
fn wave(komi: f32, size: BoardSize) -> f32 {
    let parity = if size.area().is_multiple_of(2) { 0.0 } else { 1.0 };
    let delta = (komi - parity).rem_euclid(2.0);
    if delta < 0.5 {
        delta
    } else if delta < 1.5 {
        1.0 - delta
    } else {
        delta - 2.0
    }
}

fn flag(is_set: bool) -> f32 {
    if is_set { 1.0 } else { 0.0 }
}
