//! Everything that a training must know to go on, and the file that keeps it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use sha2::{Digest, Sha256};

use super::TrainError;
use super::optimizer::{Moments, Place, layout};
use crate::nn::{NetShape, Tensors};
use crate::util::{read_limited, write_atomically};

/// The version of the format of checkpoints.
const FORMAT: &str = "1";

/// Larger files are refused.
const MAX_CHECKPOINT: usize = 4 << 30;

/// The tensors of a checkpoint.
const PARTS: [&str; 4] = ["weights", "average", "first", "second"];

/// Where a training stands. The random numbers of a step follow from the seed and its number, so
/// that there is nothing else to know.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) shape: NetShape,
    /// Steps done.
    pub(super) step: u64,
    /// Positions trained on.
    pub(super) samples: u64,
    /// All tensors one after the other.
    pub(super) weights: Vec<f32>,
    /// The average of the weights over the last steps.
    pub(super) average: Vec<f32>,
    pub(super) moments: Moments,
}

impl State {
    /// The start of a training with weights that fit the shape.
    pub(super) fn new(shape: NetShape, tensors: &Tensors) -> Result<Self, TrainError> {
        let mut weights = Vec::with_capacity(shape.parameters());
        for Place { name, .. } in layout(&shape) {
            let values = tensors.get(&name).ok_or_else(|| TrainError::Missing(name.clone()))?;
            weights.extend(values);
        }
        let moments = Moments::new(weights.len());
        Ok(Self { shape, step: 0, samples: 0, average: weights.clone(), weights, moments })
    }

    /// Writes a checkpoint, whole or not at all. `settings` are kept for people to read.
    pub(super) fn save(&self, path: &Path, settings: &str) -> Result<(), TrainError> {
        let parts = [&self.weights, &self.average, &self.moments.first, &self.moments.second];
        let bytes =
            parts.map(|part| part.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
        let damaged = |what: String| TrainError::Checkpoint { path: path.to_owned(), what };
        let views = PARTS
            .iter()
            .zip(&bytes)
            .map(|(name, bytes)| {
                let view = TensorView::new(Dtype::F32, vec![self.weights.len()], bytes);
                Ok((*name, view.map_err(|error| damaged(error.to_string()))?))
            })
            .collect::<Result<Vec<_>, TrainError>>()?;
        let shape = toml::to_string(&self.shape).map_err(|error| damaged(error.to_string()))?;
        let facts = HashMap::from([
            ("format".to_owned(), FORMAT.to_owned()),
            ("shape".to_owned(), shape),
            ("step".to_owned(), self.step.to_string()),
            ("samples".to_owned(), self.samples.to_string()),
            ("sha256".to_owned(), checksum(&bytes)),
            ("settings".to_owned(), settings.to_owned()),
        ]);
        let file = safetensors::serialize(views, Some(facts))
            .map_err(|error| damaged(error.to_string()))?;
        write_atomically(path, &file)
            .map_err(|reason| TrainError::Write { path: path.to_owned(), reason })
    }

    /// Reads a checkpoint.
    pub(super) fn load(path: &Path) -> Result<Self, TrainError> {
        let file = read_limited(path, MAX_CHECKPOINT)?;
        Self::from_bytes(&file)
            .map_err(|what| TrainError::Checkpoint { path: path.to_owned(), what })
    }

    fn from_bytes(file: &[u8]) -> Result<Self, String> {
        let (state, intact) = Self::from_parts(file)?;
        if intact { Ok(state) } else { Err("its checksum does not fit its contents".to_owned()) }
    }

    /// The same, and whether the checksum fits.
    fn from_parts(file: &[u8]) -> Result<(Self, bool), String> {
        let (_, facts) = SafeTensors::read_metadata(file).map_err(|error| error.to_string())?;
        let facts = facts.metadata().clone().ok_or("it says nothing about itself")?;
        let fact =
            |name: &str| facts.get(name).ok_or_else(|| format!("it does not say its {name}"));
        let number = |name: &str| {
            fact(name)?.parse::<u64>().map_err(|_| format!("its {name} is not a number"))
        };
        if fact("format")? != FORMAT {
            return Err(format!("it has format {}, this program reads {FORMAT}", fact("format")?));
        }
        let shape: NetShape = toml::from_str(fact("shape")?).map_err(|error| error.to_string())?;
        if !shape.is_valid() {
            return Err(format!("it names an impossible shape: {shape:?}"));
        }
        let tensors = SafeTensors::deserialize(file).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        for name in PARTS {
            let view = tensors.tensor(name).map_err(|error| error.to_string())?;
            if view.dtype() != Dtype::F32 || view.shape() != [shape.parameters()] {
                return Err(format!("its {name} do not fit its shape"));
            }
            bytes.push(view.data().to_vec());
        }
        let intact = &checksum(&bytes) == fact("sha256")?;
        let mut parts = bytes.iter().map(|bytes| {
            bytes.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)).collect()
        });
        let mut part = || parts.next().expect("invariant: there is one for each name");
        let state = Self {
            shape,
            step: number("step")?,
            samples: number("samples")?,
            weights: part(),
            average: part(),
            moments: Moments { first: part(), second: part() },
        };
        Ok((state, intact))
    }
}

/// Steps done of the training that a checkpoint is of, or what is wrong with the file. Its checksum is not
/// looked at, which a training does before it goes on.
pub fn steps_of_checkpoint(file: &[u8]) -> Result<u64, String> {
    State::from_parts(file).map(|(state, _)| state.step)
}

fn checksum(parts: &[Vec<u8>]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
