//! Self-play, training and matches as a user runs them, in miniature.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

const SETTINGS: &str = r#"
[game]
kind = "nogo"
board_size = 5

[selfplay]
threads = 2
considered = 4

[train]
batch = 16
warmup = 5
validate_rows = 0
threads = 1

[run]
name = "tiny"
shape = "1x8"
warm_games = 20
warm_simulations = 30
warm_steps = 60
schedule = "1x4"
games = 20
reuse = 1.0
gate_games = 4
gate_simulations = 4
gate_score = 0.0
measure_games = 2
measure_playouts = 20
"#;

fn tedomari(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tedomari"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

/// The JSON object that a successful command prints.
fn json(arguments: &[&str]) -> Value {
    let output = tedomari(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    serde_json::from_slice(&output.stdout).expect("JSON comes out")
}

fn error(arguments: &[&str]) -> String {
    let output = tedomari(arguments);
    assert!(!output.status.success(), "{arguments:?} should fail");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Writes the settings of a run into a folder; returns their file and the folder of the run.
fn settings(root: &Path) -> (String, String) {
    let folder = root.join("run").to_string_lossy().into_owned();
    let file = root.join("run.toml");
    fs::write(&file, format!("{SETTINGS}folder = {folder:?}\n")).expect("the file can be written");
    (file.to_string_lossy().into_owned(), folder)
}

#[test]
fn a_run_goes_from_nothing_to_an_accepted_candidate() {
    let root = tempfile::tempdir().expect("a folder for the test");
    let (file, folder) = settings(root.path());
    // In pieces, as if it had been left and begun again.
    let first = json(&["run", "--config", &file, "--stages", "2", "--json"]);
    assert_eq!(first["best"], Value::Null);
    assert!(
        first["next"].as_str().unwrap_or_default().starts_with("matches of generation"),
        "{first}"
    );
    // The last games of a generation may have been played by another call than the first ones: all
    // are trained on. Here the last call finds nothing left to play.
    json(&["run", "--config", &file, "--stages", "2", "--json"]);
    let generation = Path::new(&folder).join("generations/0001");
    fs::remove_file(generation.join("selfplay.json")).expect("the games have been played");
    let all = json(&["run", "--config", &file, "--json"]);
    let stage = |name: &str| -> Value {
        let text = fs::read_to_string(generation.join(name)).expect("the stage is done");
        serde_json::from_str(&text).expect("JSON")
    };
    assert_eq!(stage("selfplay.json")["stats"]["rows"], 0);
    let games = generation.join("selfplay");
    let info = json(&["record", "info", &games.to_string_lossy(), "--json"]);
    let rows = info["rows"].as_u64().expect("a number");
    assert_eq!(stage("train.json")["step"], rows.div_ceil(16), "{info}");
    assert_eq!(all["over"], true, "{all}");
    assert_eq!(all["best"]["generation"], 1, "{all}");
    assert_eq!(all["generations"][1]["gate"]["games"], 4, "{all}");
    let net = all["best"]["net"].as_str().expect("a file");
    let info = json(&["net", "info", net, "--json"]).to_string();
    assert!(info.contains("tiny") && info.contains("against the one before"), "{info}");
    assert!(tedomari(&["net", "verify", net]).status.success());
    // Nothing is left to do, and nothing is done again.
    let stamp = |path: &str| fs::metadata(path).and_then(|data| data.modified()).expect("a time");
    let before = stamp(net);
    json(&["run", "--config", &file, "--json"]);
    assert_eq!(stamp(net), before);
    // Another shape is another run.
    let complaint = error(&["run", "--config", &file, "--set", "run.shape=2x8"]);
    assert!(complaint.contains("run.shape") && complaint.contains(&folder), "{complaint}");
}

#[test]
fn self_play_that_was_killed_goes_on() {
    let root = tempfile::tempdir().expect("a folder for the test");
    let out = root.path().join("games");
    let out = out.to_str().expect("a name in Unicode");
    let arguments = |games: &'static str| {
        let mut list = vec!["selfplay", "--playouts", "--game", "nogo", "--board", "5"];
        list.extend(["--games", games, "--games-per-file", "4", "--json"]);
        list.extend(["--set", "selfplay.simulations=40", "--set", "selfplay.considered=0"]);
        list.extend(["--set", "selfplay.threads=1"]);
        list
    };
    let with_out = |games| [arguments(games), vec!["--out", out]].concat();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tedomari"))
        .args(with_out("4000"))
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let files = || fs::read_dir(out).map_or(0, Iterator::count);
    while files() < 3 {
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    // What was being written when it was killed has another ending.
    let is_shard = |path: &Path| path.extension().is_some_and(|ending| ending == "shard");
    let whole = fs::read_dir(out)
        .expect("the folder is there")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| is_shard(&entry.path())))
        .count();
    let games = whole.max(10) * 4;
    let games: &'static str = Box::leak(games.to_string().into_boxed_str());
    let rest = json(&with_out(games));
    assert_eq!(rest["files_found"], whole);
    assert_eq!(rest["finished"], true);
    // Told to end, it says that it has not finished.
    let more = json(&[with_out("40000"), vec!["--minutes", "0.005"]].concat());
    assert_eq!(more["finished"], false);
    let info = json(&["record", "info", out, "--json"]);
    let wanted: u64 = games.parse().expect("a number");
    let written = 4 * more["files_written"].as_u64().expect("a number");
    assert!(info.to_string().contains(&(wanted + written).to_string()), "{info}");
}

#[test]
fn another_number_of_games_played_games_twice() {
    let root = tempfile::tempdir().expect("a folder for the test");
    let play = |out: &str, games: &str| {
        let out = root.path().join(out);
        let mut list = vec!["selfplay", "--playouts", "--game", "nogo", "--board", "5", "--json"];
        list.extend(["--games", games, "--games-per-file", "4"]);
        list.extend(["--set", "selfplay.simulations=8", "--out", out.to_str().expect("a name")]);
        json(&list)
    };
    play("grown", "6");
    let rest = play("grown", "12");
    assert_eq!((&rest["stats"]["games"], &rest["files_found"]), (&6.into(), &2.into()), "{rest}");
    play("whole", "12");
    let info = |out: &str| {
        let out = root.path().join(out);
        json(&["record", "info", out.to_str().expect("a name"), "--json"])
    };
    assert_eq!(info("grown")["games"], 12);
    assert_eq!(info("grown")["turns"], info("whole")["turns"]);
}

/// All files of a folder with their content.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    paths.map(|path| (path.clone(), fs::read(path).expect("a file"))).collect()
}

/// Nothing can be written where files may not grow, as on a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_leaves_the_old_files() {
    let root = tempfile::tempdir().expect("a folder for the test");
    let path = |name: &str| root.path().join(name).to_string_lossy().into_owned();
    let (file, (games, out)) = (settings(root.path()).0, (path("games"), path("net")));
    json(&["selfplay", "--playouts", "--config", &file, "--games", "4", "--out", &games, "--json"]);
    let train = |steps| {
        let data = ["train", "--config", &file, "--data", &games, "--out", &out];
        [&data[..], &["--shape", "1x4", "--steps", steps]].concat()
    };
    assert!(tedomari(&train("10")).status.success());
    let before = contents(Path::new(&out));
    assert!(before.len() > 2);
    let limited = Command::new("sh")
        .args(["-c", "ulimit -f 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_tedomari")])
        .args(train("20"))
        .stdin(Stdio::null())
        .output()
        .expect("the shell starts");
    let complaint = String::from_utf8_lossy(&limited.stderr);
    assert!(limited.status.code().is_some_and(|code| code != 0), "{:?}", limited.status);
    assert!(complaint.contains("cannot write"), "{complaint}");
    assert_eq!(contents(Path::new(&out)), before);
}

#[test]
fn parts_are_played_by_several_processes() {
    let root = tempfile::tempdir().expect("a folder for the test");
    let store = format!("file://{}", root.path().join("store/run").display());
    let play = |out: &str, part: &str| {
        let out = if out == "store" { store.clone().into() } else { root.path().join(out) };
        let mut command = Command::new(env!("CARGO_BIN_EXE_tedomari"));
        command.args(["selfplay", "--net", "builtin:untrained", "--game", "nogo", "--board", "5"]);
        command.args(["--games", "24", "--games-per-file", "4", "--part", part, "--json"]);
        command.args(["--set", "selfplay.simulations=4", "--seed", "7"]);
        command.arg("--out").arg(out).stdout(Stdio::null());
        command.spawn().expect("the program starts")
    };
    let parts: Vec<_> = ["1/3", "2/3", "3/3"].map(|part| play("parts", part)).into();
    let mut killed = play("store", "1/2");
    thread::sleep(Duration::from_millis(50));
    killed.kill().expect("it can be killed");
    killed.wait().expect("it has ended");
    let stored = ["1/2", "2/2"].map(|part| play("store", part));
    for mut child in parts.into_iter().chain(stored).chain([play("whole", "1/1")]) {
        assert!(child.wait().expect("it ends").success());
    }
    let back = root.path().join("back");
    let copied = json(&["store", "get", &store, back.to_str().expect("a name"), "--json"]);
    assert_eq!(copied["files"], 6);
    let listed = json(&["store", "list", &store, "--json"]);
    assert_eq!(listed["files"].as_array().map(Vec::len), Some(6));
    for file in fs::read_dir(root.path().join("whole")).expect("the folder is there") {
        let name = file.expect("an entry").file_name();
        let [whole, part, stored] = ["whole", "parts", "back"]
            .map(|folder| fs::read(root.path().join(folder).join(&name)).expect("a shard"));
        assert!(whole == part && whole == stored, "{name:?}");
    }
}

#[test]
fn a_student_learns_from_a_teacher() {
    let root = tempfile::tempdir().expect("a folder for the test");
    let path = |name: &str| root.path().join(name).to_string_lossy().into_owned();
    let (games, labels, parts) = (path("games"), path("labels"), path("parts"));
    let teacher = "builtin:untrained";
    let quick = ["--set", "selfplay.simulations=4", "--board", "5", "--net", teacher];
    json(&[&["selfplay", "--games", "24", "--out", &games, "--json"], &quick[..]].concat());
    let label = |out: &str, more: &[&str]| -> Vec<String> {
        let line = ["record", "label", &games, "--teacher", teacher, "--out", out, "--json"];
        let options = ["--games-per-file", "5", "--holdout", "0.2", "--handicap", "0.3"];
        [&line[..], &options, more].concat().into_iter().map(str::to_owned).collect()
    };
    let call = |line: &[String]| json(&line.iter().map(String::as_str).collect::<Vec<_>>());
    let whole = call(&label(&labels, &[]));
    assert_eq!((&whole["finished"], &whole["files_written"]), (&true.into(), &5.into()), "{whole}");
    assert!(
        whole["labels"].as_u64() > Some(200) && whole["labels_per_second"].as_f64() > Some(0.0)
    );
    for part in ["1/2", "2/2"] {
        call(&label(&parts, &["--part", part, "--threads", "1"]));
    }
    let named = |folder: &Path| -> BTreeMap<_, _> {
        let files = contents(folder).into_iter();
        files.map(|(path, bytes)| (path.file_name().map(ToOwned::to_owned), bytes)).collect()
    };
    let shards =
        |folder: &str| [named(Path::new(folder)), named(&Path::new(folder).join("holdout"))];
    assert_eq!(shards(&labels), shards(&parts), "parts and threads change nothing");
    assert_eq!(call(&label(&labels, &[]))["files_found"], 5);
    let refused = |line: &[String]| error(&line.iter().map(String::as_str).collect::<Vec<_>>());
    let complaint = refused(&label(&labels, &["--positions", "3"]));
    assert!(complaint.contains("positions = 8, not 3"), "{complaint}");
    let other = label(&path("other"), &[]);
    let other: Vec<_> =
        other.iter().map(|word| word.replace(teacher, "builtin:nogo9small")).collect();
    let complaint = refused(&other);
    assert!(complaint.contains("is Go, which builtin:nogo9small does not know"), "{complaint}");
    let go9: Vec<_> = other.iter().map(|word| word.replace("nogo9small", "go9")).collect();
    assert!(refused(&go9).contains("on a board of 5x5, for which builtin:go9 was not trained"));
    let info = json(&["record", "info", &labels, "--json"]);
    assert_eq!(info["labelled"], info["rows"], "{info}");
    let trained = path("student");
    let train = ["train", "--data", &labels, "--out", &trained, "--shape", "1x8", "--json"];
    let settings = ["--steps", "20", "--batch", "16", "--follow", "--board", "5"];
    assert_eq!(json(&[&train[..], &settings].concat())["finished"], true);
    let log = fs::read_to_string(Path::new(&trained).join("log.jsonl")).expect("there is a log");
    assert!(log.contains("win_rate_difference"), "held-out labels are looked at: {log}");
    let student = format!("{trained}/student.safetensors");
    let compare = ["net", "compare", &student, &labels, "--teacher", teacher, "--json"];
    let found = json(&[&compare[..], &["--odd", "6", "--sides", "5-7"]].concat());
    assert_eq!(found["groups"]["odd"]["positions"], 6, "{found}");
    assert!(found["groups"]["records"]["win_rate_difference"].as_f64() > Some(0.0), "{found}");
    let same = json(&["net", "compare", teacher, &labels, "--teacher", teacher, "--json"]);
    let records = &same["groups"]["records"];
    assert_eq!(
        (&records["win_rate_difference"], &records["first_move"]),
        (&0.0.into(), &1.0.into())
    );
    assert!(error(&["net", "compare", teacher, "--teacher", teacher]).contains("--odd"));
}

#[test]
fn a_run_with_a_teacher_learns_from_labels() {
    let root = tempfile::tempdir().expect("a folder for the test");
    let (file, folder) = settings(root.path());
    let run = |more: &[&str]| {
        let set = ["--set", "run.teacher=builtin:untrained", "--set", "run.warm_steps=10"];
        json(&[&["run", "--config", &file, "--json"], &set[..], more].concat())
    };
    assert_eq!(run(&["--stages", "1"])["next"], "labels of generation 0");
    let all = run(&["--stages", "6"]);
    let generation = Path::new(&folder).join("generations/0001");
    assert!(generation.join("label.json").exists(), "{all}");
    let labels = generation.join("label").to_string_lossy().into_owned();
    let info = json(&["record", "info", &labels, "--json"]);
    assert!(info["labelled"].as_u64() > Some(0), "{info}");
    let trained = fs::read_to_string(generation.join("train.json")).expect("it was trained");
    let steps: Value = serde_json::from_str(&trained).expect("JSON");
    assert_eq!(steps["step"], info["rows"].as_u64().expect("a number").div_ceil(16));
}

#[test]
fn what_is_wrong_is_said() {
    let root = tempfile::tempdir().expect("a folder for the test");
    let (file, folder) = settings(root.path());
    let complaint = error(&["run", "--config", &file, "--set", "run.schedule=often"]);
    assert!(complaint.contains("GENERATIONSxSIMULATIONS"), "{complaint}");
    // Early stopping in self-play without what it needs.
    let out = root.path().join("early").to_string_lossy().into_owned();
    let early = ["selfplay", "--out", &out, "--board", "13", "--set", "selfplay.ds_mcts=true"];
    let complaint = error(&early);
    assert!(complaint.contains("selfplay.considered=0"), "{complaint}");
    let complaint = error(&[&early[..], &["--set", "selfplay.considered=0"]].concat());
    assert!(complaint.contains("time.stop_profile"), "{complaint}");
    // A run from a network that is not there ends with its name, and leaves nothing half done.
    let start = "run.start=/no/such/net.safetensors";
    let complaint = error(&["run", "--config", &file, "--set", start]);
    assert!(complaint.contains("/no/such/net.safetensors"), "{complaint}");
    assert!(!Path::new(&folder).join("generations/0000/DONE").exists());
    // A damaged shard is named.
    let games = Path::new(&folder).join("games");
    fs::create_dir_all(&games).expect("a folder");
    fs::write(games.join("a.shard"), b"not a shard").expect("a file");
    let games = games.to_str().expect("a name in Unicode");
    let out = root.path().join("out");
    let out = out.to_str().expect("a name in Unicode");
    let complaint = error(&["train", "--data", games, "--out", out, "--steps", "1"]);
    assert!(complaint.contains("a.shard"), "{complaint}");
    let complaint = error(&["selfplay", "--out", out, "--part", "3/2"]);
    assert!(complaint.contains("I/N"), "{complaint}");
}
