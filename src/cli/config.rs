//! `tedomari config`: the settings in force.

use clap::Args;
use serde_json::json;

use super::{print, print_json};
use crate::config::Config;

#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the configuration as `engine.toml` or as JSON.
pub(super) fn run(args: &ConfigArgs, config: &Config) -> anyhow::Result<()> {
    if args.json { print_json(&json!(config)) } else { print(&config.to_documented_toml()) }
}
