//! What the benchmarks of networks share: a clock, numbers, and the peak of the processor.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Time spent on the peak.
const BUDGET: Duration = Duration::from_millis(300);

/// Independent chains of additions: enough to hide the latency.
const CHAINS: usize = 12;

/// Seconds of one call: the fastest of all that fit into the budget.
pub(crate) fn seconds(budget: Duration, mut call: impl FnMut()) -> f64 {
    call();
    let start = now();
    let mut fastest = Duration::MAX;
    while start.elapsed() < budget {
        let begin = now();
        call();
        fastest = fastest.min(begin.elapsed());
    }
    fastest.as_secs_f64()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is about the time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Numbers between -0.5 and 0.5 without a pattern that matters.
pub(crate) fn numbers(count: usize) -> Vec<f32> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

/// GFLOP/s of fused multiplications that wait for nothing but each other.
pub(crate) fn fma_peak() -> f64 {
    const ROUNDS: usize = 10_000;
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: both features have just been found.
        #[expect(unsafe_code, reason = "calling code compiled for detected features")]
        let time = seconds(BUDGET, || unsafe { chains_avx2(ROUNDS) });
        return (ROUNDS * CHAINS * 8 * 2) as f64 / time / 1e9;
    }
    let time = seconds(BUDGET, || chains(ROUNDS, |a, b| a * b + b));
    (ROUNDS * CHAINS * 8 * 2) as f64 / time / 1e9
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn chains_avx2(rounds: usize) {
    chains(rounds, |a, b| a.mul_add(b, b));
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "inherits the instructions of its caller")]
fn chains(rounds: usize, step: impl Fn(f32, f32) -> f32) {
    let mut sums = black_box([[0.5_f32; 8]; CHAINS]);
    let factor = black_box(0.25_f32);
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = std::array::from_fn(|i| step(sum[i], factor));
        }
    }
    black_box(sums);
}
