//! `tedomari store`: files in folders and object stores, by URL.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use super::{print, print_json};
use crate::app::store::{Copied, Store, get_folder, put_folder};

#[derive(Debug, Subcommand)]
pub(super) enum StoreCommand {
    /// List the files of a store
    List(ListArgs),
    /// Copy the files of a folder to a store; those that are there with the same bytes are left alone
    Put(PutArgs),
    /// Copy the files of a store to a folder; those that are there with the same bytes are left alone
    Get(GetArgs),
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[arg(help = "file:///PATH or s3://BUCKET/PREFIX")]
    url: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct PutArgs {
    /// The folder; what is in folders below it is copied too
    folder: PathBuf,
    #[arg(help = "file:///PATH or s3://BUCKET/PREFIX")]
    url: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct GetArgs {
    #[arg(help = "file:///PATH or s3://BUCKET/PREFIX")]
    url: String,
    /// The folder, which is made if it does not exist
    folder: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: &StoreCommand) -> anyhow::Result<()> {
    match command {
        StoreCommand::List(args) => {
            let files = open(&args.url)?.files()?;
            if args.json {
                let files =
                    files.iter().map(|file| json!({ "name": file.name, "bytes": file.bytes }));
                return print_json(&json!({ "files": files.collect::<Vec<_>>() }));
            }
            let lines = files.iter().map(|file| format!("{:12} {}\n", file.bytes, file.name));
            print(&lines.collect::<String>())
        }
        StoreCommand::Put(args) => show(&put_folder(&args.folder, &open(&args.url)?)?, args.json),
        StoreCommand::Get(args) => show(&get_folder(&open(&args.url)?, &args.folder)?, args.json),
    }
}

/// The files under a URL, with the keys of the environment.
pub(super) fn open(url: &str) -> anyhow::Result<Store> {
    Store::open(url, std::env::vars())
}

fn show(copied: &Copied, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return print_json(&json!(copied));
    }
    let Copied { files, bytes, left_alone } = copied;
    print(&format!("{files} files with {bytes} bytes copied, {left_alone} were there\n"))
}
