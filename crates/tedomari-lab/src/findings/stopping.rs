//! What matches and stop profiles say of the claims of Lan et al. (2021) and others.

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

use super::{agreed, finding};
use crate::checklist::Finding;

/// A match, and what a paper says of the like. Shares, not per cent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contest {
    /// The rows of the checklist that it is about.
    pub claims: Vec<String>,
    /// What the first player is, in words.
    pub about: String,
    /// Games that count.
    pub games: u64,
    /// What the first player has scored for each.
    pub score: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Simulations of its moves by those of the second player, where they are known.
    pub simulations: Option<f64>,
    /// What the paper's has scored, if it says so.
    pub paper: Option<f64>,
    /// The simulations of the paper's.
    pub paper_simulations: Option<f64>,
}

/// A finding for each row that a match is about: reproduced where the score is as good as the paper's, with
/// no more simulations; where it only may be, that is not decided.
#[must_use]
pub fn of_contests(rows: &[Contest], command: &str) -> Vec<Finding> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let of = |row: &Contest| {
        let mut text = format!(
            "{}: {} ({} to {}) of {} games",
            row.about,
            percent(row.score),
            percent(row.low),
            percent(row.high),
            row.games
        );
        if let Some(share) = row.simulations {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {} of the simulations", percent(share));
        }
        let mut differences = Vec::new();
        if let Some(paper) = row.paper.filter(|paper| row.high < *paper) {
            differences.push(format!("{} instead of {}", percent(row.score), percent(paper)));
        }
        if let (Some(ours), Some(paper)) = (row.simulations, row.paper_simulations)
            && ours > paper
        {
            differences.push(format!(
                "{} of the simulations, not {}",
                percent(ours),
                percent(paper)
            ));
        }
        let verdict = match row.paper {
            None => "measured: the paper gives no number".to_owned(),
            Some(paper) if differences.is_empty() && row.score < paper => {
                format!("not decided: below {}, which the interval holds", percent(paper))
            }
            Some(_) => agreed(differences.is_empty(), || differences.join(", ")),
        };
        row.claims.iter().map(|id| finding(id, text.clone(), verdict.clone(), command)).collect()
    };
    rows.iter().flat_map(|row| -> Vec<Finding> { of(row) }).collect()
}

/// What `tedomari uncertainty make` has told: A07, A09, A14, A16, A21, A23, A25, A27 to A29 and A39, as
/// far as it tells about them.
#[must_use]
pub fn of_uncertainty(told: &Value, command: &str) -> Vec<Finding> {
    let told = Told(told);
    let found = [
        told.needed(),
        told.checkpoint(),
        told.pruned(),
        told.hard(),
        told.temperature(),
        told.thresholds(),
        told.accuracy(),
        told.policy_and_state(),
        told.chance(),
        told.during(),
        told.with_stop(),
    ];
    let found = found.into_iter().flatten();
    found.map(|(id, ours, verdict)| finding(id, ours, verdict, command)).collect()
}

type Said = Option<(&'static str, String, String)>;

struct Told<'a>(&'a Value);

/// A rule on recorded searches: the share of the simulations, and the mean loss of value.
struct Rule<'a> {
    setting: &'a str,
    ratio: f64,
    regret: f64,
}

impl Rule<'_> {
    fn text(&self, name: &str) -> String {
        let Self { setting, ratio, regret } = self;
        format!("{name} {setting}: {:.1} % of the simulations, {regret:.4} lost", 100.0 * ratio)
    }
}

impl Told<'_> {
    fn number(&self, pointer: &str) -> Option<f64> {
        self.0.pointer(pointer)?.as_f64()
    }

    fn rows(&self, pointer: &str) -> impl Iterator<Item = &Value> {
        self.0.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
    }

    /// The row of the epsilon that was used.
    fn sensitivity(&self) -> Option<&Value> {
        let epsilon = self.number("/label/epsilon")?;
        let is_it =
            |row: &&Value| row["epsilon"].as_f64().is_some_and(|e| (e - epsilon).abs() < 1e-9);
        self.rows("/label/sensitivity").find(is_it)
    }

    fn estimator(&self, name: &str) -> Option<(&str, &Value)> {
        let named =
            |row: &&Value| row["estimator"].as_str().is_some_and(|text| text.starts_with(name));
        let row = self.rows("/train/estimators").find(named)?;
        Some((row["estimator"].as_str()?, &row["quality"]))
    }

    fn rules(&self, name: &str) -> Vec<Rule<'_>> {
        let read = |row| -> Option<Rule<'_>> {
            let row: &Value = row;
            let setting = row["setting"].as_str()?;
            Some(Rule { setting, ratio: row["ratio"].as_f64()?, regret: row["regret"].as_f64()? })
        };
        self.rows("/replay/rules").filter(|row| row["rule"] == name).filter_map(read).collect()
    }

    /// A rule with the setting that takes about this share of the simulations.
    fn rule_at(&self, name: &str, ratio: f64) -> Option<Rule<'_>> {
        let distance = |rule: &Rule<'_>| (rule.ratio - ratio).abs();
        let rules = self.rules(name).into_iter();
        rules.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    fn needed(&self) -> Said {
        let (row, most) = (self.sensitivity()?, self.number("/label/simulations")?);
        let (share, mean) = (row["share_at_once"].as_f64()?, row["mean"].as_f64()?);
        let states = self.number("/label/states")?;
        let text = format!(
            "{:.1} % of {states} positions need 1 of {most} simulations, {:.3} of them in the mean",
            100.0 * share,
            mean
        );
        let verdict = agreed(share > 0.5 && mean < 0.2, || "more search is needed".to_owned());
        Some(("A07", text, verdict))
    }

    fn checkpoint(&self) -> Said {
        let (row, most) = (self.sensitivity()?, self.number("/label/simulations")?);
        let n = row["checkpoint"].as_f64()?;
        let near = (0.03..0.2).contains(&(n / most));
        let verdict = agreed(near, || "not near a tenth of the search".to_owned());
        Some(("A14", format!("{n} of {most}, before pruning"), verdict))
    }

    fn pruned(&self) -> Said {
        let share = self.number("/train/pruned_share")?;
        let near = (0.2..0.5).contains(&share);
        let verdict = agreed(near, || "not near a third".to_owned());
        Some(("A16", format!("{:.1} % of those that need 1 simulation", 100.0 * share), verdict))
    }

    fn hard(&self) -> Said {
        let share = self.sensitivity()?["share_above_tenth"].as_f64()?;
        let text = format!("{:.1} % need more than a tenth of the search", 100.0 * share);
        Some(("A21", text, agreed(share < 0.1, || "there are more".to_owned())))
    }

    fn temperature(&self) -> Said {
        let (plain, at_one) = self.estimator("PV-NN tau 1.00")?;
        let temperature = self.number("/train/temperature")?;
        let (fitted, best) = self.estimator(&format!("PV-NN tau {temperature:.2}"))?;
        let error = |quality: &Value| quality["calibration_error"].as_f64();
        let (before, after) = (error(at_one)?, error(best)?);
        let text =
            format!("calibration error {before:.3} ({plain}), {after:.3} ({fitted}, fitted)");
        Some(("A09", text, "measured: the paper gives no such number".to_owned()))
    }

    fn thresholds(&self) -> Said {
        let cell = |row: &Value| -> Option<String> {
            let [threshold, recall] = ["threshold", "recall"].map(|key| row[key].as_f64());
            Some(format!("{}: {:.3} ({:.1} %)", row["simulations"], threshold?, 100.0 * recall?))
        };
        let cells: Vec<_> = self.rows("/calibrate/checkpoints").filter_map(cell).collect();
        let text = format!("thresholds, and what they catch: {}", cells.join("; "));
        (!cells.is_empty()).then(|| ("A23", text, "measured: other searches".to_owned()))
    }

    fn accuracy(&self) -> Said {
        let (_, state) = self.estimator("State-UN")?;
        let (name, mcts) = self.estimator("MCTS-UN at")?;
        let [accuracy, auc] =
            ["accuracy", "auc"].map(|key| (state[key].as_f64(), mcts[key].as_f64()));
        let text = format!(
            "State-UN {:.1} % (AUC {:.3}), {name} {:.1} % (AUC {:.3})",
            100.0 * accuracy.0?,
            auc.0?,
            100.0 * accuracy.1?,
            auc.1?
        );
        let above = accuracy.0? > 0.9 && accuracy.1? > 0.9;
        Some(("A39", text, agreed(above, || "below 90 %".to_owned())))
    }

    /// State-UN and the policy where both take about the same share of the simulations.
    fn policy_and_state(&self) -> Said {
        let name = format!("PV-NN tau {:.2}", self.number("/train/temperature")?);
        let state = self.rule_at("State-UN", 0.6)?;
        let policy = self.rule_at(&name, state.ratio)?;
        let text = format!("{}; {}", policy.text(&name), state.text("State-UN"));
        let better = state.regret < policy.regret;
        Some(("A25", text, agreed(better, || "the policy loses less".to_owned())))
    }

    fn chance(&self) -> Said {
        let random = self.rule_at("random", 0.6)?;
        let state = self.rule_at("State-UN", random.ratio)?;
        let text = format!("{}; {}", random.text("random"), state.text("State-UN"));
        let worse = random.regret > state.regret;
        Some(("A27", text, agreed(worse, || "chance is no worse".to_owned())))
    }

    /// What checkpoints add to State-UN alone.
    fn during(&self) -> Said {
        let whole = self.rules("profile").pop()?;
        let state = self.rule_at("State-UN", whole.ratio)?;
        let text = format!("{}; {}", whole.text("profile"), state.text("State-UN alone"));
        Some(("A28", text, agreed(whole.regret < state.regret, || "they add nothing".to_owned())))
    }

    fn with_stop(&self) -> Said {
        let (alone, both) = (self.rules("profile").pop()?, self.rules("profile and STOP").pop()?);
        let text = format!("{}; {}", alone.text("profile"), both.text("profile and STOP"));
        let less = both.ratio < alone.ratio;
        Some(("A29", text, agreed(less, || "STOP saves nothing more".to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_match_is_compared_with_the_paper() {
        let row = |high: f64, simulations: Option<f64>| Contest {
            claims: vec!["A31".to_owned(), "A40".to_owned()],
            about: "profile".to_owned(),
            games: 1000,
            score: high - 0.03,
            low: high - 0.06,
            high,
            simulations,
            paper: Some(0.465),
            paper_simulations: Some(0.38),
        };
        let found = of_contests(&[row(0.48, Some(0.37))], "x");
        let ids: Vec<_> = found.iter().map(|found| found.id.as_str()).collect();
        assert_eq!(ids, ["A31", "A40"]);
        assert_eq!(found[0].verdict, "not decided: below 46.5 %, which the interval holds");
        let expected =
            "profile: 45.0 % (42.0 % to 48.0 %) of 1000 games, 37.0 % of the simulations";
        assert_eq!(found[0].ours, expected);
        let verdict = |row| of_contests(&[row], "x").remove(0).verdict;
        let unknown = Contest { paper: None, ..row(0.46, None) };
        assert!(verdict(unknown).starts_with("measured"));
        assert_eq!(verdict(row(0.5, Some(0.37))), "reproduced");
        assert_eq!(verdict(row(0.46, None)), "differs: 43.0 % instead of 46.5 %");
        assert_eq!(verdict(row(0.5, Some(0.4))), "differs: 40.0 % of the simulations, not 38.0 %");
    }

    #[test]
    fn a_stop_profile_is_read_as_far_as_it_tells() {
        let rule = |rule: &str, ratio: f64, regret: f64| json!({ "rule": rule, "setting": "s", "ratio": ratio, "regret": regret });
        let quality =
            |accuracy: f64| json!({ "accuracy": accuracy, "auc": 0.8, "calibration_error": 0.1 });
        let estimator =
            |name: &str, accuracy| json!({ "estimator": name, "quality": quality(accuracy) });
        let sensitivity = |epsilon: f64, share: f64| {
            json!({
                "epsilon": epsilon, "share_at_once": share, "share_above_tenth": 0.2, "mean": 0.1,
                "checkpoint": 40,
            })
        };
        let told = json!({
            "label": {
                "epsilon": 0.05, "simulations": 400, "states": 1000,
                "sensitivity": [sensitivity(0.02, 0.1), sensitivity(0.05, 0.7)],
            },
            "train": {
                "pruned_share": 0.6, "temperature": 0.5,
                "estimators": [
                    estimator("PV-NN tau 1.00", 0.6), estimator("PV-NN tau 0.50", 0.7),
                    estimator("State-UN", 0.95), estimator("MCTS-UN at 35", 0.8),
                ],
            },
            "calibrate": { "checkpoints": [{ "simulations": 35, "threshold": 0.1, "recall": 0.96 }] },
            "replay": {
                "rules": [
                    rule("State-UN", 0.7, 0.002), rule("State-UN", 0.4, 0.004),
                    rule("PV-NN tau 0.50", 0.68, 0.003), rule("random", 0.65, 0.01),
                    rule("profile", 0.9, 0.0), rule("profile", 0.45, 0.002),
                    rule("profile and STOP", 0.4, 0.002),
                ],
            },
        });
        let found = of_uncertainty(&told, "x");
        let verdict = |id: &str| {
            found.iter().find(|found| found.id == id).map(|found| found.verdict.as_str()).unwrap()
        };
        for id in ["A07", "A14", "A25", "A27", "A28", "A29"] {
            assert_eq!(verdict(id), "reproduced", "{id}");
        }
        assert_eq!(verdict("A16"), "differs: not near a third");
        assert_eq!(verdict("A21"), "differs: there are more");
        assert_eq!(verdict("A39"), "differs: below 90 %");
        assert!(verdict("A09").starts_with("measured") && verdict("A23").starts_with("measured"));
        assert!(of_uncertainty(&json!({}), "x").is_empty());
    }
}
