//! Matches: from a description as a whole to games and their summary.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::json;

use super::players;
use crate::arena::report::{Summary, write};
use crate::arena::{
    Audience, DeadBy, Ground, Match, MatchInfo, OpeningSource, Pairing, Patience, PlayerSpec,
    Results, Schedule, Shard, Standing, Terms, TimeControl, distinguish, report,
};
use crate::config::Config;
use crate::game::{BoardSize, Komi, Rules};
use crate::util::stats::Sprt;
use crate::util::{Seed, make_folder};

/// How long a program may go on after its time is up before it counts as hanging.
const LATE: Duration = Duration::from_secs(5);

/// A match: who plays for how many games and by what terms. Fields that are `None` follow
/// from the others or from the configuration.
#[derive(Clone, Debug)]
pub struct MatchSpec {
    /// At least two players.
    pub players: Vec<PlayerSpec>,
    /// The board; that of the configuration if there is none.
    pub size: Option<BoardSize>,
    /// The rules; those of the configuration if there are none.
    pub rules: Option<Rules>,
    /// Points for White; those of the configuration if there are none.
    pub komi: Option<Komi>,
    /// The time of each player that has none of its own.
    pub time: TimeControl,
    /// Games of every two players that meet; with a sequential test the most there may be.
    pub games: Option<u64>,
    /// Who meets whom when there are more than two players.
    pub pairing: Option<Pairing>,
    /// The sequential test that may end the match.
    pub sprt: Option<Sprt>,
    /// The part of the match that is played.
    pub shard: Shard,
    /// Where random numbers start.
    pub seed: u64,
    /// Openings as users write them; a few random plies if there are none.
    pub openings: Option<String>,
    /// Moves that are taken from SGF files.
    pub opening_plies: usize,
    /// Games at the same time; as many as there are cores for if there is none.
    pub concurrency: Option<usize>,
    /// How dead stones are found.
    pub dead: Option<DeadBy>,
    /// Moves after which a game is counted as it stands.
    pub max_moves: Option<usize>,
    /// Time of every move that is not charged to the clock.
    pub allowance: Duration,
    /// Time that a player without a clock may take for a move.
    pub timeout: Duration,
}

impl MatchSpec {
    /// The default of the seed.
    pub const SEED: u64 = 1;
    /// The default of the moves that are taken from SGF files.
    pub const OPENING_PLIES: usize = 8;
    /// The default of the milliseconds of every move that are not charged.
    pub const ALLOWANCE_MS: u64 = 20;
    /// The default of the seconds for a move without a clock.
    pub const TIMEOUT_SECONDS: u64 = 600;

    /// A match of these players with everything else as usual.
    #[must_use]
    pub fn of(players: Vec<PlayerSpec>) -> Self {
        Self {
            players,
            size: None,
            rules: None,
            komi: None,
            time: TimeControl::NONE,
            games: None,
            pairing: None,
            sprt: None,
            shard: Shard::WHOLE,
            seed: Self::SEED,
            openings: None,
            opening_plies: Self::OPENING_PLIES,
            concurrency: None,
            dead: None,
            max_moves: None,
            allowance: Duration::from_millis(Self::ALLOWANCE_MS),
            timeout: Duration::from_secs(Self::TIMEOUT_SECONDS),
        }
    }

    fn terms(&self, config: &Config) -> Terms {
        let size = self.size.unwrap_or_else(|| config.game.size());
        let rules = self.rules.unwrap_or_else(|| config.game.rules());
        Terms {
            size,
            rules,
            komi: self.komi.unwrap_or_else(|| config.game.komi()),
            dead: self.dead.unwrap_or_else(|| DeadBy::usual(&rules)),
            max_moves: self.max_moves.unwrap_or(3 * size.area()),
            allowance: self.allowance,
            patience: Patience { unlimited: self.timeout, late: LATE },
        }
    }

    fn schedule(&self) -> anyhow::Result<Schedule> {
        let players = self.players.len();
        let pairing = match (players, self.pairing) {
            (2, _) => Pairing::Pairs,
            (_, None | Some(Pairing::Pairs)) => Pairing::RoundRobin,
            (_, Some(pairing)) => pairing,
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

    /// Where openings come from, as written and as read.
    fn opening_source(&self, size: BoardSize) -> anyhow::Result<(String, OpeningSource)> {
        let text = self.openings.clone().unwrap_or_else(|| match (size.area() / 20).min(4) {
            0 => "none".to_owned(),
            plies => format!("random:{plies}"),
        });
        let source = text.parse().context("in --openings")?;
        Ok((text, source))
    }

    /// The match in words, as its folder keeps it.
    pub(super) fn describe(&self, config: &Config) -> anyhow::Result<MatchInfo> {
        let terms = self.terms(config);
        let (openings, _) = self.opening_source(terms.size)?;
        Ok(self.info(&terms, &self.schedule()?, openings))
    }

    fn info(&self, terms: &Terms, schedule: &Schedule, openings: String) -> MatchInfo {
        let (specs, size) = (&self.players, terms.size);
        MatchInfo {
            format: 1,
            players: specs.iter().map(|spec| spec.name.clone()).collect(),
            specs: specs.iter().map(|spec| spec.text.clone()).collect(),
            board: if size.is_square() { json!(size.width()) } else { json!(size.to_string()) },
            rules: terms.rules.name().unwrap_or("?").to_owned(),
            komi: terms.komi.points(),
            seed: self.seed,
            games: schedule.total(),
            schedule: schedule.pairing.to_string(),
            time: specs.iter().map(|spec| spec.time.unwrap_or(self.time).to_string()).collect(),
            openings,
            opening_plies: self.opening_plies,
            dead: terms.dead.to_string(),
            max_moves: terms.max_moves,
            allowance_ms: u64::try_from(terms.allowance.as_millis()).unwrap_or(u64::MAX),
            sprt: self.sprt,
            shard: [self.shard.part, self.shard.of],
        }
    }
}

/// A match that is ready to be played, or to go on.
pub struct Prepared {
    contest: Match,
    results: Results,
    lines: Vec<crate::arena::GameLine>,
    folder: PathBuf,
    /// What the match is.
    pub info: MatchInfo,
}

impl Prepared {
    /// Games that were played before.
    #[must_use]
    pub fn resumed(&self) -> usize {
        self.lines.len()
    }

    /// Plays until the match is over or told to stop, and counts its games.
    pub fn play(self, audience: &mut dyn Audience) -> anyhow::Result<PlayedMatch> {
        let (folder, info) = (self.folder.clone(), self.info.clone());
        let standing = self.games(audience)?;
        let summary = count(&folder)?;
        Ok(PlayedMatch { standing, summary, info })
    }

    /// Plays until the match is over or told to stop, and writes no summary.
    pub(super) fn games(self, audience: &mut dyn Audience) -> anyhow::Result<Standing> {
        Ok(self.contest.run(self.results, &self.lines, audience)?)
    }
}

/// A match, or as much of it as was played.
pub struct PlayedMatch {
    /// How it stands.
    pub standing: Standing,
    /// What its games say.
    pub summary: Summary,
    /// What it is.
    pub info: MatchInfo,
}

/// Opens the folder of a match, which may hold a part of it already, and gathers its players.
pub fn prepare(
    mut spec: MatchSpec,
    out: &Path,
    config: &Config,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<Prepared> {
    ensure!(spec.players.len() >= 2, "a match needs two players: give --player twice");
    distinguish(&mut spec.players);
    let terms = spec.terms(config);
    let schedule = spec.schedule()?;
    let seed = Seed::new(spec.seed);
    let (text, source) = spec.opening_source(terms.size)?;
    let ground = Ground { size: terms.size, rules: terms.rules, plies: spec.opening_plies };
    let count = usize::try_from(schedule.openings()).context("too many games")?;
    let openings = source.openings(&ground, count, seed).context("in --openings")?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let team = players::gather(&spec.players, config, &terms, spec.time)?;
    let concurrency = spec.concurrency.unwrap_or_else(|| (cores / team.threads).max(1));
    let players = team.contestants(concurrency);
    let info = spec.info(&terms, &schedule, text);
    let contest = Match {
        players,
        terms,
        schedule,
        shard: spec.shard,
        openings,
        seed,
        concurrency,
        sprt: spec.sprt,
        stop: Arc::clone(stop),
    };
    let (results, lines) = Results::open(out, &info)?;
    Ok(Prepared { contest, results, lines, folder: out.to_owned(), info })
}

/// What the games of a match in a folder say; the summaries there are written anew.
pub fn count(folder: &Path) -> anyhow::Result<Summary> {
    let results = report::Results::read(&[folder.to_owned()])?;
    Ok(summarise(&results, folder)?.0)
}

/// Counts results and writes the summaries into a folder: what they say, and the files.
pub fn summarise(results: &report::Results, out: &Path) -> anyhow::Result<(Summary, Vec<PathBuf>)> {
    let cannot = || format!("cannot write the summary to {}", out.display());
    make_folder(out).with_context(cannot)?;
    write(results, out).with_context(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(players: usize) -> MatchSpec {
        let player = PlayerSpec::read("tedomari").unwrap();
        MatchSpec::of(vec![player; players])
    }

    #[test]
    fn a_schedule_follows_from_the_players() {
        let pairing =
            |players, pairing| MatchSpec { pairing, ..spec(players) }.schedule().unwrap().pairing;
        assert_eq!(pairing(2, Some(Pairing::Gauntlet)), Pairing::Pairs);
        assert_eq!(pairing(3, None), Pairing::RoundRobin);
        assert_eq!(pairing(3, Some(Pairing::Gauntlet)), Pairing::Gauntlet);
    }

    #[test]
    fn a_sequential_test_is_of_two_players_and_sees_all_games() {
        let sprt = Some(Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 });
        let two = MatchSpec { sprt, ..spec(2) };
        assert_eq!(two.schedule().unwrap().games, 20_000);
        assert!(MatchSpec { sprt, ..spec(3) }.schedule().is_err());
        let shard = Shard { part: 1, of: 2 };
        assert!(MatchSpec { shard, ..two }.schedule().is_err());
    }
}
