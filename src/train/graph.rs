//! The network as a graph: losses and gradients of a batch, computed in pieces by some threads.

use std::ops::Range;
use std::thread;

use candle_core::{Device, Result, Tensor, Var};
use candle_nn::VarBuilder;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::batch::{Batch, Target};
use super::loss::{Losses, Outputs, losses};
use super::optimizer::{Place, layout};
use super::params::TrainParams;
use crate::nn::features::GLOBALS;
use crate::nn::{NetInput, NetOutput, NetShape, ResNet, Tensors, variables};

/// A network whose weights can be set, with the threads that compute it.
pub(super) struct Graph {
    net: ResNet,
    variables: Vec<Var>,
    layout: Vec<Place>,
    /// One for each thread, of one thread each: a piece is computed by one of them alone.
    pools: Vec<ThreadPool>,
}

/// What some positions lose, and the derivatives of it by the outputs.
pub(super) type LossOf<'a, L> = dyn Fn(&Outputs, &[Target]) -> (L, Outputs) + Sync + 'a;

impl Graph {
    /// A network with the given weights, one tensor after the other.
    pub(super) fn new(shape: &NetShape, weights: &[f32], threads: usize) -> Result<Self> {
        let layout = layout(shape);
        let map = variables(shape, &tensors(&layout, weights), &Device::Cpu)?;
        let net = {
            let builder = VarBuilder::from_varmap(&map, candle_core::DType::F32, &Device::Cpu);
            ResNet::new(&builder, shape)?
        };
        let data = map.data().lock().map_err(|_| candle_core::Error::msg("a map is poisoned"))?;
        let variables = layout.iter().map(|place| data[&place.name].clone()).collect();
        drop(data);
        let pools = (0..threads.max(1))
            .map(|_| {
                ThreadPoolBuilder::new().num_threads(1).build().map_err(candle_core::Error::wrap)
            })
            .collect::<Result<_>>()?;
        Ok(Self { net, variables, layout, pools })
    }

    /// Sets the weights.
    pub(super) fn set(&self, weights: &[f32]) -> Result<()> {
        for (place, variable) in self.layout.iter().zip(&self.variables) {
            let values = &weights[place.start..place.end];
            variable.set(&Tensor::from_slice(values, place.dims.as_slice(), &Device::Cpu)?)?;
        }
        Ok(())
    }

    /// The losses of a batch and the gradient of their total by all weights. What comes out
    /// depends on the number of pieces in its last digits, but not on that of the threads.
    pub(super) fn gradient(
        &self,
        batch: &Batch,
        params: &TrainParams,
    ) -> Result<(Losses, Vec<f32>)> {
        let weight = batch.targets.iter().map(|target| f64::from(target.weight)).sum();
        let (parts, gradient) = self.gradient_of(batch, params.pieces, &|said, targets| {
            losses(said, targets, params, weight)
        })?;
        let mut parts = parts.into_iter();
        let mut sums = parts.next().unwrap_or_default();
        parts.for_each(|other| sums.merge(&other));
        Ok((sums, gradient))
    }

    /// The same for any loss: what it says of each piece, and the sum of the gradients.
    pub(super) fn gradient_of<L: Send>(
        &self,
        batch: &Batch,
        pieces: usize,
        loss: &LossOf<'_, L>,
    ) -> Result<(Vec<L>, Vec<f32>)> {
        let parts = self.in_pieces(batch, pieces, |range| {
            let output = self.forward(batch, range.clone())?;
            let said = Outputs::try_from(&output)?;
            let (loss, slopes) = loss(&said, &batch.targets[range]);
            Ok((loss, self.backward(&output, &slopes)?))
        })?;
        let (mut losses, mut gradient) = (Vec::new(), Vec::new());
        for (loss, slopes) in parts {
            losses.push(loss);
            if gradient.is_empty() {
                gradient = slopes;
            } else {
                gradient
                    .iter_mut()
                    .zip(slopes)
                    .for_each(|(sum, slope): (&mut f32, f32)| *sum += slope);
            }
        }
        Ok((losses, gradient))
    }

    /// What the network says of a batch, piece by piece with the positions of each.
    pub(super) fn outputs(
        &self,
        batch: &Batch,
        pieces: usize,
    ) -> Result<Vec<(Range<usize>, Outputs)>> {
        self.in_pieces(batch, pieces, |range| {
            let output = self.forward(batch, range.clone())?;
            Ok((range, Outputs::try_from(&output)?))
        })
    }

    /// Does the same with all pieces of a batch, and gives what comes out in their order.
    fn in_pieces<T: Send>(
        &self,
        batch: &Batch,
        pieces: usize,
        work: impl Fn(Range<usize>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let share = batch.len().div_ceil(pieces.max(1)).max(1);
        let ranges: Vec<_> = (0..batch.len())
            .step_by(share)
            .map(|start| start..(start + share).min(batch.len()))
            .collect();
        let threads = self.pools.len();
        let work = &work;
        let mut parts: Vec<(usize, T)> = thread::scope(|scope| {
            let started: Vec<_> = self
                .pools
                .iter()
                .enumerate()
                .map(|(number, pool)| {
                    let own = ranges.iter().cloned().enumerate().skip(number).step_by(threads);
                    scope.spawn(move || {
                        pool.install(|| {
                            own.map(|(i, range)| Ok((i, work(range)?))).collect::<Result<Vec<_>>>()
                        })
                    })
                })
                .collect();
            let mut all = Vec::new();
            for thread in started {
                let part =
                    thread.join().map_err(|_| candle_core::Error::msg("a thread panicked"))?;
                all.extend(part?);
            }
            Ok::<_, candle_core::Error>(all)
        })?;
        parts.sort_by_key(|(i, _)| *i);
        Ok(parts.into_iter().map(|(_, part)| part).collect())
    }

    fn forward(&self, batch: &Batch, range: Range<usize>) -> Result<NetOutput> {
        let channels = batch.channels;
        let (count, points) = (range.len(), batch.points() * channels);
        let planes = &batch.planes[range.start * points..range.end * points];
        let globals = &batch.globals[range.start * GLOBALS..range.end * GLOBALS];
        let planes =
            Tensor::from_slice(planes, (count, batch.height, batch.width, channels), &Device::Cpu)?;
        let globals = Tensor::from_slice(globals, (count, GLOBALS), &Device::Cpu)?;
        self.net.forward(&NetInput { planes: &planes, globals: &globals, mask: None })
    }

    /// The gradient by all weights from that by the outputs: it is that of the sum of the outputs,
    /// each multiplied with its slope.
    fn backward(&self, output: &NetOutput, slopes: &Outputs) -> Result<Vec<f32>> {
        let heads = [
            (&output.policy, &slopes.policy),
            (&output.reply, &slopes.reply),
            (&output.value, &slopes.value),
            (&output.short_term, &slopes.short_term),
            (&output.score, &slopes.score),
            (&output.uncertainty, &slopes.uncertainty),
            (&output.ownership, &slopes.ownership),
        ];
        let mut sum = Tensor::zeros((), candle_core::DType::F32, &Device::Cpu)?;
        for (output, slopes) in heads {
            let slopes = Tensor::from_slice(slopes, output.shape(), &Device::Cpu)?;
            sum = (sum + (output * slopes)?.sum_all()?)?;
        }
        let gradients = sum.backward()?;
        let count = self.layout.last().map_or(0, |place| place.end);
        let mut all = Vec::with_capacity(count);
        for (place, variable) in self.layout.iter().zip(&self.variables) {
            match gradients.get(variable) {
                Some(gradient) => all.extend(gradient.flatten_all()?.to_vec1::<f32>()?),
                None => all.resize(place.end, 0.0),
            }
        }
        Ok(all)
    }
}

/// The weights as named tensors.
pub(super) fn tensors(layout: &[Place], weights: &[f32]) -> Tensors {
    let tensor = |place: &Place| (place.name.clone(), weights[place.start..place.end].to_vec());
    layout.iter().map(tensor).collect()
}

impl TryFrom<&NetOutput> for Outputs {
    type Error = candle_core::Error;

    fn try_from(output: &NetOutput) -> Result<Self> {
        let floats = |tensor: &Tensor| tensor.flatten_all()?.to_vec1::<f32>();
        Ok(Self {
            policy: floats(&output.policy)?,
            reply: floats(&output.reply)?,
            value: floats(&output.value)?,
            short_term: floats(&output.short_term)?,
            score: floats(&output.score)?,
            uncertainty: floats(&output.uncertainty)?,
            ownership: floats(&output.ownership)?,
        })
    }
}

#[cfg(test)]
mod tests;
