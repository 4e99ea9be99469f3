//! What a network sees of a position: one set of features for Go and NoGo on boards of any size.
//!
//! Everything is seen by the side to move ("own"). Planes come channels last: value `plane` of the
//! point at `offset` stands at `offset * channel_stride + plane`, and all are 0 or 1.
//!
//! | plane | is 1 at |
//! |---|---|
//! | 0 | every point of the board: where the network pads, it finds 0 and knows the edge |
//! | 1, 2 | own stones, the opponent's stones |
//! | 3, 4, 5 | stones of own chains with one, two, three or more liberties |
//! | 6, 7, 8 | the same for the opponent |
//! | 9 | the point that the simple ko rule forbids to the side to move |
//! | 10 … 14 | the last move, the one before, … up to the fifth; nothing for a pass |
//! | 15 | points where the side to move may play, by all rules ([`Position::is_legal`]) |
//! | 16 | points where the opponent might play by the board as it is: repetition is not looked at |
//!
//! | global | meaning |
//! |---|---|
//! | 0 | points that the side to move has in hand, divided by 15: komi with White's compensation for handicap stones, and under territory scoring the prisoners; not more than the board has |
//! | 1, 2 | `sin(πk)` and `cos(πk)` of `k` = those points + points of the board, under area scoring: the difference of two areas that fill the board is odd or even as the board is, so that `k` tells by its place in a period of two which komi decide alike and which allow a draw |
//! | 3, 4, 5 | simple ko, positional superko, situational superko |
//! | 6 | suicide is allowed |
//! | 7 | territory scoring |
//! | 8 | every stone on the board counts at the end |
//! | 9 | the game is NoGo; 0 to 8 and 14, which mean nothing there, are 0 |
//! | 10, 11 | the last move was a pass, the one before it was |
//! | 12, 13 | `(width - 14) / 10` and `(height - 14) / 10` |
//! | 14 | a pass would end the game |

use crate::game::{
    Board, BoardSize, Color, DeadStones, Game, KoRule, Move, Point, Position, Scoring, Suicide,
    Symmetry,
};

/// Changes whenever a plane or a global comes to mean something else; weights are made for one.
pub const FEATURES_VERSION: u32 = 1;

/// Planes of each point.
pub const PLANES: usize = 17;

/// Values that belong to the whole position.
pub const GLOBALS: usize = 15;

/// The numbers of the planes.
mod plane {
    pub(super) const ON_BOARD: usize = 0;
    pub(super) const OWN: Chains = Chains { stones: 1, liberties: 3 };
    pub(super) const OPPONENT: Chains = Chains { stones: 2, liberties: 6 };
    pub(super) const KO: usize = 9;
    /// As many as a position remembers, newest first.
    pub(super) const LAST_MOVES: usize = 10;
    pub(super) const LEGAL: usize = 15;
    pub(super) const OPPONENT_LEGAL: usize = 16;

    /// The planes of one player's chains.
    pub(super) struct Chains {
        pub(super) stones: usize,
        /// The first of three: one, two, three or more liberties.
        pub(super) liberties: usize,
    }
}

/// Liberties are counted up to this number.
const MAX_LIBERTIES: usize = 3;

/// Writes the features of a position, turned by `symmetry`: what belongs to a point `p` goes to
/// the place of `symmetry.apply(size, p)`. Whatever the slices held before is overwritten, the
/// channels from [`PLANES`] to `channel_stride` and the globals from [`GLOBALS`] on with zeros.
///
/// # Panics
///
/// If `planes` does not hold just `channel_stride` values for each point, if there is no room for
/// [`PLANES`] or [`GLOBALS`], or if the board does not have the symmetry.
pub fn encode(
    position: &Position,
    symmetry: Symmetry,
    planes: &mut [f32],
    channel_stride: usize,
    globals: &mut [f32],
) {
    let size = position.size();
    assert!(channel_stride >= PLANES, "{channel_stride} channels are too few for {PLANES} planes");
    assert_eq!(planes.len(), size.area() * channel_stride, "planes of a {size} board");
    planes.fill(0.0);
    let mut canvas = Canvas { planes, channel_stride, size, turn: Turn::new(size, symmetry) };
    draw_points(position, &mut canvas);
    draw_moves(position, &mut canvas);

    let (values, padding) = globals.split_at_mut(GLOBALS);
    values.copy_from_slice(&encode_globals(position));
    padding.fill(0.0);
}

/// Takes one value for each point, in the orientation of a network whose input was turned by
/// `symmetry`, back to the reading order of the position: the way of [`encode`] in reverse.
///
/// # Panics
///
/// If `turned` does not hold a value for each point, or if the board does not have the symmetry.
#[must_use]
pub fn restore(
    size: BoardSize,
    symmetry: Symmetry,
    turned: &[f32],
) -> impl ExactSizeIterator<Item = f32> + '_ {
    assert_eq!(turned.len(), size.area(), "values of a {size} board");
    let turn = Turn::new(size, symmetry);
    (0..size.area()).map(move |i| turned[turn.offset(i % size.width(), i / size.width())])
}

/// Where the points of a board go to under a symmetry. Offsets are linear in the coordinates,
/// which spares most of the divisions of [`Symmetry::apply`]; steps to the left or upwards wrap.
#[derive(Clone, Copy)]
struct Turn {
    origin: usize,
    right: usize,
    down: usize,
}

impl Turn {
    fn new(size: BoardSize, symmetry: Symmetry) -> Self {
        assert!(Symmetry::for_size(size).contains(&symmetry), "a {size} board has no {symmetry:?}");
        let image = |x, y| {
            let point = size.point(x, y).expect("invariant: no side is shorter than two");
            size.offset(symmetry.apply(size, point))
        };
        let origin = image(0, 0);
        let [right, down] = [image(1, 0), image(0, 1)].map(|offset| offset.wrapping_sub(origin));
        Self { origin, right, down }
    }

    #[inline]
    fn offset(self, x: usize, y: usize) -> usize {
        self.origin.wrapping_add(x.wrapping_mul(self.right)).wrapping_add(y.wrapping_mul(self.down))
    }
}

/// The planes of one position, somewhere in a batch.
struct Canvas<'a> {
    planes: &'a mut [f32],
    channel_stride: usize,
    size: BoardSize,
    turn: Turn,
}

impl Canvas<'_> {
    /// The channels of the point in a column and a row of the position.
    #[inline]
    fn cell(&mut self, x: usize, y: usize) -> &mut [f32; PLANES] {
        let start = self.turn.offset(x, y) * self.channel_stride;
        self.planes[start..]
            .first_chunk_mut()
            .expect("invariant: each point has at least as many channels as there are planes")
    }

    #[inline]
    fn cell_of(&mut self, point: Point) -> &mut [f32; PLANES] {
        let (x, y) = self.size.coordinates(point);
        self.cell(x, y)
    }
}

fn draw_points(position: &Position, canvas: &mut Canvas<'_>) {
    let (board, size, own) = (position.board(), position.size(), position.to_move());
    for y in 0..size.height() {
        for x in 0..size.width() {
            let point = size.point(x, y).expect("invariant: the loops stay on the board");
            let cell = canvas.cell(x, y);
            cell[plane::ON_BOARD] = 1.0;
            match board.stone(point) {
                None => {
                    cell[plane::LEGAL] = flag(may_play(position, point));
                    cell[plane::OPPONENT_LEGAL] = flag(opponent_may_play(position, point));
                }
                Some(color) => {
                    let planes = if color == own { plane::OWN } else { plane::OPPONENT };
                    cell[planes.stones] = 1.0;
                    if board.chain_head(point) == point {
                        draw_liberties(board, point, planes.liberties, canvas);
                    }
                }
            }
        }
    }
}

/// Whether the side to move may play on an empty point, as [`Position::is_legal`] says.
#[inline]
fn may_play(position: &Position, point: Point) -> bool {
    let (board, rules, color) = (position.board(), position.rules(), position.to_move());
    let may_repeat = rules.game == Game::Go && rules.ko != KoRule::Simple;
    !may_repeat && is_free(board, color, point) || position.is_legal(color, point)
}

/// Whether the opponent of the side to move might play on an empty point if it were their turn.
/// That such a move repeats a position is too rare to be worth the search.
#[inline]
fn opponent_may_play(position: &Position, point: Point) -> bool {
    let (board, rules, color) = (position.board(), position.rules(), position.to_move().opponent());
    match rules.game {
        Game::NoGo => is_free(board, color, point) || position.is_legal(color, point),
        Game::Go if !board.is_suicide(color, point) => true,
        Game::Go => rules.suicide == Suicide::Allowed && board.around(point).touches(color),
    }
}

/// A short cut for most points of a board: a stone there has a liberty of its own and touches
/// nothing that it could capture, so that only a rule against repetition can forbid it.
#[inline]
fn is_free(board: &Board, color: Color, point: Point) -> bool {
    let around = board.around(point);
    around.has_liberty() && !around.touches(color.opponent())
}

/// Draws the liberties of the chain that `head` stands for on each of its stones.
#[inline]
fn draw_liberties(board: &Board, head: Point, one_liberty: usize, canvas: &mut Canvas<'_>) {
    let plane = one_liberty + count_liberties(board, head) - 1;
    for stone in board.chain_stones(head) {
        canvas.cell_of(stone)[plane] = 1.0;
    }
}

/// The liberties of the chain on a point, or [`MAX_LIBERTIES`] if it has more.
#[inline]
fn count_liberties(board: &Board, point: Point) -> usize {
    if board.in_atari(point) {
        return 1;
    }
    if board.chain_size(point) == 1 {
        let liberties = empty_lines(board, point).into_iter().filter(|&is_empty| is_empty).count();
        return liberties.min(MAX_LIBERTIES);
    }
    let (size, width) = (board.size(), board.size().width());
    let mut seen = [usize::MAX; MAX_LIBERTIES];
    let mut count = 0;
    for stone in board.chain_stones(point) {
        let at = size.offset(stone);
        // A neighbour off the board is never empty, so what wraps here is not looked at.
        let neighbors = [at.wrapping_sub(width), at.wrapping_sub(1), at + 1, at + width];
        for (neighbor, is_empty) in neighbors.into_iter().zip(empty_lines(board, stone)) {
            if is_empty && !seen[..count].contains(&neighbor) {
                seen[count] = neighbor;
                count += 1;
                if count == MAX_LIBERTIES {
                    return count;
                }
            }
        }
    }
    count
}

/// Which of the points above, left, right and below are empty.
#[inline]
fn empty_lines(board: &Board, point: Point) -> [bool; 4] {
    let around = board.around(point).code();
    [0, 2, 4, 6].map(|shift| (around >> shift).trailing_zeros() >= 2)
}

fn draw_moves(position: &Position, canvas: &mut Canvas<'_>) {
    for ((_, mv), age) in position.last_moves().zip(0..) {
        if let Some(point) = mv.point() {
            canvas.cell_of(point)[plane::LAST_MOVES + age] = 1.0;
        }
    }
    if let Some(point) = position.ko() {
        canvas.cell_of(point)[plane::KO] = 1.0;
    }
}

fn encode_globals(position: &Position) -> [f32; GLOBALS] {
    let (size, rules) = (position.size(), position.rules());
    let mut last_moves = position.last_moves();
    let mut was_pass = || flag(last_moves.next().is_some_and(|(_, mv)| mv == Move::Pass));
    let passes = [was_pass(), was_pass()];
    let [width, height] = [size.width(), size.height()].map(|side| (side as f32 - 14.0) / 10.0);
    if rules.game == Game::NoGo {
        let [last, before] = passes;
        return [0., 0., 0., 0., 0., 0., 0., 0., 0., 1., last, before, width, height, 0.];
    }
    let halves = halves_in_hand(position);
    let (sine, cosine) = match rules.scoring {
        Scoring::Area => wave(halves + 2 * count(size.area())),
        Scoring::Territory => (0.0, 0.0),
    };
    let limit = 2 * count(size.area());
    [
        halves.clamp(-limit, limit) as f32 / 30.0,
        sine,
        cosine,
        flag(rules.ko == KoRule::Simple),
        flag(rules.ko == KoRule::PositionalSuperko),
        flag(rules.ko == KoRule::SituationalSuperko),
        flag(rules.suicide == Suicide::Allowed),
        flag(rules.scoring == Scoring::Territory),
        flag(rules.dead_stones == DeadStones::Counted),
        0.0,
        passes[0],
        passes[1],
        width,
        height,
        flag(rules.ends_after(position.passes().saturating_add(1), position.to_move())),
    ]
}

/// Half points that the side to move has whatever becomes of the stones on the board.
fn halves_in_hand(position: &Position) -> i32 {
    let (board, rules) = (position.board(), position.rules());
    let bonus = i32::from(rules.handicap_points(position.handicap()));
    let prisoners = match rules.scoring {
        Scoring::Area => 0,
        Scoring::Territory => {
            let [black, white] = Color::BOTH.map(|color| board.captured(color).cast_signed());
            black - white
        }
    };
    let white = position.komi().halves() + 2 * (bonus + prisoners);
    match position.to_move() {
        Color::Black => -white,
        Color::White => white,
    }
}

/// Sine and cosine with a period of two points, that is of four halves.
fn wave(halves: i32) -> (f32, f32) {
    match halves.rem_euclid(4) {
        0 => (0.0, 1.0),
        1 => (1.0, 0.0),
        2 => (0.0, -1.0),
        _ => (-1.0, 0.0),
    }
}

fn count(points: usize) -> i32 {
    i32::try_from(points).expect("invariant: a board has at most 625 points")
}

#[inline]
fn flag(is_set: bool) -> f32 {
    if is_set { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests;
