//! Links from one folder to another.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

/// The way from one folder to another as the beginning of a link: empty for the same folder, else
/// ending with a slash. Characters that mean something in a link are written as `%XX`.
pub(super) fn link(from: &Path, to: &Path) -> String {
    let (from, to) = (whole(from), whole(to));
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut link = "../".repeat(from.len() - common);
    for part in &to[common..] {
        if let Component::Normal(name) = part {
            link.push_str(&encoded(&name.to_string_lossy()));
            link.push('/');
        }
    }
    link
}

/// The path without links and dots; as it is where the folder does not exist.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_folder_to_folder() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a/b", "a/c d#", "e"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let way = |from: &str, to: &str| link(&folder.path().join(from), &folder.path().join(to));
        assert_eq!(way("a", "a"), "");
        assert_eq!(way("a/b", "a/./b/../b"), "");
        assert_eq!(way("a", "a/b"), "b/");
        assert_eq!(way("e", "a/c d#"), "../a/c%20d%23/");
    }
}
