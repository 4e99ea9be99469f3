//! A stop profile with all that shows how good it is: `[uncertainty]` in the description of an experiment.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::budget::Budget;
use crate::config::Config;
use crate::util::write_atomically;

/// Time between two looks at the program, and looks after the budget is used up.
const PAUSE: Duration = Duration::from_millis(50);
const GRACE: u32 = 20;

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
    if let Some(left) = budget.left() {
        let minutes = left.as_secs_f64() / 60.0;
        command.arg("--minutes").arg(minutes.max(0.01).to_string());
    }
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start the program")?;
    let output = child.stdout.take().context("the program has no output")?;
    let output = thread::spawn(move || std::io::read_to_string(output));
    let status = loop {
        if let Some(status) = child.try_wait().context("cannot wait for the program")? {
            break status;
        }
        // Searches end by themselves. Training does not, and its files appear whole or not at all.
        if budget.is_over() && !ends(&mut child)? {
            child.kill().context("cannot end the program")?;
            child.wait().context("cannot end the program")?;
            return Ok(None);
        }
        thread::sleep(PAUSE);
    };
    ensure!(status.success(), "`tedomari uncertainty make` failed: {status}");
    let text = output.join().ok().context("the output cannot be read")??;
    let told: Value =
        serde_json::from_str(&text).context("`tedomari uncertainty make` wrote no JSON")?;
    Ok((told["complete"] != false).then_some(told))
}

/// Whether a program ends by itself within a moment.
fn ends(child: &mut Child) -> anyhow::Result<bool> {
    for _ in 0..GRACE {
        if child.try_wait().context("cannot wait for the program")?.is_some() {
            return Ok(true);
        }
        thread::sleep(PAUSE);
    }
    Ok(false)
}
