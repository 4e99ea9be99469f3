//! Numbered games in files, of which some are there already.

use std::ops::Range;

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

#[cfg(test)]
mod tests {
    use super::*;

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
