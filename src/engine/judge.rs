//! How the game on the board would end.

use super::Engine;
use crate::game::{Game, GameResult};
use crate::judge::Judgement;

impl Engine {
    /// Judges the position on the board as if the game ended here. The last judgement is kept for those who
    /// ask for score, dead stones and owners one after the other.
    #[must_use]
    pub fn judge(&self) -> Judgement {
        let position = self.state.position();
        let key = (position.size(), position.board().hash(), *position.rules());
        let mut judged = self.judged.borrow_mut();
        match &*judged {
            Some((known, judgement)) if *known == key => judgement.clone(),
            _ => judged.insert((key, self.judge.judge(position))).1.clone(),
        }
    }

    /// How the game would end if it ended here; none in NoGo while there are legal moves. After a
    /// resignation, or what else somebody has said, it has ended so.
    #[must_use]
    pub fn result(&self) -> Option<GameResult> {
        if let Some(said) = self.state.ended().filter(|&result| result != GameResult::Unknown) {
            return Some(said);
        }
        let position = self.state.position();
        match position.rules().game {
            Game::Go => Some(self.judge().score(position).into()),
            Game::NoGo => {
                let winner = position.to_move().opponent();
                position.is_over().then_some(GameResult::Resignation(winner))
            }
        }
    }
}
