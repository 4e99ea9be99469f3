//! The `tedomari` binary: see `tedomari --help`.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use tedomari::cli::{Cli, explain};

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If nobody listens any more, there is nothing left to say.
            let _ = writeln!(std::io::stderr(), "tedomari: {}", explain(&error));
            ExitCode::FAILURE
        }
    }
}
