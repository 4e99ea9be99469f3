//! The evaluator that the configuration asks for.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use tracing::info;

use crate::config::Config;
use crate::eval::{BatchingEvaluator, CachedEvaluator, Evaluator, Fits, SelectedEvaluator};
use crate::nn::{DeviceChoice, GraphEvaluator, NetFile, NetParams, Orientation, builtin};
use crate::playout::PlayoutEvaluator;
use crate::util::Seed;

/// What stands before the name of a built-in network.
const BUILT_IN: &str = "builtin:";

/// The network that is named; without a name, for each game and board the built-in network that
/// was trained for it, and random games where there is none.
pub(super) fn make(config: &Config) -> anyhow::Result<Arc<dyn Evaluator>> {
    let path = config.net.path.as_str();
    if !path.is_empty() {
        let net = load(path)?;
        return with_net(&net, &config.net);
    }
    // A device that does not exist is an error also where no network would use it.
    choice(&config.net)?.open().context("in net.device")?;
    let seed = Seed::new(config.search.seed).fork("playouts", 0);
    let playouts = Arc::new(PlayoutEvaluator::new(seed));
    let nets = builtin::trained()?;
    let choices: anyhow::Result<Vec<(Fits, _)>> = nets
        .into_iter()
        .map(|net| {
            let evaluator = with_net(&net, &config.net)?;
            let fits: Fits = Box::new(move |game, size| net.fits(game, size));
            Ok((fits, evaluator))
        })
        .collect();
    Ok(Arc::new(SelectedEvaluator::new(choices?, playouts)))
}

/// A network by file or as `builtin:NAME`, checked.
pub(super) fn load(path: &str) -> anyhow::Result<NetFile> {
    let load = || -> anyhow::Result<NetFile> {
        let net = match path.strip_prefix(BUILT_IN) {
            Some(name) => builtin::named(name)?,
            None => NetFile::load(Path::new(path))?,
        };
        net.verify()?;
        Ok(net)
    };
    load().with_context(|| format!("in {path}"))
}

/// An evaluator with this network on the configured device, with a cache in front.
fn with_net(net: &NetFile, params: &NetParams) -> anyhow::Result<Arc<dyn Evaluator>> {
    let device = choice(params)?.open().context("in net.device")?;
    let manifest = &net.manifest;
    info!(name = manifest.name, shape = %manifest.shape, ?device, "network");
    // The checksum is hexadecimal: it was compared with one that this program made.
    let identity = u64::from_str_radix(&manifest.sha256[..16], 16).unwrap_or_default();
    let memory = params.cache_mb << 20;
    if device.is_cpu() {
        let evaluator = net.evaluator(Orientation::ByHash);
        return Ok(Arc::new(CachedEvaluator::new(evaluator, identity, memory)));
    }
    let graph = GraphEvaluator::new(&manifest.shape, &net.weights, device, Orientation::ByHash)
        .context("the network cannot be moved to the device")?;
    let max_batch = NonZeroUsize::new(params.max_batch).unwrap_or(NonZeroUsize::MIN);
    let batching = BatchingEvaluator::new(graph, max_batch)?;
    Ok(Arc::new(CachedEvaluator::new(batching, identity, memory)))
}

fn choice(params: &NetParams) -> anyhow::Result<DeviceChoice> {
    params.device.parse().context("in net.device")
}
