//! Positions that tell whether a network is computed as it was when it was made.

use super::evaluator::{NetEvaluator, Orientation, best_move};
use super::features::FEATURES_VERSION;
use super::init::random_weights;
use super::manifest::{Canary, MANIFEST_FORMAT, Manifest};
use super::shape::NetShape;
use super::weights::NetFile;
use crate::eval::{EvalError, Evaluator};
use crate::game::{
    BoardSize, Game, Illegal, Komi, KomiError, Position, Rules, SizeError, VertexError,
};
use crate::util::Seed;

/// How far values may be from what the manifest says: kernels differ in the last digits only.
const TOLERANCE: f32 = 1e-3;

/// A network does not say of its canaries what its manifest says it does.
#[derive(Debug, thiserror::Error)]
pub enum CanaryError {
    /// A position that cannot be set up.
    #[error("test position {number} (canary) of the manifest is no position: {reason}")]
    Position {
        /// Counted from 1.
        number: usize,
        /// What is wrong.
        reason: PositionError,
    },
    /// The network says something else.
    #[error(
        "the network says {found} of test position {number}, its manifest {expected}; the \
         weights or this program's kernels are not what they were"
    )]
    Differs {
        /// Counted from 1.
        number: usize,
        /// Value and the prior of a move.
        found: String,
        /// The same by the manifest.
        expected: String,
    },
    /// The network could not be computed.
    #[error(transparent)]
    Evaluation(#[from] EvalError),
}

/// Why a position cannot be set up.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each says what its error says")]
pub enum PositionError {
    #[error("unknown game '{0}'")]
    Game(String),
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Komi(#[from] KomiError),
    #[error(transparent)]
    Vertex(#[from] VertexError),
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

impl Canary {
    /// A canary that says what the network says now.
    pub fn record(
        position: &Position,
        moves: Vec<String>,
        net: &NetEvaluator,
    ) -> Result<Self, EvalError> {
        let evaluation = net.evaluate(&[position])?.swap_remove(0);
        let (best, prior) = best_move(position, &evaluation);
        Ok(Self {
            game: position.rules().game.key().to_owned(),
            board: position.size().width(),
            komi: position.komi().points(),
            moves,
            value: evaluation.value.get(),
            best: position.size().move_text(best),
            prior,
        })
    }

    /// The position that the canary is about.
    pub fn position(&self) -> Result<Position, PositionError> {
        let unknown = |_| PositionError::Game(self.game.clone());
        let rules = match self.game.parse().map_err(unknown)? {
            Game::Go => Rules::CHINESE,
            Game::NoGo => Rules::NOGO,
        };
        let size = BoardSize::square(self.board)?;
        let mut position = Position::new(size, rules, Komi::from_points(self.komi)?);
        for vertex in &self.moves {
            position.play(position.to_move(), size.parse_move(vertex)?)?;
        }
        Ok(position)
    }

    /// What is wrong with what the network says now, if anything.
    fn check(&self, net: &NetEvaluator, number: usize) -> Result<(), CanaryError> {
        let wrong = |reason| CanaryError::Position { number, reason };
        let position = self.position().map_err(wrong)?;
        let best = position.size().parse_move(&self.best).map_err(|e| wrong(e.into()))?;
        let now = net.evaluate(&[&position])?.swap_remove(0);
        let (value, prior) = (now.value.get(), now.policy.weight(&position, best));
        if (value - self.value).abs() < TOLERANCE && (prior - self.prior).abs() < TOLERANCE {
            return Ok(());
        }
        let says = |value, prior| format!("{value:.4} and {prior:.4} for {}", self.best);
        Err(CanaryError::Differs {
            number,
            found: says(value, prior),
            expected: says(self.value, self.prior),
        })
    }
}

impl NetFile {
    /// Computes the canaries and compares; returns how many there are.
    pub fn verify(&self) -> Result<usize, CanaryError> {
        let net = self.evaluator(Orientation::Upright);
        for (number, canary) in (1..).zip(&self.manifest.canaries) {
            canary.check(&net, number)?;
        }
        Ok(self.manifest.canaries.len())
    }

    /// An evaluator with these weights, after it has said of the canaries on the smallest board what
    /// it should: what is packed for them serves on.
    pub fn checked_evaluator(&self, orientation: Orientation) -> Result<NetEvaluator, CanaryError> {
        let net = self.evaluator(Orientation::Upright);
        let smallest = self.manifest.canaries.iter().map(|canary| canary.board).min();
        let canaries = (1..).zip(&self.manifest.canaries);
        for (number, canary) in canaries.filter(|(_, canary)| Some(canary.board) == smallest) {
            canary.check(&net, number)?;
        }
        Ok(net.with_orientation(orientation))
    }

    /// An evaluator with these weights.
    #[must_use]
    pub fn evaluator(&self, orientation: Orientation) -> NetEvaluator {
        NetEvaluator::new(self.manifest.shape, self.weights.clone(), orientation)
    }

    /// A network with random weights, for Go and NoGo on 9x9 to 19x19.
    pub fn untrained(name: &str, shape: NetShape, seed: Seed) -> Result<Self, CanaryError> {
        let mut net = Self {
            manifest: Manifest {
                format: MANIFEST_FORMAT,
                name: name.to_owned(),
                sha256: String::new(),
                features: FEATURES_VERSION,
                games: vec!["go".to_owned(), "nogo".to_owned()],
                boards: [9, 19],
                training: format!("none: random weights, seed {}", seed.number()),
                strength: "none".to_owned(),
                shape,
                canaries: Vec::new(),
            },
            weights: random_weights(&shape, seed),
        };
        net.record_canaries()?;
        Ok(net)
    }

    /// Records canaries on the boards and games of the manifest: the empty board, and a few stones.
    pub fn record_canaries(&mut self) -> Result<(), CanaryError> {
        let net = self.evaluator(Orientation::Upright);
        let mut canaries = Vec::new();
        let mut boards = self.manifest.boards.to_vec();
        boards.dedup();
        for game in &self.manifest.games {
            for &board in &boards {
                for moves in [&[][..], &["C3", "B2", "A1"]] {
                    let number = canaries.len() + 1;
                    let mut canary = Canary {
                        game: game.clone(),
                        board,
                        komi: 7.0,
                        moves: moves.iter().map(|&vertex| vertex.to_owned()).collect(),
                        value: 0.0,
                        best: String::new(),
                        prior: 0.0,
                    };
                    let position = canary
                        .position()
                        .map_err(|reason| CanaryError::Position { number, reason })?;
                    canary = Canary::record(&position, canary.moves, &net)?;
                    canaries.push(canary);
                }
            }
        }
        self.manifest.canaries = canaries;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::features::FEATURES_VERSION;
    use crate::nn::{MANIFEST_FORMAT, Manifest, NetShape, random_weights};
    use crate::util::Seed;

    fn net() -> NetFile {
        let shape = NetShape::new(2, 16);
        NetFile {
            manifest: Manifest {
                format: MANIFEST_FORMAT,
                name: "test".to_owned(),
                sha256: String::new(),
                features: FEATURES_VERSION,
                games: vec!["go".to_owned(), "nogo".to_owned()],
                boards: [5, 9],
                training: "not trained".to_owned(),
                strength: "none".to_owned(),
                shape,
                canaries: Vec::new(),
            },
            weights: random_weights(&shape, Seed::new(1)),
        }
    }

    #[test]
    fn canaries_sing_for_their_net_and_for_no_other() {
        let mut net = net();
        net.record_canaries().unwrap();
        assert_eq!(net.verify().unwrap(), 8);
        net.weights.get_mut("value.scalars.bias").unwrap()[0] += 0.1;
        let error = net.verify().unwrap_err().to_string();
        assert!(error.contains("of test position 1, its manifest"), "{error}");
    }

    #[test]
    fn impossible_canaries_are_refused_by_number() {
        let mut net = net();
        net.record_canaries().unwrap();
        net.manifest.canaries[1].moves.push("Z99".to_owned());
        let error = net.verify().unwrap_err().to_string();
        assert!(
            error.starts_with("test position 2 (canary) of the manifest is no position"),
            "{error}"
        );
    }

    #[test]
    fn a_network_is_ready_within_20_ms() {
        let mut net = net();
        net.manifest.shape = NetShape::new(6, 64);
        net.manifest.boards = [9, 19];
        net.weights = random_weights(&net.manifest.shape, Seed::new(1));
        net.record_canaries().unwrap();
        #[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
        let seconds = || {
            let start = std::time::Instant::now();
            net.checked_evaluator(Orientation::ByHash).unwrap();
            start.elapsed()
        };
        // Somebody else may use the processor: a slow start is slow every time.
        let best = (0..9).map(|_| seconds()).min().unwrap();
        assert!(best.as_millis() < 20, "{best:?}");
    }
}
