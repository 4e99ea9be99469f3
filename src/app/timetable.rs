//! Timetables: the configured one, and those learned from games.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::games::{self, Wanted};
use crate::config::Config;
use crate::eval::{Criticality, Evaluator};
use crate::game::{Game, GameRecord, Position};
use crate::playout::PlayoutEvaluator;
use crate::timeman::{MAX_TABLE_BYTES, Ply, Table, TableGame, learn_table};
use crate::util::{Seed, read_limited};

/// Reads the timetable that the configuration names; none where it names none.
pub fn configured(config: &Config) -> anyhow::Result<Option<Table>> {
    let path = Path::new(&config.time.table);
    if config.time.table.is_empty() {
        return Ok(None);
    }
    let bytes = read_limited(path, MAX_TABLE_BYTES).context("in time.table")?;
    let text = std::str::from_utf8(&bytes)
        .with_context(|| format!("{} is not UTF-8 text", path.display()))?;
    let table = Table::from_toml(text).with_context(|| format!("in {}", path.display()))?;
    Ok(Some(table))
}

/// The timetable that goes with a configuration: the one that it names, or the one that is built in.
pub fn fitting(config: &Config) -> anyhow::Result<Table> {
    let kind = table_game(config.game.rules().game);
    let area = u32::try_from(config.game.size().area()).context("the board is too large")?;
    match configured(config)? {
        Some(table) if table.game == kind && table.area == area => Ok(table),
        Some(_) => bail!("time.table is for another game or board: leave it out, or learn another"),
        None => Ok(Table::built_in(kind, area)),
    }
}

/// The game as timetables know it.
#[must_use]
pub const fn table_game(game: Game) -> TableGame {
    match game {
        Game::Go => TableGame::Go,
        Game::NoGo => TableGame::NoGo,
    }
}

/// Games to learn a timetable from.
#[derive(Clone, Debug)]
pub struct TimetableSpec {
    /// Files with games.
    pub files: Vec<PathBuf>,
    /// What the timetable says of its source.
    pub source: String,
    /// Games to read at the most.
    pub games: usize,
    /// Games in which random games are played from every position.
    pub playout_games: usize,
    /// Random games from each position of those.
    pub playouts: usize,
}

/// A timetable that was learned.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The timetable.
    pub table: Table,
    /// Games that were left out.
    pub left_out: usize,
}

/// Learns a timetable for the configured game and board; `tell` hears how many of the games are done.
pub fn learn(
    spec: &TimetableSpec,
    config: &Config,
    tell: &dyn Fn(u64, u64),
) -> anyhow::Result<Learned> {
    let game = &config.game;
    let wanted = Wanted { rules: game.rules(), size: game.size(), most: spec.games };
    let found = games::read(&spec.files, &wanted)?;
    let random = RandomGames {
        evaluator: PlayoutEvaluator::with(
            config.playout.clone(),
            Seed::new(config.search.seed).fork("timetable", 0),
        ),
        count: spec.playouts,
    };
    let mut plies = Vec::with_capacity(found.games.len());
    // Spread over all games, so that those at the beginning of a file do not stand for all.
    let every = found.games.len().div_ceil(spec.playout_games.max(1));
    for (number, game) in found.games.iter().enumerate() {
        let deep = spec.playout_games > 0 && number % every == 0;
        plies.push(plies_of(game, &wanted, deep.then_some(&random))?);
        tell(number as u64 + 1, found.games.len() as u64);
    }
    let area = u32::try_from(wanted.size.area()).unwrap_or(u32::MAX);
    let kind = table_game(wanted.rules.game);
    let table = learn_table(kind, area, spec.source.clone(), &plies)
        .context("too few games for a timetable: a few dozen are needed")?;
    Ok(Learned { table, left_out: found.left_out })
}

/// Random games from positions.
struct RandomGames {
    evaluator: PlayoutEvaluator,
    count: usize,
}

impl RandomGames {
    fn look(&self, position: &Position) -> anyhow::Result<(Option<f64>, Option<f64>)> {
        let mut sum = Criticality::new(position.size());
        for answer in self.evaluator.evaluate(&vec![position; self.count])? {
            sum.add(position.to_move(), &answer, 0);
        }
        Ok((sum.playout_length(), sum.highest()))
    }
}

fn plies_of(
    game: &GameRecord,
    wanted: &Wanted,
    random: Option<&RandomGames>,
) -> anyhow::Result<Vec<Ply>> {
    let mut plies = Vec::with_capacity(game.moves.len());
    let mut failure = None;
    games::replay(game, wanted, |position| {
        let looked = random.map_or(Ok((None, None)), |random| random.look(position));
        let (playout_length, criticality) = looked.unwrap_or_else(|error| {
            failure = Some(error);
            (None, None)
        });
        plies.push(Ply { stones: games::stones(position), playout_length, criticality });
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(plies),
    }
}
