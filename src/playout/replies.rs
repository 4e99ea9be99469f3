//! Replies that playouts learn from each other: to the last move, and to the last two.

use super::params::{BetweenMoves, PlayoutParams, ReplyLearning};
use super::wls::Wls;
use crate::game::{BoardSize, Color, Move, Point};

/// How good a reply is thought to be, in a byte: 0 before anything is known of it.
pub(super) type State = u8;

/// How the state of a reply changes with results.
#[derive(Clone, Debug)]
pub(super) enum Scale {
    /// Good after a win, until it loses (last good reply with forgetting; Baier and Drake 2010).
    LastGood,
    /// Win/Loss States (Basaldúa and Moreno Vega 2013): good above a threshold.
    Wls { states: Wls, threshold: State },
}

impl Scale {
    /// The scale that the parameters ask for, if any.
    fn new(params: &PlayoutParams) -> Option<Self> {
        match params.replies {
            ReplyLearning::LastGood => Some(Scale::LastGood),
            ReplyLearning::Wls => {
                // The limits of the parameters are those of the states.
                let states = Wls::new(params.wls_end, params.wls_jump).ok()?;
                // On the shortest scale there is no 1/2: a win alone is good.
                let half = states.index_of_half() - u8::from(params.wls_end == 1);
                let threshold = half.saturating_add(params.wls_above_half);
                Some(Scale::Wls { states, threshold })
            }
            ReplyLearning::None => None,
        }
    }

    #[inline]
    fn win(&self, state: State) -> State {
        match self {
            Scale::LastGood => 1,
            Scale::Wls { states, .. } => states.win(state),
        }
    }

    #[inline]
    fn loss(&self, state: State) -> State {
        match self {
            Scale::LastGood => 0,
            Scale::Wls { states, .. } => states.loss(state),
        }
    }

    /// Whether a reply in this state is to be played.
    #[inline]
    fn is_good(&self, state: State) -> bool {
        match self {
            Scale::LastGood => state > 0,
            Scale::Wls { threshold, .. } => state > *threshold,
        }
    }
}

/// One reply with its state. The number 0 is no move: a border cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slot {
    reply: u16,
    state: State,
}

/// The replies that one thread has learnt, for each player.
#[derive(Clone, Debug)]
pub(super) struct Replies {
    scale: Scale,
    between: BetweenMoves,
    /// Numbers of moves on the board.
    cells: usize,
    /// To the last move.
    to_one: Vec<Slot>,
    /// To the last two moves.
    to_two: Vec<Slot>,
}

/// The two moves before a reply by their numbers, older first; 0 for a pass and before the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Context {
    before: u16,
    last: u16,
}

impl Context {
    /// What comes after these moves when another is made.
    #[inline]
    pub(super) fn then(self, mv: Option<Point>) -> Self {
        Self { before: self.last, last: mv.map_or(0, |point| Move::Place(point).code()) }
    }
}

impl Replies {
    /// Empty tables, if the parameters ask for any.
    pub(super) fn new(params: &PlayoutParams) -> Option<Self> {
        let scale = Scale::new(params)?;
        let between = params.replies_between_moves;
        Some(Self { scale, between, cells: 0, to_one: Vec::new(), to_two: Vec::new() })
    }

    /// Gets ready for games on a board; what was learnt on another one is forgotten.
    pub(super) fn prepare(&mut self, size: BoardSize) {
        let cells = size.cells();
        if cells != self.cells {
            self.cells = cells;
            self.to_one = vec![Slot::default(); 2 * cells];
            self.to_two = vec![Slot::default(); 2 * cells * cells];
        }
    }

    /// A new search begins.
    pub(super) fn begin_search(&mut self) {
        let slots = self.to_one.iter_mut().chain(&mut self.to_two);
        match self.between {
            BetweenMoves::Keep => {}
            BetweenMoves::Clear => slots.for_each(|slot| *slot = Slot::default()),
            BetweenMoves::Age => slots.for_each(|slot| slot.state = self.scale.loss(slot.state)),
        }
    }

    /// The good replies of `color`, to the last two moves first.
    #[inline]
    pub(super) fn replies(&self, color: Color, context: Context) -> [Option<Point>; 2] {
        let (one, two) = self.places(color, context);
        [self.to_two[two], self.to_one[one]].map(|slot| {
            let good = slot.reply > 0 && self.scale.is_good(slot.state);
            if good { Move::from_code(slot.reply).point() } else { None }
        })
    }

    /// Learns from a game: its moves from the context on, the first of them by `color`.
    pub(super) fn learn(
        &mut self,
        mut color: Color,
        mut context: Context,
        moves: &[Option<Point>],
        winner: Color,
    ) {
        for &mv in moves {
            if let Some(point) = mv {
                let (one, two) = self.places(color, context);
                let (reply, won) = (Move::Place(point).code(), color == winner);
                self.to_one[one].learn(&self.scale, reply, won);
                self.to_two[two].learn(&self.scale, reply, won);
            }
            context = context.then(mv);
            color = color.opponent();
        }
    }

    #[inline]
    fn places(&self, color: Color, Context { before, last }: Context) -> (usize, usize) {
        let one = color.index() * self.cells + usize::from(last);
        (one, one * self.cells + usize::from(before))
    }
}

impl Slot {
    /// A reply that has won is remembered, unless a better one is; one that is remembered gets better
    /// or worse by its results.
    #[inline]
    fn learn(&mut self, scale: &Scale, reply: u16, won: bool) {
        if self.reply == reply {
            self.state = if won { scale.win(self.state) } else { scale.loss(self.state) };
        } else if won {
            let new = scale.win(0);
            if self.state <= new {
                *self = Self { reply, state: new };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playout::chance::below;
    use crate::util::Seed;

    fn replies(between: BetweenMoves) -> (Replies, BoardSize) {
        with(&PlayoutParams {
            replies: ReplyLearning::LastGood,
            replies_between_moves: between,
            ..PlayoutParams::default()
        })
    }

    fn with(params: &PlayoutParams) -> (Replies, BoardSize) {
        let size = BoardSize::square(5).unwrap();
        let mut replies = Replies::new(params).unwrap();
        replies.prepare(size);
        (replies, size)
    }

    fn wls(wls_end: u16) -> Replies {
        with(&PlayoutParams { replies: ReplyLearning::Wls, wls_end, ..PlayoutParams::default() }).0
    }

    #[test]
    fn the_shortest_scale_is_the_last_good_reply() {
        let (mut last_good, size) = replies(BetweenMoves::Keep);
        let mut shortest = wls(1);
        let mut rng = Seed::new(1).rng();
        let mut draw = || size.point_at_offset(below(4, &mut rng));
        let (mut known, mut unknown) = (0, 0);
        for round in 0..500 {
            let moves: Vec<_> = (0..6).map(|_| draw()).collect();
            let winner = Color::BOTH[usize::from(draw() == size.point(0, 0))];
            let context = Context::default().then(draw()).then(draw());
            for replies in [&mut last_good, &mut shortest] {
                replies.learn(Color::Black, context, &moves, winner);
            }
            let context = Context::default().then(draw()).then(draw());
            for color in Color::BOTH {
                let found = last_good.replies(color, context);
                assert_eq!(shortest.replies(color, context), found, "round {round}");
                *(if found[0].is_some() { &mut known } else { &mut unknown }) += 1;
            }
        }
        assert!(known > 100 && unknown > 100, "{known} known, {unknown} unknown");
    }

    #[test]
    fn a_longer_scale_forgives_a_loss() {
        let size = BoardSize::square(5).unwrap();
        let (good, other) = (size.point(1, 1), size.point(2, 2));
        let start = Context::default();
        let mut replies = wls(7);
        let mut learn = |mv, winner| {
            replies.learn(Color::Black, start, &[mv], winner);
            replies.replies(Color::Black, start)[0]
        };
        for _ in 0..3 {
            assert_eq!(learn(good, Color::Black), good);
        }
        // 3/4 is still above one half, and better than 1/1 of a newcomer is only 3/3.
        assert_eq!(learn(good, Color::White), good);
        assert_eq!(learn(other, Color::White), good);
        for _ in 0..3 {
            learn(good, Color::White);
        }
        assert_eq!(replies.replies(Color::Black, start)[0], None, "3/7");
    }

    #[test]
    fn the_last_good_reply_is_played_until_it_loses() {
        let (mut replies, size) = replies(BetweenMoves::Keep);
        let at = |text| Some(size.parse_point(text).unwrap());
        let start = Context::default();
        let game = [at("A1"), at("B2"), at("C3"), at("D4")];
        let after = start.then(at("A1")).then(at("B2"));
        let (black, white) = (Color::Black, Color::White);
        replies.learn(black, start, &game, black);
        assert_eq!(replies.replies(black, after), [at("C3"); 2]);
        // The loser's replies are not good, and nobody has replied to other moves.
        assert_eq!(replies.replies(white, start.then(at("A1"))), [None; 2]);
        assert_eq!(replies.replies(white, after), [None; 2]);
        // Other moves before: the reply to the last move alone is known.
        let other = start.then(at("E5")).then(at("B2"));
        assert_eq!(replies.replies(black, other), [None, at("C3")]);
        // A new winner takes the place of the old one, and a loss empties it.
        replies.learn(black, after, &[at("E1")], black);
        assert_eq!(replies.replies(black, after), [at("E1"); 2]);
        replies.learn(black, after, &[at("A5")], white);
        assert_eq!(replies.replies(black, after), [at("E1"); 2], "another reply has lost");
        replies.learn(black, after, &[at("E1")], white);
        assert_eq!(replies.replies(black, after), [None; 2]);
    }

    #[test]
    fn tables_are_kept_cleared_or_aged() {
        for (between, kept) in
            [(BetweenMoves::Keep, true), (BetweenMoves::Clear, false), (BetweenMoves::Age, false)]
        {
            let (mut replies, size) = replies(between);
            let point = size.parse_point("C3").ok();
            replies.learn(Color::White, Context::default(), &[point], Color::White);
            replies.begin_search();
            let known = replies.replies(Color::White, Context::default())[0].is_some();
            assert_eq!(known, kept, "{between:?}");
        }
    }
}
