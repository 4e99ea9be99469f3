//! Positions with what is to be learnt of them, as numbers.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use rand::Rng as _;

use super::params::TrainParams;
use super::{TrainError, single};
use crate::eval::Value;
use crate::game::{
    BoardSize, Color, DeadStones, Game, GameEnd, KoRule, Move, Position, Rules, Scoring, Suicide,
    Symmetry,
};
use crate::nn::SCORE_UNIT;
use crate::nn::features::{GLOBALS, PLANES, encode};
use crate::record::{Label, Outcome, Row, TrainingGame, Turn, Window};
use crate::util::{Rng, Seed};

/// Positions on boards of one size. Each number of a target stands beside the weight with which it
/// counts, 0 where the target is unknown.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Points of the board by rows and columns.
    pub(super) height: usize,
    pub(super) width: usize,
    /// Planes of each point.
    pub(super) channels: usize,
    /// `[positions, height, width, channels]`.
    pub(super) planes: Vec<f32>,
    /// `[positions, GLOBALS]`.
    pub(super) globals: Vec<f32>,
    /// What is to be learnt of each position.
    pub(super) targets: Vec<Target>,
}

/// What is to be learnt of one position, for the side to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Target {
    /// How often the position counts.
    pub(super) weight: f32,
    /// Which moves are legal, the pass last.
    pub(super) legal: Vec<bool>,
    /// Weights of the moves, the pass last, that add up to 1; empty if unknown.
    pub(super) policy: Vec<f32>,
    /// The same for the opponent's reply.
    pub(super) reply: Vec<f32>,
    /// The value to learn, in [-1, 1].
    pub(super) value: Option<f32>,
    /// The result of the game.
    pub(super) result: Option<f32>,
    /// The value some turns later.
    pub(super) short_term: Option<f32>,
    /// The score, in the unit of the network.
    pub(super) score: Option<f32>,
    /// Who owns each point: 1 for the side to move, -1 for the opponent; empty if unknown.
    pub(super) ownership: Vec<f32>,
    /// Whether more search would have mattered: 1 or 0.
    pub(super) uncertainty: Option<f32>,
    /// The teacher's opinion.
    pub(super) teacher: Option<Opinion>,
}

/// What a teacher thinks of a position, to measure by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Opinion {
    /// Its value for the side to move.
    pub(super) value: f32,
    /// Whether even games at an even komi hardly get there: by handicap stones, by a komi far from what is
    /// usual, or because the winner is certain.
    pub(super) odd: bool,
}

/// Komi that are not odd, in points, and the value from which on a winner is certain.
const USUAL_KOMI: RangeInclusive<f64> = 0.0..=15.0;
const CERTAIN: f32 = 0.9;

impl Opinion {
    fn new(game: &TrainingGame, label: &Label) -> Self {
        let value = label.value.get();
        let usual = USUAL_KOMI.contains(&game.komi.points()) && game.stones.is_empty();
        Self { value, odd: !usual || value.abs() > CERTAIN }
    }
}

impl Batch {
    /// The batch of a training step.
    pub fn of_step(window: &Window, params: &TrainParams, step: u64) -> Result<Self, TrainError> {
        let seed = Seed::new(params.seed);
        let rows = window.batch(seed.fork("rows", 0), step, params.batch)?;
        let rng = seed.fork("rules", step).rng();
        Self::new(&rows, params, Some(rng))
    }

    /// A batch of rows on boards of one size; with random numbers some are shown under other rules.
    pub fn new(
        rows: &[Row],
        params: &TrainParams,
        mut rng: Option<Rng>,
    ) -> Result<Self, TrainError> {
        let Some(first) = rows.first() else { return Ok(Self::default()) };
        let size = first.game.size;
        let mut batch = Self::empty(size, PLANES);
        for row in rows {
            // A teacher speaks of the rules that it was asked under.
            let labelled = row.game.turns[row.ply].label.is_some();
            let varied = rng.as_mut().and_then(|rng| varied_rules(&row.game, params, rng));
            let varied = varied.filter(|_| !labelled);
            batch.add(row, params, varied)?;
        }
        Ok(batch)
    }

    /// A batch without positions, on boards of a size, with so many planes of each point.
    #[must_use]
    pub fn empty(size: BoardSize, channels: usize) -> Self {
        Self { height: size.height(), width: size.width(), channels, ..Self::default() }
    }

    /// Adds a position with its features in the order of the batch, and what is to be learnt of it
    /// for the side to move: the moves that a search liked, the result, and how uncertain it was.
    /// Everything is turned by the symmetry but the features, which are as they are.
    pub fn push(&mut self, position: &Position, symmetry: Symmetry, learnt: Learnt<'_>) {
        let board = Turned { size: position.size(), symmetry };
        let legal = board.legal(position);
        self.planes.extend(learnt.planes);
        self.globals.extend(learnt.globals);
        self.targets.push(Target {
            weight: 1.0,
            policy: board.policy(learnt.policy, Some(&legal)),
            legal,
            result: learnt.result,
            uncertainty: Some(learnt.uncertainty),
            ..Target::default()
        });
    }

    /// Number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Number of points.
    pub(super) const fn points(&self) -> usize {
        self.height * self.width
    }

    fn add(
        &mut self,
        row: &Row,
        params: &TrainParams,
        varied: Option<Rules>,
    ) -> Result<(), TrainError> {
        // Under other rules a move of the game may be illegal.
        let position = match varied.map(|rules| position_and_move(row, rules)) {
            Some(Ok(position)) => position,
            _ => position_and_move(row, row.game.rules)?,
        };
        let (planes, globals) = (self.planes.len(), self.globals.len());
        self.planes.resize(planes + self.points() * PLANES, 0.0);
        self.globals.resize(globals + GLOBALS, 0.0);
        encode(
            &position,
            row.symmetry,
            &mut self.planes[planes..],
            PLANES,
            &mut self.globals[globals..],
        );
        self.targets.push(Target::new(row, &position, params));
        Ok(())
    }
}

/// What a position looks like, and what is to be learnt of it.
#[derive(Clone, Copy, Debug)]
pub struct Learnt<'a> {
    /// `[height, width, channels]`.
    pub planes: &'a [f32],
    /// `[GLOBALS]`.
    pub globals: &'a [f32],
    /// The moves that a search liked.
    pub policy: &'a [(Move, f32)],
    /// How the game ended, from -1 to 1; none if nobody knows.
    pub result: Option<f32>,
    /// 1 where more search would have mattered, 0 where not.
    pub uncertainty: f32,
}

/// The position of a row, in which the row's move is legal.
fn position_and_move(row: &Row, rules: Rules) -> Result<Position, TrainError> {
    let illegal = |error| TrainError::Illegal { turns: row.game.turns.len(), error };
    let position = row.game.position(row.ply, rules).map_err(illegal)?;
    let (color, mv) = (position.to_move(), row.game.turns[row.ply].mv);
    position
        .check(color, mv)
        .map_err(|reason| illegal(crate::record::IllegalTurn { turn: row.ply + 1, reason }))?;
    Ok(position)
}

/// Other rules of Go with the same count, where they hardly change how it is played: which
/// repetitions and suicides are forbidden and which passes end the game. A game in which every dead
/// stone was captured also shows how to play where they are removed, but not the other way round.
fn varied_rules(game: &TrainingGame, params: &TrainParams, rng: &mut Rng) -> Option<Rules> {
    let mut draw = |count: u32| rng.next_u32() % count;
    let varies = f64::from(draw(1 << 24)) < params.rule_variation * f64::from(1 << 24);
    let choices = [draw(3), draw(2), draw(3), draw(2)];
    let rules = game.rules;
    if !varies || rules.game == Game::NoGo || rules.scoring == Scoring::Territory {
        return None;
    }
    let [ko, suicide, end, dead] = choices;
    Some(Rules {
        ko: [KoRule::Simple, KoRule::PositionalSuperko, KoRule::SituationalSuperko][ko as usize],
        suicide: [Suicide::Forbidden, Suicide::Allowed][suicide as usize],
        // Three passes are in no rule set that has a name.
        end: [GameEnd::TwoPasses, GameEnd::TwoPasses, GameEnd::WhitePassesLast][end as usize],
        dead_stones: if dead == 0 { rules.dead_stones } else { DeadStones::Removed },
        ..rules
    })
}

impl Target {
    fn new(row: &Row, position: &Position, params: &TrainParams) -> Self {
        let Row { game, ply, symmetry } = row;
        let (size, color) = (game.size, position.to_move());
        let sign = if color == Color::Black { 1.0 } else { -1.0 };
        let board = Turned { size, symmetry: *symmetry };
        let legal = board.legal(position);
        let turn = &game.turns[*ply];
        let label = turn.label.as_deref();
        let result = game.outcome.for_black().map(|result| sign * result);
        let search = turn.value.map(Value::get);
        let value = mixed(result, search, single(params.search_value_share));
        let teacher = single(params.teacher_share);
        let said = label.map(|label| label.value.get());
        let score = game.outcome.score.map(|score| sign * score);
        let score = mixed(score, label.map(|label| label.lead), teacher);
        Self {
            weight: turn.weight,
            policy: board.policy(moves(turn), Some(&legal)),
            legal,
            reply: reply(game, *ply).map_or_else(Vec::new, |moves| board.policy(&moves, None)),
            value: mixed(value, said, teacher),
            result,
            short_term: short_term(game, ply + 1, params).map(|value| sign * value),
            score: score.map(|score| score / SCORE_UNIT),
            uncertainty: None,
            ownership: board.ownership(&game.outcome, label, (color, teacher)),
            teacher: label.map(|label| Opinion::new(game, label)),
        }
    }
}

/// The moves that are to be learnt: the teacher's, or those that a search liked.
fn moves(turn: &Turn) -> &[(Move, f32)] {
    turn.label.as_ref().map_or(&turn.policy, |label| &label.policy)
}

/// The opponent's reply to a turn: what is known of the next one, or its move. A game with labels may have
/// moves in it that nobody should learn.
fn reply(game: &TrainingGame, ply: usize) -> Option<Cow<'_, [(Move, f32)]>> {
    let next = game.turns.get(ply + 1)?;
    match moves(next) {
        [] if game.turns[ply].label.is_some() => None,
        [] => Some(Cow::Owned(vec![(next.mv, 1.0)])),
        moves => Some(Cow::Borrowed(moves)),
    }
}

/// The second number has this share, where both are known.
fn mixed(first: Option<f32>, second: Option<f32>, share: f32) -> Option<f32> {
    match (first, second) {
        (Some(first), Some(second)) => Some((1.0 - share) * first + share * second),
        (first, second) => first.or(second),
    }
}

/// A board as the network sees it.
#[derive(Clone, Copy)]
struct Turned {
    size: BoardSize,
    symmetry: Symmetry,
}

impl Turned {
    /// The place of a move in a policy.
    fn index(self, mv: Move) -> usize {
        match self.symmetry.apply_move(self.size, mv) {
            Move::Place(point) => self.size.offset(point),
            Move::Pass => self.size.area(),
        }
    }

    fn legal(self, position: &Position) -> Vec<bool> {
        let mut legal = vec![false; self.size.area() + 1];
        legal[self.size.area()] = position.rules().game == Game::Go;
        for point in position.legal_points(position.to_move()) {
            legal[self.index(Move::Place(point))] = true;
        }
        legal
    }

    /// Weights that add up to 1, of legal moves alone; empty if there are none.
    fn policy(self, moves: &[(Move, f32)], legal: Option<&[bool]>) -> Vec<f32> {
        let mut policy = vec![0.0; self.size.area() + 1];
        for &(mv, weight) in moves {
            let index = self.index(mv);
            if legal.is_none_or(|legal| legal[index]) {
                policy[index] += weight;
            }
        }
        let sum: f32 = policy.iter().sum();
        if sum <= 0.0 {
            return Vec::new();
        }
        for weight in &mut policy {
            *weight /= sum;
        }
        policy
    }

    /// Who owns the points, as the game ended and as a teacher says, who has a share.
    fn ownership(
        self,
        outcome: &Outcome,
        label: Option<&Label>,
        (own, share): (Color, f32),
    ) -> Vec<f32> {
        let sign = |owner: &Option<Color>| match owner {
            Some(Color::Black) => 1.0,
            Some(Color::White) => -1.0,
            None => 0.0,
        };
        let came = outcome.owners.as_ref().map(|owners| owners.iter().map(sign).collect());
        let black: Vec<f32> = match (came, label) {
            (None, None) => return Vec::new(),
            (Some(came), None) => came,
            (None, Some(label)) => label.owners.clone(),
            (Some(came), Some(Label { owners, .. })) => {
                let came: Vec<f32> = came;
                came.iter().zip(owners).map(|(a, b)| (1.0 - share) * a + share * b).collect()
            }
        };
        let sign = if own == Color::Black { 1.0 } else { -1.0 };
        let mut owners = vec![0.0; black.len()];
        for (owner, point) in black.iter().zip(self.size.points()) {
            owners[self.index(Move::Place(point))] = sign * owner;
        }
        owners
    }
}

/// The average for Black of the search's values from a turn on, each turn later counting less by a
/// constant factor; what is left at the end of the game counts for the result. A turn without a
/// value stands for those after it.
fn short_term(game: &TrainingGame, from: usize, params: &TrainParams) -> Option<f32> {
    let turns = params.short_term_turns * game.size.area() as f64 / 81.0;
    let keep = single((-1.0 / turns).exp());
    let later = game.turns.iter().enumerate().skip(from).rev();
    later.fold(game.outcome.for_black(), |after, (ply, turn)| {
        let sign = if game.color(ply) == Color::Black { 1.0 } else { -1.0 };
        let label = turn.label.as_ref().map(|label| label.value);
        match (turn.value.or(label).map(|value| sign * value.get()), after) {
            (Some(now), Some(after)) => Some((1.0 - keep) * now + keep * after),
            (now, after) => now.or(after),
        }
    })
}

#[cfg(test)]
mod tests;
