//! Weights to start from.

use std::collections::HashMap;

use rand::Rng as _;

use super::shape::NetShape;
use crate::util::{Rng, Seed};

/// The tensors of a network by name, in the order of their dimensions.
pub type Tensors = HashMap<String, Vec<f32>>;

/// Random weights that keep the variance of the activations about constant from layer to layer
/// without normalisation (He et al. 2015; the second convolution of a block is scaled down by the
/// root of the number of blocks, after Zhang, Dauphin and Ma 2019), biases of zero, and outputs
/// near zero.
#[must_use]
pub fn random_weights(shape: &NetShape, seed: Seed) -> Tensors {
    shape
        .tensors()
        .into_iter()
        .zip(0..)
        .map(|((name, dims), index)| {
            let count = dims.iter().product();
            let mut rng = seed.fork("weights", index).rng();
            let values = match deviation(shape, &name, &dims) {
                Some(deviation) => (0..count).map(|_| deviation * normal(&mut rng)).collect(),
                None => vec![0.0; count],
            };
            (name, values)
        })
        .collect()
}

/// The standard deviation of a weight tensor, none for a bias.
fn deviation(shape: &NetShape, name: &str, dims: &[usize]) -> Option<f32> {
    let layer = name.strip_suffix(".weight")?;
    let fan_in: usize = dims[1..].iter().product();
    let gain = (2.0 / fan_in as f32).sqrt();
    let is_output = ["policy.moves", "policy.pass", "value.scalars", "value.ownership"];
    Some(match layer {
        _ if is_output.contains(&layer) => 0.3 * gain,
        _ if layer.ends_with("conv2") => gain / (shape.blocks as f32).sqrt(),
        // A bias from pooling is added to something: it starts small.
        _ if layer.ends_with("pool") => 0.3 * gain,
        _ => gain,
    })
}

/// A number from the standard normal distribution (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f32 {
    let unit = |rng: &mut Rng| (rng.next_u32() as f32 + 1.0) / 4_294_967_296.0;
    let (radius, angle) = (unit(rng), unit(rng));
    (-2.0 * radius.ln()).sqrt() * (std::f32::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut rng = Seed::new(1).rng();
        let numbers: Vec<f32> = (0..100_000).map(|_| normal(&mut rng)).collect();
        let mean = numbers.iter().sum::<f32>() / 1e5;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 1e5;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        assert!(numbers.iter().all(|x| x.is_finite()));
    }

    #[test]
    fn weights_repeat_by_seed_and_biases_are_zero() {
        let shape = NetShape::new(2, 8);
        let weights = random_weights(&shape, Seed::new(5));
        assert_eq!(weights, random_weights(&shape, Seed::new(5)));
        assert_ne!(weights, random_weights(&shape, Seed::new(6)));
        assert_eq!(weights.len(), shape.tensors().len());
        assert!(weights["block.1.conv2.bias"].iter().all(|&x| x == 0.0));
    }
}
