//! `tedomari review`: what each move of a game was worth, as a page, a record and JSON.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};

use super::progress::Bars;
use super::{print, print_json, stop};
use crate::app::progress::{Display as _, Progress};
use crate::app::review::{FILES, GameFile, Minds, Task, Watch, folders};
use crate::chart::{Page, card, escaped};
use crate::config::Config;
use crate::game::Color;
use crate::review::{Effort, Phase, Review};
use crate::util::write_atomically;

/// Simulations of a search.
const VISITS: u64 = 400;

/// Moves that the summary names.
const NAMED: usize = 5;

#[derive(Debug, Args)]
pub(super) struct ReviewArgs {
    /// The games
    #[arg(value_name = "GAME.sgf", required = true)]
    games: Vec<PathBuf>,
    /// The folder for the reviews; of several games each gets a folder in it
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    effort: EffortFlags,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How much is spent on searches.
#[derive(Debug, Args)]
pub(super) struct EffortFlags {
    /// Simulations of each search [default: 400]
    #[arg(long, value_name = "N", conflicts_with = "budget", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    visits: Option<u64>,
    /// Time for all searches together instead, such as 60s, 5m or 1h
    #[arg(long, value_name = "TIME")]
    budget: Option<Spent>,
}

impl EffortFlags {
    /// What is spent on each of so many positions, also in words.
    pub(super) fn for_each(&self, positions: usize) -> (Effort, String) {
        if let Some(Spent(time)) = self.budget {
            let each = time / u32::try_from(positions.max(1)).unwrap_or(u32::MAX);
            return (Effort::Time(each), format!("{:.2} s a position", each.as_secs_f64()));
        }
        let visits = self.visits.unwrap_or(VISITS);
        (Effort::Visits(visits), format!("{visits} visits a position"))
    }
}

/// A time such as `60s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spent(Duration);

impl FromStr for Spent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
            Some(number) => (number, &text[number.len()..]),
            None => (text, "s"),
        };
        let factor = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            _ => 1.0,
        };
        let seconds = number.parse::<f64>().map(|number| number * factor);
        match seconds {
            Ok(seconds) if (0.1..=1e6).contains(&seconds) => {
                Ok(Self(Duration::from_secs_f64(seconds)))
            }
            _ => Err("write a time such as 60s, 5m or 1h, of at least 0.1s".to_owned()),
        }
    }
}

/// The time since now.
#[expect(clippy::disallowed_methods, reason = "searches within a time need a clock")]
pub(super) fn clock() -> impl Fn() -> Duration {
    let begin = Instant::now();
    move || begin.elapsed()
}

pub(super) fn run(args: &ReviewArgs, config: &Config) -> anyhow::Result<()> {
    let games: Vec<_> =
        args.games.iter().map(|path| GameFile::read(path, config)).collect::<Result<_, _>>()?;
    let folders = folders(&games, &args.out)?;
    let positions: usize = games.iter().map(|game| game.positions.len()).sum();
    let (effort, effort_text) = args.effort.for_each(positions);
    let (mut minds, clock, flag) = (Minds::new(config), clock(), stop::flag(None)?);
    let mut watch = Bar {
        progress: Bars.begin("review", positions as u64, "positions"),
        flag: &flag,
        done: 0,
        replaced: false,
    };
    let mut reviews = Vec::new();
    for (game, folder) in games.iter().zip(folders) {
        let mind = minds.of(game)?;
        let params = config.engine().search;
        let task = Task { game, mind, params, effort, effort_text: effort_text.clone(), folder };
        let found =
            task.run(&clock, &mut watch).with_context(|| format!("in {}", game.path.display()))?;
        let Some(review) = found else {
            watch.progress.end();
            bail!(
                "stopped with {} of {positions} positions analysed: the same command goes on there",
                watch.done
            );
        };
        reviews.push((task.folder, review));
    }
    watch.progress.end();
    if reviews.len() > 1 {
        let path = args.out.join("index.html");
        write_atomically(&path, index(&reviews).as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.json {
        return print_json(&to_json(&games, &reviews, watch.replaced));
    }
    print(&to_text(&games, &reviews, watch.replaced))
}

/// Shows how far the work is, and ends it when the process is told to end.
struct Bar<'a> {
    progress: Box<dyn Progress>,
    flag: &'a AtomicBool,
    done: u64,
    replaced: bool,
}

impl Watch for Bar<'_> {
    fn begin(&mut self, known: usize, replaced: bool) {
        self.done += known as u64;
        self.replaced |= replaced;
        if known > 0 {
            self.progress.begin_at(self.done);
        }
    }

    fn goes_on(&mut self) -> bool {
        self.done += 1;
        self.progress.set(self.done, String::new());
        !self.flag.load(Ordering::Relaxed)
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", 100.0 * share))
}

fn to_text(games: &[GameFile], reviews: &[(PathBuf, Review)], replaced: bool) -> String {
    let mut text = String::new();
    if replaced {
        text.push_str("The game, the network or the effort is another one than before: everything was analysed anew.\n");
    }
    for (game, (folder, review)) in games.iter().zip(reviews) {
        let _ = writeln!(
            text,
            "{} ({}, {})",
            game.name(),
            review.subject.evaluator,
            review.subject.effort
        );
        for warning in &game.warnings {
            let _ = writeln!(text, "  note: {warning}");
        }
        let _ = writeln!(
            text,
            "  {:<7}{:>9}{:>9}{:>9}{:>9}{:>10}{:>10}{:>9}{:>9}",
            "",
            "accuracy",
            "opening",
            "middle",
            "endgame",
            "doubtful",
            "mistakes",
            "blunders",
            "points"
        );
        for (color, player) in Color::BOTH.into_iter().zip(&review.players) {
            let phases = Phase::ALL.iter().zip(player.accuracy_by_phase);
            let phases: Vec<_> =
                phases.map(|(_, share)| format!("{:>9}", percent(share))).collect();
            let phases = phases.concat();
            let [doubtful, mistakes, blunders] = player.grades;
            let points =
                player.points_lost.map_or_else(|| "-".to_owned(), |lost| format!("-{lost:.2}"));
            let _ = writeln!(
                text,
                "  {:<7}{:>9}{phases}{doubtful:>10}{mistakes:>10}{blunders:>9}{points:>9}",
                color.to_string(),
                percent(player.accuracy),
            );
        }
        for &place in review.worst.iter().take(NAMED) {
            let turn = &review.turns[place];
            let better = review.findings[place].moves.iter().find(|found| found.mv != turn.mv);
            let better =
                better.map_or_else(String::new, |better| format!(", {} was better", better.mv));
            let points = turn
                .loss
                .points
                .map_or_else(String::new, |points| format!(" and {points:.1} points"));
            let _ = writeln!(
                text,
                "  move {}, {} {}: lost {:.1} %{points}{better}",
                turn.number,
                turn.color,
                turn.mv,
                100.0 * turn.loss.win_rate,
            );
        }
        for name in FILES {
            let _ = writeln!(text, "  {}", folder.join(name).display());
        }
    }
    text
}

fn to_json(games: &[GameFile], reviews: &[(PathBuf, Review)], replaced: bool) -> Value {
    let one = |(game, (folder, review)): (&GameFile, &(PathBuf, Review))| {
        let files: Vec<_> =
            FILES.iter().map(|name| folder.join(name).display().to_string()).collect();
        let worst: Vec<_> = review.worst.iter().map(|&place| &review.turns[place]).collect();
        json!({
            "file": game.name(),
            "evaluator": review.subject.evaluator,
            "effort": review.subject.effort,
            "moves": review.turns.len(),
            "players": { "black": review.players[0], "white": review.players[1] },
            "worst": worst,
            "files": files,
            "warnings": game.warnings,
        })
    };
    let games: Vec<_> = games.iter().zip(reviews).map(one).collect();
    json!({ "games": games, "replaced": replaced })
}

/// A page with links to the reviews of several games.
fn index(reviews: &[(PathBuf, Review)]) -> String {
    let row = |(folder, review): &(PathBuf, Review)| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let player = |color: Color| {
            let player = &review.players[color.index()];
            let name = player.name.clone().unwrap_or_else(|| color.to_string());
            format!(
                "<td class=\"t\">{} <small>{}</small></td>",
                escaped(&name),
                percent(player.accuracy)
            )
        };
        let result = review.subject.record.result.map(|result| result.to_string());
        format!(
            "<tr><td class=\"t\"><a href=\"{}/{}\">{}</a></td>{}{}<td>{}</td><td>{}</td></tr>",
            url(&name),
            FILES[0],
            escaped(&name),
            player(Color::Black),
            player(Color::White),
            escaped(&result.unwrap_or_else(|| "-".to_owned())),
            review.turns.len(),
        )
    };
    let rows: String = reviews.iter().map(row).collect();
    let table = format!(
        "<div class=\"scroll\"><table><thead><tr><th class=\"t\">game</th><th class=\"t\">Black</th>\
         <th class=\"t\">White</th><th>result</th><th>moves</th></tr></thead><tbody>{rows}</tbody></table></div>"
    );
    Page {
        title: "Reviews",
        header: &format!("<h1>{} games</h1>", reviews.len()),
        body: &format!("<div class=\"grid\">{}</div>", card("", "Reviews", &table)),
        footer: "Below the names is the accuracy. Made by <code>tedomari review</code>.",
    }
    .html()
}

/// A name in a link.
fn url(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    name.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        let seconds = |text: &str| text.parse::<Spent>().map(|spent| spent.0.as_secs_f64());
        for (text, expected) in [("60s", 60.0), ("1.5m", 90.0), ("1h", 3600.0), ("7", 7.0)] {
            assert_eq!(seconds(text), Ok(expected));
        }
        for text in ["", "s", "-5s", "0", "nan", "5d", "1e300h"] {
            assert!(seconds(text).unwrap_err().contains("60s"), "{text}");
        }
    }

    #[test]
    fn names_with_spaces_are_links() {
        assert_eq!(url("a b/ü.x"), "a%20b%2F%C3%BC.x");
    }
}
