//! Settings that every command and every program has.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::log;
use crate::app::evaluators;
use crate::config::Config;

/// A flag, the key that it sets, and to what, if it was given.
pub type Flag = (&'static str, &'static str, Option<String>);

/// Where the configuration comes from; later ones win.
#[derive(Debug, Args)]
#[command(next_help_heading = "Settings, for every command")]
pub struct Settings {
    /// Read settings from a file like engine.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Set one key of engine.toml, such as `time.lag_ms=500`
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The game: go or nogo
    #[arg(long, global = true, value_name = "GAME")]
    game: Option<String>,
    /// Side of the board, such as 9 or 9x9
    #[arg(long, global = true, value_name = "SIZE")]
    pub(super) board: Option<String>,
    /// The network to play with: NAME.safetensors with its manifest beside it, one of KataGo's files
    /// such as NAME.bin.gz, or builtin:NAME
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) net: Option<String>,
    /// What evaluates positions: auto for a network where one fits, playout for games played to the end
    #[arg(long, global = true, value_name = "KIND", value_parser = ["auto", "playout"], conflicts_with = "net")]
    evaluator: Option<String>,
    /// What the GTP command `name` answers
    #[arg(long, global = true, value_name = "NAME")]
    gtp_name: Option<String>,
    /// What the GTP command `version` answers
    #[arg(long, global = true, value_name = "VERSION")]
    gtp_version: Option<String>,
    /// How much to log: off, error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL")]
    log_level: Option<String>,
    /// Append the log to a file instead of standard error
    #[arg(long, global = true, value_name = "FILE")]
    log_file: Option<String>,
}

impl Settings {
    /// The configuration, with logging as it says. `more` are flags of the program's own with the keys that they
    /// set, and to what.
    pub fn begin(&self, more: impl IntoIterator<Item = Flag>) -> anyhow::Result<Config> {
        let config = self.config(more)?;
        log::start(&config.log)?;
        Ok(config)
    }

    /// The settings of the file, changed by flags and then by `--set`.
    pub(super) fn config(&self, more: impl IntoIterator<Item = Flag>) -> anyhow::Result<Config> {
        let mut config = match &self.config {
            Some(path) => Config::load(path).with_context(|| format!("in {}", path.display()))?,
            None => Config::default(),
        };
        let no_net = self.evaluator.as_deref() == Some("playout");
        let no_net = no_net.then(|| evaluators::NO_NET.to_owned());
        let flags = [
            ("--game", "game.kind", self.game.clone()),
            ("--board", "game.board_size", self.board.as_deref().map(side).transpose()?),
            ("--net", "net.path", self.net.clone()),
            ("--evaluator", "net.path", no_net),
            ("--gtp-name", "gtp.name", self.gtp_name.clone()),
            ("--gtp-version", "gtp.version", self.gtp_version.clone()),
            ("--log-level", "log.level", self.log_level.clone()),
            ("--log-file", "log.file", self.log_file.clone()),
        ];
        for (flag, key, value) in flags.into_iter().chain(more) {
            if let Some(value) = value {
                config = config.with(key, &value).with_context(|| format!("in {flag} {value}"))?;
            }
        }
        for pair in &self.set {
            let (key, value) = pair
                .split_once('=')
                .with_context(|| format!("in --set {pair}: write KEY=VALUE"))?;
            config = config
                .with(key.trim(), value.trim())
                .with_context(|| format!("in --set {pair}"))?;
        }
        Ok(config)
    }
}

/// The side of a board that is written as `9` or `9x9`.
pub(super) fn side(board: &str) -> anyhow::Result<String> {
    let number = |text: &str| text.parse::<usize>().ok();
    match board.split_once('x').and_then(|(width, height)| number(width).zip(number(height))) {
        None => Ok(board.to_owned()),
        Some((width, height)) if width == height => Ok(width.to_string()),
        Some((width, height)) => anyhow::bail!(
            "in --board {board}: a board that is not square is for `match`, and over GTP for \
             `rectangular_boardsize {width} {height}`"
        ),
    }
}
