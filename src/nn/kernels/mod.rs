//! Fast network layers on a CPU: f32, channels last, forward and weight gradient.
//!
//! Activations are `[position][row][column][channel]` with the channel count padded to a multiple
//! of 16, see [`padded`]; the padding holds zeros and every kernel keeps it so. All kernels run on
//! the calling thread, and what they compute for one position does not depend, to the last bit, on
//! the batch that the position is in.
//!
//! The code is ordinary Rust on arrays of eight floats that the compiler turns into vector
//! instructions; it is compiled once for the baseline of the target, once for AVX2 with FMA and once,
//! for sixteen floats at a time, for AVX-512, and [`Cpu::detect`] chooses at run time.
#![expect(
    clippy::inline_always,
    reason = "what is not inlined is compiled for the baseline of the target"
)]

mod aligned;
mod attention;
mod chunk;
mod cpu;
mod direct;
mod gemm;
mod gradient;
mod layers;
mod plan;
mod planes;
mod pointwise;
mod rms;
#[cfg(test)]
mod tests;
mod tiles;
mod winograd;

pub use aligned::Scratch;
pub use attention::{Attention, AttentionScratch, Heads};
pub use cpu::Cpu;
pub use gradient::WeightGradient;
pub use layers::{Conv3x3, Input, Linear, pool_mean_max};
pub use plan::{Method, Plan};
pub use planes::PlaneConv;
pub use pointwise::{Columns, pointwise};
pub use rms::{RmsNorm, gate};

/// Outputs that one panel of packed weights holds, and the unit that channels are padded to.
const PANEL: usize = 16;

/// The number of channels that is stored for `channels` channels: the next multiple of 16.
#[must_use]
pub fn padded(channels: usize) -> usize {
    channels.next_multiple_of(PANEL)
}

/// What is applied to the sum of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// The sum itself.
    None,
    /// The larger of the sum and zero.
    Relu,
    /// `x · tanh(ln(1 + eˣ))` (Misra, "Mish: A Self Regularized Non-Monotonic Activation
    /// Function", 2020).
    Mish,
    /// `x / (1 + e⁻ˣ)` (Elfwing et al., "Sigmoid-Weighted Linear Units", 2018).
    Silu,
}
