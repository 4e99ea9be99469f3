//! The time for a move before its search begins: one base formula, and factors on it.

use super::clock::{Clock, TimeSystem};
use super::purse::Purse;
use super::rules::KappaLine;
use super::strategy::{Kind, Part, Strategy};
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
        let fraction = strategy.part(Kind::Learned).map_or(1.0, |part| part.get("start"));
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
pub fn expected_moves(kind: Kind, at: &Situation, memory: &Memory, table: &Table) -> Expected {
    let by_stones = || table.by_stones.at(f64::from(at.stones));
    match kind {
        Kind::ExpMoves => table.by_moves.at(f64::from(at.moves)),
        Kind::ExpSim => match (&table.by_playouts, memory.playout_length) {
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
    let base = &strategy.parts()[0];
    let expected = match purse.moves {
        Some(moves) => {
            let moves = f64::from(moves.max(1));
            Expected { mean: moves, upper: moves }
        }
        None => expected_moves(base.kind, at, memory, table),
    };
    let gift = purse.gift.as_secs_f64();
    let total = match (purse.moves, base.kind) {
        (None, Kind::KataGo) => kata_go(clock, pool, at),
        (None, kind) => pool / divisor(kind, base, at, expected.mean) + gift,
        (Some(_), _) => pool / expected.mean + gift,
    };
    let factor: f64 = strategy.parts().iter().map(|part| factor(part, at, memory, table)).product();
    Allotted { seconds: (factor * total).max(0.0), expected }
}

/// By what the time left is divided.
fn divisor(kind: Kind, base: &Part, at: &Situation, expected: f64) -> f64 {
    let (area, moves) = (f64::from(at.area), f64::from(at.moves));
    let empty = area - f64::from(at.stones);
    match kind {
        Kind::Basic => base.get("C"),
        Kind::Enhanced => base.get("C") + (base.get("MaxPly") - moves).max(0.0),
        Kind::Fraction => 1.0 / base.get("fraction"),
        // All rivals by their documented behaviour. Leela Zero divides integers.
        Kind::LeelaZero => {
            let opening = at.area / 6;
            f64::from((at.area / 9 + opening.saturating_sub(at.moves)).max(1))
        }
        Kind::Pachi => ((empty - 0.2 * area) / 2.0).max(30.0),
        _ => expected.max(1.0),
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
fn factor(part: &Part, at: &Situation, memory: &Memory, table: &Table) -> f64 {
    let moves = f64::from(at.moves);
    match part.kind {
        Kind::Open => part.get("f_opening"),
        Kind::Stop => part.get("f_earlystop"),
        // Equations 3 and 4; the number of the move that is to be made.
        Kind::Mid => {
            let (a, b, c) = (part.get("a"), part.get("b"), part.get("c"));
            1.0 + a * (-(moves + 1.0 - b).powi(2) / (2.0 * c * c)).exp()
        }
        Kind::KappaExp => match &table.criticality {
            Some(curve) => kappa_line(part).factor(curve.at(moves)),
            None => 1.0,
        },
        Kind::KappaLm => memory.criticality.map_or(1.0, |kappa| kappa_line(part).factor(kappa)),
        Kind::Learned => part.get("front") / memory.fraction.max(part.get("floor")),
        Kind::Decided => {
            let certainty = memory.win_rate.map_or(0.5, |rate| rate.max(1.0 - rate));
            if certainty > part.get("decided_above") { part.get("f_decided") } else { 1.0 }
        }
        _ => 1.0,
    }
}

/// The line of a KAPPA strategy.
pub(super) fn kappa_line(part: &Part) -> KappaLine {
    let low = part.get("low");
    KappaLine {
        slope: part.get("s_kappa"),
        intercept: part.get("i_kappa"),
        low,
        high: part.get("high").max(low),
    }
}

#[cfg(test)]
mod tests;
