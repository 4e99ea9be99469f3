//! Positions that even games at an even komi hardly reach, to compare networks on.

use std::ops::RangeInclusive;

use rand::RngExt as _;

use super::line::{Line, RULES, stones};
use super::{LabelError, Labeller};
use crate::game::{BoardSize, Komi, Position};
use crate::record::game::{Outcome, TrainingGame};
use crate::util::Rng;

/// Komi of positions that are odd by it, in points.
const KOMI: RangeInclusive<i32> = -20..=30;

/// What makes a position odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// Two to nine handicap stones, and up to ten moves.
    Handicap,
    /// A komi from -20 to 30, in an opening or a middle game.
    Komi,
    /// The last tenth of a game that was played to the end.
    Settled,
}

impl Oddity {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Handicap, Self::Komi, Self::Settled];

    /// A word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Handicap => "handicap",
            Self::Komi => "komi",
            Self::Settled => "settled",
        }
    }

    /// That of the position with a number: all take turns.
    #[must_use]
    pub fn of(number: u64) -> Self {
        let count = Self::ALL.len() as u64;
        Self::ALL[usize::try_from(number % count).unwrap_or_default()]
    }
}

impl Labeller<'_> {
    /// The odd positions with some numbers, on square boards with such sides. The teacher draws the moves
    /// that lead to them; `step` says whether to go on, and nothing comes back when not.
    pub fn odd_positions(
        &self,
        numbers: &[u64],
        sides: &RangeInclusive<usize>,
        step: &dyn Fn(u64, u64) -> bool,
    ) -> Result<Option<Vec<Position>>, LabelError> {
        let lines = numbers.iter().map(|&number| {
            let rng = self.seed.fork("odd position", number).rng();
            Ok(line(Oddity::of(number), sides, rng))
        });
        let Some(games) = self.run(lines, step)? else { return Ok(None) };
        let positions = games.iter().zip(numbers).map(|(game, &number)| {
            let mut rng = self.seed.fork("odd turn", number).rng();
            let turns = game.turns.len();
            let ply = match Oddity::of(number) {
                // The position after the last move may be over.
                Oddity::Settled => rng.random_range(turns * 9 / 10..turns.max(1)),
                Oddity::Handicap | Oddity::Komi => turns,
            };
            game.position(ply, game.rules)
                .map_err(|error| LabelError::Illegal { game: number + 1, error })
        });
        positions.collect::<Result<Vec<_>, _>>().map(Some)
    }
}

/// A game of the teacher's own that leads to such a position.
fn line(oddity: Oddity, sides: &RangeInclusive<usize>, mut rng: Rng) -> Line {
    let side = rng.random_range(sides.clone());
    let size = BoardSize::square(side).expect("invariant: sides are those of boards");
    let mut game = TrainingGame {
        size,
        rules: RULES[rng.random_range(0..RULES.len())],
        komi: Komi::from_points(if rng.random_bool(0.5) { 6.5 } else { 7.0 }).unwrap_or_default(),
        stones: Vec::new(),
        turns: Vec::new(),
        outcome: Outcome::UNKNOWN,
    };
    let points = |points: f64| Komi::from_points(points).unwrap_or_default();
    let moves = match oddity {
        Oddity::Handicap => {
            game.komi = points(0.5);
            game.stones = stones(size, &mut rng);
            rng.random_range(0..=10)
        }
        Oddity::Komi => {
            let half = if rng.random_bool(0.5) { 0.5 } else { 0.0 };
            game.komi = points(f64::from(rng.random_range(KOMI)) + half);
            rng.random_range(0..=size.area() / 2)
        }
        Oddity::Settled => size.area() * 3 / 2,
    };
    Line::of_teacher(game, moves, rng)
}
