//! `tedomari-lab curves` and `tedomari-lab metrics`: evaluators on the positions of game records.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde_json::json;

use super::budget::Budget;
use super::evaluators::{self, Described};
use super::write_files;
use tedomari::app::games::{self, Found, Wanted};
use tedomari::app::import::IMPORT_SEED;
use tedomari::app::progress::Display as _;
use tedomari::cli::{Bars, print, print_json, share};
use tedomari::config::Config;
use tedomari::game::Game;
use tedomari::record::is_held_out;
use tedomari::util::{Seed, make_folder};
use tedomari_lab::{
    AssessError, Assessed, Curve, CurveParams, Memory, Sample, Scale, Split, Study, Values, Watch,
    assess, chart, gains, of_paper, samples, study_page, winners,
};

/// Games at the most that are read.
const GAMES: usize = 1_000_000;
/// Positions that are drawn.
const POSITIONS: usize = 10_000;
/// Width of an interval of chances, and of points.
const WIDTH: f64 = 0.05;
const POINTS_WIDTH: f64 = 5.0;
/// Positions of an interval at the least, as in the paper.
pub(super) const LEAST: usize = 100;

#[derive(Clone, Debug, Args)]
pub(super) struct StudyArgs {
    /// Game records: .sgf, .sgfs, .gz of either, or folders of them
    #[arg(long, value_name = "FILE", required = true)]
    pub(super) records: Vec<PathBuf>,
    /// An evaluator, once for each: mc:N, mc-score:N, uct:N, uct-tuned:N, net, search:N, each with
    /// KEY=VALUE behind it for settings, or gtp:COMMAND LINE for a program that can tell the score; first=N
    /// before it has it look at the first N positions alone
    #[arg(long, value_name = "EVALUATOR", required = true)]
    pub(super) evaluator: Vec<String>,
    /// The folder for the results; values that are there already are not computed again
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: PathBuf,
    /// Games to draw positions from, at the most
    #[arg(long, value_name = "NUMBER", default_value_t = GAMES)]
    pub(super) games: usize,
    /// Only games that `record import` with this --holdout, and its own seed, keeps away from training
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(super) held_out: Option<f64>,
    /// Positions to draw
    #[arg(long, value_name = "NUMBER", default_value_t = POSITIONS)]
    pub(super) positions: usize,
    /// Width of an interval of chances
    #[arg(long, value_name = "WIDTH", default_value_t = WIDTH, value_parser = width)]
    pub(super) width: f64,
    /// Width of an interval of points
    #[arg(long, value_name = "POINTS", default_value_t = POINTS_WIDTH, value_parser = width)]
    pub(super) points_width: f64,
    /// Intervals with fewer positions are left out of curves
    #[arg(long, value_name = "NUMBER", default_value_t = LEAST)]
    pub(super) least: usize,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

impl StudyArgs {
    /// What the command line has for what is not given.
    pub(super) fn usual() -> Self {
        Self {
            records: Vec::new(),
            evaluator: Vec::new(),
            out: PathBuf::new(),
            games: GAMES,
            held_out: None,
            positions: POSITIONS,
            width: WIDTH,
            points_width: POINTS_WIDTH,
            least: LEAST,
            json: false,
        }
    }
}

fn width(text: &str) -> Result<f64, String> {
    let width: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.001..=100.0).contains(&width) {
        Ok(width)
    } else {
        Err("allowed is 0.001 to 100".to_owned())
    }
}

/// What is printed in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    Curves,
    Metrics,
}

/// Evaluates, writes all files and prints what was asked for.
pub(super) fn run(args: &StudyArgs, config: &Config, show: Show) -> anyhow::Result<()> {
    let study = study(args, config, &Budget::unlimited())?;
    let files = write(&study, &args.out)?;
    if args.json {
        return print_json(&json!(study));
    }
    let mut text = match show {
        Show::Metrics => study.table(),
        Show::Curves => curves_text(&study),
    };
    for file in files {
        let _ = writeln!(text, "wrote {}", file.display());
    }
    print(&text)
}

/// The games to draw positions from.
fn games(args: &StudyArgs, config: &Config, budget: &Budget) -> anyhow::Result<Found> {
    let game = &config.game;
    let most = args.games.max(1);
    // Those that are held out are few of many.
    let read = if args.held_out.is_some() { usize::MAX } else { most };
    let wanted = Wanted { rules: game.rules(), size: game.size(), most: read };
    let mut found = games::read_while(&args.records, &wanted, &|| !budget.is_over())?;
    if budget.is_over() {
        bail!(AssessError::Stopped);
    }
    if let Some(share) = args.held_out {
        found.games.retain(|record| is_held_out(record, share, Seed::new(IMPORT_SEED)));
        found.games.truncate(most);
        ensure!(!found.games.is_empty(), "none of the games is held out: give a larger --held-out");
    }
    Ok(found)
}

/// Draws positions and has every evaluator look at them.
pub(super) fn study(args: &StudyArgs, config: &Config, budget: &Budget) -> anyhow::Result<Study> {
    let described: Vec<Described> = args
        .evaluator
        .iter()
        .map(|text| {
            evaluators::read(text, config).with_context(|| format!("in --evaluator {text}"))
        })
        .collect::<anyhow::Result<_>>()?;
    let game = &config.game;
    let found = games(args, config, budget)?;
    let seed = Seed::new(config.search.seed).fork("lab", 0);
    let samples = samples(&found.games, game.rules(), args.positions.max(1), seed);
    let values = args.out.join("values");
    make_folder(&values).with_context(|| format!("cannot make {}", values.display()))?;
    let mut said = Vec::new();
    for described in &described {
        let count = described.positions.unwrap_or(samples.len()).min(samples.len());
        let values = values_of(described, &samples[..count], &values, budget)?;
        let scale = described.assessor.scale();
        // The paper's table is of Go.
        let paper = of_paper(&described.name).filter(|_| game.kind == Game::Go);
        said.push(Values { evaluator: described.name.clone(), scale, values, paper });
    }
    let row = |said: &Values| {
        let width = match said.scale {
            Scale::Chance => args.width,
            Scale::Points => args.points_width,
        };
        Assessed::new(&samples, said, &CurveParams { width, least: args.least }, seed)
    };
    let (rows, gains) = (said.iter().map(row).collect(), gains(&samples, &said, seed));
    let names: Vec<_> = args
        .records
        .iter()
        .filter_map(|path| path.file_name())
        .map(|name| name.to_string_lossy())
        .collect();
    let source = format!(
        "{} of {} on {}: {} games{}, {} positions drawn, seed {}",
        names.join(", "),
        game.kind.key(),
        game.size(),
        found.games.len(),
        if args.held_out.is_some() { " held out from training" } else { "" },
        samples.len(),
        config.search.seed
    );
    let winners = winners(&found.games, game.rules());
    Ok(Study {
        source,
        game: game.kind.key().to_owned(),
        positions: samples.len(),
        winners,
        rows,
        gains,
    })
}

fn values_of(
    described: &Described,
    samples: &[Sample],
    folder: &Path,
    budget: &Budget,
) -> anyhow::Result<Vec<f64>> {
    let slug = slug(&described.identity);
    let mut memory = Memory::open(&folder.join(format!("{slug}.jsonl")), &described.identity)?;
    let progress = Bars.begin(&described.name, samples.len() as u64, "positions");
    let first = AtomicBool::new(true);
    let known = |known: usize| {
        // What was known before says nothing of how long the rest takes.
        if first.swap(false, Ordering::Relaxed) {
            progress.begin_at(known as u64);
        }
        progress.set(known as u64, String::new());
    };
    let watch = Watch { stop: budget.flag(), known: &known };
    let values = assess(&described.assessor, samples, &mut memory, watch);
    progress.end();
    values.with_context(|| format!("in --evaluator {}", described.name))
}

/// A name for a file; different texts have different ones.
pub(super) fn slug(text: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let short: String = text.chars().map(safe).take(60).collect();
    format!("{short}-{:08x}", Seed::new(0).fork(text, 0).number() & 0xFFFF_FFFF)
}

/// Writes `study.json`, two CSV files, drawings and `report.html`.
pub(super) fn write(study: &Study, out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = vec![
        ("study.json".to_owned(), serde_json::to_string_pretty(study)? + "\n"),
        ("metrics.csv".to_owned(), study.metrics_csv()),
        ("curves.csv".to_owned(), study.curves_csv()),
        ("report.html".to_owned(), study_page(study)),
    ];
    for row in &study.rows {
        let name =
            |family: &str| format!("{}-{}.svg", slug(&row.evaluator), family.replace(' ', "-"));
        let all = [(row.evaluator.clone(), &row.total)];
        files.push((name("all"), chart("All positions", row.scale, None, &all).file()));
        for family in row.families() {
            let some = row.conditioned.iter().filter(|c| c.family == family);
            let some = some.filter(|c| !c.curve.bins.is_empty());
            let curves: Vec<(String, &Curve)> =
                some.map(|c| (c.condition.clone(), &c.curve)).collect();
            let title = format!("{} by {family}", row.evaluator);
            let drawing = chart(&title, row.scale, Some(&row.total), &curves).file();
            files.push((name(family), drawing));
        }
    }
    write_files(out, files)
}

fn curves_text(study: &Study) -> String {
    let mut text = format!("{}\n", study.source);
    for row in &study.rows {
        let _ = writeln!(text, "\n{}\n   value positions  won by Black", row.evaluator);
        for bin in &row.total.bins {
            let _ = writeln!(
                text,
                "{:8.2} {:9}  {:.3} ({:.3} to {:.3})",
                bin.value, bin.positions, bin.win_probability, bin.interval.low, bin.interval.high
            );
        }
        for some in &row.conditioned {
            let Some(split) = some.split else { continue };
            let Split { shift, shift_errors, apart, apart_errors } = split;
            let name = format!("{}: {}", some.family, some.condition);
            let _ = writeln!(
                text,
                "{name:32} {:7} positions, {shift:+.3} from all ({shift_errors:+.1} standard errors), \
                 apart {apart:.3} ({apart_errors:+.1})",
                some.curve.positions
            );
        }
    }
    text
}
