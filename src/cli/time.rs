//! `tedomari time`: the strategies of the time manager, and how they use a clock.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::{print, print_json};
use crate::app::games::{self, Wanted};
use crate::app::timetable;
use crate::arena::TimeControl;
use crate::chart::{Axis, Chart, Line, Marks, Unit};
use crate::config::Config;
use crate::timeman::{
    GameModel, Manager, PRESETS, Simulated, Strategy, Tells, Terms, TimeParams, TimeSystem,
    simulate,
};
use crate::util::{Seed, write_atomically};

/// Moves that fewer games have than this share of all are not drawn.
const RARE: f64 = 0.05;

#[derive(Debug, Subcommand)]
pub(super) enum TimeCommand {
    /// List the strategies that have a name
    List {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Try strategies on a virtual clock, without playing
    Simulate(SimulateArgs),
}

#[derive(Debug, Args)]
pub(super) struct SimulateArgs {
    /// The strategy to try; may be given several times; all if none is given
    #[arg(long, value_name = "STRATEGY")]
    strategy: Vec<String>,
    /// The clock: fixed:SECONDS, sudden:SECONDS, canadian:MAIN+STONES/SECONDS,
    /// byoyomi:MAIN+PERIODSxSECONDS or fischer:MAIN+INCREMENT
    #[arg(long, value_name = "TIME", default_value = "sudden:60", value_parser = time_system)]
    time: TimeSystem,
    /// Take lengths and stones from the games of these files (see `timetable`)
    #[arg(long, value_name = "FILE")]
    records: Vec<PathBuf>,
    /// Games at the most
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: u32,
    /// How many times as long as in the timetable the games are, where no files are given
    #[arg(long, default_value_t = 1.0, value_parser = stretch)]
    stretch: f64,
    /// Milliseconds that the server counts for each move beyond what the engine sees
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    lag_ms: u64,
    /// What the server tells of the time left
    #[arg(long, value_enum, default_value_t = Told::Exactly)]
    tells: Told,
    /// Simulations a second of the model
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    rate: u32,
    /// Draw the mean time of each move as SVG into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object for each strategy
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Told {
    Nothing,
    Seconds,
    Exactly,
}

fn stretch(text: &str) -> Result<f64, String> {
    let stretch: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.01..=10.0).contains(&stretch) {
        Ok(stretch)
    } else {
        Err("allowed is 0.01 to 10".to_owned())
    }
}

/// A clock that runs out: others have nothing to be simulated.
fn time_system(text: &str) -> Result<TimeSystem, String> {
    match text.parse() {
        Ok(TimeControl::Clock(system)) if system != TimeSystem::Unlimited => Ok(system),
        _ => Err("write fixed:SECONDS, sudden:SECONDS, canadian:MAIN+STONES/SECONDS, \
                  byoyomi:MAIN+PERIODSxSECONDS or fischer:MAIN+INCREMENT"
            .to_owned()),
    }
}

pub(super) fn run(command: &TimeCommand, config: &Config) -> anyhow::Result<()> {
    match command {
        TimeCommand::List { json } => list(*json),
        TimeCommand::Simulate(args) => run_simulations(args, config),
    }
}

fn list(json: bool) -> anyhow::Result<()> {
    let numbers = |name: &str| {
        name.parse::<Strategy>().map(|strategy| strategy.numbers()).unwrap_or_default()
    };
    if json {
        let entry = |name: &str, about: &str| json!({ "name": name, "about": about, "parameters": numbers(name) });
        let all: Vec<_> = PRESETS.iter().map(|preset| entry(preset.name, preset.about)).collect();
        return print_json(&json!({ "strategies": all }));
    }
    let mut text = String::new();
    for preset in PRESETS {
        writeln!(text, "{:18} {}", preset.name, preset.about)?;
        let numbers = numbers(preset.name);
        if !numbers.is_empty() {
            writeln!(text, "{:18} {numbers}", "")?;
        }
    }
    text.push_str(
        "\nNames can be joined, as in EXP-MOVES+MID+STOP, and numbers changed behind them.\n",
    );
    print(&text)
}

fn run_simulations(args: &SimulateArgs, config: &Config) -> anyhow::Result<()> {
    let game = &config.game;
    let table = timetable::fitting(config)?;
    let seed = Seed::new(config.search.seed);
    let model = if args.records.is_empty() {
        GameModel::synthetic(&table, args.games, args.stretch, seed)
    } else {
        let most = usize::try_from(args.games).unwrap_or(usize::MAX);
        let wanted = Wanted { rules: game.rules(), size: game.size(), most };
        let found = games::read(&args.records, &wanted)?;
        let plies = |record| {
            let mut plies = Vec::new();
            games::replay(record, &wanted, |position| plies.push(games::stones(position)));
            plies
        };
        GameModel { area: table.area, games: found.games.iter().take(most).map(plies).collect() }
    };
    let tells = match args.tells {
        Told::Nothing => Tells::Nothing,
        Told::Seconds => Tells::Seconds,
        Told::Exactly => Tells::Exactly,
    };
    let lag = Duration::from_millis(args.lag_ms);
    let terms = Terms { system: args.time, lag, tells, rate: f64::from(args.rate), seed };
    let names: Vec<String> = match args.strategy.as_slice() {
        [] => PRESETS.iter().map(|preset| preset.name.to_owned()).collect(),
        chosen => chosen.to_vec(),
    };
    let mut results = Vec::new();
    for name in names {
        name.parse::<Strategy>().with_context(|| format!("in --strategy {name}"))?;
        let params = TimeParams { strategy: name.clone(), ..config.time.clone() };
        let manager = Manager::new(&params, table.clone(), seed);
        let result = simulate(&manager, &table, &model, &terms);
        if args.json {
            print_json(&to_json(&name, &result))?;
        }
        results.push((name, result));
    }
    if let Some(path) = &args.svg {
        write_atomically(path, chart(&results).file().as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.json { Ok(()) } else { print(&to_text(&results)?) }
}

/// The mean time of each move, a line for each strategy.
fn chart(results: &[(String, Simulated)]) -> Chart {
    let line = |(name, result): &(String, Simulated)| {
        let enough = RARE * f64::from(result.games) / 2.0;
        let points = result.seconds.iter().enumerate();
        let common = points.filter(|(_, (_, games))| f64::from(*games) >= enough);
        (name.clone(), common.map(|(own, &(seconds, _))| ((own + 1) as f64, seconds)).collect())
    };
    Chart {
        title: "Time of a move by its number".to_owned(),
        x: Axis::new("own move", Unit::Whole),
        y: Axis::new("time of a move, mean", Unit::Seconds).from_zero(),
        marks: Marks::Lines(Line::all(results.iter().map(line))),
    }
}

fn to_json(name: &str, result: &Simulated) -> serde_json::Value {
    let rounded = |x: f64| (x * 1e5).round() / 1e5;
    let seconds: Vec<_> = result.seconds.iter().map(|&(mean, _)| rounded(mean)).collect();
    json!({
        "strategy": name,
        "games": result.games,
        "forfeits": result.forfeits,
        "unused_share": rounded(result.unused_share),
        "worst_move_share": rounded(result.worst_move_share),
        "used_of_plan": rounded(result.used_of_plan),
        "seconds_by_own_move": seconds,
    })
}

fn to_text(results: &[(String, Simulated)]) -> anyhow::Result<String> {
    let mut text = String::new();
    writeln!(
        text,
        "{:20} {:>8} {:>10} {:>13} {:>13}   seconds for own move 1, 6, 11 ...",
        "strategy", "unused", "forfeits", "longest move", "used of plan"
    )?;
    for (name, result) in results {
        let seconds: Vec<_> =
            result.seconds.iter().step_by(5).take(8).map(|(s, _)| format!("{s:.2}")).collect();
        writeln!(
            text,
            "{name:20} {:>6.1} % {:>4}/{:<5} {:>11.1} % {:>11.1} %   {}",
            100.0 * result.unused_share,
            result.forfeits,
            result.games,
            100.0 * result.worst_move_share,
            100.0 * result.used_of_plan,
            seconds.join(" "),
        )?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_strategy() {
        let line = |scale: f64| Simulated {
            games: 10,
            seconds: (0..30).map(|k| (scale * f64::from(k), 10)).collect(),
            ..Simulated::default()
        };
        let few = [("STOP".to_owned(), line(1.0)), ("EXP-SIM".to_owned(), line(0.5))];
        let drawing = chart(&few).file();
        assert!(drawing.contains(">STOP</text>") && drawing.contains(">EXP-SIM</text>"));
        assert!(chart(&[]).is_empty());
    }

    #[test]
    fn clocks_are_read() {
        let secs = Duration::from_secs;
        assert_eq!(time_system("sudden:60"), Ok(TimeSystem::Absolute { main: secs(60) }));
        let byoyomi = TimeSystem::Byoyomi { main: secs(10), period: secs(1), periods: 3 };
        assert_eq!(time_system("byoyomi:10+3x1"), Ok(byoyomi));
        let canadian = TimeSystem::Canadian { main: secs(10), period: secs(5), stones: 25 };
        assert_eq!(time_system("canadian:10+25/5"), Ok(canadian));
        for wrong in ["", "none", "simulations:9", "sudden", "sudden:-1", "byoyomi:1+0x1", "x:1+1"]
        {
            assert!(time_system(wrong).is_err(), "{wrong}");
        }
    }
}
