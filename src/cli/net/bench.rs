//! `tedomari net bench`: evaluations per second, and where the time of a network goes.

use std::fmt::Write as _;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::app::net_bench::{NetBenchSpec, NetSpeed, measure};
use crate::cli::{print, print_json};
use crate::config::Config;
use crate::nn::{Laps, LayerKind, NetShape};

#[derive(Debug, Args)]
pub(in crate::cli) struct BenchArgs {
    /// Blocks and filters of a random network, where --net names none
    #[arg(long, default_value = "6x96")]
    shape: NetShape,
    /// Threads that evaluate
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Positions given to the network at a time
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    batch: u16,
    /// Seconds to measure
    #[arg(long, default_value_t = 4.0, value_parser = crate::cli::bench::seconds)]
    seconds: f64,
    /// Tell the time of each layer too
    #[arg(long)]
    layers: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Evaluates the positions of a random game over and over on every thread.
pub(super) fn run(args: &BenchArgs, config: &Config) -> anyhow::Result<()> {
    let spec = NetBenchSpec {
        shape: args.shape,
        threads: args.threads,
        batch: args.batch.into(),
        time: Duration::from_secs_f64(args.seconds),
        layers: args.layers,
    };
    let NetSpeed { shape, seconds, evaluated, gflops, laps } = measure(&spec, config)?;
    let (size, per_second) = (config.game.size(), evaluated / seconds);
    if args.json {
        let mut object = json!({
            "shape": shape,
            "board": size.to_string(),
            "threads": args.threads,
            "batch": args.batch,
            "seconds": seconds,
            "evals_per_second": per_second,
            "gflops": gflops,
        });
        if args.layers {
            object["layers"] = layers_object(&laps, evaluated);
        }
        return print_json(&object);
    }
    let mut text = format!(
        "{shape} on {size}, batch {}, {} {}: {per_second:.0} evaluations/s, {gflops:.0} \
         GFLOP/s by direct convolution\n",
        args.batch,
        args.threads,
        if args.threads == 1 { "thread" } else { "threads" },
    );
    if args.layers {
        text += &layers_text(&laps, evaluated);
    }
    print(&text)
}

/// Time, operations and share of some layers.
struct Part {
    name: String,
    kind: &'static str,
    seconds: f64,
    operations: f64,
}

/// Each layer, or all layers of a kind as one.
fn parts(laps: &Laps) -> (Vec<Part>, Vec<Part>) {
    let part = |name: &str, kind: LayerKind, seconds: f64, operations: f64| Part {
        name: name.to_owned(),
        kind: kind.name(),
        seconds,
        operations,
    };
    let layers = laps.layers().iter();
    let each = layers
        .map(|layer| part(&layer.name, layer.kind, layer.time.as_secs_f64(), layer.operations))
        .collect();
    let of_kind = |&kind: &LayerKind| {
        let layers = || laps.layers().iter().filter(move |layer| layer.kind == kind);
        let seconds = layers().map(|layer| layer.time.as_secs_f64()).sum();
        part("all", kind, seconds, layers().map(|layer| layer.operations).sum())
    };
    (each, LayerKind::ALL.iter().map(of_kind).filter(|part| part.seconds > 0.0).collect())
}

fn layers_object(laps: &Laps, evaluated: f64) -> serde_json::Value {
    let (each, kinds) = parts(laps);
    let total: f64 = kinds.iter().map(|part| part.seconds).sum();
    let object = |part: &Part| {
        json!({
            "name": part.name,
            "kind": part.kind,
            "microseconds": part.seconds / evaluated * 1e6,
            "megaflop": part.operations / evaluated / 1e6,
            "gflops": part.operations / part.seconds.max(1e-9) / 1e9,
            "share": part.seconds / total,
        })
    };
    let list = |parts: &[Part]| parts.iter().map(object).collect::<Vec<_>>();
    json!({ "each": list(&each), "kinds": list(&kinds) })
}

fn layers_text(laps: &Laps, evaluated: f64) -> String {
    let (each, kinds) = parts(laps);
    let total: f64 = kinds.iter().map(|part| part.seconds).sum();
    let mut text = format!(
        "{:20} {:9} {:>12} {:>9} {:>8} {:>7}   for one evaluation on one thread\n",
        "layer", "kind", "microseconds", "MFLOP", "GFLOP/s", "share"
    );
    for part in each.iter().chain(&kinds) {
        let _ = writeln!(
            text,
            "{:20} {:9} {:12.1} {:9.2} {:8.0} {:5.1} %",
            part.name,
            part.kind,
            part.seconds / evaluated * 1e6,
            part.operations / evaluated / 1e6,
            part.operations / part.seconds.max(1e-9) / 1e9,
            100.0 * part.seconds / total,
        );
    }
    text
}
