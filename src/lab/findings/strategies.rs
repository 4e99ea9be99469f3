//! What games on a virtual clock say of the claims of Baier and Winands (2015).

use super::{agreed, finding};
use crate::lab::checklist::Finding;
use crate::lab::time::Played;

/// Standard errors from which two rates are told apart.
const CERTAIN: f64 = 1.96;

/// Who is above whom in the paper, for certain (its text on Tables I to III).
const ABOVE: &[(&str, &str)] = &[
    ("ERICA-ENHANCED", "ERICA-BASIC"),
    ("ERICA-BASELINE", "ERICA-ENHANCED"),
    ("OPEN", "EXP-STONES"),
    ("MID", "EXP-STONES"),
    ("KAPPA-EXP", "EXP-STONES"),
    ("KAPPA-LM", "EXP-STONES"),
    ("KAPPA-CM", "EXP-STONES"),
    ("BEHIND", "EXP-STONES"),
    ("UNST", "EXP-STONES"),
    ("CLOSE", "EXP-STONES"),
    ("STOP_B", "EXP-STONES"),
    ("STOP_B", "STOP_A"),
    ("STOP", "EXP-STONES"),
    ("STOP", "ERICA-BASELINE"),
    ("STOP", "STOP_B"),
];

/// The loops that are above what they repeat (Table XI).
const LOOPS: &[(&str, &str)] = &[("UNST-L", "UNST"), ("CLOSE-L", "CLOSE")];

/// The strategies that are above those who imitate their times (Table XIII).
const IMITATED: &[(&str, &str)] =
    &[("STOP_A", "STOP_A-imitated"), ("STOP_B", "STOP_B-imitated"), ("STOP", "STOP-imitated")];

/// The last of the first moves, and of all moves, that tell where time is spent.
const OPENING: u64 = 20;
const REACHED: u64 = 60;

/// C20 to C25, C33, C36 and C37: for each table the rates, and how they compare with the paper's; C22b, C31,
/// C34, C35, C38 and C40, as far as the rows tell about them.
#[must_use]
pub fn of_time(rows: &[Played], command: &str) -> Vec<Finding> {
    let rows = Rows(rows);
    let mut ids: Vec<&str> = rows.0.iter().map(|row| row.id.as_str()).collect();
    ids.dedup();
    let tables = ids.into_iter().map(|id| rows.table(id));
    let compared = |id, pairs| rows.compared(pairs).map(|(text, verdict)| (id, text, verdict));
    let others = [
        compared("C22b", ABOVE),
        compared("C31", LOOPS),
        rows.lengths(),
        rows.shapes(),
        rows.savings(),
        rows.headline(),
    ];
    let found = tables.chain(others).flatten();
    found.map(|(id, text, verdict)| finding(id, text, verdict, command)).collect()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn rate(row: &Played) -> String {
    let [score, low, high] = [row.score, row.low, row.high].map(|share| 100.0 * share);
    format!("{} {score:.1} % ({low:.1} to {high:.1})", row.name)
}

/// The standard error of a rate.
fn error(row: &Played) -> f64 {
    (row.high - row.low) / (2.0 * CERTAIN)
}

/// How many standard errors a row is above another.
fn errors(a: &Played, b: &Played) -> f64 {
    (a.score - b.score) / error(a).hypot(error(b))
}

type Said = Option<(&'static str, String, String)>;

struct Rows<'a>(&'a [Played]);

impl Rows<'_> {
    fn named(&self, name: &str) -> Option<&Played> {
        self.0.iter().find(|row| row.name == name)
    }

    /// How much a strategy is above another, and in how many standard errors. Against whom it has played itself
    /// it is by its distance from one half.
    fn above(&self, high: &str, low: &str) -> Option<(f64, f64)> {
        let a = self.named(high)?;
        if a.against == low {
            return Some((a.score - 0.5, (a.score - 0.5) / error(a)));
        }
        let b = self.named(low)?;
        Some((a.score - b.score, errors(a, b)))
    }

    /// The rates of a table with what they say.
    fn table<'a>(&self, id: &'a str) -> Option<(&'a str, String, String)> {
        let some: Vec<&Played> = self.0.iter().filter(|row| row.id == id).collect();
        let cells: Vec<String> = some.iter().map(|row| rate(row)).collect();
        let text = cells.join("; ");
        let (text, verdict) = match id {
            "C23" | "C24" => (text, duels(&some)),
            "C25" => (text, self.steady(some[0])),
            "C33" => (text, self.compared(IMITATED)?.1),
            "C36" => (text, hurry(some[0])),
            "C37" => self.resigning(some[0])?,
            _ => (text, order(&some)),
        };
        Some((id, text, verdict))
    }

    /// Pairs of which the paper has the first above the second; none if no such pair was played.
    fn compared(&self, pairs: &[(&str, &str)]) -> Option<(String, String)> {
        let (mut cells, mut same, mut other) = (Vec::new(), 0, Vec::new());
        for (high, low) in pairs {
            let Some((difference, errors)) = self.above(high, low) else { continue };
            let difference = 100.0 * difference;
            cells.push(format!("{high} over {low} {difference:+.1} % ({errors:+.1} s.e.)"));
            if errors > CERTAIN {
                same += 1;
            } else if errors < -CERTAIN {
                other.push(format!("{high} is below {low}"));
            }
        }
        let all = cells.len();
        let verdict = match (same, other.as_slice()) {
            _ if all == 0 => return None,
            (0, []) => "not decided: no difference is certain".to_owned(),
            (same, []) if same == all => format!("reproduced: all {all} for certain"),
            (same, []) => format!("reproduced in part: {same} of {all} for certain, none reversed"),
            (same, other) => {
                format!("differs: {same} of {all} for certain, but {}", other.join(", "))
            }
        };
        Some((cells.join("; "), verdict))
    }

    /// Whether the same time for every move is worth less than STOP.
    fn steady(&self, row: &Played) -> String {
        let Some(stop) = self.named("STOP") else {
            return "not decided: STOP was not played".to_owned();
        };
        let errors = errors(stop, row);
        match () {
            () if errors > CERTAIN => format!("reproduced: STOP is {errors:.1} s.e. above"),
            () if errors < -CERTAIN => format!("differs: STOP is {:.1} s.e. below", -errors),
            () => format!("not decided: STOP is {errors:+.1} s.e. above"),
        }
    }

    /// Moves of a game with and without giving up.
    fn resigning(&self, row: &Played) -> Option<(String, String)> {
        let with = self.named("EXP-STONES")?.plies?;
        let without = row.plies?;
        let text = format!("{with:.0} moves with, {without:.0} without");
        let verdict = agreed(without > with, || "games are no shorter".to_owned());
        Some((text, verdict))
    }

    fn lengths(&self) -> Said {
        let plies = self.named("EXP-STONES")?.plies?;
        let text = format!("{plies:.0} moves a game of EXP-STONES with itself");
        Some(("C34", text, "measured: another board".to_owned()))
    }

    /// The share of the time of the first moves that the very first of them take.
    fn opening(&self, name: &str) -> Option<f64> {
        let times = &self.named(name)?.time_by_move;
        let sum = |last: u64| -> f64 {
            times.iter().filter(|(start, _)| *start <= last).filter_map(|(_, mean)| *mean).sum()
        };
        let all = sum(REACHED);
        (all > 0.0).then(|| sum(OPENING) / all)
    }

    /// Figures 1 to 8: who shifts time where.
    fn shapes(&self) -> Said {
        let names = ["EXP-STONES", "OPEN", "MID", "UNST", "STOP_A", "STOP_B", "STOP"];
        let shares: Vec<f64> =
            names.iter().map(|name| self.opening(name)).collect::<Option<_>>()?;
        let cells: Vec<String> = names
            .iter()
            .zip(&shares)
            .map(|(name, share)| format!("{name} {}", percent(*share)))
            .collect();
        let text = format!(
            "of the time of the first {REACHED} moves the first {OPENING} take: {}",
            cells.join(", ")
        );
        let [plain, open, _, unst, a, b, _] = shares[..] else { return None };
        let right = [
            (open > plain, "OPEN does not shift time to the opening"),
            (unst > plain, "UNST does not shift time to the opening"),
            (a < plain, "STOP_A does not shift time to the endgame"),
            (b > plain, "STOP_B does not shift time to the opening"),
        ];
        let wrong: Vec<&str> = right.iter().filter(|(is, _)| !is).map(|(_, what)| *what).collect();
        Some(("C35", text, agreed(wrong.is_empty(), || wrong.join(", "))))
    }

    /// The order of the paper: `STOP_A` saves least, STOP most.
    fn savings(&self) -> Said {
        let saved = ["STOP_A", "STOP_B", "STOP"].map(|name| self.named(name)?.saved);
        let [Some(a), Some(b), Some(stop)] = saved else { return None };
        let [first, second, third] = [a, b, stop].map(percent);
        let text = format!("STOP_A {first}, STOP_B {second}, STOP {third} of the planned time");
        let verdict = agreed(a < stop && b < stop, || "STOP does not save most".to_owned());
        Some(("C38", text, verdict))
    }

    /// STOP above all other strategies of Tables I to III, and of all that the paper has it ahead of by
    /// more than chance.
    fn headline(&self) -> Said {
        let stop = self.named("STOP")?;
        let tables = |row: &&Played| ["I", "II", "III"].contains(&row.table.as_str());
        let others = self.0.iter().filter(tables).filter(|row| row.name != stop.name);
        let best = others.max_by(|a, b| a.score.total_cmp(&b.score))?;
        let text = format!("{}; the best other {}", rate(stop), rate(best));
        let errors = errors(stop, best);
        let verdict = match () {
            () if errors > CERTAIN => "reproduced: STOP is above all for certain".to_owned(),
            () if errors < -CERTAIN => format!("differs: {} is above STOP", best.name),
            () if errors >= 0.0 => "not decided: STOP is first, not for certain".to_owned(),
            () => format!("not decided: {} is first, not for certain", best.name),
        };
        Some(("C40", text, verdict))
    }
}

/// Whether the first player wins all of its matches.
fn duels(rows: &[&Played]) -> String {
    let won = rows.iter().filter(|row| row.low > 0.5).count();
    let lost = rows.iter().filter(|row| row.high < 0.5).count();
    match (won, lost) {
        (won, 0) if won == rows.len() => format!("reproduced: won for certain in all {won} rows"),
        (0, 0) => "not decided: the intervals hold one half".to_owned(),
        (won, 0) => format!("reproduced in part: won for certain in {won} of {} rows", rows.len()),
        (won, lost) => format!("differs: won in {won} rows, lost in {lost}"),
    }
}

/// Whether a player that hurries in the endgame loses by it.
fn hurry(row: &Played) -> String {
    match () {
        () if row.high < 0.5 => "reproduced: hurrying in the endgame costs games".to_owned(),
        () if row.low > 0.5 => "differs: hurrying in the endgame wins games".to_owned(),
        () => "not decided: the interval holds one half".to_owned(),
    }
}

/// Whether the strategies that are told apart by their intervals are in the paper's order.
fn order(rows: &[&Played]) -> String {
    let (mut same, mut other) = (0, 0);
    for a in rows {
        for b in rows.iter().filter(|b| a.paper < b.paper) {
            if a.high < b.low {
                same += 1;
            } else if b.high < a.low {
                other += 1;
            }
        }
    }
    match (same, other) {
        (0, 0) => "not decided: the intervals overlap".to_owned(),
        (same, 0) => format!("reproduced: {same} pairs in the paper's order, none in the other"),
        (same, other) => {
            format!("differs: {same} pairs in the paper's order, {other} in the other")
        }
    }
}

#[cfg(test)]
mod tests;
