//! The `tedomari` binary: see `tedomari --help`.

use std::process::ExitCode;

use clap::Parser;
use tedomari::cli::{Cli, run_program};

fn main() -> ExitCode {
    run_program("tedomari", || Cli::parse().run())
}
