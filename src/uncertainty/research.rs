//! Searches of many positions, side by side.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::params::UncertaintyParams;
use super::trace::Trace;
use crate::eval::{EvalError, Evaluator};
use crate::game::{Move, Position};
use crate::search::{Proof, SearchParams, Stepper};
use crate::timeman::StopReason;
use crate::util::Seed;

/// Searches of positions as an engine does them with one thread and a new tree, without noise.
#[derive(Clone, Copy)]
pub struct Research<'a> {
    /// Who evaluates.
    pub net: &'a dyn Evaluator,
    /// How many simulations, and how many searches and threads at a time.
    pub params: &'a UncertaintyParams,
    /// How moves are searched, as far as `params` does not say.
    pub search: &'a SearchParams,
}

impl Research<'_> {
    /// Searches positions and gives the trace of each; none for a position without a choice, or whose result is
    /// proven at once. Each thread searches several positions in step, so that their leaves are evaluated together;
    /// none knows anything of the others. When `stop` is set, the rest is left out: the answer is none then.
    pub fn run(
        &self,
        positions: &[Position],
        stop: &AtomicBool,
        done: &(dyn Fn() + Sync),
    ) -> Result<Option<Vec<Option<Trace>>>, EvalError> {
        let found = Mutex::new(vec![None; positions.len()]);
        let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let work = || -> Result<(), EvalError> {
            let mut running: Vec<Running> = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                while running.len() < self.params.together {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(position) = positions.get(index) else { break };
                    running.push(Running { index, stepper: self.stepper(position) });
                }
                running.retain(|Running { index, stepper }| {
                    let over = stepper.leaf().is_none();
                    if over {
                        let trace = trace(&positions[*index], stepper);
                        found.lock().unwrap_or_else(PoisonError::into_inner)[*index] = trace;
                        done();
                    }
                    !over
                });
                let leaves: Vec<&Position> =
                    running.iter().filter_map(|search| search.stepper.leaf()).collect();
                if leaves.is_empty() {
                    if next.load(Ordering::Relaxed) >= positions.len() {
                        break;
                    }
                    continue;
                }
                let answers = self.net.evaluate(&leaves)?;
                for (search, answer) in running.iter_mut().zip(&answers) {
                    search.stepper.answer(answer);
                }
            }
            Ok(())
        };
        thread::scope(|scope| {
            for _ in 0..self.params.thread_count() {
                scope.spawn(|| {
                    if let Err(error) = work() {
                        stop.store(true, Ordering::Relaxed);
                        *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    }
                });
            }
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((!stop.load(Ordering::Relaxed)).then_some(found))
    }

    fn stepper(&self, position: &Position) -> Stepper {
        let search = SearchParams {
            threads: 1,
            batch: 1,
            max_simulations: self.params.simulations as u64,
            trace: self.params.simulations,
            noise: 0.0,
            ..self.search.clone()
        };
        // Without noise there is nothing random in it.
        Stepper::new(position.clone(), search, Seed::new(0).rng())
    }
}

/// A search under way.
struct Running {
    index: usize,
    stepper: Stepper,
}

fn trace(position: &Position, stepper: &Stepper) -> Option<Trace> {
    let report = stepper.report();
    let searched = matches!(report.reason, Some(StopReason::Simulations | StopReason::Proven));
    let trace = Trace::new(position.size(), &stepper.tallies(), &stepper.trace())?;
    let wins = |mv: Move| {
        let found = report.moves.iter().find(|found| found.mv == mv)?;
        match found.proven? {
            Proof::Win => Some(true),
            Proof::Loss => Some(false),
            // Neither ends the search nor is avoided where nothing better is there.
            Proof::Draw => None,
        }
    };
    (searched && !trace.steps.is_empty()).then(|| trace.with_proofs(wins))
}

#[cfg(test)]
mod tests;
