//! Positions with their searches, ready to learn from.

use rand::RngExt as _;

use super::features::{CHANNELS, features};
use super::label::Labels;
use super::params::UncertaintyParams;
use super::store::TraceFile;
use super::trace::Trace;
use crate::game::{Color, Position, Symmetry};
use crate::nn::features::{GLOBALS, PLANES, encode};
use crate::record::IllegalTurn;
use crate::util::Seed;

/// A position that was searched to the end.
#[derive(Clone)]
pub struct State {
    /// Which of the games it is from.
    pub game: usize,
    /// The turn before which it stood.
    pub ply: usize,
    /// The position.
    pub position: Position,
    /// Simulations that its search was to have: `N_max`.
    pub planned: usize,
    /// Its search.
    pub trace: Trace,
    /// What stopping earlier would have been worth.
    pub labels: Labels,
    /// How the game ended for the side to move; none if nobody knows.
    pub result: Option<f32>,
}

/// The positions of some games, split by game.
#[derive(Clone, Default)]
pub struct Split {
    /// To train on.
    pub train: Vec<State>,
    /// To choose thresholds on.
    pub calibration: Vec<State>,
    /// To report on.
    pub test: Vec<State>,
}

/// What the positions of a game are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Train,
    Calibration,
    Test,
}

impl Part {
    /// That of the game with a number.
    fn of(number: usize, params: &UncertaintyParams) -> Self {
        let seed = Seed::new(params.seed).fork("held out", number as u64);
        let drawn: f64 = seed.rng().random();
        if drawn >= params.held_out {
            Self::Train
        } else if drawn >= params.held_out / 2.0 {
            Self::Calibration
        } else {
            Self::Test
        }
    }
}

impl Split {
    /// How many games it takes, from the first on, to have one in each part.
    #[must_use]
    pub fn fewest_games(params: &UncertaintyParams) -> usize {
        // Each part has one game of 200 at the least.
        let first = |part| (0..1_000_000).find(|&number| Part::of(number, params) == part);
        let firsts = [Part::Train, Part::Calibration, Part::Test].into_iter().filter_map(first);
        firsts.max().map_or(0, |number| number + 1)
    }

    /// Takes the positions out of their games. A game is in one part as a whole.
    pub fn new(file: &TraceFile, params: &UncertaintyParams) -> Result<Self, IllegalTurn> {
        let mut split = Self::default();
        for (number, traced) in file.games.iter().enumerate() {
            let part = match Part::of(number, params) {
                Part::Train => &mut split.train,
                Part::Calibration => &mut split.calibration,
                Part::Test => &mut split.test,
            };
            for (ply, trace) in &traced.searches {
                let position = traced.game.position(*ply, traced.game.rules)?;
                let sign = if position.to_move() == Color::Black { 1.0 } else { -1.0 };
                part.push(State {
                    game: number,
                    ply: *ply,
                    position,
                    planned: file.simulations,
                    trace: trace.clone(),
                    labels: Labels::new(trace),
                    result: traced.game.outcome.for_black().map(|result| sign * result),
                });
            }
        }
        Ok(split)
    }
}

impl State {
    /// Whether its search goes on after `n` simulations. One that is proven ends by itself.
    #[must_use]
    pub const fn goes_on(&self, n: usize) -> bool {
        n < self.labels.most()
    }

    /// T(s, n).
    #[must_use]
    pub fn features(&self, n: usize) -> Vec<f32> {
        let size = self.position.size();
        let tallies = |n| self.trace.tallies(size, n);
        features(size.area(), &tallies(n), &tallies((n / 2).max(1)))
    }
}

/// Which of its two inputs an uncertainty network is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The position and the search.
    Both,
    /// The position alone: what belongs to the search is 0.
    Position,
    /// The search alone: what belongs to the position is 0.
    Search,
}

/// Writes what a network sees of a position, turned by a symmetry, and of its search if it looks at
/// that: [`PLANES`] and then [`CHANNELS`] planes of each point, and the globals.
///
/// # Panics
/// If the slices have no room for it, or `search` is of another board.
pub(super) fn write_input(
    position: &Position,
    symmetry: Symmetry,
    search: Option<&[f32]>,
    shown: Shown,
    (planes, stride, globals): (&mut [f32], usize, &mut [f32]),
) {
    let size = position.size();
    if shown == Shown::Search {
        planes.fill(0.0);
        globals.fill(0.0);
    } else {
        encode(position, symmetry, planes, stride, globals);
    }
    let Some(search) = search.filter(|_| shown != Shown::Position) else { return };
    for (values, point) in search.chunks_exact(CHANNELS).zip(size.points()) {
        let place = size.offset(symmetry.apply(size, point));
        planes[place * stride + PLANES..][..CHANNELS].copy_from_slice(values);
    }
}

/// The same in vectors of their own.
#[must_use]
pub(super) fn input(
    position: &Position,
    symmetry: Symmetry,
    search: Option<&[f32]>,
    shown: Shown,
) -> (Vec<f32>, Vec<f32>) {
    let channels = PLANES + search.map_or(0, |_| CHANNELS);
    let mut planes = vec![0.0; position.size().area() * channels];
    let mut globals = vec![0.0; GLOBALS];
    write_input(position, symmetry, search, shown, (&mut planes, channels, &mut globals));
    (planes, globals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Komi, Rules};

    #[test]
    fn too_few_games_left_a_part_empty() {
        for (held_out, seed) in [(0.3, 1), (0.5, 1), (0.05, 7), (0.9, 3)] {
            let params = UncertaintyParams { held_out, seed, ..Default::default() };
            let fewest = Split::fewest_games(&params);
            let parts = |games| {
                let all = [Part::Train, Part::Calibration, Part::Test];
                all.map(|part| (0..games).filter(|&n| Part::of(n, &params) == part).count())
            };
            assert!(parts(fewest).iter().all(|&games| games > 0), "{fewest}");
            assert!(parts(fewest - 1).contains(&0), "{fewest}");
        }
    }

    #[test]
    fn the_search_is_turned_with_the_position() {
        let size = BoardSize::square(3).unwrap();
        let position = Position::new(size, Rules::CHINESE, Komi::default());
        let search: Vec<f32> = (0..9 * CHANNELS).map(|i| i as f32).collect();
        for &symmetry in Symmetry::for_size(size) {
            let (planes, _) = input(&position, symmetry, Some(&search), Shown::Both);
            for point in size.points() {
                let place = size.offset(symmetry.apply(size, point)) * (PLANES + CHANNELS);
                let found = &planes[place + PLANES..][..CHANNELS];
                assert_eq!(found, &search[CHANNELS * size.offset(point)..][..CHANNELS]);
            }
        }
    }

    #[test]
    fn what_is_not_shown_is_zero() {
        let size = BoardSize::square(3).unwrap();
        let position = Position::new(size, Rules::CHINESE, Komi::default());
        let search = vec![0.5; 9 * CHANNELS];
        let parts = |shown| {
            let (planes, globals) = input(&position, Symmetry::IDENTITY, Some(&search), shown);
            let any = |range: std::ops::Range<usize>| {
                let mut points = planes.chunks_exact(PLANES + CHANNELS);
                points.any(|point| point[range.clone()].iter().any(|&x| x != 0.0))
            };
            let globals = globals.iter().any(|&x| x != 0.0);
            (any(0..PLANES) && globals, any(PLANES..PLANES + CHANNELS))
        };
        assert_eq!(parts(Shown::Both), (true, true));
        assert_eq!(parts(Shown::Position), (true, false));
        assert_eq!(parts(Shown::Search), (false, true));
    }
}
