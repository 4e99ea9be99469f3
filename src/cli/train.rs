//! `tedomari train`: training of networks.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;

use super::progress::bar;
use super::{log, print, print_json, restart, stop};
use crate::app::training::{self, TrainAudience, TrainReport, TrainSpec};
use crate::config::{Config, LogParams};
use crate::nn::NetShape;
use crate::train::{Event, Job, Losses, Verdict};
use crate::util::Params as _;

#[derive(Debug, Args)]
pub(super) struct TrainArgs {
    /// Folders of shards, or shards, oldest first; the games in FOLDER/holdout are held out
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Folder for checkpoints, log and network; a training that is there goes on
    #[arg(long)]
    out: PathBuf,
    /// Blocks and filters; 6x64, or as in --init
    #[arg(long)]
    shape: Option<NetShape>,
    /// Start from this network: NAME.safetensors or builtin:NAME
    #[arg(long)]
    init: Option<String>,
    /// Name of the network; else that of the folder
    #[arg(long)]
    name: Option<String>,
    /// Steps in all
    #[arg(long)]
    steps: Option<u64>,
    /// Positions in a step
    #[arg(long)]
    batch: Option<usize>,
    /// Highest learning rate
    #[arg(long)]
    rate: Option<f64>,
    /// Threads that compute, 0 for as many as there are cores
    #[arg(long)]
    threads: Option<usize>,
    /// Where the random numbers start
    #[arg(long)]
    seed: Option<u64>,
    /// End after so many minutes, with a checkpoint, even if there are steps left
    #[arg(long)]
    minutes: Option<f64>,
    /// Train on the newest rows alone, as many as KataGo's formula gives
    #[arg(long)]
    window: bool,
    /// Take in shards that come to the folders while it trains; then the weights depend on when they come
    #[arg(long)]
    follow: bool,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

impl TrainArgs {
    /// What was given; the rest is in the settings.
    fn spec(&self, config: &Config) -> TrainSpec {
        let mut params = config.train.clone();
        params.steps = self.steps.unwrap_or(params.steps);
        params.batch = self.batch.unwrap_or(params.batch);
        params.learning_rate = self.rate.unwrap_or(params.learning_rate);
        params.threads = self.threads.unwrap_or(params.threads);
        params.seed = self.seed.unwrap_or(params.seed);
        TrainSpec {
            data: self.data.clone(),
            out: self.out.clone(),
            shape: self.shape,
            init: self.init.clone(),
            name: self.name.clone(),
            window: self.window,
            follow: self.follow,
            minutes: self.minutes,
            params,
        }
    }
}

pub(super) fn run(args: &TrainArgs, config: &Config) -> anyhow::Result<()> {
    let spec = args.spec(config);
    spec.params.check()?;
    restart::for_training()?;
    let report = train(&spec)?;
    if args.json {
        return print_json(&json!(report));
    }
    let end = if report.finished { "done" } else { "to be continued by the same command" };
    print(&format!(
        "{}: {} steps, {} samples, {:.0} samples/s, {end}\n",
        report.file.display(),
        report.step,
        report.samples,
        report.samples_per_second,
    ))
}

/// Trains as standard input says, and prints what came of it as one JSON object: for `tedomari run`.
pub(super) fn run_job() -> anyhow::Result<()> {
    restart::for_training()?;
    let text = std::io::read_to_string(std::io::stdin()).context("cannot read the job")?;
    print_json(&json!(train(&toml::from_str(&text).context("this is no job")?)?))
}

/// Has a process of its own train, as Candle is to compute otherwise than in this one.
pub(super) fn in_process(spec: &TrainSpec, log: &LogParams) -> anyhow::Result<TrainReport> {
    let program = std::env::current_exe().context("cannot find the program's own file")?;
    let job = toml::to_string(spec).context("the job cannot be written")?;
    let mut command = Command::new(program);
    command.args(log::flags(log)).arg("train-job").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot start the program")?;
    let mut input = child.stdin.take().context("the program has no input")?;
    // A program that has ended says by its status why.
    let _ = input.write_all(job.as_bytes());
    drop(input);
    let output = child.wait_with_output().context("cannot wait for the program")?;
    ensure!(output.status.success(), "the training failed ({}): see above", output.status);
    serde_json::from_slice(&output.stdout).context("what the training wrote is no JSON")
}

fn train(spec: &TrainSpec) -> anyhow::Result<TrainReport> {
    let stop = stop::flag(None)?;
    let mut display = Display::default();
    let report = training::run(spec, &stop, &mut display);
    display.bar.finish_and_clear();
    report
}

/// Shows how it goes: a bar on a terminal, else lines, both on standard error.
struct Display {
    bar: ProgressBar,
    lines: bool,
    steps: u64,
}

impl Default for Display {
    fn default() -> Self {
        let lines = !std::io::stderr().is_terminal();
        let template = "{bar:30} {pos}/{len} steps, {elapsed} gone, {eta} to go: {msg}";
        Self { bar: ProgressBar::new(0).with_style(bar(template)), lines, steps: 0 }
    }
}

impl Display {
    fn line(&self, text: &str) {
        if self.lines {
            // Nobody may be reading.
            let _ = writeln!(std::io::stderr(), "{text}");
        } else {
            self.bar.println(text);
        }
    }
}

impl TrainAudience for Display {
    fn begin(&mut self, job: &Job<'_>) {
        self.steps = job.params.steps;
        self.bar.set_length(self.steps);
        self.line(&format!(
            "{} network, {} positions of {} games, {} games held out",
            job.shape,
            job.data.rows(),
            job.data.games(),
            job.held_out.games(),
        ));
    }

    fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Start { step } => {
                if *step > 0 {
                    self.line(&format!("going on after step {step}"));
                }
                self.bar.set_position(*step);
                self.bar.reset_eta();
            }
            Event::Progress { step, speed, losses } => {
                let text = format!("{} ({speed:.0} samples/s)", in_words(losses));
                self.bar.set_position(*step);
                if self.lines {
                    let left = self.bar.eta().as_secs();
                    let left = format!("{}:{:02} h to go", left / 3600, left / 60 % 60);
                    self.line(&format!("step {step} of {}: {text}, {left}", self.steps));
                } else {
                    self.bar.set_message(text);
                }
            }
            Event::Validation { step, verdict, file } => {
                let found = verdict.map_or_else(|| "exported".to_owned(), judged);
                self.line(&format!("step {step}: {found}, {}", file.display()));
            }
        }
    }
}

fn in_words(losses: &Losses) -> String {
    format!("policy {:.3}, value {:.3}", losses.policy.mean(), losses.value.mean())
}

fn judged(verdict: &Verdict) -> String {
    let found = format!(
        "held out: {}, first move {:.1} %, winner {:.1} %, spread {:.3}",
        in_words(&verdict.losses),
        100.0 * verdict.top1.mean(),
        100.0 * verdict.accuracy.mean(),
        verdict.spread.mean(),
    );
    let named = [("teacher", &verdict.teacher), ("odd positions", &verdict.odd)];
    let named = named.into_iter().filter(|(_, agreement)| agreement.win_rate.weight > 0.0);
    named.fold(found, |text, (name, agreement)| {
        format!(
            "{text}; {name}: first move {:.1} %, win rate {:.3} off",
            100.0 * agreement.first_move.mean(),
            agreement.win_rate.mean(),
        )
    })
}
