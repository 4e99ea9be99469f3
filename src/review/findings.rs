//! What was found so far, in a file: work that is broken off goes on where it was.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Finding;
use crate::util::{Journal, write_unsynced};

/// The findings of a game, by the number of moves before the position.
#[derive(Debug)]
pub struct Findings {
    journal: Journal,
    known: Vec<Option<Finding>>,
    /// Whether there were findings of something else, which are gone.
    pub replaced: bool,
}

/// A line of the file but the first: what was found of the position after so many moves.
#[derive(Serialize, Deserialize)]
struct Entry {
    after: usize,
    #[serde(flatten)]
    finding: Finding,
}

impl Findings {
    /// Opens the file with the findings of so many positions. `about` says what they depend on, as one line of JSON;
    /// findings that were made of something else are thrown away.
    pub fn open(path: &Path, about: &Value, positions: usize) -> io::Result<Self> {
        let valid = |line: &str| serde_json::from_str::<Value>(line).is_ok();
        let (mut journal, mut lines) = Journal::open(path, &valid)?;
        let about = about.to_string();
        let replaced = lines.first().is_some_and(|first| *first != about);
        if replaced {
            drop(journal);
            write_unsynced(path, b"")?;
            (journal, lines) = Journal::open(path, &valid)?;
        }
        if lines.is_empty() {
            journal.append([about.as_str()])?;
        }
        let mut known = vec![None; positions];
        for line in lines.iter().skip(1) {
            let entry: Entry = serde_json::from_str(line)?;
            if let Some(place) = known.get_mut(entry.after) {
                *place = Some(entry.finding);
            }
        }
        Ok(Self { journal, known, replaced })
    }

    /// Adds what was found of the position after so many moves.
    pub fn add(&mut self, moves: usize, finding: Finding) -> io::Result<()> {
        let entry = Entry { after: moves, finding };
        let line = serde_json::to_string(&entry)?;
        self.journal.append([line.as_str()])?;
        if let Some(place) = self.known.get_mut(moves) {
            *place = Some(entry.finding);
        }
        Ok(())
    }

    /// How many positions are known.
    #[must_use]
    pub fn count(&self) -> usize {
        self.known.iter().flatten().count()
    }

    /// Whether a position is known.
    #[must_use]
    pub fn knows(&self, moves: usize) -> bool {
        self.known.get(moves).is_some_and(Option::is_some)
    }

    /// All findings, if every position is known.
    #[must_use]
    pub fn all(&self) -> Option<Vec<Finding>> {
        self.known.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn findings_come_back_unless_they_are_of_something_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let finding = |win_rate| Finding {
            win_rate,
            score: Some(1.5),
            simulations: 7,
            certain: false,
            moves: Vec::new(),
        };
        let open = |about: &str| Findings::open(&path, &json!({ "net": about }), 2).unwrap();
        let mut first = open("a");
        assert!(!first.replaced && first.all().is_none());
        first.add(1, finding(0.25)).unwrap();
        drop(first);
        let mut again = open("a");
        assert!(!again.replaced && again.knows(1) && !again.knows(0));
        again.add(0, finding(0.5)).unwrap();
        assert_eq!(again.all().unwrap(), [finding(0.5), finding(0.25)]);
        drop(again);
        let other = open("b");
        assert!(other.replaced && other.count() == 0);
    }
}
