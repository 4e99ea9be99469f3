//! `tedomari score`: what is dead, who owns what, and who wins a position of a game.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use serde_json::{Value, json};

use super::review::{EffortFlags, clock};
use super::{print, print_json};
use crate::app::review::{GameFile, Minds};
use crate::config::Config;
use crate::game::{Color, Game, Position};
use crate::review::{Analyst, Basis, Estimate};

#[derive(Debug, Args)]
pub(super) struct ScoreArgs {
    /// The game
    #[arg(value_name = "GAME.sgf")]
    file: PathBuf,
    /// The position after so many moves; -10 for the one ten moves before the end [default: the last one]
    #[arg(long = "move", value_name = "N", allow_negative_numbers = true)]
    at: Option<i64>,
    #[command(flatten)]
    effort: EffortFlags,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ScoreArgs, config: &Config) -> anyhow::Result<()> {
    let game = GameFile::read(&args.file, config)?;
    let moves = args.moves(&game)?;
    let position = &game.positions[moves];
    let mind = Minds::new(config).of(&game)?;
    let clock = clock();
    let analyst =
        Analyst { evaluator: mind.evaluator, params: config.engine().search, clock: &clock };
    let (effort, _) = args.effort.for_each(1);
    let found = Estimate::of(position, &analyst, effort)?;
    if args.json {
        return print_json(&to_json(&game, moves, &mind.name, &found));
    }
    print(&to_text(&game, moves, &mind.name, &found))
}

impl ScoreArgs {
    /// The number of moves before the position.
    fn moves(&self, game: &GameFile) -> anyhow::Result<usize> {
        let all = game.record.moves.len();
        let wanted = match self.at {
            None => Some(all),
            Some(back) if back < 0 => {
                usize::try_from(back.unsigned_abs()).ok().and_then(|back| all.checked_sub(back))
            }
            Some(moves) => usize::try_from(moves).ok().filter(|&moves| moves <= all),
        };
        let at = self.at.unwrap_or_default();
        ensure!(
            wanted.is_some(),
            "there is no position for --move {at}: the game has {all} moves, allowed is -{all} to {all}"
        );
        Ok(wanted.unwrap_or(all))
    }
}

/// What a point looks like, one letter for each.
fn picture(position: &Position, found: &Estimate, at: usize) -> char {
    let size = position.size();
    let Some(point) = size.point_at_offset(at) else { return ' ' };
    match position.board().stone(point) {
        Some(Color::Black) if found.dead.contains(point) => 'x',
        Some(Color::White) if found.dead.contains(point) => 'o',
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
        None if found.territory[0].contains(point) => '+',
        None if found.territory[1].contains(point) => '-',
        None if found.open.contains(point) => '?',
        None => '.',
    }
}

fn diagram(position: &Position, found: &Estimate) -> String {
    let (width, height) = (position.size().width(), position.size().height());
    let letters: String = ('A'..='Z')
        .filter(|&letter| letter != 'I')
        .take(width)
        .flat_map(|letter| [' ', letter])
        .collect();
    let mut text = format!("  {letters}\n");
    for row in 0..height {
        let line: String = (0..width)
            .flat_map(|column| [' ', picture(position, found, row * width + column)])
            .collect();
        let number = height - row;
        let _ = writeln!(text, "{number:>2}{line} {number}");
    }
    let _ = writeln!(text, "  {letters}");
    text
}

/// The result as records have it.
fn result(found: &Estimate) -> String {
    match (found.score, found.winner) {
        (Some(score), _) => score.to_string(),
        (None, Some(winner)) => format!("{}+", winner.letter()),
        (None, None) => "0".to_owned(),
    }
}

/// Stones, by colour, as vertices.
fn dead(position: &Position, found: &Estimate, color: Color) -> Vec<String> {
    let own = found.dead.iter().filter(|&point| position.board().stone(point) == Some(color));
    own.map(|point| position.size().vertex(point).to_string()).collect()
}

fn to_text(game: &GameFile, moves: usize, mind: &str, found: &Estimate) -> String {
    let position = &game.positions[moves];
    let all = game.record.moves.len();
    let rules = game.rules.name().unwrap_or("other");
    let mut text = format!("{}, after {moves} of {all} moves, {rules} rules", game.name());
    let is_go = game.rules.game == Game::Go;
    if is_go {
        let _ = write!(text, ", komi {}", game.komi);
    }
    let _ = writeln!(text, "\n\n{}", diagram(position, found));
    if is_go {
        text.push_str(
            "X O stones, x o dead stones, + Black's territory, - White's, . neutral, ? open\n\n",
        );
    }
    let why = match found.basis {
        Basis::Rules => "by the rules: the game is over".to_owned(),
        Basis::Judged if position.is_over() => "two passes have ended the game".to_owned(),
        Basis::Judged => "nothing is left to play".to_owned(),
        Basis::Search => format!(
            "the game goes on: by a search with {mind}, Black wins {:.1} %",
            100.0 * found.win_rate.unwrap_or(0.5)
        ),
    };
    let _ = writeln!(text, "{}, {:.0} % sure ({why})", result(found), 100.0 * found.confidence);
    for color in Color::BOTH {
        let stones = dead(position, found, color);
        if !stones.is_empty() {
            let _ = writeln!(text, "dead {color} stones: {}", stones.join(" "));
        }
    }
    for warning in &game.warnings {
        let _ = writeln!(text, "note: {warning}");
    }
    text
}

fn to_json(game: &GameFile, moves: usize, mind: &str, found: &Estimate) -> Value {
    let position = &game.positions[moves];
    let size = position.size();
    let names = |points: Vec<crate::game::Point>| -> Vec<String> {
        points.into_iter().map(|point| size.vertex(point).to_string()).collect()
    };
    let territory = |color: Color| names(found.territory[color.index()].iter().collect());
    let neutral = size.points().enumerate().filter(|&(at, _)| picture(position, found, at) == '.');
    let known = found.ownership.samples() > 0;
    let share = |point| (f64::from(found.ownership.of(Color::Black, point)) * 1e4).round() / 1e4;
    json!({
        "file": game.name(),
        "move": moves,
        "moves": game.record.moves.len(),
        "width": size.width(),
        "height": size.height(),
        "game": game.rules.game.to_string(),
        "rules": game.rules.name(),
        "komi": game.komi.points(),
        "evaluator": mind,
        "basis": found.basis.name(),
        "result": result(found),
        "winner": found.winner.map(|color| color.to_string()),
        "score": found.score.map(crate::game::Score::points),
        "confidence": (found.confidence * 1e4).round() / 1e4,
        "win_rate": found.win_rate.map(|rate| (rate * 1e4).round() / 1e4),
        "dead": { "black": dead(position, found, Color::Black), "white": dead(position, found, Color::White) },
        "territory": { "black": territory(Color::Black), "white": territory(Color::White) },
        "neutral": names(neutral.map(|(_, point)| point).collect()),
        "open": names(found.open.iter().collect()),
        "ownership": size.points().filter(|_| known).map(share).collect::<Vec<_>>(),
        "warnings": game.warnings,
    })
}
