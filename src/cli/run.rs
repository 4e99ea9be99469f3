//! `tedomari run`: generations of self-play, training and matches, one subcommand after the other.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde_json::{Value, json};
use tracing::info;

use super::{print, print_json, stop};
use crate::config::Config;
use crate::game::Game;
use crate::nn::NetFile;
use crate::record::{Window, shard_files};
use crate::run::{Best, Gate, Meeting, Plan, RunParams, Stage};
use crate::util::{make_folder, read_limited, write_atomically};

/// Bytes that a file of a run may have.
const MAX_JSON: usize = 256 << 20;

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// End after so many stages
    #[arg(long)]
    stages: Option<u64>,
    /// End after so many minutes; what is under way is finished or goes on the next time
    #[arg(long)]
    minutes: Option<f64>,
    /// Tell what has been done and what is next, and do nothing
    #[arg(long)]
    status: bool,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

/// Does what is missing, stage by stage.
pub(super) fn run(args: &RunArgs, config: &Config, file: Option<&Path>) -> anyhow::Result<()> {
    let runner = Runner::new(config, file)?;
    if !args.status {
        let stop = stop::flag(args.minutes)?;
        runner.begin()?;
        runner.go(args.stages.unwrap_or(u64::MAX), &stop)?;
    }
    runner.report(args.json)
}

struct Runner<'a> {
    params: &'a RunParams,
    config: &'a Config,
    plan: Plan,
    /// The settings, for the subcommands.
    file: Option<&'a Path>,
}

impl<'a> Runner<'a> {
    fn new(config: &'a Config, file: Option<&'a Path>) -> anyhow::Result<Self> {
        let params = &config.run;
        ensure!(
            !params.name.is_empty() && !params.name.contains(['/', '\\']),
            "run.name is '{}', which is no name of a network",
            params.name
        );
        let plan = Plan::new(params).context("in run.schedule")?;
        Ok(Self { params, config, plan, file })
    }

    /// Writes the settings into a new folder, and compares them with those of an old one.
    fn begin(&self) -> anyhow::Result<()> {
        let path = self.plan.folder.settings();
        let folder = Path::new(&self.params.folder);
        make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let text = self.config.to_documented_toml();
        if !path.exists() {
            return write_atomically(&path, text.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()));
        }
        let old = Config::load(&path).with_context(|| format!("in {}", path.display()))?;
        for (key, (before, now)) in differences(&old, self.config) {
            let fixed = ["run.shape", "run.name", "game.kind", "game.board_size"];
            ensure!(
                !fixed.contains(&key.as_str()),
                "{} was begun with {key} = {before}, not {now}: name another run.folder",
                folder.display()
            );
            info!(key, before, now, "changed since the run was begun");
        }
        Ok(())
    }

    fn go(&self, most: u64, stop: &AtomicBool) -> anyhow::Result<()> {
        for _ in 0..most {
            let stage = self.plan.next();
            if stage == Stage::Over || stop.load(Ordering::Relaxed) {
                break;
            }
            info!(?stage, "begins");
            let done = self.stage(&stage);
            if stop.load(Ordering::Relaxed) {
                // Told to end, as the subcommand was.
                return Ok(());
            }
            done.with_context(|| format!("in {stage:?} of {}", self.params.folder))?;
        }
        Ok(())
    }

    fn stage(&self, stage: &Stage) -> anyhow::Result<()> {
        match *stage {
            Stage::Warm => self.warm(),
            Stage::Selfplay { generation, simulations } => self.selfplay(generation, simulations),
            Stage::Label { generation } => self.label(generation),
            Stage::Train { generation } => self.train(generation),
            Stage::Gate { generation } => self.gate(generation),
            Stage::Over => Ok(()),
        }
    }

    fn warm(&self) -> anyhow::Result<()> {
        let set = [
            format!("selfplay.simulations={}", self.params.warm_simulations),
            "selfplay.considered=0".to_owned(),
            "selfplay.resign_value=-1".to_owned(),
            "selfplay.noise=0".to_owned(),
            "selfplay.remembered=0".to_owned(),
            "selfplay.archive_share=0".to_owned(),
        ];
        let mut command = self.selfplay_command(0, self.params.warm_games, &set);
        command.push("--playouts".to_owned());
        self.keep(&command, &self.plan.folder.games_done(0))
    }

    fn selfplay(&self, generation: u64, simulations: u64) -> anyhow::Result<()> {
        let best = self.best()?.context("there is no network yet")?;
        let set = [format!("selfplay.simulations={simulations}")];
        let mut command = self.selfplay_command(generation, self.params.games, &set);
        command.extend(["--net".to_owned(), text(&best.net)]);
        for earlier in 0..generation {
            let games = self.plan.folder.games(earlier);
            if games.exists() {
                command.extend(["--archive".to_owned(), text(&games)]);
            }
        }
        self.keep(&command, &self.plan.folder.games_done(generation))
    }

    fn selfplay_command(&self, generation: u64, games: u64, set: &[String]) -> Vec<String> {
        let seed = crate::util::Seed::new(self.params.seed).fork("generation", generation);
        let mut command = vec!["selfplay".to_owned(), "--json".to_owned()];
        command.extend(["--out".to_owned(), text(&self.plan.folder.games(generation))]);
        command.extend(["--games".to_owned(), games.to_string()]);
        command.extend(["--seed".to_owned(), (seed.number() >> 1).to_string()]);
        command.extend(set.iter().flat_map(|pair| ["--set".to_owned(), pair.clone()]));
        command
    }

    /// Has the teacher label the games of a generation.
    fn label(&self, generation: u64) -> anyhow::Result<()> {
        let folder = &self.plan.folder;
        let seed = crate::util::Seed::new(self.params.seed).fork("labels", generation);
        let mut command: Vec<_> = ["record", "label", "--json", "--teacher", &self.params.teacher]
            .map(str::to_owned)
            .into();
        command.extend(["--out".to_owned(), text(&folder.labels(generation))]);
        command.extend(["--seed".to_owned(), (seed.number() >> 1).to_string()]);
        let games = folder.games(generation);
        if games.exists() {
            command.push(text(&games));
        }
        if generation == 0 {
            command.extend(self.params.warm_data.split_whitespace().map(str::to_owned));
        }
        self.keep(&command, &folder.labels_done(generation))
    }

    /// The games that a training up to a generation learns from: those with labels, if there is a teacher.
    fn data(&self, generation: u64) -> Vec<String> {
        let folder = &self.plan.folder;
        let mut data = Vec::new();
        let has_teacher = !self.params.teacher.is_empty();
        if !has_teacher {
            data.extend(self.params.warm_data.split_whitespace().map(str::to_owned));
        }
        let own =
            (0..=generation).map(|g| if has_teacher { folder.labels(g) } else { folder.games(g) });
        data.extend(own.filter(|games| games.exists()).map(|games| text(&games)));
        data
    }

    /// Trains on all games so far, as many steps as the new ones are worth.
    fn train(&self, generation: u64) -> anyhow::Result<()> {
        let folder = &self.plan.folder;
        let data = self.data(generation);
        let steps = if generation == 0 {
            self.params.warm_steps
        } else {
            // Counted in the games themselves: they may have been played by several calls.
            let labels = folder.labels(generation);
            let new = if labels.exists() { labels } else { folder.games(generation) };
            let rows = Window::open(&shard_files(&new)?, None)?.rows();
            let samples = self.params.reuse * rows as f64;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "positions of a generation"
            )]
            let steps = (samples / self.config.train.batch as f64).ceil() as u64;
            steps.max(1)
        };
        let mut command = vec!["train".to_owned(), "--json".to_owned(), "--data".to_owned()];
        command.extend(data);
        command.extend(["--out".to_owned(), text(&folder.training(generation))]);
        command.extend(["--name".to_owned(), self.params.name.clone()]);
        command.extend(["--steps".to_owned(), steps.to_string()]);
        if generation > 0 {
            command.extend(["--window".to_owned(), "--init".to_owned()]);
            command.push(self.before(generation)?);
        } else {
            command.extend(["--shape".to_owned(), self.params.shape.clone()]);
        }
        self.keep(&command, &folder.training_done(generation))
    }

    /// The network that the training of a generation starts from: the last candidate, also where it
    /// was not accepted.
    fn before(&self, generation: u64) -> anyhow::Result<String> {
        let candidates =
            (0..generation).rev().map(|g| self.plan.folder.candidate(g, &self.params.name));
        if let Some(last) = candidates.into_iter().find(|candidate| candidate.exists()) {
            return Ok(text(&last));
        }
        ensure!(!self.params.start.is_empty(), "there is no network to start from");
        Ok(self.params.start.clone())
    }

    /// Plays the matches of a candidate; the better one is the best from now on.
    fn gate(&self, generation: u64) -> anyhow::Result<()> {
        let folder = &self.plan.folder;
        let candidate = folder.candidate(generation, &self.params.name);
        let net = if candidate.exists() { text(&candidate) } else { self.params.start.clone() };
        let mut gate = Gate { accepted: true, against_best: None, games: 0 };
        if let Some(best) = self.best()? {
            let other = net_player("best", &text(&best.net), self.params.gate_simulations);
            let games = self.params.gate_games;
            let (score, games) = self.meet(generation, Meeting::Best, (&net, &other), games)?;
            gate.accepted = score >= self.params.gate_score;
            (gate.against_best, gate.games) = (Some(score), games);
        }
        if gate.accepted {
            let strength = self.measure(generation, &net, &gate)?;
            if candidate.exists() {
                let mut net = NetFile::load(&candidate)?;
                net.manifest.strength = strength;
                net.save(&candidate)?;
            }
            let best = Best { generation, net: PathBuf::from(&net) };
            write_json(&folder.best(), &serde_json::to_value(best)?)?;
        }
        write_json(&folder.gate(generation), &serde_json::to_value(&gate)?)?;
        info!(generation, accepted = gate.accepted, score = gate.against_best, "gate");
        let done = folder.done(generation);
        write_atomically(&done, b"").with_context(|| format!("cannot write {}", done.display()))
    }

    /// How a new best network does against others, in words.
    fn measure(&self, generation: u64, net: &str, gate: &Gate) -> anyhow::Result<String> {
        let params = self.params;
        let mut parts = Vec::new();
        if let Some(score) = gate.against_best {
            let percent = 100.0 * score;
            parts.push(format!("{percent:.1} % of {} games against the one before", gate.games));
        }
        let mut rivals = Vec::new();
        if params.measure_playouts > 0 {
            let simulations = params.measure_playouts;
            let player = format!("name=playouts tedomari net=none simulations={simulations}");
            let name = format!("{simulations} simulations without a network");
            rivals.push((Meeting::Playouts, player, name));
        }
        if !params.measure_program.is_empty() && self.config.game.rules().game == Game::Go {
            let player = format!("name=program gtp:{}", params.measure_program);
            rivals.push((Meeting::Program, player, params.measure_program.clone()));
        }
        if params.measure_games > 0 {
            for (meeting, player, name) in rivals {
                let games = params.measure_games;
                let (score, games) = self.meet(generation, meeting, (net, &player), games)?;
                parts.push(format!("{:.1} % of {games} games against {name}", 100.0 * score));
            }
        }
        if parts.is_empty() {
            return Ok("not measured".to_owned());
        }
        Ok(format!("at {} simulations a move: {}", params.gate_simulations, parts.join(", ")))
    }

    /// Plays a match of the candidate: its share of the points, and the games.
    fn meet(
        &self,
        generation: u64,
        meeting: Meeting,
        (net, other): (&str, &str),
        games: u64,
    ) -> anyhow::Result<(f64, u64)> {
        let out = self.plan.folder.matches(generation, meeting);
        let candidate = net_player("candidate", net, self.params.gate_simulations);
        let mut command = vec!["match".to_owned(), "--json".to_owned()];
        command.extend(["--player".to_owned(), candidate, "--player".to_owned(), other.to_owned()]);
        command.extend(["--games".to_owned(), games.to_string()]);
        command.extend(["--seed".to_owned(), (self.params.seed + generation).to_string()]);
        command.extend(["--out".to_owned(), text(&out)]);
        self.execute(&command)?;
        let summary = read_json(&out.join("summary.json"))?;
        let pairing = &summary["pairings"][0];
        let score = pairing["score"].as_f64().context("the match has no score")?;
        Ok((score, pairing["games"].as_u64().unwrap_or(games)))
    }

    /// Runs a subcommand and writes down what it prints.
    fn keep(&self, command: &[String], path: &Path) -> anyhow::Result<()> {
        let printed = self.execute(command)?;
        let finished = printed["finished"].as_bool().unwrap_or(false);
        ensure!(finished, "it was left before its end: the same command goes on");
        write_json(path, &printed)
    }

    /// Runs a subcommand with the settings of the run: the JSON object that it prints.
    fn execute(&self, arguments: &[String]) -> anyhow::Result<Value> {
        let program = std::env::current_exe().context("cannot find the program's own file")?;
        let mut command = Command::new(program);
        if let Some(file) = self.file {
            command.arg("--config").arg(file);
        }
        command.args(arguments).stdin(std::process::Stdio::null());
        command.stderr(std::process::Stdio::inherit());
        let shown = arguments.join(" ");
        info!(command = shown, "runs");
        let output = command.output().with_context(|| format!("cannot start {shown}"))?;
        if !output.status.success() {
            bail!("`tedomari {shown}` failed ({}): see above", output.status);
        }
        serde_json::from_slice(&output.stdout)
            .with_context(|| format!("`tedomari {shown}` did not answer with JSON"))
    }

    fn best(&self) -> anyhow::Result<Option<Best>> {
        let path = self.plan.folder.best();
        if !path.exists() {
            return Ok(None);
        }
        let best = serde_json::from_value(read_json(&path)?);
        best.map(Some).with_context(|| format!("in {}", path.display()))
    }

    fn report(&self, as_json: bool) -> anyhow::Result<()> {
        let (folder, next) = (&self.plan.folder, self.plan.next());
        let mut generations = Vec::new();
        for generation in 0..=self.plan.generations() {
            if folder.done(generation).exists() {
                let gate = read_json(&folder.gate(generation))?;
                generations.push(json!({ "generation": generation, "gate": gate }));
            }
        }
        let best = self.best()?;
        if as_json {
            return print_json(&json!({
                "folder": self.params.folder,
                "best": best,
                "generations": generations,
                "next": next.to_string(),
                "over": next == Stage::Over,
            }));
        }
        let best = best.map_or_else(|| "none".to_owned(), |best| text(&best.net));
        print(&format!(
            "{} of {} generations are done; best network: {best}; next: {next}\n",
            generations.len(),
            self.plan.generations() + 1,
        ))
    }
}

/// A player of a match with a network.
fn net_player(name: &str, net: &str, simulations: u64) -> String {
    format!("name={name} tedomari \"net={net}\" simulations={simulations}")
}

/// Keys whose values differ, with both values.
fn differences(old: &Config, new: &Config) -> Vec<(String, (String, String))> {
    let both = old.entries().into_iter().zip(new.entries());
    both.filter(|(old, new)| old != new)
        .map(|((key, old), (_, new))| (key, (old.to_string(), new.to_string())))
        .collect()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn read_json(path: &Path) -> anyhow::Result<Value> {
    let bytes = read_limited(path, MAX_JSON)?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", path.display()))
}

fn write_json(path: &Path, value: &Value) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    write_atomically(path, format!("{value}\n").as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}
