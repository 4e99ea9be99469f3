//! Reads the sources and fails when a module uses what its row of the table does not allow.
//!
//! The table is the one of `ARCHITECTURE.md`; a new edge is a decision and wants an ADR.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of the sources, and the name by which they call the engine's modules. The lab is the second.
const PACKAGES: [(&str, &str); 2] = [("src", "crate::"), ("crates/tedomari-lab/src", "tedomari::")];

/// Every module with the modules that it may use; `util` is for all.
const MAY_USE: &[(&str, &[&str])] = &[
    ("util", &[]),
    ("chart", &[]),
    ("game", &[]),
    ("eval", &["game"]),
    ("nn", &["game", "eval"]),
    ("playout", &["game", "eval"]),
    ("judge", &["game", "eval", "playout"]),
    ("timeman", &[]),
    ("search", &["game", "eval", "timeman"]),
    ("analysis", &["game", "eval", "timeman", "search"]),
    ("engine", &["game", "eval", "judge", "timeman", "search"]),
    ("gtp", &["game", "eval", "judge", "timeman", "search", "engine"]),
    ("review", &["chart", "game", "eval", "judge", "timeman", "search"]),
    ("record", &["game", "eval"]),
    ("train", &["chart", "game", "eval", "nn", "record"]),
    ("arena", &["chart", "game", "eval", "judge", "timeman", "search", "engine", "gtp"]),
    ("selfplay", &["game", "eval", "search", "record"]),
    ("uncertainty", &["game", "eval", "nn", "record", "search", "timeman", "train"]),
    ("run", &[]),
    ("tune", &["chart"]),
    (
        "config",
        &[
            "nn",
            "playout",
            "timeman",
            "search",
            "analysis",
            "engine",
            "gtp",
            "record",
            "selfplay",
            "train",
            "uncertainty",
            "run",
        ],
    ),
    (
        "app",
        &[
            "chart",
            "game",
            "eval",
            "nn",
            "playout",
            "timeman",
            "search",
            "analysis",
            "engine",
            "gtp",
            "review",
            "record",
            "selfplay",
            "train",
            "uncertainty",
            "run",
            "tune",
            "arena",
            "config",
        ],
    ),
    (
        "cli",
        &[
            "chart",
            "game",
            "eval",
            "nn",
            "playout",
            "timeman",
            "search",
            "analysis",
            "engine",
            "gtp",
            "review",
            "record",
            "selfplay",
            "train",
            "uncertainty",
            "run",
            "arena",
            "config",
            "app",
        ],
    ),
    ("lab", &["chart", "game", "eval", "playout", "search", "timeman", "record", "arena"]),
    ("lab::cli", &["chart", "game", "timeman", "record", "arena", "config", "app", "cli"]),
];

/// Words that may stand only in some modules.
const RESTRICTED: &[(&str, &[&str])] = &[
    ("candle", &["nn", "train", "uncertainty"]),
    ("tokio", &["gtp", "engine", "arena", "app", "cli"]),
    ("println!", &["cli"]),
    ("Instant::now", &["engine", "arena", "app", "cli", "lab::cli"]),
    ("std::env::", &["cli", "lab::cli"]),
    ("std::fs", &["util", "app", "cli"]),
    ("static mut", &[]),
    ("LazyLock", &[]),
    // No global there: the chunks of a tree, and what a thread that loads a network leaves behind.
    ("OnceLock", &["search", "app"]),
    ("thread_local!", &[]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// A file with its code, without comments and without unit tests.
struct Source {
    module: String,
    path: PathBuf,
    /// What stands before the name of a module of the engine.
    prefix: &'static str,
    code: String,
}

/// The module that a file belongs to; none for the file that lists the modules, or calls the program.
fn module_of(package: &str, relative: &Path) -> Option<String> {
    let first = relative.iter().next().expect("the path has a part").to_string_lossy();
    let first = first.trim_end_matches(".rs");
    match (package, first) {
        (_, "lib" | "main") => None,
        ("src", module) => Some(module.to_owned()),
        (_, "cli") => Some("lab::cli".to_owned()),
        _ => Some("lab".to_owned()),
    }
}

fn modules() -> Vec<Source> {
    let mut list = Vec::new();
    for (package, prefix) in PACKAGES {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join(package);
        for file in sources(&src) {
            let path = file.strip_prefix(&src).expect("the file is in the folder").to_owned();
            let is_test = path.ends_with("tests.rs") || path.iter().any(|part| part == "tests");
            let Some(module) = module_of(package, &path).filter(|_| !is_test) else { continue };
            let text = fs::read_to_string(&file).expect("the file can be read");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code: Vec<_> =
                code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            list.push(Source { module, path, prefix, code: code.join("\n") });
        }
    }
    list
}

/// The modules named behind `crate::`, or what stands for it, also inside braces.
fn used_modules(code: &str, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        let parts = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default().split(',').collect(),
            None => vec![rest],
        };
        for part in parts {
            let name: String = part
                .trim_start()
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            names.push(name);
        }
    }
    names
}

#[test]
fn modules_use_only_what_their_row_allows() {
    let known: Vec<_> = MAY_USE.iter().map(|(module, _)| *module).collect();
    let mut edges = 0;
    for Source { module, path, prefix, code } in modules() {
        let row = MAY_USE.iter().find(|(name, _)| *name == module);
        let (_, allowed) = row.unwrap_or_else(|| panic!("{module} has no row in the table"));
        for used in used_modules(&code, prefix) {
            if used == module || used == "util" || !known.contains(&used.as_str()) {
                continue;
            }
            edges += 1;
            assert!(allowed.contains(&used.as_str()), "{}: {module} uses {used}", path.display());
        }
    }
    assert!(edges > 20, "only {edges} uses were found: the test reads the sources wrongly");
}

#[test]
fn restricted_words_stand_where_they_may() {
    for Source { module, path, code, .. } in modules() {
        for (word, allowed) in RESTRICTED {
            assert!(
                !code.contains(word) || allowed.contains(&module.as_str()),
                "{}: '{word}' is not for {module}",
                path.display()
            );
        }
    }
}

#[test]
fn the_table_stands_in_the_architecture_document() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let text = fs::read_to_string(document).expect("ARCHITECTURE.md can be read");
    for (module, allowed) in MAY_USE {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{module}` |")));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for {module}"));
        let last = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default().trim();
        let expected = if allowed.is_empty() { "–".to_owned() } else { allowed.join(", ") };
        assert_eq!(last, expected, "the row of {module} in ARCHITECTURE.md");
    }
}

#[test]
fn files_can_be_read_in_one_sitting() {
    for Source { path, code, .. } in modules() {
        let lines = code.lines().count();
        assert!(lines <= 400, "{} has {lines} lines without tests", path.display());
    }
}
