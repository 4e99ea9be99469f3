//! `tedomari gtp`: the engine on standard input and output.

use std::io::{ErrorKind, IsTerminal};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::Context;

use super::stop;
use crate::app::engine::Equipment;
use crate::app::{evaluators, loading};
use crate::arena::TimeControl;
use crate::config::Config;
use crate::gtp::{ServeError, Session, serve};
use crate::util::iso_date;

/// Speaks GTP until the client says `quit`, goes away, or the process is told to end.
///
/// The clock is the one that is given until the client sets another.
pub(super) fn run(config: Config, clock: Option<TimeControl>) -> anyhow::Result<()> {
    if std::io::stdin().is_terminal() {
        greet();
    }
    let runtime = start_runtime()?;
    let loading::Loading { evaluator, games, models, background } = loading::begin(&config)?;
    let mut engine = Equipment::of(&config)?.engine(&config, evaluator);
    engine.limit_to(games);
    if let Some(control) = clock {
        engine.set_time_system(control.clock().system());
        if matches!(control, TimeControl::Simulations(_)) {
            engine.count_simulations_as_time();
        }
    }
    let player = evaluators::describe(&config);
    let session = Session::new(engine, Box::new(config))
        .with_description(player)
        .with_models(models)
        .with_graphics(Box::new(std::io::stderr()))
        .with_calendar(today);
    let result = runtime.block_on(async {
        let end = async {
            tokio::select! {
                () = stop::told_to_end() => {}
                () = stop::output_closed() => {}
            }
        };
        serve(tokio::io::stdin(), tokio::io::stdout(), session, end).await
    });
    // A read of standard input cannot be called back: do not wait for it.
    runtime.shutdown_background();
    if let Some(error) = background.and_then(|background| background.failure()) {
        return Err(error).context("the network could not be loaded");
    }
    match result {
        Err(ServeError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("the conversation has ended"),
    }
}

/// Threads of the runtime: they read the input, write the output and watch who reads it.
const RUNTIME_THREADS: usize = 3;

/// Starts a runtime with all threads that it will need. It would start them when they are wanted, and panic or wait for
/// ever where the system gives none: searches, which come later, take what is left and do with fewer.
fn start_runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    // One more is the engine's.
    let gate = Arc::new(Mutex::new(()));
    let closed = gate.lock();
    let probe = |_| {
        let gate = Arc::clone(&gate);
        let wait = move || {
            let _open = gate.lock();
        };
        thread::Builder::new().spawn(wait)
    };
    let threads: Result<Vec<_>, _> = (0..=RUNTIME_THREADS).map(probe).collect();
    drop(closed);
    for thread in threads.context("the system gives too few threads")? {
        // It cannot have panicked.
        let _ = thread.join();
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // Those and no more: one that has just finished is not taken for idle yet, and another would be started.
        .max_blocking_threads(RUNTIME_THREADS)
        .thread_keep_alive(Duration::from_secs(u64::from(u32::MAX)))
        .build()
        .context("cannot start the runtime")?;
    let all = Arc::new(Barrier::new(RUNTIME_THREADS));
    runtime.block_on(async {
        let start = |_| {
            let all = Arc::clone(&all);
            tokio::task::spawn_blocking(move || all.wait())
        };
        for task in (0..RUNTIME_THREADS).map(start).collect::<Vec<_>>() {
            task.await.context("a thread of the runtime has ended")?;
        }
        anyhow::Ok(())
    })?;
    Ok(runtime)
}

/// The date for records, in UTC.
fn today() -> String {
    iso_date(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
}

#[expect(clippy::print_stderr, reason = "for a person at a terminal")]
fn greet() {
    eprintln!(
        "Tedomari {} speaks GTP: try `showboard`, `genmove b`, `list_commands` or `quit`.\n\
         Give it to Sabaki, GoGui or another client as an engine; `tedomari --help` tells more.",
        env!("CARGO_PKG_VERSION")
    );
}
