//! How strong a player is by what stands in a record.

/// Strength on a scale of its own for ratings in numbers and for ranks: a record has the one or the
/// other, and so has the demand on it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Rating {
    /// Points such as `2467` or, not yet sure, `2467?`.
    Points(f64),
    /// A rank: 30 kyu is -29, 1 kyu 0, 1 dan 1, 9 dan 9; a professional of 1 dan is 10.
    Rank(i32),
}

/// The text is no rating.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no rating: write points such as 2400, or a rank such as 5k, 6d or 1p")]
pub struct NotARating(pub String);

impl Rating {
    /// Whether this is at least as strong; never if the one is a rank and the other is not.
    #[must_use]
    pub fn reaches(self, least: Self) -> bool {
        match (self, least) {
            (Self::Points(points), Self::Points(least)) => points >= least,
            (Self::Rank(rank), Self::Rank(least)) => rank >= least,
            _ => false,
        }
    }
}

impl std::str::FromStr for Rating {
    type Err = NotARating;

    /// Reads `2467`, `2467?`, `6d`, `6 dan`, `12k?`, `9p`, `P9`, `9段`, `P9段`.
    fn from_str(text: &str) -> Result<Self, NotARating> {
        let wrong = || NotARating(text.chars().take(30).collect());
        let plain = text.trim().trim_end_matches(['?', '*']).trim().to_lowercase();
        let at_digit = plain.find(|c: char| c.is_ascii_digit()).ok_or_else(wrong)?;
        let (prefix, rest) = plain.split_at(at_digit);
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (digits, unit) = rest.split_at(end);
        let unit = unit.trim();
        if prefix.is_empty() && unit.is_empty() {
            let points: f64 = digits.parse().map_err(|_| wrong())?;
            return Ok(Self::Points(points));
        }
        let number: i32 = digits.parse().map_err(|_| wrong())?;
        let allowed = |highest: i32| (1..=highest).contains(&number).then_some(number);
        match (prefix.trim(), unit) {
            ("p", "" | "段" | "d" | "dan") | ("", "p" | "pro" | "p dan") => {
                allowed(9).map(|dan| 9 + dan)
            }
            ("", "d" | "dan" | "段") => allowed(9),
            ("", "k" | "kyu" | "级" | "級") => allowed(99).map(|kyu| 1 - kyu),
            _ => None,
        }
        .map(Self::Rank)
        .ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_in_many_spellings() {
        let table = [
            ("2467", Rating::Points(2467.0)),
            ("2467?", Rating::Points(2467.0)),
            ("1999.5", Rating::Points(1999.5)),
            ("6d", Rating::Rank(6)),
            ("6 Dan", Rating::Rank(6)),
            ("6d?", Rating::Rank(6)),
            ("1k", Rating::Rank(0)),
            ("12k?", Rating::Rank(-11)),
            ("9p", Rating::Rank(18)),
            ("P9", Rating::Rank(18)),
            ("P8段", Rating::Rank(17)),
            ("9段", Rating::Rank(9)),
        ];
        for (text, rating) in table {
            assert_eq!(text.parse(), Ok(rating), "{text}");
        }
        for text in ["", "?", "d", "0d", "10d", "6x", "-3k", "1.5d", "1.2.3", "99999999999d"] {
            assert!(text.parse::<Rating>().is_err(), "{text}");
        }
    }

    #[test]
    fn ranks_and_points_do_not_compare() {
        let rating = |text: &str| text.parse::<Rating>().unwrap();
        assert!(rating("2400").reaches(rating("2400")) && !rating("2399?").reaches(rating("2400")));
        assert!(rating("1p").reaches(rating("9d")) && !rating("1k").reaches(rating("1d")));
        assert!(!rating("9d").reaches(rating("5")) && !rating("3000").reaches(rating("1d")));
    }
}
