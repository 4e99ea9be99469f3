//! `tedomari-lab time`: strategies of the time manager against each other on a virtual clock.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::budget::Budget;
use super::write_files;
use tedomari::app::matches::{self, MatchSpec, PlayedMatch};
use tedomari::app::timetable::table_game;
use tedomari::arena::PlayerSpec;
use tedomari::chart::{Axis, Chart, Line, Marks, Unit};
use tedomari::cli::{play_match, print, print_json};
use tedomari::config::Config;
use tedomari::timeman::Table;
use tedomari::util::{make_folder, write_atomically};
use tedomari_lab::time::{Played, ROWS, RowKind, TimeRow, endgame_tables, imitation_table};

/// Tables whose players have as much time as EXP-STONES in its row.
const DRAWN_WITH: [&str; 3] = ["I", "III", "XIII"];

#[derive(Clone, Debug, Args)]
pub(super) struct TimeArgs {
    /// The folder for the matches; what has been played is not played again
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: PathBuf,
    /// Tables to play: I, II, III, IV, V, XIII, endgame, fixed and length; all if none is given
    #[arg(long, value_name = "TABLE")]
    pub(super) table: Vec<String>,
    /// Games of each row
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    pub(super) games: u64,
    /// Simulations of each player in a game: a second of the virtual clock is one of them
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=1_000_000_000))]
    pub(super) simulations: u64,
    /// Settings of the player, KEY=VALUE with blanks between them; random games by default
    #[arg(long, value_name = "SETTINGS", default_value = "net.path=none")]
    pub(super) player: String,
    /// The opponent of Tables I, II, III and XIII: a strategy, or gtp:COMMAND LINE
    #[arg(long, value_name = "OPPONENT", default_value = "EXP-STONES")]
    pub(super) opponent: String,
    /// Where random numbers start
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &TimeArgs, config: &Config) -> anyhow::Result<()> {
    let result = result(args, config, &Budget::unlimited())?;
    if args.json { print_json(&json!(result)) } else { print(&text(&result)) }
}

/// All rows that were played, with how.
#[derive(Debug, Serialize)]
pub(super) struct TimeResult {
    /// Whether no row is missing.
    pub(super) complete: bool,
    games: u64,
    simulations: u64,
    player: String,
    opponent: String,
    seed: u64,
    pub(super) rows: Vec<Played>,
}

/// Plays all rows that there is time for.
pub(super) fn result(
    args: &TimeArgs,
    config: &Config,
    budget: &Budget,
) -> anyhow::Result<TimeResult> {
    for name in &args.table {
        anyhow::ensure!(
            ROWS.iter().any(|row| row.table == name),
            "there is no table {name}: write --table I, II, III, IV, V, XIII, endgame, fixed or length"
        );
    }
    let wanted =
        |row: &&TimeRow| args.table.is_empty() || args.table.iter().any(|t| t == row.table);
    let rows: Vec<&TimeRow> = ROWS.iter().filter(wanted).collect();
    let mut played = Vec::new();
    for row in &rows {
        if budget.is_over() {
            break;
        }
        let Some(row) = play(row, args, config, budget)? else { break };
        played.push(row);
    }
    draw_times(&played, &args.out)?;
    Ok(TimeResult {
        complete: played.len() == rows.len(),
        games: args.games,
        simulations: args.simulations,
        player: args.player.clone(),
        opponent: args.opponent.clone(),
        seed: args.seed,
        rows: played,
    })
}

/// Draws how long moves took on the mean, by their number: the paper's Figures 1 to 8. Each table has a
/// drawing of its own, with EXP-STONES beside it.
fn draw_times(rows: &[Played], out: &Path) -> anyhow::Result<()> {
    let curve = |row: &Played| -> Vec<(f64, f64)> {
        let point = |&(start, mean): &(u64, Option<f64>)| Some((start as f64, mean?));
        row.time_by_move.iter().filter_map(point).collect()
    };
    let plain = rows.iter().find(|row| row.name == "EXP-STONES");
    let mut tables: Vec<&str> = rows.iter().map(|row| row.table.as_str()).collect();
    tables.dedup();
    let drawing = |table: &&str| {
        let some = rows.iter().filter(|row| row.table == *table);
        let mut lines = Line::all(some.map(|row| (row.name.as_str(), curve(row))));
        // Those with more time for a game are on another scale.
        let plain = plain.filter(|plain| plain.table != *table && DRAWN_WITH.contains(table));
        lines.extend(plain.map(|row| Line::reference(&row.name, curve(row))));
        let chart = Chart {
            title: format!("Simulations of a move, table {table}"),
            x: Axis::new("number of the move", Unit::Whole),
            y: Axis::new("simulations of a move, mean", Unit::Plain).from_zero(),
            marks: Marks::Lines(lines),
        };
        (format!("times-{table}.svg"), chart.file())
    };
    write_files(out, tables.iter().map(drawing))?;
    Ok(())
}

/// None if there was no time for all games; those that were played are kept.
fn play(
    row: &TimeRow,
    args: &TimeArgs,
    config: &Config,
    budget: &Budget,
) -> anyhow::Result<Option<Played>> {
    let folder = args.out.join(row.name());
    make_folder(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let players = players(row, args, config, &folder)?;
    let read = |text: &String| PlayerSpec::read(text).with_context(|| format!("in '{text}'"));
    let players = players.iter().map(read).collect::<anyhow::Result<_>>()?;
    let spec = MatchSpec { games: Some(args.games), seed: args.seed, ..MatchSpec::of(players) };
    let played = play_match(spec, &folder, config, budget.flag());
    let PlayedMatch { standing, summary, .. } =
        played.with_context(|| format!("in the row {}", row.name()))?;
    if !standing.is_over() {
        return Ok(None);
    }
    let pairing = summary.pairings.first().context("no game of the row has ended")?;
    let times = &summary.time_by_move;
    let means = times.mean[pairing.first].iter().copied();
    Ok(Some(Played {
        id: row.id.to_owned(),
        table: row.table.to_owned(),
        name: row.name(),
        against: row.against.unwrap_or(&args.opponent).to_owned(),
        games: pairing.games,
        score: pairing.score.context("no game of the row counts")?,
        low: pairing.score_interval.low,
        high: pairing.score_interval.high,
        paper: row.paper.map(|paper| paper / 100.0),
        saved: summary.players.get(pairing.first).and_then(|player| player.saved),
        plies: summary.lengths.mean,
        time_by_move: times.starts.iter().copied().zip(means).collect(),
    }))
}

/// The players of a row as a match takes them; timetables that they play by are in the folder.
fn players(
    row: &TimeRow,
    args: &TimeArgs,
    config: &Config,
    folder: &Path,
) -> anyhow::Result<[String; 2]> {
    let (strategy, opponent) = strategies(row, args, config, folder)?;
    let with = |name: &str, strategy: &str, times: u64| {
        format!(
            "name='{name}' time=simulations:{} tedomari {} time.strategy={strategy}",
            times * args.simulations,
            args.player
        )
    };
    let name = |opponent: &str| format!("opponent {}", row.against.unwrap_or(opponent));
    let opponent = match row.kind {
        RowKind::Hurried => with("opponent steady", &opponent, row.times),
        _ if opponent.starts_with("gtp:") => format!("time=none {opponent}"),
        RowKind::Steady => with(&name(&opponent), &opponent, 1),
        _ => with(&name(&opponent), &opponent, row.times),
    };
    Ok([with(&row.name(), &strategy, row.times), opponent])
}

/// The strategies of a row's players, or the opponent's command line.
fn strategies(
    row: &TimeRow,
    args: &TimeArgs,
    config: &Config,
    folder: &Path,
) -> anyhow::Result<(String, String)> {
    let by_table = |name: &str| {
        let path = folder.join(name);
        let strategy = format!("EXP-MOVES time.table='{}'", path.display());
        (path, strategy)
    };
    let opponent = row.against.unwrap_or(&args.opponent).to_owned();
    Ok(match row.kind {
        RowKind::Strategy => {
            let moves = base_table(config)?.own_moves();
            (strategy_on(row.strategy, row.times * args.simulations, moves), opponent)
        }
        RowKind::Imitated => {
            let (path, strategy) = by_table("imitated.toml");
            imitate(row, args, config, &path)?;
            (strategy, opponent)
        }
        RowKind::Hurried => {
            let (paths, strategies): (Vec<_>, Vec<_>) =
                ["hurried.toml", "steady.toml"].map(by_table).into_iter().unzip();
            let tables = endgame_tables(&base_table(config)?, args.simulations as f64, row.times)
                .context("there are too few simulations for a game")?;
            for (path, table) in paths.iter().zip(&tables) {
                write_table(path, table)?;
            }
            (strategies[0].clone(), strategies[1].clone())
        }
        RowKind::Steady => {
            let (path, strategy) = by_table("steady.toml");
            let [_, steady] =
                endgame_tables(&base_table(config)?, args.simulations as f64, row.times)
                    .context("there are too few simulations for a game")?;
            write_table(&path, &steady)?;
            (strategy, opponent)
        }
        RowKind::ToTheEnd => {
            let with = |name: &str| format!("{name} play.resign=false");
            (with(row.strategy), with(&opponent))
        }
    })
}

/// A strategy with its numbers for a clock of simulations: KAPPA-CM collects for 100 ms, which are a quarter
/// of what the paper's clock of 30 s gives one of 71 moves.
fn strategy_on(name: &str, simulations: u64, own_moves: f64) -> String {
    if name != "KAPPA-CM" {
        return name.to_owned();
    }
    let share = 0.1 * 71.0 / 30.0;
    let milliseconds = 1000.0 * share * simulations as f64 / own_moves;
    format!("'{name} collect_ms={milliseconds:.0}'")
}

/// Writes the timetable of a player that takes the mean times of a strategy, from its own games.
fn imitate(row: &TimeRow, args: &TimeArgs, config: &Config, path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        // A match that goes on must go on with the same table.
        return Ok(());
    }
    let original = args.out.join(row.strategy);
    let summary = matches::count(&original)
        .with_context(|| format!("{} is imitated: play its own row first", row.strategy))?;
    let times = &summary.time_by_move;
    let mean = times.mean.first().context("no times")?;
    let times_by_start: Vec<_> = times.starts.iter().copied().zip(mean.iter().copied()).collect();
    let base = base_table(config)?;
    let budget = args.simulations as f64;
    let table = imitation_table(&base, &times_by_start, times.width, budget)
        .with_context(|| format!("the games of {} tell no times", row.strategy))?;
    write_table(path, &table)
}

fn base_table(config: &Config) -> anyhow::Result<Table> {
    let area = u32::try_from(config.game.size().area()).context("the board is too large")?;
    Ok(Table::built_in(table_game(config.game.rules().game), area))
}

fn write_table(path: &Path, table: &Table) -> anyhow::Result<()> {
    write_atomically(path, table.to_toml().as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

fn text(result: &TimeResult) -> String {
    let mut text = format!(
        "{} games a row, {} simulations a game, player {}, opponent {}, seed {}\n\n\
         {:7} {:28} {:>6}  {:>22}  {:>8} {:>8} {:>6}\n",
        result.games,
        result.simulations,
        result.player,
        result.opponent,
        result.seed,
        "table",
        "strategy",
        "games",
        "won",
        "paper",
        "saved",
        "moves"
    );
    for row in &result.rows {
        let [score, low, high] = [row.score, row.low, row.high].map(|share| 100.0 * share);
        let percent = |share: Option<f64>| {
            share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", 100.0 * share))
        };
        let _ = writeln!(
            text,
            "{:7} {:28} {:>6}  {score:>5.1} % ({low:.1} to {high:.1})  {:>8} {:>8} {:>6.0}",
            row.table,
            row.name,
            row.games,
            percent(row.paper),
            percent(row.saved),
            row.plies.unwrap_or_default(),
        );
    }
    text.push_str(
        "\nThe paper's rates are against GNU Go on 13x13 (Tables IV and V: against ERICA-BASELINE): compare \
         the order of the strategies.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_in_milliseconds_is_told_for_the_clock() {
        assert_eq!(strategy_on("STOP", 4000, 30.0), "STOP");
        // The paper's own clock, if a second were a simulation.
        assert_eq!(strategy_on("KAPPA-CM", 30, 71.0), "'KAPPA-CM collect_ms=100'");
        let text = strategy_on("KAPPA-CM", 20_000, 30.0);
        let words = text.trim_matches('\'');
        assert_eq!(words, "KAPPA-CM collect_ms=157778");
        Config::default().with("time.strategy", words).unwrap();
    }
}
