//! Matrix products with weights packed in panels of 16 outputs.

use super::aligned::Aligned;
use super::cpu::{Arithmetic, Kernel, LANES, Lanes, ZERO, add, mish, relu};
use super::{Activation, PANEL, padded};

/// Rows that one call of the innermost loop computes: 6 x 16 sums fill 12 of the 16 AVX registers.
pub(super) const MAX_ROWS: usize = 6;

/// One row of sums for one panel.
pub(super) type Sums = [Lanes; 2];

/// Weight matrices of one shape, each as `[panel][input][output of the panel]`.
#[derive(Debug)]
pub(super) struct Panels {
    data: Aligned,
    /// Of each output, with zeros up to a multiple of eight.
    inputs: usize,
    /// Panels of each matrix.
    width: usize,
}

impl Panels {
    /// `matrices` matrices of zeros.
    pub(super) fn zeros(matrices: usize, inputs: usize, outputs: usize) -> Self {
        let panels = outputs.div_ceil(PANEL);
        let inputs = inputs.next_multiple_of(LANES);
        let data = Aligned::zeros(matrices * panels * inputs * PANEL / LANES);
        Self { data, inputs, width: panels }
    }

    /// Sets the weights of one input in one panel.
    pub(super) fn set(&mut self, matrix: usize, panel: usize, input: usize, weights: [f32; PANEL]) {
        let at = (matrix * self.width + panel) * self.inputs + input;
        self.data.floats_mut()[at * PANEL..][..PANEL].copy_from_slice(&weights);
    }

    /// Sets a single weight of the first matrix.
    pub(super) fn set_one(&mut self, input: usize, output: usize, weight: f32) {
        let at = (output / PANEL * self.inputs + input) * PANEL + output % PANEL;
        self.data.floats_mut()[at] = weight;
    }

    /// The panels of one matrix.
    #[inline(always)]
    fn matrix(&self, matrix: usize) -> &[[f32; PANEL]] {
        let size = self.width * self.inputs;
        &self.data.floats().as_chunks().0[matrix * size..][..size]
    }
}

/// A bias for each of `outputs` outputs, padded with zeros.
pub(super) fn padded_bias(bias: &[f32], outputs: usize) -> Vec<f32> {
    assert_eq!(bias.len(), outputs, "one bias for each output");
    let mut all = bias.to_vec();
    all.resize(padded(outputs), 0.0);
    all
}

/// Where the rows of the left matrix are: each is the concatenation of some segments.
pub(super) trait Rows {
    /// Segments of a row.
    const SEGMENTS: usize;

    /// One segment of one row, at least as long as the padded inputs divided by the segments.
    fn segment(&self, row: usize, segment: usize) -> &[f32];
}

/// Rows that follow each other at a constant distance.
pub(super) struct Dense<'a> {
    pub(super) data: &'a [f32],
    pub(super) stride: usize,
}

impl Rows for Dense<'_> {
    const SEGMENTS: usize = 1;

    #[inline(always)]
    fn segment(&self, row: usize, _segment: usize) -> &[f32] {
        &self.data[row * self.stride..][..self.stride]
    }
}

/// What happens to the sums before they are written.
pub(super) trait Finish {
    /// The value to write at `at` in the output, which is in the column `column`, and behind it.
    fn apply<A: Arithmetic>(&self, column: usize, at: usize, sums: Sums) -> Sums;
}

/// The sums as they are.
pub(super) struct Plain;

impl Finish for Plain {
    #[inline(always)]
    fn apply<A: Arithmetic>(&self, _column: usize, _at: usize, sums: Sums) -> Sums {
        sums
    }
}

/// The end of a layer.
pub(super) struct Layer<'a> {
    /// Added to every row.
    pub(super) bias: &'a [f32],
    /// Added to the element at the same place.
    pub(super) residual: Option<&'a [f32]>,
    pub(super) activation: Activation,
}

impl Finish for Layer<'_> {
    #[inline(always)]
    fn apply<A: Arithmetic>(&self, column: usize, at: usize, sums: Sums) -> Sums {
        let mut sums = add_pair(sums, &self.bias[column..]);
        if let Some(residual) = self.residual {
            sums = add_pair(sums, &residual[at..]);
        }
        match self.activation {
            Activation::None => sums,
            Activation::Relu => sums.map(relu),
            Activation::Mish => sums.map(mish::<A>),
        }
    }
}

#[inline(always)]
fn add_pair(sums: Sums, values: &[f32]) -> Sums {
    let (values, _) = values[..PANEL].as_chunks();
    [add(sums[0], values[0]), add(sums[1], values[1])]
}

/// `y = finish(rows · weights)` for one matrix of the weights; `y` has one row for each row of the
/// left side, as long as the padded outputs.
pub(super) struct Product<'a, R, F> {
    pub(super) rows: R,
    pub(super) weights: &'a Panels,
    pub(super) matrix: usize,
    pub(super) finish: F,
    pub(super) y: &'a mut [f32],
}

impl<R: Rows, F: Finish> Kernel for Product<'_, R, F> {
    #[inline(always)]
    fn run<A: Arithmetic>(mut self) {
        let inputs = self.weights.inputs;
        if inputs == 0 || self.weights.width == 0 {
            return;
        }
        let count = self.y.len() / (self.weights.width * PANEL);
        for (index, panel) in self.weights.matrix(self.matrix).chunks_exact(inputs).enumerate() {
            let column = index * PANEL;
            for (row, height) in blocks(count) {
                match height {
                    1 => self.block::<A, 1>(row, column, panel),
                    2 => self.block::<A, 2>(row, column, panel),
                    3 => self.block::<A, 3>(row, column, panel),
                    4 => self.block::<A, 4>(row, column, panel),
                    5 => self.block::<A, 5>(row, column, panel),
                    _ => self.block::<A, MAX_ROWS>(row, column, panel),
                }
            }
        }
    }
}

impl<R: Rows, F: Finish> Product<'_, R, F> {
    #[inline(always)]
    fn block<A: Arithmetic, const N: usize>(
        &mut self,
        row: usize,
        column: usize,
        panel: &[[f32; PANEL]],
    ) {
        let mut sums = [[ZERO; 2]; N];
        let length = panel.len() / R::SEGMENTS;
        for index in 0..R::SEGMENTS {
            let rows = std::array::from_fn(|r| self.rows.segment(row + r, index));
            sums = accumulate::<A, N>(sums, rows, &panel[index * length..][..length]);
        }
        for (r, sums) in sums.into_iter().enumerate() {
            let at = (row + r) * self.weights.width * PANEL + column;
            let sums = self.finish.apply::<A>(column, at, sums);
            let (y, _) = self.y[at..][..PANEL].as_chunks_mut();
            y[0] = sums[0];
            y[1] = sums[1];
        }
    }
}

/// Splits rows into blocks, each as first row and height, of at most [`MAX_ROWS`].
///
/// Their heights are as equal as can be: nine rows as 5 + 4 keep the multipliers busier than 6 + 3.
#[inline(always)]
pub(super) fn blocks(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    let blocks = rows.div_ceil(MAX_ROWS);
    let (height, higher) = (rows / blocks.max(1), rows % blocks.max(1));
    (0..blocks).map(move |block| {
        (block * height + block.min(higher), height + usize::from(block < higher))
    })
}

/// Adds the products of `N` rows with the weights, input by input: the innermost loop of all.
#[inline(always)]
fn accumulate<A: Arithmetic, const N: usize>(
    mut sums: [Sums; N],
    rows: [&[f32]; N],
    weights: &[[f32; PANEL]],
) -> [Sums; N] {
    // Rows of the length of the loop let the compiler drop the checks inside it; eight steps, not
    // a loop of eight, make all addresses but one constant.
    let (weights, _) = weights.as_chunks::<LANES>();
    let rows = rows.map(|row| &row.as_chunks::<LANES>().0[..weights.len()]);
    for (index, weights) in weights.iter().enumerate() {
        let values = rows.map(|row| &row[index]);
        sums = step::<A, N, 0>(sums, values, weights);
        sums = step::<A, N, 1>(sums, values, weights);
        sums = step::<A, N, 2>(sums, values, weights);
        sums = step::<A, N, 3>(sums, values, weights);
        sums = step::<A, N, 4>(sums, values, weights);
        sums = step::<A, N, 5>(sums, values, weights);
        sums = step::<A, N, 6>(sums, values, weights);
        sums = step::<A, N, 7>(sums, values, weights);
    }
    sums
}

/// Adds the products with the weights of one of eight inputs.
#[inline(always)]
fn step<A: Arithmetic, const N: usize, const INPUT: usize>(
    mut sums: [Sums; N],
    values: [&Lanes; N],
    weights: &[[f32; PANEL]; LANES],
) -> [Sums; N] {
    let (weights, _) = weights[INPUT].as_chunks::<LANES>();
    for (sums, values) in sums.iter_mut().zip(values) {
        let value = [values[INPUT]; LANES];
        sums[0] = A::mul_add(value, weights[0], sums[0]);
        sums[1] = A::mul_add(value, weights[1], sums[1]);
    }
    sums
}
