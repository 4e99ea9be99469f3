//! `tedomari uncertainty`: data, networks and thresholds that end searches early.

mod generate;

use clap::Subcommand;

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(super) enum UncertaintyCommand {
    /// Search positions of games to the end and keep every simulation
    Generate(generate::GenerateArgs),
}

/// Does one of the steps from games to a stop profile.
pub(super) fn run(command: &UncertaintyCommand, config: &Config) -> anyhow::Result<()> {
    match command {
        UncertaintyCommand::Generate(args) => generate::run(args, config),
    }
}
