//! The core: clients submit queries, threads answer them.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tracing::warn;

use super::query::Query;
use super::queue::{Queue, Submitted, Task, Which};
use super::worker::{Outcome, Worker};
use crate::eval::Evaluator;

/// Bytes of queries that may wait, about; whoever submits more has to wait.
const MOST_WAITING: usize = 64 << 20;

/// Receives results, on the threads that search and on those that call [`Client::terminate`].
pub trait Listener: Send + Sync {
    /// Something is known of a position of a query.
    fn hear(&self, query: &Query, turn: usize, outcome: Outcome<'_>);
}

/// What a service is made of.
pub struct Setup {
    /// What evaluates positions for all.
    pub evaluator: Arc<dyn Evaluator>,
    /// Positions that are searched at the same time.
    pub threads: usize,
    /// The time since some moment.
    pub now: Box<dyn Fn() -> Duration + Send + Sync>,
}

/// Searches the positions of queries of many clients.
///
/// When it is dropped, what waits is given up and what is searched comes to an end.
pub struct Service {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    clients: AtomicU64,
}

struct Shared {
    setup: Setup,
    queue: Mutex<Queue>,
    /// Signalled when there is something to search, and at the end.
    work: Condvar,
    /// There is room for more queries.
    room: Condvar,
}

/// One of those who ask.
#[derive(Clone)]
pub struct Client {
    number: u64,
    shared: Arc<Shared>,
}

impl Service {
    /// Starts the threads; fewer than are wanted where the system gives no more.
    pub fn start(setup: Setup) -> io::Result<Self> {
        let wanted = setup.threads.max(1);
        let shared = Arc::new(Shared {
            setup,
            queue: Mutex::default(),
            work: Condvar::new(),
            room: Condvar::new(),
        });
        let mut service =
            Self { shared: Arc::clone(&shared), threads: Vec::new(), clients: AtomicU64::new(0) };
        for number in 0..wanted {
            let shared = Arc::clone(&shared);
            let thread = thread::Builder::new().name(format!("analysis {number}"));
            match thread.spawn(move || shared.serve()) {
                Ok(thread) => service.threads.push(thread),
                Err(error) if number == 0 => return Err(error),
                Err(error) => {
                    warn!(threads = number, wanted, "no more threads: {error}");
                    break;
                }
            }
        }
        Ok(service)
    }

    /// A new client, which can terminate its own queries only.
    #[must_use]
    pub fn client(&self) -> Client {
        // Ordering: the number itself is all that matters.
        let number = self.clients.fetch_add(1, Ordering::Relaxed);
        Client { number, shared: Arc::clone(&self.shared) }
    }

    /// Answers everything that was submitted, and ends.
    pub fn finish(mut self) {
        self.shared.queue().closing = true;
        self.join();
    }

    /// Gives up what waits and ends what is being searched. Those searches are still answered.
    pub fn abandon(mut self) {
        self.shared.queue().abandon();
        self.join();
    }

    fn join(&mut self) {
        self.shared.work.notify_all();
        self.shared.room.notify_all();
        for thread in self.threads.drain(..) {
            // Panics of searches and listeners are caught.
            let _ = thread.join();
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.shared.queue().abandon();
        self.join();
    }
}

impl Client {
    /// Submits a query, whose answers the listener hears. Waits while too much waits already.
    pub fn submit(&self, query: Query, listener: Arc<dyn Listener>) {
        let submitted = Arc::new(Submitted { query, listener, client: self.number });
        let full = |queue: &mut Queue| queue.cost() > MOST_WAITING && !queue.closing;
        let queue = self.shared.room.wait_while(self.shared.queue(), full);
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        if queue.closing {
            return;
        }
        queue.push(&submitted);
        drop(queue);
        self.shared.work.notify_all();
    }

    /// Terminates those positions of own queries that are named by the id of the query and the turn: a search that goes on
    /// ends and is answered, what waits is answered by [`Outcome::Terminated`] before this returns.
    pub fn terminate(&self, which: &dyn Fn(&str, usize) -> bool) {
        for task in self.shared.terminate(self.number, which) {
            let Task { submitted, turn, .. } = &task;
            submitted.listener.hear(&submitted.query, *turn, Outcome::Terminated);
        }
    }

    /// Forgets the evaluations that are kept.
    pub fn forget(&self) {
        self.shared.setup.evaluator.forget();
    }

    /// Positions of all clients that wait, and positions that are being searched.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        self.shared.queue().counts()
    }
}

impl Shared {
    // The queue is changed by steps that cannot panic, so a panic elsewhere leaves it in order.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn terminate(&self, client: u64, which: Which<'_>) -> Vec<Task> {
        let out = self.queue().terminate(client, which);
        self.room.notify_all();
        out
    }

    /// What a thread does from its start to its end.
    fn serve(&self) {
        let worker = Worker { evaluator: &self.setup.evaluator, now: &*self.setup.now };
        while let Some(task) = self.next() {
            if catch_unwind(AssertUnwindSafe(|| worker.answer(&task))).is_err() {
                warn!("a listener of the analysis has panicked");
            }
            self.queue().done(&task);
        }
    }

    /// The next position; none when there never will be one.
    fn next(&self) -> Option<Arc<Task>> {
        let idle = |queue: &mut Queue| !queue.closing && queue.counts().0 == 0;
        let queue = self.work.wait_while(self.queue(), idle);
        let task = queue.unwrap_or_else(PoisonError::into_inner).pop();
        self.room.notify_all();
        task
    }
}
