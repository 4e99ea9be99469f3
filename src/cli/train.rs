//! `tedomari train`: training of networks.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;

use super::progress::bar;

use super::{print, print_json, restart, stop};
use crate::app::evaluators;
use crate::app::import::HOLDOUT;
use crate::config::Config;
use crate::nn::{NetShape, Network, Tensors, random_weights};
use crate::record::{Shard, ShardError, Window, WindowParams, shard_files};
use crate::train::{Control, Event, Job, Losses, Newer, Summary, TrainParams, Verdict, train};
use crate::util::{Params, Seed, make_folder};

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
    /// The settings with what was given.
    fn params(&self, config: &Config) -> anyhow::Result<TrainParams> {
        let mut params = config.train.clone();
        params.steps = self.steps.unwrap_or(params.steps);
        params.batch = self.batch.unwrap_or(params.batch);
        params.learning_rate = self.rate.unwrap_or(params.learning_rate);
        params.threads = self.threads.unwrap_or(params.threads);
        params.seed = self.seed.unwrap_or(params.seed);
        params.check()?;
        Ok(params)
    }

    /// Shape and weights to start from, and where these come from.
    fn start(&self, params: &TrainParams) -> anyhow::Result<(NetShape, Tensors, String)> {
        if let Some(path) = &self.init {
            let Network::Own(net) = evaluators::load(path)? else {
                bail!("{path} is one of KataGo's networks, which cannot be trained on");
            };
            let shape = net.manifest.shape;
            if let Some(wanted) = self.shape.filter(|wanted| *wanted != shape) {
                bail!("{path} is a {shape} network, not a {wanted} one: leave --shape out");
            }
            let checksum: String = net.manifest.sha256.chars().take(12).collect();
            let origin = format!("started from {} ({checksum})", net.manifest.name);
            return Ok((shape, net.weights, origin));
        }
        let shape = self.shape.unwrap_or(NetShape::new(6, 64));
        let weights = random_weights(&shape, Seed::new(params.seed));
        Ok((shape, weights, "started from random weights".to_owned()))
    }

    /// The games to train on and those that are held out.
    fn windows(&self) -> anyhow::Result<(Window, Window)> {
        let mut held_out = Vec::new();
        for path in &self.data {
            let folder = path.join(HOLDOUT);
            if folder.is_dir() {
                held_out.extend(shard_files(&folder)?);
            }
        }
        let files = self.files()?;
        if files.is_empty() {
            bail!("there are no shards in {}", self.data[0].display());
        }
        let data = Window::open(&files, self.newest().as_ref())?;
        Ok((data, Window::open(&held_out, None)?))
    }

    fn files(&self) -> Result<Vec<PathBuf>, ShardError> {
        let files = self.data.iter().map(|path| shard_files(path));
        Ok(files.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn newest(&self) -> Option<WindowParams> {
        self.window.then(WindowParams::default)
    }

    /// The games with those of shards that have come since they were read.
    fn newer(&self, data: &Window) -> Result<Option<Window>, ShardError> {
        let known: HashSet<_> = data.files().collect();
        let mut files = self.files()?;
        files.retain(|file| !known.contains(file.as_path()));
        if files.is_empty() {
            return Ok(None);
        }
        let shards = files.iter().map(|file| Shard::read(file)).collect::<Result<Vec<_>, _>>()?;
        data.with(shards, self.newest().as_ref()).map(Some)
    }

    fn net_name(&self) -> anyhow::Result<String> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        let folder = self.out.file_name().context("--out names no folder: give --name as well")?;
        Ok(folder.to_string_lossy().into_owned())
    }
}

pub(super) fn run(args: &TrainArgs, config: &Config) -> anyhow::Result<()> {
    let params = args.params(config)?;
    restart::for_training()?;
    let (shape, start, origin) = args.start(&params)?;
    let (data, held_out) = args.windows()?;
    let name = args.net_name()?;
    if name.contains(['/', '\\']) || name.is_empty() {
        bail!("'{name}' is no name of a network");
    }
    let limit = args.minutes.map(|minutes| Duration::try_from_secs_f64(60.0 * minutes));
    let limit = limit.transpose().context("in --minutes")?;
    make_folder(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
    let newer = |data: &Window| args.newer(data);
    let job = Job {
        newer: args.follow.then_some(&newer as &Newer<'_>),
        folder: args.out.clone(),
        name,
        shape,
        start,
        origin,
        data: &data,
        held_out: &held_out,
        params,
    };
    let stop = stop::flag(None)?;
    #[expect(clippy::disallowed_methods, reason = "a command line program reads the clock")]
    let began = Instant::now();
    let mut display = Display::new(&job);
    let summary = train(
        &job,
        &mut Control {
            clock: &|| began.elapsed(),
            stop: &stop,
            limit,
            observe: &mut |event| display.show(event),
        },
    )?;
    display.bar.finish_and_clear();
    report(args, &summary)
}

fn report(args: &TrainArgs, summary: &Summary) -> anyhow::Result<()> {
    if args.json {
        return print_json(&json!({
            "file": summary.file,
            "step": summary.step,
            "samples": summary.samples,
            "samples_per_second": summary.speed,
            "finished": summary.finished,
        }));
    }
    let end = if summary.finished { "done" } else { "to be continued by the same command" };
    print(&format!(
        "{}: {} steps, {} samples, {:.0} samples/s, {end}\n",
        summary.file.display(),
        summary.step,
        summary.samples,
        summary.speed,
    ))
}

/// Shows how it goes: a bar on a terminal, else lines, both on standard error.
struct Display {
    bar: ProgressBar,
    lines: bool,
    steps: u64,
}

impl Display {
    fn new(job: &Job<'_>) -> Self {
        let lines = !std::io::stderr().is_terminal();
        let template = "{bar:30} {pos}/{len} steps, {elapsed} gone, {eta} to go: {msg}";
        let bar = ProgressBar::new(job.params.steps).with_style(bar(template));
        let display = Self { bar, lines, steps: job.params.steps };
        display.line(&format!(
            "{} network, {} positions of {} games, {} games held out",
            job.shape,
            job.data.rows(),
            job.data.games(),
            job.held_out.games(),
        ));
        display
    }

    fn line(&self, text: &str) {
        use std::io::Write;
        if self.lines {
            // Nobody may be reading.
            let _ = writeln!(std::io::stderr(), "{text}");
        } else {
            self.bar.println(text);
        }
    }

    fn show(&mut self, event: &Event<'_>) {
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
