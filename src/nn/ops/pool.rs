//! Mean and maximum over the points of a board.

use candle_core::{CpuStorage, CustomOp1, D, Device, Layout, Result, Shape, Tensor, bail};

use super::{add_to, floats, is_ours, with_floats};

/// Mean and maximum over the points: `[batch, height, width, channels]` to `[batch, 2 · channels]`,
/// the means first.
///
/// One point, the first, answers for a maximum: Candle's `max` would hand its gradient to all that
/// are equal, which in a channel that is silent on the whole board are all points.
pub fn mean_max(x: &Tensor) -> Result<Tensor> {
    if is_ours(x) {
        return x.contiguous()?.apply_op1(MeanMax);
    }
    let points = x.flatten(1, 2)?.contiguous()?;
    Tensor::cat(&[points.mean(1)?, first_maximum(&points)?], D::Minus1)
}

/// The maximum over the points, `[batch, points, channels]` to `[batch, channels]`.
pub fn first_maximum(points: &Tensor) -> Result<Tensor> {
    points.gather(&points.argmax_keepdim(1)?, 1)?.squeeze(1)
}

struct MeanMax;

/// Channels and elements of a board.
fn sizes(shape: &Shape) -> Result<(usize, usize)> {
    let (_, height, width, channels) = shape.dims4()?;
    if height * width * channels == 0 {
        bail!("mean and maximum of nothing: {shape:?}");
    }
    Ok((channels, height * width * channels))
}

impl CustomOp1 for MeanMax {
    fn name(&self) -> &'static str {
        "mean_max"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (channels, size) = sizes(layout.shape())?;
        let mut y = Vec::new();
        let (mut sums, mut highest) = (vec![0.0; channels], vec![0.0; channels]);
        for board in floats(x, layout)?.chunks_exact(size) {
            sums.fill(0.0);
            highest.fill(f32::NEG_INFINITY);
            for point in board.chunks_exact(channels) {
                add_to(&mut sums, point);
                highest.iter_mut().zip(point).for_each(|(high, &value)| *high = high.max(value));
            }
            let points = (size / channels) as f32;
            y.extend(sums.iter().map(|sum| sum / points));
            y.extend_from_slice(&highest);
        }
        let batch = layout.shape().dims4()?.0;
        Ok((CpuStorage::F32(y), (batch, 2 * channels).into()))
    }

    fn bwd(&self, x: &Tensor, y: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
        let (channels, size) = sizes(x.shape())?;
        let (y, dy) = (y.to_vec2::<f32>()?, dy.to_vec2::<f32>()?);
        let dx = with_floats(x, |x| {
            let mut dx = Vec::with_capacity(x.len());
            for (board, (y, dy)) in x.chunks_exact(size).zip(y.iter().zip(&dy)) {
                let (highest, (means, maxima)) = (&y[channels..], dy.split_at(channels));
                let points = (size / channels) as f32;
                let means: Vec<f32> = means.iter().map(|slope| slope / points).collect();
                let start = dx.len();
                for _ in 0..size / channels {
                    dx.extend_from_slice(&means);
                }
                let slopes = &mut dx[start..];
                for (channel, (&high, &slope)) in highest.iter().zip(maxima).enumerate() {
                    let values = board.iter().skip(channel).step_by(channels);
                    let first = values.enumerate().find(|&(_, &value)| value >= high);
                    if let Some((point, _)) = first {
                        slopes[point * channels + channel] += slope;
                    }
                }
            }
            dx
        })?;
        Ok(Some(Tensor::from_vec(dx, x.shape(), &Device::Cpu)?))
    }
}
