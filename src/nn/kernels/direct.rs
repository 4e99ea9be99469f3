//! Convolution without a transform, for boards that are too small for one, and as a reference.

use super::chunk::{Channels, Chunk};
use super::cpu::{LANES, Lanes, ZERO};
use super::gemm::{Layer, Panels, Product, Rows};
use super::plan::Plan;
use super::{Scratch, padded};

/// The weights `[output][input][3][3]` as one matrix with the inputs `[row][column][channel]`.
pub(super) fn pack(weights: &[f32], channels: Channels) -> Panels {
    let stride = padded(channels.inputs);
    let mut panels = Panels::zeros(1, 9 * stride, channels.outputs);
    for (index, kernel) in weights.as_chunks::<9>().0.iter().enumerate() {
        let (output, input) = (index / channels.inputs, index % channels.inputs);
        for (tap, &weight) in kernel.iter().enumerate() {
            panels.set_one(tap * stride + input, output, weight);
        }
    }
    panels
}

/// Convolves one chunk of positions.
pub(super) fn convolve(chunk: Chunk<'_>, scratch: &mut Scratch) {
    let Chunk { plan, weights, residual, activation, y, .. } = chunk;
    let lanes = chunk.channels.input_lanes();
    let positions = chunk.x.len() / (plan.points() * lanes * LANES);
    let framed = positions * (plan.width() + 2) * (plan.height() + 2) * lanes;
    let frame = scratch.parts(framed, 0, 0).inputs;
    copy_framed(plan, chunk.x.as_chunks().0, frame, lanes);
    let rows = Windows { plan, frame: frame.as_flattened(), channels: lanes * LANES };
    let finish = Layer { bias: chunk.bias, residual, activation };
    plan.cpu().run(Product { rows, weights, matrix: 0, panels: 0..weights.width(), finish, y });
}

/// Copies the boards with a frame of zeros around each.
fn copy_framed(plan: &Plan, x: &[Lanes], frame: &mut [Lanes], lanes: usize) {
    frame.fill(ZERO);
    let row = (plan.width() + 2) * lanes;
    let boards = x.chunks_exact(plan.points() * lanes);
    for (board, framed) in boards.zip(frame.chunks_exact_mut((plan.height() + 2) * row)) {
        let rows = board.chunks_exact(plan.width() * lanes);
        for (source, target) in rows.zip(framed[row..].chunks_exact_mut(row)) {
            target[lanes..][..source.len()].copy_from_slice(source);
        }
    }
}

/// The 3x3 neighbourhoods of all points as rows of a matrix; each has three contiguous segments.
struct Windows<'a> {
    plan: &'a Plan,
    frame: &'a [f32],
    channels: usize,
}

impl Rows for Windows<'_> {
    const SEGMENTS: usize = 3;

    #[inline(always)]
    fn segment(&self, row: usize, segment: usize) -> &[f32] {
        let (width, height) = (self.plan.width(), self.plan.height());
        let (line, column) = (row / width, row % width);
        let framed_line = line / height * (height + 2) + line % height + segment;
        let at = (framed_line * (width + 2) + column) * self.channels;
        &self.frame[at..][..3 * self.channels]
    }
}
