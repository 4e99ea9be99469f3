//! Files that are made from the code are what the code makes of them.

use std::fs;
use std::path::Path;

use tedomari::analysis::katago;
use tedomari::config::Config;
use tedomari::gtp;

fn check_file(name: &str, expected: &str, command: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let found = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(found == expected, "{name} is out of date: write it anew with `{command}`");
}

#[test]
fn engine_toml_shows_the_defaults() {
    check_file(
        "engine.toml",
        &Config::default().to_documented_toml(),
        "cargo run --release -- config > engine.toml",
    );
}

#[test]
fn the_schema_shows_the_answers_of_an_analysis() {
    check_file(
        "docs/schema/analysis.json",
        &katago::schema(),
        "cargo run --release -- analysis --schema > docs/schema/analysis.json",
    );
}

#[test]
fn the_gtp_reference_shows_the_commands() {
    check_file("docs/gtp.md", &gtp::reference(), "cargo run --release -- commands > docs/gtp.md");
}
