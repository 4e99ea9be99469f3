//! Vectors of eight floats, and one source compiled for two instruction sets.

use std::array;

/// Eight floats that are computed together: one AVX register, two NEON or SSE registers.
pub(super) type Lanes = [f32; LANES];

/// Floats in [`Lanes`].
pub(super) const LANES: usize = 8;

/// Eight zeros.
pub(super) const ZERO: Lanes = [0.0; LANES];

/// The instruction set that kernels run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu(Set);

/// Kept private: a value of `Fused` is the proof that the processor has the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Baseline,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Fused,
}

impl Cpu {
    /// The fastest instruction set of this processor.
    #[must_use]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self(Set::Fused);
        }
        #[cfg(target_arch = "aarch64")]
        return Self(Set::Fused);
        #[cfg(not(target_arch = "aarch64"))]
        Self(Set::Baseline)
    }

    /// What every processor of the target has, with separate multiplication and addition.
    #[must_use]
    pub fn baseline() -> Self {
        Self(Set::Baseline)
    }

    /// Runs a kernel compiled for this instruction set.
    pub(super) fn run(self, kernel: impl Kernel) {
        match self.0 {
            Set::Baseline => kernel.run::<Separate>(),
            // Fused multiplication is part of the baseline there.
            #[cfg(target_arch = "aarch64")]
            Set::Fused => kernel.run::<Fused>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Cpu` of the set `Fused` is made by `detect` alone, after it has found both
            // features.
            #[expect(unsafe_code, reason = "calling code compiled for detected features")]
            Set::Fused => unsafe { run_avx2(kernel) },
        }
    }
}

/// The only function with other instructions than the rest of the program; the kernel is inlined.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2(kernel: impl Kernel) {
    kernel.run::<Fused>();
}

/// A computation that is compiled once for each instruction set.
///
/// `run` and all that it calls must be `#[inline(always)]`, since a function that is not inlined
/// is compiled for the baseline.
pub(super) trait Kernel {
    fn run<A: Arithmetic>(self);
}

/// How `a * b + c` is computed.
pub(super) trait Arithmetic {
    fn mul_add(a: Lanes, b: Lanes, c: Lanes) -> Lanes;

    /// `factor * a + c`
    #[inline(always)]
    fn scale_add(factor: f32, a: Lanes, c: Lanes) -> Lanes {
        Self::mul_add([factor; LANES], a, c)
    }
}

/// With one rounding, by one instruction.
pub(super) struct Fused;

/// With two roundings, where a fused instruction is not known to exist.
pub(super) struct Separate;

impl Arithmetic for Fused {
    #[inline(always)]
    fn mul_add(a: Lanes, b: Lanes, c: Lanes) -> Lanes {
        array::from_fn(|i| a[i].mul_add(b[i], c[i]))
    }
}

impl Arithmetic for Separate {
    #[inline(always)]
    fn mul_add(a: Lanes, b: Lanes, c: Lanes) -> Lanes {
        array::from_fn(|i| a[i] * b[i] + c[i])
    }
}

#[inline(always)]
pub(super) fn add(a: Lanes, b: Lanes) -> Lanes {
    array::from_fn(|i| a[i] + b[i])
}

#[inline(always)]
pub(super) fn sub(a: Lanes, b: Lanes) -> Lanes {
    array::from_fn(|i| a[i] - b[i])
}

#[inline(always)]
pub(super) fn relu(a: Lanes) -> Lanes {
    array::from_fn(|i| if a[i] > 0.0 { a[i] } else { 0.0 })
}

/// `x · tanh(ln(1 + eˣ))`, which is `x · n / (n + 2)` with `n = eˣ (eˣ + 2)`.
#[inline(always)]
pub(super) fn mish<A: Arithmetic>(x: Lanes) -> Lanes {
    // Beyond 20 it is x to the last bit.
    let e = exp::<A>(array::from_fn(|i| if x[i] < 20.0 { x[i] } else { 20.0 }));
    let n = A::mul_add(e, e, add(e, e));
    array::from_fn(|i| x[i] * (n[i] / (n[i] + 2.0)))
}

/// `eˣ` for x up to 88: two to the whole part of `x / ln 2`, put together from bits, times a
/// polynomial of the rest. The error is less than 3e-7 of the result.
#[inline(always)]
fn exp<A: Arithmetic>(x: Lanes) -> Lanes {
    /// Added to a float it leaves no room for fractions: the lowest bits are the whole part.
    const ROUNDS: f32 = 12_582_912.0;
    /// `(ln 2)ᵏ / k!`, the highest first.
    const TERMS: [f32; 7] = [
        1.540_353e-4,
        1.333_356e-3,
        9.618_13e-3,
        5.550_411e-2,
        2.402_265e-1,
        std::f32::consts::LN_2,
        1.0,
    ];
    let scaled: Lanes = array::from_fn(|i| {
        let low = if x[i] > -87.0 { x[i] } else { -87.0 };
        low * std::f32::consts::LOG2_E
    });
    let whole: Lanes = array::from_fn(|i| scaled[i] + ROUNDS);
    let rest: Lanes = array::from_fn(|i| scaled[i] - (whole[i] - ROUNDS));
    let mut sum = [TERMS[0]; LANES];
    for term in &TERMS[1..] {
        sum = A::mul_add(sum, rest, [*term; LANES]);
    }
    array::from_fn(|i| sum[i] * f32::from_bits((whole[i].to_bits() << 23).wrapping_add(127 << 23)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mish_is_what_its_formula_says() {
        for step in -3000..3000i16 {
            let x = f64::from(step) / 30.0;
            let expected = x * (1.0 + x.exp()).ln().tanh();
            #[expect(clippy::cast_possible_truncation, reason = "tests single precision")]
            let found = f64::from(mish::<Separate>([x as f32; LANES])[3]);
            assert!((found - expected).abs() < 1e-6 * expected.abs().max(0.1), "{x}: {found}");
        }
        assert!(mish::<Separate>([0.0; LANES])[0].abs() < 1e-30);
        assert!(mish::<Separate>([-1e30; LANES])[0].abs() < 1e-3);
    }
}
