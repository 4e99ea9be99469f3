//! Thresholds, and the stop profile that holds them.

use std::fmt::Write as _;

use anyhow::ensure;
use serde_json::json;

use super::{Material, Place, StepReport};
use crate::config::Config;
use crate::nn::NetFile;
use crate::uncertainty::{
    Estimates, Estimator as _, NetEstimator, PROFILE_FORMAT, Replayed, StopProfile,
};

/// Thresholds to be chosen.
#[derive(Clone, Debug)]
pub struct CalibrateSpec {
    /// Where the data is, and where the results go.
    pub place: Place,
    /// Simulations of the checkpoints after the first, such as 40,80,160; by default those that
    /// MCTS-UN was trained for, and doubles of it.
    pub checkpoints: Vec<usize>,
}

/// Chooses thresholds on held-out games, tests them on others and writes the profile.
pub fn calibrate(spec: &CalibrateSpec, config: &Config) -> anyhow::Result<StepReport> {
    let material = spec.place.material(config)?;
    let Material { net, files, simulations, split } = &material;
    let (params, most) = (&config.uncertainty, *simulations);
    let at_once = material.estimator(&files.state)?;
    let during = material.estimator(&files.mcts)?;
    let area = config.game.size().area();
    let list = if spec.checkpoints.is_empty() {
        let (_, _, first) = material.pruned(&at_once, config);
        std::iter::successors(Some(first), |n| Some(2 * n)).take_while(|&n| n < most).collect()
    } else {
        spec.checkpoints.clone()
    };
    ensure!(
        list.is_sorted_by(|a, b| a < b) && list.iter().all(|n| (1..most).contains(n)),
        "--checkpoints must rise and be below {most}"
    );
    let nets = (&at_once, &during);
    let chosen = Estimates::new(&split.calibration, nets, &list);
    let checkpoints = chosen.checkpoints(&split.calibration, params);
    let points: Vec<_> = checkpoints.iter().map(|c| (c.simulations, c.threshold)).collect();
    let stops = Estimates::new(&split.test, nets, &list).stops(&points, most);
    let test = Replayed::new(("", String::new()), &split.test, &stops, params.epsilon);
    let wrong = split
        .test
        .iter()
        .zip(&stops)
        .filter(|(state, n)| **n < most && state.labels.is_uncertain(**n, params.epsilon));
    let false_stops = wrong.count() as f64 / split.test.len() as f64;
    let share = |asked: &NetEstimator| asked.operations(area) / net.manifest.shape.operations(area);
    let cost = share(&at_once) + share(&during) * asked_later(&points, &stops);
    let sha256 =
        |path: &std::path::Path| Ok::<_, anyhow::Error>(NetFile::load(path)?.manifest.sha256);
    let first = &split.train[0].position;
    let profile = StopProfile {
        format: PROFILE_FORMAT,
        net: net.manifest.sha256.clone(),
        state_net: sha256(&files.state)?,
        mcts_net: sha256(&files.mcts)?,
        game: first.rules().game.key().to_owned(),
        board: first.size().width(),
        simulations: most,
        epsilon: params.epsilon,
        made: format!(
            "thresholds {} among {} positions, tested on {}; the games were in no training",
            if params.limits_loss() {
                format!("lose at most {} of value in the mean, with STOP beside them,", params.loss)
            } else {
                format!("catch {} of the uncertain", params.recall)
            },
            split.calibration.len(),
            split.test.len()
        ),
        average_simulations: test.ratio,
        changed_moves: test.changed,
        false_stops,
        checkpoints,
    };
    profile.write(&files.profile)?;
    let json = json!({
        "profile": files.profile, "checkpoints": profile.checkpoints,
        "test": test, "false_stops": false_stops,
        "network_evaluations": cost,
        "calibration_states": split.calibration.len(), "test_states": split.test.len(),
    });
    let text = format!("{}\n{}", files.profile.display(), text(&profile, &test, cost));
    Ok(StepReport { text, json })
}

fn text(profile: &StopProfile, test: &Replayed, cost: f64) -> String {
    let mut text = "checkpoint  threshold  recall   specificity\n".to_owned();
    for point in &profile.checkpoints {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:>10}  {:>9.4}  {:>5.1} %  {:>9.1} %",
            point.simulations,
            point.threshold,
            100.0 * point.recall,
            100.0 * point.specificity
        );
    }
    text + &format!(
        "on other positions: {:.1} % of the simulations, {:.1} % of the moves change, {:.1} % of the \
         searches end too early, {:.4} of value is lost in the mean; asking costs as much as {cost:.1} \
         simulations\n{}\n",
        100.0 * test.ratio,
        100.0 * test.changed,
        100.0 * profile.false_stops,
        test.regret,
        profile.made
    )
}

/// How often MCTS-UN is asked in a search, in the mean.
fn asked_later(points: &[(usize, f64)], stops: &[usize]) -> f64 {
    let asked = |stop: &usize| points.iter().filter(|(n, _)| *n > 0 && n <= stop).count();
    stops.iter().map(asked).sum::<usize>() as f64 / stops.len().max(1) as f64
}
