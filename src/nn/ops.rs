//! The kernels as operations of a Candle graph, for training on a CPU.
//!
//! Activations are `[batch, height, width, channels]`, here without padding. The threads of the
//! rayon pool that the caller runs in share the batch. Results do not depend on their number.

use candle_core::{
    CpuStorage, CustomOp3, DType, Device, Layout, Result, Shape, Storage, Tensor, bail,
};
use rayon::prelude::*;

use super::kernels::{Activation, Conv3x3, Input, Plan, Scratch, WeightGradient, padded};

mod bias;
mod pool;
mod relu;
#[cfg(test)]
mod tests;

pub use bias::{add_bias, add_bias_relu};
pub use pool::{first_maximum, mean_max};
pub use relu::add_relu;

use relu::through_relu;

/// Positions whose weight gradients are summed together before the sums are added up. The number
/// is fixed, and not a share of the threads, so that the gradient is the same for any of them.
const POSITIONS_OF_SUM: usize = 16;

/// A 3x3 convolution with zeros beyond the edge: `x` is `[batch, height, width, inputs]`, `weight`
/// `[outputs, inputs, 3, 3]`, `bias` `[outputs]`, and the result `[batch, height, width, outputs]`.
///
/// On a CPU with `f32` it runs on our kernels, elsewhere on Candle's `conv2d`.
pub fn conv3x3(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Result<Tensor> {
    convolution(x, weight, bias, false)
}

/// The same with the rectifier behind it.
pub fn conv3x3_relu(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Result<Tensor> {
    convolution(x, weight, bias, true)
}

/// Whether our own kernels compute with this.
fn is_ours(x: &Tensor) -> bool {
    x.device().is_cpu() && x.dtype() == DType::F32
}

fn convolution(x: &Tensor, weight: &Tensor, bias: &Tensor, rectified: bool) -> Result<Tensor> {
    let (outputs, inputs, 3, 3) = weight.dims4()? else {
        bail!("conv3x3 wants weights [outputs, inputs, 3, 3], not {:?}", weight.shape());
    };
    if x.dims4()?.3 != inputs || bias.dims1()? != outputs {
        bail!("conv3x3: {:?}, {:?}, {:?} do not fit", x.shape(), weight.shape(), bias.shape());
    }
    if is_ours(x) {
        let operation = Convolution { rectified };
        return x.contiguous()?.apply_op3(&weight.contiguous()?, &bias.contiguous()?, operation);
    }
    let y = conv3x3_by_candle(x, weight, bias)?;
    if rectified { y.relu() } else { Ok(y) }
}

/// The same by Candle's `conv2d`, which wants the channels before the rows and columns.
fn conv3x3_by_candle(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Result<Tensor> {
    let channels_first = x.permute((0, 3, 1, 2))?.contiguous()?;
    let y = channels_first.conv2d(weight, 1, 1, 1, 1)?;
    y.permute((0, 2, 3, 1))?.contiguous()?.broadcast_add(bias)
}

/// Sizes of one convolution.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    batch: usize,
    height: usize,
    width: usize,
    inputs: usize,
    outputs: usize,
}

impl Sizes {
    fn of(x: &Shape, weight: &Shape) -> Result<Self> {
        let (batch, height, width, inputs) = x.dims4()?;
        Ok(Self { batch, height, width, inputs, outputs: weight.dims4()?.0 })
    }

    /// The sizes of the convolution that leads back.
    fn reversed(self) -> Self {
        Self { inputs: self.outputs, outputs: self.inputs, ..self }
    }

    fn points(self) -> usize {
        self.height * self.width
    }

    fn plan(self) -> Plan {
        // The gradient of the weights knows no other methods.
        Plan::winograd(self.width, self.height)
    }

    /// Positions for each thread, in whole chunks of the kernels.
    fn share(self) -> usize {
        self.batch.div_ceil(rayon::current_num_threads()).next_multiple_of(8)
    }
}

struct Convolution {
    rectified: bool,
}

impl CustomOp3 for Convolution {
    fn name(&self) -> &'static str {
        "conv3x3"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        weight: &CpuStorage,
        weight_layout: &Layout,
        bias: &CpuStorage,
        bias_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let sizes = Sizes::of(x_layout.shape(), weight_layout.shape())?;
        let (x, weight) = (floats(x, x_layout)?, floats(weight, weight_layout)?);
        let y = convolve(sizes, x, weight, floats(bias, bias_layout)?, self.rectified);
        let shape = (sizes.batch, sizes.height, sizes.width, sizes.outputs);
        Ok((CpuStorage::F32(y), shape.into()))
    }

    fn bwd(
        &self,
        x: &Tensor,
        weight: &Tensor,
        _bias: &Tensor,
        y: &Tensor,
        dy: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let sizes = Sizes::of(x.shape(), weight.shape())?;
        let dy = if self.rectified { through_relu(y, dy)? } else { dy.contiguous()? };
        let dx = if x.track_op() {
            let back = with_floats(weight, |weight| turned(sizes, weight))?;
            let zeros = vec![0.0; sizes.inputs];
            let dx = with_floats(&dy, |dy| convolve(sizes.reversed(), dy, &back, &zeros, false))?;
            Some(Tensor::from_vec(dx, x.shape(), &Device::Cpu)?)
        } else {
            None
        };
        let (dweight, dbias) = with_floats(x, |x| with_floats(&dy, |dy| gradients(sizes, x, dy)))??;
        Ok((
            dx,
            Some(Tensor::from_vec(dweight, weight.shape(), &Device::Cpu)?),
            Some(Tensor::from_vec(dbias, sizes.outputs, &Device::Cpu)?),
        ))
    }
}

/// The elements of a contiguous tensor.
fn floats<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<f32>()?[start..end]),
        None => bail!("a kernel wants contiguous tensors"),
    }
}

/// Calls a function with the elements of a contiguous tensor on the CPU.
fn with_floats<R>(tensor: &Tensor, f: impl FnOnce(&[f32]) -> R) -> Result<R> {
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cpu(storage) => Ok(f(floats(storage, layout)?)),
        _ => bail!("a kernel wants tensors on the CPU"),
    }
}

/// Weights of the convolution that leads from the gradient of the output to that of the input:
/// inputs and outputs change places, and the kernels are turned by half a turn.
fn turned(sizes: Sizes, weight: &[f32]) -> Vec<f32> {
    let mut back = vec![0.0; weight.len()];
    for (index, kernel) in weight.as_chunks::<9>().0.iter().enumerate() {
        let (output, input) = (index / sizes.inputs, index % sizes.inputs);
        for (tap, &value) in kernel.iter().enumerate() {
            back[(input * sizes.outputs + output) * 9 + 8 - tap] = value;
        }
    }
    back
}

fn convolve(sizes: Sizes, x: &[f32], weight: &[f32], bias: &[f32], rectified: bool) -> Vec<f32> {
    let activation = if rectified { Activation::Relu } else { Activation::None };
    let plan = sizes.plan();
    let Sizes { inputs, outputs, .. } = sizes;
    let conv = Conv3x3::new(weight, bias, inputs, outputs, &plan);
    let mut y = vec![0.0; sizes.batch * sizes.points() * outputs];
    let (from, to) = (sizes.points() * inputs, sizes.points() * outputs);
    if y.is_empty() || from == 0 {
        fill_with(&mut y, bias, rectified);
        return y;
    }
    let share = sizes.share();
    y.par_chunks_mut(share * to).zip(x.par_chunks(share * from)).for_each(|(y, x)| {
        let batch = x.len() / from;
        let x = Padded::new(x, inputs);
        let input = Input { x: x.as_slice(), batch, residual: None, activation };
        let mut scratch = Scratch::new();
        if padded(outputs) == outputs {
            conv.run(&plan, input, y, &mut scratch);
        } else {
            let mut all = vec![0.0; batch * sizes.points() * padded(outputs)];
            conv.run(&plan, input, &mut all, &mut scratch);
            for (to, from) in y.chunks_exact_mut(outputs).zip(all.chunks_exact(padded(outputs))) {
                to.copy_from_slice(&from[..outputs]);
            }
        }
    });
    y
}

/// The output of a convolution of nothing.
fn fill_with(y: &mut [f32], bias: &[f32], rectified: bool) {
    let lowest = if rectified { 0.0 } else { f32::NEG_INFINITY };
    for point in y.chunks_exact_mut(bias.len().max(1)) {
        point.iter_mut().zip(bias).for_each(|(to, &from)| *to = from.max(lowest));
    }
}

/// The gradients of weights and bias.
fn gradients(sizes: Sizes, x: &[f32], dy: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let plan = sizes.plan();
    let Sizes { inputs, outputs, .. } = sizes;
    let (from, to) = (sizes.points() * inputs, sizes.points() * outputs);
    let empty = || (WeightGradient::new(&plan, inputs, outputs), vec![0.0; outputs]);
    if from == 0 || to == 0 {
        return (vec![0.0; outputs * inputs * 9], vec![0.0; outputs]);
    }
    let pieces = x.par_chunks(POSITIONS_OF_SUM * from).zip(dy.par_chunks(POSITIONS_OF_SUM * to));
    let parts: Vec<_> = pieces
        .map_init(Scratch::new, |scratch, (x, dy)| {
            let (mut weight, mut bias) = empty();
            let (x, batch) = (Padded::new(x, inputs), x.len() / from);
            weight.add(x.as_slice(), Padded::new(dy, outputs).as_slice(), batch, scratch);
            dy.chunks_exact(outputs).for_each(|point| add_to(&mut bias, point));
            (weight, bias)
        })
        .collect();
    let (mut weight, mut bias) = empty();
    for (part, part_bias) in &parts {
        weight.merge(part);
        add_to(&mut bias, part_bias);
    }
    (weight.weights(), bias)
}

fn add_to(sums: &mut [f32], values: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Activations with padded channels: the given ones where there is nothing to pad.
enum Padded<'a> {
    Same(&'a [f32]),
    Copy(Vec<f32>),
}

impl<'a> Padded<'a> {
    fn new(values: &'a [f32], channels: usize) -> Self {
        let stride = padded(channels);
        if stride == channels {
            return Self::Same(values);
        }
        let mut copy = vec![0.0; values.len() / channels * stride];
        for (to, from) in copy.chunks_exact_mut(stride).zip(values.chunks_exact(channels)) {
            to[..channels].copy_from_slice(from);
        }
        Self::Copy(copy)
    }

    fn as_slice(&self) -> &[f32] {
        match self {
            Self::Same(values) => values,
            Self::Copy(values) => values,
        }
    }
}
