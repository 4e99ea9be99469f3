//! What is asked: positions of one game, and how to search them.

use std::time::Duration;

use super::restriction::Restrictions;
use crate::game::{Color, Game, Illegal, Move, Position};
use crate::search::SearchParams;

/// A question about positions of one game.
#[derive(Clone)]
pub struct Query {
    /// The name that answers and terminations refer to. Several queries may have the same.
    pub id: String,
    /// The position before the first move.
    pub start: Position,
    /// The moves of the game.
    pub moves: Vec<(Color, Move)>,
    /// The positions that are wanted, by the number of moves before them, each with its priority.
    pub turns: Vec<(usize, i64)>,
    /// Visits of each at the most.
    pub visits: u64,
    /// Time for each at the most.
    pub time: Option<Duration>,
    /// How to search.
    pub search: SearchParams,
    /// Moves that are searched or not.
    pub restrictions: Restrictions,
    /// Whether the evaluator is not to know which moves led to a position.
    pub ignore_history: bool,
    /// What is to be told of owners beside their mean.
    pub owners: Owners,
    /// When to report before the end.
    pub reports: Option<Reports>,
}

/// What a search is to tell of the owners of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "clients ask for each part by itself")]
pub struct Owners {
    /// The mean.
    pub mean: bool,
    /// The standard deviation over the search.
    pub deviation: bool,
    /// The mean after each move.
    pub of_moves: bool,
    /// The standard deviation after each move.
    pub deviation_of_moves: bool,
}

/// When a search reports while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reports {
    /// Time from its beginning to the first report.
    pub first: Duration,
    /// Time from one report to the next; none for the first alone.
    pub every: Option<Duration>,
}

impl Query {
    /// The position after so many moves.
    ///
    /// The number of a move that no rules allow is an error.
    pub fn position(&self, turn: usize) -> Result<Position, (usize, Illegal)> {
        let mut position = self.start.clone();
        for (number, &(color, mv)) in self.moves[..turn].iter().enumerate() {
            position.play_recorded(color, mv).map_err(|reason| (number, reason))?;
        }
        position.set_handicap(self.handicap(turn));
        if self.ignore_history {
            position.forget_moves();
        }
        if position.rules().game == Game::Go && position.is_over() {
            // Whoever asks wants to know what there is to play.
            position.resume();
        }
        Ok(position)
    }

    /// Black's stones at the beginning of the game that are taken for a handicap after so many moves: those that were there
    /// and those that Black put down before White moved, if they are at least two.
    fn handicap(&self, turn: usize) -> u16 {
        let board = self.start.board();
        if board.stones(Color::White) > 0 {
            return 0;
        }
        let moves = &self.moves[..turn];
        let by_white = |at: usize| moves.get(at).is_some_and(|&(color, _)| color == Color::White);
        let mut moved = 0;
        for (at, &(color, mv)) in moves.iter().enumerate() {
            if color == Color::Black {
                moved += usize::from(mv != Move::Pass);
            } else if by_white(at + 1) {
                // Somebody puts up a position.
                moved = 0;
                break;
            } else if mv != Move::Pass {
                break;
            }
        }
        let stones = board.stones(Color::Black) + moved;
        if stones < 2 { 0 } else { u16::try_from(stones).unwrap_or(u16::MAX) }
    }

    /// Bytes of memory that the query takes while it waits, about.
    pub(super) fn cost(&self) -> usize {
        const WHOLE: usize = 4096;
        const MOVE: usize = 8;
        const TURN: usize = 128;
        let restricted: usize = self.restrictions.0.iter().map(|one| one.moves.len()).sum();
        WHOLE + MOVE * (self.moves.len() + restricted) + TURN * self.turns.len() + self.id.len()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::{BoardSize, Komi, Rules};

    /// A query about the last position of a game with moves such as `b C3 w D4`, on 5x5.
    pub(in crate::analysis) fn query(rules: Rules, moves: &str) -> Query {
        let size = BoardSize::square(5).unwrap();
        let words: Vec<_> = moves.split_whitespace().collect();
        let moves: Vec<_> = words
            .chunks(2)
            .map(|pair| (pair[0].parse().unwrap(), size.parse_move(pair[1]).unwrap()))
            .collect();
        Query {
            id: "q".to_owned(),
            start: Position::new(size, rules, Komi::default()),
            turns: vec![(moves.len(), 0)],
            moves,
            visits: 10,
            time: None,
            search: SearchParams { threads: 1, max_memory: 4, ..SearchParams::default() },
            restrictions: Restrictions::default(),
            ignore_history: false,
            owners: Owners::default(),
            reports: None,
        }
    }

    fn check_handicap(moves: &str, expected: u16) {
        let query = query(Rules::CHINESE, moves);
        let position = query.position(query.moves.len()).unwrap();
        assert_eq!(position.handicap(), expected, "{moves}");
    }

    #[test]
    fn moves_that_black_makes_before_white_are_a_handicap() {
        check_handicap("", 0);
        check_handicap("b C3", 0);
        check_handicap("b C3 b D3", 2);
        check_handicap("b C3 b D3 w D4 b A1", 2);
        check_handicap("b C3 w pass b D3 w pass b D4", 3);
        check_handicap("b C3 b D3 w A1 w A2", 0);
        check_handicap("w C3 b D3", 0);
    }

    #[test]
    fn a_finished_game_goes_on_and_an_impossible_move_has_its_number() {
        let query = query(Rules::CHINESE, "b C3 w pass b pass b C3");
        let position = query.position(3).unwrap();
        assert!(!position.is_over() && position.last_moves().count() == 3);
        assert_eq!(query.position(4).err(), Some((3, Illegal::Occupied)));
        let forgotten = Query { ignore_history: true, ..query };
        assert_eq!(forgotten.position(3).unwrap().last_moves().count(), 0);
    }
}
