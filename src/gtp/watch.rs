//! Looking at a search while it runs.

use std::time::Duration;

use super::graphics::LiveGraphics;
use crate::engine::{Ticket, Tickets};
use crate::search::{Observer, SearchReport};
use crate::timeman::SearchProgress;

/// Reports are never made more often than this.
const SHORTEST: Duration = Duration::from_millis(10);

/// Says when it is time for another report.
#[derive(Clone, Copy, Debug)]
struct Pace {
    every: Duration,
    next: Duration,
}

impl Pace {
    fn new(every: Duration) -> Self {
        let every = every.max(SHORTEST);
        Self { every, next: every }
    }

    /// Whether it is time, at this time since the start.
    fn is_due(&mut self, elapsed: Duration) -> bool {
        let due = elapsed >= self.next;
        if due {
            self.next = elapsed + self.every;
        }
        due
    }
}

type Tell<'a> = Box<dyn FnMut(&SearchReport) + 'a>;

/// Passes on what a search has found, every now and then.
#[derive(Default)]
pub(super) struct Watch<'a> {
    reports: Option<(Pace, Tell<'a>)>,
    graphics: Option<(Pace, &'a mut LiveGraphics)>,
    end: Option<(Ticket, Tickets)>,
}

impl<'a> Watch<'a> {
    /// Calls `tell` in these intervals.
    pub(super) fn report(self, every: Duration, tell: impl FnMut(&SearchReport) + 'a) -> Self {
        Self { reports: Some((Pace::new(every), Box::new(tell))), ..self }
    }

    /// Draws, if there is something to draw on.
    pub(super) fn draw(self, graphics: Option<&'a mut LiveGraphics>) -> Self {
        Self { graphics: graphics.map(|g| (Pace::new(LiveGraphics::INTERVAL), g)), ..self }
    }

    /// Cancels all of `tickets` as soon as `ticket` is superseded: a search that has one of them
    /// ends then, though it would not end by itself.
    pub(super) fn end_with(self, ticket: &Ticket, tickets: &Tickets) -> Self {
        Self { end: Some((ticket.clone(), tickets.clone())), ..self }
    }
}

impl Observer for Watch<'_> {
    fn look(&mut self, progress: &SearchProgress<'_>, report: &dyn Fn() -> SearchReport) {
        if let Some((ticket, tickets)) = &self.end
            && ticket.is_superseded()
        {
            tickets.cancel_all();
        }
        if let Some((pace, tell)) = &mut self.reports
            && pace.is_due(progress.elapsed)
        {
            tell(&report());
        }
        if let Some((pace, graphics)) = &mut self.graphics
            && pace.is_due(progress.elapsed)
        {
            graphics.show(&report());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_has_a_limit() {
        let ms = Duration::from_millis;
        let count = |every, times: &[u64]| {
            let mut pace = Pace::new(every);
            times.iter().filter(|&&time| pace.is_due(ms(time))).count()
        };
        let every_ms: Vec<u64> = (1..=100).collect();
        assert_eq!(count(Duration::ZERO, &every_ms), 10);
        assert_eq!(count(ms(30), &every_ms), 3);
        assert_eq!(count(ms(101), &every_ms), 0);
        // After a long silence there is one report, not many.
        assert_eq!(count(ms(10), &[500, 501, 502, 511]), 2);
    }
}
