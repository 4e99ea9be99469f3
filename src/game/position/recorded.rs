//! Moves of games that were played elsewhere, whatever these rules say of them.

use super::{Illegal, Position};
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::rules::Game;

impl Position {
    /// Makes a move that was made in a game of unknown rules. Repetitions and suicide of several stones are taken
    /// as they came; what no rules allow is refused and changes nothing.
    pub fn play_recorded(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        if let (Game::Go, Move::Place(point)) = (self.rules.game, mv) {
            if !self.board.is_empty(point) {
                return Err(Illegal::Occupied);
            }
            if self.board.is_suicide(color, point) && self.is_lone_suicide(color, point) {
                return Err(Illegal::Suicide);
            }
        } else {
            self.check(color, mv)?;
        }
        self.make(color, mv);
        Ok(())
    }

    /// Forgets which moves led here. The board, the ko and what superko forbids stay.
    pub fn forget_moves(&mut self) {
        self.last_moves = [None; Self::REMEMBERED];
        self.past = super::Past::default();
    }
}

#[cfg(test)]
mod tests {
    use crate::game::{BoardSize, Illegal, Komi, Position, Rules};

    /// The stones of both players after moves such as `b A1 w B1`, or why one was refused.
    fn check_played(rules: Rules, moves: &str, expected: Result<(usize, usize), Illegal>) {
        let size = BoardSize::square(3).unwrap();
        let mut position = Position::new(size, rules, Komi::default());
        let words: Vec<_> = moves.split_whitespace().collect();
        let played = words.chunks(2).try_for_each(|pair| {
            position.play_recorded(pair[0].parse().unwrap(), size.parse_move(pair[1]).unwrap())
        });
        let count = |color: &str| position.board().stones(color.parse().unwrap());
        assert_eq!(played.map(|()| (count("b"), count("w"))), expected, "{moves}");
    }

    #[test]
    fn what_some_rules_allow_is_taken_as_it_came() {
        let go = Rules::CHINESE;
        check_played(go, "b A1 w A2 b C3 w B2 b pass w C1 b B1", Ok((1, 3)));
        check_played(go, "w A2 w B1 b A1", Err(Illegal::Suicide));
        check_played(go, "b A1 w A1", Err(Illegal::Occupied));
        check_played(go, "b pass w pass b pass b B2", Ok((1, 0)));
        check_played(Rules::NOGO, "b pass", Err(Illegal::Pass));
        check_played(Rules::NOGO, "b A2 w A1 b B1", Err(Illegal::Capture));
    }

    #[test]
    fn the_last_moves_can_be_forgotten() {
        let size = BoardSize::square(3).unwrap();
        let mut position = Position::new(size, Rules::CGOS, Komi::default());
        position.play_recorded("b".parse().unwrap(), size.parse_move("B2").unwrap()).unwrap();
        position.forget_moves();
        assert_eq!(position.last_moves().count(), 0);
        assert!(position.earlier_boards().is_empty());
        assert_eq!(position.board().stones("b".parse().unwrap()), 1);
    }
}
