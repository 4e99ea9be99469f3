//! Memory that starts on a cache line, and the scratch memory of the kernels.

use super::cpu::{LANES, Lanes, ZERO};

/// Bytes of a cache line; vectors that cross its end cost twice.
const LINE: usize = 64;

/// A buffer of floats that starts on a cache line.
#[derive(Debug, Default)]
pub(super) struct Aligned {
    data: Vec<f32>,
    start: usize,
    lanes: usize,
}

impl Aligned {
    /// `lanes` vectors of zeros.
    pub(super) fn zeros(lanes: usize) -> Self {
        let data = vec![0.0; lanes * LANES + LINE / size_of::<f32>()];
        // A slice of floats can always be aligned; were it not, it would only be slower.
        let start = data.as_ptr().align_offset(LINE).min(LINE / size_of::<f32>());
        Self { data, start, lanes }
    }

    pub(super) fn lanes(&self) -> &[Lanes] {
        self.floats().as_chunks().0
    }

    pub(super) fn lanes_mut(&mut self) -> &mut [Lanes] {
        self.floats_mut().as_chunks_mut().0
    }

    pub(super) fn floats(&self) -> &[f32] {
        &self.data[self.start..][..self.lanes * LANES]
    }

    pub(super) fn floats_mut(&mut self) -> &mut [f32] {
        &mut self.data[self.start..][..self.lanes * LANES]
    }

    /// The first `lanes` vectors, with whatever they held before; grows if there are fewer.
    fn at_least(&mut self, lanes: usize) -> &mut [Lanes] {
        if self.lanes < lanes {
            *self = Self::zeros(lanes);
        }
        &mut self.lanes_mut()[..lanes]
    }
}

/// Working memory of the kernels, one for each thread that runs them.
///
/// It grows to what the largest layer needs and allocates nothing after that.
#[derive(Debug, Default)]
pub struct Scratch {
    inputs: Aligned,
    outputs: Aligned,
    zeros: Aligned,
}

/// Parts of a [`Scratch`]; only `zeros` has a defined content.
pub(super) struct Parts<'a> {
    pub(super) inputs: &'a mut [Lanes],
    pub(super) outputs: &'a mut [Lanes],
    /// Stands for the points beyond the edge of the board.
    pub(super) zeros: &'a [Lanes],
}

impl Scratch {
    /// Scratch memory that is still empty.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for so many vectors of transformed inputs, of transformed outputs, and of zeros.
    pub(super) fn parts(&mut self, inputs: usize, outputs: usize, zeros: usize) -> Parts<'_> {
        let zeros = self.zeros.at_least(zeros);
        debug_assert!(zeros.iter().all(|&lanes| lanes == ZERO), "nobody writes to them");
        Parts {
            inputs: self.inputs.at_least(inputs),
            outputs: self.outputs.at_least(outputs),
            zeros,
        }
    }
}
