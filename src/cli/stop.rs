//! When long work is to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;

/// A flag that is set when the process is told to end, or after so many minutes. Told twice, the
/// process ends at once.
pub fn flag(minutes: Option<f64>) -> anyhow::Result<Arc<AtomicBool>> {
    let time = minutes
        .map(|minutes| Duration::try_from_secs_f64(60.0 * minutes))
        .transpose()
        .context("in --minutes")?;
    let flag = Arc::new(AtomicBool::new(false));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let set = Arc::clone(&flag);
    let wait = move || {
        runtime.block_on(async {
            let over = async {
                match time {
                    Some(time) => tokio::time::sleep(time).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = told_to_end() => {}
                () = over => {}
            }
            set.store(true, Ordering::Relaxed);
            // What comes within a second is the same one: it may reach a process and its group.
            tokio::time::sleep(Duration::from_secs(1)).await;
            told_to_end().await;
            std::process::exit(130);
        });
    };
    std::thread::Builder::new().spawn(wait).context("the system gives no thread")?;
    Ok(flag)
}

/// Resolves when the process is told to end by a signal.
pub(super) async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Resolves when nobody reads standard output any more.
pub(super) async fn output_closed() {
    #[cfg(unix)]
    {
        let watching = tokio::task::spawn_blocking(|| {
            use rustix::event::{PollFd, PollFlags, poll};
            use rustix::io::Errno;
            let output = std::io::stdout();
            // Errors and hang-ups are told without being asked for.
            let mut watched = [PollFd::new(&output, PollFlags::empty())];
            loop {
                match poll(&mut watched, None) {
                    Err(Errno::INTR) => {}
                    Err(_) => return false,
                    // A socket may hang up its other direction only; a pipe without a reader is an error.
                    Ok(_) => return watched[0].revents().contains(PollFlags::ERR),
                }
            }
        });
        if matches!(watching.await, Ok(true)) {
            return;
        }
    }
    std::future::pending::<()>().await;
}
