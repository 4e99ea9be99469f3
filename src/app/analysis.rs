//! The analysis service that a configuration asks for.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;

use super::loading::{self, Loading};
use crate::analysis::katago::{Context, Settings, Unusable};
use crate::analysis::{History, Service, Setup};
use crate::config::Config;
use crate::nn::glance;
use crate::search::SearchParams;
use crate::util::threads_or_cores;

/// A tree with less memory is no use.
const LEAST_TREE_MIB: usize = 4;

/// A service, and what its clients have in common.
pub struct Analysis {
    /// What searches.
    pub service: Service,
    /// What KataGo's protocol needs beside it.
    pub context: Arc<Context>,
}

/// One of KataGo's parameters with its value.
pub type Parameter = (String, String);

/// What becomes of KataGo's parameters.
pub struct Overridden {
    /// The configuration with what they change in it.
    pub config: Config,
    /// Those that are for the search.
    pub search: Vec<Parameter>,
    /// The names of those without an equivalent.
    pub unknown: Vec<String>,
}

/// Sorts KataGo's parameters by what they change.
pub fn override_config(mut config: Config, pairs: &[Parameter]) -> anyhow::Result<Overridden> {
    let (mut search, mut unknown) = (Vec::new(), Vec::new());
    for (key, value) in pairs {
        let own = match key.as_str() {
            "numAnalysisThreads" => Some("analysis.threads"),
            "numSearchThreads" | "numSearchThreadsPerAnalysisThread" => Some("search.threads"),
            "nnMaxBatchSize" => Some("net.max_batch"),
            _ => None,
        };
        if let Some(own) = own {
            config = config.with(own, value).with_context(|| format!("in {key}={value}"))?;
            continue;
        }
        match settings(&config).set(key, value) {
            Ok(()) => search.push((key.clone(), value.clone())),
            Err(Unusable::Unknown(key)) => unknown.push(key),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Overridden { config, search, unknown })
}

/// How positions are searched where a query says nothing else. Those that are searched at the same time share cores and memory.
fn settings(config: &Config) -> Settings {
    let positions = config.analysis.threads;
    let SearchParams { max_memory, threads, .. } = config.engine().search;
    let threads = if threads == 0 { (threads_or_cores(0) / positions).max(1) } else { threads };
    let search = SearchParams {
        threads,
        max_memory: (max_memory / positions).max(LEAST_TREE_MIB),
        // Those are for moves that are played.
        max_simulations: 0,
        ..config.engine().search
    };
    Settings::new(&config.analysis, search)
}

/// Loads the network, starts the threads, and sets these of KataGo's parameters.
pub fn start(
    config: &Config,
    parameters: &[Parameter],
    now: Box<dyn Fn() -> Duration + Send + Sync>,
) -> anyhow::Result<Analysis> {
    let Loading { evaluator, games, models, background } = loading::begin(config)?;
    if let Some(background) = background {
        background.wait().context("the network could not be loaded")?;
    }
    let mut settings = settings(config);
    settings.ignore_history = hides_history(config);
    for (key, value) in parameters {
        settings.set(key, value)?;
    }
    let threads = config.analysis.threads;
    let service = Service::start(Setup { evaluator, threads, now })
        .context("the system gives no thread for the analysis")?;
    let version = env!("CARGO_PKG_VERSION").to_owned();
    Ok(Analysis { service, context: Arc::new(Context { settings, games, models, version }) })
}

/// Whether the network is not to see which moves led to a position.
fn hides_history(config: &Config) -> bool {
    let path = config.net.path.as_str();
    match config.analysis.history {
        History::Shown => false,
        History::Hidden => true,
        // What is no file is no network of KataGo.
        History::Auto => glance(path).is_ok_and(|glance| glance.games.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_share_cores_and_memory() {
        let config = |pairs: &[(&str, &str)]| {
            let set =
                |config: Config, &(key, value): &(&str, &str)| config.with(key, value).unwrap();
            pairs.iter().fold(Config::default(), set)
        };
        let found = settings(&config(&[("analysis.threads", "4"), ("search.max_memory", "100")]));
        assert_eq!(found.search.max_memory, 25);
        assert_eq!(found.search.threads, (threads_or_cores(0) / 4).max(1));
        let found = settings(&config(&[("search.threads", "3"), ("analysis.max_visits", "7")]));
        assert_eq!((found.search.threads, found.visits), (3, 7));
    }

    #[test]
    fn parameters_of_katago_change_the_configuration_or_the_search() {
        let pairs = [("numAnalysisThreads", "3"), ("maxVisits", "9"), ("logDir", "x")];
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let found = override_config(Config::default(), &pairs).unwrap();
        assert_eq!(found.config.analysis.threads, 3);
        assert_eq!(
            (found.search, found.unknown),
            (vec![pairs[1].clone()], vec!["logDir".to_owned()])
        );
        let wrong = [("maxVisits".to_owned(), "none".to_owned())];
        let error = override_config(Config::default(), &wrong).err().unwrap().to_string();
        assert!(error.contains("maxVisits"), "{error}");
    }
}
