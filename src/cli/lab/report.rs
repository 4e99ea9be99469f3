//! `tedomari lab report`: the papers' claims beside what experiments have found.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::all::RESULT;
use super::write_files;
use crate::cli::{print, print_json};
use crate::lab::{Checklist, Outcome};
use crate::util::{list_folder, read_limited, write_atomically};

/// Bytes of the largest result that is read.
const MAX_BYTES: usize = 256 << 20;

#[derive(Debug, Args)]
pub(in crate::cli) struct ReportArgs {
    /// The folder with the results of `lab all`, where the report goes too
    #[arg(long, value_name = "FOLDER", default_value = "lab")]
    out: PathBuf,
    /// A document of Markdown, such as docs/results.md, that gets the table of all claims between its
    /// two lines for it
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Reads all results and writes the report.
pub(super) fn run(args: &ReportArgs) -> anyhow::Result<()> {
    let mut files = write(&args.out)?;
    if let Some(document) = &args.results {
        put_into(document, &args.out)?;
        files.push(document.clone());
    }
    if args.json {
        return print_json(&json!(Checklist::new(&outcomes(&args.out)?)));
    }
    let files: Vec<String> =
        files.iter().map(|file| format!("wrote {}\n", file.display())).collect();
    print(&files.concat())
}

fn put_into(document: &Path, out: &Path) -> anyhow::Result<()> {
    let name = document.display();
    let old = String::from_utf8(read_limited(document, MAX_BYTES)?)
        .with_context(|| format!("{name} is no text"))?;
    let [begin, end] = Checklist::markers();
    let new = Checklist::new(&outcomes(out)?).put_into(&old).with_context(|| {
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
    let bytes = read_limited(&path, MAX_BYTES)?;
    let damaged = || format!("{} is damaged: remove it and run `lab all` again", path.display());
    serde_json::from_slice(&bytes).map(Some).with_context(damaged)
}

fn outcomes(out: &Path) -> anyhow::Result<Vec<Outcome>> {
    let folders = list_folder(out)?;
    folders.iter().filter_map(|folder| outcome(folder).transpose()).collect()
}

/// Writes `report.json`, `report.md` and `report.html`.
pub(super) fn write(out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let list = Checklist::new(&outcomes(out)?);
    let files = [
        ("report.json", serde_json::to_string_pretty(&list)? + "\n"),
        ("report.md", list.markdown()),
        ("report.html", list.html()),
    ];
    write_files(out, files)
}
