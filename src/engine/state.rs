//! The game on the board: its record, and the position it has led to.

use std::borrow::Cow;

use crate::game::{
    BoardSize, Color, Game, GameRecord, GameResult, Illegal, Komi, Move, Point, Position,
    RecordedMove, ReplayError, Rules,
};
use crate::search::Line;

/// A change to the game on the board that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The move is against the rules.
    #[error("illegal move: {0}")]
    Illegal(#[from] Illegal),
    /// The record or the position is against the rules.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// There are fewer moves than are to be taken back.
    #[error("cannot undo")]
    NothingToUndo,
    /// Handicap stones come first.
    #[error("board not empty")]
    NotEmpty,
    /// Rules for the other game.
    #[error("these rules are for {0}: choose the game with tedomari-game first")]
    OtherGame(Game),
    /// The evaluator does not know the game.
    #[error("the network is not for {0}: start the program without --net, or with one for {0}")]
    OtherNetwork(Game),
}

/// The game on the board.
#[derive(Clone)]
pub struct GameState {
    record: GameRecord,
    rules: Rules,
    komi: Komi,
    position: Position,
    /// How the game has ended, if somebody has said that it is over; [`GameResult::Unknown`] if no more
    /// was said. What a loaded record says is in the record.
    ended: Option<GameResult>,
    /// How the position came about. Its beginning tells stones, rules, komi and the side to move apart.
    line: Line,
}

impl GameState {
    /// The beginning of a game on an empty board.
    #[must_use]
    pub fn new(size: BoardSize, rules: Rules, komi: Komi) -> Self {
        let mut record = GameRecord::new(size);
        let position = Position::new(size, rules, komi);
        // Most games are not longer.
        let usual = size.area() + size.area() / 2;
        record.moves.reserve(usual);
        let moves = Vec::with_capacity(usual);
        let line = Line { start: mark(&position), moves, to_move: position.to_move() };
        Self { record, rules, komi, position, ended: None, line }
    }

    /// The position on the board.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The rules in force.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// Points for White.
    #[must_use]
    pub const fn komi(&self) -> Komi {
        self.komi
    }

    /// The game so far, with the rules and komi in force.
    #[must_use]
    pub fn record(&self) -> GameRecord {
        GameRecord {
            rules: Some(self.rules),
            komi: (self.rules.game == Game::Go).then_some(self.komi),
            result: self.result(),
            application: Some(concat!("Tedomari:", env!("CARGO_PKG_VERSION")).to_owned()),
            ..self.record.clone()
        }
    }

    /// How the game has ended, if somebody has said that it is over.
    #[must_use]
    pub const fn ended(&self) -> Option<GameResult> {
        self.ended
    }

    /// How the game has ended, if somebody has said it or the loaded record does.
    #[must_use]
    pub fn result(&self) -> Option<GameResult> {
        self.ended.filter(|&result| result != GameResult::Unknown).or(self.record.result)
    }

    /// Takes note that the game is over. Who does not know how it ended changes nothing about it.
    pub(super) fn end(&mut self, result: GameResult) {
        if result != GameResult::Unknown || self.ended.is_none() {
            self.ended = Some(result);
        }
    }

    /// Writes down who plays and when; see [`Engine::describe_game`](super::Engine::describe_game).
    pub(super) fn describe(&mut self, players: [Option<String>; 2], date: Option<String>) {
        for (known, told) in self.record.players.iter_mut().zip(players) {
            *known = told.or(known.take());
        }
        if !self.record.moves.is_empty() {
            self.record.date = self.record.date.take().or(date);
        }
    }

    /// The game goes on, or is another one.
    const fn go_on(&mut self) {
        self.ended = None;
        self.record.result = None;
    }

    /// How the position came about, for a search that remembers its tree.
    #[must_use]
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// The position with `color` to move, where it is not the one on the board. A game that passes have
    /// ended goes on: whoever asks for a move wants one, as servers do when dead stones are disputed.
    pub(super) fn position_for(&self, color: Color) -> Option<Box<Position>> {
        let mut other = (self.position.to_move() != color).then(|| {
            let mut turned = self.position.clone();
            turned.set_to_move(color);
            Box::new(turned)
        });
        let position = other.as_deref().unwrap_or(&self.position);
        if self.rules.game == Game::Go && position.is_over() {
            other.get_or_insert_with(|| Box::new(self.position.clone())).resume();
        }
        other
    }

    /// How the position on the board came about, unless the position to search is another one.
    pub(super) fn line_to(&self, position: &Position) -> Option<Cow<'_, Line>> {
        let resumed = self.position.passes() != position.passes();
        let to_move = position.to_move();
        (!resumed).then(|| {
            if self.line.to_move == to_move {
                Cow::Borrowed(&self.line)
            } else {
                Cow::Owned(Line { to_move, ..self.line.clone() })
            }
        })
    }

    /// Takes note of another beginning, or of other moves.
    fn begin(&mut self) {
        self.go_on();
        let start = self.record.start(self.rules, self.komi);
        let moves = self.record.moves.iter().map(|mv| (mv.color, mv.mv)).collect();
        self.line =
            Line { start: start.as_ref().map_or(0, mark), moves, to_move: self.position.to_move() };
    }

    /// Plays a move.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), StateError> {
        self.position.play(color, mv)?;
        self.write_down(color, mv);
        Ok(())
    }

    /// Plays a move that is known to be legal.
    pub fn play_legal(&mut self, color: Color, mv: Move) {
        self.position.play_legal(color, mv);
        self.write_down(color, mv);
    }

    fn write_down(&mut self, color: Color, mv: Move) {
        self.go_on();
        self.record.moves.push(RecordedMove::new(color, mv));
        self.line.moves.push((color, mv));
        self.line.to_move = self.position.to_move();
    }

    /// What is known of the last move beside the move itself, to be filled in.
    pub fn last_recorded(&mut self) -> Option<&mut RecordedMove> {
        self.record.moves.last_mut()
    }

    /// Plays all of a sequence, or nothing if one of its moves is illegal.
    pub fn play_sequence(&mut self, moves: &[(Color, Move)]) -> Result<(), StateError> {
        let mut after = self.clone();
        for (i, &(color, mv)) in moves.iter().enumerate() {
            after.position.play(color, mv).map_err(|reason| {
                let vertex = self.record.size.move_text(mv);
                ReplayError::IllegalMove { number: i + 1, color, vertex, reason }
            })?;
            after.write_down(color, mv);
        }
        *self = after;
        Ok(())
    }

    /// Takes moves back.
    pub fn undo(&mut self, count: usize) -> Result<(), StateError> {
        let rest = self.record.moves.len().checked_sub(count).ok_or(StateError::NothingToUndo)?;
        let position = self.record.replay(rest, self.rules, self.komi)?;
        self.record.moves.truncate(rest);
        self.position = position;
        self.begin();
        Ok(())
    }

    /// Changes komi.
    pub fn set_komi(&mut self, komi: Komi) {
        self.komi = komi;
        self.position.set_komi(komi);
        self.begin();
    }

    /// Changes the rules of the game that is played; the moves so far must be legal under them.
    pub fn set_rules(&mut self, rules: Rules) -> Result<(), StateError> {
        if rules.game != self.rules.game {
            return Err(StateError::OtherGame(rules.game));
        }
        self.position = self.record.replay(usize::MAX, rules, self.komi)?;
        self.rules = rules;
        self.begin();
        Ok(())
    }

    /// Gives Black handicap stones on the empty board and the turn to White.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), StateError> {
        if !self.record.moves.is_empty() || !self.record.setup.is_empty() {
            return Err(StateError::NotEmpty);
        }
        let stones = points.iter().map(|&point| (Color::Black, point)).collect();
        let handicap = u16::try_from(points.len()).unwrap_or(u16::MAX);
        self.start_from(GameRecord {
            setup: stones,
            handicap,
            to_move: Color::White,
            ..self.record.clone()
        })
    }

    /// Begins again from a position with stones on the board.
    pub fn set_up(&mut self, stones: Vec<(Color, Point)>) -> Result<(), StateError> {
        self.start_from(GameRecord {
            setup: stones,
            handicap: 0,
            to_move: Color::Black,
            moves: Vec::new(),
            ..self.record.clone()
        })
    }

    /// Gives the turn to a player; at the beginning of a game it is part of the record.
    pub fn set_to_move(&mut self, color: Color) {
        if self.record.moves.is_empty() {
            self.record.to_move = color;
        }
        self.position.set_to_move(color);
        self.begin();
    }

    /// Takes over a record with its first `moves` moves. The rules stay as they are, komi is the
    /// record's if it has one. Its result is that of all moves.
    pub fn load(&mut self, record: GameRecord, moves: usize) -> Result<(), StateError> {
        let komi = record.komi.unwrap_or(self.komi);
        let position = record.replay(moves, self.rules, komi)?;
        let result = record.result.filter(|_| moves >= record.moves.len());
        self.record = record;
        self.record.moves.truncate(moves);
        self.komi = komi;
        self.position = position;
        self.begin();
        self.record.result = result;
        Ok(())
    }

    fn start_from(&mut self, record: GameRecord) -> Result<(), StateError> {
        self.position = record.start(self.rules, self.komi)?;
        self.record = record;
        self.begin();
        Ok(())
    }
}

fn mark(start: &Position) -> u64 {
    start.hash() ^ u64::from(start.handicap()).rotate_right(16)
}
