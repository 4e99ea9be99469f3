//! The network on any device of Candle, for accelerators.

use candle_core::{DType, Device, Result, Tensor};

use super::evaluator::{Orientation, Raw, evaluation};
use super::features::{GLOBALS, PLANES, encode};
use super::init::Tensors;
use super::resnet::{NetInput, ResNet, builder};
use super::shape::NetShape;
use crate::eval::{EvalError, Evaluation, Evaluator};
use crate::game::Position;

/// Evaluates whole batches on a device. Put a batching decorator in front of it, so that many
/// threads fill the batches.
pub struct GraphEvaluator {
    net: ResNet,
    device: Device,
    dtype: DType,
    orientation: Orientation,
}

impl GraphEvaluator {
    /// Moves a network to a device; on accelerators it computes in half precision.
    pub fn new(
        shape: &NetShape,
        weights: &Tensors,
        device: Device,
        orientation: Orientation,
    ) -> Result<Self> {
        let dtype = if device.is_cpu() { DType::F32 } else { DType::F16 };
        let net = ResNet::new(&builder(shape, weights, dtype, &device)?, shape)?;
        Ok(Self { net, device, dtype, orientation })
    }

    /// Positions on boards of one size.
    fn evaluate_alike(&self, batch: &[&Position]) -> Result<Vec<Evaluation>> {
        let size = batch[0].size();
        let points = size.area();
        let mut planes = vec![0.0; batch.len() * points * PLANES];
        let mut globals = vec![0.0; batch.len() * GLOBALS];
        let inputs =
            planes.chunks_exact_mut(points * PLANES).zip(globals.chunks_exact_mut(GLOBALS));
        for (position, (planes, globals)) in batch.iter().zip(inputs) {
            encode(position, self.orientation.symmetry(position), planes, PLANES, globals);
        }
        let dims = (batch.len(), size.height(), size.width(), PLANES);
        let planes = Tensor::from_vec(planes, dims, &self.device)?.to_dtype(self.dtype)?;
        let globals = Tensor::from_vec(globals, (batch.len(), GLOBALS), &self.device)?;
        let globals = globals.to_dtype(self.dtype)?;
        let input = NetInput { planes: &planes, globals: &globals, mask: None };
        let output = self.net.forward(&input)?;
        let rows = |tensor: &Tensor| tensor.to_dtype(DType::F32)?.to_vec2::<f32>();
        let (policies, owners) = (rows(&output.policy)?, rows(&output.ownership)?);
        let scalars = |tensor: &Tensor| tensor.to_dtype(DType::F32)?.to_vec1::<f32>();
        let (values, scores) = (scalars(&output.value)?, scalars(&output.score)?);
        let outputs = policies.into_iter().zip(owners).zip(values.into_iter().zip(scores));
        Ok(batch
            .iter()
            .zip(outputs)
            .map(|(position, ((mut moves, ownership), (value, score)))| {
                let pass = moves.pop().unwrap_or(0.0);
                let raw = Raw { moves, pass, value, score, ownership };
                evaluation(position, self.orientation.symmetry(position), &raw)
            })
            .collect())
    }
}

impl Evaluator for GraphEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> std::result::Result<Vec<Evaluation>, EvalError> {
        let mut answers = Vec::with_capacity(batch.len());
        for same_size in batch.chunk_by(|a, b| a.size() == b.size()) {
            let some = self
                .evaluate_alike(same_size)
                .map_err(|error| EvalError::Device(error.to_string()))?;
            answers.extend(some);
        }
        Ok(answers)
    }
}
