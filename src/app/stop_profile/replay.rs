//! Rules that end searches, tried on recorded ones.

use std::fmt::Write as _;

use serde_json::json;

use super::{Material, Place, StepReport};
use crate::chart::{Axis, Chart, Line, Marks, Unit};
use crate::config::Config;
use crate::uncertainty::{
    Estimates, Replay, Replayed, StopProfile, asked_policy, fitted_temperature,
};
use crate::util::{read_limited, write_atomically};

/// Rules to be tried.
#[derive(Clone, Debug)]
pub struct ReplaySpec {
    /// Where the data is, and where the results go.
    pub place: Place,
    /// Checkpoints with thresholds instead of those of the profile, such as 0:0.1,40:0.05.
    pub points: Vec<(usize, f64)>,
}

/// Tries the rule of the profile and others, and draws what they save and lose.
pub fn replay(spec: &ReplaySpec, config: &Config) -> anyhow::Result<StepReport> {
    let material = spec.place.material(config)?;
    let Material { files, simulations, split, .. } = &material;
    let points = if spec.points.is_empty() {
        let bytes = read_limited(&files.profile, 1 << 20)?;
        let profile = StopProfile::from_text(&String::from_utf8_lossy(&bytes))?;
        profile.checkpoints.iter().map(|c| (c.simulations, c.threshold)).collect()
    } else {
        spec.points.clone()
    };
    let mut list: Vec<usize> = points.iter().map(|p| p.0).filter(|&n| n > 0).collect();
    list.extend([simulations / 10, simulations / 4, simulations / 2].iter().filter(|&&n| n > 0));
    list.sort_unstable();
    list.dedup();
    let at_once = material.estimator(&files.state)?;
    let during = material.estimator(&files.mcts)?;
    let states = &split.test;
    let estimates = Estimates::new(states, (&at_once, &during), &list);
    let fitted = fitted_temperature(&split.train, config.uncertainty.epsilon);
    let policies =
        [0.5, 1.0, 1.5, fitted].map(|temperature| (temperature, asked_policy(states, temperature)));
    let replay = Replay {
        states,
        estimates: &estimates,
        policies: &policies,
        points: &points,
        epsilon: config.uncertainty.epsilon,
        c_puct: config.search.c_puct,
    };
    let results = replay.all();
    let object = json!({
        "states": states.len(), "simulations": simulations,
        "epsilon": config.uncertainty.epsilon, "rules": results,
    });
    let drawing = files.profile.with_file_name("replay.svg");
    write_atomically(&drawing, chart(&results).file().as_bytes())?;
    write_atomically(&files.profile.with_file_name("replay.json"), object.to_string().as_bytes())?;
    let mut text = format!("{} positions of held-out games, N_max {simulations}\n", states.len());
    text += "rule                 setting                         simulations  changed  regret   tail\n";
    for row in &results {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<19}  {:<30}  {:>9.1} %  {:>5.1} %  {:.4}  {:>5.1} %",
            row.rule,
            row.setting,
            100.0 * row.ratio,
            100.0 * row.changed,
            row.regret,
            100.0 * row.tail
        );
    }
    Ok(StepReport { text, json: object })
}

/// Simulations against what is lost, a curve for each rule.
fn chart(results: &[Replayed]) -> Chart {
    let mut curves: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for row in results {
        let point = (row.ratio, row.tail);
        match curves.iter_mut().find(|(name, _)| *name == row.rule) {
            Some((_, points)) => points.push(point),
            None => curves.push((row.rule.as_str(), vec![point])),
        }
    }
    for (_, points) in &mut curves {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    // Whatever ends a search early must be better than to end all of them after the same simulations.
    let fixed = curves.iter().position(|(name, _)| *name == "fixed").map(|at| curves.remove(at));
    let mut lines = Line::all(curves);
    lines.extend(fixed.map(|(name, points)| Line::reference(name, points)));
    Chart {
        title: "What stopping early costs, by rule".to_owned(),
        x: Axis::within("share of the simulations", Unit::Percent, 0.0, 1.0),
        y: Axis::new("positions that lose epsilon or more", Unit::Percent).from_zero(),
        marks: Marks::Lines(lines),
    }
}
