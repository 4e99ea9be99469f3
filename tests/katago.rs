//! KataGo's networks say here what they say in KataGo: its recorded outputs, with their net, lie
//! beside the project. Where they are absent, the tests say so and pass.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod shared;

use std::fs;
use std::sync::Arc;

use serde_json::Value as Json;
use tedomari::eval::Policy;
use tedomari::game::{BoardSize, Color, Komi, Move, Position, Symmetry};
use tedomari::nn::Orientation;
use tedomari::nn::katago::{KataGoEvaluator, Model, Outlook};

/// The recorded positions, and the network that they were recorded with.
fn recorded() -> Option<(Vec<Json>, Arc<Model>)> {
    let folder = shared::nets_dir()?;
    let text = fs::read_to_string(folder.join("katago_raw_nn.json")).unwrap();
    let file: Json = serde_json::from_str(&text).unwrap();
    let bytes = fs::read(folder.join(file["model"].as_str().unwrap())).unwrap();
    let positions = file["positions"].as_array().unwrap().clone();
    Some((positions, Arc::new(Model::from_bytes(&bytes).unwrap())))
}

fn position(recorded: &Json) -> Position {
    let side = usize::try_from(recorded["boardsize"].as_u64().unwrap()).unwrap();
    let size = BoardSize::square(side).unwrap();
    let rules = recorded["rules"].as_str().unwrap().parse().unwrap();
    let komi = Komi::from_points(recorded["komi"].as_f64().unwrap()).unwrap();
    let color = |text: &Json| if text == "B" { Color::Black } else { Color::White };
    let mut position = Position::new(size, rules, komi);
    for mv in recorded["moves"].as_array().unwrap() {
        let at = size.parse_move(mv[1].as_str().unwrap()).unwrap();
        position.play(color(&mv[0]), at).unwrap();
    }
    assert_eq!(position.to_move(), color(&recorded["to_move"]));
    position
}

/// The largest differences found.
#[derive(Debug, Default)]
struct Differences {
    policy: f64,
    win: f64,
    lead: f64,
    mean: f64,
    ownership: f64,
}

fn differences(position: &Position, found: &Outlook, expected: &Json) -> Differences {
    let sign = if position.to_move() == Color::White { 1.0 } else { -1.0 };
    let number = |key: &str| expected[key].as_f64().unwrap();
    let Policy::Weights { points, pass } = &found.evaluation.policy else { panic!("no policy") };
    let mut all = Differences::default();
    for (&found, expected) in points.iter().zip(expected["policy"].as_array().unwrap()) {
        // A move that is not allowed has no number in the record.
        let expected = expected.as_f64().unwrap_or(0.0);
        all.policy = all.policy.max((f64::from(found) - expected).abs());
    }
    all.policy = all.policy.max((f64::from(*pass) - number("policyPass")).abs());
    let (win, loss) = if sign > 0.0 { (found.win, found.loss) } else { (found.loss, found.win) };
    for (found, key) in [(win, "whiteWin"), (loss, "whiteLoss"), (found.no_result, "noResult")] {
        all.win = all.win.max((f64::from(found) - number(key)).abs());
    }
    all.lead = (sign * f64::from(found.lead) - number("whiteLead")).abs();
    all.mean = (sign * f64::from(found.score_mean) - number("whiteScoreSelfplay")).abs();
    let owners = found.evaluation.ownership.as_ref().unwrap();
    let expected = expected["whiteOwnership"].as_array().unwrap();
    for (point, expected) in position.size().points().zip(expected) {
        let found = f64::from(owners.of(Color::White, point));
        all.ownership = all.ownership.max((found - expected.as_f64().unwrap()).abs());
    }
    all
}

#[test]
fn outputs_are_those_of_katago() {
    let Some((positions, model)) = recorded() else { return };
    assert!(positions.len() >= 12, "{} positions", positions.len());
    // KataGo's symmetry 3 exchanges left and right, and top and bottom.
    let turns = [("0", Symmetry::IDENTITY), ("3", Symmetry::ALL[3])];
    for (key, symmetry) in turns {
        let net = KataGoEvaluator::new(Arc::clone(&model), Orientation::Turned(symmetry));
        for recorded in &positions {
            let position = position(recorded);
            let found = net.outlooks(&[&position]).unwrap().swap_remove(0);
            let all = differences(&position, &found, &recorded["raw_nn"][key]);
            println!("{} symmetry {key}: {all:?}", recorded["id"]);
            let good = all.policy < 2e-3
                && all.win < 2e-3
                && all.lead < 0.05
                && all.mean < 0.05
                && all.ownership < 5e-3;
            assert!(good, "{} symmetry {key}: {all:?}", recorded["id"]);
        }
    }
}

#[test]
fn the_answer_does_not_depend_on_the_batch() {
    let Some((positions, model)) = recorded() else { return };
    let positions: Vec<_> = positions.iter().map(position).collect();
    let batch: Vec<_> = positions.iter().collect();
    let net = KataGoEvaluator::new(model, Orientation::ByHash);
    let together = net.outlooks(&batch).unwrap();
    for (position, expected) in positions.iter().zip(together) {
        let alone = net.outlooks(&[position]).unwrap().swap_remove(0);
        assert_eq!(alone.evaluation.policy, expected.evaluation.policy);
        assert_eq!(alone.evaluation.value, expected.evaluation.value);
        let still_a_move = position.check(position.to_move(), Move::Pass);
        assert_eq!(still_a_move, Ok(()));
    }
}
