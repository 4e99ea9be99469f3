//! How a match stands, on a terminal, in lines, and as JSON.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;

use indicatif::ProgressBar;
use serde_json::{Value, json};

use crate::arena::{Audience, GameLine, MatchInfo, Standing};
use crate::cli::progress::{bar, left};
use crate::util::stats::{Sprt, elo_from_score, wilson};

/// Shows a match while it runs: a bar on a terminal, a line for each game elsewhere.
pub(super) struct Show {
    names: Vec<String>,
    sprt: Option<Sprt>,
    resumed: usize,
    /// Hidden where there is no terminal; it knows how long the match will take in any case.
    bar: ProgressBar,
}

impl Show {
    /// For a match of which some games have been played already.
    pub(super) fn new(names: &[String], sprt: Option<Sprt>, resumed: usize) -> Self {
        let bar = ProgressBar::new(0).with_style(bar("{bar:30} {pos}/{len} {msg} ({eta} left)"));
        Self { names: names.to_vec(), sprt, resumed, bar }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn score(&self, standing: &Standing) -> String {
        let mut text = tally(standing, &self.names);
        if let (Some(sprt), Some(ratio)) = (&self.sprt, standing.ratio) {
            let (low, high) = sprt.bounds();
            let _ = write!(text, ", LLR {ratio:.2} in [{low:.2}, {high:.2}]");
        }
        text
    }
}

impl Audience for Show {
    #[expect(clippy::print_stderr, reason = "progress for people; standard output is for results")]
    fn see(&mut self, standing: &Standing, last: Option<&GameLine>) {
        let bar = &self.bar;
        bar.set_position(standing.games);
        if last.is_none() {
            bar.set_length(standing.scheduled);
            bar.reset_eta();
        }
        if std::io::stderr().is_terminal() {
            bar.set_message(self.score(standing));
            return;
        }
        let Some(line) = last else {
            if self.resumed > 0 {
                eprintln!("going on after {} of {} games", standing.games, standing.scheduled);
            }
            return;
        };
        let name = |index: usize| self.names.get(index).map_or("?", String::as_str);
        eprintln!(
            "{}/{}: {} - {} {} | {}{}",
            standing.games,
            standing.scheduled,
            name(line.black),
            name(line.white),
            line.result,
            self.score(standing),
            left(bar),
        );
    }
}

/// Wins of each player.
fn tally(standing: &Standing, names: &[String]) -> String {
    let mut parts: Vec<_> = names
        .iter()
        .zip(standing.wins.iter().zip(&standing.losses))
        .map(|(name, (wins, losses))| match names.len() {
            2 => format!("{name} {wins}"),
            _ => format!("{name} {wins}-{losses}"),
        })
        .collect();
    if standing.draws > 0 {
        parts.push(format!("draws {}", standing.draws));
    }
    if standing.void > 0 {
        parts.push(format!("void {}", standing.void));
    }
    parts.join(", ")
}

/// The score of the first of two players: points and games.
fn points(standing: &Standing) -> (f64, f64) {
    let wins = standing.wins.first().copied().unwrap_or_default() as f64;
    let losses = standing.losses.first().copied().unwrap_or_default() as f64;
    let draws = standing.draws as f64;
    (wins + draws / 2.0, wins + losses + draws)
}

/// The end of a match in words.
pub(super) fn text(standing: &Standing, info: &MatchInfo, folder: &Path) -> String {
    let mut text = format!("{} games: {}\n", standing.games, tally(standing, &info.players));
    let (points, games) = points(standing);
    if info.players.len() == 2 && games > 0.0 {
        let interval = wilson(points, games);
        let _ = write!(
            text,
            "{} scores {:.1} % [{:.1}, {:.1}]",
            info.players[0],
            100.0 * points / games,
            100.0 * interval.low,
            100.0 * interval.high,
        );
        if let Some(elo) = elo_from_score(points / games) {
            let _ = write!(text, ", {elo:+.0} Elo");
        }
        text.push('\n');
    }
    if let Some(ratio) = standing.ratio {
        let verdict = standing.decided.map_or_else(|| "open".to_owned(), |v| format!("{v:?}"));
        let _ = writeln!(text, "sequential test: {verdict}, LLR {ratio:.2}");
    }
    for (name, count) in info.players.iter().zip(&standing.faults).filter(|(_, count)| **count > 0)
    {
        let _ = writeln!(text, "{name}: {count} faults");
    }
    let _ = writeln!(text, "results in {}", folder.display());
    text
}

/// The end of a match as JSON.
pub(super) fn summary(standing: &Standing, info: &MatchInfo, folder: &Path) -> Value {
    let (points, games) = points(standing);
    let score = (info.players.len() == 2 && games > 0.0).then(|| points / games);
    json!({
        "players": info.players,
        "scheduled": standing.scheduled,
        "games": standing.games,
        "wins": standing.wins,
        "losses": standing.losses,
        "draws": standing.draws,
        "void": standing.void,
        "faults": standing.faults,
        "score": score,
        "elo": score.and_then(elo_from_score),
        "pairs": standing.pairs,
        "llr": standing.ratio,
        "verdict": standing.decided,
        "out": folder.display().to_string(),
    })
}
