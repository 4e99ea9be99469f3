//! The search threads. They outlive a single search. A report never waits for a thread that is still
//! evaluating: that thread finishes in its old tree, which is kept until then.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing::warn;

use super::leaf::Memory;
use super::owners::Owners;
use super::throttle::Throttle;
use super::worker::{Shared, Worker};
use crate::eval::{EvalError, Evaluator};
use crate::util::{ProcessorTime, ThreadAccount, panic_text};

/// One search as all who work on it have it.
pub(super) struct Job {
    pub(super) shared: Shared,
    pub(super) evaluator: Arc<dyn Evaluator>,
    /// What each worker has found of owners.
    pub(super) owners: Vec<Mutex<Owners>>,
    /// What the first worker begins with.
    memory: Mutex<Memory>,
    /// Whether the thread that called the search is the first worker. All others are of the pool.
    caller_works: bool,
    /// Workers so far. They are numbered as they come: a thread that is late with the job before is no hindrance.
    workers: AtomicUsize,
    /// Workers that work; those with higher numbers rest.
    working: AtomicUsize,
    failure: Mutex<Option<EvalError>>,
}

impl Job {
    /// A search by as many workers as there are sums of owners.
    pub(super) fn new(
        shared: Shared,
        evaluator: Arc<dyn Evaluator>,
        owners: Vec<Mutex<Owners>>,
        memory: Memory,
        caller_works: bool,
    ) -> Self {
        let (memory, failure) = (Mutex::new(memory), Mutex::new(None));
        let (workers, working) = (AtomicUsize::new(0), AtomicUsize::new(owners.len()));
        Self { shared, evaluator, owners, memory, caller_works, workers, working, failure }
    }

    /// The next worker with its number; none when there are as many as are wanted.
    pub(super) fn next_worker(&self) -> Option<(usize, Worker<'_>)> {
        // Ordering: the number itself is all that is exchanged.
        let number = self.workers.fetch_add(1, Ordering::Relaxed);
        let owners = self.owners.get(number)?;
        let memory = match number {
            0 => std::mem::take(&mut *lock(&self.memory)),
            _ => Memory::of_thread(number),
        };
        Some((number, Worker::new(&self.shared, self.evaluator.as_ref(), owners, memory)))
    }

    /// What has ended the search before its time.
    pub(super) fn failure(&self) -> Option<EvalError> {
        lock(&self.failure).clone()
    }

    /// Threads of the pool that are wanted.
    fn threads(&self) -> usize {
        self.owners.len() - usize::from(self.caller_works)
    }

    /// The part of one thread, to the end.
    fn work(&self) {
        let work = || {
            let Some((number, mut worker)) = self.next_worker() else { return Ok(()) };
            // Ordering: a number on which nothing hangs.
            worker.run(|| number >= self.working.load(Ordering::Relaxed))
        };
        let ended = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
            let message = panic_text(panic.as_ref());
            Err(EvalError::Device(format!("a thread of the search panicked: {message}")))
        });
        if let Err(error) = ended {
            *lock(&self.failure) = Some(error);
            // Ordering: whoever sees the flag sees the failure.
            self.shared.stop.store(true, Ordering::Release);
        }
    }
}

/// The threads, started when they are needed. When it is dropped, they end, but nobody waits for them.
pub(super) struct Pool {
    signals: Arc<Signals>,
    threads: usize,
    throttle: Throttle,
}

/// Where the caller and the threads tell each other what is to be done and what is done.
#[derive(Default)]
struct Signals {
    state: Mutex<State>,
    /// Tells threads that there is something to do, or never will be again.
    work: Condvar,
    /// Tells the caller that a thread has finished.
    finished: Condvar,
}

#[derive(Default)]
struct State {
    /// What is to be done. Threads take it as soon as they have finished what was before, if it is still here.
    job: Option<Arc<Job>>,
    /// Jobs so far.
    number: u64,
    /// Whether a thread has finished since the caller looked.
    finished: bool,
    /// What the system tells of the threads.
    accounts: Vec<ThreadAccount>,
    closed: bool,
}

impl Pool {
    /// A pool without threads.
    pub(super) fn new() -> Self {
        Self { signals: Arc::default(), threads: 0, throttle: Throttle::default() }
    }

    /// The work on a job, which nobody has begun yet.
    pub(super) fn running<'a>(&'a mut self, job: &'a Arc<Job>) -> Running<'a> {
        Running { pool: self, job, begun: false }
    }

    /// Waits until nobody works on a job that has been stopped, or for so long; whether nobody does.
    pub(super) fn settle(&self, job: &Arc<Job>, patience: Option<Duration>) -> bool {
        // Threads let go of a job before they say so, and none takes it up when it has been stopped.
        let busy = |_: &mut State| Arc::strong_count(job) > 1;
        let state = self.signals.state();
        match patience {
            None => drop(self.signals.finished.wait_while(state, busy)),
            Some(time) => drop(self.signals.finished.wait_timeout_while(state, time, busy)),
        }
        let settled = Arc::strong_count(job) == 1;
        // Ordering: what the threads wrote before they let go of the job is seen from here on.
        fence(Ordering::Acquire);
        settled
    }

    /// Starts threads until there are as many as are wanted, or the system gives no more.
    fn start(&mut self, wanted: usize) -> Result<(), EvalError> {
        while self.threads < wanted {
            let signals = Arc::clone(&self.signals);
            let thread = thread::Builder::new().name(format!("search {}", self.threads));
            if let Err(error) = thread.spawn(move || signals.serve()) {
                let advice = "fewer search.threads need less";
                if self.threads == 0 {
                    let message = format!("no thread for the search: {error}; {advice}");
                    return Err(EvalError::Device(message));
                }
                warn!(threads = self.threads, wanted, "no more threads: {error}; {advice}");
                return Ok(());
            }
            self.threads += 1;
        }
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.signals.state().closed = true;
        self.signals.work.notify_all();
    }
}

/// The work of the pool on a job, which is told to stop at its end.
pub(super) struct Running<'a> {
    pool: &'a mut Pool,
    job: &'a Arc<Job>,
    begun: bool,
}

impl Running<'_> {
    /// Lets the threads begin, if they have not.
    pub(super) fn begin(&mut self) -> Result<(), EvalError> {
        if self.begun || self.job.threads() == 0 {
            return Ok(());
        }
        self.begun = true;
        self.pool.start(self.job.threads())?;
        self.pool.throttle.begin();
        self.assign();
        let mut state = self.pool.signals.state();
        state.job = Some(Arc::clone(self.job));
        state.number += 1;
        state.finished = false;
        drop(state);
        self.pool.signals.work.notify_all();
        Ok(())
    }

    /// Sees to it that no more threads work than bring something; `now` is the time since the search began.
    pub(super) fn look(&mut self, now: Duration) {
        if self.job.threads() > 1 {
            let Pool { signals, throttle, .. } = &mut *self.pool;
            throttle.look(now, self.job.threads(), || signals.processor_time());
            self.assign();
        }
    }

    /// Says how many workers work: all, where the caller works with them and looks after nobody.
    fn assign(&self) {
        if !self.job.caller_works {
            let working = self.pool.throttle.working(self.job.threads());
            self.job.working.store(working, Ordering::Relaxed);
        }
    }

    /// Sleeps for so long, or until a thread has finished.
    pub(super) fn wait(&self, time: Duration) {
        let Signals { finished, .. } = &*self.pool.signals;
        let waited =
            finished.wait_timeout_while(self.pool.signals.state(), time, |state| !state.finished);
        waited.unwrap_or_else(PoisonError::into_inner).0.finished = false;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.job.shared.stop.store(true, Ordering::Relaxed);
        if self.begun {
            self.pool.signals.state().job = None;
        }
    }
}

impl Signals {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// What all threads have got of the processors; none where the system does not tell.
    fn processor_time(&self) -> Option<ProcessorTime> {
        let state = self.state();
        let add = |sum: ProcessorTime, time: ProcessorTime| ProcessorTime {
            used: sum.used + time.used,
            waited: sum.waited + time.waited,
        };
        state
            .accounts
            .iter()
            .map(ThreadAccount::read)
            .try_fold(ProcessorTime::default(), |sum, time| time.map(|time| add(sum, time)))
    }

    /// What a thread does from its start to its end.
    fn serve(&self) {
        let account = ThreadAccount::of_this_thread();
        self.state().accounts.extend(account);
        let mut done = 0;
        while let Some((number, job)) = self.next(done) {
            done = number;
            job.work();
            drop(job);
            self.state().finished = true;
            self.finished.notify_all();
        }
    }

    /// The next job after the one with a number; none when there never will be one.
    fn next(&self, done: u64) -> Option<(u64, Arc<Job>)> {
        let idle =
            |state: &mut State| !state.closed && (state.number == done || state.job.is_none());
        let state = self.work.wait_while(self.state(), idle);
        let state = state.unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return None;
        }
        Some((state.number, Arc::clone(state.job.as_ref()?)))
    }
}

/// What is behind these locks is written whole: a panic elsewhere leaves it in order.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
