//! Reads the sources and fails when a module uses what its row of the table does not allow.
//!
//! The table is the one of `ARCHITECTURE.md`; a new edge is a decision and wants an ADR.

use std::fs;
use std::path::{Path, PathBuf};

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
    ("engine", &["game", "eval", "judge", "timeman", "search"]),
    ("gtp", &["game", "eval", "judge", "timeman", "search", "engine"]),
    ("review", &["chart", "game", "eval", "judge", "timeman", "search"]),
    ("record", &["game", "eval"]),
    ("train", &["chart", "game", "eval", "nn", "record"]),
    ("arena", &["chart", "game", "eval", "judge", "timeman", "search", "engine", "gtp"]),
    ("selfplay", &["game", "eval", "search", "record"]),
    ("uncertainty", &["game", "eval", "nn", "record", "search", "timeman", "train"]),
    ("run", &[]),
    ("lab", &["chart", "game", "eval", "playout", "search", "timeman", "record", "arena"]),
    (
        "config",
        &[
            "nn",
            "playout",
            "timeman",
            "search",
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
            "engine",
            "gtp",
            "review",
            "record",
            "selfplay",
            "train",
            "uncertainty",
            "run",
            "lab",
            "arena",
            "config",
            "app",
        ],
    ),
];

/// Words that may stand only in some modules.
const RESTRICTED: &[(&str, &[&str])] = &[
    ("candle", &["nn", "train", "uncertainty"]),
    ("tokio", &["gtp", "engine", "arena", "app", "cli"]),
    ("println!", &["cli"]),
    ("Instant::now", &["engine", "arena", "cli"]),
    ("std::env::", &["cli"]),
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

/// The module that a file belongs to, and its code without comments and without unit tests.
fn modules() -> Vec<(String, PathBuf, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut list = Vec::new();
    for path in sources(&src) {
        let relative = path.strip_prefix(&src).expect("the file is in src").to_owned();
        let first = relative.iter().next().expect("the path has a part").to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        let is_test = relative.ends_with("tests.rs") || relative.iter().any(|part| part == "tests");
        if ["lib", "main"].contains(&module.as_str()) || is_test {
            continue;
        }
        let text = fs::read_to_string(&path).expect("the file can be read");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code: Vec<_> =
            code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        list.push((module, relative, code.join("\n")));
    }
    list
}

/// The modules named behind `crate::`, also inside braces.
fn used_modules(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
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
    for (module, path, code) in modules() {
        let row = MAY_USE.iter().find(|(name, _)| *name == module);
        let (_, allowed) = row.unwrap_or_else(|| panic!("{module} has no row in the table"));
        for used in used_modules(&code) {
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
    for (module, path, code) in modules() {
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
    for (_, path, code) in modules() {
        let lines = code.lines().count();
        assert!(lines <= 400, "{} has {lines} lines without tests", path.display());
    }
}
