//! `tedomari-lab`: the experiments of the papers, and ours.

mod all;
mod budget;
mod contests;
mod evaluators;
mod report;
mod stopping;
mod study;
mod time;
mod wls;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Parser, Subcommand};

use tedomari::cli::Settings;
use tedomari::util::write_atomically;

/// The experiments of the papers on evaluation, time and early stopping, and ours.
#[derive(Debug, Parser)]
#[command(version, about)]
pub(super) struct Cli {
    #[command(flatten)]
    settings: Settings,
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Debug, Subcommand)]
enum LabCommand {
    /// Win/Loss States: how well they keep proportions, and how fast they follow
    Wls(wls::WlsArgs),
    /// Evaluation curves: how often positions are won, by what evaluators say of them
    Curves(study::StudyArgs),
    /// How well evaluators tell won positions from lost ones
    Metrics(study::StudyArgs),
    /// Strategies of the time manager in matches on a virtual clock
    Time(time::TimeArgs),
    /// Do all experiments that fit into a budget, or go on with them
    All(all::AllArgs),
    /// Put what experiments have found beside the papers' claims
    Report(report::ReportArgs),
    /// Make the stop profile that is described on standard input, for `all`
    #[command(hide = true)]
    StopProfile,
}

impl Cli {
    /// Does what the user has asked for.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let config = &self.settings.begin([])?;
        match &self.command {
            LabCommand::Wls(args) => wls::run(args, config),
            LabCommand::Curves(args) => study::run(args, config, study::Show::Curves),
            LabCommand::Metrics(args) => study::run(args, config, study::Show::Metrics),
            LabCommand::Time(args) => time::run(args, config),
            LabCommand::All(args) => all::run(args, config),
            LabCommand::Report(args) => report::run(args),
            LabCommand::StopProfile => stopping::make(),
        }
    }
}

/// Writes texts by their names into a folder: where they are.
fn write_files<N: AsRef<Path>>(
    folder: &Path,
    files: impl IntoIterator<Item = (N, String)>,
) -> anyhow::Result<Vec<PathBuf>> {
    let write = |(name, text): (N, String)| {
        let path = folder.join(name);
        write_atomically(&path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    };
    files.into_iter().map(write).collect()
}
