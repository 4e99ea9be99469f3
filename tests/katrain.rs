//! `KaTrain`'s own engine class (`katrain`, from the Python Package Index) drives `tedomari analysis`: a game, other moves,
//! regions, pondering, a new game, shutdown. The session is `tests/katrain/session.py`.
//!
//! Without Python or an index the test says so and passes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod skip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package as it was read.
const PACKAGE: &str = "katrain==1.17.1";

/// The folder with the package, which is installed if it is not there; what is missing otherwise.
fn install() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("katrain");
    if folder.join("katrain/core/engine.py").is_file() {
        return Ok(folder);
    }
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        return Err("python3".to_owned());
    }
    fs::create_dir_all(&folder).unwrap();
    let output = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"])
        .arg(&folder)
        .arg(PACKAGE)
        .output()
        .unwrap();
    if output.status.success() { Ok(folder) } else { Err(format!("{PACKAGE} in an index")) }
}

fn check_session(arguments: &[&str]) {
    let folder = match install() {
        Ok(folder) => folder,
        Err(missing) => {
            skip::skip(&missing);
            return;
        }
    };
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/katrain/session.py");
    let output = Command::new("python3").arg(session).arg(folder).args(arguments).output().unwrap();
    let (out, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{errors}", output.status);
    assert_eq!(out.trim(), "done", "{errors}");
}

#[test]
fn katrain_analyses_with_the_command_line_that_it_has_for_katago() {
    let net = Path::new(env!("CARGO_MANIFEST_DIR")).join("weights/go9.safetensors");
    let config = Path::new(env!("CARGO_TARGET_TMPDIR")).join("analysis_config.cfg");
    fs::write(&config, "maxVisits = 500\n").unwrap();
    let [net, config] = [net, config].map(|path| path.to_str().unwrap().to_owned());
    check_session(&[env!("CARGO_BIN_EXE_tedomari"), &net, &config]);
}

#[test]
fn katrain_analyses_with_a_command_line_of_its_own() {
    check_session(&[&format!("exec {} analysis", env!("CARGO_BIN_EXE_tedomari"))]);
}
