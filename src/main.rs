//! The `tedomari` binary: see `tedomari --help`.

use std::io::Write;
use std::process::ExitCode;

use tedomari::cli::{Cli, explain};

fn main() -> ExitCode {
    #[cfg(unix)]
    survive_limits();
    match Cli::of_process().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If nobody listens any more, there is nothing left to say.
            let _ = writeln!(std::io::stderr(), "tedomari: {}", explain(&error));
            ExitCode::FAILURE
        }
    }
}

/// A file that becomes larger than allowed is an error of the write, and no reason to die.
#[cfg(unix)]
fn survive_limits() {
    let seen = std::sync::Arc::default();
    // Where it cannot be had, the system does as it always does.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
}
