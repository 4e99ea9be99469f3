//! Shards of games from SGF.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::record::{
    Filters, ImportSummary, Importer, SHARD_EXTENSION, ShardWriter, UNFINISHED, read_games,
    sgf_files, shard_files,
};
use crate::util::{Seed, list_folder, make_folder, write_atomically};

/// The folder of the games that are held out, inside of the others'.
pub const HOLDOUT: &str = "holdout";
/// Decides which games are held out, where nobody says otherwise.
pub const IMPORT_SEED: u64 = 1;

/// Games to be imported.
#[derive(Clone, Debug)]
pub struct ImportSpec {
    /// SGF files, packed or not, or folders of them.
    pub files: Vec<PathBuf>,
    /// The folder to write to, which holds no shards yet.
    pub out: PathBuf,
    /// Which games are taken.
    pub filters: Filters,
    /// Share of the games that is held out.
    pub holdout: f64,
    /// Decides which games are held out.
    pub seed: u64,
    /// Games at the most.
    pub games: Option<usize>,
    /// Games in one file.
    pub games_per_shard: usize,
}

/// What became of an import.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Files that were read.
    pub files: usize,
    /// What was in them.
    pub summary: ImportSummary,
}

/// Reads games from SGF and writes shards. Every thousand games `tell` hears how many there are, and from which
/// file the last one is.
pub fn import(spec: &ImportSpec, tell: &dyn Fn(usize, &Path)) -> anyhow::Result<Imported> {
    let files = sgf_files(&spec.files)?;
    let held_out = spec.out.join(HOLDOUT);
    // The mark of the whole folder comes first and goes last.
    let unfinished = spec.out.join(UNFINISHED).exists();
    for folder in [&spec.out, &held_out] {
        begin_folder(folder, unfinished)?;
    }
    let mut importer = Importer::new(spec.filters.clone(), spec.holdout, Seed::new(spec.seed));
    let per_shard = spec.games_per_shard;
    let mut writers = [&spec.out, &held_out].map(|folder| ShardWriter::new(folder, per_shard));
    let limit = spec.games.unwrap_or(usize::MAX);
    let mut failed = None;
    for file in &files {
        read_games(file, |sgf| {
            if importer.summary().games >= limit {
                return ControlFlow::Break(());
            }
            if let Some(imported) = importer.add(sgf) {
                let writer = &mut writers[usize::from(imported.held_out)];
                if let Err(error) = writer.add(imported.game) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
                let games = importer.summary().games;
                if games.is_multiple_of(1000) {
                    tell(games, file);
                }
            }
            ControlFlow::Continue(())
        })?;
        if let Some(error) = failed.take() {
            return Err(error.into());
        }
    }
    for writer in writers {
        writer.finish()?;
    }
    for folder in [&held_out, &spec.out] {
        let mark = folder.join(UNFINISHED);
        fs::remove_file(&mark).with_context(|| format!("cannot remove {}", mark.display()))?;
    }
    Ok(Imported { files: files.len(), summary: importer.summary().clone() })
}

/// Makes a folder for shards, without those of an import that was cut off, and marks it as unfinished.
fn begin_folder(folder: &Path, unfinished: bool) -> anyhow::Result<()> {
    make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mark = folder.join(UNFINISHED);
    if unfinished {
        for file in list_folder(folder)? {
            if file.extension().is_some_and(|extension| extension == SHARD_EXTENSION) {
                fs::remove_file(&file)
                    .with_context(|| format!("cannot remove {}", file.display()))?;
            }
        }
    } else if !shard_files(folder)?.is_empty() {
        bail!("{} holds shards already: name another folder", folder.display());
    }
    let text = "The import into this folder has not finished.\n";
    write_atomically(&mark, text.as_bytes())
        .with_context(|| format!("cannot write {}", mark.display()))
}
