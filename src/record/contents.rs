//! What is in shards, counted.

use std::collections::BTreeMap;

use super::{Shard, ShardError};

/// What is in a number of shards.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Games.
    pub games: usize,
    /// Turns of all games.
    pub turns: usize,
    /// Turns to learn from.
    pub rows: usize,
    /// Bytes of the files.
    pub bytes: usize,
    /// Games whose winner is known.
    pub with_result: usize,
    /// Games whose score is known.
    pub with_score: usize,
    /// Games whose last board is known.
    pub with_owners: usize,
    /// Turns with the value of a search.
    pub with_value: usize,
    /// Turns with the label of a teacher.
    pub labelled: usize,
    /// Games by the size of the board.
    pub boards: BTreeMap<String, usize>,
    /// Games by the name of the rules.
    pub rules: BTreeMap<String, usize>,
}

impl Contents {
    /// Adds what is in a shard.
    pub fn add(&mut self, shard: &Shard) -> Result<(), ShardError> {
        self.bytes += shard.bytes();
        for game in shard.games() {
            let game = game?;
            self.games += 1;
            self.turns += game.turns.len();
            self.rows += game.turns.iter().filter(|turn| turn.weight > 0.0).count();
            self.with_value += game.turns.iter().filter(|turn| turn.value.is_some()).count();
            self.labelled += game.turns.iter().filter(|turn| turn.label.is_some()).count();
            self.with_result += usize::from(game.outcome.for_black().is_some());
            self.with_score += usize::from(game.outcome.score.is_some());
            self.with_owners += usize::from(game.outcome.owners.is_some());
            *self.boards.entry(game.size.to_string()).or_default() += 1;
            let rules = game.rules.name().unwrap_or("other").to_owned();
            *self.rules.entry(rules).or_default() += 1;
        }
        Ok(())
    }
}
