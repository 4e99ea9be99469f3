//! What the numbers of experiments say of the papers' claims.

mod stopping;
mod strategies;

pub use stopping::{Contest, of_contests, of_uncertainty};
pub use strategies::{Ground, of_time};

use super::assess::Scale;
use super::checklist::Finding;
use super::curves::{Bin, Split};
use super::metrics::Estimate;
use super::sample::Winners;
use super::study::{Assessed, Gain, Study};
use super::wls::{Row, StepResponse};
use tedomari::util::stats::Interval;

/// Standard errors from which one of several curves is thought to be another.
const MANY_ERRORS: f64 = 3.0;
/// Games of one komi that are told apart from others.
const MANY_GAMES: usize = 100;
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

/// D14 to D25, those that the evaluators of a study tell about, or D27 for another game than Go.
#[must_use]
pub fn of_study(study: &Study, command: &str) -> Vec<Finding> {
    if study.game != "go" {
        let other = Finding { id: "D27".to_owned(), ..table(study, command) };
        return vec![other];
    }
    let mut list = vec![
        finding(
            "D14",
            study.source.clone(),
            "other records: the paper's are not to be had".to_owned(),
            command,
        ),
        finding("D15", names(study), "other programs of the same kinds".to_owned(), command),
        table(study, command),
        calibration("D17", study, command, &|_| true),
    ];
    if study.rows.iter().any(is_net) {
        list.push(calibration("E4", study, command, &is_net));
    }
    list.extend(by_score(study, command));
    list.extend(splits(study, command));
    list.push(finding("D24", winners(study), "other records".to_owned(), command));
    list
}

/// Games that Black has won and lost by komi, those with few games together.
fn winners(study: &Study) -> String {
    let all = |row: &Winners| row.black_won + row.white_won;
    let (many, few): (Vec<&Winners>, Vec<&Winners>) =
        study.winners.iter().partition(|row| all(row) >= MANY_GAMES);
    let mut cells: Vec<String> = many
        .iter()
        .map(|row| format!("komi {}: {} to {}", row.komi, row.black_won, row.white_won))
        .collect();
    if !few.is_empty() {
        let black: usize = few.iter().map(|row| row.black_won).sum();
        let white: usize = few.iter().map(|row| row.white_won).sum();
        cells.push(format!("other komi and rules: {black} to {white}"));
    }
    cells.join("; ")
}

/// Whether curves over points are the same however many games are played, and whether they rise.
fn by_score(study: &Study, command: &str) -> Vec<Finding> {
    let points: Vec<&Assessed> =
        study.rows.iter().filter(|row| row.scale == Scale::Points).collect();
    let apart =
        |a: &Bin, b: &Bin| a.interval.low > b.interval.high || b.interval.low > a.interval.high;
    let mut list = Vec::new();
    let sizes: Vec<&&Assessed> =
        points.iter().filter(|row| row.evaluator.starts_with("mc-score:")).collect();
    if let [first, others @ ..] = sizes.as_slice()
        && !others.is_empty()
    {
        let (mut both, mut differ) = (0, 0);
        for other in others {
            for a in &first.total.bins {
                let same = |b: &&Bin| (a.value - b.value).abs() < 1e-9;
                if let Some(b) = other.total.bins.iter().find(same) {
                    both += 1;
                    differ += usize::from(apart(a, b));
                }
            }
        }
        let text = format!(
            "curves of mc-score at {} sizes: {differ} of {both} intervals of points differ for certain",
            sizes.len()
        );
        let verdict = if both == 0 {
            "not decided: no interval of points in common".to_owned()
        } else {
            agreed(differ == 0, || "curves differ with the number of games".to_owned())
        };
        list.push(finding("D18", text, verdict, command));
    }
    for row in points.iter().filter(|row| row.evaluator.starts_with("gtp:")) {
        let falls = |two: &[Bin]| two[1].interval.high < two[0].interval.low;
        let falls = row.total.bins.windows(2).filter(|two| falls(two)).count();
        let text = format!("{}: the curve falls {falls} times for certain", row.evaluator);
        let verdict = agreed(falls > 0, || "the paper's is not monotone, ours is".to_owned());
        list.push(finding("D18", text, verdict, command));
    }
    list
}

fn names(study: &Study) -> String {
    let names: Vec<&str> = study.rows.iter().map(|row| row.evaluator.as_str()).collect();
    names.join(", ")
}

/// Whether more playouts are at least as accurate, and whether the full search is above the playout
/// player above UCT, and UCT, Monte Carlo and Monte Carlo by score are in the paper's order for as many
/// playouts, as far as the intervals can tell.
fn table(study: &Study, command: &str) -> Finding {
    // Where the paper has both, its own order counts, otherwise that more is better.
    let expected = |gain: &Gain| gain.paper.map_or(1.0, f64::signum);
    let certain = |gain: &Gain| {
        let Interval { low, high } = gain.acc.interval;
        if low > 0.0 || high < 0.0 { gain.acc.value.signum() } else { 0.0 }
    };
    let same = study.gains.iter().filter(|gain| certain(gain) * expected(gain) > 0.0).count();
    let turned = study.gains.iter().filter(|gain| certain(gain) * expected(gain) < 0.0);
    let turned: Vec<String> = turned
        .map(|gain| {
            let value = gain.acc.value;
            format!("{} over {} is {value:+.3}", gain.to, gain.from)
        })
        .collect();
    let cells: Vec<String> = study
        .rows
        .iter()
        .filter_map(|row| Some(with_interval(&row.evaluator, &acc(row)?)))
        .collect();
    let all = study.gains.len();
    let verdict = match (all, turned.is_empty()) {
        (0, _) => "measured: nothing here is in the paper's order".to_owned(),
        (_, true) if same == 0 => "not decided: no step is certain".to_owned(),
        (_, true) if same == all => format!("reproduced: all {all} steps for certain"),
        (_, true) => {
            format!("reproduced in part: {same} of {all} steps for certain, none turned round")
        }
        (_, false) => {
            format!("differs: {same} of {all} steps for certain, but {}", turned.join(", "))
        }
    };
    finding("D16", format!("ACC: {}", cells.join("; ")), verdict, command)
}

fn is_net(row: &Assessed) -> bool {
    row.evaluator.split(' ').next() == Some("net")
}

/// How far curves of some evaluators are from the diagonal.
fn calibration(
    id: &str,
    study: &Study,
    command: &str,
    wanted: &dyn Fn(&Assessed) -> bool,
) -> Finding {
    let cells: Vec<String> = study
        .rows
        .iter()
        .filter(|row| wanted(row) && row.scale == Scale::Chance && !row.total.bins.is_empty())
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
    finding(id, text, "measured: see the curves".to_owned(), command)
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
        let families = [(moves, "moves"), (ladder, "ladder"), ("D25", "komi")];
        let wanted = families.iter().filter(|(id, _)| !id.is_empty());
        list.extend(wanted.filter_map(|(id, family)| split(row, id, family, command)));
    }
    list
}

/// How far the curves of a family are from that of all positions; none where there is no other.
fn split(row: &Assessed, id: &str, family: &str, command: &str) -> Option<Finding> {
    let some = row.conditioned.iter().filter(|c| c.family == family);
    let some: Vec<_> = some.filter_map(|c| Some((c, c.split?))).collect();
    if some.len() < 2 {
        return None;
    }
    let cells: Vec<String> = some
        .iter()
        .map(|(c, split)| {
            let Split { shift, shift_errors, apart, apart_errors } = split;
            format!(
                "{} ({}): {shift:+.3} ({shift_errors:+.1} s.e.), apart {apart:.3} ({apart_errors:+.1})",
                c.condition, c.curve.positions
            )
        })
        .collect();
    let most =
        |of: &dyn Fn(&Split) -> f64| some.iter().map(|(_, split)| of(split)).fold(0.0, f64::max);
    let shift = most(&|split| split.shift_errors.abs());
    let apart = most(&|split| split.apart_errors);
    let seen = match () {
        () if shift > MANY_ERRORS => Some(format!("the curves split, {shift:.1} standard errors")),
        () if apart > MANY_ERRORS => Some(format!("other slopes, {apart:.1} standard errors")),
        () => None,
    };
    // The paper's curves of random games and of GNU Go are apart, those of its best program are one.
    let expected = matches!(id, "D20" | "D21" | "D23");
    let verdict = match (expected, seen) {
        (true, Some(seen)) => format!("reproduced: {seen}"),
        (true, None) => "not decided: no split beyond three standard errors".to_owned(),
        (false, Some(seen)) => format!("differs: {seen}"),
        (false, None) => "reproduced: one curve, no split beyond three standard errors".to_owned(),
    };
    let text = format!("{}: {}", row.evaluator, cells.join("; "));
    Some(finding(id, text, verdict, command))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wls::{step_response, table1, table2};
    use crate::{Conditioned, Curve, CurveParams, Judged, Metrics};
    use tedomari::util::Seed;

    fn gain(value: f64, paper: Option<f64>) -> Gain {
        let interval = Interval { low: value - 0.01, high: value + 0.01 };
        let (from, to) = ("mc:500".to_owned(), "uct:500".to_owned());
        Gain { from, to, positions: 9, acc: Estimate { value, interval }, paper }
    }

    #[test]
    fn tables_are_judged_by_the_papers_own_order() {
        let study = |gains: Vec<Gain>| Study {
            source: String::new(),
            game: "go".to_owned(),
            positions: 9,
            winners: Vec::new(),
            rows: Vec::new(),
            gains,
        };
        let verdict = |gains: Vec<Gain>| table(&study(gains), "x").verdict;
        // Below Monte Carlo, as in the paper; above it is what differs.
        assert!(verdict(vec![gain(-0.03, Some(-0.015))]).starts_with("reproduced: all 1"));
        assert!(verdict(vec![gain(0.03, Some(-0.015))]).starts_with("differs: 0 of 1"));
        assert!(verdict(vec![gain(0.005, Some(-0.015))]).starts_with("not decided"));
        assert!(verdict(vec![gain(0.03, None), gain(-0.03, None)]).starts_with("differs: 1 of 2"));
        assert!(verdict(Vec::new()).starts_with("measured"));
        let part = verdict(vec![gain(0.03, None), gain(0.005, None)]);
        assert!(part.starts_with("reproduced in part: 1 of 2"), "{part}");
        let nogo = Study { game: "nogo".to_owned(), ..study(vec![gain(0.03, None)]) };
        let found = of_study(&nogo, "x");
        assert!(found.len() == 1 && found[0].id == "D27", "{found:?}");
    }

    #[test]
    fn splits_are_judged_by_what_the_paper_has_seen() {
        let bin = |value: f64, share: f64| {
            let interval = Interval { low: share - 0.02, high: share + 0.02 };
            Bin { value, positions: 400, black_won: 200, win_probability: share, interval }
        };
        let curve = |up: f64| {
            let bins = [0.3, 0.5, 0.7].map(|value| bin(value, value + up)).to_vec();
            Curve { positions: 1200, bins }
        };
        let verdict = |evaluator: &str, family: &str, up: f64| {
            let total = curve(0.0);
            let some = |condition: &str, up: f64| Conditioned {
                family: family.to_owned(),
                condition: condition.to_owned(),
                split: curve(up).split(&total),
                curve: curve(up),
            };
            let row = Assessed {
                evaluator: evaluator.to_owned(),
                scale: Scale::Chance,
                metrics: Metrics::new(&[], 0.5, 0, Seed::new(1)),
                paper: None,
                conditioned: vec![some("a", up), some("b", 0.0)],
                total: curve(0.0),
            };
            let study = Study {
                source: String::new(),
                game: "go".to_owned(),
                positions: 9,
                winners: Vec::new(),
                rows: vec![row],
                gains: Vec::new(),
            };
            let found = splits(&study, "x").remove(0);
            (found.id, found.verdict.split([':', ',']).next().unwrap_or_default().to_owned())
        };
        let expect = |found: (String, String), id: &str, verdict: &str| {
            assert_eq!((found.0.as_str(), found.1.as_str()), (id, verdict));
        };
        expect(verdict("uct:500", "ladder", 0.1), "D23", "reproduced");
        expect(verdict("uct:500", "ladder", 0.0), "D23", "not decided");
        expect(verdict("search:500", "ladder", -0.1), "D22", "differs");
        expect(verdict("search:500", "moves", 0.0), "D19", "reproduced");
    }

    /// Curves of points with the same share of wins in each interval, or another.
    #[test]
    fn curves_by_score_are_compared() {
        let params = CurveParams { width: 5.0, least: 10 };
        let row = |name: &str, from: u32, wins: u32| {
            let judged = (0..400).map(|n| Judged {
                value: 5.0 * f64::from(from + n % 4),
                black_won: n / 4 % 10 < wins,
                game: n as usize,
            });
            let judged: Vec<Judged> = judged.collect();
            Assessed {
                evaluator: name.to_owned(),
                scale: Scale::Points,
                metrics: Metrics::new(&judged, 0.0, 0, Seed::new(1)),
                paper: None,
                total: Curve::new(&judged, &params),
                conditioned: Vec::new(),
            }
        };
        let verdict = |rows: Vec<Assessed>| {
            let study = Study {
                source: String::new(),
                game: "go".to_owned(),
                positions: 400,
                winners: Vec::new(),
                rows,
                gains: Vec::new(),
            };
            by_score(&study, "x").remove(0).verdict
        };
        let first = || row("mc-score:500", 0, 5);
        assert_eq!(verdict(vec![first(), row("mc-score:5000", 0, 5)]), "reproduced");
        assert!(verdict(vec![first(), row("mc-score:5000", 0, 9)]).starts_with("differs"));
        assert!(verdict(vec![first(), row("mc-score:5000", 90, 5)]).starts_with("not decided"));
        assert!(verdict(vec![row("gtp:gnugo", 0, 5)]).starts_with("differs"));
    }

    #[test]
    fn wls_is_judged_by_its_numbers() {
        let seed = Seed::new(2);
        let mut one: Vec<_> = table1(1000, seed).collect();
        let two: Vec<_> = table2(1000, seed).collect();
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
}
