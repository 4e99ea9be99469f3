//! The `tedomari` binary: see `tedomari --help`.

use std::process::ExitCode;

use tedomari::cli::{Cli, run_program};

fn main() -> ExitCode {
    run_program("tedomari", || Cli::of_process().run())
}
