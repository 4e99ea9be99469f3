//! Counts the games of a match, and writes what they say: for programs (`summary.json`), for people
//! (`summary.html`) and for tools that know gogui-twogtp (`match.dat`).

mod dat;
mod histogram;
mod links;
mod page;
mod pairing;
mod read;
mod summary;
mod tables;

use std::io;
use std::path::{Path, PathBuf};

pub use dat::table;
pub use histogram::Histogram;
pub use page::page;
pub use pairing::{Pairing, SprtSummary};
pub use read::{FoundGame, ReportError, Results};
pub use summary::{FaultLine, ListedGame, PlayerSummary, RatingTable, Spread, Summary, TimeByMove};

use crate::util::write_atomically;

/// Counts the games and writes all files into `out`, which must exist; returns the summary and the
/// files written.
pub fn write(results: &Results, out: &Path) -> io::Result<(Summary, Vec<PathBuf>)> {
    let summary = Summary::new(results, out);
    let json = serde_json::to_string_pretty(&summary)? + "\n";
    let mut files =
        vec![("summary.json".to_owned(), json), ("summary.html".to_owned(), page(&summary))];
    if summary.players.len() == 2 {
        files.push(("match.dat".to_owned(), table(results, 0, 1)));
    } else {
        for pairing in &summary.pairings {
            let name = format!("match-{}-{}.dat", pairing.first, pairing.second);
            files.push((name, table(results, pairing.first, pairing.second)));
        }
    }
    let mut paths = Vec::new();
    for (name, text) in files {
        let path = out.join(name);
        write_atomically(&path, text.as_bytes())?;
        paths.push(path);
    }
    Ok((summary, paths))
}

#[cfg(test)]
mod tests;
