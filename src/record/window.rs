//! The rows that are trained on: which games count, and in which order their positions come.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rand::Rng as _;

use super::game::TrainingGame;
use super::permute::Permutation;
use super::shard::{SHARD_EXTENSION, Shard, ShardError};
use crate::game::{BoardSize, Game, Symmetry};
use crate::util::{Seed, list_folder, params};

params! {
    /// How many of the newest rows are trained on, by the formula of KataGo: with `N` rows in all
    /// `min + factor · ((N - min + s)^a - s^a) / (a · s^(a-1))`, and all rows below `min`.
    pub struct WindowParams {
        /// Rows that are always taken.
        pub min_rows: f64 = 50_000.0, 1.0..=1e12;
        /// `s`: the number of rows around which the window begins to grow more slowly.
        pub scale: f64 = 50_000.0, 1.0..=1e12;
        /// `a`: 1 for a share that stays the same, 0 for growth by the logarithm.
        pub exponent: f64 = 0.65, 0.01..=1.0;
        /// How fast it grows at first: rows of the window for each new row.
        pub factor: f64 = 0.4, 0.0..=1.0;
    }
}

impl WindowParams {
    /// Rows to train on when there are so many in all.
    #[must_use]
    pub fn rows(&self, all: u64) -> u64 {
        let n = all as f64;
        if n <= self.min_rows {
            return all;
        }
        let (s, a) = (self.scale, self.exponent);
        let grown = ((n - self.min_rows + s).powf(a) - s.powf(a)) / (a * s.powf(a - 1.0));
        let rows = (self.min_rows + self.factor * grown).round().min(n);
        #[expect(clippy::cast_possible_truncation, reason = "between 0 and the number of rows")]
        #[expect(clippy::cast_sign_loss, reason = "between 0 and the number of rows")]
        let rows = rows as u64;
        rows
    }
}

/// A file in a folder of shards that will be complete when it is gone.
pub const UNFINISHED: &str = "UNFINISHED";

/// The shards in a folder, by name, which is how producers tell their age; or the file itself. A folder that is
/// not complete is refused.
pub fn shard_files(path: &Path) -> Result<Vec<PathBuf>, ShardError> {
    if path.extension().is_some_and(|extension| extension == SHARD_EXTENSION) {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = list_folder(path)?;
    if files.iter().any(|file| file.ends_with(UNFINISHED)) {
        return Err(ShardError::Unfinished { folder: path.to_owned() });
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == SHARD_EXTENSION));
    Ok(files)
}

/// A position to learn from.
#[derive(Clone, Debug)]
pub struct Row {
    /// The game.
    pub game: TrainingGame,
    /// The turn: the position is the one before it.
    pub ply: usize,
    /// How the board is to be turned.
    pub symmetry: Symmetry,
}

/// The games that are trained on.
#[derive(Clone, Debug, Default)]
pub struct Window {
    shards: Vec<Shard>,
    groups: Vec<Group>,
    games: usize,
    kinds: Vec<Game>,
    all_rows: u64,
    /// All games of the shards, oldest first.
    found: Vec<Found>,
}

/// A game of a shard, and how many rows it has.
#[derive(Clone, Copy, Debug)]
struct Found {
    shard: u32,
    game: u32,
    size: BoardSize,
    rows: u64,
}

/// The games on boards of one size.
#[derive(Clone, Debug)]
struct Group {
    size: BoardSize,
    games: Vec<GamePlace>,
    rows: u64,
}

/// Where a game is, and how many rows come before its own.
#[derive(Clone, Copy, Debug)]
struct GamePlace {
    shard: u32,
    game: u32,
    rows_before: u64,
}

impl Window {
    /// Reads shards, oldest first, and takes the newest games: all, or as many as have the rows
    /// that the formula gives. Positions of weight 0 are no rows.
    pub fn open(files: &[PathBuf], params: Option<&WindowParams>) -> Result<Self, ShardError> {
        let shards = files.iter().map(|file| Shard::read(file)).collect::<Result<Vec<_>, _>>()?;
        Self::of(shards, params)
    }

    /// The same of shards that have been read.
    pub fn of(shards: Vec<Shard>, params: Option<&WindowParams>) -> Result<Self, ShardError> {
        Self::default().with(shards, params)
    }

    /// The window that there is when newer shards come to these.
    pub fn with(
        &self,
        newer: Vec<Shard>,
        params: Option<&WindowParams>,
    ) -> Result<Self, ShardError> {
        let Self { mut shards, mut kinds, mut found, .. } = self.clone();
        for (shard, number) in newer.iter().zip(shards.len()..) {
            let number = u32::try_from(number).expect("invariant: there are fewer files");
            for (game, index) in shard.games().zip(0..) {
                let game = game?;
                let rows = game.turns.iter().filter(|turn| turn.weight > 0.0).count() as u64;
                found.push(Found { shard: number, game: index, size: game.size, rows });
                if rows > 0 && !kinds.contains(&game.rules.game) {
                    kinds.push(game.rules.game);
                }
            }
        }
        shards.extend(newer);
        let all_rows = found.iter().map(|game| game.rows).sum();
        let wanted = params.map_or(all_rows, |params| params.rows(all_rows));
        let mut first = found.len();
        let mut taken = 0;
        while taken < wanted {
            first -= 1;
            taken += found[first].rows;
        }
        let mut window = Self { shards, kinds, all_rows, ..Self::default() };
        for game in found[first..].iter().filter(|game| game.rows > 0) {
            window.add(game.size, game.shard, game.game, game.rows);
        }
        window.found = found;
        Ok(window)
    }

    /// The files that it was read from, oldest first.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.shards.iter().map(Shard::path)
    }

    fn add(&mut self, size: BoardSize, shard: u32, game: u32, rows: u64) {
        self.games += 1;
        let at = self.groups.iter().position(|group| group.size == size).unwrap_or_else(|| {
            self.groups.push(Group { size, games: Vec::new(), rows: 0 });
            self.groups.len() - 1
        });
        let group = &mut self.groups[at];
        group.games.push(GamePlace { shard, game, rows_before: group.rows });
        group.rows += rows;
    }

    /// Rows in the window.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows).sum()
    }

    /// Rows in all shards, also those that are too old for the window.
    #[must_use]
    pub const fn all_rows(&self) -> u64 {
        self.all_rows
    }

    /// Games in the window.
    #[must_use]
    pub const fn games(&self) -> usize {
        self.games
    }

    /// The kinds of games.
    #[must_use]
    pub fn kinds(&self) -> &[Game] {
        &self.kinds
    }

    /// The sizes of boards with the rows of each.
    #[must_use]
    pub fn sizes(&self) -> HashMap<BoardSize, u64> {
        self.groups.iter().map(|group| (group.size, group.rows)).collect()
    }

    /// Whether there is nothing to learn from.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The rows of one training step: all on boards of one size, each turned at random. The same
    /// seed and step give the same rows, and all rows come once before any comes again, but for
    /// what is left when a size's rows do not fill its last batch.
    ///
    /// # Panics
    ///
    /// If the window is empty or the batch is.
    pub fn batch(&self, seed: Seed, step: u64, batch: usize) -> Result<Vec<Row>, ShardError> {
        let size = batch as u64;
        let batches = |group: &Group| (group.rows / size).max(1);
        let in_epoch: u64 = self.groups.iter().map(batches).sum();
        let (epoch, place) = (step / in_epoch, step % in_epoch);
        let seed = seed.fork("epoch", epoch);
        let mut number = Permutation::new(in_epoch, seed.fork("batches", 0)).get(place);
        let mut group = 0;
        while number >= batches(&self.groups[group]) {
            number -= batches(&self.groups[group]);
            group += 1;
        }
        let order = Permutation::new(self.groups[group].rows, seed.fork("rows", group as u64));
        let mut rng = seed.fork("symmetries", place).rng();
        let symmetries = Symmetry::for_size(self.groups[group].size);
        (0..size)
            .map(|i| {
                let row = order.get((number * size + i) % self.groups[group].rows);
                let symmetry = symmetries[rng.next_u32() as usize % symmetries.len()];
                self.row(group, row, symmetry)
            })
            .collect()
    }

    /// Rows for validation: up to `count` drawn by the seed, upright, in groups by size.
    pub fn sample(&self, seed: Seed, count: usize) -> Result<Vec<Vec<Row>>, ShardError> {
        let all = self.rows();
        let share = |group: &Group| {
            let wanted = u128::from(group.rows) * count as u128 / u128::from(all.max(1));
            u64::try_from(wanted).unwrap_or(u64::MAX).clamp(1, group.rows)
        };
        self.groups
            .iter()
            .zip(0..)
            .map(|(group, index)| {
                let order = Permutation::new(group.rows, seed.fork("sample", index as u64));
                (0..share(group))
                    .map(|place| self.row(index, order.get(place), Symmetry::IDENTITY))
                    .collect()
            })
            .collect()
    }

    fn row(&self, group: usize, row: u64, symmetry: Symmetry) -> Result<Row, ShardError> {
        let games = &self.groups[group].games;
        let place = games[games.partition_point(|game| game.rows_before <= row) - 1];
        let game = self.shards[place.shard as usize].game(place.game as usize)?;
        let counted = game.turns.iter().enumerate().filter(|(_, turn)| turn.weight > 0.0);
        let ply = usize::try_from(row - place.rows_before)
            .ok()
            .and_then(|nth| counted.map(|(ply, _)| ply).nth(nth))
            .expect("invariant: the rows of the game were counted");
        Ok(Row { game, ply, symmetry })
    }
}

#[cfg(test)]
mod tests;
