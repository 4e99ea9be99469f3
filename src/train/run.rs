//! A training from its start, or from where it was left, to its end.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::TrainError;
use super::batch::Batch;
use super::graph::{Graph, tensors};
use super::loss::Losses;
use super::optimizer::{Advance, Place, layout};
use super::params::TrainParams;
use super::report::Log;
use super::state::State;
use super::validate::{Validation, Verdict};
use crate::nn::features::FEATURES_VERSION;
use crate::nn::{MANIFEST_FORMAT, Manifest, NetFile, NetShape, Tensors};
use crate::record::{ShardError, Window};

/// Steps in a row whose gradient is not finite before the training gives up.
const MAX_BAD_STEPS: u32 = 10;

/// What is to be trained on what.
pub struct Job<'a> {
    /// How.
    pub params: TrainParams,
    /// Where everything is written to, an existing folder.
    pub folder: PathBuf,
    /// The name of the network.
    pub name: String,
    /// Its shape.
    pub shape: NetShape,
    /// Weights to start from.
    pub start: Tensors,
    /// Where those come from, in words.
    pub origin: String,
    /// The games.
    pub data: &'a Window,
    /// Games that are not trained on; may be empty.
    pub held_out: &'a Window,
    /// Asked now and then for the games with those that have come since; none of a folder that stays as it is.
    pub newer: Option<&'a Newer<'a>>,
}

/// Tells what has become of the games, if more have come.
pub type Newer<'a> = dyn Fn(&Window) -> Result<Option<Window>, ShardError> + Sync + 'a;

/// Steps between two questions for newer games.
const NEWER_EVERY: u64 = 200;

/// What a training has from its caller.
pub struct Control<'a> {
    /// The time since some start.
    pub clock: &'a dyn Fn() -> Duration,
    /// Becomes true when the training is to end early.
    pub stop: &'a AtomicBool,
    /// Time after which it ends early.
    pub limit: Option<Duration>,
    /// Is told how it goes.
    pub observe: &'a mut dyn FnMut(&Event<'_>),
}

/// What happens in a training.
pub enum Event<'a> {
    /// It begins, or goes on after so many steps.
    Start {
        /// Steps done before.
        step: u64,
    },
    /// Some steps were done.
    Progress {
        /// Steps done in all.
        step: u64,
        /// Positions for each second since the last time.
        speed: f64,
        /// Mean losses since the last time.
        losses: &'a Losses,
    },
    /// The network was validated and exported.
    Validation {
        /// Steps done in all.
        step: u64,
        /// What was found; none without held-out games.
        verdict: Option<&'a Verdict>,
        /// The file of the network.
        file: &'a Path,
    },
}

/// How a training ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Steps done in all.
    pub step: u64,
    /// Positions trained on in all.
    pub samples: u64,
    /// Positions for each second of this time.
    pub speed: f64,
    /// Whether all steps are done.
    pub finished: bool,
    /// The network.
    pub file: PathBuf,
}

/// The file of the checkpoint in the folder of a training.
pub const CHECKPOINT: &str = "checkpoint.safetensors";

/// Trains until all steps are done, the time is over or the caller wants to stop. A training that
/// was left goes on from its checkpoint.
pub fn train(job: &Job<'_>, control: &mut Control<'_>) -> Result<Summary, TrainError> {
    if job.data.is_empty() {
        return Err(TrainError::NoData);
    }
    let checkpoint = job.folder.join(CHECKPOINT);
    let state = if checkpoint.exists() {
        let state = State::load(&checkpoint)?;
        if state.shape != job.shape {
            return Err(TrainError::OtherShape {
                path: checkpoint,
                found: Box::new(state.shape),
                wanted: Box::new(job.shape),
            });
        }
        state
    } else {
        State::new(job.shape, &job.start)?
    };
    (control.observe)(&Event::Start { step: state.step });
    let training = Training::new(job, state, control.limit.map(|limit| (control.clock)() + limit))?;
    let stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, batches) = sync_channel(2);
        let first = training.state.step;
        let stopped = &stopped;
        scope.spawn(move || {
            let mut grown = None;
            for step in first..job.params.steps {
                let asked = step > first && step.is_multiple_of(NEWER_EVERY);
                let newer = job.newer.filter(|_| asked);
                let data = grown.as_ref().unwrap_or(job.data);
                let batch = match newer.map_or(Ok(None), |newer| newer(data)) {
                    Err(error) => Err(error.into()),
                    Ok(newer) => {
                        grown = newer.or(grown);
                        let data = grown.as_ref().unwrap_or(job.data);
                        Batch::of_step(data, &job.params, step)
                    }
                };
                let failed = batch.is_err();
                // Nobody receives any more when the training has ended early.
                if sender.send(batch).is_err() || failed || stopped.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let summary = training.run(batches, control);
        stopped.store(true, Ordering::Relaxed);
        summary
    })
}

/// A training under way.
struct Training<'a> {
    job: &'a Job<'a>,
    state: State,
    graph: Graph,
    layout: Vec<Place>,
    validation: Validation,
    log: Log,
    deadline: Option<Duration>,
    settings: String,
    /// Since the last line of the log.
    recent: Recent,
    verdict: Option<Verdict>,
}

/// What has happened since the last line of the log.
#[derive(Default)]
struct Recent {
    losses: Losses,
    norms: f64,
    clipped: u64,
    steps: u64,
    since: Duration,
}

impl<'a> Training<'a> {
    fn new(job: &'a Job<'a>, state: State, deadline: Option<Duration>) -> Result<Self, TrainError> {
        let threads = job.params.thread_count();
        let settings = toml::to_string(&job.params)
            .map_err(|error| TrainError::Settings(error.to_string()))?;
        Ok(Self {
            graph: Graph::new(&state.shape, &state.weights, threads)?,
            layout: layout(&state.shape),
            validation: Validation::new(job.held_out, &job.params)?,
            log: Log::open(&job.folder, state.step)?,
            job,
            state,
            deadline,
            settings,
            recent: Recent::default(),
            verdict: None,
        })
    }

    fn run(
        mut self,
        batches: Receiver<Result<Batch, TrainError>>,
        control: &mut Control<'_>,
    ) -> Result<Summary, TrainError> {
        let params = &self.job.params;
        let (began, first) = ((control.clock)(), self.state.samples);
        let mut saved = began;
        let mut bad = 0;
        self.recent.since = began;
        let minutes = Duration::from_secs_f64(60.0 * params.checkpoint_minutes);
        while self.state.step < params.steps && !self.is_over(control) {
            let batch = batches.recv().map_err(|_| TrainError::Loader)??;
            bad = if self.step(&batch)? { 0 } else { bad + 1 };
            if bad >= MAX_BAD_STEPS {
                return Err(TrainError::Diverged { step: self.state.step });
            }
            let step = self.state.step;
            if step.is_multiple_of(params.log_every) {
                self.log_progress(control)?;
            }
            if step.is_multiple_of(params.validate_every) && step < params.steps {
                self.validate(control)?;
            }
            if (control.clock)() >= saved + minutes {
                self.save()?;
                saved = (control.clock)();
            }
        }
        // The loader may wait for room.
        drop(batches);
        let seconds = (control.clock)().saturating_sub(began).as_secs_f64();
        self.save()?;
        let file = self.validate(control)?;
        let samples = self.state.samples - first;
        Ok(Summary {
            step: self.state.step,
            samples: self.state.samples,
            speed: if seconds > 0.0 { samples as f64 / seconds } else { 0.0 },
            finished: self.state.step >= params.steps,
            file,
        })
    }

    fn is_over(&self, control: &Control<'_>) -> bool {
        control.stop.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| (control.clock)() >= deadline)
    }

    /// One step; false if the gradient is not finite, and the weights stay as they are.
    fn step(&mut self, batch: &Batch) -> Result<bool, TrainError> {
        let params = &self.job.params;
        let (losses, gradient) = self.graph.gradient(batch, params)?;
        self.state.samples += batch.len() as u64;
        let Some(Advance { norm, clipped }) =
            self.state.advance(&gradient, &self.layout, params, |_| {})
        else {
            return Ok(false);
        };
        self.graph.set(&self.state.weights)?;
        self.recent.losses.merge(&losses);
        self.recent.norms += norm;
        self.recent.clipped += u64::from(clipped);
        self.recent.steps += 1;
        Ok(true)
    }

    fn log_progress(&mut self, control: &mut Control<'_>) -> Result<(), TrainError> {
        let now = (control.clock)();
        let recent =
            std::mem::replace(&mut self.recent, Recent { since: now, ..Recent::default() });
        let seconds = now.saturating_sub(recent.since).as_secs_f64();
        let samples = recent.steps * self.job.params.batch as u64;
        let speed = if seconds > 0.0 { samples as f64 / seconds } else { 0.0 };
        let losses: serde_json::Map<_, _> = recent
            .losses
            .named()
            .map(|(name, sum)| (name.to_owned(), sum.mean().into()))
            .into_iter()
            .collect();
        let (step, steps) = (self.state.step, recent.steps.max(1) as f64);
        self.log.add(json!({
            "step": step,
            "samples": self.state.samples,
            "samples_per_second": speed,
            "rate": self.job.params.rate(step.saturating_sub(1)),
            "losses": losses,
            "gradient": recent.norms / steps,
            "clipped": recent.clipped as f64 / steps,
        }))?;
        (control.observe)(&Event::Progress { step, speed, losses: &recent.losses });
        Ok(())
    }

    fn save(&self) -> Result<(), TrainError> {
        self.state.save(&self.job.folder.join(CHECKPOINT), &self.settings)
    }

    /// Validates and exports the average of the weights.
    fn validate(&mut self, control: &mut Control<'_>) -> Result<PathBuf, TrainError> {
        let params = &self.job.params;
        let began = (control.clock)();
        self.verdict = None;
        if !self.validation.is_empty() {
            let net = Graph::new(&self.state.shape, &self.state.average, params.thread_count())?;
            let verdict = self.validation.run(&net, params)?;
            let (step, samples) = (self.state.step, self.state.samples);
            let verdict_json = verdict.to_json();
            self.log
                .add(json!({ "step": step, "samples": samples, "validation": verdict_json }))?;
            self.verdict = Some(verdict);
        }
        let file = self.export()?;
        let step = self.state.step;
        (control.observe)(&Event::Validation { step, verdict: self.verdict.as_ref(), file: &file });
        // The speed is that of the training alone.
        self.recent.since += (control.clock)().saturating_sub(began);
        Ok(file)
    }

    fn export(&self) -> Result<PathBuf, TrainError> {
        let file = self.job.folder.join(format!("{}.safetensors", self.job.name));
        let data = self.job.data;
        let sides: Vec<_> =
            data.sizes().into_keys().flat_map(|size| [size.width(), size.height()]).collect();
        let side = |side: Option<&usize>| side.copied().unwrap_or_default();
        let mut net = NetFile {
            manifest: Manifest {
                format: MANIFEST_FORMAT,
                name: self.job.name.clone(),
                sha256: String::new(),
                features: FEATURES_VERSION,
                games: data.kinds().iter().map(|game| game.key().to_owned()).collect(),
                boards: [side(sides.iter().min()), side(sides.iter().max())],
                training: self.provenance(),
                strength: "not measured".to_owned(),
                shape: self.state.shape,
                canaries: Vec::new(),
            },
            weights: tensors(&self.layout, &self.state.average),
        };
        net.record_canaries()?;
        net.save(&file)?;
        Ok(file)
    }

    /// Where the weights come from, in words.
    fn provenance(&self) -> String {
        let (job, state) = (self.job, &self.state);
        let found = self.verdict.as_ref().map_or_else(String::new, |verdict| {
            let losses = verdict.losses.named();
            let losses = losses.map(|(name, sum)| format!("{name} {:.4}", sum.mean()));
            format!(
                "; on held-out games {}, first move {:.2} %, winner {:.2} %",
                losses.join(", "),
                100.0 * verdict.top1.mean(),
                100.0 * verdict.accuracy.mean(),
            )
        });
        format!(
            "{}; {} of {} steps, {} samples, on {} positions of {} games ({} held out); batch {}, \
             rate {}, seed {}{found}",
            job.origin,
            state.step,
            job.params.steps,
            state.samples,
            job.data.rows(),
            job.data.games(),
            job.held_out.games(),
            job.params.batch,
            job.params.learning_rate,
            job.params.seed,
        )
    }
}

#[cfg(test)]
mod tests;
