//! Matrix products with weights packed in panels of 16 outputs.

use std::ops::Range;

use super::aligned::Aligned;
use super::cpu::{Arithmetic, Kernel, LANES, add, mish, relu, silu};
use super::{Activation, PANEL, padded};

/// One row of sums for one panel.
pub(super) type Sums = [f32; PANEL];

/// Weight matrices of one shape, each as `[panel][input][output of the panel]`. Equal panels of all
/// matrices lie together, since they are used together.
#[derive(Debug)]
pub(super) struct Panels {
    data: Aligned,
    /// Of each output, with zeros up to a multiple of eight.
    inputs: usize,
    matrices: usize,
    /// Panels of each matrix.
    width: usize,
}

impl Panels {
    /// `matrices` matrices of zeros.
    pub(super) fn zeros(matrices: usize, inputs: usize, outputs: usize) -> Self {
        let width = outputs.div_ceil(PANEL);
        let inputs = inputs.next_multiple_of(LANES);
        let data = Aligned::zeros(matrices * width * inputs * PANEL / LANES);
        Self { data, inputs, matrices, width }
    }

    /// Sets the weights of one input in one panel.
    pub(super) fn set(&mut self, matrix: usize, panel: usize, input: usize, weights: [f32; PANEL]) {
        let at = (panel * self.matrices + matrix) * self.inputs + input;
        self.data.floats_mut()[at * PANEL..][..PANEL].copy_from_slice(&weights);
    }

    /// Sets a single weight of the only matrix.
    pub(super) fn set_one(&mut self, input: usize, output: usize, weight: f32) {
        let at = (output / PANEL * self.inputs + input) * PANEL + output % PANEL;
        self.data.floats_mut()[at] = weight;
    }

    /// Panels of each matrix.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// How far behind weights those lie that are used next, where so many panels are computed
    /// together: those of the next matrix, or of the next panels of the only one.
    #[inline(always)]
    fn ahead(&self, together: usize) -> usize {
        self.inputs * PANEL * if self.matrices == 1 { together } else { 1 }
    }

    /// One panel of one matrix.
    #[inline(always)]
    fn panel(&self, matrix: usize, panel: usize) -> &[[f32; PANEL]] {
        let at = (panel * self.matrices + matrix) * self.inputs;
        &self.data.floats().as_chunks().0[at..][..self.inputs]
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
        let mut sums = add_first(sums, &self.bias[column..]);
        if let Some(residual) = self.residual {
            sums = add_first(sums, &residual[at..]);
        }
        match self.activation {
            Activation::None => sums,
            Activation::Relu => relu(sums),
            Activation::Mish => mish::<A, PANEL>(sums),
            Activation::Silu => silu::<A, PANEL>(sums),
        }
    }
}

#[inline(always)]
fn add_first(sums: Sums, values: &[f32]) -> Sums {
    let (values, _) = values[..PANEL].as_chunks();
    add(sums, values[0])
}

/// Panels that are computed together where two fit into the registers.
pub(super) const TOGETHER: usize = 2;

/// `y = finish(rows · weights)` for some panels of one matrix of the weights; `y` has one row for
/// each row of the left side, as long as the outputs of these panels.
pub(super) struct Product<'a, R, F> {
    pub(super) rows: R,
    pub(super) weights: &'a Panels,
    pub(super) matrix: usize,
    pub(super) panels: Range<usize>,
    pub(super) finish: F,
    pub(super) y: &'a mut [f32],
}

impl<R: Rows, F: Finish> Kernel for Product<'_, R, F> {
    #[inline(always)]
    fn run<A: Arithmetic>(mut self) {
        if self.weights.inputs == 0 || self.panels.is_empty() {
            return;
        }
        let count = self.y.len() / self.stride();
        let (weights, matrix) = (self.weights, self.matrix);
        let panel = |panel| weights.panel(matrix, panel);
        let mut next = self.panels.start;
        while next < self.panels.end {
            if A::WIDE && next + 1 < self.panels.end {
                self.panels::<A, TOGETHER>(count, next, [panel(next), panel(next + 1)]);
                next += TOGETHER;
            } else {
                self.panels::<A, 1>(count, next, [panel(next)]);
                next += 1;
            }
        }
    }
}

impl<'a, R: Rows, F: Finish> Product<'a, R, F> {
    /// Length of a row of `y`.
    #[inline(always)]
    fn stride(&self) -> usize {
        self.panels.len() * PANEL
    }

    /// All rows of the outputs of one or two panels.
    #[inline(always)]
    fn panels<A: Arithmetic, const P: usize>(
        &mut self,
        count: usize,
        panel: usize,
        panels: [&'a [[f32; PANEL]]; P],
    ) {
        for (row, height) in blocks(count, A::ROWS) {
            match height {
                1 => self.block::<A, 1, P>(row, panel, panels),
                2 => self.block::<A, 2, P>(row, panel, panels),
                3 => self.block::<A, 3, P>(row, panel, panels),
                4 => self.block::<A, 4, P>(row, panel, panels),
                5 => self.block::<A, 5, P>(row, panel, panels),
                6 => self.block::<A, 6, P>(row, panel, panels),
                7 if A::WIDE => self.block::<A, 7, P>(row, panel, panels),
                8 if A::WIDE => self.block::<A, 8, P>(row, panel, panels),
                9 if A::WIDE => self.block::<A, 9, P>(row, panel, panels),
                10 if A::WIDE => self.block::<A, 10, P>(row, panel, panels),
                11 if A::WIDE => self.block::<A, 11, P>(row, panel, panels),
                12 if A::WIDE => self.block::<A, 12, P>(row, panel, panels),
                13 if A::WIDE => self.block::<A, 13, P>(row, panel, panels),
                _ => unreachable!("invariant: blocks have at most as many rows as asked for"),
            }
        }
    }

    #[inline(always)]
    fn block<A: Arithmetic, const N: usize, const P: usize>(
        &mut self,
        row: usize,
        panel: usize,
        panels: [&[[f32; PANEL]]; P],
    ) {
        let mut sums = [[[0.0; PANEL]; P]; N];
        let length = panels[0].len() / R::SEGMENTS;
        let ahead = self.weights.ahead(P);
        for index in 0..R::SEGMENTS {
            // Loops rather than `map`, which is not inlined for long arrays.
            let mut rows: [&[f32]; N] = [&[]; N];
            for (r, row_of) in rows.iter_mut().enumerate() {
                *row_of = self.rows.segment(row + r, index);
            }
            let mut weights = panels;
            for weights in &mut weights {
                *weights = &weights[index * length..][..length];
            }
            if P == 1 {
                accumulate::<A, N, P, 8>(&mut sums, rows, weights, ahead);
            } else {
                accumulate::<A, N, P, 1>(&mut sums, rows, weights, ahead);
            }
        }
        for (r, sums) in sums.into_iter().enumerate() {
            for (p, sums) in sums.into_iter().enumerate() {
                let panel = panel + p;
                let at = (row + r) * self.stride() + (panel - self.panels.start) * PANEL;
                let sums = self.finish.apply::<A>(panel * PANEL, at, sums);
                self.y[at..][..PANEL].copy_from_slice(&sums);
            }
        }
    }
}

/// Splits rows into blocks, each as first row and height, of at most `most`.
///
/// Their heights are as equal as can be: nine rows as 5 + 4 keep the multipliers busier than 6 + 3.
#[inline(always)]
pub(super) fn blocks(rows: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let blocks = rows.div_ceil(most);
    let (height, higher) = (rows / blocks.max(1), rows % blocks.max(1));
    (0..blocks).map(move |block| {
        (block * height + block.min(higher), height + usize::from(block < higher))
    })
}

/// Adds the products of `N` rows with the weights, input by input: the innermost loop of all.
#[inline(always)]
fn accumulate<A: Arithmetic, const N: usize, const P: usize, const STEPS: usize>(
    sums: &mut [[Sums; P]; N],
    rows: [&[f32]; N],
    weights: [&[[f32; PANEL]]; P],
    ahead: usize,
) {
    // Rows of the length of the loop let the compiler drop the checks inside it; some steps, not
    // a loop of them, make all addresses but one constant. With two panels two steps at a time
    // would need more registers than there are: all inputs of a step are loaded before its sums.
    let length = weights[0].len() / STEPS;
    let mut some: [&[[[f32; PANEL]; STEPS]]; P] = [&[]; P];
    for (some, weights) in some.iter_mut().zip(weights) {
        *some = &weights.as_chunks().0[..length];
    }
    let mut inputs: [&[[f32; STEPS]]; N] = [&[]; N];
    for (inputs, row) in inputs.iter_mut().zip(rows) {
        *inputs = &row.as_chunks().0[..length];
    }
    let mut local = *sums;
    for index in 0..length {
        for step in 0..STEPS {
            // The weights that come next are those behind: with few rows they would be waited for.
            for weights in &some {
                A::fetch(weights[index][step].as_ptr().wrapping_add(ahead));
            }
            for (sums, inputs) in local.iter_mut().zip(&inputs) {
                let value = inputs[index][step];
                for (sums, some) in sums.iter_mut().zip(&some) {
                    *sums = A::scale_add(value, some[index][step], *sums);
                }
            }
        }
    }
    *sums = local;
}
