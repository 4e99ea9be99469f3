//! Training of State-UN and MCTS-UN.

use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tracing::info;

use super::quality::{self, Examination};
use super::{Material, Place, StepReport};
use crate::app::progress::{Display, Surroundings};
use crate::config::Config;
use crate::nn::{NetFile, NetShape, random_weights};
use crate::train::Lesson;
use crate::uncertainty::{Course, State, Task, adapted, fitted_temperature};
use crate::util::{Seed, make_folder};

/// Networks to be trained on recorded searches.
#[derive(Clone, Debug)]
pub struct TrainSpec {
    /// Where the data is, and where the results go.
    pub place: Place,
    /// Begin with random weights of this shape instead of those of the network.
    pub scratch: Option<NetShape>,
    /// Train only the last layer of State-UN: an uncertainty head on the network as it is.
    pub head: bool,
    /// Simulations after which MCTS-UN is trained, one or several such as 31,62,124, instead of those by
    /// equation 7.
    pub after: Vec<usize>,
}

/// Trains those of the two networks that are not there, and examines both on held-out games.
pub fn train(spec: &TrainSpec, around: &Surroundings<'_>) -> anyhow::Result<StepReport> {
    let config = around.config;
    let material = spec.place.material(config)?;
    make_folder(&spec.place.out)
        .with_context(|| format!("cannot make the folder {}", spec.place.out.display()))?;
    let Material { split, files, .. } = &material;
    let epsilon = config.uncertainty.epsilon;
    let lesson = if spec.head { Lesson::HeadAlone } else { Lesson::Everything };
    let trainer = Trainer { spec, config, material: &material, display: around.display };
    let kept_note = kept(&[&files.state, &files.mcts]);
    let all = split.train.iter().collect();
    trainer.ensure(&files.state, "State-UN", (all, Task::AtOnce, lesson))?;
    let at_once = material.estimator(&files.state)?;
    let (kept, share, best) = material.pruned(&at_once, config);
    let after = if spec.after.is_empty() { vec![best] } else { spec.after.clone() };
    let within = |n: &usize| (1..material.simulations).contains(n);
    ensure!(after.iter().all(within), "--after must be within the search");
    let n = after[0];
    let (states, before) = (kept.len(), split.train.len());
    let hard = kept.iter().filter(|state| state.labels.is_uncertain(n, epsilon)).count();
    trainer.ensure(&files.mcts, "MCTS-UN", (kept, Task::After(&after), Lesson::Everything))?;
    let during = material.estimator(&files.mcts)?;
    let temperature = fitted_temperature(&split.train, epsilon);
    let held_out: Vec<State> = split.calibration.iter().chain(&split.test).cloned().collect();
    let parts = [0.1, 0.25, 0.5].map(|part| fraction(material.simulations, part));
    let mut others: Vec<usize> = after[1..].iter().copied().chain(parts).collect();
    others.sort_unstable();
    others.dedup();
    let (at_once, during) = (&at_once, &during);
    let examination = Examination { held_out: &held_out, at_once, during, epsilon };
    let drawing = spec.place.out.join("reliability.svg");
    let table = examination.table((n, &others), temperature, &drawing)?;
    let rows: Vec<Value> = table
        .iter()
        .map(|(name, quality)| json!({ "estimator": name, "quality": quality }))
        .collect();
    Ok(StepReport {
        json: json!({
            "states": before, "kept": states, "pruned_share": share, "checkpoint": n, "after": after,
            "hard": hard, "held_out": held_out.len(), "temperature": temperature,
            "estimators": rows,
        }),
        text: format!(
            "{kept_note}{before} positions to train on; State-UN takes away {:.1} % of the certain ones, \
             {states} are left, of which {hard} are uncertain after n = {n}\n\
             on {} held-out positions:\n{}",
            100.0 * share,
            held_out.len(),
            quality::text(&table)
        ),
    })
}

/// Says which of the networks are there and stay as they are.
fn kept(networks: &[&Path]) -> String {
    let there = networks.iter().filter(|path| path.exists());
    let note =
        |path: &&Path| format!("{} is there already: remove it to train it anew\n", path.display());
    there.map(note).collect()
}

/// A share of the simulations, at least one.
fn fraction(simulations: usize, part: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "a share of a count")]
    #[expect(clippy::cast_sign_loss, reason = "a share of a count")]
    let n = (simulations as f64 * part).round() as usize;
    n.max(1)
}

struct Trainer<'a> {
    spec: &'a TrainSpec,
    config: &'a Config,
    display: &'a dyn Display,
    material: &'a Material,
}

impl Trainer<'_> {
    /// Trains a network and writes it, unless it is there.
    fn ensure(
        &self,
        path: &Path,
        name: &str,
        (states, task, lesson): (Vec<&State>, Task<'_>, Lesson),
    ) -> anyhow::Result<()> {
        if path.exists() {
            info!(path = %path.display(), "is there already");
            return Ok(());
        }
        let params = &self.config.uncertainty;
        let net = &self.material.net;
        let (base, weights, origin) = match self.spec.scratch {
            Some(shape) => {
                let weights = random_weights(&shape, Seed::new(params.seed));
                (shape, weights, "random weights".to_owned())
            }
            None => (net.manifest.shape, net.weights.clone(), net.manifest.name.clone()),
        };
        let (shape, start) = adapted(&base, &weights, task, Seed::new(params.seed));
        let progress = self.display.begin(name, params.steps, "steps");
        let count = states.len();
        let course = Course { states, task, lesson, params };
        let mut recent = 0.0;
        let trained = course.train(shape, &start, |step, loss| {
            recent = if step == 1 { loss } else { 0.95 * recent + 0.05 * loss };
            progress.set(step, format!("loss {recent:.4}"));
        })?;
        progress.end();
        let mut manifest = net.manifest.clone();
        manifest.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        manifest.shape = shape;
        manifest.canaries = Vec::new();
        // No player chooses it for its moves.
        manifest.games = Vec::new();
        manifest.training = format!(
            "{name} for {} ({}), after {} of {} simulations, on {count} positions; from {origin}; \
             {} steps, batch {}, rate {}, c1 {}, epsilon {}, foresees {}, seed {}",
            net.manifest.name,
            net.manifest.sha256,
            task.simulations().iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
            self.material.simulations,
            params.steps,
            params.batch,
            params.learning_rate,
            params.auxiliary,
            params.epsilon,
            params.target,
            params.seed,
        );
        "plays no games".clone_into(&mut manifest.strength);
        let mut file = NetFile { manifest, weights: trained };
        file.record_canaries()?;
        file.save(path)?;
        Ok(())
    }
}
