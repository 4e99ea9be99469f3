//! A stop profile with all that shows how good it is: `[uncertainty]` in the description of an experiment.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::budget::Budget;
use crate::config::Config;
use crate::util::write_atomically;

/// What `tedomari uncertainty make` is asked for; the network and all else are settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UncertaintyPart {
    /// Games to search positions of.
    games: usize,
    #[serde(default)]
    after: Vec<usize>,
    #[serde(default)]
    checkpoints: Vec<usize>,
}

/// Runs `tedomari uncertainty make` as far as there is time; none if that is not far enough. It is a program
/// of its own, because training wants other threads than the rest of the lab.
pub(super) fn result(
    part: &UncertaintyPart,
    folder: &Path,
    config: &Config,
    budget: &Budget,
) -> anyhow::Result<Option<Value>> {
    let settings = folder.join("engine.toml");
    write_atomically(&settings, config.to_documented_toml().as_bytes())
        .with_context(|| format!("cannot write {}", settings.display()))?;
    let program = std::env::current_exe().context("cannot find the program's own file")?;
    let mut command = Command::new(program);
    command.arg("--config").arg(&settings).args(["uncertainty", "make", "--json"]);
    command.arg("--out").arg(folder).arg("--games").arg(part.games.to_string());
    for (name, list) in [("--after", &part.after), ("--checkpoints", &part.checkpoints)] {
        if !list.is_empty() {
            let list: Vec<String> = list.iter().map(usize::to_string).collect();
            command.arg(name).arg(list.join(","));
        }
    }
    if let Some(minutes) = budget.minutes() {
        command.arg("--minutes").arg(minutes.max(0.01).to_string());
    }
    let output = command.stderr(Stdio::inherit()).output().context("cannot start the program")?;
    ensure!(output.status.success(), "`tedomari uncertainty make` failed: {}", output.status);
    let told: Value = serde_json::from_slice(&output.stdout)
        .context("`tedomari uncertainty make` wrote no JSON")?;
    Ok((told["complete"] != false).then_some(told))
}
