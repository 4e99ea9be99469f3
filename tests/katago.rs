//! KataGo's networks say here what they say in KataGo: its recorded outputs, with their net, lie
//! beside the project. Where they are absent, the tests say so and pass.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

#[path = "../src/nn/katago/tests/sample.rs"]
mod sample;
mod shared;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use serde_json::Value as Json;
use tedomari::eval::Policy;
use tedomari::game::{BoardSize, Color, Komi, Position, Symmetry};
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
    }
}

/// Runs the program with arguments and input.
fn program(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tedomari"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has refused its network does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_program_plays_with_every_form_of_file() {
    let folder = tempfile::tempdir().unwrap();
    let [binary, words] =
        [sample::Form::Binary, sample::Form::Text].map(|form| sample::net(15, form));
    let files = [
        ("a.bin.gz", sample::packed(&binary)),
        ("b.txt.gz", sample::packed(&words)),
        ("c.bin", binary),
        // The name does not matter.
        ("d.safetensors", words),
    ];
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        let output = program(&["net", "info", path, "--json"], "");
        let info: Json = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&info["kind"], &info["shape"]), (&"katago".into(), &"b3c6nbt".into()));
        assert_eq!(info["version"], 15);
        let verified = program(&["net", "verify", path], "");
        assert!(text(&verified.stdout).contains("good"), "{verified:?}");
        let args = ["--net", path, "--set", "search.max_simulations=20"];
        let gtp = "rectangular_boardsize 7 5\ngenmove b\ngenmove w\nkata-raw-nn 0\nfinal_score\n";
        let output = program(&args, &format!("{gtp}quit\n"));
        let answers = text(&output.stdout);
        assert_eq!(answers.matches('=').count(), 6, "{answers}");
        assert!(answers.contains("whiteLead"), "{answers}");
    }
    let bench = ["net", "bench", "--seconds", "0.1", "--board", "5", "--json", "--net"];
    let path = folder.path().join("a.bin.gz");
    let output = program(&[&bench[..], &[path.to_str().unwrap()]].concat(), "");
    let figures: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert!(figures["evals_per_second"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_program_says_what_is_wrong_with_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let good = sample::net(8, sample::Form::Binary);
    let packed = sample::packed(&good);
    let check = |name: &str, bytes: &[u8], more: &[&str], expected: &str| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let said = refusal(&path, more);
        assert!(said.contains(expected) && said.contains(name), "{said}");
        assert!(!said.contains("panicked"), "{said}");
    };
    check("cut.bin.gz", &packed[..packed.len() / 2], &[], "ends within");
    check("empty.bin.gz", b"", &[], "this is no network");
    check("noise.bin.gz", &[7; 5000], &[], "this is no network");
    check("new.bin", b"net 99 22 19\n", &[], "model version 99");
    check("nogo.bin.gz", &packed, &["--game", "nogo"], "NoGo");
}

/// The last words of the program about a network that it cannot play with.
fn refusal(path: &Path, more: &[&str]) -> String {
    let output = program(&[&["--net", path.to_str().unwrap()], more].concat(), "quit\n");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "standard output belongs to GTP");
    text(&output.stderr)
}
