//! `tedomari uncertainty` as a user runs it, in miniature, and the engine with what comes out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn tedomari(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tedomari"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = tedomari(args, "");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn failure(args: &[&str]) -> String {
    let output = tedomari(args, "");
    assert!(!output.status.success(), "{args:?} succeeds");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const GAME: [&str; 4] = ["--game", "nogo", "--board", "5"];

fn make<'a>(net: &'a str, out: &'a str) -> Vec<&'a str> {
    let mut list =
        vec!["uncertainty", "make", "--net", net, "--out", out, "--games", "24", "--json"];
    list.extend(GAME);
    for setting in [
        "uncertainty.simulations=40",
        "uncertainty.steps=6",
        "uncertainty.batch=8",
        "uncertainty.held_out=0.5",
        "selfplay.simulations=4",
        "selfplay.considered=0",
    ] {
        list.extend(["--set", setting]);
    }
    list
}

/// The report of one move of an engine with this profile, and what it wrote to standard error.
fn report(net: &str, profile: &Path, mode: &str) -> (Value, String) {
    let profile = format!("time.stop_profile={}", profile.display());
    let mode = format!("time.ds_mcts={mode}");
    let settings = [profile.as_str(), &mode, "search.max_simulations=60", "search.threads=1"];
    let mut args = vec!["--net", net];
    args.extend(GAME);
    args.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let output = tedomari(&args, "genmove b\ntedomari-search-report\nquit\n");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let answer = text.split("\n\n").nth(1).unwrap().trim_start_matches("= ");
    (serde_json::from_str(answer).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn from_games_to_a_profile_that_ends_searches() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("tiny.safetensors");
    let net = net.to_str().unwrap();
    assert!(tedomari(&["net", "init", net, "--shape", "1x8"], "").status.success());
    let out = folder.path().join("profile");
    let out_text = out.to_str().unwrap();
    let made = json(&make(net, out_text));
    assert_eq!(made["generate"]["games"], 24, "{made}");
    let states = made["label"]["states"].as_u64().unwrap();
    assert!(states > 50 && made["generate"]["states"] == states, "{made}");
    let shares = made["label"]["histogram"].as_array().unwrap();
    let sum: f64 = shares.iter().filter_map(Value::as_f64).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    assert!(made["train"]["estimators"].as_array().unwrap().len() >= 12);
    assert!(made["calibrate"]["test"]["ratio"].as_f64().unwrap() <= 1.0);
    for file in ["needed.svg", "reliability.svg", "replay.svg", "replay.json"] {
        assert!(out.join(file).exists(), "{file}");
    }
    // Nothing is made twice.
    let again = json(&make(net, out_text));
    assert_eq!(again["generate"]["files_written"], 0, "{again}");
    assert_eq!(again["calibrate"], made["calibrate"]);

    // Thresholds that everything is below.
    let profile = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
    let profile = profile.into_iter().find(|path| path.to_string_lossy().ends_with("-stop.toml"));
    let profile = profile.unwrap();
    let text = fs::read_to_string(&profile).unwrap();
    let certain: Vec<_> = text
        .lines()
        .map(|line| if line.starts_with("threshold") { "threshold = 1.0" } else { line })
        .collect();
    fs::write(&profile, certain.join("\n")).unwrap();
    let (stopped, _) = report(net, &profile, "always");
    assert_eq!((&stopped["simulations"], &stopped["reason"]), (&1.into(), &"certain".into()));
    assert_eq!(stopped["certainty"]["of"], 60, "{stopped}");
    let (kept, _) = report(net, &profile, "auto");
    assert_eq!(kept["simulations"], 60, "without a clock nothing is kept: {kept}");
    let (off, _) = report(net, &profile, "off");
    assert_eq!((&off["simulations"], &off["certainty"]), (&60.into(), &Value::Null));

    // A damaged profile and one for another network are no reason not to play.
    fs::write(&profile, "format = 1\nnonsense").unwrap();
    let (plain, errors) = report(net, &profile, "always");
    assert_eq!(plain["simulations"], 60);
    assert!(errors.contains("no early stopping"), "{errors}");
    fs::write(&profile, text).unwrap();
    let other = folder.path().join("other.safetensors");
    let other = other.to_str().unwrap();
    let init = ["net", "init", other, "--shape", "1x4"];
    assert!(tedomari(&init, "").status.success());
    let (plain, errors) = report(other, &profile, "always");
    assert_eq!(plain["simulations"], 60);
    assert!(errors.contains("for the network"), "{errors}");

    // Traces of one network teach nothing of another.
    let traces = out.join("traces");
    let mut train = vec!["uncertainty", "train", "--net", other, "--out", out_text];
    train.extend(["--traces", traces.to_str().unwrap()]);
    train.extend(GAME);
    assert!(failure(&train).contains("were made with the network"));
    // A damaged file is named.
    let file = fs::read_dir(&traces).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&file).unwrap();
    bytes[100] ^= 1;
    fs::write(&file, bytes).unwrap();
    let label = ["uncertainty", "label", "--traces", traces.to_str().unwrap()];
    assert!(failure(&label).contains("is damaged"));
}

/// Plays and searches games of a tiny network.
fn generate<'a>(net: &'a str, out: &'a str, games: &'a str) -> Vec<&'a str> {
    let mut list = vec!["uncertainty", "generate", "--net", net, "--out", out, "--json"];
    list.extend(["--games", games, "--set", "uncertainty.simulations=10"]);
    list.extend(["--set", "selfplay.simulations=2", "--set", "selfplay.considered=0"]);
    list.extend(GAME);
    list
}

fn tiny_net(folder: &Path) -> String {
    let net = folder.join("tiny.safetensors").to_str().unwrap().to_owned();
    assert!(tedomari(&["net", "init", &net, "--shape", "1x8"], "").status.success());
    net
}

#[test]
fn too_few_games_were_told_after_all_were_searched() {
    let folder = tempfile::tempdir().unwrap();
    let net = tiny_net(folder.path());
    let out = folder.path().join("profile");
    let with = |games: &str| -> Vec<String> {
        let mut list: Vec<_> =
            make(&net, out.to_str().unwrap()).into_iter().map(String::from).collect();
        let at = list.iter().position(|word| word == "--games").unwrap() + 1;
        games.clone_into(&mut list[at]);
        list
    };
    let few = with("2");
    let complaint = failure(&few.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(complaint.contains("--games 2 is too few"), "{complaint}");
    assert!(!out.exists(), "nothing is begun");
    // What it tells to type is enough.
    let enough = complaint.split("write --games ").nth(1).unwrap();
    let enough = enough.split(' ').next().unwrap();
    let made = json(&with(enough).iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(made["generate"]["games"].to_string(), enough);
    // Records are counted before they are searched, too.
    let records = folder.path().join("records");
    let records = records.to_str().unwrap();
    let mut play = vec!["selfplay", "--net", &net, "--out", records, "--games", "2"];
    play.extend(["--set", "selfplay.simulations=2"]);
    play.extend(GAME);
    assert!(tedomari(&play, "").status.success());
    let mut args = make(&net, out.to_str().unwrap());
    args.extend(["--records", records]);
    let complaint = failure(&args);
    assert!(complaint.contains("the 2 games of --records are too few"), "{complaint}");
}

#[test]
fn another_number_of_games_traced_games_twice() {
    let folder = tempfile::tempdir().unwrap();
    let net = tiny_net(folder.path());
    let [grown, whole] = ["grown", "whole"].map(|name| folder.path().join(name));
    let [grown, whole] = [&grown, &whole].map(|path| path.to_str().unwrap());
    json(&generate(&net, grown, "10"));
    let rest = json(&generate(&net, grown, "16"));
    assert_eq!((&rest["games"], &rest["files_found"]), (&6.into(), &2.into()), "{rest}");
    json(&generate(&net, whole, "16"));
    let label = |traces| json(&["uncertainty", "label", "--json", "--traces", traces]);
    assert_eq!(label(grown)["games"], 16);
    assert_eq!(label(grown), label(whole));
    let none = json(&generate(&net, grown, "12"));
    assert_eq!((&none["games"], &none["complete"]), (&0.into(), &true.into()));
    // Other searches do not join them.
    let mut other = generate(&net, grown, "20");
    other.extend(["--set", "uncertainty.simulations=12"]);
    let complaint = failure(&other);
    assert!(complaint.contains("uncertainty.simulations=10"), "{complaint}");
    // Nor are games learnt from twice that were traced twice.
    fs::copy(
        Path::new(whole).join("games-0000008-0000016.traces"),
        Path::new(grown).join("games-0000008-0000016.traces"),
    )
    .unwrap();
    let complaint = failure(&generate(&net, grown, "16"));
    assert!(complaint.contains("hold the same games"), "{complaint}");
}
