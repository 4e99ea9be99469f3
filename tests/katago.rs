//! KataGo's networks say here what they say in KataGo: its recorded outputs lie beside the project,
//! and one of their nets. The others are looked for in the folder that `TEDOMARI_NETS` names. Where a
//! file is absent, the tests say so and pass.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

#[path = "../src/nn/katago/tests/sample.rs"]
mod sample;
mod shared;
mod skip;

use std::fs;
use std::io::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tedomari::eval::Policy;
use tedomari::game::{BoardSize, Color, Komi, Position, Symmetry};
use tedomari::nn::Orientation;
use tedomari::nn::katago::{KataGoEvaluator, Model, Outlook};

/// What was recorded: plain residual blocks, wider ones, nested ones, and a transformer.
const RECORDS: [&str; 4] = [
    "katago_raw_nn.json",
    "katago_raw_nn.g170e-b15c192-s1672170752-d466197061.json",
    "katago_raw_nn.kata1-b18c384nbt-s9996604416-d4316597426.json",
    "katago_raw_nn.b10c384h6nbttflrs.json",
];

/// Recorded positions, and the file of the network that they were recorded with.
fn record(name: &str) -> Option<(Vec<Json>, PathBuf)> {
    let text = fs::read_to_string(shared::net_file(name)?).unwrap();
    let file: Json = serde_json::from_str(&text).unwrap();
    let net = shared::net_file(file["model"].as_str().unwrap())?;
    Some((file["positions"].as_array().unwrap().clone(), net))
}

fn load(path: &Path) -> Arc<Model> {
    Arc::new(Model::from_bytes(&fs::read(path).unwrap()).unwrap())
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

impl Differences {
    fn check(&self, what: &str) {
        let good = self.policy < 2e-3
            && self.win < 2e-3
            && self.lead < 0.05
            && self.mean < 0.05
            && self.ownership < 5e-3;
        assert!(good, "{what}: {self:?}");
    }
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
    for name in RECORDS {
        let Some((positions, path)) = record(name) else { continue };
        assert!(positions.len() >= 12, "{} positions", positions.len());
        let model = load(&path);
        // KataGo's symmetry 3 exchanges left and right, and top and bottom.
        let turns = [("0", Symmetry::IDENTITY), ("3", Symmetry::ALL[3])];
        for (key, symmetry) in turns {
            let net = KataGoEvaluator::new(Arc::clone(&model), Orientation::Turned(symmetry));
            for recorded in &positions {
                let position = position(recorded);
                let found = net.outlooks(&[&position]).unwrap().swap_remove(0);
                let all = differences(&position, &found, &recorded["raw_nn"][key]);
                all.check(&format!("{name} {} symmetry {key}", recorded["id"]));
            }
        }
    }
}

#[test]
fn outputs_over_gtp_are_those_of_katago() {
    for name in RECORDS {
        let Some((positions, path)) = record(name) else { continue };
        let commands: String = positions.iter().map(questions).collect();
        let output = program(&["--net", path.to_str().unwrap()], &commands);
        let answers = text(&output.stdout);
        assert!(!answers.contains('?'), "{answers}");
        let mut blocks = answers.split("\n\n").filter(|answer| answer.contains("whiteWin"));
        for recorded in &positions {
            for key in ["0", "3"] {
                let all = printed_differences(blocks.next().unwrap(), &recorded["raw_nn"][key]);
                all.check(&format!("{name} {} over GTP, symmetry {key}", recorded["id"]));
            }
        }
    }
}

/// The commands that set up a position and ask what the network says of it.
fn questions(recorded: &Json) -> String {
    let words = |mv: &Json| [mv[0].as_str().unwrap(), mv[1].as_str().unwrap()].join(" ");
    let moves = recorded["moves"].as_array().unwrap().iter();
    let moves: String = moves.map(|mv| ["play ", &words(mv), "\n"].concat()).collect();
    let (size, rules) = (&recorded["boardsize"], recorded["rules"].as_str().unwrap());
    let komi = &recorded["komi"];
    format!(
        "boardsize {size}\nkata-set-rules {rules}\nkomi {komi}\n{moves}kata-raw-nn 0\n\
         kata-raw-nn 3 0\n"
    )
}

/// The numbers behind a key of an answer to `kata-raw-nn`.
fn printed(block: &str, key: &str) -> Vec<f64> {
    let mut words = block.split_whitespace().skip_while(|word| *word != key).skip(1);
    std::iter::from_fn(|| words.next().and_then(|word| word.parse().ok())).collect()
}

fn printed_differences(block: &str, expected: &Json) -> Differences {
    let far = |key: &str, expected: &Json| -> f64 {
        let found = printed(block, key);
        let one = |(found, expected): (&f64, &Json)| match expected.as_f64() {
            Some(expected) => (found - expected).abs(),
            // Not a number, for a move that is not allowed.
            None if found.is_nan() => 0.0,
            None => f64::INFINITY,
        };
        match expected.as_array() {
            Some(expected) if expected.len() == found.len() => {
                found.iter().zip(expected).map(one).fold(0.0, f64::max)
            }
            None if found.len() == 1 => one((&found[0], expected)),
            _ => f64::INFINITY,
        }
    };
    let of = |key: &str| far(key, &expected[key]);
    Differences {
        policy: of("policy").max(of("policyPass")),
        win: of("whiteWin").max(of("whiteLoss")).max(of("noResult")),
        lead: of("whiteLead"),
        mean: of("whiteScoreSelfplay"),
        ownership: of("whiteOwnership"),
    }
}

#[test]
fn the_answer_does_not_depend_on_the_batch() {
    for name in [RECORDS[0], RECORDS[3]] {
        let Some((positions, path)) = record(name) else { continue };
        let positions: Vec<_> = positions.iter().map(position).collect();
        let batch: Vec<_> = positions.iter().collect();
        let net = KataGoEvaluator::new(load(&path), Orientation::ByHash);
        let together = net.outlooks(&batch).unwrap();
        for (position, expected) in positions.iter().zip(together) {
            let alone = net.outlooks(&[position]).unwrap().swap_remove(0);
            assert_eq!(alone.evaluation.policy, expected.evaluation.policy);
            assert_eq!(alone.evaluation.value, expected.evaluation.value);
        }
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
        [sample::Form::Binary, sample::Form::Text].map(|form| sample::net(17, form));
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
        assert_eq!(
            (&info["kind"], &info["shape"]),
            (&"katago".into(), &"b5c6h4kv2qk6v3nbttflrs".into())
        );
        assert_eq!(info["version"], 17);
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

/// Answers to commands on a network of our own making, each without its `=`.
fn answers(version: u32, commands: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.bin");
    fs::write(&path, sample::net(version, sample::Form::Binary)).unwrap();
    let output = program(&["--net", path.to_str().unwrap()], commands);
    let all = text(&output.stdout);
    all.trim_end().split("\n\n").map(|answer| answer.trim().to_owned()).collect()
}

#[test]
fn raw_evaluations_are_by_the_symmetry_that_is_asked_for() {
    // In the beginning the board is the same however it is turned, and so is what a symmetry makes of
    // an answer to it, turned. With a stone the answers differ.
    let all = answers(
        17,
        "boardsize 5\nplay b B4\nkata-raw-nn 0\nkata-raw-nn 5\nkata-raw-nn all\n\
         clear_board\nplay b B2\nkata-raw-nn 0\n",
    );
    let [upright, turned, every, flipped] = [&all[2], &all[3], &all[4], &all[7]];
    assert_eq!(every.matches("symmetry ").count(), 8);
    for number in 0..8 {
        assert!(every.contains(&format!("symmetry {number}\n")), "{every}");
    }
    assert!(every.contains(upright.trim_start_matches("= ")), "{every}");
    assert_ne!(printed(upright, "whiteWin"), printed(turned, "whiteWin"));
    // KataGo's symmetry 1 exchanges top and bottom: what it says of B4 is what is said of B2,
    // with the rows in the other order.
    let first = every.find("symmetry 1\n").unwrap();
    let block = &every[first..every[first..].find("symmetry 2\n").unwrap() + first];
    assert_eq!(printed(block, "whiteWin"), printed(flipped, "whiteWin"));
    let rows = |block: &str| -> Vec<Vec<f64>> {
        printed(block, "whiteOwnership").chunks(5).map(<[f64]>::to_vec).collect()
    };
    let mut expected = rows(flipped);
    expected.reverse();
    assert_eq!(rows(block), expected);
}

#[test]
fn raw_evaluations_are_of_the_color_and_with_the_optimism_that_is_asked_for() {
    let all = answers(
        17,
        "boardsize 5\nkata-raw-nn 0\nkata-raw-nn b 0 0\nkata-raw-nn w 0\nkata-raw-nn 0 0.5\n\
         kata-raw-nn 0 1\n",
    );
    assert_eq!(all[1], all[2], "Black is to move, and no optimism is the default");
    assert_ne!(printed(&all[1], "whiteWin"), printed(&all[3], "whiteWin"));
    let pass = |answer: &str| printed(answer, "policyPass")[0];
    let [none, half, full] = [pass(&all[1]), pass(&all[4]), pass(&all[5])];
    assert!((none - half).abs() > 1e-4 && (half - full).abs() > 1e-4, "{none} {half} {full}");
    assert_eq!(printed(&all[1], "whiteWin"), printed(&all[5], "whiteWin"));
    // What has no effect is refused with a reason.
    let refused = answers(
        11,
        "boardsize 5 4\nkata-raw-nn 0 0.5\nkata-raw-nn 4\nkata-raw-nn 8\nkata-raw-nn\n\
         kata-raw-nn all\n",
    );
    for (answer, reason) in
        refused[1..5].iter().zip(["optimistic", "not square", "symmetry from 0 to 7", "missing"])
    {
        assert!(answer.starts_with('?') && answer.contains(reason), "{answer}");
    }
    assert_eq!(refused[5].matches("symmetry ").count(), 4, "those of a rectangle");
}

#[test]
fn the_networks_are_told() {
    let all = answers(16, "kata-get-models\n");
    let models: Json = serde_json::from_str(all[0].trim_start_matches("= ")).unwrap();
    assert_eq!(models.as_array().unwrap().len(), 1);
    let model = &models[0];
    assert!(model["name"].as_str().unwrap().ends_with("a.bin"), "{model}");
    assert_eq!((&model["internalName"], &model["version"]), (&"sample-net".into(), &16.into()));
    assert_eq!(model["usesHumanSLProfile"], false);
    assert_eq!(model["usingFP16"], false);
    assert!(model["maxBatchSize"].as_u64().unwrap() > 0);
}

/// A large file that takes a while to read: a network in words whose first layers are wide.
fn large_net() -> Vec<u8> {
    sample::wide(17, 768, sample::Form::Text)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "measures what a client waits")]
fn a_client_does_not_wait_for_a_large_network() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("large.txt");
    let bytes = large_net();
    assert!(bytes.len() > 4 << 20, "{} bytes", bytes.len());
    fs::write(&good, &bytes).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tedomari"))
        .args(["--net", good.to_str().unwrap(), "--set", "search.max_simulations=2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |command: &str| -> (String, Duration) {
        let start = Instant::now();
        writeln!(input, "{command}").unwrap();
        let mut answer = Vec::new();
        loop {
            match lines.next().unwrap().unwrap() {
                line if line.is_empty() => break,
                line => answer.push(line),
            }
        }
        (answer.join("\n"), start.elapsed())
    };
    // The first answer comes after the start of the program.
    let (name, _) = ask("name");
    assert_eq!(name, "= Tedomari");
    for command in ["name", "list_commands", "boardsize 5", "komi 6.5", "clear_board"] {
        let (answer, elapsed) = ask(command);
        assert!(answer.starts_with('='), "{answer}");
        // 50 ms, and as much again for a machine that does much else.
        assert!(elapsed < Duration::from_millis(100), "{command} took {elapsed:?}");
    }
    let (answer, _) = ask("genmove b");
    assert!(answer.starts_with("= ") && answer.len() > 3, "{answer}");
    ask("quit");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_large_network_that_is_damaged_is_told_of_by_the_first_command_that_needs_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.txt");
    let bytes = large_net();
    fs::write(&path, &bytes[..bytes.len() - 5000]).unwrap();
    let output =
        program(&["--net", path.to_str().unwrap()], "name\nkata-raw-nn 0\nkata-get-models\n");
    let answers = text(&output.stdout);
    assert!(answers.starts_with("= Tedomari"), "{answers}");
    assert_eq!(answers.matches("? ").count(), 2, "{answers}");
    assert_eq!(answers.matches("ends within").count(), 2, "{answers}");
    let said = text(&output.stderr);
    assert!(said.contains("ends within") && said.contains("cut.txt"), "{said}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_large_file_of_another_version_ends_the_program_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.bin");
    let mut bytes = b"net 99 22 19\n".to_vec();
    bytes.resize(2 << 20, b' ');
    fs::write(&path, &bytes).unwrap();
    let said = refusal(&path, &[]);
    assert!(said.contains("model version 99") && said.contains("new.bin"), "{said}");
    let good = folder.path().join("go.txt");
    fs::write(&good, large_net()).unwrap();
    let said = refusal(&good, &["--game", "nogo"]);
    assert!(said.contains("NoGo"), "{said}");
}

#[test]
fn the_program_says_what_is_wrong_with_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let good = sample::net(17, sample::Form::Binary);
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
