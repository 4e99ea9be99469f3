//! Large networks are loaded while the conversation has begun.
//!
//! A client that starts an engine asks for its name and its commands, and waits no longer for that
//! than for any other answer. What a file is and whether its beginning is right is found out before
//! the conversation, and small files are loaded before it; the rest of a large one is read
//! meanwhile, and the first command that needs it waits.

use std::sync::{Arc, OnceLock};

use anyhow::Context;
use serde_json::{Value, json};
use tracing::error;

use super::evaluators::{self, BUILT_IN, NO_NET};
use crate::config::Config;
use crate::eval::{BackgroundEvaluator, EvalError, Evaluator};
use crate::game::Game;
use crate::gtp::Models;
use crate::nn::{Glance, Network, glance};

/// Files up to this size are loaded before the conversation.
const SMALL: u64 = 1 << 20;

/// The evaluator of a conversation.
pub struct Loading {
    /// What evaluates positions, or will when it has been loaded.
    pub evaluator: Arc<dyn Evaluator>,
    /// The games that it knows.
    pub games: Vec<Game>,
    /// Tells of the networks.
    pub models: Models,
    /// What may still be being loaded.
    pub background: Option<Arc<BackgroundEvaluator>>,
}

/// The evaluator that the configuration asks for, see [`evaluators::make_whole`].
pub fn begin(config: &Config) -> anyhow::Result<Loading> {
    let parts = config.memory();
    anyhow::ensure!(
        config.memory.limit == 0 || parts.fit(),
        "memory.limit is {} MiB, and the program takes {} with its threads and its network, a tree not \
         counted: allow more",
        config.memory.limit,
        parts.fixed.div_ceil(1 << 20),
    );
    let path = config.net.path.as_str();
    if matches!(path, "" | NO_NET) || path.starts_with(BUILT_IN) {
        return now(config);
    }
    let Glance { bytes, games } = glance(path).with_context(|| format!("in {path}"))?;
    match games {
        Some(games) if bytes > SMALL => {
            evaluators::must_know_game(&games, path, config)?;
            behind(config, games)
        }
        _ => now(config),
    }
}

/// Loads before it returns.
fn now(config: &Config) -> anyhow::Result<Loading> {
    let (evaluator, games, net) = evaluators::make_whole(config)?;
    let models = net.as_ref().map_or_else(|| built_in(config), |net| vec![model(net, config)]);
    let models: Models = Box::new(move || Ok(Value::from(models.clone())));
    Ok(Loading { evaluator, games, models, background: None })
}

/// Loads meanwhile.
fn behind(config: &Config, games: Vec<Game>) -> anyhow::Result<Loading> {
    let (all, about) = (config.clone(), Arc::new(OnceLock::new()));
    let told = Arc::clone(&about);
    let make = move || {
        let made = evaluators::make_whole(&all).map_err(|reason| {
            error!("the network cannot be loaded: {reason:#}");
            EvalError::Make(format!("{reason:#}"))
        });
        let (evaluator, _, net) = made?;
        let models: Vec<_> = net.iter().map(|net| model(net, &all)).collect();
        let _ = told.set(models);
        Ok(evaluator)
    };
    let background = BackgroundEvaluator::new(make).context("no thread to load the network")?;
    let background = Arc::new(background);
    let waiting = Arc::clone(&background);
    let models: Models = Box::new(move || {
        waiting.wait().map_err(|error| error.to_string())?;
        Ok(Value::from(about.get().cloned().unwrap_or_default()))
    });
    let evaluator: Arc<dyn Evaluator> = Arc::clone(&background) as _;
    Ok(Loading { evaluator, games, models, background: Some(background) })
}

/// The networks that are built in and may be asked.
fn built_in(config: &Config) -> Vec<Value> {
    let nets = evaluators::built_in_nets(config).unwrap_or_default();
    let names = nets.iter().map(|net| (net.name.as_str(), i64::from(net.features)));
    names
        .map(|(name, version)| entry(&format!("{BUILT_IN}{name}"), name, version, config))
        .collect()
}

/// A network as `kata-get-models` tells of it.
fn model(net: &Network, config: &Config) -> Value {
    let version = match net {
        Network::Own(net) => i64::from(net.manifest.features),
        Network::KataGo(net) => net.model.version,
    };
    entry(&config.net.path, net.name(), version, config)
}

fn entry(path: &str, name: &str, version: i64, config: &Config) -> Value {
    let on_cpu = evaluators::runs_on_cpu(&config.net);
    json!({
        "name": path,
        "internalName": name,
        "maxBatchSize": config.net.max_batch,
        "usesHumanSLProfile": false,
        "version": version,
        "usingFP16": !on_cpu,
    })
}
