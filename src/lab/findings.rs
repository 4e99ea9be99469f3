//! What the numbers of experiments say of the papers' claims.

mod stopping;

pub use stopping::{Contest, of_contests, of_uncertainty};

use super::checklist::Finding;
use super::metrics::Estimate;
use super::study::{Assessed, Study};
use super::time::Played;
use super::wls::{Row, StepResponse};

/// How far our means may be from the paper's.
const WLS_TOLERANCE: f64 = 0.001;
/// The same where jumps are ties that arithmetic decides: K = 1.0 and 1.4.
const WLS_TIES: f64 = 0.012;

fn finding(id: &str, ours: String, verdict: String, command: &str) -> Finding {
    Finding { id: id.to_owned(), ours, verdict, command: command.to_owned() }
}

fn agreed(agrees: bool, otherwise: impl FnOnce() -> String) -> String {
    if agrees { "reproduced".to_owned() } else { format!("differs: {}", otherwise()) }
}

/// B12, B14 and B16.
#[must_use]
pub fn of_wls(
    (table1, table2, step): (&[Row], &[Row], &StepResponse),
    command: &str,
) -> Vec<Finding> {
    let table = |id: &str, rows: &[Row]| {
        let near = |row: &Row| {
            let ties = [1.0, 1.4].iter().any(|k| (row.k - k).abs() < 1e-9);
            let tolerance = if ties { WLS_TIES } else { WLS_TOLERANCE };
            (row.measured.sd_r - row.paper.sd_r).abs() < tolerance
                && (row.measured.s_rc - row.paper.s_rc).abs() < tolerance
        };
        let cell = |row: &Row| {
            let (m, name) = (&row.measured, if row.k > 0.0 { "K" } else { "updates" });
            let key = if row.k > 0.0 { row.k } else { f64::from(row.updates[0]) };
            format!(
                "{name} {key}: {:.4} ± {:.4}, {:.4} ± {:.4}",
                m.sd_r, m.sd_r_sd, m.s_rc, m.s_rc_sd
            )
        };
        let cells: Vec<String> = rows.iter().map(cell).collect();
        let far = || {
            let far = rows.iter().filter(|row| !near(row)).count();
            format!("{far} of {} rows are farther than the tolerance", rows.len())
        };
        finding(id, cells.join("; "), agreed(rows.iter().all(near), far), command)
    };
    let text = format!("adjusted R² {:.5}, {:.2} updates for each visit", step.r2, step.slope);
    let verdict = agreed(step.r2 > 0.995, || "the line does not fit".to_owned());
    vec![table("B12", table1), table("B14", table2), finding("B16", text, verdict, command)]
}

fn acc(row: &Assessed) -> Option<Estimate> {
    row.metrics.scores[0]
}

fn with_interval(name: &str, estimate: &Estimate) -> String {
    let Estimate { value, interval } = estimate;
    format!("{name} {value:.3} ({:.3} to {:.3})", interval.low, interval.high)
}

/// D16 to D25, those that the evaluators of a study tell about.
#[must_use]
pub fn of_study(study: &Study, command: &str) -> Vec<Finding> {
    let mut list = vec![
        finding(
            "D14",
            study.source.clone(),
            "other records: the paper's are not to be had".to_owned(),
            command,
        ),
        finding("D15", names(study), "other programs of the same kinds".to_owned(), command),
        table(study, command),
        calibration(study, command),
    ];
    list.extend(splits(study, command));
    let winners: Vec<String> = study
        .winners
        .iter()
        .map(|row| format!("komi {}: {} to {}", row.komi, row.black_won, row.white_won))
        .collect();
    list.push(finding("D24", winners.join("; "), "other records".to_owned(), command));
    list
}

fn names(study: &Study) -> String {
    let names: Vec<&str> = study.rows.iter().map(|row| row.evaluator.as_str()).collect();
    names.join(", ")
}

/// Whether more playouts are at least as accurate, and whether the full search is above the playout
/// player above UCT above Monte Carlo above Monte Carlo by score, as far as the intervals can tell.
fn table(study: &Study, command: &str) -> Finding {
    let below = study.gains.iter().filter(|gain| gain.acc.interval.high < 0.0);
    let below: Vec<String> =
        below.map(|gain| format!("{} is above {}", gain.from, gain.to)).collect();
    let above = study.gains.iter().filter(|gain| gain.acc.interval.low > 0.0).count();
    let cells: Vec<String> = study
        .rows
        .iter()
        .filter_map(|row| Some(with_interval(&row.evaluator, &acc(row)?)))
        .collect();
    let all = study.gains.len();
    let verdict = match (all, below.is_empty()) {
        (0, _) => "measured: nothing here is in the paper's order".to_owned(),
        (_, true) => format!("reproduced: {above} of {all} steps up for certain, none down"),
        (_, false) => {
            format!("differs: {above} of {all} steps up for certain; {}", below.join(", "))
        }
    };
    finding("D16", format!("ACC: {}", cells.join("; ")), verdict, command)
}

/// How far curves are from the diagonal.
fn calibration(study: &Study, command: &str) -> Finding {
    let cells: Vec<String> = study
        .rows
        .iter()
        .filter(|row| row.scale == super::assess::Scale::Chance && !row.total.bins.is_empty())
        .map(|row| {
            let bins = &row.total.bins;
            let all: usize = bins.iter().map(|bin| bin.positions).sum();
            let sum: f64 = bins
                .iter()
                .map(|bin| bin.positions as f64 * (bin.win_probability - bin.value).abs())
                .sum();
            format!("{} {:.3}", row.evaluator, sum / all as f64)
        })
        .collect();
    let text = format!("mean distance from y = x: {}", cells.join("; "));
    finding("D17", text, "measured: see the curves".to_owned(), command)
}

/// How far apart the curves of a family are, for each evaluator that the paper has a figure of.
fn splits(study: &Study, command: &str) -> Vec<Finding> {
    let mut list = Vec::new();
    for row in &study.rows {
        let kind = row.evaluator.split([':', ' ']).next().unwrap_or_default();
        let (moves, ladder) = match kind {
            "mc" | "uct" | "uct-tuned" => ("D20", "D23"),
            "gtp" => ("D21", ""),
            "search" | "net" => ("D19", "D22"),
            _ => continue,
        };
        for (id, family) in [(moves, "moves"), (ladder, "ladder"), ("D25", "komi")] {
            let some = row.conditioned.iter().filter(|c| c.family == family);
            let cells: Vec<String> = some
                .filter_map(|c| {
                    let (split, errors) = (c.split?, c.split_errors?);
                    let positions = c.curve.positions;
                    Some(format!("{} ({positions}): {split:+.3} ({errors:+.1} s.e.)", c.condition))
                })
                .collect();
            if id.is_empty() || cells.len() < 2 {
                continue;
            }
            let largest = row
                .conditioned
                .iter()
                .filter(|c| c.family == family)
                .filter_map(|c| c.split_errors)
                .fold(0.0, |most: f64, errors| most.max(errors.abs()));
            let verdict = if largest > 3.0 {
                format!("the curves split: {largest:.1} standard errors")
            } else {
                "one curve: no split beyond three standard errors".to_owned()
            };
            let text = format!("{}: {}", row.evaluator, cells.join("; "));
            list.push(finding(id, text, verdict, command));
        }
    }
    list
}

/// C20 to C23, C33 and C36: for each table the rates, and how their order compares with the paper's; C38:
/// what strategies that stop have saved.
#[must_use]
pub fn of_time(rows: &[Played], command: &str) -> Vec<Finding> {
    let mut ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    ids.dedup();
    let of = |id: &str| {
        let rows: Vec<&Played> = rows.iter().filter(|row| row.id == id).collect();
        let cells: Vec<String> = rows
            .iter()
            .map(|row| {
                let [score, low, high] = [row.score, row.low, row.high].map(|share| 100.0 * share);
                format!("{} {score:.1} % ({low:.1} to {high:.1})", row.name)
            })
            .collect();
        let verdict = if id == "C36" { hurry(rows[0]) } else { order(&rows) };
        finding(id, cells.join("; "), verdict, command)
    };
    ids.into_iter().map(of).chain(savings(rows, command)).collect()
}

/// Whether a player that hurries in the endgame loses by it.
fn hurry(row: &Played) -> String {
    match () {
        () if row.high < 0.5 => "reproduced: hurrying in the endgame costs games".to_owned(),
        () if row.low > 0.5 => "differs: hurrying in the endgame wins games".to_owned(),
        () => "not decided: the interval holds one half".to_owned(),
    }
}

/// The order of the paper: `STOP_A` saves least, STOP most.
fn savings(rows: &[Played], command: &str) -> Option<Finding> {
    let saved = ["STOP_A", "STOP_B", "STOP"]
        .map(|name| rows.iter().find(|row| row.name == name).and_then(|row| row.saved));
    let [Some(a), Some(b), Some(stop)] = saved else { return None };
    let text = format!(
        "STOP_A {:.1} %, STOP_B {:.1} %, STOP {:.1} % of the planned time",
        100.0 * a,
        100.0 * b,
        100.0 * stop
    );
    let verdict = agreed(a < stop && b < stop, || "STOP does not save most".to_owned());
    Some(finding("C38", text, verdict, command))
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
mod tests {
    use super::*;
    use crate::lab::wls::{step_response, table1, table2};
    use crate::util::Seed;

    #[test]
    fn wls_is_judged_by_its_numbers() {
        let seed = Seed::new(2);
        let (mut one, two) = (table1(1000, seed), table2(1000, seed));
        let step = step_response(&[25], seed).remove(0);
        let verdicts = |one: &[Row]| -> Vec<String> {
            of_wls((one, &two, &step), "x").into_iter().map(|found| found.verdict).collect()
        };
        assert_eq!(verdicts(&one)[2], "reproduced");
        one[0].measured = one[0].paper;
        one[1].measured = one[1].paper;
        assert_eq!(verdicts(&one)[0], "reproduced");
        one[1].measured.sd_r += 0.002;
        assert_eq!(verdicts(&one)[0], "differs: 1 of 2 rows are farther than the tolerance");
    }

    fn played(name: &str, [low, high]: [f64; 2], saved: Option<f64>) -> Played {
        Played {
            id: if name == "endgame-hurried" { "C36" } else { "C22" }.to_owned(),
            table: "III".to_owned(),
            name: name.to_owned(),
            games: 100,
            score: f64::midpoint(low, high),
            low,
            high,
            paper: 0.4,
            saved,
            time_by_move: Vec::new(),
        }
    }

    #[test]
    fn hurrying_is_judged_against_one_half() {
        let verdict =
            |interval| of_time(&[played("endgame-hurried", interval, None)], "x").remove(0).verdict;
        assert!(verdict([0.3, 0.4]).starts_with("reproduced"));
        assert!(verdict([0.4, 0.6]).starts_with("not decided"));
        assert!(verdict([0.6, 0.7]).starts_with("differs"));
    }

    #[test]
    fn savings_are_told_when_all_three_are_known() {
        let rows = |stop: Option<f64>| {
            let of = |name: &str, saved| played(name, [0.4, 0.6], saved);
            of_time(&[of("STOP_A", Some(0.2)), of("STOP_B", Some(0.3)), of("STOP", stop)], "x")
        };
        let found = rows(Some(0.5)).pop().unwrap();
        assert_eq!(
            (found.id.as_str(), found.verdict.as_str(), found.ours.as_str()),
            ("C38", "reproduced", "STOP_A 20.0 %, STOP_B 30.0 %, STOP 50.0 % of the planned time")
        );
        assert!(rows(Some(0.1)).pop().unwrap().verdict.starts_with("differs"));
        assert!(rows(None).iter().all(|found| found.id != "C38"));
    }

    #[test]
    fn orders_are_judged_by_intervals() {
        let row = |paper: f64, low: f64, high: f64| Played {
            id: "C22".to_owned(),
            table: "III".to_owned(),
            name: "x".to_owned(),
            games: 100,
            score: f64::midpoint(low, high),
            low,
            high,
            paper,
            saved: None,
            time_by_move: Vec::new(),
        };
        let verdict = |rows: &[Played]| of_time(rows, "x").remove(0).verdict;
        let (weak, middle, strong) = (row(0.2, 0.1, 0.2), row(0.3, 0.15, 0.4), row(0.4, 0.5, 0.6));
        let rows = [weak.clone(), middle.clone(), strong.clone()];
        assert!(verdict(&rows).starts_with("reproduced: 2 pairs"));
        assert!(verdict(&[weak.clone(), middle]).starts_with("not decided"));
        let turned = [Played { paper: 0.9, ..weak }, strong];
        assert!(verdict(&turned).starts_with("differs: 0 pairs"));
    }
}
