//! The rectifier behind a sum: Candle's own makes three passes and as many tensors for its gradient.

use candle_core::{CpuStorage, CustomOp2, Device, Layout, Result, Shape, Tensor};
use rayon::prelude::*;

use super::{floats, is_ours, with_floats};

/// Elements that a thread takes at once.
const PIECE: usize = 1 << 15;

/// The larger of zero and the sum of two tensors of the same shape; the gradient at zero is zero.
///
/// On a CPU with `f32` it runs on the threads of the rayon pool, elsewhere on Candle's operations.
pub fn add_relu(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if is_ours(a) && a.shape() == b.shape() {
        a.contiguous()?.apply_op2(&b.contiguous()?, RectifiedSum)
    } else {
        (a + b)?.relu()
    }
}

struct RectifiedSum;

impl CustomOp2 for RectifiedSum {
    fn name(&self) -> &'static str {
        "add_relu"
    }

    fn cpu_fwd(
        &self,
        a: &CpuStorage,
        a_layout: &Layout,
        b: &CpuStorage,
        b_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (a, b) = (floats(a, a_layout)?, floats(b, b_layout)?);
        let sums = merged(a, b, |a, b| (a + b).max(0.0));
        Ok((CpuStorage::F32(sums), a_layout.shape().clone()))
    }

    fn bwd(
        &self,
        _a: &Tensor,
        _b: &Tensor,
        y: &Tensor,
        dy: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let slopes = through_relu(y, dy)?;
        Ok((Some(slopes.clone()), Some(slopes)))
    }
}

/// What is left of the gradient by what a rectifier gave, `y`, as that by what it was given.
pub(super) fn through_relu(y: &Tensor, dy: &Tensor) -> Result<Tensor> {
    let dy = dy.contiguous()?;
    let dx = with_floats(y, |y| with_floats(&dy, |dy| where_positive(y, dy)))??;
    Tensor::from_vec(dx, y.shape(), &Device::Cpu)
}

/// The values where the signs are positive, else zero.
fn where_positive(signs: &[f32], values: &[f32]) -> Vec<f32> {
    merged(signs, values, |sign, value| if sign > 0.0 { value } else { 0.0 })
}

/// A number from each pair of two lists.
fn merged(a: &[f32], b: &[f32], merge: impl Fn(f32, f32) -> f32 + Sync) -> Vec<f32> {
    let mut all = vec![0.0; a.len()];
    let pairs = a.par_chunks(PIECE).zip(b.par_chunks(PIECE));
    all.par_chunks_mut(PIECE).zip(pairs).for_each(|(all, (a, b))| {
        for ((to, &a), &b) in all.iter_mut().zip(a).zip(b) {
            *to = merge(a, b);
        }
    });
    all
}
