//! Reading and writing networks: weights in the safetensors format, with a manifest beside them.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use half::f16;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use sha2::{Digest, Sha256};

use super::features::FEATURES_VERSION;
use super::init::Tensors;
use super::manifest::{MANIFEST_FORMAT, Manifest};
use super::shape::NetShape;
use crate::util::{ReadError, read_limited, write_atomically};

/// Bytes of the largest file of weights.
pub(super) const MAX_WEIGHTS: usize = 1 << 30;
/// Bytes of the largest manifest.
pub(super) const MAX_MANIFEST: usize = 1 << 20;

/// How weights lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits each, as they are computed with.
    Single,
    /// 16 bits each: rounded to eleven binary digits, in half the space.
    Half,
}

/// A network as it is kept in files.
#[derive(Clone, Debug)]
pub struct NetFile {
    /// What it is.
    pub manifest: Manifest,
    /// Its weights.
    pub weights: Tensors,
}

/// A network that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// The manifest is not TOML or lacks something.
    #[error("the manifest cannot be read: {0}")]
    Manifest(String),
    /// The manifest is of a later or earlier format.
    #[error("the manifest has format {found}, this program reads format {MANIFEST_FORMAT}")]
    Format {
        /// What the manifest says.
        found: u32,
    },
    /// The network wants other inputs.
    #[error(
        "the network is for feature set {found}, this program has feature set {FEATURES_VERSION}: \
         use a network trained for it"
    )]
    Features {
        /// What the manifest says.
        found: u32,
    },
    /// The manifest's shape is impossible.
    #[error("the manifest names an impossible shape: {0:?}")]
    Shape(Box<NetShape>),
    /// The file is not the one that the manifest describes.
    #[error(
        "the weights have the checksum {found}, the manifest says {expected}: the file is damaged \
         or belongs to another manifest"
    )]
    Checksum {
        /// Of the file.
        found: String,
        /// By the manifest.
        expected: String,
    },
    /// The file is not in the safetensors format.
    #[error("the weights are not a safetensors file: {0}")]
    Safetensors(String),
    /// A tensor is missing.
    #[error("the weights lack the tensor {0}")]
    Missing(String),
    /// A tensor that the shape does not have.
    #[error("the weights hold a tensor {0}, which a network of this shape does not have")]
    Unexpected(String),
    /// A tensor has other dimensions or another type.
    #[error("the tensor {name} is {found}, expected is {expected}")]
    Tensor {
        /// Its name.
        name: String,
        /// What it is.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// A tensor holds infinities or what is not a number.
    #[error("the tensor {0} holds values that are not finite")]
    NotFinite(String),
}

impl NetFile {
    /// Reads `NAME.safetensors` and its manifest `NAME.toml`, and checks everything but what the
    /// network says of its canaries.
    pub fn load(path: &Path) -> Result<Self, WeightsError> {
        let manifest = read_limited(&path.with_extension("toml"), MAX_MANIFEST)?;
        let weights = read_limited(path, MAX_WEIGHTS)?;
        Self::from_bytes(&manifest, &weights)
    }

    /// The same from the contents of the two files.
    pub fn from_bytes(manifest: &[u8], weights: &[u8]) -> Result<Self, WeightsError> {
        let manifest = Manifest::from_bytes(manifest)?;
        let found = checksum(weights);
        if found != manifest.sha256 {
            return Err(WeightsError::Checksum { found, expected: manifest.sha256 });
        }
        Self::described(manifest, weights)
    }

    /// The same without comparing the checksum, to look for what lies behind it.
    pub fn from_parts(manifest: &[u8], weights: &[u8]) -> Result<Self, WeightsError> {
        Self::described(Manifest::from_bytes(manifest)?, weights)
    }

    fn described(manifest: Manifest, weights: &[u8]) -> Result<Self, WeightsError> {
        let weights = read_tensors(weights, &manifest.shape)?;
        Ok(Self { manifest, weights })
    }

    /// Writes both files, each whole or not at all, and sets the checksum in the manifest.
    pub fn save(&mut self, path: &Path) -> Result<(), WeightsError> {
        self.save_as(path, Precision::Single)
    }

    /// The same with weights of some precision. What is rounded in the file is not rounded here, see
    /// [`NetFile::halved`].
    pub fn save_as(&mut self, path: &Path, precision: Precision) -> Result<(), WeightsError> {
        let weights = write_tensors(&self.weights, &self.manifest.shape, precision)?;
        self.manifest.sha256 = checksum(&weights);
        let manifest = toml::to_string(&self.manifest)
            .map_err(|error| WeightsError::Manifest(error.to_string()))?;
        let write = |path: &Path, bytes: &[u8]| {
            write_atomically(path, bytes)
                .map_err(|reason| WeightsError::Write { path: path.to_owned(), reason })
        };
        write(path, &weights)?;
        write(&path.with_extension("toml"), manifest.as_bytes())
    }
}

impl NetFile {
    /// The network with the weights that a file of half precision keeps.
    #[must_use]
    pub fn halved(&self) -> Self {
        let mut net = self.clone();
        for weight in net.weights.values_mut().flatten() {
            *weight = f16::from_f32(*weight).to_f32();
        }
        net
    }
}

fn read_tensors(bytes: &[u8], shape: &NetShape) -> Result<Tensors, WeightsError> {
    let file = SafeTensors::deserialize(bytes)
        .map_err(|error| WeightsError::Safetensors(error.to_string()))?;
    let expected = shape.tensors();
    let unexpected = |name: &&str| !expected.iter().any(|(known, _)| known == name);
    if let Some(name) = file.names().into_iter().find(unexpected) {
        return Err(WeightsError::Unexpected(name.to_owned()));
    }
    expected
        .into_iter()
        .map(|(name, dims)| {
            let view = file.tensor(&name).map_err(|_| WeightsError::Missing(name.clone()))?;
            let values = read_tensor(&name, &view, &dims)?;
            Ok((name, values))
        })
        .collect()
}

fn read_tensor(
    name: &str,
    view: &TensorView<'_>,
    dims: &[usize],
) -> Result<Vec<f32>, WeightsError> {
    if !matches!(view.dtype(), Dtype::F32 | Dtype::F16) || view.shape() != dims {
        return Err(WeightsError::Tensor {
            name: name.to_owned(),
            found: format!("{:?} {:?}", view.dtype(), view.shape()),
            expected: format!("F32 or F16 {dims:?}"),
        });
    }
    let data = view.data();
    let values: Vec<f32> = match view.dtype() {
        Dtype::F16 => data
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&bytes| f16::from_le_bytes(bytes).to_f32())
            .collect(),
        _ => data.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
    };
    if values.iter().all(|value| value.is_finite()) {
        Ok(values)
    } else {
        Err(WeightsError::NotFinite(name.to_owned()))
    }
}

fn write_tensors(
    weights: &Tensors,
    shape: &NetShape,
    precision: Precision,
) -> Result<Vec<u8>, WeightsError> {
    let bytes = |values: &[f32]| -> Vec<u8> {
        match precision {
            Precision::Single => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Precision::Half => {
                values.iter().flat_map(|&value| f16::from_f32(value).to_le_bytes()).collect()
            }
        }
    };
    let dtype = match precision {
        Precision::Single => Dtype::F32,
        Precision::Half => Dtype::F16,
    };
    let buffers: Vec<_> = shape
        .tensors()
        .into_iter()
        .map(|(name, dims)| {
            let values = weights.get(&name).ok_or_else(|| WeightsError::Missing(name.clone()))?;
            Ok((name, dims, bytes(values)))
        })
        .collect::<Result<_, WeightsError>>()?;
    let views = buffers
        .iter()
        .map(|(name, dims, bytes)| {
            let view = TensorView::new(dtype, dims.clone(), bytes)
                .map_err(|error| WeightsError::Safetensors(error.to_string()))?;
            Ok((name.as_str(), view))
        })
        .collect::<Result<Vec<_>, WeightsError>>()?;
    safetensors::serialize(views, None)
        .map_err(|error| WeightsError::Safetensors(error.to_string()))
}

pub(super) fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::init::random_weights;
    use crate::util::Seed;

    fn sample() -> NetFile {
        let shape = NetShape {
            blocks: 1,
            filters: 4,
            pool_every: 1,
            head_filters: 3,
            value_neurons: 5,
            extra_planes: 0,
        };
        NetFile {
            manifest: Manifest {
                format: MANIFEST_FORMAT,
                name: "sample".to_owned(),
                sha256: String::new(),
                features: FEATURES_VERSION,
                games: vec!["go".to_owned()],
                boards: [9, 9],
                training: "not trained".to_owned(),
                strength: "none".to_owned(),
                shape,
                canaries: Vec::new(),
            },
            weights: random_weights(&shape, Seed::new(1)),
        }
    }

    fn saved(mut net: NetFile) -> (Vec<u8>, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.safetensors");
        net.save(&path).unwrap();
        let read = |path: &Path| std::fs::read(path).unwrap();
        (read(&path.with_extension("toml")), read(&path))
    }

    fn error(manifest: &[u8], weights: &[u8]) -> WeightsError {
        NetFile::from_bytes(manifest, weights).map(|_| ()).unwrap_err()
    }

    /// The weights with the manifest's checksum made to fit them.
    fn error_behind_checksum(manifest: &[u8], old: &[u8], new: &[u8]) -> WeightsError {
        let text = String::from_utf8(manifest.to_vec()).unwrap();
        error(text.replace(&checksum(old), &checksum(new)).as_bytes(), new)
    }

    #[test]
    fn what_was_saved_is_loaded() {
        let net = sample();
        let (manifest, weights) = saved(net.clone());
        let loaded = NetFile::from_bytes(&manifest, &weights).unwrap();
        assert_eq!(loaded.weights, net.weights);
        assert_eq!(loaded.manifest.shape, net.manifest.shape);
    }

    #[test]
    fn half_precision_takes_half_the_space_and_is_refused_where_it_does_not_reach() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("half.safetensors");
        let mut net = sample();
        net.save_as(&path, Precision::Half).unwrap();
        let loaded = NetFile::load(&path).unwrap();
        assert_eq!(loaded.weights, net.halved().weights);
        assert_ne!(loaded.weights, net.weights);
        for (name, values) in &loaded.weights {
            for (found, given) in values.iter().zip(&net.weights[name]) {
                assert!((found - given).abs() <= given.abs() / 2048.0 + 1e-7, "{found} {given}");
            }
        }
        net.weights.get_mut("value.hidden.bias").unwrap()[0] = 70_000.0;
        net.save_as(&path, Precision::Half).unwrap();
        let error = NetFile::load(&path).unwrap_err().to_string();
        assert!(error.contains("value.hidden.bias") && error.contains("finite"), "{error}");
    }

    #[test]
    fn damage_is_named() {
        let (manifest, weights) = saved(sample());
        let mut flipped = weights.clone();
        *flipped.last_mut().unwrap() ^= 1;
        assert!(matches!(error(&manifest, &flipped), WeightsError::Checksum { .. }));
        let cut = &weights[..weights.len() - 1];
        assert!(matches!(error(&manifest, cut), WeightsError::Checksum { .. }));
        let behind = error_behind_checksum(&manifest, &weights, cut);
        assert!(matches!(behind, WeightsError::Safetensors(_)), "{behind}");
        assert!(matches!(error(b"\xff", &weights), WeightsError::Manifest(_)));
        assert!(matches!(error(b"", &weights), WeightsError::Manifest(_)));
        assert!(matches!(error(b"format = 7", &weights), WeightsError::Format { found: 7 }));
    }

    #[test]
    fn wrong_tensors_are_named() {
        let with = |change: &dyn Fn(&mut NetFile)| {
            let mut net = sample();
            change(&mut net);
            let (_, weights) = saved(net);
            let (manifest, old) = saved(sample());
            error_behind_checksum(&manifest, &old, &weights).to_string()
        };
        let wider = with(&|net| {
            net.manifest.shape.filters = 5;
            net.weights = random_weights(&net.manifest.shape, Seed::new(1));
        });
        assert!(wider.contains("stem.conv.weight is F32 [5, "), "{wider}");
        let nan = with(&|net| net.weights.get_mut("value.hidden.bias").unwrap()[0] = f32::NAN);
        assert_eq!(nan, "the tensor value.hidden.bias holds values that are not finite");
        let deeper = with(&|net| {
            net.manifest.shape.blocks = 2;
            net.weights = random_weights(&net.manifest.shape, Seed::new(1));
        });
        assert!(deeper.contains("block.1.") && deeper.contains("does not have"), "{deeper}");
    }

    #[test]
    fn other_features_and_impossible_shapes_are_refused() {
        let (manifest, weights) = saved(sample());
        let text = String::from_utf8(manifest).unwrap();
        let changed = |from: &str, to: &str| {
            assert!(text.contains(from));
            error(text.replace(from, to).as_bytes(), &weights)
        };
        let features = changed("features = 1", "features = 99");
        assert!(matches!(features, WeightsError::Features { found: 99 }));
        let shape = changed("filters = 4\n", "filters = 4000000000\n");
        assert!(matches!(shape, WeightsError::Shape(_)), "{shape}");
        assert!(matches!(changed("boards", "bords"), WeightsError::Manifest(_)));
    }
}
