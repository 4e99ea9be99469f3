//! Searches of many positions, side by side.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::params::UncertaintyParams;
use super::trace::Trace;
use crate::eval::{EvalError, Evaluation, Evaluator};
use crate::game::{Move, Position};
use crate::search::{Proof, SearchParams, Stepper};
use crate::timeman::StopReason;
use crate::util::Seed;

/// Who evaluates the positions of searches.
#[derive(Clone, Copy)]
pub struct Advisers<'a> {
    /// A network without a memory: each search has its own.
    pub net: &'a dyn Evaluator,
    /// Makes who is asked beside it, with the random numbers of one search, and which share he has.
    pub beside: Option<(&'a Making<'a>, f32)>,
}

/// Makes an evaluator whose random numbers start from a seed.
pub type Making<'a> = dyn Fn(Seed) -> Box<dyn Evaluator> + Sync + 'a;

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
        let mut running: Vec<Running> = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            while running.len() < params.together {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(position) = positions.get(index) else { break };
                running.push(Running::new(index, position, params, advisers));
            }
            for search in &mut running {
                search.go_on()?;
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

/// A search with what it knows.
struct Running {
    index: usize,
    stepper: Stepper,
    /// What the network has said, by position.
    remembered: HashMap<u64, Evaluation>,
    beside: Option<(Box<dyn Evaluator>, f32)>,
}

impl Running {
    fn new(
        index: usize,
        position: &Position,
        params: &UncertaintyParams,
        advisers: Advisers<'_>,
    ) -> Self {
        let seed = Seed::new(params.seed).fork("uncertainty searches", position.hash());
        Self {
            index,
            stepper: stepper(position, params),
            remembered: HashMap::new(),
            beside: advisers.beside.map(|(make, weight)| (make(seed), weight)),
        }
    }

    /// Goes on until there is a position that the network has to be asked about.
    fn go_on(&mut self) -> Result<(), EvalError> {
        while let Some(leaf) = self.stepper.leaf() {
            let Some(known) = self.remembered.get(&leaf.hash()) else { break };
            let known = known.clone();
            self.tell(known)?;
        }
        Ok(())
    }

    /// Takes what the network says of that position.
    fn answer(&mut self, said: Evaluation) -> Result<(), EvalError> {
        if let Some(leaf) = self.stepper.leaf() {
            self.remembered.insert(leaf.hash(), said.clone());
        }
        self.tell(said)
    }

    fn tell(&mut self, said: Evaluation) -> Result<(), EvalError> {
        let Some(leaf) = self.stepper.leaf() else { return Ok(()) };
        let answer = match &self.beside {
            Some((other, weight)) => said.mixed(&other.evaluate(&[leaf])?.swap_remove(0), *weight),
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
