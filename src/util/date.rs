//! Dates from clocks.

use std::time::Duration;

/// The day, as `YYYY-MM-DD` in UTC, so long after the beginning of 1970.
#[must_use]
pub fn iso_date(since_1970: Duration) -> String {
    // Howard Hinnant, "chrono-compatible low-level date algorithms", civil_from_days. Years begin in
    // March there, so that a leap day is the last of its year, and eras have 400 years.
    let day = since_1970.as_secs() / 86_400 + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        // Counted by `date -u -d DATE +%s`.
        let table = [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_483_228_799, "2016-12-31"),
            (1_483_228_800, "2017-01-01"),
            (4_107_542_400, "2100-03-01"),
        ];
        for (seconds, date) in table {
            assert_eq!(iso_date(Duration::from_secs(seconds)), date);
        }
    }
}
