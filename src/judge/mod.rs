//! Which stones are dead, who owns what, and how a game would end if it ended now.
//!
//! A judgement depends on the stones and the rules alone. Earlier moves, passes, the player to move and the
//! process do not matter, and neither do the symmetries of the board or an exchange of the colours: one
//! canonical image of the board is judged and the answer mapped back. It is made in three steps:
//!
//! 1. Pass-alive stones and their territory are certain (Benson 1976).
//! 2. Playouts with each player to move, seeded by the image, say who owns the rest.
//! 3. Chains that are not pass-alive and have few open points around them are read out: seki, nakade,
//!    bent four and races for liberties.

mod image;
mod reading;
#[cfg(test)]
mod tests;

use crate::eval::Ownership;
use crate::game::benson::{self, PassAlive};
use crate::game::{Board, Color, Game, Komi, Point, PointSet, Position, Score, Suicide, owners};
use crate::playout::{PlayoutEvaluator, PlayoutParams};
use crate::util::Seed;
use image::Image;
use reading::Strength;

/// Playouts for a judgement on a board of one point; larger boards get their share.
const PLAYOUTS: usize = 32_000;
const PLAYOUTS_RANGE: std::ops::RangeInclusive<usize> = 128..=400;

/// Share of empty points above which a game has not ended, and playouts for such a board: what they say is a
/// guess in any case, and they are long.
const UNPLAYED: f64 = 0.75;
const UNPLAYED_PLAYOUTS: usize = 32;

/// Ownership from which a point is decided.
const DECIDED: f32 = 0.8;

/// Mean ownership from which a chain is strong, and liberties up to which it may be endangered all the same by
/// what is read beside it.
const STRONG: f32 = 0.5;
const FEW_LIBERTIES: usize = 3;

/// What is thought of a position as if the game ended there.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Stones that will be captured. None in `NoGo`.
    pub dead: PointSet,
    /// Who will own each point.
    pub ownership: Ownership,
}

/// Judges positions.
pub struct Judge {
    playouts: PlayoutEvaluator,
}

impl Default for Judge {
    fn default() -> Self {
        Self::new()
    }
}

impl Judge {
    /// A judge, who is like every other.
    #[must_use]
    pub fn new() -> Self {
        // Moves into atari break up a seki or kill what cannot be killed otherwise: they are played, but
        // seldom. docs/results/judgements.md has what that is worth.
        let params = PlayoutParams { self_atari_random: 0.9, ..PlayoutParams::default() };
        Self { playouts: PlayoutEvaluator::with(params, Seed::new(0)) }
    }

    /// Judges a position by its stones and rules.
    #[must_use]
    pub fn judge(&self, position: &Position) -> Judgement {
        let image = Image::of(position.board());
        let start =
            Position::from_board(image.board(), Color::Black, *position.rules(), Komi::default());
        let playouts = playouts(position.board());
        let mut owners = Owners::of(&start, &self.play_out(&start, playouts));
        if position.rules().game == Game::Go {
            owners.decide(position.rules().suicide);
        }
        let ownership = image.map_back(&owners.values, playouts);
        Judgement::of(position, &ownership)
    }

    /// Mean ownership by playouts with each player to move.
    fn play_out(&self, start: &Position, playouts: usize) -> Ownership {
        let seed = Seed::new(start.board().hash());
        let mut sum = Ownership::new(start.size());
        for (color, index) in Color::BOTH.into_iter().zip(0..) {
            let mut start = start.clone();
            start.set_to_move(color);
            sum.add(&self.playouts.ownership(&start, playouts / 2, seed.fork("judge", index)));
        }
        sum
    }
}

/// Playouts for a judgement of a board, an even number: half of them for each player to move.
fn playouts(board: &Board) -> usize {
    let area = board.size().area();
    if (board.empty_points().len() as f64) > UNPLAYED * area as f64 {
        return UNPLAYED_PLAYOUTS;
    }
    (PLAYOUTS / area).clamp(*PLAYOUTS_RANGE.start(), *PLAYOUTS_RANGE.end()) / 2 * 2
}

/// Black's share of each point, in reading order, while a board is judged.
struct Owners<'a> {
    board: &'a Board,
    values: Vec<f32>,
}

impl<'a> Owners<'a> {
    fn of(position: &'a Position, ownership: &Ownership) -> Self {
        let value = |point| ownership.of(Color::Black, point);
        Self { board: position.board(), values: position.size().points().map(value).collect() }
    }

    /// Puts what is certain in place of what playouts say.
    fn decide(&mut self, suicide: Suicide) {
        let alive = Color::BOTH.map(|color| benson::pass_alive(self.board, color, suicide));
        self.take(&alive);
        self.read(&alive, suicide);
    }

    /// Gives a point to a player.
    fn give(&mut self, color: Color, point: Point) {
        let offset = self.board.size().offset(point);
        self.values[offset] = if color == Color::Black { 1.0 } else { -1.0 };
    }

    /// Gives pass-alive stones and their territory to their owners.
    fn take(&mut self, alive: &[PassAlive; 2]) {
        for color in Color::BOTH {
            let PassAlive { stones, territory } = &alive[color.index()];
            stones.iter().chain(territory.iter()).for_each(|point| self.give(color, point));
        }
    }

    /// Gives the chains that are not pass-alive and can be read out to who gets them.
    fn read(&mut self, alive: &[PassAlive; 2], suicide: Suicide) {
        let board = self.board;
        let mut nodes = reading::MAX_NODES;
        let settled = |point| {
            alive.iter().any(|one| one.stones.contains(point) || one.territory.contains(point))
        };
        let shares: Vec<(Point, f32)> = heads(board).map(|head| (head, self.own(head))).collect();
        let share =
            |head| shares.iter().find(|(other, _)| *other == head).map_or(0.0, |&(_, share)| share);
        let strength = |head| {
            let few = || board.liberties(head).len() <= FEW_LIBERTIES;
            if alive.iter().any(|one| one.stones.contains(head)) {
                Strength::Safe
            } else if share(head) < STRONG {
                Strength::Weak
            } else if few() {
                Strength::Likely
            } else {
                Strength::Safe
            }
        };
        for &(head, _) in shares.iter().filter(|(head, _)| !settled(*head)) {
            if let Some(owner) = reading::owner(board, head, (suicide, &mut nodes), &strength) {
                board.chain_stones(head).for_each(|stone| self.give(owner, stone));
            }
        }
    }

    /// The mean share that the owner of a chain has in its stones.
    fn own(&self, head: Point) -> f32 {
        let board = self.board;
        let sum: f32 =
            board.chain_stones(head).map(|stone| self.values[board.size().offset(stone)]).sum();
        let black = sum / board.chain_size(head) as f32;
        if board.stone(head) == Some(Color::White) { -black } else { black }
    }
}

/// A stone of each chain.
fn heads(board: &Board) -> impl Iterator<Item = Point> {
    let is_head = |point: &Point| !board.is_empty(*point) && board.chain_head(*point) == *point;
    board.size().points().filter(is_head)
}

/// The chains that change hands more often than not.
fn dead_stones(board: &Board, ownership: &Ownership) -> PointSet {
    let mut dead = PointSet::new();
    for head in heads(board) {
        let color = board.stone(head).unwrap_or(Color::Black);
        let sum: f32 = board.chain_stones(head).map(|stone| ownership.of(color, stone)).sum();
        if sum < 0.0 {
            dead.extend(board.chain_stones(head));
        }
    }
    dead
}

impl Judgement {
    /// What somebody thinks who has said who owns what.
    #[must_use]
    pub fn of(position: &Position, ownership: &Ownership) -> Self {
        let dead = match position.rules().game {
            Game::Go => dead_stones(position.board(), ownership),
            Game::NoGo => PointSet::new(),
        };
        Self { dead, ownership: ownership.clone() }
    }

    /// The score if the game ended now: dead stones leave the board where the rules say so.
    #[must_use]
    pub fn score(&self, position: &Position) -> Score {
        position.score(&self.dead)
    }

    /// Whether nothing is left to play but neutral points: no stone is in doubt, all territory is decided and
    /// no two neutral points are beside each other.
    #[must_use]
    pub fn is_settled(&self, position: &Position) -> bool {
        let (board, size) = (position.board(), position.size());
        let owners = owners(board, &self.dead);
        let is_decided = |point| self.ownership.of(Color::Black, point).abs() >= DECIDED;
        let is_single = |point| {
            !size
                .neighbors(point)
                .any(|other| board.is_empty(other) && owners.owner(other).is_none())
        };
        size.points().all(|point| match owners.owner(point) {
            Some(_) => is_decided(point),
            None => is_single(point),
        })
    }

    /// Whether the side to move has won if the game ends now.
    #[must_use]
    pub fn is_won(&self, position: &Position) -> bool {
        self.score(position).winner() == Some(position.to_move())
    }
}
