//! The configuration: every parameter of every module, as `engine.toml` holds them.

mod docs;
mod load;
mod memory;

use serde::{Deserialize, Serialize};

pub use load::{ConfigError, SHORT, long_name};
pub use memory::{MemoryParams, MemoryParts};

use crate::analysis::AnalysisParams;
use crate::engine::{EngineParams, GameParams, PlayParams};
use crate::gtp::{GtpParams, Settings};
use crate::nn::NetParams;
use crate::playout::PlayoutParams;
use crate::record::LabelParams;
use crate::run::RunParams;
use crate::search::SearchParams;
use crate::selfplay::SelfplayParams;
use crate::timeman::TimeParams;
use crate::train::TrainParams;
use crate::uncertainty::UncertaintyParams;
use crate::util::{Any, Field, Params, Words, choices, params};

choices! {
    /// How much is written.
    pub enum LogLevel {
        /// Nothing.
        Off = "off",
        /// What went wrong.
        Error = "error",
        /// What may go wrong.
        Warn = "warn",
        /// What happens.
        Info = "info",
        /// How it happens.
        Debug = "debug",
        /// Everything.
        Trace = "trace",
    }
}

params! {
    /// What is written about the engine's work, to standard error or a file.
    pub struct LogParams {
        /// How much.
        pub level: LogLevel = LogLevel::Warn, Words;
        /// The file to append to; empty for standard error.
        pub file: String = String::new(), Any;
    }
}

/// All parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The game at the start.
    pub game: GameParams,
    /// How to play.
    pub play: PlayParams,
    /// How long to think.
    pub time: TimeParams,
    /// The memory of the process.
    pub memory: MemoryParams,
    /// The tree search.
    pub search: SearchParams,
    /// The network.
    pub net: NetParams,
    /// Games played to the end in place of a network.
    pub playout: PlayoutParams,
    /// Self-play.
    pub selfplay: SelfplayParams,
    /// What a teacher labels.
    pub label: LabelParams,
    /// Training.
    pub train: TrainParams,
    /// Uncertainty networks.
    pub uncertainty: UncertaintyParams,
    /// Generations.
    pub run: RunParams,
    /// The analysis of many positions.
    pub analysis: AnalysisParams,
    /// The protocol.
    pub gtp: GtpParams,
    /// Logs.
    pub log: LogParams,
}

/// A section with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its name in `engine.toml`.
    pub name: &'static str,
    /// What it is about.
    pub about: String,
    /// Its parameters.
    pub fields: Vec<Field>,
}

fn section<P: Params>(name: &'static str, params: &P) -> Section {
    Section { name, about: P::about(), fields: params.fields() }
}

impl Config {
    /// All sections in the order of `engine.toml`.
    #[must_use]
    pub fn sections(&self) -> Vec<Section> {
        vec![
            section("game", &self.game),
            section("play", &self.play),
            section("time", &self.time),
            section("memory", &self.memory),
            section("search", &self.search),
            section("net", &self.net),
            section("playout", &self.playout),
            section("selfplay", &self.selfplay),
            section("label", &self.label),
            section("train", &self.train),
            section("uncertainty", &self.uncertainty),
            section("run", &self.run),
            section("analysis", &self.analysis),
            section("gtp", &self.gtp),
            section("log", &self.log),
        ]
    }

    /// The part that the engine needs, with the tree's part of the memory.
    #[must_use]
    pub fn engine(&self) -> EngineParams {
        EngineParams {
            game: self.game.clone(),
            play: self.play.clone(),
            time: self.time.clone(),
            search: SearchParams {
                max_memory: (self.memory().tree >> 20).min(SearchParams::MOST_MEMORY),
                ..self.search.clone()
            },
        }
    }

    /// All keys with their values, such as `time.lag_ms` and `200`.
    #[must_use]
    pub fn entries(&self) -> Vec<(String, toml::Value)> {
        let entries = |section: Section| {
            let name = section.name;
            section.fields.into_iter().map(move |f| (format!("{name}.{}", f.name), f.value))
        };
        self.sections().into_iter().flat_map(entries).collect()
    }
}

impl Settings for Config {
    fn list(&self) -> Vec<(String, String)> {
        self.entries().into_iter().map(|(key, value)| (key, value.to_string())).collect()
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        *self = self.with(key, value).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn engine(&self) -> EngineParams {
        self.engine()
    }

    fn gtp(&self) -> GtpParams {
        self.gtp.clone()
    }
}
