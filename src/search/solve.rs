//! Exact results near the end of a game of NoGo.
//!
//! A game of NoGo ends in a count of moves that no network learns to the last one, and a search that
//! trusts its priors does not try the moves that upset it. With a dozen moves left for each player
//! all of them can be tried.

use super::report::Proof;
use crate::game::{Board, Color, Game, Point, Position};

/// Moves that both players have left, counted for each, from which a result is looked for: with more
/// it is seldom found in time.
const MOVES_LEFT: usize = 20;

/// Places in the table of results, a power of two.
const TABLE: usize = 1 << 14;

/// Plays games of NoGo to the end in all ways that matter.
#[derive(Default)]
pub(super) struct Solver {
    /// Whether the side to move wins, by the hash of the position; empty until it is needed.
    table: Vec<Option<(u64, bool)>>,
    levels: Vec<Level>,
}

/// A position on the way down and what can be played there.
struct Level {
    board: Board,
    moves: Vec<(Rank, Point)>,
}

/// In which order moves are tried: each shared point is a move less for the opponent, and an eye
/// waits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Shared,
    Private,
    Eye,
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver").finish_non_exhaustive()
    }
}

impl Solver {
    /// The result for the side to move, if the game is NoGo, near its end, and `nodes` positions are
    /// enough to tell.
    pub(super) fn solve(&mut self, position: &Position, nodes: u32) -> Option<Proof> {
        if nodes == 0 || position.rules().game != Game::NoGo || moves_left(position) > MOVES_LEFT {
            return None;
        }
        self.table.resize(TABLE, None);
        self.level(0, position.board());
        let mut left = nodes;
        let wins = self.wins(0, position.to_move(), &mut left)?;
        Some(if wins { Proof::Win } else { Proof::Loss })
    }

    /// Whether `color` wins who is to move at a level; nothing when no positions are left.
    fn wins(&mut self, depth: usize, color: Color, left: &mut u32) -> Option<bool> {
        *left = left.checked_sub(1)?;
        let board = &self.levels[depth].board;
        let key = match color {
            Color::Black => board.hash(),
            Color::White => !board.hash(),
        };
        #[expect(clippy::cast_possible_truncation, reason = "a place in the table")]
        let place = key as usize % TABLE;
        if let Some((found, wins)) = self.table[place]
            && found == key
        {
            return Some(wins);
        }
        self.levels[depth].list_moves(color);
        let mut wins = false;
        for k in 0..self.levels[depth].moves.len() {
            let (_, point) = self.levels[depth].moves[k];
            self.descend(depth, color, point);
            if !self.wins(depth + 1, color.opponent(), left)? {
                wins = true;
                break;
            }
        }
        self.table[place] = Some((key, wins));
        Some(wins)
    }

    /// Puts a board on a level.
    fn level(&mut self, depth: usize, board: &Board) {
        match self.levels.get_mut(depth) {
            Some(level) => level.board.clone_from(board),
            None => self.levels.push(Level { board: board.clone(), moves: Vec::new() }),
        }
    }

    /// Makes a move from one level to the next.
    fn descend(&mut self, depth: usize, color: Color, point: Point) {
        if self.levels.len() == depth + 1 {
            let board = self.levels[depth].board.clone();
            self.level(depth + 1, &board);
        }
        let (above, below) = self.levels.split_at_mut(depth + 1);
        let board = &mut below[0].board;
        board.clone_from(&above[depth].board);
        board.place(color, point);
    }
}

impl Level {
    /// Writes down the moves of a player.
    fn list_moves(&mut self, color: Color) {
        let Self { board, moves } = self;
        let legal = |color, point| board.keeps_all(color, point);
        moves.clear();
        for &point in board.empty_points() {
            if legal(color, point) {
                let rank = if legal(color.opponent(), point) {
                    Rank::Shared
                } else if board.around(point).is_enclosed_by(color) {
                    Rank::Eye
                } else {
                    Rank::Private
                };
                moves.push((rank, point));
            }
        }
        moves.sort_unstable();
    }
}

/// Moves of both players, counted up to where they are too many.
fn moves_left(position: &Position) -> usize {
    let board = position.board();
    let mut count = 0;
    for &point in board.empty_points() {
        count += Color::BOTH.iter().filter(|&&c| board.keeps_all(c, point)).count();
        if count > MOVES_LEFT {
            break;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::Rng as _;

    use super::*;
    use crate::game::{BoardSize, Komi, Move, Rules};
    use crate::util::{Rng, Seed};

    /// A game by random moves, up to where few are left.
    fn late(side: usize, most: usize, rng: &mut Rng) -> Position {
        let size = BoardSize::square(side).unwrap();
        let mut position = Position::new(size, Rules::NOGO, Komi::default());
        while moves_left(&position) > most && !position.is_over() {
            let color = position.to_move();
            let points: Vec<_> = position.legal_points(color).collect();
            let choice = points[rng.next_u32() as usize % points.len()];
            position.play(color, Move::Place(choice)).unwrap();
        }
        position
    }

    /// Whether the side to move wins, from the definition.
    fn wins(position: &Position, known: &mut HashMap<u64, bool>) -> bool {
        if let Some(&wins) = known.get(&position.hash()) {
            return wins;
        }
        let color = position.to_move();
        let moves: Vec<_> = position.legal_points(color).collect();
        let wins = moves.into_iter().any(|point| {
            let mut next = position.clone();
            next.play(color, Move::Place(point)).unwrap();
            !wins(&next, known)
        });
        known.insert(position.hash(), wins);
        wins
    }

    #[test]
    fn results_are_those_of_brute_force() {
        let mut rng = Seed::new(1).rng();
        let mut solver = Solver::default();
        let mut won = 0;
        for number in 0..120 {
            let position = late([5, 7, 9][number % 3], 16, &mut rng);
            let expected = wins(&position, &mut HashMap::new());
            won += u32::from(expected);
            let proof = if expected { Proof::Win } else { Proof::Loss };
            // The table is full of results of other positions.
            assert_eq!(solver.solve(&position, u32::MAX), Some(proof), "position {number}");
        }
        assert!((20..=100).contains(&won), "{won} of 120 won");
    }

    #[test]
    fn it_gives_up_where_there_is_too_much_to_look_at() {
        let mut rng = Seed::new(2).rng();
        let position = late(9, MOVES_LEFT, &mut rng);
        assert!(moves_left(&position) > 12, "chosen so that some moves are left");
        assert_eq!(Solver::default().solve(&position, 0), None);
        assert_eq!(Solver::default().solve(&position, 20), None);
        assert!(Solver::default().solve(&position, u32::MAX).is_some());
        let size = BoardSize::square(9).unwrap();
        let early = Position::new(size, Rules::NOGO, Komi::default());
        assert_eq!(Solver::default().solve(&early, 1000), None);
        let go = Position::from_board(
            position.board().clone(),
            Color::Black,
            Rules::CHINESE,
            Komi::default(),
        );
        assert_eq!(Solver::default().solve(&go, u32::MAX), None);
    }

    /// What one attempt has found out is there for the next.
    #[test]
    fn many_small_attempts_come_to_an_end() {
        let mut rng = Seed::new(3).rng();
        let position = late(9, MOVES_LEFT, &mut rng);
        let mut solver = Solver::default();
        let found = (0..1000).find_map(|_| solver.solve(&position, 60));
        assert_eq!(found, Solver::default().solve(&position, u32::MAX));
    }
}
