//! A game from a position to its end.

use std::sync::Arc;

use super::go::{Tactics, Turn};
use super::params::{PlayoutMoves, PlayoutParams};
use super::pattern::Patterns;
use super::replies::{Context, Replies};
use super::{nogo, uniform};
use crate::eval::FirstMoves;
use crate::game::{Board, Color, Game, Point, Position};
use crate::util::Rng;

/// Plays games to the end, reusing its board from one to the next, and learns from them if it is to.
pub struct Playout {
    board: Board,
    tactics: Option<Tactics>,
    replies: Option<Replies>,
    lists: [Vec<Point>; 2],
    first: FirstMoves,
    /// The moves of the last game of Go, none for a pass.
    trail: Vec<Option<Point>>,
    moves: usize,
    /// Black's points less White's at the end, komi included, in halves.
    halves: i32,
}

/// Turns for which a ko that was taken is worth retaking.
const OPEN_KO: u32 = 6;

/// A ko that `color` may want to retake.
#[derive(Clone, Copy)]
struct OpenKo {
    point: Point,
    color: Color,
    turns: u32,
}

impl Playout {
    /// A player of uniformly random games for boards like that of `position`.
    #[must_use]
    pub fn new(position: &Position) -> Self {
        Self {
            board: position.board().clone(),
            tactics: None,
            replies: None,
            lists: [Vec::new(), Vec::new()],
            first: FirstMoves::new(position.size()),
            trail: Vec::new(),
            moves: 0,
            halves: 0,
        }
    }

    /// A player of games as the parameters say.
    #[must_use]
    pub(super) fn with(
        params: &PlayoutParams,
        patterns: &Arc<Patterns>,
        position: &Position,
    ) -> Self {
        let tactical = params.policy == PlayoutMoves::Tactical;
        Self {
            tactics: tactical.then(|| Tactics::new(params, Arc::clone(patterns))),
            replies: Replies::new(params),
            ..Self::new(position)
        }
    }

    /// The board as the last game left it.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Moves of the last game, passes among them.
    #[must_use]
    pub const fn moves(&self) -> usize {
        self.moves
    }

    /// Who was first on each point in the last game.
    #[must_use]
    pub const fn first_moves(&self) -> &FirstMoves {
        &self.first
    }

    /// Points by which the last game of Go was won by `color`, komi included.
    #[must_use]
    pub fn points_for(&self, color: Color) -> f32 {
        let halves = if color == Color::Black { self.halves } else { -self.halves };
        halves as f32 / 2.0
    }

    /// A new search begins: what was learnt for the last one is kept or not.
    pub(super) fn begin_search(&mut self) {
        if let Some(replies) = &mut self.replies {
            replies.begin_search();
        }
    }

    /// Plays from `position` to the end and says who has won, none for a draw. Go is counted by
    /// area, whatever the rules, with the position's komi and compensation for handicap.
    pub fn run(&mut self, position: &Position, rng: &mut Rng) -> Option<Color> {
        self.board.clone_from(position.board());
        self.first.clear(position.size());
        match position.rules().game {
            Game::Go => self.run_go(position, rng),
            Game::NoGo => Some(self.run_nogo(position, rng)),
        }
    }

    fn run_nogo(&mut self, position: &Position, rng: &mut Rng) -> Color {
        let Self { board, lists, first, .. } = self;
        if self.tactics.is_some() {
            let game = nogo::play_shared(board, position.to_move(), &mut lists[0], first, rng);
            self.moves = game.moves;
            return game.winner;
        }
        let winner = uniform::play_nogo(board, position.to_move(), lists, first, rng);
        // Nothing is ever captured.
        let empty = |board: &Board| board.empty_points().len();
        self.moves = empty(position.board()) - empty(board);
        winner
    }

    /// Plays Go on, and learns from the result which replies were good.
    fn run_go(&mut self, position: &Position, rng: &mut Rng) -> Option<Color> {
        if let Some(replies) = &mut self.replies {
            replies.prepare(position.size());
        }
        let mut past = position.last_moves().map(|(_, mv)| mv.point());
        let (last, before) = (past.next().flatten(), past.next().flatten());
        let context = Context::default().then(before).then(last);
        self.play_go(position, context, [last, before], rng);
        self.moves = self.trail.len();
        let bonus = position.rules().handicap_points(position.handicap());
        self.halves = 2 * (self.board.quick_area() - i32::from(bonus)) - position.komi().halves();
        let winner = match self.halves {
            0 => return None,
            1.. => Color::Black,
            _ => Color::White,
        };
        if let Some(replies) = &mut self.replies {
            replies.learn(position.to_move(), context, &self.trail, winner);
        }
        Some(winner)
    }

    /// Plays until both pass in a row, which they do when they have nothing but eyes to fill.
    fn play_go(
        &mut self,
        position: &Position,
        mut context: Context,
        [mut last, mut before]: [Option<Point>; 2],
        rng: &mut Rng,
    ) {
        let mut color = position.to_move();
        let mut ko = position.ko();
        let mut open_ko: Option<OpenKo> = None;
        let mut passes = position.passes().min(1);
        // Kos can go round for ever; this is far longer than games are.
        let most = 3 * position.size().area();
        self.trail.clear();
        while passes < 2 && self.trail.len() < most {
            let retake = open_ko
                .filter(|open| open.color == color && ko != Some(open.point))
                .map(|open| open.point)
                .filter(|&p| self.board.is_empty(p) && self.board.captures(color, p));
            let turn = Turn { board: &self.board, color, last, before, ko, open_ko: retake };
            let chosen = choose(
                turn,
                context,
                (self.tactics.as_mut(), self.replies.as_ref(), &mut self.lists[0]),
                rng,
            );
            open_ko = open_ko.and_then(OpenKo::next);
            if let Some(point) = chosen {
                ko = self.board.place(color, point).ko;
                self.first.add(color, point);
                passes = 0;
                if let Some(point) = ko {
                    open_ko = Some(OpenKo { point, color: color.opponent(), turns: OPEN_KO });
                }
            } else {
                ko = None;
                passes += 1;
            }
            self.trail.push(chosen);
            context = context.then(chosen);
            (last, before) = (chosen, last);
            color = color.opponent();
        }
    }
}

impl OpenKo {
    /// The same a turn later, unless nobody remembers.
    fn next(self) -> Option<Self> {
        (self.turns > 1).then_some(Self { turns: self.turns - 1, ..self })
    }
}

/// The next move of a game, none for a pass: what tactics and patterns say, or a good reply, or any.
#[inline]
fn choose(
    turn: Turn<'_>,
    context: Context,
    (mut tactics, replies, list): (Option<&mut Tactics>, Option<&Replies>, &mut Vec<Point>),
    rng: &mut Rng,
) -> Option<Point> {
    if let Some(tactics) = &mut tactics
        && let Some(point) = tactics.suggest(turn, rng)
    {
        return Some(point);
    }
    if let Some(replies) = replies {
        for point in replies.replies(turn.color, context).into_iter().flatten() {
            let good = turn.board.is_empty(point)
                && match &tactics {
                    Some(tactics) => tactics.accepts(turn, point, rng),
                    None => turn.is_sensible(point),
                };
            if good {
                return Some(point);
            }
        }
    }
    match tactics {
        Some(tactics) => tactics.draw(turn, rng),
        None => uniform::draw(turn, list, rng),
    }
}

#[cfg(test)]
mod tests;
