//! `tedomari-lab report`: the papers' claims beside what experiments have found.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::all::RESULT;
use super::write_files;
use tedomari::cli::{print, print_json};
use tedomari::util::{list_folder, make_folder, read_limited, write_atomically};
use tedomari_lab::{Checklist, Outcome};

/// Bytes of the largest result that is read.
const MAX_BYTES: usize = 256 << 20;

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The folder with the results of `tedomari-lab all`, where the report goes too
    #[arg(long, value_name = "FOLDER", default_value = "lab")]
    out: PathBuf,
    /// A document of Markdown, such as docs/results/claims.md, that gets the table of all claims between its
    /// two lines for it
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// A folder that keeps what experiments have found: it gets that of those that are done, and tells of
    /// those whose results are not in --out any more
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Reads all results and writes the report.
pub(super) fn run(args: &ReportArgs) -> anyhow::Result<()> {
    let there = args.out.exists() || args.keep.is_none();
    let mut found = if there { outcomes(&args.out)? } else { Vec::new() };
    let mut files = Vec::new();
    if let Some(folder) = &args.keep {
        files = keep(folder, &found)?;
        let mut others = kept(folder)?;
        let same = |a: &Outcome, b: &Outcome| a.experiment == b.experiment;
        // Rather the whole of an earlier one than a part of this one.
        others.retain(|old| !found.iter().any(|new| new.complete && same(new, old)));
        found.retain(|new| !others.iter().any(|old| same(new, old)));
        found.extend(others);
        found.sort_by(|a, b| a.experiment.cmp(&b.experiment));
    }
    let list = Checklist::new(&found);
    make_folder(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
    files.extend(write_list(&args.out, &list)?);
    if let Some(document) = &args.results {
        put_into(document, &list)?;
        files.push(document.clone());
    }
    if args.json {
        return print_json(&json!(list));
    }
    let files: Vec<String> =
        files.iter().map(|file| format!("wrote {}\n", file.display())).collect();
    print(&files.concat())
}

/// Writes what experiments that are done have found, without all their numbers.
fn keep(folder: &Path, outcomes: &[Outcome]) -> anyhow::Result<Vec<PathBuf>> {
    make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let done = outcomes.iter().filter(|outcome| outcome.complete);
    let file = |outcome: &Outcome| -> anyhow::Result<(String, String)> {
        let short = Outcome { result: serde_json::Value::Null, ..outcome.clone() };
        Ok((format!("{}.json", outcome.experiment), serde_json::to_string_pretty(&short)? + "\n"))
    };
    write_files(folder, done.map(file).collect::<anyhow::Result<Vec<_>>>()?)
}

/// What was kept.
fn kept(folder: &Path) -> anyhow::Result<Vec<Outcome>> {
    let mut paths = list_folder(folder)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.iter().map(|path| read(path, "remove it and keep it again")).collect()
}

fn read(path: &Path, advice: &str) -> anyhow::Result<Outcome> {
    let damaged = || format!("{} is damaged: {advice}", path.display());
    serde_json::from_slice(&read_limited(path, MAX_BYTES)?).with_context(damaged)
}

fn put_into(document: &Path, list: &Checklist) -> anyhow::Result<()> {
    let name = document.display();
    let old = String::from_utf8(read_limited(document, MAX_BYTES)?)
        .with_context(|| format!("{name} is no text"))?;
    let [begin, end] = Checklist::markers();
    let new = list.put_into(&old).with_context(|| {
        format!("{name} has no place for the table: write the lines\n{begin}\n{end}\ninto it")
    })?;
    write_atomically(document, new.as_bytes()).with_context(|| format!("cannot write {name}"))
}

/// What an experiment has left in its folder, if anything.
pub(super) fn outcome(folder: &Path) -> anyhow::Result<Option<Outcome>> {
    let path = folder.join(RESULT);
    if !path.is_file() {
        return Ok(None);
    }
    read(&path, "remove it and run `tedomari-lab all` again").map(Some)
}

fn outcomes(out: &Path) -> anyhow::Result<Vec<Outcome>> {
    let folders = list_folder(out)?;
    folders.iter().filter_map(|folder| outcome(folder).transpose()).collect()
}

/// Writes `report.json`, `report.md` and `report.html`.
pub(super) fn write(out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    write_list(out, &Checklist::new(&outcomes(out)?))
}

fn write_list(out: &Path, list: &Checklist) -> anyhow::Result<Vec<PathBuf>> {
    let files = [
        ("report.json", serde_json::to_string_pretty(list)? + "\n"),
        ("report.md", list.markdown()),
        ("report.html", list.html()),
    ];
    write_files(out, files)
}
