//! Which threads of a crew work, and which rest because they bring nothing.
//!
//! Where other programs want the processors too, systems that share them between programs and not between
//! threads give two threads of a search no more than one. One alone then finds as much and knows all of
//! it, and often gets more, for it can have a processor of its own.

use std::time::Duration;

use crate::util::ProcessorTime;

/// How long threads are watched before something is made of it.
const WINDOW: Duration = Duration::from_millis(100);

/// The share of its time that a thread must have waited for a processor before fewer threads are tried.
const SCARCE: f64 = 0.2;

/// One thread is enough if it gets this share of what all have got.
const ENOUGH: f64 = 0.95;

/// Windows from one trial to the next.
const BETWEEN_TRIALS: u32 = 20;

/// Decides who works.
#[derive(Debug, Default)]
pub(super) struct Roster {
    state: State,
    /// When the window began that is not over yet, and what the threads had got by then.
    begin: Option<(Duration, ProcessorTime)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    /// All work.
    #[default]
    Watched,
    /// All work, and for so many windows one alone is not tried again.
    All(u32),
    /// One alone is tried; all together got this share of a processor.
    Trial(f64),
    /// One alone works, for so many windows.
    One(u32),
}

impl Roster {
    /// A new search begins.
    pub(super) fn begin(&mut self) {
        self.begin = None;
    }

    /// Threads that work, of so many.
    pub(super) fn working(&self, all: usize) -> usize {
        match self.state {
            State::Watched | State::All(_) => all,
            State::Trial(_) | State::One(_) => 1,
        }
    }

    /// Looks at what the threads have got so far, now and then; `now` is the time since the search began.
    pub(super) fn look(&mut self, now: Duration, got: impl FnOnce() -> Option<ProcessorTime>) {
        if self.begin.is_some_and(|(begin, _)| now < begin + WINDOW) {
            return;
        }
        let Some(got) = got() else { return };
        if let Some((begin, before)) = self.begin.replace((now, got)) {
            let window = now.saturating_sub(begin).as_secs_f64();
            let used = got.used.saturating_sub(before.used).as_secs_f64();
            let waited = got.waited.saturating_sub(before.waited).as_secs_f64();
            self.state = self.state.after(used / window, waited / (used + waited).max(1e-9));
        }
    }
}

impl State {
    /// What comes after a window in which the threads got so many processors and waited for this share of
    /// the time that they could have used.
    fn after(self, got: f64, waited: f64) -> Self {
        match self {
            State::Watched | State::All(0) if waited > SCARCE => State::Trial(got),
            // After one alone, all work for a window and are compared with it again.
            State::Watched | State::All(0) | State::One(0) => State::Watched,
            State::All(left) => State::All(left - 1),
            State::Trial(by_all) if got >= ENOUGH * by_all => State::One(BETWEEN_TRIALS),
            State::Trial(_) => State::All(BETWEEN_TRIALS),
            State::One(left) => State::One(left - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets windows go by in which the threads get what `gets` says of their number; how often all worked.
    fn watch(windows: u32, gets: impl Fn(usize) -> (f64, f64)) -> u32 {
        let mut roster = Roster::default();
        let mut sum = ProcessorTime::default();
        let mut all = 0;
        for number in 0..=windows {
            roster.look(number * WINDOW, || Some(sum));
            let working = roster.working(2);
            all += u32::from(working == 2);
            let (used, waited) = gets(working);
            sum.used += WINDOW.mul_f64(used);
            sum.waited += WINDOW.mul_f64(waited);
        }
        all
    }

    #[test]
    fn all_threads_work_where_the_processors_are_free() {
        assert_eq!(watch(100, |working| (working as f64, 0.01)), 101);
    }

    #[test]
    fn two_threads_that_get_no_more_than_one_are_one() {
        // As it was measured: 0.66 of a processor for one thread and for two.
        let all = watch(200, |working| (0.66, working as f64 - 0.66));
        assert!(all < 20, "{all} windows of 201");
        let all = watch(200, |working| if working == 2 { (0.7, 1.3) } else { (1.0, 0.0) });
        assert!(all < 20, "{all} windows of 201");
    }

    #[test]
    fn threads_that_wait_and_yet_bring_something_go_on() {
        let all = watch(200, |working| (0.5 * working as f64, 0.5 * working as f64));
        assert!(all > 180, "{all} windows of 201");
    }

    #[test]
    fn nothing_is_decided_where_the_system_tells_nothing_or_too_soon() {
        let mut roster = Roster::default();
        roster.look(Duration::ZERO, || None);
        roster.look(WINDOW, || Some(ProcessorTime::default()));
        roster.look(WINDOW * 3 / 2, || panic!("too soon"));
        assert_eq!((roster.working(8), roster.state), (8, State::Watched));
    }
}
