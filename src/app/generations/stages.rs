//! What is done in each stage of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, ensure};
use serde::Serialize;
use tracing::info;

use super::Generations;
use crate::app::label::{LabelSpec, label};
use crate::app::matches::{MatchSpec, PlayedMatch};
use crate::app::pieces::Part;
use crate::app::progress::{Display, Surroundings};
use crate::app::selfplay::{SelfplaySpec, Target, selfplay};
use crate::app::training::{TrainReport, TrainSpec};
use crate::arena::PlayerSpec;
use crate::config::Config;
use crate::game::Game;
use crate::nn::NetFile;
use crate::record::{Window, shard_files};
use crate::run::{Best, Folder, Gate, Meeting, Plan, RunParams, Stage};
use crate::train::TrainParams;
use crate::util::{Seed, make_folder, write_atomically};

/// What a run leaves to its caller.
pub trait Hands {
    /// Trains a network, in a process that computes as training wants it.
    fn train(&self, spec: &TrainSpec) -> anyhow::Result<TrainReport>;
    /// Plays a match with its results in a folder, and shows it.
    fn play(&self, spec: MatchSpec, out: &Path, config: &Config) -> anyhow::Result<PlayedMatch>;
}

/// Does the stages of a run.
pub struct Runner<'a> {
    /// The run.
    pub run: &'a Generations<'a>,
    /// Who trains and plays matches.
    pub hands: &'a dyn Hands,
    /// Set when the run is to end.
    pub stop: &'a Arc<AtomicBool>,
    /// Shows how far a stage is.
    pub display: &'a dyn Display,
}

impl Runner<'_> {
    /// Does what is missing, so many stages at the most, until it is told to stop.
    pub fn go(&self, most: u64) -> anyhow::Result<()> {
        self.run.begin()?;
        for _ in 0..most {
            let stage = self.plan().next();
            if stage == Stage::Over || self.stop.load(Ordering::Relaxed) {
                break;
            }
            info!(?stage, "begins");
            let done = self.stage(&stage);
            if self.stop.load(Ordering::Relaxed) {
                // What was under way goes on the next time.
                return Ok(());
            }
            done.with_context(|| format!("in {stage:?} of {}", self.params().folder))?;
        }
        Ok(())
    }

    const fn plan(&self) -> &Plan {
        &self.run.plan
    }

    const fn folder(&self) -> &Folder {
        &self.run.plan.folder
    }

    const fn params(&self) -> &RunParams {
        self.run.params
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
        let simulations = self.params().warm_simulations;
        let mut config = self.run.config.clone();
        for (key, value) in [
            ("selfplay.simulations", simulations.to_string().as_str()),
            ("selfplay.considered", "0"),
            ("selfplay.resign_value", "-1"),
            ("selfplay.noise", "0"),
            ("selfplay.remembered", "0"),
            ("selfplay.archive_share", "0"),
        ] {
            config = config.with(key, value)?;
        }
        let spec = self.games(0, self.params().warm_games)?;
        self.play_games(0, &SelfplaySpec { playouts: true, ..spec }, &config)
    }

    fn selfplay(&self, generation: u64, simulations: u64) -> anyhow::Result<()> {
        let best = self.run.best()?.context("there is no network yet")?;
        let config = self.run.config.with("selfplay.simulations", &simulations.to_string())?;
        let config = config.with("net.path", &text(&best.net))?;
        let mut spec = self.games(generation, self.params().games)?;
        let earlier = (0..generation).map(|earlier| self.folder().games(earlier));
        spec.archive.extend(earlier.filter(|games| games.exists()));
        self.play_games(generation, &spec, &config)
    }

    /// So many games of a generation.
    fn games(&self, generation: u64, games: u64) -> anyhow::Result<SelfplaySpec> {
        let seed = Seed::new(self.params().seed).fork("generation", generation);
        let out = Target::open(&text(&self.folder().games(generation)), std::iter::empty())?;
        Ok(SelfplaySpec {
            out,
            games,
            games_per_file: SelfplaySpec::GAMES_PER_FILE,
            playouts: false,
            archive: Vec::new(),
            seed: seed.number() >> 1,
            part: Part::WHOLE,
        })
    }

    fn play_games(
        &self,
        generation: u64,
        spec: &SelfplaySpec,
        config: &Config,
    ) -> anyhow::Result<()> {
        let report = selfplay(spec, &self.around(config))?;
        keep(&report, report.finished, &self.folder().games_done(generation))
    }

    const fn around<'b>(&'b self, config: &'b Config) -> Surroundings<'b> {
        Surroundings { config, stop: self.stop, display: self.display }
    }

    /// Has the teacher label the games of a generation.
    fn label(&self, generation: u64) -> anyhow::Result<()> {
        let (folder, params) = (self.folder(), self.params());
        let seed = Seed::new(params.seed).fork("labels", generation);
        let mut files = vec![folder.games(generation)];
        files.retain(|games| games.exists());
        if generation == 0 {
            files.extend(params.warm_data.split_whitespace().map(PathBuf::from));
        }
        let spec = LabelSpec {
            files,
            teacher: params.teacher.clone(),
            out: folder.labels(generation),
            params: self.run.config.label.clone(),
            holdout: LabelSpec::HOLDOUT,
            games_per_file: LabelSpec::GAMES_PER_FILE,
            part: Part::WHOLE,
            threads: 0,
            seed: seed.number() >> 1,
        };
        let report = label(&spec, &self.around(self.run.config))?;
        keep(&report, report.finished, &folder.labels_done(generation))
    }

    /// The games that a training up to a generation learns from: those with labels, if there is a teacher.
    fn data(&self, generation: u64) -> Vec<PathBuf> {
        let folder = self.folder();
        let mut data = Vec::new();
        let has_teacher = !self.params().teacher.is_empty();
        if !has_teacher {
            data.extend(self.params().warm_data.split_whitespace().map(PathBuf::from));
        }
        let own =
            (0..=generation).map(|g| if has_teacher { folder.labels(g) } else { folder.games(g) });
        data.extend(own.filter(|games| games.exists()));
        data
    }

    /// Trains on all games so far, as many steps as the new ones are worth.
    fn train(&self, generation: u64) -> anyhow::Result<()> {
        let folder = self.folder();
        let data = self.data(generation);
        let steps = if generation == 0 {
            self.params().warm_steps
        } else {
            // Counted in the games themselves: they may have been played by several calls.
            let labels = folder.labels(generation);
            let new = if labels.exists() { labels } else { folder.games(generation) };
            let rows = Window::open(&shard_files(&new)?, None)?.rows();
            let samples = self.params().reuse * rows as f64;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "positions of a generation"
            )]
            let steps = (samples / self.run.config.train.batch as f64).ceil() as u64;
            steps.max(1)
        };
        let init = (generation > 0).then(|| self.before(generation)).transpose()?;
        let shape = self.params().shape.parse().context("in run.shape")?;
        let spec = TrainSpec {
            data,
            out: folder.training(generation),
            shape: init.is_none().then_some(shape),
            window: init.is_some(),
            init,
            name: Some(self.params().name.clone()),
            follow: false,
            minutes: None,
            params: TrainParams { steps, ..self.run.config.train.clone() },
        };
        let report = self.hands.train(&spec)?;
        keep(&report, report.finished, &folder.training_done(generation))
    }

    /// The network that the training of a generation starts from: the last candidate, also where it
    /// was not accepted.
    fn before(&self, generation: u64) -> anyhow::Result<String> {
        let candidates =
            (0..generation).rev().map(|g| self.folder().candidate(g, &self.params().name));
        if let Some(last) = candidates.into_iter().find(|candidate| candidate.exists()) {
            return Ok(text(&last));
        }
        ensure!(!self.params().start.is_empty(), "there is no network to start from");
        Ok(self.params().start.clone())
    }

    /// Plays the matches of a candidate; the better one is the best from now on.
    fn gate(&self, generation: u64) -> anyhow::Result<()> {
        let folder = self.folder();
        let candidate = folder.candidate(generation, &self.params().name);
        let net = if candidate.exists() { text(&candidate) } else { self.params().start.clone() };
        let mut gate = Gate { accepted: true, against_best: None, games: 0 };
        if let Some(best) = self.run.best()? {
            let other = net_player("best", &text(&best.net), self.params().gate_simulations);
            let games = self.params().gate_games;
            let (score, games) = self.meet(generation, Meeting::Best, (&net, &other), games)?;
            gate.accepted = score >= self.params().gate_score;
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
            write_json(&folder.best(), &best)?;
        }
        write_json(&folder.gate(generation), &gate)?;
        info!(generation, accepted = gate.accepted, score = gate.against_best, "gate");
        let done = folder.done(generation);
        write_atomically(&done, b"").with_context(|| format!("cannot write {}", done.display()))
    }

    /// How a new best network does against others, in words.
    fn measure(&self, generation: u64, net: &str, gate: &Gate) -> anyhow::Result<String> {
        let params = self.params();
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
        if !params.measure_program.is_empty() && self.run.config.game.rules().game == Game::Go {
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
        let out = self.folder().matches(generation, meeting);
        let candidate = net_player("candidate", net, self.params().gate_simulations);
        let players = [candidate.as_str(), other].map(PlayerSpec::read);
        let players = players.into_iter().collect::<Result<_, _>>()?;
        let spec = MatchSpec {
            games: Some(games),
            seed: self.params().seed + generation,
            ..MatchSpec::of(players)
        };
        let played = self.hands.play(spec, &out, self.run.config)?;
        ensure!(played.standing.is_over(), "it was left before its end: the same command goes on");
        let pairing = played.summary.pairings.first().context("no game has ended")?;
        Ok((pairing.score.context("the match has no score")?, pairing.games))
    }
}

/// Writes down what became of a stage that is done.
fn keep(report: &impl Serialize, finished: bool, path: &Path) -> anyhow::Result<()> {
    ensure!(finished, "it was left before its end: the same command goes on");
    write_json(path, report)
}

/// A player of a match with a network.
fn net_player(name: &str, net: &str, simulations: u64) -> String {
    format!("name={name} tedomari \"net={net}\" simulations={simulations}")
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn write_json(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let text = serde_json::to_string(value)? + "\n";
    write_atomically(path, text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}
