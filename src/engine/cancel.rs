//! Telling a running search from outside to come to an end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::timeman::{Floor, SearchProgress, Stop, StopReason};

/// Hands out numbered tickets, and cancels all up to a number: the requests that were there when
/// somebody asked for an answer, but none that came after.
#[derive(Clone, Debug, Default)]
pub struct Tickets {
    signals: Arc<Signals>,
}

/// A request that can be cancelled while it is worked on.
#[derive(Clone, Debug)]
pub struct Ticket {
    number: u64,
    signals: Arc<Signals>,
}

// Ordering: these numbers are the only things that threads exchange here, so that relaxed accesses
// do; a search sees a cancellation at one of its next checks, which is all that is promised.
#[derive(Debug, Default)]
struct Signals {
    cancelled_below: AtomicU64,
    /// The number of the newest request, or of the one that an interruption was for.
    newest: AtomicU64,
}

impl Tickets {
    /// A ticket for the request with this number.
    #[must_use]
    pub fn ticket(&self, number: u64) -> Ticket {
        Ticket { number, signals: Arc::clone(&self.signals) }
    }

    /// Cancels all requests with numbers below this one.
    pub fn cancel_below(&self, number: u64) {
        self.signals.cancelled_below.fetch_max(number, Ordering::Relaxed);
    }

    /// Tells that a request with this number has come: it supersedes those before it.
    pub fn announce(&self, number: u64) {
        self.signals.newest.fetch_max(number, Ordering::Relaxed);
    }

    /// Cancels all requests, also those to come.
    pub fn cancel_all(&self) {
        self.cancel_below(u64::MAX);
    }
}

impl Ticket {
    /// A ticket that nobody can cancel.
    #[must_use]
    pub fn unlimited() -> Self {
        Tickets::default().ticket(0)
    }

    /// Whether the request was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.number < self.signals.cancelled_below.load(Ordering::Relaxed)
    }

    /// Whether the request was cancelled or another one has come after it: the end of what goes
    /// on until somebody wants something else.
    #[must_use]
    pub fn is_superseded(&self) -> bool {
        self.is_cancelled() || self.number < self.signals.newest.load(Ordering::Relaxed)
    }

    /// Ends a search when the request is cancelled: after the few simulations without which its move would be a
    /// random one; when everything comes to an end, at once.
    pub(super) fn cancelled_after(&self, floor: Floor) -> impl Stop + '_ {
        move |progress: &SearchProgress<'_>| {
            let limit = self.signals.cancelled_below.load(Ordering::Relaxed);
            let enough = floor.is_reached(progress) || limit == u64::MAX;
            (self.number < limit && enough).then_some(StopReason::Interrupted)
        }
    }

    /// Ends a search at once when another request comes.
    pub(super) fn superseded(&self) -> impl Stop + '_ {
        |_: &SearchProgress<'_>| self.is_superseded().then_some(StopReason::Interrupted)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_earlier_requests_are_cancelled() {
        let tickets = Tickets::default();
        let early = tickets.ticket(4);
        tickets.cancel_below(5);
        let late = tickets.ticket(5);
        assert!(early.is_cancelled() && !late.is_cancelled());
        tickets.cancel_below(2);
        assert!(early.is_cancelled());
        tickets.cancel_all();
        assert!(late.is_cancelled() && tickets.ticket(1_000_000).is_cancelled());
        assert!(!Ticket::unlimited().is_cancelled());
    }

    #[test]
    fn newer_requests_supersede() {
        let tickets = Tickets::default();
        tickets.announce(4);
        let ticket = tickets.ticket(4);
        assert!(!ticket.is_superseded());
        tickets.announce(5);
        assert!(ticket.is_superseded() && !ticket.is_cancelled());
        let ticket = tickets.ticket(5);
        let mut stop = ticket.superseded();
        assert_eq!(stop.should_stop(&SearchProgress::default()), None);
        tickets.cancel_all();
        let now = stop.should_stop(&SearchProgress::default());
        assert_eq!(now, Some(StopReason::Interrupted));
    }

    #[test]
    fn an_interrupted_search_thinks_a_little_and_a_closing_one_does_not() {
        let tickets = Tickets::default();
        let ticket = tickets.ticket(0);
        let mut stop = ticket.cancelled_after(Floor { simulations: 50, time: Duration::MAX });
        let mut after = |simulations| {
            stop.should_stop(&SearchProgress { simulations, ..SearchProgress::default() })
        };
        assert_eq!(after(1_000_000), None);
        tickets.cancel_below(1);
        assert_eq!(after(49), None);
        assert_eq!(after(50), Some(StopReason::Interrupted));
        tickets.cancel_all();
        assert_eq!(after(0), Some(StopReason::Interrupted));
    }
}
