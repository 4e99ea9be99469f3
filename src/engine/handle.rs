//! Where async callers and the thread that thinks meet.
//!
//! A search blocks its thread for seconds, so it must not run on the threads of an async runtime.
//! The state that it works on lives on an operating system thread of its own, and callers send it
//! closures and await their answers.

use std::io;
use std::thread;

use tokio::sync::{mpsc, oneshot};

type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// Deep recursion happens only when SGF trees of the largest allowed size are dropped.
const STACK_BYTES: usize = 16 << 20;

/// Sends work to a value that lives on its own thread. The thread ends when all handles are gone.
pub struct Handle<S> {
    jobs: mpsc::UnboundedSender<Job<S>>,
}

/// The thread is gone: an earlier job panicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the engine has stopped after an internal error")]
pub struct ThreadGone;

impl<S: Send + 'static> Handle<S> {
    /// Moves a value to a new thread.
    pub fn spawn(name: &str, state: S) -> io::Result<Self> {
        Self::spawn_with_idle(name, state, |_, _| {})
    }

    /// Moves a value to a new thread. Whenever there is nothing to do, `idle` is called with a
    /// function that tells whether there is again; it should return soon after.
    pub fn spawn_with_idle(
        name: &str,
        mut state: S,
        mut idle: impl FnMut(&mut S, &dyn Fn() -> bool) + Send + 'static,
    ) -> io::Result<Self> {
        let (jobs, mut inbox) = mpsc::unbounded_channel::<Job<S>>();
        thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(move || {
            while let Some(job) = inbox.blocking_recv() {
                job(&mut state);
                if inbox.is_empty() {
                    idle(&mut state, &|| !inbox.is_empty() || inbox.is_closed());
                }
            }
        })?;
        Ok(Self { jobs })
    }

    /// Runs a closure on the value and returns what it returns. Calls are served in their order.
    pub async fn call<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut S) -> R + Send + 'static,
    ) -> Result<R, ThreadGone> {
        let (answer, answered) = oneshot::channel();
        let job: Job<S> = Box::new(move |state| {
            // The caller may have stopped waiting; its answer is then nobody's.
            let _ = answer.send(job(state));
        });
        self.jobs.send(job).map_err(|_| ThreadGone)?;
        answered.await.map_err(|_| ThreadGone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calls_run_in_order_on_one_thread() {
        let handle = Handle::spawn("test", Vec::new()).unwrap();
        for i in 0..100 {
            handle.call(move |list: &mut Vec<i32>| list.push(i)).await.unwrap();
        }
        let list = handle.call(|list| list.clone()).await.unwrap();
        assert_eq!(list, (0..100).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn idle_time_is_used_and_ends_with_the_next_call() {
        let idle = |count: &mut u32, wanted: &dyn Fn() -> bool| {
            while !wanted() {
                *count += 1;
                thread::yield_now();
            }
        };
        let handle = Handle::spawn_with_idle("test", 0, idle).unwrap();
        assert_eq!(handle.call(|n| *n).await, Ok(0));
        while handle.call(|n| *n).await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_panic_is_reported_to_this_and_later_callers() {
        let handle = Handle::spawn("test", 0).unwrap();
        let first = handle.call(|_| assert_eq!(1, 2, "a test panics on purpose")).await;
        assert_eq!(first, Err(ThreadGone));
        assert_eq!(handle.call(|n| *n).await, Err(ThreadGone));
    }
}
