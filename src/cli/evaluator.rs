//! The evaluator that the configuration asks for.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use tracing::info;

use crate::config::Config;
use crate::eval::Evaluator;
use crate::nn::{DeviceChoice, NetFile, Orientation};
use crate::playout::PlayoutEvaluator;
use crate::util::Seed;

/// Random games, or the network that is named, checked before it is used.
pub(super) fn make(config: &Config) -> anyhow::Result<Arc<dyn Evaluator>> {
    let choice: DeviceChoice = config.net.device.parse().context("in net.device")?;
    if config.net.path.is_empty() {
        let seed = Seed::new(config.search.seed).fork("playouts", 0);
        return Ok(Arc::new(PlayoutEvaluator::new(seed)));
    }
    let path = Path::new(&config.net.path);
    let net = NetFile::load(path).with_context(|| format!("in {}", path.display()))?;
    net.verify().with_context(|| format!("in {}", path.display()))?;
    let device = choice.open().context("in net.device")?;
    info!(name = net.manifest.name, shape = %net.manifest.shape, ?device, "network");
    Ok(Arc::new(net.evaluator(Orientation::ByHash)))
}
