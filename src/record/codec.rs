//! Games as bytes; the format is in `docs/formats.md`.

mod label;
mod rules;

use self::label::{check_label, encode_label};
use self::rules::{rules_code, rules_of};
use super::game::{Outcome, TrainingGame, Turn};
use crate::eval::Value;
use crate::game::{BoardSize, Color, Komi, Move, Point, PointSet, Rules};

/// More turns than any game has that somebody wants to learn from.
pub const MAX_TURNS: usize = 10_000;

/// The weight 1 of a policy, and the value of a sure win.
const POLICY_ONE: f32 = 65_535.0;
const VALUE_ONE: f32 = 32_767.0;

/// The flags of a turn.
mod turn_flag {
    /// What the policy is: nothing, all on the move played, or a list.
    pub(super) const POLICY: u8 = 0b11;
    pub(super) const POLICY_IS_MOVE: u8 = 1;
    pub(super) const POLICY_IS_LIST: u8 = 2;
    pub(super) const HAS_VALUE: u8 = 4;
    /// The weight is not 1.
    pub(super) const HAS_WEIGHT: u8 = 8;
    /// A teacher has said something.
    pub(super) const HAS_LABEL: u8 = 16;
    pub(super) const ALL: u8 = 31;
}

/// The flags of an outcome.
mod outcome_flag {
    pub(super) const BLACK_WON: u8 = 1;
    pub(super) const WHITE_WON: u8 = 2;
    pub(super) const HAS_SCORE: u8 = 4;
    pub(super) const HAS_OWNERS: u8 = 8;
    /// Handicap stones follow.
    pub(super) const HAS_STONES: u8 = 16;
    pub(super) const ALL: u8 = 31;
}

/// Bytes are no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAGame(pub &'static str);

/// What a game says before its turns.
pub(super) struct Header {
    pub(super) size: BoardSize,
    pub(super) turns: usize,
}

/// A game cannot be written down.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnwritableGame {
    /// More than [`MAX_TURNS`].
    #[error("the game has {0} turns, a shard takes at most {MAX_TURNS}")]
    TooLong(usize),
    /// A weight or a score that is not a number, or a negative weight.
    #[error("turn {0} of the game has a weight that is negative or not a number")]
    BadWeight(usize),
    /// A score that is not a number.
    #[error("the score of the game is not a number")]
    BadScore,
    /// A label with a number that is none, or with a negative weight.
    #[error("turn {0} of the game has a label with a number that is impossible")]
    BadLabel(usize),
    /// Handicap stones of which two are on one point or one has no liberty.
    #[error("the handicap stones of the game do not fit on its board")]
    BadStones,
    /// Owners of other points than the board has.
    #[error("the game has owners for {found} points, its board has {points}")]
    BadOwners {
        /// Owners that were given.
        found: usize,
        /// Points of the board.
        points: usize,
    },
}

/// Appends a game.
pub(crate) fn encode(game: &TrainingGame, bytes: &mut Vec<u8>) -> Result<(), UnwritableGame> {
    check(game)?;
    let side = |side: usize| u8::try_from(side).expect("invariant: sides go to 25");
    bytes.extend([side(game.size.width()), side(game.size.height())]);
    bytes.extend(rules_code(game.rules));
    let halves = i16::try_from(game.komi.halves()).expect("invariant: komi goes to 1000");
    bytes.extend(halves.to_le_bytes());
    put_number(bytes, game.turns.len());
    encode_outcome(game, bytes);
    for turn in &game.turns {
        encode_turn(turn, game.size, bytes);
    }
    Ok(())
}

fn check(game: &TrainingGame) -> Result<(), UnwritableGame> {
    if game.turns.len() > MAX_TURNS {
        return Err(UnwritableGame::TooLong(game.turns.len()));
    }
    let bad = |weight: f32| !weight.is_finite() || weight < 0.0;
    for (turn, number) in game.turns.iter().zip(1..) {
        if bad(turn.weight) || turn.policy.iter().any(|&(_, weight)| bad(weight)) {
            return Err(UnwritableGame::BadWeight(number));
        }
        if let Some(label) = &turn.label {
            check_label(label, game.size, number)?;
        }
    }
    if !stones_fit(game.size, &game.stones) {
        return Err(UnwritableGame::BadStones);
    }
    if game.outcome.score.is_some_and(|score| !score.is_finite()) {
        return Err(UnwritableGame::BadScore);
    }
    let points = game.size.area();
    match &game.outcome.owners {
        Some(owners) if owners.len() != points => {
            Err(UnwritableGame::BadOwners { found: owners.len(), points })
        }
        _ => Ok(()),
    }
}

/// Whether stones stand on points of their own and leave some of the board empty.
fn stones_fit(size: BoardSize, stones: &[Point]) -> bool {
    let mut points = PointSet::new();
    for &point in stones {
        points.insert(point);
    }
    points.len() == stones.len() && stones.len() < size.area()
}

fn encode_outcome(game: &TrainingGame, bytes: &mut Vec<u8>) {
    let TrainingGame { outcome, stones, size, .. } = game;
    let mut flags = match outcome.winner {
        Some(Color::Black) => outcome_flag::BLACK_WON,
        Some(Color::White) => outcome_flag::WHITE_WON,
        None => 0,
    };
    flags |= if outcome.score.is_some() { outcome_flag::HAS_SCORE } else { 0 };
    flags |= if outcome.owners.is_some() { outcome_flag::HAS_OWNERS } else { 0 };
    flags |= if stones.is_empty() { 0 } else { outcome_flag::HAS_STONES };
    bytes.push(flags);
    if !stones.is_empty() {
        put_number(bytes, stones.len());
        for &point in stones {
            put_number(bytes, size.offset(point));
        }
    }
    bytes.extend(outcome.score.into_iter().flat_map(f32::to_le_bytes));
    let owners = outcome.owners.as_deref().unwrap_or_default();
    bytes.extend(owners.chunks(4).map(|four| {
        four.iter().zip([0, 2, 4, 6]).fold(0, |byte, (owner, shift)| {
            byte | owner.map_or(0, |color| u8::from(color == Color::White) + 1) << shift
        })
    }));
}

fn encode_turn(turn: &Turn, size: BoardSize, bytes: &mut Vec<u8>) {
    let list = quantised(&turn.policy);
    let kind = match list[..] {
        [] => 0,
        [(mv, u16::MAX)] if mv == turn.mv => turn_flag::POLICY_IS_MOVE,
        _ => turn_flag::POLICY_IS_LIST,
    };
    let mut flags = kind;
    flags |= if turn.value.is_some() { turn_flag::HAS_VALUE } else { 0 };
    let has_weight = turn.weight.to_bits() != 1.0_f32.to_bits();
    flags |= if has_weight { turn_flag::HAS_WEIGHT } else { 0 };
    flags |= if turn.label.is_some() { turn_flag::HAS_LABEL } else { 0 };
    bytes.push(flags);
    put_number(bytes, move_number(turn.mv, size));
    if let Some(value) = turn.value {
        put_value(bytes, value);
    }
    if has_weight {
        bytes.extend(turn.weight.to_le_bytes());
    }
    if kind == turn_flag::POLICY_IS_LIST {
        put_number(bytes, list.len());
        for (mv, weight) in list {
            put_number(bytes, move_number(mv, size));
            bytes.extend(weight.to_le_bytes());
        }
    }
    if let Some(label) = &turn.label {
        encode_label(label, size, bytes);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a value is between -1 and 1")]
fn put_value(bytes: &mut Vec<u8>, value: Value) {
    bytes.extend(((value.get() * VALUE_ONE).round() as i16).to_le_bytes());
}

/// The moves whose weights do not vanish.
fn quantised(policy: &[(Move, f32)]) -> Vec<(Move, u16)> {
    #[expect(clippy::cast_possible_truncation, reason = "clamped before")]
    #[expect(clippy::cast_sign_loss, reason = "clamped before")]
    let whole = |weight: f32| (weight.clamp(0.0, 1.0) * POLICY_ONE).round() as u16;
    let all = policy.iter().map(|&(mv, weight)| (mv, whole(weight)));
    all.filter(|&(_, weight)| weight > 0).collect()
}

/// Moves in reading order, the pass last.
pub(crate) fn move_number(mv: Move, size: BoardSize) -> usize {
    mv.point().map_or(size.area(), |point| size.offset(point))
}

/// Seven bits in a byte, lowest first; all but the last byte have the highest bit set.
pub(crate) fn put_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Reads a game that takes all of the bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<TrainingGame, NotAGame> {
    let mut source = Source(bytes);
    let (size, rules, komi, count) = source.start()?;
    let (outcome, stones) = source.outcome(size)?;
    // Not reserved at once: what the bytes claim may be more than they hold.
    let mut turns = Vec::with_capacity(count.min(source.0.len()));
    for _ in 0..count {
        turns.push(source.turn(size)?);
    }
    if !source.0.is_empty() {
        return Err(NotAGame("there are bytes behind the last turn"));
    }
    Ok(TrainingGame { size, rules, komi, stones, turns, outcome })
}

/// Reads the size and the number of turns alone.
pub(super) fn decode_header(bytes: &[u8]) -> Result<Header, NotAGame> {
    let (size, _, _, turns) = Source(bytes).start()?;
    Ok(Header { size, turns })
}

/// Bytes that are still to be read.
pub(crate) struct Source<'a>(pub(crate) &'a [u8]);

impl Source<'_> {
    pub(crate) fn take<const N: usize>(&mut self) -> Result<[u8; N], NotAGame> {
        let (first, rest) = self.0.split_first_chunk().ok_or(NotAGame("it ends too early"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn byte(&mut self) -> Result<u8, NotAGame> {
        self.take().map(|[byte]| byte)
    }

    pub(crate) fn number(&mut self) -> Result<usize, NotAGame> {
        let mut number = 0;
        for shift in [0, 7, 14] {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(NotAGame("a number is too long"))
    }

    pub(crate) fn float(&mut self) -> Result<f32, NotAGame> {
        let number = f32::from_le_bytes(self.take()?);
        if number.is_finite() { Ok(number) } else { Err(NotAGame("a number is not finite")) }
    }

    fn start(&mut self) -> Result<(BoardSize, Rules, Komi, usize), NotAGame> {
        let [width, height] = self.take()?;
        let size = BoardSize::new(width.into(), height.into())
            .map_err(|_| NotAGame("the board has an impossible size"))?;
        let rules = rules_of(self.take()?).ok_or(NotAGame("the rules are unknown"))?;
        let halves = i16::from_le_bytes(self.take()?);
        let komi = Komi::from_points(f64::from(halves) / 2.0)
            .map_err(|_| NotAGame("the komi is impossible"))?;
        let turns = self.number()?;
        if turns > MAX_TURNS {
            return Err(NotAGame("the game has too many turns"));
        }
        Ok((size, rules, komi, turns))
    }

    /// How the game ended, and the handicap stones that it began with.
    fn outcome(&mut self, size: BoardSize) -> Result<(Outcome, Vec<Point>), NotAGame> {
        let flags = self.byte()?;
        let has = |flag: u8| flags & flag != 0;
        if flags & !outcome_flag::ALL != 0 {
            return Err(NotAGame("the outcome is unknown"));
        }
        let winner = match (has(outcome_flag::BLACK_WON), has(outcome_flag::WHITE_WON)) {
            (true, true) => return Err(NotAGame("both players have won")),
            (true, false) => Some(Color::Black),
            (false, true) => Some(Color::White),
            (false, false) => None,
        };
        let stones = if has(outcome_flag::HAS_STONES) { self.stones(size)? } else { Vec::new() };
        let score = has(outcome_flag::HAS_SCORE).then(|| self.float()).transpose()?;
        let owners = has(outcome_flag::HAS_OWNERS).then(|| self.owners(size)).transpose()?;
        Ok((Outcome { winner, score, owners }, stones))
    }

    fn stones(&mut self, size: BoardSize) -> Result<Vec<Point>, NotAGame> {
        let count = self.number()?;
        if count == 0 || count > size.area() {
            return Err(NotAGame("it has an impossible number of handicap stones"));
        }
        let stone = |source: &mut Self| match source.mv(size)? {
            Move::Place(point) => Ok(point),
            Move::Pass => Err(NotAGame("a handicap stone is not on the board")),
        };
        let stones = (0..count).map(|_| stone(self)).collect::<Result<Vec<_>, _>>()?;
        let fit = stones_fit(size, &stones);
        if fit { Ok(stones) } else { Err(NotAGame("its handicap stones do not fit")) }
    }

    fn owners(&mut self, size: BoardSize) -> Result<Vec<Option<Color>>, NotAGame> {
        let mut owners = Vec::with_capacity(size.area());
        while owners.len() < size.area() {
            let byte = self.byte()?;
            for shift in [0, 2, 4, 6].into_iter().take(size.area() - owners.len()) {
                owners.push(match byte >> shift & 3 {
                    0 => None,
                    1 => Some(Color::Black),
                    2 => Some(Color::White),
                    _ => return Err(NotAGame("the owner of a point is unknown")),
                });
            }
        }
        Ok(owners)
    }

    fn turn(&mut self, size: BoardSize) -> Result<Turn, NotAGame> {
        let flags = self.byte()?;
        let has = |flag: u8| flags & flag != 0;
        if flags & !turn_flag::ALL != 0 {
            return Err(NotAGame("a turn has unknown flags"));
        }
        let mv = self.mv(size)?;
        let value = has(turn_flag::HAS_VALUE).then(|| self.value()).transpose()?;
        let weight = if has(turn_flag::HAS_WEIGHT) { self.float()? } else { 1.0 };
        if weight < 0.0 {
            return Err(NotAGame("a turn has a negative weight"));
        }
        let policy = match flags & turn_flag::POLICY {
            0 => Vec::new(),
            turn_flag::POLICY_IS_MOVE => vec![(mv, 1.0)],
            turn_flag::POLICY_IS_LIST => self.policy(size)?,
            _ => return Err(NotAGame("a turn has an unknown kind of policy")),
        };
        let label = has(turn_flag::HAS_LABEL).then(|| self.label(size)).transpose()?;
        Ok(Turn { mv, policy, value, weight, label: label.map(Box::new) })
    }

    fn value(&mut self) -> Result<Value, NotAGame> {
        Ok(Value::new(f32::from(i16::from_le_bytes(self.take()?)) / VALUE_ONE))
    }

    fn policy(&mut self, size: BoardSize) -> Result<Vec<(Move, f32)>, NotAGame> {
        let count = self.number()?;
        if count > size.area() + 1 {
            return Err(NotAGame("a policy has more moves than the board"));
        }
        (0..count)
            .map(|_| {
                let mv = self.mv(size)?;
                Ok((mv, f32::from(u16::from_le_bytes(self.take()?)) / POLICY_ONE))
            })
            .collect()
    }

    pub(crate) fn mv(&mut self, size: BoardSize) -> Result<Move, NotAGame> {
        let number = self.number()?;
        match size.point_at_offset(number) {
            Some(point) => Ok(Move::Place(point)),
            None if number == size.area() => Ok(Move::Pass),
            None => Err(NotAGame("a move is not on the board")),
        }
    }
}
