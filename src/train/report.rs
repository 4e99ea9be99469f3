//! The log of a training, as lines of JSON and as a picture.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::TrainError;
use crate::chart::{Axis, Chart, Line, Marks, Unit, file};
use crate::util::{read_limited, write_atomically};

/// Larger logs are refused.
const MAX_LOG: usize = 256 << 20;

/// The lines of `log.jsonl`, which is written anew with each change, whole or not at all.
pub(super) struct Log {
    path: PathBuf,
    lines: Vec<Value>,
}

impl Log {
    /// The log in a folder up to a step: what came after it is done again.
    pub(super) fn open(folder: &Path, step: u64) -> Result<Self, TrainError> {
        let path = folder.join("log.jsonl");
        let mut log = Self { path, lines: Vec::new() };
        if log.path.exists() {
            let text = read_limited(&log.path, MAX_LOG)?;
            let lines = String::from_utf8_lossy(&text);
            // A line that cannot be read is not worth losing the training for.
            log.lines = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            log.lines.retain(|line| line["step"].as_u64().is_some_and(|at| at <= step));
        }
        Ok(log)
    }

    /// Adds a line and writes everything.
    pub(super) fn add(&mut self, line: Value) -> Result<(), TrainError> {
        self.lines.push(line);
        let lines: Vec<_> = self.lines.iter().map(Value::to_string).collect();
        let text = lines.join("\n") + "\n";
        let picture = self.path.with_file_name("loss.svg");
        write(&self.path, text.as_bytes())?;
        write(&picture, self.picture().as_bytes())
    }

    /// What a key of the lines is over the steps.
    fn curve(&self, group: &str, key: &str) -> Vec<(f64, f64)> {
        let point = |line: &Value| Some((line["step"].as_f64()?, line[group][key].as_f64()?));
        let validation =
            |line: &Value| Some((line["step"].as_f64()?, line[group]["losses"][key].as_f64()?));
        let lines = self.lines.iter();
        if group == "validation" {
            lines.filter_map(validation).collect()
        } else {
            lines.filter_map(point).collect()
        }
    }

    /// Policy and value over the steps, in training and on held-out games.
    fn picture(&self) -> String {
        let charts = ["policy", "value"].map(|key| Chart {
            title: format!("Loss of the {key}"),
            x: Axis::new("step", Unit::Whole).from_zero(),
            y: Axis::new("cross entropy, nats", Unit::Plain),
            marks: Marks::Lines(Line::all([
                ("training", self.curve("losses", key)),
                ("held out", self.curve("validation", key)),
            ])),
        });
        file("Training", &charts)
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    write_atomically(path, bytes)
        .map_err(|reason| TrainError::Write { path: path.to_owned(), reason })
}
