//! Uniformly random playouts: every legal move is equally likely, but no eye is filled.

use rand::Rng as _;

use crate::game::{Board, Color, Game, Point, Position};
use crate::util::Rng;

/// Plays random games, reusing its board from one to the next.
pub struct Playout {
    board: Board,
    candidates: [Vec<Point>; 2],
    moves: usize,
}

/// How often a point is drawn again before all legal ones are listed.
const DRAWS: usize = 8;

impl Playout {
    /// A player of random games for boards like that of `position`.
    #[must_use]
    pub fn new(position: &Position) -> Self {
        Self { board: position.board().clone(), candidates: [Vec::new(), Vec::new()], moves: 0 }
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

    /// Plays from `position` to the end and says who has won, none for a draw. Go is counted by
    /// area, whatever the rules, with the position's komi and compensation for handicap.
    pub fn run(&mut self, position: &Position, rng: &mut Rng) -> Option<Color> {
        self.board.clone_from(position.board());
        match position.rules().game {
            Game::Go => {
                self.play_go(position, rng);
                let bonus = position.rules().handicap_points(position.handicap());
                let halves =
                    2 * (self.board.quick_area() - i32::from(bonus)) - position.komi().halves();
                match halves {
                    0 => None,
                    1.. => Some(Color::Black),
                    _ => Some(Color::White),
                }
            }
            Game::NoGo => {
                let winner = self.play_nogo(position.to_move(), rng);
                // Nothing is ever captured.
                let empty = |board: &Board| board.empty_points().len();
                self.moves = empty(position.board()) - empty(&self.board);
                Some(winner)
            }
        }
    }

    /// Plays until both pass in a row, which they do when they have nothing but eyes to fill.
    fn play_go(&mut self, position: &Position, rng: &mut Rng) {
        let mut color = position.to_move();
        let mut ko = position.ko();
        let mut passes = position.passes().min(1);
        // Kos can go round for ever; this is far longer than games are.
        let most = 3 * position.size().area();
        let mut moves_left = most;
        while passes < 2 && moves_left > 0 {
            if let Some(point) = self.draw(color, ko, rng) {
                ko = self.board.place(color, point).ko;
                passes = 0;
            } else {
                ko = None;
                passes += 1;
            }
            color = color.opponent();
            moves_left -= 1;
        }
        self.moves = most - moves_left;
    }

    /// One of the points that `color` may play and that is not an eye of its own, all equally
    /// likely.
    #[inline]
    fn draw(&mut self, color: Color, ko: Option<Point>, rng: &mut Rng) -> Option<Point> {
        let board = &self.board;
        let empty = board.empty_points();
        let playable = |&point: &Point| {
            let around = board.around(point);
            ko != Some(point)
                && (around.has_liberty()
                    || !around.is_eye_of(color) && !board.is_suicide(color, point))
        };
        if empty.is_empty() {
            return None;
        }
        for _ in 0..DRAWS {
            let point = empty[below(empty.len(), rng)];
            if playable(&point) {
                return Some(point);
            }
        }
        let list = &mut self.candidates[0];
        list.clear();
        list.extend(empty.iter().copied().filter(playable));
        if list.is_empty() { None } else { Some(list[below(list.len(), rng)]) }
    }

    /// Plays until a player has no legal move, and returns the other. In NoGo a point that is
    /// illegal for a player stays so: every point is looked at once and then struck off.
    fn play_nogo(&mut self, first: Color, rng: &mut Rng) -> Color {
        for list in &mut self.candidates {
            list.clear();
            list.extend_from_slice(self.board.empty_points());
        }
        let mut color = first;
        'turn: loop {
            let list = &mut self.candidates[color.index()];
            while !list.is_empty() {
                let point = list.swap_remove(below(list.len(), rng));
                let legal = self.board.is_empty(point)
                    && !self.board.captures(color, point)
                    && !self.board.is_suicide(color, point);
                if legal {
                    self.board.place(color, point);
                    color = color.opponent();
                    continue 'turn;
                }
            }
            return color.opponent();
        }
    }
}

/// A random number below `bound` by multiplication (Lemire 2019) without his correction: the bias
/// is under 625 / 2^32.
#[inline]
fn below(bound: usize, rng: &mut Rng) -> usize {
    ((u64::from(rng.next_u32()) * bound as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Komi, Move, Rules};
    use crate::util::Seed;

    fn start(side: usize, rules: Rules, komi: f64) -> Position {
        Position::new(BoardSize::square(side).unwrap(), rules, Komi::from_points(komi).unwrap())
    }

    #[test]
    fn a_playout_ends_with_nothing_but_eyes() {
        let position = start(9, Rules::CGOS, 7.0);
        let mut playout = Playout::new(&position);
        let mut rng = Seed::new(1).rng();
        for _ in 0..200 {
            playout.run(&position, &mut rng);
            let board = playout.board();
            assert!(board.empty_points().len() < 40);
            for &point in board.empty_points() {
                let around = board.around(point);
                assert!(!around.has_liberty() || board.empty_points().len() < 10);
            }
        }
    }

    #[test]
    fn komi_decides_who_wins() {
        let mut rng = Seed::new(2).rng();
        for (komi, winner) in [(-90.0, Some(Color::Black)), (90.0, Some(Color::White))] {
            let position = start(9, Rules::CHINESE, komi);
            let mut playout = Playout::new(&position);
            assert!((0..50).all(|_| playout.run(&position, &mut rng) == winner));
        }
    }

    #[test]
    fn nogo_playouts_are_legal_games_to_the_end() {
        let position = start(9, Rules::NOGO, 0.0);
        let mut playout = Playout::new(&position);
        let mut rng = Seed::new(3).rng();
        for _ in 0..200 {
            let winner = playout.run(&position, &mut rng).unwrap();
            let board = playout.board();
            assert_eq!(board.captured(Color::Black) + board.captured(Color::White), 0);
            let lost = winner.opponent();
            let end = Position::from_board(board.clone(), lost, Rules::NOGO, Komi::default());
            assert!(end.is_over());
            // Black begins, so whoever is to move after n stones is known.
            let stones = board.stones(Color::Black) + board.stones(Color::White);
            assert_eq!(lost == Color::Black, stones.is_multiple_of(2));
        }
    }

    #[test]
    fn first_moves_are_drawn_uniformly() {
        let position = start(5, Rules::CGOS, 0.0);
        let mut playout = Playout::new(&position);
        let mut rng = Seed::new(4).rng();
        let mut counts = vec![0u32; 25];
        for _ in 0..25_000 {
            let point = playout.draw(Color::Black, None, &mut rng).unwrap();
            counts[position.size().offset(point)] += 1;
        }
        // 1000 expected; six standard deviations are 186.
        assert!(counts.iter().all(|&n| (814..=1186).contains(&n)), "{counts:?}");
    }

    #[test]
    fn a_pass_before_the_playout_counts() {
        let mut position = start(2, Rules::CGOS, 0.5);
        position.play(Color::Black, Move::Pass).unwrap();
        position.play(Color::White, Move::Pass).unwrap();
        let mut rng = Seed::new(5).rng();
        let mut playout = Playout::new(&position);
        assert!(playout.run(&position, &mut rng).is_some());
    }
}
