//! `tedomari gtp`: the engine on standard input and output.

use std::io::{ErrorKind, IsTerminal};
use std::time::SystemTime;

use anyhow::Context;

use super::{evaluator, stop, time, watcher};
use crate::arena::TimeControl;
use crate::config::Config;
use crate::engine::Engine;
use crate::gtp::{ServeError, Session, serve};
use crate::util::iso_date;

/// Speaks GTP until the client says `quit`, goes away, or the process is told to end.
///
/// The clock is the one that is given until the client sets another.
pub(super) fn run(config: Config, clock: Option<TimeControl>) -> anyhow::Result<()> {
    if std::io::stdin().is_terminal() {
        greet();
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let (evaluator, games) = evaluator::make_for_games(&config)?;
    let mut engine = Engine::new(config.engine(), evaluator);
    engine.limit_to(games);
    if let Some(control) = clock {
        engine.set_time_system(control.clock().system());
        if matches!(control, TimeControl::Simulations(_)) {
            engine.count_simulations_as_time();
        }
    }
    if let Some(table) = time::configured_table(&config)? {
        engine.set_timetable(table);
    }
    if let Some(watcher) = watcher::make(&config) {
        engine.set_watcher(watcher);
    }
    let player = evaluator::describe(&config);
    let session = Session::new(engine, Box::new(config))
        .with_description(player)
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
    match result {
        Err(ServeError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("the conversation has ended"),
    }
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
