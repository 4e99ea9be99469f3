//! Searches of many positions, side by side.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::params::UncertaintyParams;
use super::trace::Trace;
use crate::eval::{EvalError, Evaluation, Evaluator, share_in};
use crate::game::{Move, Position};
use crate::search::{Proof, SearchParams, Stepper};
use crate::timeman::StopReason;
use crate::util::Seed;

/// Who evaluates the positions of searches.
#[derive(Clone, Copy)]
pub struct Advisers<'a> {
    /// The network.
    pub net: &'a dyn Evaluator,
    /// Who is asked beside it, by each search apart, and which share his answer has.
    pub beside: Option<(&'a dyn Evaluator, f32)>,
}

/// Searches positions as an engine does with one thread and a new tree, without noise, and gives the
/// trace of each; none for a position without a choice, or whose result is proven at once. Each thread searches several positions in step, so that their leaves are
/// evaluated together; none knows anything of the others. When `stop` is set, the rest is left out: the answer is none then.
pub fn research(
    advisers: Advisers<'_>,
    positions: &[Position],
    params: &UncertaintyParams,
    stop: &AtomicBool,
    done: &(dyn Fn() + Sync),
) -> Result<Option<Vec<Option<Trace>>>, EvalError> {
    let found = Mutex::new(vec![None; positions.len()]);
    let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || -> Result<(), EvalError> {
        let mut running: Vec<Running<'_>> = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            while running.len() < params.together {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(position) = positions.get(index) else { break };
                running.push(Running::new(index, position, params, advisers));
            }
            running.retain(|Running { index, stepper, .. }| {
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
            let answers = advisers.net.evaluate(&leaves)?;
            for (search, answer) in running.iter_mut().zip(answers) {
                search.answer(answer)?;
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        for _ in 0..params.thread_count() {
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

/// A search under way.
struct Running<'a> {
    index: usize,
    stepper: Stepper,
    beside: Option<(&'a dyn Evaluator, f32)>,
    /// Who is asked beside the network for this search alone.
    apart: Option<Box<dyn Evaluator>>,
}

impl<'a> Running<'a> {
    fn new(
        index: usize,
        position: &Position,
        params: &UncertaintyParams,
        Advisers { beside, .. }: Advisers<'a>,
    ) -> Self {
        let seed = Seed::new(params.seed).fork("uncertainty searches", position.hash());
        let apart = beside.and_then(|(other, _)| other.apart(position, seed));
        let beside = beside.map(|(shared, weight)| {
            (shared, share_in(position, apart.as_deref().unwrap_or(shared), weight))
        });
        Self { index, stepper: stepper(position, params), beside, apart }
    }

    /// Takes what the network says of the position that the search wants to know about.
    fn answer(&mut self, said: Evaluation) -> Result<(), EvalError> {
        let Some(leaf) = self.stepper.leaf() else { return Ok(()) };
        let answer = match self.beside {
            Some((shared, weight)) => {
                let other = self.apart.as_deref().unwrap_or(shared);
                said.mixed(&other.evaluate(&[leaf])?.swap_remove(0), weight)
            }
            None => said,
        };
        self.stepper.answer(&answer);
        Ok(())
    }
}

fn stepper(position: &Position, params: &UncertaintyParams) -> Stepper {
    let search = SearchParams {
        threads: 1,
        batch: 1,
        max_simulations: params.simulations as u64,
        trace: params.simulations,
        ..SearchParams::default()
    };
    // Without noise there is nothing random in it.
    Stepper::new(position.clone(), search, Seed::new(0).rng())
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
