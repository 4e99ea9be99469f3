//! Starts the program anew where Candle would compute with threads and memory in its own way.

use anyhow::Context;

use crate::nn::GRAPH_THREADS;

/// What makes glibc keep freed memory for the next tensor: it would otherwise return the memory of
/// every step to the system, and the next step would wait for it page by page. Other allocators do
/// not know these names.
const KEPT_MEMORY: [(&str, &str); 3] = [
    ("MALLOC_MMAP_MAX_", "0"),
    ("MALLOC_TRIM_THRESHOLD_", "8589934592"),
    ("MALLOC_TOP_PAD_", "268435456"),
];

/// Makes sure that Candle computes on the threads that ask it. It would otherwise share every large
/// sum of two tensors with a pool of its own, which works for one caller at a time and waits in a
/// loop: with our threads on all cores that takes half of the time and more.
///
/// The pool is made by the environment alone, which a running program cannot change safely: so the
/// program takes its own place with one more variable, and with those of `KEPT_MEMORY`. A user who
/// has set the first is obeyed.
pub fn for_training() -> anyhow::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "to start anew just once")]
    if std::env::var(GRAPH_THREADS).is_ok() {
        return Ok(());
    }
    let program = std::env::current_exe().context("cannot find the program's own file")?;
    let mut command = std::process::Command::new(program);
    command.args(std::env::args_os().skip(1)).env(GRAPH_THREADS, "1").envs(KEPT_MEMORY);
    start(&mut command).context("cannot start the program anew")
}

/// Returns with an error or not at all.
#[cfg(unix)]
fn start(command: &mut std::process::Command) -> std::io::Result<()> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

/// Returns with an error or not at all.
#[cfg(not(unix))]
fn start(command: &mut std::process::Command) -> std::io::Result<()> {
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(1))
}
