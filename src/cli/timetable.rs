//! `tedomari timetable`: how long games are, learned from games.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;

use super::{print, print_json};
use crate::app::games::{self, Wanted};
use crate::config::Config;
use crate::eval::{Criticality, Evaluator};
use crate::game::{Game, GameRecord, Position};
use crate::playout::PlayoutEvaluator;
use crate::timeman::{Ply, Table, TableGame, learn_table};
use crate::util::{Seed, write_atomically};

#[derive(Debug, Args)]
pub(super) struct TimetableArgs {
    /// Files with games: .sgf with one, others with one SGF on each line, packed if they end in .gz
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write the timetable here instead of printing it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What the timetable says of its source
    #[arg(long, value_name = "TEXT", default_value = "")]
    source: String,
    /// Games to read at the most
    #[arg(long, default_value_t = 1_000_000)]
    games: usize,
    /// Games in which random games are played from every position, for EXP-SIM and KAPPA-EXP
    #[arg(long, default_value_t = 100)]
    playout_games: usize,
    /// Random games from each position of those
    #[arg(long, default_value_t = 200)]
    playouts: usize,
    /// Print one JSON object about the timetable
    #[arg(long)]
    json: bool,
}

/// Learns a timetable for the configured game and board.
pub(super) fn run(args: &TimetableArgs, config: &Config) -> anyhow::Result<()> {
    let game = &config.game;
    let wanted = Wanted { rules: game.rules(), size: game.size(), most: args.games };
    let found = games::read(&args.files, &wanted)?;
    let random = RandomGames {
        evaluator: PlayoutEvaluator::with(
            config.playout.clone(),
            Seed::new(config.search.seed).fork("timetable", 0),
        ),
        count: args.playouts,
    };
    let bar = ProgressBar::new(found.games.len() as u64);
    let mut plies = Vec::with_capacity(found.games.len());
    // Spread over all games, so that those at the beginning of a file do not stand for all.
    let every = found.games.len().div_ceil(args.playout_games.max(1));
    for (number, game) in found.games.iter().enumerate() {
        let deep = args.playout_games > 0 && number % every == 0;
        plies.push(plies_of(game, &wanted, deep.then_some(&random))?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let kind = match wanted.rules.game {
        Game::Go => TableGame::Go,
        Game::NoGo => TableGame::NoGo,
    };
    let area = u32::try_from(wanted.size.area()).unwrap_or(u32::MAX);
    let table = learn_table(kind, area, args.source.clone(), &plies)
        .context("too few games for a timetable: a few dozen are needed")?;
    let text = table.to_toml();
    if let Some(path) = &args.out {
        write_atomically(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match (&args.out, args.json) {
        (_, true) => print_json(&about(&table, found.left_out)),
        (None, false) => print(&text),
        (Some(path), false) => print(&format!(
            "{}: {} games of {:.1} moves for each player, {} left out; errors in moves: \
             by moves {:.2}, by stones {:.2}{}\n",
            path.display(),
            table.games,
            table.own_moves(),
            found.left_out,
            table.by_moves.error,
            table.by_stones.error,
            table
                .by_playouts
                .map_or(String::new(), |estimate| format!(", by playouts {:.2}", estimate.error)),
        )),
    }
}

fn about(table: &Table, left_out: usize) -> serde_json::Value {
    json!({
        "games": table.games,
        "left_out": left_out,
        "area": table.area,
        "own_moves": table.own_moves(),
        "error_by_moves": table.by_moves.error,
        "error_by_stones": table.by_stones.error,
        "error_by_playouts": table.by_playouts.as_ref().map(|estimate| estimate.error),
    })
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
