//! Where the log goes.

use std::path::Path;
use std::str::FromStr;

use anyhow::Context;
use tracing_subscriber::filter::LevelFilter;

use crate::config::LogParams;
use crate::util::{Choice as _, open_log};

/// The flags that make another program log like this one.
#[must_use]
pub fn flags(params: &LogParams) -> Vec<String> {
    let mut flags = vec!["--log-level".to_owned(), params.level.word().to_owned()];
    if !params.file.is_empty() {
        flags.extend(["--log-file".to_owned(), params.file.clone()]);
    }
    flags
}

/// Starts logging as configured, to standard error or a file: never to standard output, which
/// belongs to the protocol.
pub(super) fn start(params: &LogParams) -> anyhow::Result<()> {
    let level = LevelFilter::from_str(params.level.word()).context("in log.level")?;
    // A log that cannot be written is lost: to complain on standard error, which may be the broken
    // stream itself, would end the program.
    let builder = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false)
        .log_internal_errors(false);
    if params.file.is_empty() {
        let _ = builder.with_writer(std::io::stderr).with_ansi(false).try_init();
    } else {
        let file = open_log(Path::new(&params.file)).with_context(|| {
            format!("cannot open the log file {}: a pipe needs a reader", params.file)
        })?;
        let _ = builder.with_writer(std::sync::Mutex::new(file)).with_ansi(false).try_init();
    }
    Ok(())
}
