//! The threads of a search. They live as long as it does, and the answer needs nothing from one that is
//! still evaluating: what it does then, it does to a tree that stays until it has finished.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::leaf::Memory;
use super::roster::Roster;
use super::worker::{Shared, Worker};
use crate::eval::{Criticality, EvalError, Evaluator};
use crate::util::{ProcessorTime, ThreadAccount, panic_text};

/// One search as all who work on it have it.
pub(super) struct Job {
    pub(super) shared: Shared,
    pub(super) evaluator: Arc<dyn Evaluator>,
    /// What each worker has found of owners.
    pub(super) owners: Vec<Mutex<Criticality>>,
    /// What the first worker begins with.
    memory: Mutex<Memory>,
    /// Workers that are no members of the crew: 1 where the thread that called the search is the first.
    outside: usize,
    /// Workers that work; those with higher numbers rest.
    working: AtomicUsize,
    failure: Mutex<Option<EvalError>>,
}

impl Job {
    /// A search by as many workers as there are sums of owners.
    pub(super) fn new(
        shared: Shared,
        evaluator: Arc<dyn Evaluator>,
        owners: Vec<Mutex<Criticality>>,
        memory: Memory,
        outside: usize,
    ) -> Self {
        let (memory, failure) = (Mutex::new(memory), Mutex::new(None));
        let working = AtomicUsize::new(owners.len());
        Self { shared, evaluator, owners, memory, outside, working, failure }
    }

    /// The worker with a number.
    pub(super) fn worker(&self, number: usize) -> Worker<'_> {
        let memory = match number {
            0 => std::mem::take(&mut *lock(&self.memory)),
            _ => Memory::of_thread(number),
        };
        Worker::new(&self.shared, self.evaluator.as_ref(), &self.owners[number], memory)
    }

    /// What has ended the search before its time.
    pub(super) fn failure(&self) -> Option<EvalError> {
        lock(&self.failure).clone()
    }

    /// Members of the crew that are wanted.
    fn members(&self) -> usize {
        self.owners.len() - self.outside
    }

    /// The part of one member, to the end.
    fn work(&self, member: usize) {
        if member >= self.members() {
            return;
        }
        let number = self.outside + member;
        // Ordering: a number on which nothing hangs.
        let rests = || number >= self.working.load(Ordering::Relaxed);
        let work = || self.worker(number).run(rests);
        // After a panic nobody uses the tree again.
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
pub(super) struct Crew {
    desk: Arc<Desk>,
    members: usize,
    roster: Roster,
}

/// Where the caller and the members tell each other what is to be done and what is done.
#[derive(Default)]
struct Desk {
    state: Mutex<State>,
    /// Tells members that there is something to do, or never will be again.
    work: Condvar,
    /// Tells the caller that a member has finished.
    news: Condvar,
}

#[derive(Default)]
struct State {
    /// What is to be done. Members take it as soon as they have finished what was before, if it is still here.
    job: Option<Arc<Job>>,
    /// Jobs so far.
    number: u64,
    /// Whether a member has finished since the caller looked.
    news: bool,
    /// What the system tells of the members.
    accounts: Vec<ThreadAccount>,
    closed: bool,
}

impl Crew {
    /// A crew without members.
    pub(super) fn new() -> Self {
        Self { desk: Arc::default(), members: 0, roster: Roster::default() }
    }

    /// The work on a job, which nobody has begun yet.
    pub(super) fn shift<'a>(&'a mut self, job: &'a Arc<Job>) -> Shift<'a> {
        Shift { crew: self, job, begun: false }
    }

    /// Waits until nobody works on a job that has been stopped, or for so long; whether nobody does.
    pub(super) fn settle(&self, job: &Arc<Job>, patience: Option<Duration>) -> bool {
        // Members let go of a job before they say so, and none takes it up when it has been stopped.
        let busy = |_: &mut State| Arc::strong_count(job) > 1;
        let state = self.desk.state();
        match patience {
            None => drop(self.desk.news.wait_while(state, busy)),
            Some(time) => drop(self.desk.news.wait_timeout_while(state, time, busy)),
        }
        Arc::strong_count(job) == 1
    }

    fn start(&mut self, members: usize) -> Result<(), EvalError> {
        while self.members < members {
            let (desk, member) = (Arc::clone(&self.desk), self.members);
            thread::Builder::new()
                .name(format!("search {member}"))
                .spawn(move || desk.serve(member))
                .map_err(|error| {
                    let advice = "fewer search.threads need less";
                    EvalError::Device(format!("no thread for the search: {error}; {advice}"))
                })?;
            self.members += 1;
        }
        Ok(())
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.desk.state().closed = true;
        self.desk.work.notify_all();
    }
}

/// The time in which the crew works on a job; it ends with it.
pub(super) struct Shift<'a> {
    crew: &'a mut Crew,
    job: &'a Arc<Job>,
    begun: bool,
}

impl Shift<'_> {
    /// Lets the members begin, if they have not.
    pub(super) fn begin(&mut self) -> Result<(), EvalError> {
        if self.begun || self.job.members() == 0 {
            return Ok(());
        }
        self.begun = true;
        self.crew.start(self.job.members())?;
        self.crew.roster.begin();
        self.call();
        let mut state = self.crew.desk.state();
        state.job = Some(Arc::clone(self.job));
        state.number += 1;
        state.news = false;
        drop(state);
        self.crew.desk.work.notify_all();
        Ok(())
    }

    /// Sees to it that no more members work than bring something; `now` is the time since the search began.
    pub(super) fn look(&mut self, now: Duration) {
        if self.job.members() > 1 {
            let Crew { desk, roster, .. } = &mut *self.crew;
            roster.look(now, || desk.processor_time());
            self.call();
        }
    }

    /// Tells the members which of them work: all, where the caller works with them and looks after nobody.
    fn call(&self) {
        if self.job.outside == 0 {
            let working = self.crew.roster.working(self.job.members());
            self.job.working.store(working, Ordering::Relaxed);
        }
    }

    /// Sleeps for so long, or until a member has finished.
    pub(super) fn wait(&self, time: Duration) {
        let Desk { news, .. } = &*self.crew.desk;
        let waited = news.wait_timeout_while(self.crew.desk.state(), time, |state| !state.news);
        waited.unwrap_or_else(PoisonError::into_inner).0.news = false;
    }
}

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        self.job.shared.stop.store(true, Ordering::Relaxed);
        if self.begun {
            self.crew.desk.state().job = None;
        }
    }
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// What all members have got of the processors; none where the system does not tell.
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

    /// What a member does with its life.
    fn serve(&self, member: usize) {
        let account = ThreadAccount::of_this_thread();
        self.state().accounts.extend(account);
        let mut done = 0;
        while let Some((number, job)) = self.next(done) {
            done = number;
            job.work(member);
            drop(job);
            self.state().news = true;
            self.news.notify_all();
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
