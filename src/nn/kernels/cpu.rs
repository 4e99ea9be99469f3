//! Vectors of floats, and one source compiled for several instruction sets.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m512, _MM_HINT_T0, _mm_prefetch, _mm512_add_ps, _mm512_fmadd_ps, _mm512_sub_ps,
};
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

/// Kept private: a value of `Fused` or `Wide` is the proof that the processor has the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Baseline,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Fused,
    #[cfg(target_arch = "x86_64")]
    Wide,
}

impl Cpu {
    /// The fastest instruction set of this processor.
    #[must_use]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            return Self(Set::Wide);
        }
        Self::detect_narrow()
    }

    /// All instruction sets of this processor, the fastest first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::detect(), Self::detect_narrow(), Self::baseline()];
        all.dedup();
        all
    }

    /// The fastest with registers of eight floats at the most.
    fn detect_narrow() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self(Set::Fused);
        }
        #[cfg(target_arch = "aarch64")]
        return Self(Set::Fused);
        #[cfg(not(target_arch = "aarch64"))]
        Self(Set::Baseline)
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Baseline => "baseline",
            #[cfg(target_arch = "aarch64")]
            Set::Fused => "NEON",
            #[cfg(target_arch = "x86_64")]
            Set::Fused => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Set::Wide => "AVX-512",
        }
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
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Cpu` of the set `Wide` is made by `detect` alone, after it has found both
            // features.
            #[expect(unsafe_code, reason = "calling code compiled for detected features")]
            Set::Wide => unsafe { run_avx512(kernel) },
        }
    }
}

/// With [`run_avx512`] the only function with other instructions than the rest of the program; the
/// kernel is inlined.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2(kernel: impl Kernel) {
    kernel.run::<Fused>();
}

/// As [`run_avx2`], with 32 registers of 16 floats.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn run_avx512(kernel: impl Kernel) {
    kernel.run::<Wide>();
}

/// A computation that is compiled once for each instruction set.
///
/// `run` and all that it calls must be `#[inline(always)]`, since a function that is not inlined
/// is compiled for the baseline.
pub(super) trait Kernel {
    fn run<A: Arithmetic>(self);
}

/// How `a * b + c` is computed, and with which registers.
pub(super) trait Arithmetic {
    /// Rows of sums that fit into the registers beside what is added to them: 6 of 16 sums fill 12
    /// of 16 registers of 8 floats, 13 of 32 sums fill 26 of 32 registers of 16.
    const ROWS: usize;

    /// Whether 16 floats fit into one register.
    const WIDE: bool;

    fn mul_add<const W: usize>(a: [f32; W], b: [f32; W], c: [f32; W]) -> [f32; W];

    /// Asks for the cache line at an address to be brought near, where there is a way to do it.
    #[inline(always)]
    fn fetch(_address: *const f32) {}

    #[inline(always)]
    fn add<const W: usize>(a: [f32; W], b: [f32; W]) -> [f32; W] {
        add(a, b)
    }

    #[inline(always)]
    fn sub<const W: usize>(a: [f32; W], b: [f32; W]) -> [f32; W] {
        array::from_fn(|i| a[i] - b[i])
    }

    /// `factor * a + c`
    #[inline(always)]
    fn scale_add<const W: usize>(factor: f32, a: [f32; W], c: [f32; W]) -> [f32; W] {
        Self::mul_add([factor; W], a, c)
    }
}

/// With one rounding, by one instruction.
pub(super) struct Fused;

/// The same, and to the bit the same results, with larger registers and more of them.
///
/// Written with intrinsics: left to itself, the compiler takes the arrays of a tile apart and puts
/// them together again in other ways. Private, so that [`run_avx512`] alone can name it.
#[cfg(target_arch = "x86_64")]
struct Wide;

/// With two roundings, where a fused instruction is not known to exist.
pub(super) struct Separate;

impl Arithmetic for Fused {
    const ROWS: usize = 6;
    const WIDE: bool = false;

    #[inline(always)]
    fn fetch(address: *const f32) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a hint, which reads nothing, whatever the address.
        #[expect(unsafe_code, reason = "the hint has no safe form")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address.cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = address;
    }

    #[inline(always)]
    fn mul_add<const W: usize>(a: [f32; W], b: [f32; W], c: [f32; W]) -> [f32; W] {
        array::from_fn(|i| a[i].mul_add(b[i], c[i]))
    }
}

#[cfg(target_arch = "x86_64")]
impl Arithmetic for Wide {
    const ROWS: usize = 13;
    const WIDE: bool = true;

    #[inline(always)]
    fn fetch(address: *const f32) {
        Fused::fetch(address);
    }

    #[inline(always)]
    fn mul_add<const W: usize>(a: [f32; W], b: [f32; W], c: [f32; W]) -> [f32; W] {
        match (whole(a), whole(b), whole(c)) {
            // SAFETY: `run_avx512` alone computes so, and is called where AVX-512 was detected.
            #[expect(unsafe_code, reason = "an instruction of a detected feature")]
            (Some(a), Some(b), Some(c)) => parts(unsafe { _mm512_fmadd_ps(a, b, c) }),
            _ => Fused::mul_add(a, b, c),
        }
    }

    #[inline(always)]
    fn add<const W: usize>(a: [f32; W], b: [f32; W]) -> [f32; W] {
        match (whole(a), whole(b)) {
            // SAFETY: as above.
            #[expect(unsafe_code, reason = "an instruction of a detected feature")]
            (Some(a), Some(b)) => parts(unsafe { _mm512_add_ps(a, b) }),
            _ => Fused::add(a, b),
        }
    }

    #[inline(always)]
    fn sub<const W: usize>(a: [f32; W], b: [f32; W]) -> [f32; W] {
        match (whole(a), whole(b)) {
            // SAFETY: as above.
            #[expect(unsafe_code, reason = "an instruction of a detected feature")]
            (Some(a), Some(b)) => parts(unsafe { _mm512_sub_ps(a, b) }),
            _ => Fused::sub(a, b),
        }
    }
}

/// Sixteen floats as a register; nothing for fewer.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn whole<const W: usize>(a: [f32; W]) -> Option<__m512> {
    if W != 16 {
        return None;
    }
    // SAFETY: both are 16 floats, of which every pattern of bits is one.
    #[expect(unsafe_code, reason = "the same bits under another type")]
    Some(unsafe { std::mem::transmute_copy(&a) })
}

/// The floats of a register.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn parts<const W: usize>(a: __m512) -> [f32; W] {
    assert!(W == 16, "invariant: made from as many");
    // SAFETY: both are 16 floats, of which every pattern of bits is one.
    #[expect(unsafe_code, reason = "the same bits under another type")]
    unsafe {
        std::mem::transmute_copy(&a)
    }
}

impl Arithmetic for Separate {
    const ROWS: usize = 6;
    const WIDE: bool = false;

    #[inline(always)]
    fn mul_add<const W: usize>(a: [f32; W], b: [f32; W], c: [f32; W]) -> [f32; W] {
        array::from_fn(|i| a[i] * b[i] + c[i])
    }
}

#[inline(always)]
pub(super) fn add<const W: usize>(a: [f32; W], b: [f32; W]) -> [f32; W] {
    array::from_fn(|i| a[i] + b[i])
}

#[inline(always)]
pub(super) fn relu<const W: usize>(a: [f32; W]) -> [f32; W] {
    array::from_fn(|i| if a[i] > 0.0 { a[i] } else { 0.0 })
}

/// `x · tanh(ln(1 + eˣ))`, which is `x · n / (n + 2)` with `n = eˣ (eˣ + 2)`.
#[inline(always)]
pub(super) fn mish<A: Arithmetic, const W: usize>(x: [f32; W]) -> [f32; W] {
    // Beyond 20 it is x to the last bit.
    let e = exp::<A, W>(array::from_fn(|i| if x[i] < 20.0 { x[i] } else { 20.0 }));
    let n = A::mul_add(e, e, add(e, e));
    array::from_fn(|i| x[i] * (n[i] / (n[i] + 2.0)))
}

/// `x / (1 + e⁻ˣ)`.
#[inline(always)]
pub(super) fn silu<A: Arithmetic, const W: usize>(x: [f32; W]) -> [f32; W] {
    // Below -87 it is 0 to all that follows.
    let e = exp::<A, W>(array::from_fn(|i| if x[i] > -87.0 { -x[i] } else { 87.0 }));
    array::from_fn(|i| x[i] / (1.0 + e[i]))
}

/// `eˣ` for x up to 88: two to the whole part of `x / ln 2`, put together from bits, times a
/// polynomial of the rest. The error is less than 3e-7 of the result.
#[inline(always)]
pub(super) fn exp<A: Arithmetic, const W: usize>(x: [f32; W]) -> [f32; W] {
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
    let scaled: [f32; W] = array::from_fn(|i| {
        let low = if x[i] > -87.0 { x[i] } else { -87.0 };
        low * std::f32::consts::LOG2_E
    });
    let whole: [f32; W] = array::from_fn(|i| scaled[i] + ROUNDS);
    let rest: [f32; W] = array::from_fn(|i| scaled[i] - (whole[i] - ROUNDS));
    let mut sum = [TERMS[0]; W];
    for term in &TERMS[1..] {
        sum = A::mul_add(sum, rest, [*term; W]);
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
            let found = f64::from(mish::<Separate, LANES>([x as f32; LANES])[3]);
            assert!((found - expected).abs() < 1e-6 * expected.abs().max(0.1), "{x}: {found}");
        }
        assert!(mish::<Separate, LANES>([0.0; LANES])[0].abs() < 1e-30);
        assert!(mish::<Separate, LANES>([-1e30; LANES])[0].abs() < 1e-3);
    }
    #[test]
    fn silu_is_what_its_formula_says() {
        for step in -3000..3000i16 {
            let x = f64::from(step) / 30.0;
            let expected = x / (1.0 + (-x).exp());
            #[expect(clippy::cast_possible_truncation, reason = "tests single precision")]
            let found = f64::from(silu::<Separate, LANES>([x as f32; LANES])[3]);
            assert!((found - expected).abs() < 1e-6 * expected.abs().max(0.1), "{x}: {found}");
        }
        assert!(silu::<Separate, LANES>([-1e30; LANES])[0].abs() < 1e-3);
    }
}
