//! One convolution of one chunk of positions, by whichever method.

use super::cpu::LANES;
use super::gemm::Panels;
use super::plan::{Method, Plan};
use super::tiles::{Tile2, Tile3, Tile4};
use super::{Activation, Scratch, direct, padded, winograd};

/// Channel counts of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channels {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

impl Channels {
    /// Vectors of one point of the input, with the padding.
    pub(super) fn input_lanes(self) -> usize {
        padded(self.inputs) / LANES
    }

    /// Vectors of one point of the output, with the padding.
    pub(super) fn output_lanes(self) -> usize {
        padded(self.outputs) / LANES
    }

    /// Vectors of one point of the input that hold channels.
    pub(super) fn used_lanes(self) -> usize {
        self.inputs.div_ceil(LANES)
    }
}

/// Packs weights `[output][input][3][3]` for a method.
pub(super) fn pack(weights: &[f32], channels: Channels, method: Method) -> Panels {
    match method {
        Method::Winograd2 => winograd::pack::<Tile2, 4, 2>(weights, channels),
        Method::Winograd3 => winograd::pack::<Tile3, 5, 3>(weights, channels),
        Method::Winograd4 => winograd::pack::<Tile4, 6, 4>(weights, channels),
        Method::Direct => direct::pack(weights, channels),
    }
}

/// A convolution of one chunk of positions.
pub(super) struct Chunk<'a> {
    pub(super) plan: &'a Plan,
    pub(super) channels: Channels,
    /// Packed for the method of the plan.
    pub(super) weights: &'a Panels,
    /// Padded, like all activations.
    pub(super) bias: &'a [f32],
    pub(super) x: &'a [f32],
    pub(super) residual: Option<&'a [f32]>,
    pub(super) activation: Activation,
    pub(super) y: &'a mut [f32],
}

impl Chunk<'_> {
    /// Computes `y`.
    pub(super) fn run(self, scratch: &mut Scratch) {
        match self.plan.method() {
            Method::Winograd2 => winograd::convolve::<Tile2, 4, 2>(self, scratch),
            Method::Winograd3 => winograd::convolve::<Tile3, 5, 3>(self, scratch),
            Method::Winograd4 => winograd::convolve::<Tile4, 6, 4>(self, scratch),
            Method::Direct => direct::convolve(self, scratch),
        }
    }
}
