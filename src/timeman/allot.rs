//! The time for a move before its search begins: one base formula, and factors on it.

use super::clock::{Clock, TimeSystem};
use super::parts::{
    Base, Basic, Decided, Enhanced, Factor, Fraction, KappaExp, KappaLm, Learned, Longer, Mid, Open,
};
use super::purse::Purse;
use super::rules::KappaLine;
use super::strategy::Strategy;
use super::table::{Expected, Table};

/// What is known of the game when a move is planned.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Situation {
    /// Points of the board.
    pub area: u32,
    /// Stones on it.
    pub stones: u32,
    /// Moves of both players so far.
    pub moves: u32,
}

/// What the earlier searches of the same player tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// The share of their plans that searches use, on average.
    pub fraction: f64,
    /// Highest criticality of a point in the last search.
    pub criticality: Option<f64>,
    /// Mean length of the simulated games of the last search.
    pub playout_length: Option<f64>,
    /// Share of games that the last search expected to win.
    pub win_rate: Option<f64>,
}

impl Memory {
    /// What there is before the first search.
    #[must_use]
    pub fn before(strategy: &Strategy) -> Self {
        let fraction = strategy.learned().map_or(1.0, |part| part.start);
        Self { fraction, criticality: None, playout_length: None, win_rate: None }
    }
}

/// The time for a move in seconds, before any bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allotted {
    /// From the pool and beside it.
    pub seconds: f64,
    /// Own moves that are expected, this one included.
    pub expected: Expected,
}

/// Own moves that are to be expected, by the estimator of the strategy.
#[must_use]
pub fn expected_moves(base: &Base, at: &Situation, memory: &Memory, table: &Table) -> Expected {
    let by_stones = || table.by_stones.at(f64::from(at.stones));
    match base {
        Base::ExpMoves(_) => table.by_moves.at(f64::from(at.moves)),
        Base::ExpSim(_) => match (&table.by_playouts, memory.playout_length) {
            (Some(estimate), Some(length)) => estimate.at(length),
            // Before the first search, and with a network, there are no simulated games.
            _ => by_stones(),
        },
        _ => by_stones(),
    }
}

/// The time that a strategy gives a move out of `pool` seconds, which may be less than the clock's:
/// what is kept in hand is off already.
#[must_use]
pub fn allot(
    strategy: &Strategy,
    clock: &Clock,
    purse: &Purse,
    pool: f64,
    (at, memory, table): (&Situation, &Memory, &Table),
) -> Allotted {
    let base = &strategy.base;
    let expected = match purse.moves {
        Some(moves) => {
            let moves = f64::from(moves.max(1));
            Expected { mean: moves, upper: moves }
        }
        None => expected_moves(base, at, memory, table),
    };
    let gift = purse.gift.as_secs_f64();
    let total = match (purse.moves, base) {
        (None, Base::KataGo(_)) => kata_go(clock, pool, at),
        (None, base) => pool / divisor(base, at, expected.mean) + gift,
        (Some(_), _) => pool / expected.mean + gift,
    };
    let factors = strategy.factors.iter().map(|part| factor(part, at, memory, table));
    let factor: f64 = factors.product();
    Allotted { seconds: (factor * total).max(0.0), expected }
}

/// By what the time left is divided.
fn divisor(base: &Base, at: &Situation, expected: f64) -> f64 {
    let (area, moves) = (f64::from(at.area), f64::from(at.moves));
    let empty = area - f64::from(at.stones);
    match base {
        Base::Basic(Basic { constant }) => *constant,
        Base::Enhanced(Enhanced { constant, max_ply }) => constant + (max_ply - moves).max(0.0),
        Base::Fraction(Fraction { fraction }) => 1.0 / fraction,
        // All rivals by their documented behaviour. Leela Zero divides integers.
        Base::LeelaZero(_) => {
            let opening = at.area / 6;
            f64::from((at.area / 9 + opening.saturating_sub(at.moves)).max(1))
        }
        Base::Pachi(_) => ((empty - 0.2 * area) / 2.0).max(30.0),
        Base::ExpMoves(_) | Base::ExpSim(_) | Base::ExpStones(_) | Base::KataGo(_) => {
            expected.max(1.0)
        }
    }
}

/// `KataGo` divides by half of the points that will be filled, and knows the increments and periods.
fn kata_go(clock: &Clock, pool: f64, at: &Situation) -> f64 {
    let (area, stones) = (f64::from(at.area), f64::from(at.stones));
    let turns = |filled: f64, more: f64, least: f64, plus: f64| {
        0.5 * (filled * area + more - stones).max(least * area + plus)
    };
    let absolute = pool / turns(0.95, 20.0, 0.15, 30.0);
    match clock.system() {
        TimeSystem::Fischer { increment, .. } => {
            let increment = increment.as_secs_f64();
            let share = pool / turns(0.75, 15.0, 0.10, 20.0) + increment;
            share.min(absolute + 2.0 * increment)
        }
        TimeSystem::Byoyomi { period, .. } if clock.overtime() == 0 && !period.is_zero() => {
            let period = period.as_secs_f64();
            let best = pool / (std::f64::consts::E * period);
            let wanted = turns(0.50, 10.0, 0.02, 4.0);
            let moves = best.max(wanted.min(1.75 * best)).max(1.0);
            (pool / moves).max(period).min(absolute + 3.0 * period)
        }
        TimeSystem::Byoyomi { .. } => clock.left().as_secs_f64(),
        TimeSystem::Canadian { period, stones, .. } => {
            absolute + (period / stones.max(1)).as_secs_f64()
        }
        _ => absolute,
    }
}

/// What a part multiplies the time by.
fn factor(part: &Factor, at: &Situation, memory: &Memory, table: &Table) -> f64 {
    let moves = f64::from(at.moves);
    match *part {
        Factor::Open(Open { factor }) | Factor::Longer(Longer { factor }) => factor,
        // Equations 3 and 4; the number of the move that is to be made.
        Factor::Mid(Mid { height, middle, width }) => {
            1.0 + height * (-(moves + 1.0 - middle).powi(2) / (2.0 * width * width)).exp()
        }
        Factor::KappaExp(KappaExp { slope, intercept, low, high }) => {
            let line = KappaLine::new((slope, intercept), low, high);
            table.criticality.as_ref().map_or(1.0, |curve| line.factor(curve.at(moves)))
        }
        Factor::KappaLm(KappaLm { slope, intercept, low, high }) => {
            let line = KappaLine::new((slope, intercept), low, high);
            memory.criticality.map_or(1.0, |kappa| line.factor(kappa))
        }
        Factor::Learned(Learned { front, floor, .. }) => front / memory.fraction.max(floor),
        Factor::Decided(Decided { above, factor }) => {
            let certainty = memory.win_rate.map_or(0.5, |rate| rate.max(1.0 - rate));
            if certainty > above { factor } else { 1.0 }
        }
    }
}

#[cfg(test)]
mod tests;
