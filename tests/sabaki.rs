//! Sabaki's own GTP library (`@sabaki/gtp`, from the npm registry) drives the program: connect,
//! sync, moves, going back, interruptions, analysis, quit. The session is `tests/sabaki/session.mjs`.
//!
//! Without node, npm or a registry the test says so and passes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod skip;

use std::fs;
use std::path::Path;
use std::process::Command;

const FILES: [&str; 3] = ["package.json", "package-lock.json", "session.mjs"];

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
