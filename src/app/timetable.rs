//! Timetables: the configured one.

use std::path::Path;

use anyhow::Context;

use crate::config::Config;
use crate::timeman::{MAX_TABLE_BYTES, Table};
use crate::util::read_limited;

/// Reads the timetable that the configuration names; none where it names none.
pub fn configured(config: &Config) -> anyhow::Result<Option<Table>> {
    let path = Path::new(&config.time.table);
    if config.time.table.is_empty() {
        return Ok(None);
    }
    let bytes = read_limited(path, MAX_TABLE_BYTES).context("in time.table")?;
    let text = std::str::from_utf8(&bytes)
        .with_context(|| format!("{} is not UTF-8 text", path.display()))?;
    let table = Table::from_toml(text).with_context(|| format!("in {}", path.display()))?;
    Ok(Some(table))
}
