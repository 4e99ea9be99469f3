//! What several test programs need: the game records that lie beside the project.
//!
//! The records are not part of the package. Where they are absent, the functions say so and answer `None`, and
//! a test that gets `None` returns.

#![allow(dead_code, reason = "every test program compiles this file and uses a part of it")]

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use crate::skip::skip;

/// The folder of shared data beside the package.
pub(crate) fn shared_dir() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if dir.is_dir() {
        return Some(dir);
    }
    skip(&dir.display().to_string());
    None
}

/// The folder of KataGo's networks beside the package.
pub(crate) fn nets_dir() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/nets");
    if dir.is_dir() {
        return Some(dir);
    }
    skip(&dir.display().to_string());
    None
}

/// A network of KataGo by the name of its file: in the folder that the environment variable
/// `TEDOMARI_NETS` names, or among those beside the package.
pub(crate) fn net_file(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/nets");
    let named = std::env::var_os("TEDOMARI_NETS").map(PathBuf::from);
    let found = named.iter().chain([&beside]).map(|dir| dir.join(name)).find(|path| path.is_file());
    if found.is_none() {
        skip(&beside.join(name).display().to_string());
    }
    found
}

/// The games of a compressed file with one SGF record in a line, by its path in [`shared_dir`].
pub(crate) fn sgf_lines(path: &str) -> Option<Vec<Vec<u8>>> {
    let path = shared_dir()?.join(path);
    let Ok(file) = File::open(&path) else {
        skip(&path.display().to_string());
        return None;
    };
    let mut text = Vec::new();
    let read = GzDecoder::new(file).read_to_end(&mut text);
    read.unwrap_or_else(|error| panic!("{} is damaged: {error}", path.display()));
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    Some(lines.map(<[u8]>::to_vec).collect())
}
