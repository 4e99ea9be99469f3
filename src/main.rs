//! The `tedomari` binary: see `tedomari --help`.

use std::process::ExitCode;

use clap::Parser;
use tedomari::cli::Cli;

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "the last words to the user")]
            {
                eprintln!("tedomari: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}
