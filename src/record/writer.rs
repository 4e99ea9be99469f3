//! Games that come one by one, written in shards.

use std::path::{Path, PathBuf};

use super::game::TrainingGame;
use super::shard::{SHARD_EXTENSION, ShardError, write_shard};

/// Collects games and writes a shard whenever there are enough.
#[derive(Debug)]
pub struct ShardWriter {
    folder: PathBuf,
    games_per_shard: usize,
    waiting: Vec<TrainingGame>,
    written: usize,
}

impl ShardWriter {
    /// A writer into a folder that exists.
    #[must_use]
    pub fn new(folder: &Path, games_per_shard: usize) -> Self {
        let waiting = Vec::new();
        Self { folder: folder.to_owned(), games_per_shard, waiting, written: 0 }
    }

    /// Adds a game.
    pub fn add(&mut self, game: TrainingGame) -> Result<(), ShardError> {
        self.waiting.push(game);
        if self.waiting.len() >= self.games_per_shard { self.write() } else { Ok(()) }
    }

    /// Writes what is left and tells the number of shards.
    pub fn finish(mut self) -> Result<usize, ShardError> {
        if !self.waiting.is_empty() {
            self.write()?;
        }
        Ok(self.written)
    }

    fn write(&mut self) -> Result<(), ShardError> {
        let name = format!("{:06}.{SHARD_EXTENSION}", self.written);
        write_shard(&self.folder.join(name), &self.waiting)?;
        self.waiting.clear();
        self.written += 1;
        Ok(())
    }
}
