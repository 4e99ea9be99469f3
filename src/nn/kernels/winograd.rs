//! The stages of a Winograd convolution: transform the inputs, multiply, transform the outputs.
#![expect(clippy::needless_range_loop, reason = "rows and columns change places in the loops")]

use std::array;
use std::marker::PhantomData;
use std::ops::Range;

use super::chunk::{Channels, Chunk};
use super::cpu::{Arithmetic, Kernel, LANES, Lanes, ZERO, relu};
use super::gemm::{Dense, Panels, Plain, Product, TOGETHER};
use super::plan::Plan;
use super::pointwise::Activate;
use super::tiles::Tile;
use super::{Activation, PANEL, Scratch};

/// Vectors left free between the matrices, so that equal places in them, which are written one
/// after the other, fall into different sets of the cache.
pub(super) const GAP: usize = 2;

/// The weights `[output][input][3][3]` as one matrix for each element of a transformed tile.
pub(super) fn pack<T: Tile<N, M>, const N: usize, const M: usize>(
    weights: &[f32],
    channels: Channels,
) -> Panels {
    let Channels { inputs, outputs } = channels;
    let mut panels = Panels::zeros(N * N, inputs, outputs);
    for panel in 0..outputs.div_ceil(PANEL) {
        for input in 0..inputs {
            let mut taps = [[0.0; PANEL]; 9];
            for (lane, output) in (panel * PANEL..outputs).take(PANEL).enumerate() {
                let kernel = &weights[(output * inputs + input) * 9..][..9];
                for (tap, &weight) in taps.iter_mut().zip(kernel) {
                    tap[lane] = f64::from(weight);
                }
            }
            // G g, then (G g) Gᵀ
            for (i, row) in T::G.iter().enumerate() {
                let half = [0, 1, 2].map(|q| weighted(row, [&taps[q], &taps[3 + q], &taps[6 + q]]));
                for (j, column) in T::G.iter().enumerate() {
                    let weights = weighted(column, half.each_ref()).map(rounded);
                    panels.set(i * N + j, panel, input, weights);
                }
            }
        }
    }
    panels
}

/// The sum of three panels with the elements of a row of G as factors.
fn weighted(row: &[f64; 3], panels: [&[f64; PANEL]; 3]) -> [f64; PANEL] {
    array::from_fn(|o| row[0] * panels[0][o] + row[1] * panels[1][o] + row[2] * panels[2][o])
}

/// Weights are computed in double and stored in single precision.
#[expect(clippy::cast_possible_truncation, reason = "rounded to the stored type")]
pub(super) fn rounded(value: f64) -> f32 {
    value as f32
}

/// Convolves one chunk with the tiles that its weights are packed for. The outputs are computed some
/// panels at a time, all stages one after the other, so that their sums stay near.
pub(super) fn convolve<T: Tile<N, M>, const N: usize, const M: usize>(
    chunk: Chunk<'_>,
    scratch: &mut Scratch,
) {
    let Chunk { plan, channels, weights, bias, x, residual, activation, y } = chunk;
    let cpu = plan.cpu();
    let (lanes, output_lanes) = (channels.used_lanes(), channels.output_lanes());
    let tiles = plan.tiles() * y.len() / (plan.points() * output_lanes * LANES);
    let stride = tiles * lanes + GAP;
    let sums = tiles * TOGETHER * PANEL / LANES + GAP;
    let parts = scratch.parts(N * N * stride, N * N * sums, lanes);

    cpu.run(Gather::<T, N, M> {
        plan,
        source: Points { data: x.as_chunks().0, lanes: channels.input_lanes() },
        zeros: &parts.zeros[..lanes],
        target: parts.inputs,
        stride,
        tile: PhantomData,
    });
    for first in (0..weights.width()).step_by(TOGETHER) {
        let panels = first..weights.width().min(first + TOGETHER);
        let lanes_of_panels = panels.start * PANEL / LANES..panels.end * PANEL / LANES;
        cpu.run(Products {
            v: parts.inputs,
            lanes,
            stride,
            weights,
            panels,
            m: parts.outputs,
            m_stride: sums,
            tiles,
        });
        cpu.run(Scatter::<T, N, M> {
            plan,
            source: parts.outputs,
            stride: sums,
            lanes: lanes_of_panels,
            bias: bias.as_chunks().0,
            residual: residual.map(|residual| residual.as_chunks().0),
            activation,
            y: y.as_chunks_mut().0,
            tile: PhantomData,
        });
    }
    if comes_after(activation) {
        cpu.run(Activate { activation, x: y.as_chunks_mut().0 });
    }
}

/// Whether an activation is applied to what was written: in the last stage it would need too many
/// registers.
fn comes_after(activation: Activation) -> bool {
    matches!(activation, Activation::Mish | Activation::Silu)
}

/// The second stage: the products of all matrices for some panels.
struct Products<'a> {
    v: &'a [Lanes],
    /// Vectors of a row of `v`, and distance of its matrices.
    lanes: usize,
    stride: usize,
    weights: &'a Panels,
    panels: Range<usize>,
    m: &'a mut [Lanes],
    m_stride: usize,
    tiles: usize,
}

impl Kernel for Products<'_> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let size = self.tiles * self.panels.len() * PANEL / LANES;
        let matrices = self.v.chunks_exact(self.stride).zip(self.m.chunks_exact_mut(self.m_stride));
        for (matrix, (v, m)) in matrices.enumerate() {
            Product {
                rows: Dense { data: v.as_flattened(), stride: self.lanes * LANES },
                weights: self.weights,
                matrix,
                panels: self.panels.clone(),
                finish: Plain,
                y: m[..size].as_flattened_mut(),
            }
            .run::<A>();
        }
    }
}

/// Activations seen as points with `lanes` vectors each.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    pub(super) data: &'a [Lanes],
    pub(super) lanes: usize,
}

/// The corner of every tile, position by position: index of the first point of the position, row
/// and column in the board.
#[inline(always)]
fn corners(plan: &Plan, positions: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let (rows, columns) = plan.tiling();
    let (tile, points) = (plan.method().tile(), plan.points());
    (0..positions).flat_map(move |position| {
        (0..rows * columns)
            .map(move |t| (position * points, t / columns * tile, t % columns * tile))
    })
}

/// The first stage: `Bᵀ d B` of each tile, one matrix `[tile][channel]` for each of its elements.
pub(super) struct Gather<'a, T, const N: usize, const M: usize> {
    pub(super) plan: &'a Plan,
    pub(super) source: Points<'a>,
    /// As many vectors as shall be read from each point.
    pub(super) zeros: &'a [Lanes],
    pub(super) target: &'a mut [Lanes],
    /// Distance of the matrices.
    pub(super) stride: usize,
    pub(super) tile: PhantomData<T>,
}

impl<T: Tile<N, M>, const N: usize, const M: usize> Kernel for Gather<'_, T, N, M> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        // Two vectors at a time where they fit into one register.
        if A::WIDE && self.zeros.len().is_multiple_of(2) {
            self.transform::<A, { 2 * LANES }>();
        } else {
            self.transform::<A, LANES>();
        }
    }
}

impl<T: Tile<N, M>, const N: usize, const M: usize> Gather<'_, T, N, M> {
    #[inline(always)]
    fn transform<A: Arithmetic, const W: usize>(self) {
        let Points { data, lanes } = self.source;
        let used = self.zeros.len();
        let positions = data.len() / (self.plan.points() * lanes);
        // Out here, or it would be cleared for every vector.
        let mut columns = [[[0.0; W]; N]; N];
        for (tile, (first, top, left)) in corners(self.plan, positions).enumerate() {
            // The tile begins one row above and one column left of its outputs.
            let point = |i: usize, j: usize| {
                let (row, column) = ((top + i).wrapping_sub(1), (left + j).wrapping_sub(1));
                let inside = row < self.plan.height() && column < self.plan.width();
                let at = || (first + row * self.plan.width() + column) * lanes;
                if inside { &data[at()..][..used] } else { self.zeros }.as_ptr().cast()
            };
            let mut points = [[self.zeros.as_ptr().cast::<[f32; W]>(); N]; N];
            for (i, row) in points.iter_mut().enumerate() {
                for (j, at) in row.iter_mut().enumerate() {
                    *at = point(i, j);
                }
            }
            let target: *mut Lanes =
                self.target[tile * used..][..(N * N - 1) * self.stride + used].as_mut_ptr();
            for lane in 0..used * LANES / W {
                for j in 0..N {
                    // SAFETY: each pointer is that of a slice of `used` vectors, which are whole
                    // ones of W floats.
                    #[expect(unsafe_code, reason = "25 checks cost as much as the arithmetic")]
                    let column = array::from_fn(|i| unsafe { *points[i][j].add(lane) });
                    columns[j] = T::input::<A, W>(column);
                }
                for i in 0..N {
                    let row = T::input::<A, W>(array::from_fn(|j| columns[j][i]));
                    for j in 0..N {
                        // SAFETY: the slice that the pointer comes from ends `used` vectors after
                        // the start of the last of N * N matrices.
                        #[expect(unsafe_code, reason = "25 checks cost as much as the arithmetic")]
                        unsafe {
                            *target.add((i * N + j) * self.stride).cast::<[f32; W]>().add(lane) =
                                row[j];
                        }
                    }
                }
            }
        }
    }
}

/// The last stage: `Aᵀ m A` of each tile, with bias, residual and activation, for some vectors of
/// each point.
struct Scatter<'a, T, const N: usize, const M: usize> {
    plan: &'a Plan,
    /// One matrix `[tile][these vectors]` for each element of a tile.
    source: &'a [Lanes],
    /// Distance of the matrices.
    stride: usize,
    /// Which vectors of a point.
    lanes: Range<usize>,
    bias: &'a [Lanes],
    residual: Option<&'a [Lanes]>,
    activation: Activation,
    y: &'a mut [Lanes],
    tile: PhantomData<T>,
}

impl<T: Tile<N, M>, const N: usize, const M: usize> Kernel for Scatter<'_, T, N, M> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        // Two vectors at a time where they fit into one register: outputs are padded to two.
        if A::WIDE {
            self.transform::<A, { 2 * LANES }>();
        } else {
            self.transform::<A, LANES>();
        }
    }
}

impl<T: Tile<N, M>, const N: usize, const M: usize> Scatter<'_, T, N, M> {
    #[inline(always)]
    fn transform<A: Arithmetic, const W: usize>(self) {
        match (self.residual, self.activation) {
            (None, Activation::Relu) => self.finish::<A, W, false, true>(),
            (None, _) => self.finish::<A, W, false, false>(),
            (Some(_), Activation::Relu) => self.finish::<A, W, true, true>(),
            (Some(_), _) => self.finish::<A, W, true, false>(),
        }
    }

    #[inline(always)]
    fn finish<A: Arithmetic, const W: usize, const RESIDUAL: bool, const RELU: bool>(self) {
        let lanes = self.bias.len();
        let (width, height) = (self.plan.width(), self.plan.height());
        let positions = self.y.len() / (self.plan.points() * lanes);
        assert_eq!(self.y.len(), positions * self.plan.points() * lanes, "whole positions");
        let residual = self.residual.unwrap_or(&self.bias[..0]);
        assert!(!RESIDUAL || residual.len() == self.y.len(), "one for each output");
        let (own, bias) = (self.lanes.len(), &self.bias[self.lanes.clone()]);
        let (y, residual) = (self.y.as_mut_ptr(), residual.as_ptr());
        // Out here, or it would be cleared for every vector.
        let mut rows = [[[0.0; W]; M]; N];
        for (tile, (first, top, left)) in corners(self.plan, positions).enumerate() {
            let source = self.source[tile * own..][..(N * N - 1) * self.stride + own].as_ptr();
            // What of the tile lies on the board.
            let (bottom, right) = (height - top, width - left);
            let corner = (first + top * width + left) * lanes + self.lanes.start;
            for (lane, &bias) in bias.as_flattened().as_chunks::<W>().0.iter().enumerate() {
                for i in 0..N {
                    // SAFETY: the slice that the pointer comes from ends `own` vectors after the
                    // start of the last of N * N matrices.
                    #[expect(unsafe_code, reason = "25 checks cost as much as the arithmetic")]
                    let row = array::from_fn(|j| unsafe {
                        *source.add((i * N + j) * self.stride).cast::<[f32; W]>().add(lane)
                    });
                    rows[i] = T::output::<A, W>(row);
                }
                for j in 0..M {
                    let column = T::output::<A, W>(array::from_fn(|i| rows[i][j]));
                    for i in 0..M {
                        if i >= bottom || j >= right {
                            continue;
                        }
                        let at = corner + (i * width + j) * lanes;
                        let mut sum = A::add(column[i], bias);
                        if RESIDUAL {
                            // SAFETY: the point lies on the board of a position of which there are
                            // as many in the residual as in `y`, and the vector among its own.
                            #[expect(unsafe_code, reason = "as above")]
                            let before = unsafe { *residual.add(at).cast::<[f32; W]>().add(lane) };
                            sum = A::add(sum, before);
                        }
                        let value = if RELU { relu(sum) } else { sum };
                        // SAFETY: as above.
                        #[expect(unsafe_code, reason = "as above")]
                        unsafe {
                            *y.add(at).cast::<[f32; W]>().add(lane) = value;
                        }
                    }
                }
            }
        }
    }
}

/// The transposed last stage, for the gradient: `A dy Aᵀ` of each tile, one matrix
/// `[tile][channel]` for each of its elements.
pub(super) struct Spread<'a, T, const N: usize, const M: usize> {
    pub(super) plan: &'a Plan,
    pub(super) source: Points<'a>,
    pub(super) target: &'a mut [Lanes],
    /// Distance of the matrices.
    pub(super) stride: usize,
    pub(super) tile: PhantomData<T>,
}

impl<T: Tile<N, M>, const N: usize, const M: usize> Kernel for Spread<'_, T, N, M> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let Points { data, lanes } = self.source;
        let (width, height) = (self.plan.width(), self.plan.height());
        let positions = data.len() / (self.plan.points() * lanes);
        // Out here, or it would be cleared for every vector.
        let mut columns = [[ZERO; N]; M];
        for (tile, (first, top, left)) in corners(self.plan, positions).enumerate() {
            for lane in 0..lanes {
                let value = |i: usize, j: usize| {
                    let inside = top + i < height && left + j < width;
                    let at = || (first + (top + i) * width + left + j) * lanes + lane;
                    if inside { data[at()] } else { ZERO }
                };
                for j in 0..M {
                    columns[j] = T::output_transposed::<A, LANES>(array::from_fn(|i| value(i, j)));
                }
                for i in 0..N {
                    let row = T::output_transposed::<A, LANES>(array::from_fn(|j| columns[j][i]));
                    for j in 0..N {
                        self.target[(i * N + j) * self.stride + tile * lanes + lane] = row[j];
                    }
                }
            }
        }
    }
}
