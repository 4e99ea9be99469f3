//! `tedomari record`: games to learn from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use indicatif::ProgressBar;
use serde_json::json;

use super::progress::bar;
use super::settings::side;
use super::{print, print_json};
use crate::app::import::{self, IMPORT_SEED, ImportSpec};
use crate::config::Config;
use crate::game::{BoardSize, Rules};
use crate::record::{
    Contents, Filters, ImportSummary, Rating, ResultFilter, ScoreTrust, Shard, shard_files,
};

#[derive(Debug, Subcommand)]
pub(super) enum RecordCommand {
    /// Make shards of games from SGF
    Import(Box<ImportArgs>),
    /// Have a teacher label positions of games: moves, win rate, score and owners
    Label(Box<super::label::LabelArgs>),
    /// Tell what is in shards
    Info(InfoArgs),
}

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// .sgf with one game, .sgfs with one on each line, .gz of either, or folders of them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Folder to write to
    #[arg(long)]
    out: PathBuf,
    /// Take games of players that are both at least so strong: points such as 2400, or a rank
    #[arg(long)]
    min_rating: Option<Rating>,
    /// Take games from this day on, YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_parser = date)]
    since: Option<String>,
    /// Take games up to this day
    #[arg(long, value_parser = date)]
    until: Option<String>,
    /// Take games with at least so many moves
    #[arg(long, default_value_t = 10)]
    min_moves: usize,
    /// Take games with at most so many moves
    #[arg(long)]
    max_moves: Option<usize>,
    /// What must be known of the result
    #[arg(long, value_enum, default_value_t = ResultArg::Any)]
    result: ResultArg,
    /// Which scores are learnt: those that the last board agrees to, or as written
    #[arg(long, value_enum, default_value_t = ScoresArg::Agreed)]
    scores: ScoresArg,
    /// Play by these rules; else by the record's, or Chinese ones
    #[arg(long)]
    rules: Option<Rules>,
    /// Take at most so many games
    #[arg(long)]
    games: Option<usize>,
    /// Share of the games that goes to OUT/holdout
    #[arg(long, default_value_t = 0.02, value_parser = share)]
    holdout: f64,
    /// Decides which games are held out
    #[arg(long, default_value_t = IMPORT_SEED)]
    seed: u64,
    /// Games in one file
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games_per_shard: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ResultArg {
    Any,
    Known,
    Counted,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScoresArg {
    Agreed,
    Written,
}

#[derive(Debug, Args)]
pub(super) struct InfoArgs {
    /// Shards, or folders of them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn date(text: &str) -> Result<String, String> {
    let parts: Vec<_> = text.split('-').collect();
    let digits =
        |part: &&str, count| part.len() == count && part.bytes().all(|b| b.is_ascii_digit());
    let good = match &parts[..] {
        [year] => digits(year, 4),
        [year, month] => digits(year, 4) && digits(month, 2),
        [year, month, day] => digits(year, 4) && digits(month, 2) && digits(day, 2),
        _ => false,
    };
    if good { Ok(text.to_owned()) } else { Err("write YYYY, YYYY-MM or YYYY-MM-DD".to_owned()) }
}

/// Reads a share of a whole.
pub fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("allowed is 0 to 1".to_owned()) }
}

/// `board` is what was said of the board on the command line: no other games are taken.
pub(super) fn run(
    command: &RecordCommand,
    config: &Config,
    board: Option<&str>,
) -> anyhow::Result<()> {
    match command {
        RecordCommand::Import(args) => import(args, board),
        RecordCommand::Label(args) => super::label::run(args, config),
        RecordCommand::Info(args) => info(args),
    }
}

impl ImportArgs {
    fn filters(&self, board: Option<&str>) -> anyhow::Result<Filters> {
        let side = board.map(side).transpose()?.map(|side| side.parse::<usize>());
        let side = side.transpose().context("in --board")?;
        let size = side.map(BoardSize::square).transpose().context("in --board")?;
        Ok(Filters {
            min_rating: self.min_rating,
            since: self.since.clone(),
            until: self.until.clone(),
            min_moves: self.min_moves,
            max_moves: self.max_moves,
            result: match self.result {
                ResultArg::Any => ResultFilter::Any,
                ResultArg::Known => ResultFilter::Known,
                ResultArg::Counted => ResultFilter::Counted,
            },
            size,
            rules: self.rules,
            scores: match self.scores {
                ScoresArg::Agreed => ScoreTrust::Agreed,
                ScoresArg::Written => ScoreTrust::Written,
            },
        })
    }
}

fn import(args: &ImportArgs, board: Option<&str>) -> anyhow::Result<()> {
    let spec = ImportSpec {
        files: args.files.clone(),
        out: args.out.clone(),
        filters: args.filters(board)?,
        holdout: args.holdout,
        seed: args.seed,
        games: args.games,
        games_per_shard: args.games_per_shard as usize,
    };
    let progress = ProgressBar::new_spinner().with_style(bar("{spinner} {elapsed} {msg}"));
    let imported = import::import(&spec, &|games, file| {
        progress.set_message(format!("{games} games, {}", file.display()));
        progress.tick();
    })?;
    progress.finish_and_clear();
    report(args, imported.files, &imported.summary)
}

fn report(args: &ImportArgs, files: usize, summary: &ImportSummary) -> anyhow::Result<()> {
    let skipped: BTreeMap<_, _> =
        summary.skipped.iter().map(|(reason, count)| (reason.word(), *count)).collect();
    if args.json {
        return print_json(&json!({
            "out": args.out,
            "files": files,
            "games": summary.games,
            "rows": summary.rows,
            "held_out": summary.held_out,
            "with_result": summary.with_result,
            "with_score": summary.with_score,
            "with_owners": summary.with_owners,
            "skipped": skipped,
        }));
    }
    let reasons: Vec<_> = skipped.iter().map(|(word, count)| format!("{word} {count}")).collect();
    let reasons = if reasons.is_empty() { "none".to_owned() } else { reasons.join(", ") };
    print(&format!(
        "{}: {} games with {} positions, {} games held out; result known of {}, score of {}, \
         last board of {}\nskipped: {reasons}\n",
        args.out.display(),
        summary.games,
        summary.rows,
        summary.held_out,
        summary.with_result,
        summary.with_score,
        summary.with_owners,
    ))
}

fn info(args: &InfoArgs) -> anyhow::Result<()> {
    let mut contents = Contents::default();
    let mut files = Vec::new();
    for path in &args.files {
        files.extend(shard_files(path)?);
    }
    for file in &files {
        contents.add(&Shard::read(file)?)?;
    }
    if args.json {
        return print_json(&json!({
            "shards": files.len(),
            "bytes": contents.bytes,
            "games": contents.games,
            "turns": contents.turns,
            "rows": contents.rows,
            "with_result": contents.with_result,
            "with_score": contents.with_score,
            "with_owners": contents.with_owners,
            "turns_with_value": contents.with_value,
            "labelled": contents.labelled,
            "boards": contents.boards,
            "rules": contents.rules,
        }));
    }
    let list = |counts: &BTreeMap<String, usize>| {
        let parts: Vec<_> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        parts.join(", ")
    };
    print(&format!(
        "{} shards, {} bytes: {} games with {} turns, {} of them to learn from\n\
         result known of {} games, score of {}, last board of {}; search values of {} turns, \
         labels of {}\n\
         boards: {}\nrules: {}\n",
        files.len(),
        contents.bytes,
        contents.games,
        contents.turns,
        contents.rows,
        contents.with_result,
        contents.with_score,
        contents.with_owners,
        contents.with_value,
        contents.labelled,
        list(&contents.boards),
        list(&contents.rules),
    ))
}
