//! The end of a search that no batch can put off.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::timeman::StopReason;

/// Stops all threads of a search at its deadline, from a thread of its own: those in the middle of
/// a batch begin no other, also when the one that asks the rules is the slowest.
pub(super) struct Watchdog<'a> {
    stop: &'a AtomicBool,
    /// Whether the search has ended, and whether the deadline has come before.
    ended: Mutex<bool>,
    wake: Condvar,
    barked: AtomicBool,
}

impl<'a> Watchdog<'a> {
    pub(super) fn new(stop: &'a AtomicBool) -> Self {
        Self {
            stop,
            ended: Mutex::new(false),
            wake: Condvar::new(),
            barked: AtomicBool::new(false),
        }
    }

    /// Waits for the end of the search, or stops it after this time.
    pub(super) fn watch(&self, time: Duration) {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.wake.wait_timeout_while(ended, time, |ended| !*ended);
        let (ended, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if !*ended {
            // Ordering: whoever sees the second flag sees the first.
            self.barked.store(true, Ordering::Release);
            self.stop.store(true, Ordering::Release);
        }
    }

    /// Ends the watch when it is dropped.
    pub(super) fn guard(&self) -> Guard<'_, 'a> {
        Guard(self)
    }

    /// Why the threads were told to stop.
    pub(super) fn reason(&self) -> StopReason {
        if self.barked.load(Ordering::Acquire) {
            StopReason::Deadline
        } else {
            StopReason::Interrupted
        }
    }
}

pub(super) struct Guard<'d, 'a>(&'d Watchdog<'a>);

impl Drop for Guard<'_, '_> {
    fn drop(&mut self) {
        *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.wake.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stops_what_goes_on_and_leaves_what_has_ended() {
        let stop = AtomicBool::new(false);
        let dog = Watchdog::new(&stop);
        dog.watch(Duration::from_millis(1));
        assert!(stop.load(Ordering::Relaxed));
        assert_eq!(dog.reason(), StopReason::Deadline);
        let stop = AtomicBool::new(false);
        let dog = Watchdog::new(&stop);
        drop(dog.guard());
        dog.watch(Duration::from_secs(60));
        assert!(!stop.load(Ordering::Relaxed));
        assert_eq!(dog.reason(), StopReason::Interrupted);
    }
}
