//! The `tedomari-lab` binary: see `tedomari-lab --help`.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    tedomari::cli::run_program("tedomari-lab", || cli::Cli::parse().run())
}
