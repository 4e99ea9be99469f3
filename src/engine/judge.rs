//! How the game on the board would end.

use super::Engine;
use crate::game::{Game, GameResult};
use crate::judge::Judgement;

impl Engine {
    /// Judges the position on the board as if the game ended here.
    #[must_use]
    pub fn judge(&self) -> Judgement {
        self.judge.judge(self.state.position())
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
