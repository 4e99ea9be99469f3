//! Playouts of Go that look for good moves near the last ones (Gelly, Wang, Munos and Teytaud 2006):
//! vital points, chains in atari, chains with two liberties, patterns; then any move.

use std::sync::Arc;

use super::chance::{Chance, below};
use super::nakade::vital_point;
use super::params::PlayoutParams;
use super::pattern::Patterns;
use crate::game::{Board, Color, Point};
use crate::util::Rng;

/// What a player of a playout looks at.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) board: &'a Board,
    pub(super) color: Color,
    /// The opponent's last move, none for a pass.
    pub(super) last: Option<Point>,
    /// The own move before it.
    pub(super) before: Option<Point>,
    /// The point that the simple ko rule forbids.
    pub(super) ko: Option<Point>,
    /// A ko that may be retaken, if it was taken a few moves ago.
    pub(super) open_ko: Option<Point>,
}

impl Turn<'_> {
    /// Whether the move is legal and fills no eye.
    #[inline]
    pub(super) fn is_sensible(&self, point: Point) -> bool {
        let around = self.board.around(point);
        self.ko != Some(point)
            && (around.has_liberty()
                || !around.is_eye_of(self.color) && !self.board.is_suicide(self.color, point))
    }

    /// Whether the stone could be captured at once.
    #[inline]
    pub(super) fn is_self_atari(&self, point: Point) -> bool {
        self.board.liberties_after(self.color, point, 2) < 2
    }
}

/// Chooses moves by tactics and patterns.
pub(super) struct Tactics {
    patterns: Arc<Patterns>,
    nakade: Chance,
    atari: Chance,
    two_liberties: Chance,
    pattern: Chance,
    ko: Chance,
    /// A move into atari that something suggests is refused.
    self_atari: Chance,
    /// A move into atari drawn at random is refused.
    self_atari_random: Chance,
    list: Vec<Point>,
}

/// How often a point is drawn again before all moves are listed.
const DRAWS: usize = 8;

impl Tactics {
    pub(super) fn new(params: &PlayoutParams, patterns: Arc<Patterns>) -> Self {
        Self {
            patterns,
            nakade: Chance::of(params.nakade),
            atari: Chance::of(params.atari),
            two_liberties: Chance::of(params.two_liberties),
            pattern: Chance::of(params.patterns),
            ko: Chance::of(params.ko),
            self_atari: Chance::of(params.self_atari),
            self_atari_random: Chance::of(params.self_atari_random),
            list: Vec::new(),
        }
    }

    /// Whether a suggestion is to be followed.
    pub(super) fn accepts(&self, turn: Turn<'_>, point: Point, rng: &mut Rng) -> bool {
        turn.is_sensible(point) && !(turn.is_self_atari(point) && self.self_atari.happens(rng))
    }

    /// A move near the last ones that something speaks for.
    pub(super) fn suggest(&mut self, turn: Turn<'_>, rng: &mut Rng) -> Option<Point> {
        if let Some(point) = turn.open_ko
            && self.ko.happens(rng)
            && turn.is_sensible(point)
        {
            return Some(point);
        }
        let last = turn.last?;
        if self.nakade.happens(rng)
            && let Some(point) = vital_point(turn.board, last)
            && self.accepts(turn, point, rng)
        {
            return Some(point);
        }
        self.list.clear();
        if self.atari.happens(rng) {
            list_ataris(turn, last, &mut self.list);
            if let Some(point) = self.pick(turn, rng) {
                return Some(point);
            }
        }
        if self.two_liberties.happens(rng) {
            list_two_liberties(turn, last, &mut self.list);
            if let Some(point) = self.pick(turn, rng) {
                return Some(point);
            }
        }
        if self.pattern.happens(rng) {
            self.list_patterns(turn, last);
            if let Some(before) = turn.before {
                self.list_patterns(turn, before);
            }
            return self.pick(turn, rng);
        }
        None
    }

    /// One of the listed moves, all equally likely, that is acceptable. The list is empty afterwards.
    fn pick(&mut self, turn: Turn<'_>, rng: &mut Rng) -> Option<Point> {
        while !self.list.is_empty() {
            let point = self.list.swap_remove(below(self.list.len(), rng));
            if self.accepts(turn, point, rng) {
                self.list.clear();
                return Some(point);
            }
        }
        None
    }

    /// Lists the moves around a point that match a pattern.
    fn list_patterns(&mut self, turn: Turn<'_>, center: Point) {
        // Whether a point matches is not to be foreseen: it is written down first, and counted if it does.
        let (mut found, mut count) = ([center; 8], 0);
        for point in turn.board.ring(center) {
            found[count % 8] = point;
            let matches = self.patterns.matches(turn.color, turn.board.around(point));
            count += usize::from(turn.board.is_empty(point) & matches);
        }
        self.list.extend_from_slice(&found[..count]);
    }

    /// Any sensible move; seldom one into atari.
    pub(super) fn draw(&mut self, turn: Turn<'_>, rng: &mut Rng) -> Option<Point> {
        let empty = turn.board.empty_points();
        if empty.is_empty() {
            return None;
        }
        for _ in 0..DRAWS {
            let point = empty[below(empty.len(), rng)];
            if turn.is_sensible(point) && self.is_drawn(turn, point, rng) {
                return Some(point);
            }
        }
        self.list.clear();
        self.list.extend(empty.iter().copied().filter(|&point| turn.is_sensible(point)));
        while !self.list.is_empty() {
            let point = self.list.swap_remove(below(self.list.len(), rng));
            if self.is_drawn(turn, point, rng) {
                return Some(point);
            }
        }
        None
    }

    fn is_drawn(&self, turn: Turn<'_>, point: Point, rng: &mut Rng) -> bool {
        !(turn.is_self_atari(point) && self.self_atari_random.happens(rng))
    }
}

/// Lists moves that capture what the opponent has just left in atari or save what has just come into
/// atari.
fn list_ataris(turn: Turn<'_>, last: Point, list: &mut Vec<Point>) {
    let Turn { board, color, .. } = turn;
    if board.stone(last) == Some(color.opponent())
        && let Some(liberty) = board.last_liberty(last)
    {
        list.push(liberty);
    }
    if board.around(last).touches(color) {
        for p in board.lines(last) {
            if board.stone(p) == Some(color) && board.in_atari(p) {
                list_escapes(turn, p, list);
            }
        }
    }
    // What one has put into atari oneself and the opponent has left there.
    let before = turn.before.filter(|&before| board.around(before).touches(color.opponent()));
    for p in before.into_iter().flat_map(|before| board.lines(before)) {
        if board.stone(p) == Some(color.opponent())
            && let Some(liberty) = board.last_liberty(p)
        {
            list.push(liberty);
        }
    }
}

/// Lists moves that save the chain on a point, which is in atari: to extend, if that gives liberties,
/// or to capture what stands around.
fn list_escapes(turn: Turn<'_>, at: Point, list: &mut Vec<Point>) {
    let Turn { board, color, .. } = turn;
    if let Some(liberty) = board.last_liberty(at)
        && board.liberties_after(color, liberty, 2) >= 2
    {
        list.push(liberty);
    }
    for stone in board.chain_stones(at) {
        for p in board.lines(stone) {
            if board.stone(p) == Some(color.opponent())
                && let Some(liberty) = board.last_liberty(p)
            {
                list.push(liberty);
            }
        }
    }
}

/// Lists moves that win a liberty for a chain with two, or take one from the opponent's last chain so
/// that it cannot get away.
fn list_two_liberties(turn: Turn<'_>, last: Point, list: &mut Vec<Point>) {
    let Turn { board, color, .. } = turn;
    if board.stone(last) == Some(color.opponent())
        && let Some([one, other]) = board.two_liberties(last)
    {
        for (here, there) in [(one, other), (other, one)] {
            // The opponent's next liberties count the point that is taken first.
            let caught = board.liberties_after(color.opponent(), there, 3) < 3;
            if caught && !turn.is_self_atari(here) {
                list.push(here);
            }
        }
    }
    if !board.around(last).touches(color) {
        return;
    }
    for p in board.lines(last) {
        if board.stone(p) == Some(color) {
            let wins = |&liberty: &Point| board.liberties_after(color, liberty, 3) >= 3;
            list.extend(board.two_liberties(p).into_iter().flatten().filter(wins));
        }
    }
}

#[cfg(test)]
mod tests;
