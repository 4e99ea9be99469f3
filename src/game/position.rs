//! A position in a game: the board, whose turn it is, and what the rules remember.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::board::{Board, Placement};
use super::color::Color;
use super::history::History;
use super::point::{BoardSize, Move, Point};
use super::rules::{Game, KoRule, Komi, Rules, Scoring, Suicide};
use super::symmetry::Symmetry;
use super::zobrist;
use past::Past;

mod past;
mod recorded;

/// Why a move is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// A stone is there already.
    #[error("the point is occupied")]
    Occupied,
    /// Immediate recapture.
    #[error("the ko rule forbids to retake at once")]
    Ko,
    /// The position has been on the board before.
    #[error("the superko rule forbids to repeat an earlier position")]
    Superko,
    /// The stone would have no liberty.
    #[error("suicide is not allowed")]
    Suicide,
    /// NoGo forbids captures.
    #[error("a capture is not allowed in NoGo")]
    Capture,
    /// NoGo forbids passes.
    #[error("a pass is not allowed in NoGo")]
    Pass,
}

/// A position in a game of Go or NoGo.
///
/// Either player may move at any time, as GTP allows; [`Position::to_move`] says whose turn it is.
pub struct Position {
    board: Board,
    rules: Rules,
    komi: Komi,
    handicap: u16,
    to_move: Color,
    ko: Option<Point>,
    passes: u8,
    moves: u32,
    last_moves: [Option<(Color, Move)>; Self::REMEMBERED],
    past: Past,
    history: History,
}

impl Clone for Position {
    fn clone(&self) -> Self {
        let Self { board, history, past, .. } = self;
        Self { board: board.clone(), history: history.clone(), past: past.clone(), ..*self }
    }

    /// Copies without allocating when there is room: the search does it for every simulation.
    fn clone_from(&mut self, source: &Self) {
        self.board.clone_from(&source.board);
        self.history.clone_from(&source.history);
        self.rules = source.rules;
        self.komi = source.komi;
        self.handicap = source.handicap;
        self.to_move = source.to_move;
        self.ko = source.ko;
        self.passes = source.passes;
        self.moves = source.moves;
        self.last_moves = source.last_moves;
        self.past.clone_from(&source.past);
    }
}

impl Position {
    /// How many of the last moves a position remembers.
    pub const REMEMBERED: usize = 5;

    /// The empty board with Black to move.
    #[must_use]
    pub fn new(size: BoardSize, rules: Rules, komi: Komi) -> Self {
        Self::from_board(Board::new(size), Color::Black, rules, komi)
    }

    /// The beginning of a game that starts from a board with stones on it.
    #[must_use]
    pub fn from_board(board: Board, to_move: Color, rules: Rules, komi: Komi) -> Self {
        let mut position = Self {
            board,
            rules,
            komi,
            handicap: 0,
            to_move,
            ko: None,
            passes: 0,
            moves: 0,
            last_moves: [None; Self::REMEMBERED],
            past: Past::default(),
            history: History::new(),
        };
        position.remember();
        position
    }

    /// The stones.
    #[inline]
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Width and height of the board.
    #[must_use]
    pub const fn size(&self) -> BoardSize {
        self.board.size()
    }

    /// The rules in force.
    #[inline]
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Points for White.
    #[must_use]
    pub const fn komi(&self) -> Komi {
        self.komi
    }

    /// Changes komi.
    pub fn set_komi(&mut self, komi: Komi) {
        self.komi = komi;
    }

    /// Handicap stones that Black received.
    #[must_use]
    pub const fn handicap(&self) -> u16 {
        self.handicap
    }

    /// Sets how many of Black's stones were a handicap, for White's compensation.
    pub fn set_handicap(&mut self, stones: u16) {
        self.handicap = stones;
    }

    /// Whose turn it is.
    #[inline]
    #[must_use]
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Gives the turn to a player.
    pub fn set_to_move(&mut self, color: Color) {
        if color != self.to_move {
            self.to_move = color;
            self.ko = None;
        }
    }

    /// The point that the simple ko rule forbids to the player to move.
    #[must_use]
    pub const fn ko(&self) -> Option<Point> {
        self.ko
    }

    /// Moves played since the beginning, passes included.
    #[must_use]
    pub const fn move_count(&self) -> u32 {
        self.moves
    }

    /// The last moves, newest first.
    pub fn last_moves(&self) -> impl Iterator<Item = (Color, Move)> + '_ {
        self.last_moves.iter().map_while(|&mv| mv)
    }

    /// Passes in a row up to now.
    #[must_use]
    pub const fn passes(&self) -> u8 {
        self.passes
    }

    /// Lets a game go on that has been ended by passes, for instance to settle a dispute.
    pub const fn resume(&mut self) {
        self.passes = 0;
    }

    /// Whether the game is over: enough passes in Go, no legal move in NoGo.
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self.rules.game {
            Game::Go => self.rules.ends_after(self.passes, self.to_move.opponent()),
            Game::NoGo => !self.has_legal_point(self.to_move),
        }
    }

    /// The position as it looks when the board is turned. What the superko rules remember is not
    /// turned with it, but for the position itself.
    #[must_use]
    pub fn turned(&self, symmetry: Symmetry) -> Self {
        let size = self.size();
        let mut turned =
            Self::from_board(self.board.turned(symmetry), self.to_move, self.rules, self.komi);
        let turn = |(color, mv)| (color, symmetry.apply_move(size, mv));
        turned.handicap = self.handicap;
        turned.ko = self.ko.map(|point| symmetry.apply(size, point));
        turned.passes = self.passes;
        turned.moves = self.moves;
        turned.last_moves = self.last_moves.map(|last| last.map(turn));
        turned.past = self.past.turned(self, symmetry);
        turned
    }

    /// Hash of the whole situation: size, stones, player to move, ko, passes, rules, komi with
    /// White's compensation, and prisoners where they count. Earlier positions are not part of it.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let komi = self.komi.halves() + 2 * i32::from(self.rules.handicap_points(self.handicap));
        let prisoners = match self.rules.scoring {
            Scoring::Area => 0,
            Scoring::Territory => {
                self.board.captured(Color::White).wrapping_sub(self.board.captured(Color::Black))
            }
        };
        self.situation()
            ^ self.ko.map_or(0, zobrist::ko)
            ^ zobrist::feature(20, u32::from(self.passes))
            ^ zobrist::feature(21, komi.cast_unsigned())
            ^ zobrist::feature(22, prisoners)
            ^ zobrist::size(self.size())
            ^ self.rules.hash()
    }

    /// Hash of all that an evaluator can look at: the situation as [`Position::hash`] has it, the last
    /// moves, the boards before two of them, and the points that superko forbids to the player to
    /// move. Good within one process.
    #[must_use]
    pub fn hash_with_past(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.hash(), self.last_moves).hash(&mut hasher);
        self.past.hash(self.moves, &mut hasher);
        if self.may_repeat() {
            let empty = self.board.empty_points().iter();
            let repeats =
                |p: Point| self.repeats(self.to_move, p, self.board.is_suicide(self.to_move, p));
            // In no particular order, like the empty points.
            let forbidden = empty.filter(|&&p| repeats(p)).fold(0, |sum, &p| sum ^ zobrist::ko(p));
            forbidden.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Whether `color` may put a stone on `point`.
    #[inline]
    #[must_use]
    pub fn is_legal(&self, color: Color, point: Point) -> bool {
        self.check_point(color, point).is_ok()
    }

    /// Says why a move is not allowed, if it is not.
    pub fn check(&self, color: Color, mv: Move) -> Result<(), Illegal> {
        match mv {
            Move::Place(point) => self.check_point(color, point),
            Move::Pass if self.rules.game == Game::NoGo => Err(Illegal::Pass),
            Move::Pass => Ok(()),
        }
    }

    /// The points where `color` may put a stone, in no particular order.
    pub fn legal_points(&self, color: Color) -> impl Iterator<Item = Point> + '_ {
        self.board.empty_points().iter().copied().filter(move |&p| self.is_legal(color, p))
    }

    /// Whether `color` may put a stone anywhere.
    #[must_use]
    pub fn has_legal_point(&self, color: Color) -> bool {
        self.legal_points(color).next().is_some()
    }

    /// Makes a move for `color`; an illegal one changes nothing.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        self.check(color, mv)?;
        self.play_legal(color, mv);
        Ok(())
    }

    /// Makes a move for `color` that is known to be legal.
    pub fn play_legal(&mut self, color: Color, mv: Move) {
        debug_assert!(self.check(color, mv).is_ok());
        self.make(color, mv);
    }

    fn make(&mut self, color: Color, mv: Move) {
        let ko = self.ko;
        let removed = self.past.begin_step();
        let mut owner = color.opponent();
        match mv {
            Move::Place(point) => {
                let note = |stone| removed.extend((stone != point).then_some(stone));
                let placement = self.board.place_and_tell(color, point, note);
                if placement.suicides > 0 {
                    owner = color;
                }
                self.end_placement(color, point, placement);
            }
            Move::Pass => self.pass(color),
        }
        self.past.end_step(self.moves, ko, owner);
        self.remember();
    }

    /// Puts a stone of `color` on a point that is known to be legal, without adding the position
    /// to those that the superko rules remember: playouts need the simple ko rule alone.
    #[inline]
    pub fn place(&mut self, color: Color, point: Point) -> Placement {
        let placement = self.board.place(color, point);
        self.end_placement(color, point, placement);
        placement
    }

    #[inline]
    fn end_placement(&mut self, color: Color, point: Point, placement: Placement) {
        self.ko = placement.ko;
        self.passes = 0;
        self.end_turn(color, Move::Place(point));
    }

    /// Passes for `color`, without adding the position to those that are remembered.
    #[inline]
    pub fn pass(&mut self, color: Color) {
        self.ko = None;
        self.passes = self.passes.saturating_add(1);
        self.end_turn(color, Move::Pass);
    }

    /// Whether a playout may put a stone of `color` on an empty point: no suicide, whatever the
    /// rules say of it, and of the ko rules the simple one.
    #[inline]
    #[must_use]
    pub fn is_playable(&self, color: Color, point: Point) -> bool {
        debug_assert!(self.board.is_empty(point));
        let forbidden = match self.rules.game {
            Game::Go => self.ko == Some(point),
            Game::NoGo => self.board.captures(color, point),
        };
        !forbidden && !self.board.is_suicide(color, point)
    }

    #[inline]
    fn end_turn(&mut self, color: Color, mv: Move) {
        self.last_moves.copy_within(..Self::REMEMBERED - 1, 1);
        self.last_moves[0] = Some((color, mv));
        self.moves += 1;
        self.to_move = color.opponent();
    }

    fn check_point(&self, color: Color, point: Point) -> Result<(), Illegal> {
        if !self.board.is_empty(point) {
            return Err(Illegal::Occupied);
        }
        match self.rules.game {
            Game::NoGo if self.board.captures(color, point) => Err(Illegal::Capture),
            Game::NoGo if self.board.is_suicide(color, point) => Err(Illegal::Suicide),
            Game::NoGo => Ok(()),
            Game::Go => self.check_go_point(color, point),
        }
    }

    fn check_go_point(&self, color: Color, point: Point) -> Result<(), Illegal> {
        if self.ko == Some(point) && color == self.to_move {
            return Err(Illegal::Ko);
        }
        let suicide = self.board.is_suicide(color, point);
        if suicide && self.rules.suicide == Suicide::Forbidden {
            return Err(Illegal::Suicide);
        }
        if self.rules.ko != KoRule::Simple && self.repeats(color, point, suicide) {
            return Err(Illegal::Superko);
        }
        // Suicide of one stone changes nothing on the board. Situational superko alone would let
        // it stand for a pass now and then; there are real passes for that.
        if suicide && self.is_lone_suicide(color, point) {
            return Err(Illegal::Suicide);
        }
        Ok(())
    }

    fn is_lone_suicide(&self, color: Color, point: Point) -> bool {
        !self.board.around(point).touches(color)
    }

    /// Whether any move could be forbidden by superko.
    fn may_repeat(&self) -> bool {
        self.rules.game == Game::Go
            && self.rules.ko != KoRule::Simple
            && (self.rules.suicide == Suicide::Allowed || !self.is_untouched())
    }

    /// Whether stones have only been added so far.
    fn is_untouched(&self) -> bool {
        Color::BOTH.iter().all(|&c| self.board.captured(c) == 0)
    }

    /// Whether the move leads to a position that the superko rule in force forbids.
    fn repeats(&self, color: Color, point: Point, suicide: bool) -> bool {
        // As long as stones have only been added, there never was one on this point: a position
        // with the new stone cannot have been there, whatever it captures.
        if self.is_untouched() && !suicide {
            return false;
        }
        let stones = self.board.hash_after(color, point);
        self.history.contains(self.with_side(stones, color.opponent()))
    }

    /// What the superko rule in force compares: the stones, and the player to move if it says so.
    fn with_side(&self, stones: u64, to_move: Color) -> u64 {
        if self.rules.ko == KoRule::SituationalSuperko && to_move == Color::White {
            stones ^ zobrist::WHITE_TO_MOVE
        } else {
            stones
        }
    }

    fn remember(&mut self) {
        if self.rules.game == Game::Go && self.rules.ko != KoRule::Simple {
            self.history.add(self.with_side(self.board.hash(), self.to_move));
        }
    }

    fn situation(&self) -> u64 {
        match self.to_move {
            Color::Black => self.board.hash(),
            Color::White => self.board.hash() ^ zobrist::WHITE_TO_MOVE,
        }
    }
}

#[cfg(test)]
mod tests;
