//! Evaluators as users write them.

use std::sync::Arc;

use anyhow::{Context, bail};

use tedomari::app::evaluators;
use tedomari::config::Config;
use tedomari::util::Seed;
use tedomari_lab::{Assessor, Programs, Scale, Searched};

/// UCB1 as in Takeuchi et al. with chances in [0, 1]: `p + sqrt(2 ln n / s)`. Values of the search are
/// in [-1, 1], so that its constant is twice the root of two.
const UCB1: f64 = 2.0 * std::f64::consts::SQRT_2;

/// An evaluator, its name, and what its values are kept under.
pub(super) struct Described {
    pub(super) name: String,
    pub(super) assessor: Assessor,
    /// Everything that its values depend on.
    pub(super) identity: String,
    /// Positions that it looks at, the first of all; none for all.
    pub(super) positions: Option<usize>,
}

/// Reads an evaluator; `first=N` before it has it look at the first N positions alone.
pub(super) fn read(text: &str, config: &Config) -> anyhow::Result<Described> {
    let text = text.trim();
    let Some(rest) = text.strip_prefix("first=") else { return read_one(text, config) };
    let (number, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let number = number.parse().ok().filter(|&number: &usize| number > 0);
    let number = number.with_context(|| format!("in '{text}': write first=NUMBER EVALUATOR"))?;
    Ok(Described { positions: Some(number), ..read_one(rest.trim(), config)? })
}

/// Reads `mc:N`, `mc-score:N`, `uct:N`, `uct-tuned:N`, `net`, `search:N` or `gtp:COMMAND LINE`; settings
/// as `KEY=VALUE` may follow all but the last.
fn read_one(text: &str, config: &Config) -> anyhow::Result<Described> {
    let seed = Seed::new(config.search.seed).fork("lab", 0);
    let describe = |assessor, rest: &str| Described {
        name: text.to_owned(),
        assessor,
        identity: format!("{text} seed={}{rest}", config.search.seed),
        positions: None,
    };
    if let Some(command) = text.strip_prefix("gtp:") {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        return Ok(describe(Assessor::Program(Programs::new(words)), ""));
    }
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let (kind, number) = match first.split_once(':') {
        Some((kind, number)) => {
            let number: u32 =
                number.parse().ok().filter(|&number| number > 0).with_context(|| {
                    format!("in '{first}': write a number of simulations behind the colon")
                })?;
            (kind, Some(number))
        }
        None => (first, None),
    };
    let mut config = config.clone();
    if kind.starts_with("uct") {
        let formula = if kind == "uct" { "ucb1" } else { "ucb1-tuned" };
        config = config
            .with("net.path", "none")?
            .with("playout.policy", "uniform")?
            .with("search.rave", "0")?
            .with("search.formula", formula)?
            .with("search.exploration", &UCB1.to_string())?;
    }
    for word in words {
        let (key, value) = word
            .split_once('=')
            .with_context(|| format!("'{word}' is no setting: write KEY=VALUE"))?;
        config = config.with(key, value)?;
    }
    let net = format!(" net.path={}", config.net.path);
    let searched = |simulations: u32| Searched {
        params: config.search.clone(),
        playouts: config.playout.clone(),
        simulations: u64::from(simulations),
        seed,
    };
    Ok(match (kind, number) {
        ("mc", Some(playouts)) => {
            describe(Assessor::MonteCarlo { playouts, scale: Scale::Chance, seed }, "")
        }
        ("mc-score", Some(playouts)) => {
            describe(Assessor::MonteCarlo { playouts, scale: Scale::Points, seed }, "")
        }
        ("uct" | "uct-tuned", Some(number)) => describe(Assessor::Playouts(searched(number)), ""),
        ("net", None) => {
            describe(Assessor::Raw(Arc::clone(&evaluators::without_memory(&config)?)), &net)
        }
        ("search", Some(number)) => {
            // Random games of one stream for all positions would depend on their order.
            let assessor = if config.net.path == evaluators::NO_NET {
                Assessor::Playouts(searched(number))
            } else {
                Assessor::Search(evaluators::without_memory(&config)?, searched(number))
            };
            describe(assessor, &net)
        }
        _ => bail!(
            "'{text}' is no evaluator: write mc:N, mc-score:N, uct:N, uct-tuned:N, net, search:N or \
             gtp:COMMAND LINE, with KEY=VALUE behind it for settings"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluators_are_read() {
        let config = Config::default();
        for good in [
            "mc:5",
            "mc-score:5",
            "uct:7",
            "uct-tuned:7",
            "search:9 net.path=none search.exploration=0.5",
        ] {
            let described = read(good, &config).unwrap();
            assert_eq!(described.name, good);
            assert!(described.identity.starts_with(good));
        }
        let first = read("first=100 mc:5", &config).unwrap();
        assert_eq!((first.name.as_str(), first.positions), ("mc:5", Some(100)));
        assert_eq!(first.identity, read("mc:5", &config).unwrap().identity);
        assert!(matches!(read("uct:7", &config).unwrap().assessor, Assessor::Playouts(_)));
        let error = |text: &str| format!("{:#}", read(text, &config).err().unwrap());
        assert!(error("first=0 mc:5").contains("first=NUMBER"));
        assert!(error("first=10").contains("write mc:N"));
        assert!(error("mc").contains("write mc:N"));
        assert!(error("mc:0").contains("number of simulations"));
        assert!(error("net:5").contains("write mc:N"));
        assert!(error("uct:5 fast").contains("KEY=VALUE"));
        assert!(error("uct:5 search.no=1").contains("search.no"));
    }
}
