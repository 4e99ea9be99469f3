//! `tedomari match`: games between players, with a referee.

mod show;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde_json::json;

use super::match_report;
use crate::app::players;
use crate::arena::{
    DeadBy, Ground, Match, MatchInfo, OpeningSource, Pairing, Patience, PlayerSpec, Results,
    Schedule, Shard, Standing, Terms, TimeControl, distinguish,
};
use crate::config::Config;
use crate::game::{BoardSize, Komi, Rules};
use crate::util::Seed;
use crate::util::stats::Sprt;

/// How long a program may go on after its time is up before it counts as hanging.
const LATE: Duration = Duration::from_secs(5);

/// `tedomari match …` plays, `tedomari match report …` counts.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct MatchLine {
    #[command(flatten)]
    play: Option<MatchArgs>,
    #[command(subcommand)]
    command: Option<MatchCommand>,
}

#[derive(Debug, Subcommand)]
enum MatchCommand {
    /// Count the games of a match again, or of its shards together
    Report(match_report::ReportArgs),
}

#[derive(Debug, Args)]
struct MatchArgs {
    /// A player, once for each: [name=NAME] [time=TIME] [setup="COMMAND;…"] gtp:COMMAND LINE, or
    /// [name=NAME] [time=TIME] [resign=no] tedomari KEY=VALUE …
    #[arg(long = "player", value_name = "PLAYER", required = true)]
    players: Vec<String>,
    /// The folder for the results; a match that is there already goes on
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Games of every two players that meet; with --sprt the most there may be
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: Option<u64>,
    /// Rules by name; with nogo the game is NoGo
    #[arg(long, value_name = "NAME")]
    rules: Option<Rules>,
    /// Points for White
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    komi: Option<f64>,
    /// Time of each player: none, fixed:SECONDS, sudden:SECONDS, canadian:MAIN+STONES/SECONDS,
    /// byoyomi:MAIN+PERIODSxSECONDS, fischer:MAIN+INCREMENT, or simulations:NUMBER for the game
    #[arg(long, value_name = "TIME", default_value = "none")]
    time: TimeControl,
    /// Where random numbers start
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Openings: none, random:PLIES, a file with the moves of one in each line, or a folder of SGF
    /// files [default: a few random plies]
    #[arg(long, value_name = "SOURCE")]
    openings: Option<String>,
    /// Moves that are taken from SGF files
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    opening_plies: usize,
    /// End as soon as it is clear whether the first player is stronger than the second by elo0 or
    /// by elo1, with these errors, such as 0,10,0.05,0.05
    #[arg(long, value_name = "ELO0,ELO1,ALPHA,BETA", value_parser = sprt, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Who meets whom when there are more than two players
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<ScheduleKind>,
    /// Play one part of the match only, such as 2/3 for the second of three
    #[arg(long, value_name = "PART/OF", default_value = "1/1")]
    shard: Shard,
    /// Games at the same time [default: as many as there are cores for]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// How dead stones are found after the last pass [default: agreement, or none where the rules
    /// count every stone]
    #[arg(long, value_name = "HOW")]
    dead: Option<DeadKind>,
    /// Moves after which a game is counted as it stands [default: 3 for each point of the board]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_moves: Option<u32>,
    /// Milliseconds of every move that are not charged to the clock
    #[arg(long, value_name = "MS", default_value_t = 20)]
    allowance: u64,
    /// Seconds that a player without a clock may take for a move
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScheduleKind {
    /// Each with each
    RoundRobin,
    /// The first with each of the others
    Gauntlet,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DeadKind {
    /// What both players say; if they differ, our own judgement
    Agreement,
    /// Play goes on until both pass at once
    PlayOn,
    /// Our own judgement
    Judge,
    /// No stone is dead
    None,
}

fn sprt(text: &str) -> Result<Sprt, String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[elo0, elo1, alpha, beta]) => Some(Sprt { elo0, elo1, alpha, beta }),
        _ => None,
    }
    .filter(Sprt::is_sound)
    .ok_or_else(|| "write ELO0,ELO1,ALPHA,BETA with ELO0 < ELO1 and errors below 0.5".to_owned())
}

/// Plays a match, or reports on one.
pub(super) fn run(line: &MatchLine, config: &Config, board: Option<&str>) -> anyhow::Result<()> {
    match (&line.command, &line.play) {
        (Some(MatchCommand::Report(args)), _) => match_report::run(args),
        (None, Some(args)) => play(args, config, board),
        (None, None) => bail!("give two players with --player, or `match report` and a folder"),
    }
}

/// The arguments of a match without anything before them.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Words {
    #[command(flatten)]
    args: MatchArgs,
}

/// Plays a match that is described as on the command line, or goes on with it, until it is over or told
/// to stop; prints nothing but its progress. Returns whether it is over.
pub(super) fn play_words(
    words: &[String],
    config: &Config,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<bool> {
    let Words { args } = Words::try_parse_from(words)?;
    let (standing, _) = contest(&args, config, None, stop)?;
    Ok(standing.decided.is_some() || standing.games >= standing.scheduled)
}

/// Plays a match, or goes on with it.
fn play(args: &MatchArgs, config: &Config, board: Option<&str>) -> anyhow::Result<()> {
    let (standing, info) = contest(args, config, board, &Arc::default())?;
    if args.json {
        return super::print_json(&json!(show::summary(&standing, &info, &args.out)));
    }
    super::print(&show::text(&standing, &info, &args.out))
}

fn contest(
    args: &MatchArgs,
    config: &Config,
    board: Option<&str>,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<(Standing, MatchInfo)> {
    let mut specs = args
        .players
        .iter()
        .map(|text| PlayerSpec::read(text).with_context(|| format!("in --player {text}")))
        .collect::<anyhow::Result<Vec<_>>>()?;
    ensure!(specs.len() >= 2, "a match needs two players: give --player twice");
    distinguish(&mut specs);
    let terms = args.terms(config, board)?;
    let schedule = args.schedule(specs.len())?;
    let seed = Seed::new(args.seed);
    let source = args.opening_source(terms.size)?;
    let ground = Ground { size: terms.size, rules: terms.rules, plies: args.opening_plies };
    let count = usize::try_from(schedule.openings()).context("too many games")?;
    let openings = source.1.openings(&ground, count, seed).context("in --openings")?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let team = players::gather(&specs, config, &terms, args.time)?;
    let concurrency = args.concurrency.map_or_else(|| (cores / team.threads).max(1), usize::from);
    let players = team.contestants(concurrency);
    let info = args.info(&specs, &terms, &schedule, source.0);
    let contest = Match {
        players,
        terms,
        schedule,
        shard: args.shard,
        openings,
        seed,
        concurrency,
        sprt: args.sprt,
        stop: Arc::clone(stop),
    };
    let (results, lines) = Results::open(&args.out, &info)?;
    let mut show = show::Show::new(&info.players, args.sprt, lines.len());
    let standing = contest.run(results, &lines, &mut show);
    show.finish();
    let standing = standing?;
    match_report::refresh(&args.out)?;
    Ok((standing, info))
}

impl MatchArgs {
    fn terms(&self, config: &Config, board: Option<&str>) -> anyhow::Result<Terms> {
        let size = match board.and_then(|text| text.split_once('x')) {
            Some((width, height)) => {
                let side = |text: &str| text.parse::<usize>().context("in --board");
                BoardSize::new(side(width)?, side(height)?).context("in --board")?
            }
            None => config.game.size(),
        };
        let rules = self.rules.unwrap_or_else(|| config.game.rules());
        let komi = match self.komi {
            Some(points) => Komi::from_points(points).context("in --komi")?,
            None => config.game.komi(),
        };
        let dead = match self.dead {
            Some(DeadKind::Agreement) => DeadBy::Agreement,
            Some(DeadKind::PlayOn) => DeadBy::PlayOn,
            Some(DeadKind::Judge) => DeadBy::Judge,
            Some(DeadKind::None) => DeadBy::Nobody,
            None => DeadBy::usual(&rules),
        };
        let max_moves = self.max_moves.map_or(3 * size.area(), |moves| moves as usize);
        let allowance = Duration::from_millis(self.allowance.min(60_000));
        let unlimited = Duration::from_secs(self.timeout.clamp(1, 1_000_000));
        let patience = Patience { unlimited, late: LATE };
        Ok(Terms { size, rules, komi, dead, max_moves, allowance, patience })
    }

    fn schedule(&self, players: usize) -> anyhow::Result<Schedule> {
        let pairing = match (players, self.schedule) {
            (2, _) => Pairing::Pairs,
            (_, Some(ScheduleKind::Gauntlet)) => Pairing::Gauntlet,
            (_, Some(ScheduleKind::RoundRobin) | None) => Pairing::RoundRobin,
        };
        if self.sprt.is_some() && players > 2 {
            bail!("--sprt compares two players: give two, or leave it out");
        }
        if self.sprt.is_some() && self.shard != Shard::WHOLE {
            bail!("--sprt must see all games: it cannot be used with --shard");
        }
        let usual = if self.sprt.is_some() { 20_000 } else { 100 };
        Ok(Schedule { players, pairing, games: self.games.unwrap_or(usual) })
    }

    /// Where openings come from, as text and as it is meant.
    fn opening_source(&self, size: BoardSize) -> anyhow::Result<(String, OpeningSource)> {
        let text = self.openings.clone().unwrap_or_else(|| match (size.area() / 20).min(4) {
            0 => "none".to_owned(),
            plies => format!("random:{plies}"),
        });
        let source = text.parse().context("in --openings")?;
        Ok((text, source))
    }

    fn info(
        &self,
        specs: &[PlayerSpec],
        terms: &Terms,
        schedule: &Schedule,
        openings: String,
    ) -> MatchInfo {
        let size = terms.size;
        MatchInfo {
            format: 1,
            players: specs.iter().map(|spec| spec.name.clone()).collect(),
            specs: specs.iter().map(|spec| spec.text.clone()).collect(),
            board: if size.is_square() { json!(size.width()) } else { json!(size.to_string()) },
            rules: terms.rules.name().unwrap_or("?").to_owned(),
            komi: f64::from(terms.komi.halves()) / 2.0,
            seed: self.seed,
            games: schedule.total(),
            schedule: schedule.pairing.to_string(),
            time: specs.iter().map(|spec| spec.time.unwrap_or(self.time).to_string()).collect(),
            openings,
            opening_plies: self.opening_plies,
            dead: terms.dead.to_string(),
            max_moves: terms.max_moves,
            allowance_ms: self.allowance,
            sprt: self.sprt,
            shard: [self.shard.part, self.shard.of],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_read() {
        assert_eq!(
            sprt("0, 10,0.05,0.1"),
            Ok(Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.1 })
        );
        assert_eq!(sprt("-5,0,0.05,0.05").unwrap().elo0.to_string(), "-5");
        for text in ["", "0,10", "10,0,0.05,0.05", "0,10,0,0.05", "0,10,0.6,0.05", "a,b,c,d"] {
            assert!(sprt(text).is_err(), "{text}");
        }
    }
}
