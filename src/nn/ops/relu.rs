//! The rectifier: Candle's own makes three passes and as many tensors for its gradient.

use candle_core::{CpuStorage, CustomOp1, DType, Device, Layout, Result, Shape, Tensor};
use rayon::prelude::*;

use super::{floats, with_floats};

/// Elements that a thread takes at once.
const PIECE: usize = 1 << 15;

/// The larger of each element and zero; the gradient at zero is zero.
///
/// On a CPU with `f32` it runs on the threads of the rayon pool, elsewhere it is Candle's `relu`.
pub fn relu(x: &Tensor) -> Result<Tensor> {
    if x.device().is_cpu() && x.dtype() == DType::F32 {
        x.contiguous()?.apply_op1(Rectifier)
    } else {
        x.relu()
    }
}

struct Rectifier;

impl CustomOp1 for Rectifier {
    fn name(&self) -> &'static str {
        "relu"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = floats(x, layout)?;
        Ok((CpuStorage::F32(where_positive(x, x)), layout.shape().clone()))
    }

    fn bwd(&self, _x: &Tensor, y: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
        let dy = dy.contiguous()?;
        let dx = with_floats(y, |y| with_floats(&dy, |dy| where_positive(y, dy)))??;
        Ok(Some(Tensor::from_vec(dx, y.shape(), &Device::Cpu)?))
    }
}

/// The values where the signs are positive, else zero.
fn where_positive(signs: &[f32], values: &[f32]) -> Vec<f32> {
    let mut chosen = vec![0.0; values.len()];
    let pieces = signs.par_chunks(PIECE).zip(values.par_chunks(PIECE));
    chosen.par_chunks_mut(PIECE).zip(pieces).for_each(|(chosen, (signs, values))| {
        for ((chosen, &sign), &value) in chosen.iter_mut().zip(signs).zip(values) {
            *chosen = if sign > 0.0 { value } else { 0.0 };
        }
    });
    chosen
}
