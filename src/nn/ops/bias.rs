//! Numbers that are added to every point: Candle's own sums up their gradient element by element.

use candle_core::{CpuStorage, CustomOp2, Device, Layout, Result, Shape, Tensor, bail};

use super::relu::through_relu;
use super::{add_to, floats, is_ours, with_floats};

/// Rows of a gradient that are summed up before the sums are: many small numbers lose less so.
const ROWS_OF_SUM: usize = 256;

/// Adds a row of numbers to all rows of a group: `x` is `[groups, …, channels]` and `bias`
/// `[groups, channels]`, or `[1, channels]` for one group that is the whole of `x`.
pub fn add_bias(x: &Tensor, bias: &Tensor) -> Result<Tensor> {
    apply(x, bias, false)
}

/// The same with the rectifier behind it.
pub fn add_bias_relu(x: &Tensor, bias: &Tensor) -> Result<Tensor> {
    apply(x, bias, true)
}

fn apply(x: &Tensor, bias: &Tensor, rectified: bool) -> Result<Tensor> {
    let (groups, channels) = bias.dims2()?;
    let fits = groups == 1 || x.dims().first() == Some(&groups);
    if !fits || x.dims().last() != Some(&channels) {
        bail!("add_bias: {:?} and {:?} do not fit", x.shape(), bias.shape());
    }
    if is_ours(x) {
        return x.contiguous()?.apply_op2(&bias.contiguous()?, Bias { rectified });
    }
    let mut dims = vec![1; x.rank()];
    dims[0] = groups;
    dims[x.rank() - 1] = channels;
    let sum = x.broadcast_add(&bias.reshape(dims)?)?;
    if rectified { sum.relu() } else { Ok(sum) }
}

struct Bias {
    rectified: bool,
}

impl CustomOp2 for Bias {
    fn name(&self) -> &'static str {
        "add_bias"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        bias: &CpuStorage,
        bias_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (x, bias) = (floats(x, x_layout)?, floats(bias, bias_layout)?);
        let (groups, channels) = bias_layout.shape().dims2()?;
        let lowest = if self.rectified { 0.0 } else { f32::NEG_INFINITY };
        let mut y = Vec::with_capacity(x.len());
        for (x, bias) in by_group(x, groups).zip(bias.chunks(channels.max(1))) {
            for row in x.chunks_exact(channels) {
                y.extend(row.iter().zip(bias).map(|(x, bias)| (x + bias).max(lowest)));
            }
        }
        Ok((CpuStorage::F32(y), x_layout.shape().clone()))
    }

    fn bwd(
        &self,
        _x: &Tensor,
        bias: &Tensor,
        y: &Tensor,
        dy: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let dx = if self.rectified { through_relu(y, dy)? } else { dy.contiguous()? };
        let (groups, channels) = bias.dims2()?;
        let dbias = with_floats(&dx, |dx| {
            by_group(dx, groups).flat_map(|rows| sum_of_rows(rows, channels)).collect::<Vec<_>>()
        })?;
        let dbias = if dbias.is_empty() { vec![0.0; groups * channels] } else { dbias };
        Ok((Some(dx), Some(Tensor::from_vec(dbias, bias.shape(), &Device::Cpu)?)))
    }
}

/// The same number of elements for each group.
fn by_group(x: &[f32], groups: usize) -> impl Iterator<Item = &[f32]> {
    x.chunks((x.len() / groups.max(1)).max(1))
}

fn sum_of_rows(rows: &[f32], channels: usize) -> Vec<f32> {
    let mut sums = vec![0.0; channels];
    let mut part = sums.clone();
    for some in rows.chunks(ROWS_OF_SUM * channels) {
        part.fill(0.0);
        some.chunks_exact(channels).for_each(|row| add_to(&mut part, row));
        add_to(&mut sums, &part);
    }
    sums
}
