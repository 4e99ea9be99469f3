//! Networks: features, residual nets, their kernels on a CPU, and the files they come in.

pub mod builtin;
mod canary;
mod cpu;
mod device;
mod evaluator;
pub mod features;
mod graph;
mod init;
pub mod katago;
pub mod kernels;
mod laps;
mod manifest;
mod network;
pub mod ops;
mod packed;
mod params;
mod resnet;
mod shape;
mod weights;

pub use canary::{CanaryError, PositionError};
pub use cpu::{CpuNet, CpuOutput, Workspace};
pub use device::{DeviceChoice, DeviceError};
pub use evaluator::{NetEvaluator, Orientation, SCORE_UNIT, best_move};
pub use graph::GraphEvaluator;
pub use init::{Tensors, random_weights};
pub use laps::{Laps, LayerKind, LayerTime};
pub use manifest::{Canary, MANIFEST_FORMAT, Manifest};
pub use network::{Glance, KataGoFile, Network, NetworkError, glance};
pub use params::NetParams;
pub use resnet::{NetInput, NetOutput, ResNet, builder, variables};
pub use shape::{NetShape, NotAShape, SCALARS};
pub use weights::{NetFile, Precision, WeightsError};

/// The environment variable that tells Candle how many threads of its own to compute with, which it
/// can be told in no other way.
pub const GRAPH_THREADS: &str = "CANDLE_NUM_THREADS";
