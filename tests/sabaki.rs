//! Sabaki's own GTP library (`@sabaki/gtp`, from the npm registry) drives the program: connect,
//! sync, moves, going back, interruptions, analysis, quit. The session is `tests/sabaki/session.mjs`. Its SGF library
//! (`@sabaki/sgf`) reads the record of a review by `tests/sabaki/record.mjs`.
//!
//! Without node, npm or a registry the test says so and passes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod skip;

use std::fs;
use std::path::Path;
use std::process::Command;

const FILES: [&str; 4] = ["package.json", "package-lock.json", "session.mjs", "record.mjs"];

#[test]
fn sabaki_plays_with_the_engine() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sabaki");
    if let Err(missing) = install(&folder) {
        skip::skip(&missing);
        return;
    }
    let output = Command::new("node")
        .args(["session.mjs", env!("CARGO_BIN_EXE_tedomari")])
        .current_dir(&folder)
        .output()
        .unwrap();
    let (out, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{errors}", output.status);
    assert_eq!(out.trim(), "done", "{errors}");
}

#[test]
fn sabaki_reads_the_record_of_a_review() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sabaki-sgf");
    if let Err(missing) = install(&folder) {
        skip::skip(&missing);
        return;
    }
    let game = folder.join("game.sgf");
    // A node with a comment and a property of somebody's own, a variation, and a move that fills an eye.
    let text =
        "(;GM[1]FF[4]SZ[5]KM[0.5]XY[own];B[cc]C[first];W[cd](;B[dd]\n;W[aa];B[bd];W[ab])(;B[bb]))";
    fs::write(&game, text).unwrap();
    let out = folder.join("review");
    let output = Command::new(env!("CARGO_BIN_EXE_tedomari"))
        .args(["review", "--evaluator", "playout", "--set", "search.threads=1", "--visits", "60"])
        .args(["--out".as_ref(), out.as_path(), game.as_path()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let output = Command::new("node")
        .arg("record.mjs")
        .arg(out.join("review.sgf"))
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let nodes: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let moves: Vec<_> = nodes[1..]
        .iter()
        .map(|node| node["data"]["B"][0].as_str().or(node["data"]["W"][0].as_str()).unwrap())
        .collect();
    assert_eq!(moves, ["cc", "cd", "dd", "aa", "bd", "ab"], "the main line is the game's");
    assert_eq!(nodes[0]["data"]["XY"][0], "own");
    assert!(nodes[1]["data"]["C"][0].as_str().unwrap().starts_with("first\n\n"));
    assert!(nodes[2]["children"].as_u64().unwrap() >= 2, "the variation is there");
    for node in &nodes {
        let comment = node["data"]["C"][0].as_str().unwrap();
        assert!(comment.contains("Black wins "), "{comment}");
        let rate: f64 = node["data"]["SBKV"][0].as_str().unwrap().parse().unwrap();
        assert!((0.0..=100.0).contains(&rate));
    }
}

/// Copies the session to a folder and installs the library there, unless it is there already.
/// Says what is missing; panics when all is there and the library still cannot be installed.
fn install(folder: &Path) -> Result<(), String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sabaki");
    let same = |name| fs::read(source.join(name)).ok() == fs::read(folder.join(name)).ok();
    let installed = same("package-lock.json") && folder.join("node_modules/@sabaki/gtp").is_dir();
    fs::create_dir_all(folder).unwrap();
    for name in FILES {
        fs::copy(source.join(name), folder.join(name)).unwrap();
    }
    run(folder, "node", &["--version"])?;
    if installed {
        return Ok(());
    }
    run(folder, "npm", &["view", "@sabaki/gtp", "version"])?;
    run(folder, "npm", &["ci", "--no-audit", "--no-fund", "--fetch-retries=5"]).unwrap();
    Ok(())
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.map_err(|error| format!("{program} ({error})"))?;
    if output.status.success() {
        Ok(())
    } else {
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(format!("what {program} {} needs ({errors})", arguments.join(" ")))
    }
}
