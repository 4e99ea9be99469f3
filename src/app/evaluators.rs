//! The evaluator that the configuration asks for.

use std::num::NonZeroUsize;
use std::sync::Arc;

use anyhow::Context;
use tracing::info;

use crate::config::Config;
use crate::eval::{
    BatchingEvaluator, CacheMemory, CachedEvaluator, EvalError, Evaluator, Fits, LazyEvaluator,
    SelectedEvaluator,
};
use crate::game::{BoardSize, Game};
use crate::gtp::Describe;
use crate::nn::katago::KataGoGraph;
use crate::nn::{
    DeviceChoice, GraphEvaluator, KataGoFile, Manifest, NetFile, NetParams, Network, Orientation,
    builtin,
};
use crate::playout::PlayoutEvaluator;
use crate::util::Seed;

/// Instead of the name of a network: none, but games played to the end.
pub const NO_NET: &str = "none";

/// What stands before the name of a built-in network.
pub const BUILT_IN: &str = "builtin:";

/// The network that is named; without a name, for each game and board the built-in network that
/// was trained for it, and games played to the end where there is none.
pub fn make(config: &Config) -> anyhow::Result<Arc<dyn Evaluator>> {
    Ok(make_whole(config)?.0)
}

/// An evaluator with the games that it knows, and the network that was named.
pub type Whole = (Arc<dyn Evaluator>, Vec<Game>, Option<Network>);

/// The same with more about it.
pub fn make_whole(config: &Config) -> anyhow::Result<Whole> {
    let (evaluator, games, net) = match config.net.path.as_str() {
        "" => (built_in(config)?, Game::ALL.to_vec(), None),
        NO_NET => (playouts(config), Game::ALL.to_vec(), None),
        path => {
            let net = load(path)?;
            must_know(&net, path, config)?;
            let games = net.games();
            let terms = Terms::new(config);
            let evaluator = match &net {
                Network::Own(net) => with_net(net, &terms)?,
                Network::KataGo(net) => with_katago(net, &terms)?,
            };
            (evaluator, games, Some(net))
        }
    };
    evaluator.begin_game(Seed::new(config.search.seed));
    Ok((evaluator, games, net))
}

/// Refuses a network that is named and was made for another game than the configured one.
pub fn check_game(config: &Config) -> anyhow::Result<()> {
    match config.net.path.as_str() {
        "" | NO_NET => Ok(()),
        path => {
            let net = Network::load(path).with_context(|| format!("in {path}"))?;
            must_know(&net, path, config)
        }
    }
}

fn must_know(net: &Network, path: &str, config: &Config) -> anyhow::Result<()> {
    must_know_game(&net.games(), path, config)
}

/// The same for a network that knows these games.
pub fn must_know_game(games: &[Game], path: &str, config: &Config) -> anyhow::Result<()> {
    let game = config.game.rules().game;
    anyhow::ensure!(
        games.contains(&game),
        "{path} is a network for {}, and the game is {game}: choose the game with --game, or \
         another network",
        games.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and "),
    );
    Ok(())
}

/// Says in words who plays a game on a board.
#[must_use]
pub fn describe(config: &Config) -> Describe {
    let config = config.clone();
    Box::new(move |game, size| {
        let built_in = |name: &str| Some(fitting(game, size)?).filter(|net| net.name == name);
        let Some(path) = chosen(&config, game, size) else {
            return format!("{game} on {size}: a tree search with playouts, without a network");
        };
        let net = match path.strip_prefix(BUILT_IN).and_then(built_in) {
            Some(net) => format!("{} ({})", net.name, net.shape),
            None => path.clone(),
        };
        format!("{game} on {size}: a tree search with the network {net}")
    })
}

/// The network for a game on a board: the one that is named, or the built-in one that was trained for it.
fn chosen(config: &Config, game: Game, size: BoardSize) -> Option<String> {
    match config.net.path.as_str() {
        NO_NET => None,
        "" => fitting(game, size).map(|net| format!("{BUILT_IN}{}", net.name)),
        path => Some(path.to_owned()),
    }
}

/// The built-in network that is chosen for a game on a board, if one was trained for it.
#[must_use]
pub fn fitting(game: Game, size: BoardSize) -> Option<Manifest> {
    builtin::trained().ok()?.into_iter().find(|net| net.fits(game, size))
}

/// For each game and board the built-in network that was trained for it, and playouts elsewhere.
fn built_in(config: &Config) -> anyhow::Result<Arc<dyn Evaluator>> {
    // A device that does not exist is an error also where no network would use it.
    choice(&config.net)?.open().context("in net.device")?;
    let terms = Terms::new(config);
    let load = move |manifest: &Manifest| {
        // Those on the larger boards are checked by a test: a start takes milliseconds.
        with_net(&builtin::named(&manifest.name)?, &terms)
            .with_context(|| format!("in {BUILT_IN}{}", manifest.name))
    };
    let start = (config.game.rules().game, config.game.size());
    Ok(Arc::new(select(builtin::trained()?, load, start, playouts(config))?))
}

/// The built-in networks that are played with, of which the first that fits a position is asked; none where
/// another one is named.
#[must_use]
pub fn built_in_nets(config: &Config) -> Option<Vec<Manifest>> {
    let all = builtin::trained().ok()?;
    match config.net.path.as_str() {
        "" => Some(all),
        path => {
            let name = path.strip_prefix(BUILT_IN)?;
            Some(all.into_iter().filter(|net| net.name == name).collect())
        }
    }
}

/// What evaluates the configured game, in words.
#[must_use]
pub fn name(config: &Config) -> String {
    let (game, size) = (config.game.rules().game, config.game.size());
    let net = chosen(config, game, size);
    net.unwrap_or_else(|| format!("{} playouts", config.playout.policy))
}

/// The network of our own that the configuration names or chooses for its game and board.
pub fn net_file(config: &Config) -> anyhow::Result<NetFile> {
    let (game, size) = (config.game.rules().game, config.game.size());
    match chosen(config, game, size).map(|path| load(&path)).transpose()? {
        Some(Network::Own(net)) => Ok(*net),
        _ => anyhow::bail!(
            "this needs one of the program's own networks: name one by --net NAME.safetensors"
        ),
    }
}

/// The network without memory.
pub fn without_memory(config: &Config) -> anyhow::Result<Arc<dyn Evaluator>> {
    let net = NetParams { cache_mb: 0, ..config.net.clone() };
    make(&Config { net, ..config.clone() })
}

/// A network by its name alone, whatever the configured game is, without memory.
pub fn of_net(path: &str, config: &Config) -> anyhow::Result<Arc<dyn Evaluator>> {
    let terms = Terms { params: config.net.clone(), memory: None };
    match load(path)? {
        Network::Own(net) => with_net(&net, &terms),
        Network::KataGo(net) => with_katago(&net, &terms),
    }
}

/// For each game and board the first network whose manifest fits. The one for the start is loaded
/// now, so that it costs no time of the first move and its errors are seen; every other one when
/// the first of its positions comes.
fn select(
    nets: Vec<Manifest>,
    load: impl Fn(&Manifest) -> anyhow::Result<Arc<dyn Evaluator>> + Send + Sync + 'static,
    start: (Game, BoardSize),
    last_resort: Arc<dyn Evaluator>,
) -> anyhow::Result<SelectedEvaluator> {
    let at_start = nets.iter().position(|net| net.fits(start.0, start.1));
    let load = Arc::new(load);
    let mut choices: Vec<(Fits, Arc<dyn Evaluator>)> = Vec::with_capacity(nets.len());
    for (number, manifest) in nets.into_iter().enumerate() {
        let fitting = manifest.clone();
        let fits: Fits = Box::new(move |game, size| fitting.fits(game, size));
        let evaluator = if at_start == Some(number) {
            load(&manifest)?
        } else {
            let load = Arc::clone(&load);
            Arc::new(LazyEvaluator::new(move || {
                load(&manifest).map_err(|error| EvalError::Make(format!("{error:#}")))
            }))
        };
        choices.push((fits, evaluator));
    }
    Ok(SelectedEvaluator::new(choices, last_resort))
}

/// A network by file or as `builtin:NAME`, checked.
pub fn load(path: &str) -> anyhow::Result<Network> {
    let load = || -> anyhow::Result<Network> {
        let net = Network::load(path)?;
        net.verify()?;
        Ok(net)
    };
    load().with_context(|| format!("in {path}"))
}

/// On what terms networks are used.
struct Terms {
    params: NetParams,
    /// What is remembered of all of them; none if nothing is to be.
    memory: Option<CacheMemory>,
}

impl Terms {
    fn new(config: &Config) -> Self {
        let parts = config.memory();
        info!(?parts, "memory in bytes");
        let memory = (parts.cache > 0).then(|| CacheMemory::new(parts.cache));
        Self { params: config.net.clone(), memory }
    }
}

/// An evaluator with this network on the configured device, with a cache in front.
fn with_net(net: &NetFile, terms: &Terms) -> anyhow::Result<Arc<dyn Evaluator>> {
    let device = choice(&terms.params)?.open().context("in net.device")?;
    let manifest = &net.manifest;
    info!(name = manifest.name, shape = %manifest.shape, ?device, "loaded a network");
    if device.is_cpu() {
        let evaluator = net.checked_evaluator(Orientation::ByHash)?;
        return Ok(remembering(evaluator, &manifest.sha256, terms));
    }
    let graph = GraphEvaluator::new(&manifest.shape, &net.weights, device, Orientation::ByHash)
        .context("the network cannot be moved to the device")?;
    Ok(remembering(batching(graph, &terms.params)?, &manifest.sha256, terms))
}

/// Games played to the end, whose random numbers start with the game.
fn playouts(config: &Config) -> Arc<dyn Evaluator> {
    Arc::new(PlayoutEvaluator::with(config.playout.clone(), Seed::new(0)))
}

/// The same with one of KataGo's networks.
fn with_katago(net: &KataGoFile, terms: &Terms) -> anyhow::Result<Arc<dyn Evaluator>> {
    let device = choice(&terms.params)?.open().context("in net.device")?;
    info!(name = net.model.name, shape = net.model.shape(), ?device, "loaded a network of KataGo");
    if device.is_cpu() {
        return Ok(remembering(net.evaluator(Orientation::ByHash), &net.sha256, terms));
    }
    let graph = KataGoGraph::new(Arc::clone(&net.model), device, Orientation::ByHash)
        .context("the network cannot be moved to the device")?;
    Ok(remembering(batching(graph, &terms.params)?, &net.sha256, terms))
}

fn batching<E: Evaluator + 'static>(
    graph: E,
    params: &NetParams,
) -> anyhow::Result<BatchingEvaluator> {
    let max_batch = NonZeroUsize::new(params.max_batch).unwrap_or(NonZeroUsize::MIN);
    Ok(BatchingEvaluator::new(graph, max_batch)?)
}

/// An evaluator with a network of this checksum, with memory in front if it is to have some.
fn remembering(net: impl Evaluator + 'static, sha256: &str, terms: &Terms) -> Arc<dyn Evaluator> {
    let Some(memory) = &terms.memory else { return Arc::new(net) };
    // The checksum is hexadecimal: it was made by this program or compared with one that was.
    let identity = u64::from_str_radix(&sha256[..16], 16).unwrap_or_default();
    Arc::new(CachedEvaluator::sharing(net, identity, memory))
}

/// Whether networks are computed by the processor.
#[must_use]
pub fn runs_on_cpu(params: &NetParams) -> bool {
    choice(params).ok().and_then(|choice| choice.open().ok()).is_none_or(|device| device.is_cpu())
}

fn choice(params: &NetParams) -> anyhow::Result<DeviceChoice> {
    params.device.parse().context("in net.device")
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::eval::{HashedEvaluator, UniformEvaluator, Value};
    use crate::game::{Komi, Position, Rules};

    /// A manifest of this name for NoGo on one size of board.
    fn manifest(name: &str, side: usize) -> Manifest {
        let untrained = builtin::named("untrained").unwrap().manifest;
        let games = vec!["nogo".to_owned()];
        Manifest { name: name.to_owned(), games, boards: [side, side], ..untrained }
    }

    #[test]
    fn only_networks_that_are_used_are_loaded() {
        let loaded = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&loaded);
        let load = move |manifest: &Manifest| -> anyhow::Result<Arc<dyn Evaluator>> {
            list.lock().unwrap().push(manifest.name.clone());
            anyhow::ensure!(manifest.name != "damaged", "no weights");
            Ok(Arc::new(UniformEvaluator))
        };
        let nets = vec![
            manifest("seven", 7),
            manifest("nine", 9),
            manifest("nine-too", 9),
            manifest("damaged", 13),
        ];
        let size = |side| BoardSize::square(side).unwrap();
        let evaluator =
            select(nets, load, (Game::NoGo, size(9)), Arc::new(HashedEvaluator)).unwrap();
        let value = |side, rules| {
            let position = Position::new(size(side), rules, Komi::default());
            evaluator.evaluate(&[&position]).map(|answers| answers[0].value)
        };
        assert_eq!(*loaded.lock().unwrap(), ["nine"]);
        assert_ne!(value(7, Rules::CGOS).unwrap(), Value::DRAW);
        assert_eq!(value(9, Rules::NOGO).unwrap(), Value::DRAW);
        assert_eq!(*loaded.lock().unwrap(), ["nine"]);
        assert_eq!(value(7, Rules::NOGO).unwrap(), Value::DRAW);
        assert_eq!(*loaded.lock().unwrap(), ["nine", "seven"]);
        let error = value(13, Rules::NOGO).unwrap_err().to_string();
        assert_eq!(error, "the evaluator cannot be made: no weights");
    }
}
