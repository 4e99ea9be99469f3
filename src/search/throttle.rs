//! How many threads of a search work, and when all but one rest because they bring nothing.
//!
//! Some systems share the processors between programs and not between threads. On a busy machine they give two
//! threads of one program no more than one. Then one thread alone searches as fast, and sees all results so far.

use std::time::Duration;

use crate::util::ProcessorTime;

/// How long threads are watched before something is made of it.
const WINDOW: Duration = Duration::from_millis(100);

/// The share of their time that threads must have waited for a processor before fewer are tried.
const SCARCE: f64 = 0.2;

/// One thread is enough if it gets this share of what all have got.
const ENOUGH: f64 = 0.95;

/// Windows from one trial to the next.
const BETWEEN_TRIALS: u32 = 20;

/// Decides who works.
#[derive(Debug, Default)]
pub(super) struct Throttle {
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

impl Throttle {
    /// A new search begins. Short ones have no window of their own: what was found before holds for ever fewer
    /// searches, and trials are not compared across them.
    pub(super) fn begin(&mut self) {
        self.begin = None;
        self.state = match self.state {
            State::Trial(_) | State::One(0) => State::Watched,
            State::One(left) => State::One(left - 1),
            state => state,
        };
    }

    /// Threads that work, of so many.
    pub(super) fn working(&self, all: usize) -> usize {
        match self.state {
            State::Watched | State::All(_) => all,
            State::Trial(_) | State::One(_) => 1,
        }
    }

    /// Looks at what so many threads have got so far, now and then; `now` is the time since the search began.
    pub(super) fn look(
        &mut self,
        now: Duration,
        threads: usize,
        got: impl FnOnce() -> Option<ProcessorTime>,
    ) {
        if self.begin.is_some_and(|(begin, _)| now < begin + WINDOW) {
            return;
        }
        let Some(got) = got() else { return };
        if let Some((begin, before)) = self.begin.replace((now, got)) {
            let window = now.saturating_sub(begin).as_secs_f64();
            let used = got.used.saturating_sub(before.used).as_secs_f64();
            let waited = got.waited.saturating_sub(before.waited).as_secs_f64();
            let working = self.working(threads) as f64;
            self.state = self.state.after(used / window, waited / (window * working));
        }
    }
}

impl State {
    /// What comes after a window in which the threads got so many processors and waited for them for this share
    /// of it.
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
        let mut throttle = Throttle::default();
        let mut sum = ProcessorTime::default();
        let mut all = 0;
        for number in 0..=windows {
            throttle.look(number * WINDOW, 2, || Some(sum));
            let working = throttle.working(2);
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
    fn threads_that_wait_for_a_device_are_not_taken_for_those_that_wait_for_a_processor() {
        assert_eq!(watch(100, |_| (0.01, 0.005)), 101);
    }

    #[test]
    fn short_searches_come_back_to_all_threads() {
        let mut throttle = Throttle { state: State::One(3), begin: None };
        for _ in 0..3 {
            throttle.begin();
            assert_eq!(throttle.working(2), 1);
        }
        throttle.begin();
        assert_eq!(throttle.working(2), 2);
    }

    #[test]
    fn nothing_is_decided_where_the_system_tells_nothing_or_too_soon() {
        let mut throttle = Throttle::default();
        throttle.look(Duration::ZERO, 8, || None);
        throttle.look(WINDOW, 8, || Some(ProcessorTime::default()));
        throttle.look(WINDOW * 3 / 2, 8, || panic!("too soon"));
        assert_eq!((throttle.working(8), throttle.state), (8, State::Watched));
    }
}
