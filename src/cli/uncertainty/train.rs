//! `tedomari uncertainty train`: State-UN and MCTS-UN.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::{Value, json};
use tracing::info;

use super::{Material, Place, Told};
use crate::cli::chart::{self, Curve};
use crate::cli::progress::Progress;
use crate::config::Config;
use crate::nn::{NetFile, NetShape, random_weights};
use crate::train::Lesson;
use crate::uncertainty::{
    Course, Quality, Scores, Shown, State, Task, adapted, asked_at_once, asked_during,
    asked_policy, fitted_temperature, scores,
};
use crate::util::{Seed, make_folder, write_atomically};

#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    pub(super) place: Place,
    /// Begin with random weights of this shape instead of those of the network
    #[arg(long, value_name = "SHAPE")]
    pub(super) scratch: Option<NetShape>,
    /// Train only the last layer of State-UN: an uncertainty head on the network as it is
    #[arg(long)]
    pub(super) head: bool,
    /// Simulations after which MCTS-UN is trained, one or several such as 31,62,124, instead of those by
    /// equation 7
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) after: Vec<usize>,
}

pub(crate) fn run(args: &TrainArgs, config: &Config) -> anyhow::Result<Told> {
    let material = args.place.material(config)?;
    make_folder(&args.place.out)
        .with_context(|| format!("cannot make the folder {}", args.place.out.display()))?;
    let Material { split, files, .. } = &material;
    let epsilon = config.uncertainty.epsilon;
    let lesson = if args.head { Lesson::HeadAlone } else { Lesson::Everything };
    let trainer = Trainer { args, config, material: &material };
    let all = split.train.iter().collect();
    trainer.ensure(&files.state, "State-UN", (all, Task::AtOnce, lesson))?;
    let at_once = material.estimator(&files.state)?;
    let (kept, share, best) = material.pruned(&at_once, config);
    let after = if args.after.is_empty() { vec![best] } else { args.after.clone() };
    let within = |n: &usize| (1..material.simulations).contains(n);
    ensure!(after.iter().all(within), "--after must be within the search");
    let n = after[0];
    let (states, before) = (kept.len(), split.train.len());
    let hard = kept.iter().filter(|state| state.labels.is_uncertain(n, epsilon)).count();
    trainer.ensure(&files.mcts, "MCTS-UN", (kept, Task::After(&after), Lesson::Everything))?;
    let during = material.estimator(&files.mcts)?;
    let temperature = fitted_temperature(&split.train, epsilon);
    let held_out: Vec<State> = split.calibration.iter().chain(&split.test).cloned().collect();
    let row = |name: String, said: &[f64], n| (name, scores(&held_out, said, n, epsilon));
    let search = |n, shown| asked_during(&held_out, &during, n, shown);
    let (first, then) = (asked_at_once(&held_out, &at_once), search(n, Shown::Both));
    let mut table = vec![
        row("PV-NN tau 1.00".to_owned(), &asked_policy(&held_out, 1.0), 1),
        row(format!("PV-NN tau {temperature:.2}"), &asked_policy(&held_out, temperature), 1),
        row("State-UN".to_owned(), &first, 1),
        row(format!("MCTS-UN at {n}"), &then, n),
        row(format!("MCTS-UN at {n}, position alone"), &search(n, Shown::Position), n),
        row(format!("MCTS-UN at {n}, search alone"), &search(n, Shown::Search), n),
    ];
    let parts = [0.1, 0.25, 0.5].map(|part| fraction(material.simulations, part));
    let mut others: Vec<usize> = after[1..].iter().copied().chain(parts).collect();
    others.sort_unstable();
    others.dedup();
    let later = |n: usize| row(format!("MCTS-UN at {n}"), &search(n, Shown::Both), n);
    table.extend(others.into_iter().map(later));
    draw_reliability(&table, &args.place.out.join("reliability.svg"))?;
    for (from, to) in PHASES {
        let of = |(name, said, n): (&str, &[f64], usize)| {
            let pairs =
                held_out.iter().zip(said).filter(|(state, _)| (from..to).contains(&state.ply));
            let (states, said): (Vec<State>, Vec<f64>) =
                pairs.map(|(state, &u)| (state.clone(), u)).unzip();
            (format!("{name}, {}", phase_name(from, to)), scores(&states, &said, n, epsilon))
        };
        table.push(of(("State-UN", &first, 1)));
        table.push(of((&format!("MCTS-UN at {n}"), &then, n)));
    }
    let table: Vec<(String, Quality)> =
        table.into_iter().map(|(name, scores)| (name, scores.quality())).collect();
    let rows: Vec<Value> = table
        .iter()
        .map(|(name, quality)| json!({ "estimator": name, "quality": quality }))
        .collect();
    Ok(Told {
        json: json!({
            "states": before, "kept": states, "pruned_share": share, "checkpoint": n, "after": after,
            "hard": hard, "held_out": held_out.len(), "temperature": temperature,
            "estimators": rows,
        }),
        text: format!(
            "{before} positions to train on; State-UN takes away {:.1} % of the certain ones, \
             {states} are left, of which {hard} are uncertain after n = {n}\n\
             on {} held-out positions:\n{}",
            100.0 * share,
            held_out.len(),
            text(&table)
        ),
    })
}

/// The moves from which on, and before which, a game is in one of its phases.
const PHASES: [(usize, usize); 3] = [(0, 15), (15, 40), (40, usize::MAX)];

fn phase_name(from: usize, to: usize) -> String {
    match to {
        usize::MAX => format!("from move {}", from + 1),
        _ => format!("moves {} to {to}", from + 1),
    }
}

/// Draws what the networks say against what came; the straight line is what a calibrated one does.
fn draw_reliability(table: &[(String, Scores)], path: &Path) -> anyhow::Result<()> {
    let points = |scores: &Scores| {
        let bins = scores.reliability().into_iter().filter(|bin| bin.states > 0);
        bins.map(|bin| (bin.said, bin.came)).collect::<Vec<_>>()
    };
    let mut curves: Vec<Curve<'_>> =
        table.iter().map(|(name, scores)| (name.as_str(), points(scores))).collect();
    curves.push(("calibrated", vec![(0.0, 0.0), (1.0, 1.0)]));
    let drawing = chart::draw(&curves, 0.0, ("estimate", "share that was uncertain"))?;
    write_atomically(path, drawing.as_bytes())?;
    Ok(())
}

/// A share of the simulations, at least one.
fn fraction(simulations: usize, part: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "a share of a count")]
    #[expect(clippy::cast_sign_loss, reason = "a share of a count")]
    let n = (simulations as f64 * part).round() as usize;
    n.max(1)
}

fn text(table: &[(String, Quality)]) -> String {
    let mut text =
        "estimator                           uncertain  AUC    AP     Brier  ECE    accuracy\n"
            .to_owned();
    for (name, q) in table {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{name:<34}  {:>7.1} %  {:.3}  {:.3}  {:.3}  {:.3}  {:>6.1} %",
            100.0 * q.uncertain,
            q.auc,
            q.average_precision,
            q.brier,
            q.calibration_error,
            100.0 * q.accuracy
        );
    }
    text
}

struct Trainer<'a> {
    args: &'a TrainArgs,
    config: &'a Config,
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
        let (base, weights, origin) = match self.args.scratch {
            Some(shape) => {
                let weights = random_weights(&shape, Seed::new(params.seed));
                (shape, weights, "random weights".to_owned())
            }
            None => (net.manifest.shape, net.weights.clone(), net.manifest.name.clone()),
        };
        let (shape, start) = adapted(&base, &weights, task, Seed::new(params.seed));
        let progress = Progress::new(name, params.steps, "steps");
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
