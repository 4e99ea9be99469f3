//! `tedomari match`: games between players, with a referee.

mod show;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::match_report;
use crate::app::matches::{self, MatchSpec, PlayedMatch};
use crate::arena::{DeadBy, Pairing, PlayerSpec, Shard, TimeControl};
use crate::config::Config;
use crate::game::{BoardSize, Komi, Rules};
use crate::util::stats::Sprt;

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
    #[arg(long, value_name = "NUMBER", default_value_t = MatchSpec::SEED)]
    seed: u64,
    /// Openings: none, random:PLIES, a file with the moves of one in each line, or a folder of SGF
    /// files [default: a few random plies]
    #[arg(long, value_name = "SOURCE")]
    openings: Option<String>,
    /// Moves that are taken from SGF files
    #[arg(long, value_name = "NUMBER", default_value_t = MatchSpec::OPENING_PLIES)]
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
    #[arg(long, value_name = "MS", default_value_t = MatchSpec::ALLOWANCE_MS)]
    allowance: u64,
    /// Seconds that a player without a clock may take for a move
    #[arg(long, value_name = "SECONDS", default_value_t = MatchSpec::TIMEOUT_SECONDS)]
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

/// Plays a match, or goes on with it.
fn play(args: &MatchArgs, config: &Config, board: Option<&str>) -> anyhow::Result<()> {
    let played = play_match(args.spec(board)?, &args.out, config, &Arc::default())?;
    let PlayedMatch { standing, info, .. } = played;
    if args.json {
        return super::print_json(&json!(show::summary(&standing, &info, &args.out)));
    }
    super::print(&show::text(&standing, &info, &args.out))
}

/// Plays a match, or goes on with it, until it is over or told to stop, and shows how it stands on standard
/// error.
pub fn play_match(
    spec: MatchSpec,
    out: &Path,
    config: &Config,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<PlayedMatch> {
    let prepared = matches::prepare(spec, out, config, stop)?;
    let info = &prepared.info;
    let mut show = show::Show::new(&info.players, info.sprt, prepared.resumed());
    let played = prepared.play(&mut show);
    show.finish();
    played
}

impl MatchArgs {
    fn spec(&self, board: Option<&str>) -> anyhow::Result<MatchSpec> {
        let read =
            |text: &String| PlayerSpec::read(text).with_context(|| format!("in --player {text}"));
        let players = self.players.iter().map(read).collect::<anyhow::Result<_>>()?;
        let komi = self.komi.map(Komi::from_points).transpose().context("in --komi")?;
        Ok(MatchSpec {
            players,
            size: rectangle(board)?,
            rules: self.rules,
            komi,
            time: self.time,
            games: self.games,
            pairing: self.schedule.map(|schedule| match schedule {
                ScheduleKind::RoundRobin => Pairing::RoundRobin,
                ScheduleKind::Gauntlet => Pairing::Gauntlet,
            }),
            sprt: self.sprt,
            shard: self.shard,
            seed: self.seed,
            openings: self.openings.clone(),
            opening_plies: self.opening_plies,
            concurrency: self.concurrency.map(usize::from),
            dead: self.dead.map(|dead| match dead {
                DeadKind::Agreement => DeadBy::Agreement,
                DeadKind::PlayOn => DeadBy::PlayOn,
                DeadKind::Judge => DeadBy::Judge,
                DeadKind::None => DeadBy::Nobody,
            }),
            max_moves: self.max_moves.map(|moves| moves as usize),
            allowance: Duration::from_millis(self.allowance.min(60_000)),
            timeout: Duration::from_secs(self.timeout.clamp(1, 1_000_000)),
        })
    }
}

/// A board that is written as `WxH`; others are in the configuration.
fn rectangle(board: Option<&str>) -> anyhow::Result<Option<BoardSize>> {
    let Some((width, height)) = board.and_then(|text| text.split_once('x')) else {
        return Ok(None);
    };
    let side = |text: &str| text.parse::<usize>().context("in --board");
    BoardSize::new(side(width)?, side(height)?).map(Some).context("in --board")
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
