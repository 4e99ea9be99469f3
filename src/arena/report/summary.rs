//! What the games of a match say.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::histogram::{Histogram, round_width};
use super::links::link;
use super::pairing::{Pairing, pairings};
use super::read::{FoundGame, Results};
use crate::arena::{GameLine, MatchInfo, RECORDS, Reason, record_name};
use crate::util::stats::{Encounter, Moments, Rating, bradley_terry};

/// Classes of a chart.
const CLASSES: u64 = 24;

/// What is written to `summary.json`. Lists of players are in the order of `match.players`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The version of the format.
    pub format: u64,
    /// What was played.
    #[serde(rename = "match")]
    pub info: MatchInfo,
    /// Games that were played, those that do not count included.
    pub games: u64,
    /// Games that do not count.
    pub void: u64,
    /// Games that were there more than once.
    pub duplicates: u64,
    /// What could not be used, in words.
    pub warnings: Vec<String>,
    /// The players.
    pub players: Vec<PlayerSummary>,
    /// Those who met.
    pub pairings: Vec<Pairing>,
    /// Ratings, where there are more than two players.
    pub ratings: Option<RatingTable>,
    /// Wins of Black, draws, wins of White.
    pub colours: [u64; 3],
    /// How games ended, by the name of the reason.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Moves of a game.
    pub lengths: Spread,
    /// Games by their moves.
    pub length_histogram: Histogram,
    /// Mean time for a move by its number.
    pub time_by_move: TimeByMove,
    /// Moves by their simulations; a series for each player.
    pub simulation_histogram: Histogram,
    /// What went wrong.
    pub faults: Vec<FaultLine>,
    /// The games.
    pub list: Vec<ListedGame>,
}

/// One player over all its games.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlayerSummary {
    /// The name.
    pub name: String,
    /// Games that count.
    pub games: u64,
    /// Of these, won.
    pub wins: u64,
    /// Of these, drawn.
    pub draws: u64,
    /// Of these, lost.
    pub losses: u64,
    /// Wins, draws and losses with Black.
    pub as_black: [u64; 3],
    /// Wins, draws and losses with White.
    pub as_white: [u64; 3],
    /// Seconds for a move.
    pub seconds: Spread,
    /// Simulations of a move, where they are known.
    pub simulations: Spread,
    /// The share of their plans that searches did not use, where plans are known. Below 0 where
    /// rules have prolonged more than others have saved.
    pub saved: Option<f64>,
    /// Faults by kind.
    pub faults: BTreeMap<String, u64>,
}

/// Many numbers in a few; none of nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: Option<f64>,
    /// Their standard deviation.
    pub deviation: Option<f64>,
    /// The least.
    pub least: Option<f64>,
    /// The most.
    pub most: Option<f64>,
}

/// Ratings of more than two players.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingTable {
    /// Whether each player was given half a game drawn with an imaginary player.
    pub imagined: bool,
    /// By player.
    pub players: Vec<Rating>,
}

/// Mean time for a move by its number in the game: seconds, or simulations on a virtual clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TimeByMove {
    /// The first move of each class, from 1.
    pub starts: Vec<u64>,
    /// Moves in a class.
    pub width: u64,
    /// Mean time in each class by player; none where it made no move.
    pub mean: Vec<Vec<Option<f64>>>,
}

/// Something that a player did wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultLine {
    /// The number of the game.
    pub game: u64,
    /// The index of the player.
    pub player: usize,
    /// The move after which it happened.
    pub ply: usize,
    /// What it was.
    pub kind: String,
    /// In words.
    pub detail: String,
}

/// A game in a few words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedGame {
    /// Its number.
    pub game: u64,
    /// The number of its pair.
    pub pair: u64,
    /// The index of the player with Black.
    pub black: usize,
    /// The index of the player with White.
    pub white: usize,
    /// The index of the winner.
    pub winner: Option<usize>,
    /// As in SGF.
    pub result: String,
    /// How it came to that.
    pub reason: &'static str,
    /// Moves.
    pub plies: usize,
    /// Seconds used by Black and by White.
    pub seconds: [f64; 2],
    /// How many faults.
    pub faults: usize,
    /// A link to its record from the folder of the summary, if the record is there.
    pub sgf: Option<String>,
}

impl Summary {
    /// Counts. Links to records lead from the folder `out`.
    #[must_use]
    pub fn new(results: &Results, out: &Path) -> Self {
        let lines: Vec<&GameLine> = results.games.iter().map(|game| &game.line).collect();
        let info = results.info.clone();
        let pairings = pairings(&lines, info.sprt);
        let counted: Vec<&GameLine> = lines.iter().copied().filter(|line| counts(line)).collect();
        let lengths: Vec<u64> = counted.iter().map(|line| line.plies as u64).collect();
        let mut reasons = BTreeMap::new();
        for line in &lines {
            *reasons.entry(reason_name(line.reason)).or_default() += 1;
        }
        let folders: Vec<(&Path, String)> = results
            .directories
            .iter()
            .map(|directory| (directory.as_path(), link(out, directory)))
            .collect();
        Self {
            format: 1,
            games: lines.len() as u64,
            void: (lines.len() - counted.len()) as u64,
            duplicates: results.duplicates,
            warnings: results.warnings.clone(),
            players: players(&info, &lines),
            ratings: ratings(info.players.len(), &pairings),
            pairings,
            colours: colours(&counted),
            reasons,
            lengths: spread(lengths.iter().map(|length| *length as f64)),
            length_histogram: Histogram::new(&[lengths], CLASSES),
            time_by_move: time_by_move(&info, &lines),
            simulation_histogram: simulation_histogram(info.players.len(), &lines),
            faults: faults(&lines),
            list: results.games.iter().map(|game| listed(game, &folders)).collect(),
            info,
        }
    }

    /// Games that count.
    #[must_use]
    pub fn counted(&self) -> u64 {
        self.games - self.void
    }
}

/// Whether a game counts.
pub(super) fn counts(line: &GameLine) -> bool {
    line.reason != Reason::Void
}

/// As it stands in `games.jsonl`.
pub(super) const fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::Score => "score",
        Reason::NoMove => "no-move",
        Reason::Resignation => "resignation",
        Reason::Time => "time",
        Reason::Illegal => "illegal",
        Reason::Crash => "crash",
        Reason::Hang => "hang",
        Reason::Length => "length",
        Reason::Void => "void",
    }
}

/// Each move after the opening: its number in the game from 1, who made it, and its index.
fn own_moves(line: &GameLine) -> impl Iterator<Item = (u64, usize, usize)> + '_ {
    (0..line.seconds.len().max(line.simulations.len())).map(|index| {
        let ply = line.opening_plies.saturating_add(index);
        let player = if ply % 2 == 0 { line.black } else { line.white };
        (ply as u64 + 1, player, index)
    })
}

/// What a move took of its clock: seconds, or simulations on a virtual clock.
fn used(info: &MatchInfo, line: &GameLine, player: usize, index: usize) -> Option<f64> {
    if is_virtual(info, player) {
        line.simulations.get(index).copied().flatten().map(|count| count as f64)
    } else {
        line.seconds.get(index).copied()
    }
}

/// Whether simulations are a player's time.
pub(super) fn is_virtual(info: &MatchInfo, player: usize) -> bool {
    info.time.get(player).is_some_and(|time| time.starts_with("simulations:"))
}

fn spread(numbers: impl Iterator<Item = f64> + Clone) -> Spread {
    let moments: Moments = numbers.clone().collect();
    Spread {
        count: moments.count(),
        mean: moments.mean(),
        deviation: moments.variance().map(f64::sqrt),
        least: numbers.clone().min_by(f64::total_cmp),
        most: numbers.max_by(f64::total_cmp),
    }
}

fn players(info: &MatchInfo, lines: &[&GameLine]) -> Vec<PlayerSummary> {
    let names = &info.players;
    let empty = |name: &String| PlayerSummary { name: name.clone(), ..PlayerSummary::default() };
    let mut players: Vec<PlayerSummary> = names.iter().map(empty).collect();
    let (mut seconds, mut simulations) = (vec![vec![]; names.len()], vec![vec![]; names.len()]);
    let mut plans = vec![[0.0; 2]; names.len()];
    for line in lines {
        for (_, player, index) in own_moves(line) {
            seconds[player].extend(line.seconds.get(index).copied());
            let known = line.simulations.get(index).copied().flatten();
            simulations[player].extend(known.map(|count| count as f64));
            let planned = line.planned.get(index).copied().flatten();
            if let Some((planned, used)) = planned.zip(used(info, line, player, index)) {
                plans[player][0] += planned;
                plans[player][1] += used;
            }
        }
        for fault in &line.faults {
            *players[fault.player].faults.entry(fault.kind.clone()).or_default() += 1;
        }
        if !counts(line) {
            continue;
        }
        for player in [line.black, line.white] {
            let entry = &mut players[player];
            let place = match line.winner {
                Some(winner) if winner == player => 0,
                None => 1,
                Some(_) => 2,
            };
            entry.games += 1;
            *[&mut entry.wins, &mut entry.draws, &mut entry.losses][place] += 1;
            let side = if player == line.black { &mut entry.as_black } else { &mut entry.as_white };
            side[place] += 1;
        }
    }
    for (index, player) in players.iter_mut().enumerate() {
        player.seconds = spread(seconds[index].iter().copied());
        player.simulations = spread(simulations[index].iter().copied());
        let [planned, used] = plans[index];
        player.saved = (planned > 0.0).then(|| 1.0 - used / planned);
    }
    players
}

fn ratings(players: usize, pairings: &[Pairing]) -> Option<RatingTable> {
    let encounter = |pairing: &Pairing| Encounter {
        first: pairing.first,
        second: pairing.second,
        games: pairing.outcomes.games() as f64,
        points: pairing.outcomes.points(),
    };
    (players > 2).then(|| {
        let encounters: Vec<Encounter> = pairings.iter().map(encounter).collect();
        let ratings = bradley_terry(players, &encounters);
        RatingTable { imagined: ratings.imagined, players: ratings.players }
    })
}

fn colours(counted: &[&GameLine]) -> [u64; 3] {
    let mut colours = [0; 3];
    for line in counted {
        let place = match line.winner {
            Some(winner) if winner == line.black => 0,
            None => 1,
            Some(_) => 2,
        };
        colours[place] += 1;
    }
    colours
}

fn time_by_move(info: &MatchInfo, lines: &[&GameLine]) -> TimeByMove {
    let players = info.players.len();
    let moves = || {
        lines.iter().flat_map(|line| {
            own_moves(line).filter_map(|(number, player, index)| {
                Some((number, player, used(info, line, player, index)?))
            })
        })
    };
    let Some(last) = moves().map(|(number, _, _)| number).max() else {
        return TimeByMove { mean: vec![Vec::new(); players], ..TimeByMove::default() };
    };
    let width = round_width(0, last - 1, CLASSES);
    let classes = (last - 1) / width + 1;
    let mut means: Vec<BTreeMap<u64, Moments>> = vec![BTreeMap::new(); players];
    for (number, player, time) in moves() {
        means[player].entry((number - 1) / width).or_default().push(time);
    }
    let mean = |found: &BTreeMap<u64, Moments>| {
        (0..classes).map(|class| found.get(&class).and_then(Moments::mean)).collect()
    };
    TimeByMove {
        starts: (0..classes).map(|class| class * width + 1).collect(),
        width,
        mean: means.iter().map(mean).collect(),
    }
}

fn simulation_histogram(players: usize, lines: &[&GameLine]) -> Histogram {
    let mut series = vec![Vec::new(); players];
    for line in lines {
        for (_, player, index) in own_moves(line) {
            series[player].extend(line.simulations.get(index).copied().flatten());
        }
    }
    Histogram::new(&series, CLASSES)
}

fn faults(lines: &[&GameLine]) -> Vec<FaultLine> {
    let of = |line: &&GameLine| {
        let game = line.game;
        let faults = line.faults.clone().into_iter();
        faults.map(move |fault| FaultLine {
            game,
            player: fault.player,
            ply: fault.ply,
            kind: fault.kind,
            detail: fault.detail,
        })
    };
    lines.iter().flat_map(of).collect()
}

fn listed(found: &FoundGame, folders: &[(&Path, String)]) -> ListedGame {
    let line = &found.line;
    let (directory, link) = &folders[found.directory];
    let name = record_name(line.game);
    let there = directory.join(RECORDS).join(&name).is_file();
    let mut seconds = [0.0; 2];
    for (_, player, index) in own_moves(line) {
        seconds[usize::from(player == line.white)] += line.seconds.get(index).unwrap_or(&0.0);
    }
    ListedGame {
        game: line.game,
        pair: line.pair,
        black: line.black,
        white: line.white,
        winner: line.winner,
        result: line.result.clone(),
        reason: reason_name(line.reason),
        plies: line.plies,
        seconds,
        faults: line.faults.len(),
        sgf: there.then(|| format!("{link}{RECORDS}/{name}")),
    }
}
