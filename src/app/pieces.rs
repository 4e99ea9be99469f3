//! Numbered games in files, of which some are there already.

use std::ops::Range;
use std::str::FromStr;

/// The name of the file with the games of these numbers.
#[must_use]
pub fn file_name(games: &Range<u64>, extension: &str) -> String {
    format!("games-{:07}-{:07}.{extension}", games.start, games.end)
}

/// The numbers of the games in a file, by its name; none for other files.
#[must_use]
pub fn numbers(name: &str, extension: &str) -> Option<Range<u64>> {
    let numbers = name.strip_prefix("games-")?.strip_suffix(extension)?.strip_suffix('.')?;
    let (from, to) = numbers.split_once('-')?;
    Some(from.parse().ok()?..to.parse().ok()?)
}

/// Whether two files hold a common game.
#[must_use]
pub fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// What is left of some games without those in the files that are there, sorted by their start.
#[must_use]
pub fn missing(games: Range<u64>, there: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut rest = games.clone();
    let mut missing = Vec::new();
    for file in there.iter().filter(|file| overlap(file, &games)) {
        missing.push(rest.start..file.start);
        rest.start = rest.start.max(file.end);
    }
    missing.push(rest);
    missing.retain(|piece| !piece.is_empty());
    missing
}

/// A part of the files that are to be made, such as the second of eight; the parts have no file in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    part: u64,
    of: u64,
}

impl Part {
    /// All of them.
    pub const WHOLE: Self = Self { part: 1, of: 1 };

    /// Whether the file of this number belongs to it.
    #[must_use]
    pub const fn has(self, number: u64) -> bool {
        number % self.of == self.part - 1
    }
}

/// No part of the files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write I/N with I from 1 to N, such as 2/8")]
pub struct NoPart;

impl FromStr for Part {
    type Err = NoPart;

    fn from_str(text: &str) -> Result<Self, NoPart> {
        let (part, of) = text.split_once('/').ok_or(NoPart)?;
        let part =
            Self { part: part.parse().map_err(|_| NoPart)?, of: of.parse().map_err(|_| NoPart)? };
        (1..=part.of).contains(&part.part).then_some(part).ok_or(NoPart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_the_files() {
        let part: Part = "2/3".parse().unwrap();
        assert_eq!((0..7).filter(|&number| part.has(number)).collect::<Vec<_>>(), [1, 4]);
        assert!((0..7).all(|number| Part::WHOLE.has(number)));
        for wrong in ["", "2", "0/3", "4/3", "1/0", "a/b", "-1/2"] {
            assert_eq!(wrong.parse::<Part>(), Err(NoPart), "{wrong}");
        }
    }

    #[test]
    fn names_tell_the_numbers() {
        let name = file_name(&(8..16), "traces");
        assert_eq!(name, "games-0000008-0000016.traces");
        assert_eq!(numbers(&name, "traces"), Some(8..16));
        for other in ["games-8-16.shard", "games-8.traces", "games-a-b.traces", "8-16.traces", ""] {
            assert_eq!(numbers(other, "traces"), None, "{other}");
        }
    }

    #[test]
    fn another_number_of_games_made_games_twice() {
        // 10 games in files of 8, then 16.
        let there = [0..8, 8..10];
        assert_eq!(missing(0..8, &there), []);
        assert_eq!(missing(8..16, &there).pop(), Some(10..16));
        // Fewer games, and files of another size.
        assert_eq!(missing(8..9, &there), []);
        assert_eq!(missing(0..20, &[3..5, 4..6, 9..30]), [0..3, 6..9]);
        assert_eq!(missing(0..4, &[]).pop(), Some(0..4));
    }
}
