//! `tedomari lab`: the experiments of the papers, and ours.

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
use clap::Subcommand;

use crate::config::Config;
use crate::util::write_atomically;

#[derive(Debug, Subcommand)]
pub(super) enum LabCommand {
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
}

pub(super) fn run(command: &LabCommand, config: &Config) -> anyhow::Result<()> {
    match command {
        LabCommand::Wls(args) => wls::run(args, config),
        LabCommand::Curves(args) => study::run(args, config, study::Show::Curves),
        LabCommand::Metrics(args) => study::run(args, config, study::Show::Metrics),
        LabCommand::Time(args) => time::run(args, config),
        LabCommand::All(args) => all::run(args, config),
        LabCommand::Report(args) => report::run(args),
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
