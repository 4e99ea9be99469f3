//! Tests that cannot run here.

use std::fs::OpenOptions;
use std::io::Write;

/// Says that the test that runs is left out, and what is missing: on standard error, and as a line of the file that
/// `TEDOMARI_SKIPPED` names, which `.ci/run` reads.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
pub(crate) fn skip(missing: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("{test}: {} is absent\n", missing.replace('\n', " "));
    eprint!("skipped: {line}");
    let Some(path) = std::env::var_os("TEDOMARI_SKIPPED") else { return };
    let written = OpenOptions::new().create(true).append(true).open(&path);
    let written = written.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}
