//! Opens pages in a browser, where there is one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use regex::Regex;

use crate::skip::skip;

/// What the browser has made of a page; none where there is no browser. One that ends before it has
/// read the page is started again.
pub(crate) fn opened(page: &Path) -> Option<String> {
    let mut dom = String::new();
    for _ in 0..3 {
        dom = opened_once(page)?;
        if dom.contains("</html>") {
            break;
        }
    }
    Some(dom)
}

fn opened_once(page: &Path) -> Option<String> {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--disable-dev-shm-usage", "--allow-file-access-from-files", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .stderr(Stdio::null())
        .output();
    match output {
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap()),
        Err(error) => {
            skip(&format!("chromium ({error}; its Debian package is chromium)"));
            None
        }
    }
}

/// The width of a phone, and that of a desk's screen.
pub(crate) const WINDOWS: [u32; 2] = [390, 1600];

/// The width that the page takes in a window so wide, all folded parts opened, and whether a word on it
/// looks like a number that is none.
pub(crate) fn in_window(page: &Path, width: u32) -> Option<(u32, bool)> {
    let folder = tempfile::tempdir().unwrap();
    let frame = folder.path().join("frame.html");
    let script = r#"<body><script>
        const frame = document.createElement("iframe");
        frame.style = "border:0;width:WIDTHpx;height:800px";
        frame.onload = () => {
            const page = frame.contentDocument;
            page.querySelectorAll("details").forEach(part => part.open = true);
            document.body.dataset.width = page.documentElement.scrollWidth;
            document.body.dataset.odd = /NaN|undefined|Infinity|null/.test(page.body.innerText);
        };
        frame.src = "PAGE";
        document.body.append(frame);
        </script></body>"#;
    let script = script.replace("WIDTH", &width.to_string());
    let script = script.replace("PAGE", &format!("file://{}", page.display()));
    fs::write(&frame, script).unwrap();
    let dom = opened(&frame)?;
    let found = Regex::new(r#"data-width="(\d+)" data-odd="(\w+)""#).unwrap();
    let found = found.captures(&dom).unwrap_or_else(|| panic!("the page did not load: {dom}"));
    Some((found[1].parse().unwrap(), &found[2] == "true"))
}
