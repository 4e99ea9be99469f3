//! Playouts of NoGo: first the points that both may play, then those that one player has alone.

use super::chance::below;
use crate::eval::FirstMoves;
use crate::game::{Board, Color, Point};
use crate::util::Rng;

/// How a game of NoGo went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoGoGame {
    pub(super) winner: Color,
    /// Moves to the end, those among them that were only counted.
    pub(super) moves: usize,
}

/// Plays on the points that both may play, all equally likely, until there are none; `first` hears of
/// these moves. What is left belongs to one player each and is counted: whoever is to move and has
/// not more points left has lost.
///
/// A point that is illegal for a player stays so: every point is looked at once and struck off.
pub(super) fn play_shared(
    board: &mut Board,
    to_move: Color,
    list: &mut Vec<Point>,
    first: &mut FirstMoves,
    rng: &mut Rng,
) -> NoGoGame {
    let before = board.empty_points().len();
    let mut color = to_move;
    list.clear();
    list.extend_from_slice(board.empty_points());
    while !list.is_empty() {
        let point = list.swap_remove(below(list.len(), rng));
        if Color::BOTH.iter().all(|&color| board.keeps_all(color, point)) {
            board.place(color, point);
            first.add(color, point);
            color = color.opponent();
        }
    }
    let played = before - board.empty_points().len();
    let private = Color::BOTH
        .map(|color| board.empty_points().iter().filter(|&&p| board.keeps_all(color, p)).count());
    let (own, other) = (private[color.index()], private[color.opponent().index()]);
    let (winner, counted) =
        if own > other { (color, 2 * other + 1) } else { (color.opponent(), 2 * own) };
    NoGoGame { winner, moves: played + counted }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Diagram, Komi, Position, Rules};
    use crate::util::Seed;

    #[test]
    fn shared_points_are_played_and_private_ones_counted() {
        let size = BoardSize::square(7).unwrap();
        let mut rng = Seed::new(1).rng();
        let (mut list, mut first) = (Vec::new(), FirstMoves::new(size));
        for _ in 0..200 {
            let mut board = Board::new(size);
            first.clear(size);
            let game = play_shared(&mut board, Color::Black, &mut list, &mut first, &mut rng);
            assert_eq!(board.captured(Color::Black) + board.captured(Color::White), 0);
            let stones = board.stones(Color::Black) + board.stones(Color::White);
            let color = if stones.is_multiple_of(2) { Color::Black } else { Color::White };
            let end = Position::from_board(board.clone(), color, Rules::NOGO, Komi::default());
            let legal = |color| end.legal_points(color).count();
            let shared = |&p: &Point| Color::BOTH.iter().all(|&c| end.is_legal(c, p));
            assert!(!board.empty_points().iter().any(shared), "a shared point is left");
            let wins = legal(color) > legal(color.opponent());
            assert_eq!(game.winner == color, wins);
            // Whoever cannot move has lost: the parity of all moves says who that is.
            assert_eq!(game.winner == Color::Black, game.moves % 2 == 1);
            for point in size.points() {
                let by = Color::BOTH.map(|c| first.is_by(c, crate::game::Move::Place(point)));
                assert_eq!(by, Color::BOTH.map(|c| board.stone(point) == Some(c)));
            }
        }
    }

    #[test]
    fn a_position_that_counting_decides() {
        // Black has two eyes, White one. Nobody may play in the other's.
        let diagram = Diagram::parse(". X O .\nX X O O\n. X O O").unwrap();
        let mut rng = Seed::new(1).rng();
        for (to_move, winner) in [(Color::Black, Color::Black), (Color::White, Color::Black)] {
            let mut board = diagram.board().clone();
            let mut first = FirstMoves::new(board.size());
            let game = play_shared(&mut board, to_move, &mut Vec::new(), &mut first, &mut rng);
            assert_eq!(game.winner, winner, "{to_move} to move");
        }
    }
}
