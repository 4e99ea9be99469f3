//! How long games are: tables learned from games by `tedomari timetable`.

use std::cell::OnceCell;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// Bytes of the largest table that is read.
pub const MAX_TABLE_BYTES: usize = 1 << 20;

/// Version of the format.
const FORMAT: u32 = 1;

/// The games that there are tables for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableGame {
    /// Go.
    #[default]
    Go,
    /// NoGo.
    NoGo,
}

/// What is known of the length of games on a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Version of the format.
    pub format: u32,
    /// Which game.
    pub game: TableGame,
    /// Points of the board.
    pub area: u32,
    /// Games that it was learned from.
    pub games: u32,
    /// Where they come from.
    pub source: String,
    /// Moves of both players in a game: quantiles at equal steps, the shortest game first.
    pub length: Vec<f64>,
    /// Stones on the board by the moves of both players: pairs of key and mean.
    pub stones: Curve,
    /// Own moves left by the moves of both players so far.
    pub by_moves: Estimate,
    /// Own moves left by the stones on the board.
    pub by_stones: Estimate,
    /// Own moves left by the mean length of random games from the position.
    pub by_playouts: Option<Estimate>,
    /// Highest criticality of a point by the moves of both players.
    pub criticality: Option<Curve>,
}

/// A table that is read when it is first needed: that takes as long as a thousand simulations, and who
/// plays without a clock needs none.
#[derive(Clone, Debug)]
pub struct Timetable {
    game: TableGame,
    area: u32,
    table: OnceCell<Table>,
}

impl Timetable {
    /// What is built in for a game on a board of so many points, see [`Table::built_in`].
    #[must_use]
    pub const fn built_in(game: TableGame, area: u32) -> Self {
        Self { game, area, table: OnceCell::new() }
    }
}

impl From<Table> for Timetable {
    fn from(table: Table) -> Self {
        Self { game: table.game, area: table.area, table: OnceCell::from(table) }
    }
}

impl Deref for Timetable {
    type Target = Table;

    fn deref(&self) -> &Table {
        self.table.get_or_init(|| Table::built_in(self.game, self.area))
    }
}

/// Numbers by a key, with straight lines between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve(pub Vec<[f64; 2]>);

/// Own moves left by a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Mean of the absolute error over the games that it was learned from.
    pub error: f64,
    /// Key, mean, median, and the number that one game in twenty exceeds, by rising key.
    pub rows: Vec<[f64; 4]>,
}

/// How many moves a player has to expect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// The mean.
    pub mean: f64,
    /// What one game in twenty exceeds.
    pub upper: f64,
}

/// A table that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// Not TOML, or not with these keys.
    #[error("not a timetable: {0}")]
    Toml(String),
    /// A version that this program does not know.
    #[error("the timetable has format {0}, this program reads format {FORMAT}")]
    Format(u32),
    /// Something in it makes no sense.
    #[error("{0} of the timetable must rise by key and hold sensible numbers")]
    Values(&'static str),
}

impl Curve {
    /// The number at a key; beyond the ends that of the end.
    #[must_use]
    pub fn at(&self, key: f64) -> f64 {
        interpolate(self.0.len(), |k| self.0[k][0], |k| self.0[k][1], key)
    }

    fn is_sensible(&self) -> bool {
        rises(self.0.iter().map(|row| row[0])) && self.0.iter().flatten().all(|x| x.is_finite())
    }
}

impl Estimate {
    /// What to expect at a key.
    #[must_use]
    pub fn at(&self, key: f64) -> Expected {
        let column = |c: usize| {
            interpolate(self.rows.len(), |k| self.rows[k][0], |k| self.rows[k][c], key).max(1.0)
        };
        let mean = column(1);
        Expected { mean, upper: column(3).max(mean) }
    }

    fn is_sensible(&self) -> bool {
        let sensible = |x: &f64| (0.0..1e5).contains(x);
        rises(self.rows.iter().map(|row| row[0])) && self.rows.iter().flatten().all(sensible)
    }

    /// Keys and moves times a factor, mixed with another by its weight.
    fn scaled(&self, scale: f64, other: Option<(&Estimate, f64, f64)>) -> Self {
        let row = |row: &[f64; 4]| {
            let key = row[0] * scale;
            let mixed = |c: usize| {
                let own = row[c] * scale;
                other.map_or(own, |(estimate, other_scale, weight)| {
                    let rows = &estimate.rows;
                    let there =
                        interpolate(rows.len(), |k| rows[k][0], |k| rows[k][c], key / other_scale);
                    (1.0 - weight) * own + weight * other_scale * there
                })
            };
            [key, mixed(1), mixed(2), mixed(3)]
        };
        Self { error: self.error * scale, rows: self.rows.iter().map(row).collect() }
    }
}

impl Table {
    /// Reads the text of a table.
    pub fn from_toml(text: &str) -> Result<Self, TableError> {
        let table: Self =
            toml::from_str(text).map_err(|error| TableError::Toml(error.message().to_owned()))?;
        let optional =
            |estimate: &Option<Estimate>| estimate.as_ref().is_none_or(Estimate::is_sensible);
        let lengths = &table.length;
        let positive = lengths.iter().all(|x| (0.0..1e5).contains(x));
        let sorted = lengths.is_sorted() && !lengths.is_empty() && positive;
        let critical = table.criticality.as_ref().is_none_or(Curve::is_sensible);
        match () {
            () if table.format != FORMAT => Err(TableError::Format(table.format)),
            () if !(4..=625).contains(&table.area) => Err(TableError::Values("area")),
            () if !sorted => Err(TableError::Values("length")),
            () if !table.stones.is_sensible() => Err(TableError::Values("stones")),
            () if !table.by_moves.is_sensible() => Err(TableError::Values("by_moves")),
            () if !table.by_stones.is_sensible() => Err(TableError::Values("by_stones")),
            () if !optional(&table.by_playouts) => Err(TableError::Values("by_playouts")),
            () if !critical => Err(TableError::Values("criticality")),
            () => Ok(table),
        }
    }

    /// The table as a file.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("invariant: numbers and words are TOML values")
    }

    /// What is built in for a game on a board of so many points. Boards without games of their own
    /// get what the boards around them have, by the share of the board that is filled.
    #[must_use]
    pub fn built_in(game: TableGame, area: u32) -> Self {
        let read = |text| Self::from_toml(text).expect("invariant: a test reads what is built in");
        let small = match game {
            TableGame::NoGo => return read(include_str!("tables/nogo9.toml")).for_area(area, None),
            TableGame::Go => read(include_str!("tables/go9.toml")),
        };
        if area <= small.area {
            return small.for_area(area, None);
        }
        let large = read(include_str!("tables/go19.toml"));
        if area >= large.area {
            return large.for_area(area, None);
        }
        small.for_area(area, Some(&large))
    }

    /// Own moves of a whole game, in the mean.
    #[must_use]
    pub fn own_moves(&self) -> f64 {
        let sum: f64 = self.length.iter().sum();
        (sum / self.length.len() as f64 / 2.0).max(1.0)
    }

    /// This table for another board, mixed with that of a larger one where there is one: linear in
    /// the side of the board.
    fn for_area(self, area: u32, large: Option<&Self>) -> Self {
        if area == self.area {
            return self;
        }
        let side = |area: u32| f64::from(area).sqrt();
        let scale = f64::from(area) / f64::from(self.area);
        let other = large.map(|large| {
            let weight = (side(area) - side(self.area)) / (side(large.area) - side(self.area));
            (large, f64::from(area) / f64::from(large.area), weight)
        });
        let mix = |own: &Estimate, get: fn(&Self) -> Option<&Estimate>| {
            let there = other.and_then(|(table, scale, weight)| Some((get(table)?, scale, weight)));
            own.scaled(scale, there)
        };
        let length = |k: usize| {
            let own = self.length[k] * scale;
            other.map_or(own, |(table, other_scale, weight)| {
                let last = (self.length.len() - 1).max(1) as f64;
                let there = quantile(&table.length, k as f64 / last) * other_scale;
                (1.0 - weight) * own + weight * there
            })
        };
        Self {
            length: (0..self.length.len()).map(length).collect(),
            stones: Curve(self.stones.0.iter().map(|row| row.map(|x| x * scale)).collect()),
            by_moves: mix(&self.by_moves, |table| Some(&table.by_moves)),
            by_stones: mix(&self.by_stones, |table| Some(&table.by_stones)),
            by_playouts: self
                .by_playouts
                .as_ref()
                .map(|own| mix(own, |table| table.by_playouts.as_ref())),
            criticality: self
                .criticality
                .as_ref()
                .map(|own| Curve(own.0.iter().map(|&[key, kappa]| [key * scale, kappa]).collect())),
            source: format!("{}, scaled from {} to {area} points", self.source, self.area),
            area,
            ..self
        }
    }
}

/// The number below which a share of equally spaced quantiles lies.
#[must_use]
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1) as f64;
    interpolate(sorted.len(), |k| k as f64, |k| sorted[k], share.clamp(0.0, 1.0) * last)
}

fn rises(mut keys: impl Iterator<Item = f64>) -> bool {
    let Some(mut last) = keys.next() else { return false };
    keys.all(|key| std::mem::replace(&mut last, key) < key)
}

fn interpolate(
    len: usize,
    key: impl Fn(usize) -> f64,
    value: impl Fn(usize) -> f64,
    wanted: f64,
) -> f64 {
    let above = (0..len).find(|&k| key(k) >= wanted);
    match above {
        None => value(len - 1),
        Some(0) => value(0),
        Some(k) => {
            let share = (wanted - key(k - 1)) / (key(k) - key(k - 1));
            value(k - 1) + share * (value(k) - value(k - 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_makes_sense_on_every_board() {
        for side in 2..=25 {
            for game in [TableGame::Go, TableGame::NoGo] {
                let table = Table::built_in(game, side * side);
                assert_eq!((table.game, table.area), (game, side * side));
                assert_eq!(Table::from_toml(&table.to_toml()).as_ref(), Ok(&table));
                let (start, full) = (table.by_stones.at(0.0), table.by_stones.at(1e4));
                assert!(start.mean >= full.mean && full.mean >= 1.0 && start.upper >= start.mean);
            }
        }
        let length = |area| Table::built_in(TableGame::Go, area).own_moves();
        assert!(length(81) < length(169) && length(169) < length(361));
    }

    #[test]
    fn lines_are_straight_and_level_at_the_ends() {
        let curve = Curve(vec![[10.0, 1.0], [20.0, 3.0]]);
        for (key, value) in [(0.0, 1.0), (10.0, 1.0), (15.0, 2.0), (20.0, 3.0), (99.0, 3.0)] {
            assert!((curve.at(key) - value).abs() < 1e-12, "{key}");
        }
        assert!((quantile(&[1.0, 2.0, 4.0], 0.75) - 3.0).abs() < 1e-12);
    }

    #[test]
    fn scaling_and_mixing_by_hand() {
        let rows = |rows: &[[f64; 4]]| Estimate { error: 1.0, rows: rows.to_vec() };
        let small = rows(&[[0.0, 30.0, 30.0, 40.0], [80.0, 10.0, 10.0, 12.0]]);
        let large = rows(&[[0.0, 100.0, 100.0, 150.0], [320.0, 20.0, 20.0, 30.0]]);
        // Twice as many points as the small board, half as many as the large one, half-way between.
        let mixed = small.scaled(2.0, Some((&large, 0.5, 0.5)));
        let shown: Vec<_> = mixed.rows.iter().map(|row| row.map(|x| format!("{x}"))).collect();
        assert_eq!(shown, [["0", "55", "55", "77.5"], ["160", "15", "15", "19.5"]]);
    }

    #[test]
    fn damaged_tables_are_refused() {
        let good = include_str!("tables/nogo9.toml");
        let error = |from: &str, to: &str| {
            assert!(good.contains(from), "{from}");
            Table::from_toml(&good.replacen(from, to, 1)).unwrap_err()
        };
        assert_eq!(error("format = 1", "format = 7"), TableError::Format(7));
        assert_eq!(error("area = 81", "area = 0"), TableError::Values("area"));
        assert!(matches!(error("game = \"nogo\"", "game = \"chess\""), TableError::Toml(_)));
        assert!(matches!(error("games", "gmaes"), TableError::Toml(_)));
        assert_eq!(error("length = [", "length = [nan, "), TableError::Values("length"));
        assert_eq!(error("stones = [[", "stones = [[999.0, 1.0], ["), TableError::Values("stones"));
        assert!(Table::from_toml("").is_err());
    }
}
