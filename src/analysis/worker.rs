//! The search of one position.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use super::query::{Query, Reports};
use super::queue::Task;
use super::service::Listener;
use crate::eval::{EvalError, Evaluator, Look, Opinion, Policy, Value, symmetry_of};
use crate::game::Position;
use crate::search::{Proof, Request, Search, SearchReport};
use crate::timeman::{SearchProgress, StopReason};
use crate::util::{Seed, panic_text};

/// What a search has found of a position.
pub struct Found<'a> {
    /// The position.
    pub position: &'a Position,
    /// What the evaluator says of it before any search.
    pub opinion: &'a Opinion,
    /// What the search says of it.
    pub report: &'a SearchReport,
}

/// What became of a position of a query. All but a partial answer are final, and each position has one of those.
pub enum Outcome<'a> {
    /// The search goes on.
    Partial(&'a Found<'a>),
    /// The search has ended.
    Final(&'a Found<'a>),
    /// It was terminated before its search began.
    Terminated,
    /// It could not be searched.
    Failed(&'a EvalError),
}

/// Searches positions one after the other.
pub(super) struct Worker<'a> {
    pub(super) evaluator: &'a Arc<dyn Evaluator>,
    /// The time since some moment.
    pub(super) now: &'a (dyn Fn() -> Duration + Send + Sync),
}

impl Worker<'_> {
    /// Searches a position and tells what was found.
    pub(super) fn answer(&self, task: &Task) {
        let submitted = &task.submitted;
        let tell = |outcome: Outcome<'_>| {
            submitted.listener.hear(&submitted.query, task.turn, outcome);
        };
        let searched = catch_unwind(AssertUnwindSafe(|| self.search(task)));
        let searched = searched.unwrap_or_else(|panic| {
            Err(EvalError::Device(format!("the search panicked: {}", panic_text(&*panic))))
        });
        match searched {
            Ok((position, opinion, report)) => {
                let (position, opinion, report) = (&position, &opinion, &report);
                tell(Outcome::Final(&Found { position, opinion, report }));
            }
            Err(error) => tell(Outcome::Failed(&error)),
        }
    }

    fn search(&self, task: &Task) -> Result<(Position, Opinion, SearchReport), EvalError> {
        let query = &task.submitted.query;
        let position = query.position(task.turn).map_err(|(number, reason)| {
            EvalError::Device(format!("move {number} of the query is illegal: {reason}"))
        })?;
        let started = (self.now)();
        let elapsed = || (self.now)().saturating_sub(started);
        let seed = Seed::new(query.search.seed);
        let apart = self.evaluator.apart(&position, seed).map(Arc::<dyn Evaluator>::from);
        let evaluator = apart.unwrap_or_else(|| Arc::clone(self.evaluator));
        // As the search will be told.
        let look = Look { symmetry: symmetry_of(&position), optimism: 0.0 };
        let mut opinion = evaluator.look(&position, look)?;
        if opinion.evaluation.policy == Policy::OnDemand {
            opinion.evaluation.policy = evaluator.policy(&position);
        }
        let mut stop = |progress: &SearchProgress<'_>| {
            let late = query.time.is_some_and(|time| progress.elapsed >= time);
            let over = if task.is_stopped() { Some(StopReason::Interrupted) } else { None };
            over.or(late.then_some(StopReason::Time))
        };
        let mut due = query.reports.map(|reports| reports.first);
        let mut observer = |progress: &SearchProgress<'_>, report: &dyn Fn() -> SearchReport| {
            if due.is_some_and(|due| progress.elapsed >= due) {
                due = next_report(query.reports, progress.elapsed);
                let found = Found { position: &position, opinion: &opinion, report: &report() };
                task.submitted.listener.hear(query, task.turn, Outcome::Partial(&found));
            }
        };
        let request = Request {
            simulations: Some(query.visits),
            limits: query.limits.iter().cloned().collect(),
            owner_spreads: query.owners.spread(),
            also_one_move: true,
            observer: query.reports.is_some().then_some(&mut observer as _),
            ..Request::new(&mut stop, &elapsed)
        };
        // A tree of its own: what is found of a position depends on nothing that was asked before.
        let mut search = Search::new(evaluator, query.search.clone(), seed);
        let mut report = search.run(&position, request)?;
        if position.is_over() {
            // NoGo: whoever cannot move has lost, whatever an evaluator says.
            (report.value, report.proven) = (Value::LOSS, Some(Proof::Loss));
        }
        Ok((position, opinion, report))
    }
}

fn next_report(reports: Option<Reports>, now: Duration) -> Option<Duration> {
    reports.and_then(|reports| reports.every).and_then(|every| now.checked_add(every))
}

impl<F: Fn(&Query, usize, Outcome<'_>) + Send + Sync> Listener for F {
    fn hear(&self, query: &Query, turn: usize, outcome: Outcome<'_>) {
        self(query, turn, outcome);
    }
}
