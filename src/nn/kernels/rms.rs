//! Normalisation by the root of the mean square, and gates: what transformers have besides
//! products.

use super::cpu::{Arithmetic, Kernel, LANES, Lanes, ZERO, silu};
use super::pointwise::Activated;
use super::{Activation, Cpu, PANEL, padded};

/// `y = activation(scale · x / sqrt(mean(x²) + epsilon) + bias)` (Zhang and Sennrich, "Root Mean
/// Square Layer Normalization", 2019, equation 4), the mean over the channels of one row or of
/// several.
#[derive(Debug)]
pub struct RmsNorm {
    channels: usize,
    epsilon: f32,
    scale: Vec<f32>,
    bias: Vec<f32>,
    activation: Activation,
}

impl RmsNorm {
    /// A normalisation with one scale and one bias for each channel.
    ///
    /// # Panics
    /// If there are not as many of one as of the other.
    #[must_use]
    pub fn new(scale: &[f32], bias: &[f32], epsilon: f32, activation: Activation) -> Self {
        assert_eq!(scale.len(), bias.len(), "a scale and a bias for each channel");
        let pad = |values: &[f32]| {
            let mut values = values.to_vec();
            values.resize(padded(values.len()), 0.0);
            values
        };
        let channels = scale.len();
        Self { channels, epsilon, scale: pad(scale), bias: pad(bias), activation }
    }

    /// Channels with the padding.
    #[must_use]
    pub fn width(&self) -> usize {
        self.scale.len()
    }

    /// Normalises rows of padded channels, `together` of them by one mean.
    ///
    /// # Panics
    /// If a length is wrong.
    pub fn run(&self, x: &[f32], together: usize, y: &mut [f32]) {
        assert!(together > 0 && x.len().is_multiple_of(together * self.width()), "whole groups");
        assert_eq!(x.len(), y.len(), "length of the output");
        if x.is_empty() {
            return;
        }
        Cpu::detect().run(Normalise {
            norm: self,
            together,
            x: x.as_chunks().0,
            y: y.as_chunks_mut().0,
        });
    }
}

struct Normalise<'a> {
    norm: &'a RmsNorm,
    together: usize,
    x: &'a [Lanes],
    y: &'a mut [Lanes],
}

impl Kernel for Normalise<'_> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let activation = self.norm.activation;
        self.apply_any::<A>(activation);
    }
}

impl Activated for Normalise<'_> {
    #[inline(always)]
    fn apply<A: Arithmetic>(self, activation: impl Fn(Lanes) -> Lanes) {
        let RmsNorm { channels, epsilon, scale, bias, .. } = self.norm;
        let lanes = scale.len() / LANES;
        let (scale, bias) = (scale.as_chunks().0, bias.as_chunks().0);
        let size = self.together * lanes;
        for (x, y) in self.x.chunks_exact(size).zip(self.y.chunks_exact_mut(size)) {
            let mean = sum_of_squares::<A>(x) / (self.together * channels) as f32;
            let factor = 1.0 / (mean + epsilon).sqrt();
            for (x, y) in x.chunks_exact(lanes).zip(y.chunks_exact_mut(lanes)) {
                for (((y, x), &scale), &bias) in y.iter_mut().zip(x).zip(scale).zip(bias) {
                    *y = activation(A::mul_add(x.map(|x| x * factor), scale, bias));
                }
            }
        }
    }
}

/// Four sums side by side, so that none has to wait for the one before it.
#[inline(always)]
fn sum_of_squares<A: Arithmetic>(x: &[Lanes]) -> f32 {
    let mut sums = [ZERO; 4];
    let (fours, rest) = x.as_chunks::<4>();
    for four in fours {
        for (sum, &x) in sums.iter_mut().zip(four) {
            *sum = A::mul_add(x, x, *sum);
        }
    }
    for &x in rest {
        sums[0] = A::mul_add(x, x, sums[0]);
    }
    let halves = [A::add(sums[0], sums[1]), A::add(sums[2], sums[3])];
    A::add(halves[0], halves[1]).iter().sum()
}

/// `y = silu(a) · b` for rows in which `a` and `b` stand side by side (Shazeer, "GLU Variants
/// Improve Transformer", 2020: `SwiGLU`); `width` is the padded number of channels of each.
///
/// # Panics
/// If the width is not padded, or a length is wrong.
pub fn gate(x: &[f32], width: usize, y: &mut [f32]) {
    assert!(width > 0 && width.is_multiple_of(PANEL), "padded channels");
    assert!(y.len().is_multiple_of(width) && x.len() == 2 * y.len(), "as many rows");
    let lanes = width / LANES;
    Cpu::detect().run(Gate { lanes, x: x.as_chunks().0, y: y.as_chunks_mut().0 });
}

struct Gate<'a> {
    lanes: usize,
    x: &'a [Lanes],
    y: &'a mut [Lanes],
}

impl Kernel for Gate<'_> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let rows = self.x.chunks_exact(2 * self.lanes);
        for (x, y) in rows.zip(self.y.chunks_exact_mut(self.lanes)) {
            let (a, b) = x.split_at(self.lanes);
            for ((y, &a), b) in y.iter_mut().zip(a).zip(b) {
                let a = silu::<A, LANES>(a);
                *y = std::array::from_fn(|i| a[i] * b[i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_normalised_alone_or_together() {
        let norm = RmsNorm::new(&[2.0, -1.0, 1.0], &[0.0, 0.5, 1.0], 0.5, Activation::Relu);
        let mut x = vec![0.0; 32];
        x[..3].copy_from_slice(&[3.0, 1.0, -1.0]);
        x[16..19].copy_from_slice(&[0.0, -2.0, 1.0]);
        let check = |together, factors: [f32; 2]| {
            let mut y = vec![f32::NAN; 32];
            norm.run(&x, together, &mut y);
            for ((x, y), factor) in x.chunks(16).zip(y.chunks(16)).zip(factors) {
                for i in 0..16 {
                    let scale = [2.0, -1.0, 1.0].get(i).map_or(0.0, |scale| scale * factor);
                    let bias = [0.0, 0.5, 1.0].get(i).copied().unwrap_or(0.0);
                    let expected = (x[i] * scale + bias).max(0.0);
                    assert!((y[i] - expected).abs() < 1e-6, "{together} {i}: {}", y[i]);
                }
            }
        };
        let factor = |mean: f32| 1.0 / (mean + 0.5).sqrt();
        check(1, [factor(11.0 / 3.0), factor(5.0 / 3.0)]);
        check(2, [factor(16.0 / 6.0); 2]);
    }

    #[test]
    fn a_gate_multiplies() {
        let mut x = vec![0.0; 64];
        (x[3], x[19], x[34], x[50]) = (2.0, 3.0, -1.0, 5.0);
        let mut y = vec![f32::NAN; 32];
        gate(&x, 16, &mut y);
        assert!((y[3] - 6.0 / (1.0 + (-2.0f32).exp())).abs() < 1e-6, "{}", y[3]);
        assert!((y[18] + 5.0 / (1.0 + 1.0f32.exp())).abs() < 1e-6, "{}", y[18]);
        assert_eq!(y.iter().filter(|y| **y != 0.0).count(), 2);
    }
}
