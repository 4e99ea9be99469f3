//! `tedomari commands`: the reference of the protocol.

use clap::Args;
use serde_json::json;

use super::{print, print_json};
use crate::gtp::{reference, specs};

#[derive(Debug, Args)]
pub(super) struct CommandsArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints `docs/gtp.md`, or the same as JSON.
pub(super) fn run(args: &CommandsArgs) -> anyhow::Result<()> {
    if !args.json {
        return print(&reference());
    }
    let commands: Vec<_> = specs()
        .flat_map(|(family, specs)| specs.iter().map(move |spec| (family, spec)))
        .map(|(family, spec)| {
            json!({
                "name": spec.name,
                "arguments": spec.arguments,
                "family": family,
                "about": spec.about,
            })
        })
        .collect();
    print_json(&json!({ "commands": commands }))
}
