//! Words that look alike.

/// Insertions, deletions and changes that turn one word into the other (Levenshtein 1965). Words
/// longer than any key are cut: the distance is large enough by then.
#[must_use]
pub fn edit_distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().take(64).collect();
    let to: Vec<char> = to.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let change = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, expected) in
            [("", "", 0), ("abc", "abc", 0), ("lag", "lags", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(edit_distance(a, b), expected);
            assert_eq!(edit_distance(b, a), expected);
        }
    }
}
