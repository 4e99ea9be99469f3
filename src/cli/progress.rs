//! How long work shows that it goes on, on standard error.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use crate::app::progress::{Display, Progress};

/// Time to the first line where there is no terminal, and between two of them.
const TO_FIRST_LINE: Duration = Duration::from_secs(5);
const BETWEEN_LINES: Duration = Duration::from_secs(30);

/// A style for bars and spinners, which indicatif shows on terminals alone.
pub(super) fn bar(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Shows work of a known length: a bar on a terminal, elsewhere a line now and then.
pub struct Bars;

impl Display for Bars {
    fn begin(&self, name: &str, length: u64, unit: &'static str) -> Box<dyn Progress> {
        Box::new(Work::new(name, length, unit))
    }
}

struct Work {
    bar: ProgressBar,
    name: String,
    unit: &'static str,
    /// When the next line is due; none on a terminal.
    line: Option<Mutex<Instant>>,
}

impl Work {
    fn new(name: &str, length: u64, unit: &'static str) -> Self {
        let template = format!("{name} {{pos}}/{{len}} {unit} {{wide_bar}} {{msg}} {{eta}} left");
        let line = (!std::io::stderr().is_terminal()).then(|| Mutex::new(now() + TO_FIRST_LINE));
        let bar = ProgressBar::new(length).with_style(bar(&template));
        Self { bar, name: name.to_owned(), unit, line }
    }
}

impl Progress for Work {
    fn begin_at(&self, done: u64) {
        self.bar.set_position(done);
        self.bar.reset_eta();
    }

    fn set(&self, done: u64, message: String) {
        self.bar.set_position(done);
        self.say(message);
    }

    fn add(&self, done: u64) {
        self.bar.inc(done);
    }

    /// On a terminal, or when a line is due.
    fn say(&self, message: String) {
        if let Some(due) = &self.line {
            let mut due = due.lock().unwrap_or_else(PoisonError::into_inner);
            if now() >= *due {
                *due = now() + BETWEEN_LINES;
                let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
                // Nobody may be reading.
                let _ = writeln!(
                    std::io::stderr(),
                    "{}: {done} of {all} {}{}{message}{}",
                    self.name,
                    self.unit,
                    if message.is_empty() { "" } else { ", " },
                    left(&self.bar)
                );
            }
        } else {
            self.bar.set_message(message);
        }
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// `, 3 minutes left`, or nothing as long as nobody knows.
pub(super) fn left(bar: &ProgressBar) -> String {
    match bar.eta() {
        Duration::ZERO => String::new(),
        left => format!(", {} left", HumanDuration(left)),
    }
}

#[expect(clippy::disallowed_methods, reason = "progress reads the clock")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_long_it_takes() {
        let progress = Work::new("x", 1_000_000, "games");
        assert_eq!(left(&progress.bar), "");
        progress.begin_at(10);
        for done in 11..14 {
            std::thread::sleep(Duration::from_millis(20));
            progress.set(done, String::new());
        }
        assert!(left(&progress.bar).ends_with(" left"), "{:?}", left(&progress.bar));
    }
}
