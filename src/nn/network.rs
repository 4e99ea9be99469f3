//! Networks of either kind: our own, and KataGo's.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use super::builtin::{self, BuiltInError};
use super::canary::CanaryError;
use super::evaluator::Orientation;
use super::katago::{KataGoError, KataGoEvaluator, Model, looks_like_katago};
use super::weights::{MAX_MANIFEST, MAX_WEIGHTS, NetFile, WeightsError, checksum};
use crate::eval::EvalError;
use crate::game::{BoardSize, Game, Komi, Position, Rules};
use crate::util::{ReadError, open_file, read_limited};

/// Bytes at the beginning of a file in which its head is.
const BEGINNING: u64 = 1 << 16;

/// What stands before the name of a built-in network.
const BUILT_IN: &str = "builtin:";

/// A network from a file.
#[derive(Clone, Debug)]
pub enum Network {
    /// One of our own.
    Own(Box<NetFile>),
    /// One of KataGo's.
    KataGo(KataGoFile),
}

/// One of KataGo's networks.
#[derive(Clone, Debug)]
pub struct KataGoFile {
    /// What the file holds.
    pub model: Arc<Model>,
    /// Checksum of the file in hexadecimal.
    pub sha256: String,
    /// Length of the file in bytes.
    pub bytes: usize,
}

/// A network that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is none of either kind.
    #[error(
        "this is no network: a network is NAME.safetensors with its manifest NAME.toml beside it, \
         or one of KataGo's files such as NAME.bin.gz"
    )]
    Unknown,
    /// There is no such built-in network.
    #[error(transparent)]
    BuiltIn(#[from] BuiltInError),
    /// One of our own with something wrong.
    #[error(transparent)]
    Own(#[from] WeightsError),
    /// One of our own that says something else than it should.
    #[error(transparent)]
    Canary(#[from] CanaryError),
    /// One of KataGo's with something wrong.
    #[error(transparent)]
    KataGo(#[from] KataGoError),
    /// The network could not be computed.
    #[error(transparent)]
    Evaluation(#[from] EvalError),
    /// What the network says is not a number.
    #[error("the network computes values that are not finite: its file is damaged")]
    NotFinite,
}

/// What the beginning of a file tells.
#[derive(Clone, Debug)]
pub struct Glance {
    /// Length of the file.
    pub bytes: u64,
    /// The games of the network, if it is one of KataGo's.
    pub games: Option<Vec<Game>>,
}

/// Looks at the beginning of a file, which tells what it is, and whether it is of a version and a
/// kind that can be used. Whether it is whole it does not tell.
pub fn glance(path: &str) -> Result<Glance, NetworkError> {
    let path = Path::new(path);
    let failed = |reason| ReadError::Io { path: path.to_owned(), reason };
    let file = open_file(path)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let mut beginning = Vec::new();
    file.take(BEGINNING).read_to_end(&mut beginning).map_err(failed)?;
    if !looks_like_katago(&beginning) {
        return Ok(Glance { bytes, games: None });
    }
    if bytes > BEGINNING {
        Model::check_beginning(&beginning)?;
    }
    Ok(Glance { bytes, games: Some(vec![Game::Go]) })
}

impl Network {
    /// A network by file or as `builtin:NAME`. What kind a file is its contents tell.
    pub fn load(path: &str) -> Result<Self, NetworkError> {
        if let Some(name) = path.strip_prefix(BUILT_IN) {
            return Ok(Self::Own(Box::new(builtin::named(name)?)));
        }
        let path = Path::new(path);
        let bytes = read_limited(path, MAX_WEIGHTS)?;
        if looks_like_katago(&bytes) {
            return Ok(Self::KataGo(KataGoFile::from_bytes(&bytes)?));
        }
        match read_limited(&path.with_extension("toml"), MAX_MANIFEST) {
            Ok(manifest) => Ok(Self::Own(Box::new(NetFile::from_bytes(&manifest, &bytes)?))),
            // Eight bytes and a JSON object: only the manifest is missing.
            Err(error) if bytes.get(8) == Some(&b'{') => Err(error.into()),
            Err(_) => Err(NetworkError::Unknown),
        }
    }

    /// Computes a few positions and finds out whether the answers are right, as far as can be told;
    /// returns how many were compared with what they should be.
    pub fn verify(&self) -> Result<usize, NetworkError> {
        match self {
            Self::Own(net) => Ok(net.verify()?),
            Self::KataGo(net) => net.verify().map(|()| 0),
        }
    }

    /// The network's own name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Own(net) => &net.manifest.name,
            Self::KataGo(net) => &net.model.name,
        }
    }

    /// Blocks and channels, as the kind writes them.
    #[must_use]
    pub fn shape(&self) -> String {
        match self {
            Self::Own(net) => net.manifest.shape.to_string(),
            Self::KataGo(net) => net.model.shape(),
        }
    }

    /// Checksum of the file in hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> &str {
        match self {
            Self::Own(net) => &net.manifest.sha256,
            Self::KataGo(net) => &net.sha256,
        }
    }

    /// Numbers in all layers.
    #[must_use]
    pub fn parameters(&self) -> usize {
        match self {
            Self::Own(net) => net.manifest.shape.parameters(),
            Self::KataGo(net) => net.model.parameters(),
        }
    }

    /// Floating point operations of one evaluation on a board of so many points, a multiplication
    /// and an addition counting two, convolutions counted as if computed directly.
    #[must_use]
    pub fn operations(&self, points: usize) -> f64 {
        match self {
            Self::Own(net) => net.manifest.shape.operations(points),
            Self::KataGo(net) => net.model.operations(points),
        }
    }

    /// The games that the network can play: those that it was trained for, or all if it was for none.
    #[must_use]
    pub fn games(&self) -> Vec<Game> {
        match self {
            Self::Own(net) => {
                let known = |game: &Game| net.manifest.knows(*game);
                let games: Vec<_> = Game::ALL.into_iter().filter(known).collect();
                if games.is_empty() { Game::ALL.to_vec() } else { games }
            }
            Self::KataGo(_) => vec![Game::Go],
        }
    }
}

impl KataGoFile {
    /// Reads the contents of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KataGoError> {
        let model = Arc::new(Model::from_bytes(bytes)?);
        Ok(Self { model, sha256: checksum(bytes), bytes: bytes.len() })
    }

    /// An evaluator with this network.
    #[must_use]
    pub fn evaluator(&self, orientation: Orientation) -> KataGoEvaluator {
        KataGoEvaluator::new(Arc::clone(&self.model), orientation)
    }

    /// Weights that are finite may still give what is not.
    fn verify(&self) -> Result<(), NetworkError> {
        let net = self.evaluator(Orientation::Upright);
        for side in [9, 19] {
            let size = BoardSize::square(side).expect("invariant: 9 and 19 are sizes of boards");
            let position = Position::new(size, Rules::TROMP_TAYLOR, Komi::default());
            let all = net.outlooks(&[&position])?;
            let finite = |x: &f32| x.is_finite();
            if !all.iter().all(|o| [o.win, o.loss, o.lead, o.score_mean].iter().all(finite)) {
                return Err(NetworkError::NotFinite);
            }
        }
        Ok(())
    }
}
