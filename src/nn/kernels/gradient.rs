//! The gradient of a 3x3 convolution with respect to its weights.

use std::marker::PhantomData;

use super::aligned::Aligned;
use super::chunk::Channels;
use super::cpu::{Arithmetic, Kernel, LANES, add};
use super::gemm::blocks;
use super::plan::{Method, Plan};
use super::tiles::{Tile, Tile2, Tile3, Tile4};
use super::winograd::{GAP, Gather, Points, Spread, rounded};
use super::{PANEL, Scratch, padded};

/// Sums the gradient over positions, transformed as the weights of the Winograd methods are:
/// `dG = Gᵀ [Σ (Bᵀ d B) (A dy Aᵀ)] G`.
#[derive(Debug)]
pub struct WeightGradient {
    plan: Plan,
    channels: Channels,
    /// One matrix `[input][padded outputs]` for each element of a transformed tile.
    sums: Aligned,
}

impl WeightGradient {
    /// A gradient of zero.
    ///
    /// # Panics
    /// If the method of the plan is not one of [`Method::WINOGRAD`].
    #[must_use]
    pub fn new(plan: &Plan, inputs: usize, outputs: usize) -> Self {
        assert!(Method::WINOGRAD.contains(&plan.method()), "the sums are transformed");
        let channels = Channels { inputs, outputs };
        let matrices = (plan.method().tile() + 2).pow(2);
        let sums = Aligned::zeros(matrices * inputs * channels.output_lanes());
        Self { plan: *plan, channels, sums }
    }

    /// Adds the gradient at `batch` positions: `x` is what the layer was applied to,
    /// `[batch][points][padded inputs]`, and `dy` the gradient of its output,
    /// `[batch][points][padded outputs]`.
    ///
    /// # Panics
    /// If a length is wrong.
    pub fn add(&mut self, x: &[f32], dy: &[f32], batch: usize, scratch: &mut Scratch) {
        let from = self.plan.points() * padded(self.channels.inputs);
        let to = self.plan.points() * padded(self.channels.outputs);
        assert_eq!(x.len(), batch * from, "length of the input");
        assert_eq!(dy.len(), batch * to, "length of the gradient");
        if from == 0 || to == 0 {
            return;
        }
        let positions = self.plan.chunk(batch);
        for (x, dy) in x.chunks(positions * from).zip(dy.chunks(positions * to)) {
            match self.plan.method() {
                Method::Winograd2 => self.add_chunk::<Tile2, 4, 2>(x, dy, scratch),
                Method::Winograd3 => self.add_chunk::<Tile3, 5, 3>(x, dy, scratch),
                Method::Winograd4 => self.add_chunk::<Tile4, 6, 4>(x, dy, scratch),
                Method::Direct => unreachable!("invariant: refused by `new`"),
            }
        }
    }

    /// Adds what another thread has summed for the same layer.
    ///
    /// # Panics
    /// If the other gradient is one of another layer.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.plan, other.plan, "gradients of one layer");
        let (sums, others) = (self.sums.lanes_mut(), other.sums.lanes());
        assert_eq!(sums.len(), others.len(), "gradients of one layer");
        for (sum, &other) in sums.iter_mut().zip(others) {
            *sum = add(*sum, other);
        }
    }

    /// The gradient of the weights, `[outputs][inputs][3][3]`.
    #[must_use]
    pub fn weights(&self) -> Vec<f32> {
        match self.plan.method() {
            Method::Winograd2 => self.weights_of::<Tile2, 4, 2>(),
            Method::Winograd3 => self.weights_of::<Tile3, 5, 3>(),
            Method::Winograd4 => self.weights_of::<Tile4, 6, 4>(),
            Method::Direct => unreachable!("invariant: refused by `new`"),
        }
    }

    fn add_chunk<T: Tile<N, M>, const N: usize, const M: usize>(
        &mut self,
        x: &[f32],
        dy: &[f32],
        scratch: &mut Scratch,
    ) {
        let (plan, cpu) = (&self.plan, self.plan.cpu());
        let (used, lanes) = (self.channels.used_lanes(), self.channels.output_lanes());
        let tiles = plan.tiles() * dy.len() / (plan.points() * lanes * LANES);
        let (stride, output_stride) = (tiles * used + GAP, tiles * lanes + GAP);
        let parts = scratch.parts(N * N * stride, N * N * output_stride, used);
        cpu.run(Gather::<T, N, M> {
            plan,
            source: Points { data: x.as_chunks().0, lanes: self.channels.input_lanes() },
            zeros: &parts.zeros[..used],
            target: parts.inputs,
            stride,
            tile: PhantomData,
        });
        cpu.run(Spread::<T, N, M> {
            plan,
            source: Points { data: dy.as_chunks().0, lanes },
            target: parts.outputs,
            stride: output_stride,
            tile: PhantomData,
        });
        let matrices =
            parts.inputs.chunks_exact(stride).zip(parts.outputs.chunks_exact(output_stride));
        let sums = self.sums.floats_mut().chunks_exact_mut(self.channels.inputs * lanes * LANES);
        for (sums, (v, d)) in sums.zip(matrices) {
            cpu.run(OuterProducts {
                left: v[..tiles * used].as_flattened(),
                left_stride: used * LANES,
                right: d[..tiles * lanes].as_flattened(),
                right_stride: lanes * LANES,
                sums,
            });
        }
    }

    fn weights_of<T: Tile<N, M>, const N: usize, const M: usize>(&self) -> Vec<f32> {
        let Channels { inputs, outputs } = self.channels;
        let panels: &[[f32; PANEL]] = self.sums.floats().as_chunks().0;
        let width = outputs.div_ceil(PANEL);
        let mut weights = vec![0.0; outputs * inputs * 9];
        for (input, panel) in (0..inputs).flat_map(|i| (0..width).map(move |p| (i, p))) {
            let sum = |i: usize, j: usize| &panels[((i * N + j) * inputs + input) * width + panel];
            for tap in 0..9 {
                // Element by element of Gᵀ U G
                let mut values = [0.0_f64; PANEL];
                for (i, j) in (0..N).flat_map(|i| (0..N).map(move |j| (i, j))) {
                    let factor = T::G[i][tap / 3] * T::G[j][tap % 3];
                    if factor != 0.0 {
                        values.iter_mut().zip(sum(i, j)).for_each(|(value, &sum)| {
                            *value += factor * f64::from(sum);
                        });
                    }
                }
                for (output, value) in (panel * PANEL..outputs).zip(values) {
                    weights[(output * inputs + input) * 9 + tap] = rounded(value);
                }
            }
        }
        weights
    }
}

/// Rows of sums that are computed together at the most: more of a single panel gain nothing.
const MOST_ROWS: usize = 9;

/// `sums += leftᵀ · right`, where both have one row for each tile.
struct OuterProducts<'a> {
    left: &'a [f32],
    left_stride: usize,
    right: &'a [f32],
    right_stride: usize,
    sums: &'a mut [f32],
}

impl Kernel for OuterProducts<'_> {
    #[inline(always)]
    fn run<A: Arithmetic>(mut self) {
        let inputs = self.sums.len() / self.right_stride;
        for column in (0..self.right_stride).step_by(PANEL) {
            for (row, height) in blocks(inputs, A::ROWS.min(MOST_ROWS)) {
                match height {
                    1 => self.block::<A, 1>(row, column),
                    2 => self.block::<A, 2>(row, column),
                    3 => self.block::<A, 3>(row, column),
                    4 => self.block::<A, 4>(row, column),
                    5 => self.block::<A, 5>(row, column),
                    6 => self.block::<A, 6>(row, column),
                    7 if A::WIDE => self.block::<A, 7>(row, column),
                    8 if A::WIDE => self.block::<A, 8>(row, column),
                    9 if A::WIDE => self.block::<A, 9>(row, column),
                    _ => unreachable!("invariant: blocks have at most as many rows as asked for"),
                }
            }
        }
    }
}

impl OuterProducts<'_> {
    #[inline(always)]
    fn block<A: Arithmetic, const N: usize>(&mut self, row: usize, column: usize) {
        let mut block = [[0.0; PANEL]; N];
        let left = self.left.chunks_exact(self.left_stride);
        for (left, right) in left.zip(self.right.chunks_exact(self.right_stride)) {
            let (right, _) = right[column..][..PANEL].as_chunks::<PANEL>();
            for (sums, &value) in block.iter_mut().zip(&left[row..][..N]) {
                *sums = A::scale_add(value, right[0], *sums);
            }
        }
        for (r, block) in block.into_iter().enumerate() {
            let sums = &mut self.sums[(row + r) * self.right_stride + column..][..PANEL];
            for (sum, &value) in sums.iter_mut().zip(&block) {
                *sum += value;
            }
        }
    }
}
