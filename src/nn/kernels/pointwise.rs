//! What is done to every number for itself: scale, bias and activation.

use super::cpu::{Arithmetic, Kernel, LANES, Lanes, add, mish, relu, silu};
use super::{Activation, Cpu, PANEL};

/// Some columns of a matrix: the first ones of each row.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// From the first of the columns in the first row to the last of them in the last row, or on.
    pub data: &'a [f32],
    /// Distance of the rows.
    pub stride: usize,
}

/// `y = activation(scale · x + bias)` for the columns that `bias` has, padded; `y` has no others.
/// Without a scale it is 1.
///
/// # Panics
/// If the columns or the stride are not padded, or a length is wrong.
pub fn pointwise(
    x: Columns<'_>,
    scale: Option<&[f32]>,
    bias: &[f32],
    activation: Activation,
    y: &mut [f32],
) {
    let columns = bias.len();
    assert!(columns.is_multiple_of(PANEL) && x.stride.is_multiple_of(PANEL), "padded channels");
    assert!(columns > 0 && y.len().is_multiple_of(columns), "whole rows");
    assert!(scale.is_none_or(|scale| scale.len() == columns), "one scale for each column");
    Cpu::detect().run(Pointwise {
        x: x.data.as_chunks().0,
        stride: x.stride / LANES,
        scale: scale.map(|scale| scale.as_chunks().0),
        bias: bias.as_chunks().0,
        activation,
        y: y.as_chunks_mut().0,
    });
}

struct Pointwise<'a> {
    x: &'a [Lanes],
    stride: usize,
    scale: Option<&'a [Lanes]>,
    bias: &'a [Lanes],
    activation: Activation,
    y: &'a mut [Lanes],
}

impl Kernel for Pointwise<'_> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let activation = self.activation;
        self.apply_any::<A>(activation);
    }
}

/// A kernel that ends with an activation.
pub(super) trait Activated: Sized {
    /// Computes with an activation as a function.
    fn apply<A: Arithmetic>(self, activation: impl Fn(Lanes) -> Lanes);

    /// Computes with any activation. Closures, since a function that is passed by its name is not
    /// inlined, and compiled for the baseline, where a fused multiplication is a call.
    #[inline(always)]
    #[expect(clippy::redundant_closure, reason = "a closure is inlined")]
    fn apply_any<A: Arithmetic>(self, activation: Activation) {
        match activation {
            Activation::None => self.apply::<A>(
                #[inline(always)]
                |x| x,
            ),
            Activation::Relu => self.apply::<A>(
                #[inline(always)]
                |x| relu(x),
            ),
            Activation::Mish => self.apply::<A>(
                #[inline(always)]
                |x| mish::<A, LANES>(x),
            ),
            Activation::Silu => self.apply::<A>(
                #[inline(always)]
                |x| silu::<A, LANES>(x),
            ),
        }
    }
}

impl Activated for Pointwise<'_> {
    #[inline(always)]
    fn apply<A: Arithmetic>(self, activation: impl Fn(Lanes) -> Lanes) {
        let lanes = self.bias.len();
        for (row, y) in self.y.chunks_exact_mut(lanes).enumerate() {
            let x = &self.x[row * self.stride..][..lanes];
            match self.scale {
                Some(scale) => {
                    for (((y, &x), &scale), &bias) in y.iter_mut().zip(x).zip(scale).zip(self.bias)
                    {
                        *y = activation(A::mul_add(x, scale, bias));
                    }
                }
                None => {
                    for ((y, &x), &bias) in y.iter_mut().zip(x).zip(self.bias) {
                        *y = activation(add(x, bias));
                    }
                }
            }
        }
    }
}

/// An activation of numbers where they are.
pub(super) struct Activate<'a> {
    pub(super) activation: Activation,
    pub(super) x: &'a mut [Lanes],
}

impl Kernel for Activate<'_> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let activation = self.activation;
        self.apply_any::<A>(activation);
    }
}

impl Activated for Activate<'_> {
    #[inline(always)]
    fn apply<A: Arithmetic>(self, activation: impl Fn(Lanes) -> Lanes) {
        self.x.iter_mut().for_each(|x| *x = activation(*x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_cut_out_scaled_and_activated() {
        // Two rows of 32 channels, of which the last 16 are wanted.
        let x: Vec<f32> = (0..64u8).map(|i| f32::from(i) - 40.0).collect();
        let bias: Vec<f32> = (0..16u8).map(f32::from).collect();
        let columns = Columns { data: &x[16..], stride: 32 };
        let mut y = vec![0.0; 32];
        pointwise(columns, None, &bias, Activation::Relu, &mut y);
        // Row 0, column 3: x = 19 - 40, bias 3. Row 1, column 15: x = 63 - 40, bias 15.
        assert_eq!((y[3], y[31]), (0.0, 38.0));
        pointwise(columns, Some(&[2.0; 16]), &bias, Activation::None, &mut y);
        assert_eq!((y[3], y[31]), (-39.0, 61.0));
    }
}
