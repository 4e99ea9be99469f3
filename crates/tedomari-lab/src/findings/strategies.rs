//! What games on a virtual clock say of the claims of Baier and Winands (2015).

use super::{agreed, finding};
use crate::checklist::Finding;
use crate::time::Played;

/// Standard errors from which two rates are told apart.
const CERTAIN: f64 = 1.96;

/// The same for the best of some twenty.
const CERTAIN_OF_MANY: f64 = 3.0;

/// Rates of the paper that are farther apart than this are told apart by its intervals.
const APART: f64 = 0.02;

/// Who is above whom in the paper, for certain (its text on Tables I to III).
const ABOVE: &[(&str, &str)] = &[
    ("ERICA-ENHANCED", "ERICA-BASIC"),
    ("ERICA-BASELINE", "ERICA-ENHANCED"),
    ("OPEN", "EXP-STONES"),
    ("MID", "EXP-STONES"),
    ("KAPPA-EXP", "EXP-STONES"),
    ("KAPPA-LM", "EXP-STONES"),
    ("KAPPA-CM", "EXP-STONES"),
    ("KAPPA-EXP", "KAPPA-CM"),
    ("KAPPA-LM", "KAPPA-CM"),
    ("BEHIND", "EXP-STONES"),
    ("UNST", "EXP-STONES"),
    ("CLOSE", "EXP-STONES"),
    ("STOP_B", "EXP-STONES"),
    ("STOP_B", "STOP_A"),
    ("STOP", "EXP-STONES"),
    ("STOP", "ERICA-BASELINE"),
    ("STOP", "STOP_B"),
];

/// Who is not told apart there.
const LEVEL: &[(&str, &str)] =
    &[("STOP_A", "EXP-STONES"), ("EXP-MOVES", "EXP-STONES"), ("EXP-SIM", "EXP-STONES")];

/// The loops that are above what they repeat (Table XI), and the one that is not.
const LOOPS: &[(&str, &str)] = &[("UNST-L", "UNST"), ("CLOSE-L", "CLOSE")];
const LEVEL_LOOPS: &[(&str, &str)] = &[("BEHIND-L", "BEHIND")];

/// The strategies that are above those who imitate their times (Table XIII).
const IMITATED: &[(&str, &str)] =
    &[("STOP_A", "STOP_A-imitated"), ("STOP_B", "STOP_B-imitated"), ("STOP", "STOP-imitated")];

/// The last of the first moves, and of all moves, that tell where time is spent.
const OPENING: u64 = 20;
const REACHED: u64 = 60;

/// What was played on: the game, `go` or `nogo`, and the board as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// The game.
    pub game: &'a str,
    /// The board.
    pub board: &'a str,
}

/// C20 to C25, C33, C36 and C37: for each table the rates, and how they compare with the paper's; C22b, C31,
/// C34, C35, C38 and C40, as far as the rows tell about them. The paper's tables are of Go: for another game
/// the rates are told, and nothing is claimed but that STOP is best in all games.
#[must_use]
pub fn of_time(rows: &[Played], ground: Ground<'_>, command: &str) -> Vec<Finding> {
    let rows = Rows(rows);
    let mut ids: Vec<&str> = rows.0.iter().map(|row| row.id.as_str()).collect();
    ids.dedup();
    let mut found: Vec<Said<'_>> = ids.into_iter().map(|id| rows.table(id, ground)).collect();
    if ground.game == "go" {
        let compared = |id, above, level| {
            rows.compared(above, level).map(|(text, verdict)| (id, text, verdict))
        };
        found.extend([
            compared("C22b", ABOVE, LEVEL),
            compared("C31", LOOPS, LEVEL_LOOPS),
            rows.lengths(),
            rows.shapes(),
            rows.savings(),
        ]);
    }
    found.push(rows.headline());
    let found = found.into_iter().flatten();
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

/// How many standard errors a row is above another. Against whom it has played itself it is by its distance
/// from one half.
fn errors(a: &Played, b: &Played) -> f64 {
    match () {
        () if a.against == b.name => (a.score - 0.5) / error(a),
        () if b.against == a.name => (0.5 - b.score) / error(b),
        () => (a.score - b.score) / error(a).hypot(error(b)),
    }
}

type Said<'a> = Option<(&'a str, String, String)>;

struct Rows<'a>(&'a [Played]);

impl Rows<'_> {
    fn named(&self, name: &str) -> Option<&Played> {
        self.0.iter().find(|row| row.name == name)
    }

    /// How much a strategy is above another, and in how many standard errors; who was only played against
    /// need not have a row.
    fn above(&self, high: &str, low: &str) -> Option<(f64, f64)> {
        let a = self.named(high)?;
        if a.against == low {
            return Some((a.score - 0.5, (a.score - 0.5) / error(a)));
        }
        let b = self.named(low)?;
        Some((a.score - b.score, errors(a, b)))
    }

    /// The rates of a table with what they say.
    fn table<'a>(&self, id: &'a str, ground: Ground<'_>) -> Said<'a> {
        let some: Vec<&Played> = self.0.iter().filter(|row| row.id == id).collect();
        let cells: Vec<String> = some.iter().map(|row| rate(row)).collect();
        let text = cells.join("; ");
        let (text, verdict) = match id {
            "C37" => self.resigning(some[0])?,
            _ if ground.game != "go" => (text, "measured: another game".to_owned()),
            "C24" if ground.board != "19x19" => {
                (text, "measured: the numbers for 19x19 on another board".to_owned())
            }
            "C23" | "C24" => (text, duels(&some)),
            "C25" => (text, self.steady(some[0])),
            "C33" => (text, self.compared(IMITATED, &[])?.1),
            "C36" => (text, hurry(some[0])),
            _ => (text, order(&some)),
        };
        Some((id, text, verdict))
    }

    /// Pairs of which the paper has the first above the second, and pairs that it does not tell apart; none
    /// if no such pair was played.
    fn compared(&self, above: &[(&str, &str)], level: &[(&str, &str)]) -> Option<(String, String)> {
        let (mut cells, mut same, mut other) = (Vec::new(), 0, Vec::new());
        let mut tell = |high: &str, low: &str, (difference, errors): (f64, f64)| {
            let difference = 100.0 * difference;
            cells.push(format!("{high} over {low} {difference:+.1} % ({errors:+.1} s.e.)"));
        };
        let mut all = 0;
        for (high, low) in above {
            let Some(by) = self.above(high, low) else { continue };
            tell(high, low, by);
            all += 1;
            if by.1 > CERTAIN {
                same += 1;
            } else if by.1 < -CERTAIN {
                other.push(format!("{high} is below {low}"));
            }
        }
        for (a, b) in level {
            let Some(by) = self.above(a, b) else { continue };
            tell(a, b, by);
            if by.1.abs() > CERTAIN {
                other.push(format!("{a} and {b} differ"));
            }
        }
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
        let with = self.with_itself()?;
        let without = row.plies?;
        let text = format!("{with:.0} moves with, {without:.0} without");
        let verdict = agreed(without > with, || "games are no shorter".to_owned());
        Some((text, verdict))
    }

    /// Moves of a game of EXP-STONES with itself.
    fn with_itself(&self) -> Option<f64> {
        self.named("EXP-STONES").filter(|row| row.against == row.name)?.plies
    }

    fn lengths(&self) -> Said<'static> {
        let plies = self.with_itself()?;
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
    fn shapes(&self) -> Said<'static> {
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

    /// The order of the paper: `STOP_A` saves least, STOP most, and all of them something.
    fn savings(&self) -> Said<'static> {
        let saved = ["STOP_A", "STOP_B", "STOP"].map(|name| self.named(name)?.saved);
        let [Some(a), Some(b), Some(stop)] = saved else { return None };
        let [first, second, third] = [a, b, stop].map(percent);
        let text = format!("STOP_A {first}, STOP_B {second}, STOP {third} of the planned time");
        let verdict = match () {
            () if a > b || b > stop => "differs: another order".to_owned(),
            () if a <= 0.0 => {
                "differs: the order is the paper's, but STOP_A saves nothing".to_owned()
            }
            () => "reproduced: the order is the paper's".to_owned(),
        };
        Some(("C38", text, verdict))
    }

    /// STOP above all other strategies of Tables I to III that were played, and above its opponent.
    fn headline(&self) -> Said<'static> {
        let stop = self.named("STOP")?;
        let tables = |row: &&Played| ["I", "II", "III"].contains(&row.table.as_str());
        let others: Vec<&Played> =
            self.0.iter().filter(tables).filter(|row| row.name != stop.name).collect();
        let best = others.iter().max_by(|a, b| a.score.total_cmp(&b.score))?;
        let text = format!("{}; the best of {} others {}", rate(stop), others.len(), rate(best));
        let errors = errors(stop, best);
        let verdict = match () {
            () if stop.high < 0.5 => format!("differs: STOP is below {}", stop.against),
            () if errors < -CERTAIN_OF_MANY => format!("differs: {} is above STOP", best.name),
            () if errors > CERTAIN && stop.low > 0.5 => {
                "reproduced: STOP is above all for certain".to_owned()
            }
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

/// Whether the strategies that the paper tells apart are in its order.
fn order(rows: &[&Played]) -> String {
    let (mut all, mut same, mut other) = (0, 0, 0);
    for a in rows {
        for b in rows {
            let apart = a.paper.zip(b.paper).is_some_and(|(a, b)| b - a > APART);
            if !apart {
                continue;
            }
            all += 1;
            let errors = errors(b, a);
            same += usize::from(errors > CERTAIN);
            other += usize::from(errors < -CERTAIN);
        }
    }
    match (same, other) {
        _ if all == 0 => "measured: the paper tells none of these apart".to_owned(),
        (0, 0) => format!("not decided: none of {all} pairs is told apart"),
        (same, 0) if same == all => format!("reproduced: all {all} pairs in the paper's order"),
        (same, 0) => {
            format!("reproduced in part: {same} of {all} pairs in the paper's order, none reversed")
        }
        (same, other) => {
            format!("differs: {same} of {all} pairs in the paper's order, {other} reversed")
        }
    }
}

#[cfg(test)]
mod tests;
