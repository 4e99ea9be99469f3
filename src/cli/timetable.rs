//! `tedomari timetable`: how long games are, learned from games.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;

use super::{print, print_json};
use crate::app::timetable::{self, Learned, TimetableSpec};
use crate::config::Config;
use crate::timeman::Table;
use crate::util::write_atomically;

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
    let bar = ProgressBar::new(0);
    let spec = TimetableSpec {
        files: args.files.clone(),
        source: args.source.clone(),
        games: args.games,
        playout_games: args.playout_games,
        playouts: args.playouts,
    };
    let Learned { table, left_out } = timetable::learn(&spec, config, &|done, all| {
        bar.set_length(all);
        bar.set_position(done);
    })?;
    bar.finish_and_clear();
    let text = table.to_toml();
    if let Some(path) = &args.out {
        write_atomically(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match (&args.out, args.json) {
        (_, true) => print_json(&about(&table, left_out)),
        (None, false) => print(&text),
        (Some(path), false) => print(&format!(
            "{}: {} games of {:.1} moves for each player, {} left out; errors in moves: \
             by moves {:.2}, by stones {:.2}{}\n",
            path.display(),
            table.games,
            table.own_moves(),
            left_out,
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
