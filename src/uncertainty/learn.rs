//! Training of State-UN and MCTS-UN.

use rand::{Rng as _, RngExt as _};

use super::data::{Shown, State, input};
use super::features::CHANNELS;
use super::params::UncertaintyParams;
use crate::game::Symmetry;
use crate::nn::features::PLANES;
use crate::nn::{NetShape, Tensors, random_weights};
use crate::train::{Batch, Learner, Learnt, Lesson, TrainError, TrainParams};
use crate::util::Seed;

/// What a network is to foresee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task<'a> {
    /// State-UN: `U(s, 1)`, or the regret, from the position alone.
    AtOnce,
    /// MCTS-UN: `U(s, n)`, or the regret, from the position and the search after so many simulations,
    /// one of these as often as another.
    After(&'a [usize]),
}

/// A training of one network.
pub struct Course<'a> {
    /// The positions to learn from.
    pub states: Vec<&'a State>,
    /// What to learn.
    pub task: Task<'a>,
    /// How much of the network learns.
    pub lesson: Lesson,
    /// The parameters.
    pub params: &'a UncertaintyParams,
}

/// The states whose search goes on after so many simulations: all, those that are uncertain then, and
/// the others.
struct Drawn<'a> {
    simulations: usize,
    all: Vec<&'a State>,
    hard: Vec<&'a State>,
    easy: Vec<&'a State>,
}

impl Task<'_> {
    /// Simulations after which the network is asked.
    #[must_use]
    pub const fn simulations(&self) -> &[usize] {
        match self {
            Self::AtOnce => &[1],
            Self::After(list) => list,
        }
    }

    const fn extra_planes(self) -> usize {
        match self {
            Self::AtOnce => 0,
            Self::After(_) => CHANNELS,
        }
    }
}

/// The weights of a network for positions as those of one for a task. What it makes of the planes of
/// the search is random at first, as in a new network.
#[must_use]
pub fn adapted(
    shape: &NetShape,
    weights: &Tensors,
    task: Task<'_>,
    seed: Seed,
) -> (NetShape, Tensors) {
    const STEM: &str = "stem.conv.weight";
    let wider = NetShape { extra_planes: task.extra_planes(), ..*shape };
    let (from, to, kept) = (9 * shape.planes(), 9 * wider.planes(), 9 * PLANES);
    let mut adapted = weights.clone();
    let mut stem = random_weights(&wider, seed).remove(STEM).unwrap_or_default();
    if let Some(old) = adapted.get_mut(STEM) {
        for (row, to) in old.chunks_exact(from).zip(stem.chunks_exact_mut(to)) {
            to[..kept].copy_from_slice(&row[..kept]);
        }
        *old = stem;
    }
    (wider, adapted)
}

impl Course<'_> {
    /// Trains a network from the given weights, and tells the mean loss now and then.
    pub fn train(
        &self,
        shape: NetShape,
        start: &Tensors,
        mut progress: impl FnMut(u64, f64),
    ) -> Result<Tensors, TrainError> {
        if self.task.simulations().is_empty() {
            return Err(TrainError::NoData);
        }
        let params = self.params;
        let optimizer = TrainParams {
            steps: params.steps,
            batch: params.batch,
            learning_rate: params.learning_rate,
            weight_decay: params.weight_decay,
            warmup: params.steps / 20,
            average: 0.98,
            threads: params.threads,
            ..TrainParams::default()
        };
        let mut learner = Learner::new(shape, start, optimizer, params.auxiliary, self.lesson)?;
        let drawn: Vec<Drawn<'_>> =
            self.task.simulations().iter().map(|&n| self.drawn(n)).collect();
        if drawn.iter().any(|drawn| drawn.all.is_empty()) {
            return Err(TrainError::NoData);
        }
        while learner.steps() < params.steps {
            let batch = self.batch(learner.steps(), &drawn);
            let loss = learner.step(&batch)?;
            progress(learner.steps(), loss);
        }
        Ok(learner.weights())
    }

    fn drawn(&self, simulations: usize) -> Drawn<'_> {
        let truth = |state: &&State| state.labels.is_uncertain(simulations, self.params.epsilon);
        let all = self.states.iter().copied().filter(|state| state.goes_on(simulations));
        let all: Vec<&State> = all.collect();
        let (hard, easy) = all.iter().copied().partition(truth);
        Drawn { simulations, all, hard, easy }
    }

    /// The batch of a step. The hard ones are drawn more often than they are for MCTS-UN, and each
    /// position is turned and stripped of a part of its features by chance.
    fn batch(&self, step: u64, drawn: &[Drawn<'_>]) -> Batch {
        let mut rng = Seed::new(self.params.seed).fork("uncertainty step", step).rng();
        let oversamples = matches!(self.task, Task::After(_)) && self.params.hard_share > 0.0;
        let size = self.states[0].position.size();
        let mut batch = Batch::empty(size, PLANES + self.task.extra_planes());
        for _ in 0..self.params.batch {
            // One number alone is drawn without a draw.
            let Drawn { simulations, all, hard, easy } = match drawn {
                [only] => only,
                several => &several[rng.random_range(0..several.len())],
            };
            let chosen: f64 = rng.random();
            let among = match () {
                () if !oversamples => all,
                () if easy.is_empty() || (!hard.is_empty() && chosen < self.params.hard_share) => {
                    hard
                }
                () => easy,
            };
            let state = among[rng.random_range(0..among.len())];
            let symmetries = Symmetry::for_size(size);
            let symmetry = symmetries[rng.next_u32() as usize % symmetries.len()];
            let shown = match rng.random::<f64>() {
                drawn if drawn < self.params.both_share => Shown::Both,
                drawn if drawn < f64::midpoint(1.0, self.params.both_share) => Shown::Position,
                _ => Shown::Search,
            };
            self.push(&mut batch, (state, *simulations), symmetry, shown);
        }
        batch
    }

    fn push(
        &self,
        batch: &mut Batch,
        (state, n): (&State, usize),
        symmetry: Symmetry,
        shown: Shown,
    ) {
        let truth = if self.params.foresees_regret() {
            state.labels.loss(n, self.params.most_regret)
        } else {
            f64::from(u8::from(state.labels.is_uncertain(n, self.params.epsilon)))
        };
        let (planes, globals) = match self.task {
            Task::AtOnce => input(&state.position, symmetry, None, Shown::Both),
            Task::After(_) => input(&state.position, symmetry, Some(&state.features(n)), shown),
        };
        let learnt = Learnt {
            planes: &planes,
            globals: &globals,
            policy: &state.trace.policy(),
            result: state.result,
            #[expect(clippy::cast_possible_truncation, reason = "a share needs no more digits")]
            uncertainty: truth as f32,
        };
        batch.push(&state.position, symmetry, learnt);
    }
}

/// The states that MCTS-UN is trained on: without those that State-UN finds certain at once, where
/// it is right. Also tells how many of the certain ones are left out, as a share.
#[must_use]
pub fn pruned<'a>(
    states: &'a [State],
    at_once: &[f64],
    params: &UncertaintyParams,
) -> (Vec<&'a State>, f64) {
    let easy = |state: &State| !state.labels.is_uncertain(1, params.epsilon);
    let certain = states.iter().filter(|state| easy(state)).count();
    let kept: Vec<&State> = states
        .iter()
        .zip(at_once)
        .filter(|(state, u)| !(easy(state) && **u < params.prune))
        .map(|(state, _)| state)
        .collect();
    let share = (states.len() - kept.len()) as f64 / certain.max(1) as f64;
    (kept, share)
}

#[cfg(test)]
mod tests;
