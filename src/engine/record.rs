//! The record of the game, and how it has ended.

use super::Engine;
use crate::game::{Color, GameRecord, GameResult};

impl Engine {
    /// Whether the engine has moved, or resigned, for this player in the game on the board.
    #[must_use]
    pub const fn moved_for(&self, color: Color) -> bool {
        self.moved_for[color.index()]
    }

    /// Writes down who plays, by [`Color::index`], and when. A date that is known already stays.
    pub fn describe_game(&mut self, players: [Option<String>; 2], date: Option<String>) {
        self.state.describe(players, date);
    }

    /// Takes note that the game is over, though the position may not show it.
    pub fn end_game(&mut self, result: GameResult) {
        self.state.end(result);
    }

    /// Whether the game is over: by the rules, by a resignation, or because somebody said so.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.ended().is_some() || self.state.position().is_over()
    }

    /// How the game has ended; none while it goes on.
    #[must_use]
    pub fn final_result(&self) -> Option<GameResult> {
        match self.state.result() {
            None if self.state.position().is_over() => self.result(),
            known => known,
        }
    }

    /// The game so far with all that is known of it: rules, komi, the time system, and the result if
    /// the game is over.
    #[must_use]
    pub fn record(&self) -> GameRecord {
        let mut record = self.state.record();
        record.result = self.final_result();
        let system = self.timing.clock(Color::Black).system();
        if let Some(main) = system.main() {
            record.time_limit = Some(main.as_secs_f64());
            record.overtime = system.overtime();
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::engine::EngineParams;
    use crate::eval::HashedEvaluator;
    use crate::game::sgf::SgfLimits;
    use crate::game::{BoardSize, Komi, Move, Rules};
    use crate::timeman::TimeSystem;

    fn engine(rules: Rules) -> Engine {
        let mut engine = Engine::new(EngineParams::default(), Arc::new(HashedEvaluator));
        engine.start(BoardSize::square(5).unwrap(), rules, Komi::from_points(7.0).unwrap());
        engine
    }

    #[test]
    fn a_game_is_over_when_somebody_says_so_and_goes_on_with_the_next_move() {
        let mut engine = engine(Rules::CGOS);
        assert!(!engine.is_over());
        engine.end_game(GameResult::Unknown);
        assert!(engine.is_over());
        assert_eq!(engine.final_result(), None);
        let resigned = GameResult::Resignation(Color::White);
        engine.end_game(resigned);
        // Who does not know how it ended does not know better.
        engine.end_game(GameResult::Unknown);
        assert_eq!(engine.final_result(), Some(resigned));
        assert_eq!(engine.result(), Some(resigned));
        assert_eq!(engine.record().result, Some(resigned));
        engine.state_mut().play(Color::Black, Move::Pass).unwrap();
        assert!(!engine.is_over());
        assert_eq!(engine.record().result, None);
        engine.state_mut().play(Color::White, Move::Pass).unwrap();
        assert_eq!(engine.record().result.unwrap().to_string(), "W+7");
    }

    #[test]
    fn the_result_of_a_loaded_game_is_for_all_of_its_moves() {
        let text = b"(;GM[1]SZ[5]RE[B+T];B[cc];W[cd])";
        let (record, _) = crate::game::sgf::read(text, &SgfLimits::default()).unwrap();
        let mut engine = engine(Rules::CGOS);
        engine.load(record.clone(), 2).unwrap();
        assert_eq!(engine.final_result(), Some(GameResult::Time(Color::Black)));
        // The count is another question.
        assert!(matches!(engine.result(), Some(GameResult::Score { .. } | GameResult::Draw)));
        engine.load(record, 1).unwrap();
        assert_eq!(engine.final_result(), None);
    }

    #[test]
    fn records_name_the_time_system() {
        let mut engine = engine(Rules::CGOS);
        assert_eq!(engine.record().time_limit, None);
        let (main, period) = (Duration::from_secs(60), Duration::from_secs(10));
        engine.set_time_system(TimeSystem::Byoyomi { main, period, periods: 3 });
        let record = engine.record();
        assert_eq!(record.time_limit, Some(60.0));
        assert_eq!(record.overtime.as_deref(), Some("3x10 byo-yomi"));
    }
}
