//! `tedomari match report`: what the games of a match say.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde_json::json;

use super::{print, print_json};
use crate::app::matches::summarise;
use crate::arena::report::{Pairing, Results, Summary};
use crate::util::stats::Verdict;

/// Count the games of a match again, or of its shards together
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Results directories of one match
    #[arg(required = true, value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Where summary.json, summary.html and match.dat go [default: DIR, if it is one]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// Reads the results, writes the summaries and prints the numbers that matter most.
pub(super) fn run(args: &ReportArgs) -> anyhow::Result<()> {
    let out = match (&args.out, args.directories.as_slice()) {
        (Some(out), _) => out,
        (None, [only]) => only,
        (None, _) => bail!("several directories: name with --out DIR where the summary goes"),
    };
    let results = Results::read(&args.directories)?;
    let (summary, files) = summarise(&results, out)?;
    if args.json {
        return print_json(&json!(summary));
    }
    let mut text = overview(&summary);
    for file in files {
        let _ = writeln!(text, "wrote {}", file.display());
    }
    print(&text)
}

/// The result in a few lines.
fn overview(summary: &Summary) -> String {
    let mut text = format!("{} of {} games", summary.games, summary.info.games);
    if summary.void > 0 {
        let _ = write!(text, ", {} of them do not count", summary.void);
    }
    text.push('\n');
    for pairing in &summary.pairings {
        text.push_str(&pairing_line(pairing, &summary.info.players));
    }
    if let Some(ratings) = &summary.ratings {
        for (name, rating) in summary.info.players.iter().zip(&ratings.players) {
            let _ = writeln!(text, "{name}: {:+.0} ± {:.0} Elo", rating.elo, rating.error);
        }
    }
    if !summary.faults.is_empty() {
        let _ = writeln!(text, "{} faults, see summary.html", summary.faults.len());
    }
    for warning in &summary.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text
}

fn pairing_line(pairing: &Pairing, names: &[String]) -> String {
    let outcomes = &pairing.outcomes;
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let interval = pairing.score_interval;
    let mut line = format!(
        "{} against {}: +{} ={} -{}, {} ({} to {})",
        names[pairing.first],
        names[pairing.second],
        outcomes.wins,
        outcomes.draws,
        outcomes.losses,
        percent(pairing.score.unwrap_or(0.5)),
        percent(interval.low),
        percent(interval.high),
    );
    if let Some((elo, error)) = pairing.elo.elo.zip(pairing.elo.error) {
        let _ = write!(line, ", Elo {elo:+.0} ± {error:.0}");
    }
    if let Some(sprt) = &pairing.sprt {
        let verdict = match sprt.verdict {
            Verdict::H0 => "H0",
            Verdict::H1 => "H1",
            Verdict::Open => "open",
        };
        let _ =
            write!(line, ", LLR {:.2} [{:.2}, {:.2}] {verdict}", sprt.llr, sprt.lower, sprt.upper);
    }
    line.push('\n');
    line
}
