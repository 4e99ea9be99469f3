//! A stop profile with all that shows how good it is: `[uncertainty]` in the description of an experiment.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use tedomari::app::progress::Surroundings;
use tedomari::app::stop_profile::{self, MakeSpec};
use tedomari::cli::{Bars, log, print_json, restart, stop};
use tedomari::config::Config;

use super::budget::Budget;

/// Time between two looks at the program, and looks after the budget is used up.
const PAUSE: Duration = Duration::from_millis(50);
const GRACE: u32 = 20;

/// The stop profile that is asked for; the network and all else are settings.
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

/// What the program that makes the profile reads from its standard input.
#[derive(Debug, Serialize, Deserialize)]
struct Job {
    /// Searching ends after so many minutes.
    minutes: Option<f64>,
    spec: MakeSpec,
    config: Config,
}

/// Makes the profile that standard input describes, and prints what was found as one JSON object.
pub(super) fn make() -> anyhow::Result<()> {
    restart::for_training()?;
    let text = std::io::read_to_string(std::io::stdin()).context("cannot read the job")?;
    let Job { minutes, spec, config } = toml::from_str(&text).context("this is no job")?;
    let stop = stop::flag(minutes)?;
    let around = Surroundings { config: &config, stop: &stop, display: &Bars };
    print_json(&stop_profile::make(&spec, &around)?.json)
}

/// Makes a stop profile as far as there is time; none if that is not far enough. A process of its own does it,
/// because training wants other threads than the rest of the lab.
pub(super) fn result(
    part: &UncertaintyPart,
    folder: &Path,
    config: &Config,
    budget: &Budget,
) -> anyhow::Result<Option<Value>> {
    let job = Job {
        minutes: budget.left().map(|left| (left.as_secs_f64() / 60.0).max(0.01)),
        spec: MakeSpec {
            out: folder.to_owned(),
            name: None,
            games: part.games,
            records: Vec::new(),
            after: part.after.clone(),
            checkpoints: part.checkpoints.clone(),
        },
        config: config.clone(),
    };
    let job = toml::to_string(&job).context("the job cannot be written")?;
    let program = std::env::current_exe().context("cannot find the program's own file")?;
    let mut command = Command::new(program);
    command
        .args(log::flags(&config.log))
        .arg("stop-profile")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot start the program")?;
    let mut input = child.stdin.take().context("the program has no input")?;
    // A program that has ended says by its status why.
    let _ = input.write_all(job.as_bytes());
    drop(input);
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
    ensure!(status.success(), "the stop profile was not made: {status}");
    let text = output.join().ok().context("the output cannot be read")??;
    let told: Value = serde_json::from_str(&text).context("what the program wrote is no JSON")?;
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
