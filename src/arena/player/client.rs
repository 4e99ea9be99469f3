//! A program that is asked for more than moves.

use std::time::Duration;

use super::process::Process;
use super::{Kind, Trouble};

/// A GTP program that anything can be said to. It is trusted as little as a player.
pub struct Client(Process);

impl Client {
    /// Starts a program by its command line.
    pub fn start(words: &[String]) -> Result<Self, Trouble> {
        Process::start(words).map(Self)
    }

    /// Sends a command and waits for its answer up to `limit`. A refusal is [`Kind::Refused`]; after
    /// any other trouble the program is of no use.
    pub fn ask(&mut self, command: &str, limit: Duration) -> Result<String, Trouble> {
        let refused = |text| Trouble::new(Kind::Refused, format!("'{command}': {text}"));
        self.0.ask(command, limit)?.text.map_err(refused)
    }
}
