//! Who says how uncertain a search is.

use std::sync::{Mutex, PoisonError};

use super::data::{Shown, write_input};
use super::features::{CHANNELS, features};
use crate::game::{BoardSize, Position, Symmetry};
use crate::nn::{CpuNet, NetFile, NetShape, Tensors, Workspace};
use crate::timeman::Tally;

/// A search so far.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The position searched.
    pub position: &'a Position,
    /// The moves at its root.
    pub now: &'a [Tally],
    /// The same after half of the simulations.
    pub half: &'a [Tally],
}

/// Says how likely it is that more search would have mattered.
pub trait Estimator: Send + Sync {
    /// u, from 0 for certain to 1.
    fn estimate(&self, look: &Look<'_>) -> f64;

    /// Floating point operations of an estimate on a board of so many points.
    fn operations(&self, points: usize) -> f64;
}

/// The policy of the network that the search uses (equation 4, as printed in the AAAI version).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyEstimator {
    /// tau.
    pub temperature: f64,
}

impl PolicyEstimator {
    /// `u = 1 - max p^(1/tau) / sum p^(1/tau)`.
    #[must_use]
    pub fn uncertainty(&self, priors: impl Iterator<Item = f32> + Clone) -> f64 {
        let highest = priors.clone().fold(0.0, f32::max);
        if highest <= 0.0 {
            return 1.0;
        }
        let ratio = |prior: f32| f64::from(prior / highest).powf(1.0 / self.temperature);
        1.0 - 1.0 / priors.map(ratio).sum::<f64>()
    }
}

impl Estimator for PolicyEstimator {
    fn estimate(&self, look: &Look<'_>) -> f64 {
        self.uncertainty(look.now.iter().map(|tally| tally.prior))
    }

    fn operations(&self, _points: usize) -> f64 {
        0.0
    }
}

/// State-UN or MCTS-UN: a network of its own, on boards of one size.
pub struct NetEstimator {
    shape: NetShape,
    net: CpuNet,
    work: Mutex<Workspace>,
}

impl NetEstimator {
    /// State-UN for a shape without extra planes, MCTS-UN for one with those of T; none for others.
    #[must_use]
    pub fn new(shape: NetShape, weights: &Tensors, size: BoardSize) -> Option<Self> {
        let net = CpuNet::new(&shape, weights, size);
        let work = Mutex::new(net.workspace(1));
        [0, CHANNELS].contains(&shape.extra_planes).then_some(Self { shape, net, work })
    }

    /// The same from a file.
    #[must_use]
    pub fn of(file: &NetFile, size: BoardSize) -> Option<Self> {
        Self::new(file.manifest.shape, &file.weights, size)
    }

    /// What it says of a position and T of its search, if it looks at that.
    pub fn ask(&self, position: &Position, search: &[f32], shown: Shown) -> f64 {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let search = (self.shape.extra_planes > 0).then_some(search);
        write_input(position, Symmetry::IDENTITY, search, shown, work.input(0));
        self.net.run(&mut work, 1);
        let [.., logit] = work.output(0).scalars();
        1.0 / (1.0 + f64::from(-logit).exp())
    }
}

impl Estimator for NetEstimator {
    fn estimate(&self, look: &Look<'_>) -> f64 {
        let sees = self.shape.extra_planes > 0;
        let points = look.position.size().area();
        let search = if sees { features(points, look.now, look.half) } else { Vec::new() };
        self.ask(look.position, &search, Shown::Both)
    }

    fn operations(&self, points: usize) -> f64 {
        self.shape.operations(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Komi, Rules};
    use crate::nn::random_weights;
    use crate::util::Seed;

    #[test]
    fn the_policy_says_what_equation_four_says() {
        let u = |temperature, priors: &[f32]| {
            PolicyEstimator { temperature }.uncertainty(priors.iter().copied())
        };
        assert!((u(1.0, &[0.6, 0.3, 0.1]) - 0.4).abs() < 1e-6);
        // 0.36 / (0.36 + 0.09 + 0.01).
        assert!((u(0.5, &[0.6, 0.3, 0.1]) - (1.0 - 0.36 / 0.46)).abs() < 1e-6);
        assert!((u(1e6, &[0.6, 0.3, 0.1]) - 2.0 / 3.0).abs() < 1e-4);
        assert!(u(1e-3, &[0.6, 0.3, 0.1]) < 1e-6);
        assert!((u(1.0, &[]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn only_mcts_un_looks_at_the_search() {
        let size = BoardSize::square(5).unwrap();
        let position = Position::new(size, Rules::NOGO, Komi::default());
        let seen = Tally { point: Some(7), prior: 0.5, visits: 3, sum: 1.0, squares: 1.0 };
        let [no, yes] = [0, 3].map(|visits| [Tally { visits, ..seen }]);
        for (extra_planes, differs) in [(0, false), (CHANNELS, true)] {
            let shape = NetShape { extra_planes, ..NetShape::new(2, 8) };
            let weights = random_weights(&shape, Seed::new(2));
            let net = NetEstimator::new(shape, &weights, size).unwrap();
            let at = |now: &[Tally]| net.estimate(&Look { position: &position, now, half: &no });
            assert!((0.0..=1.0).contains(&at(&yes)));
            assert_eq!((at(&yes) - at(&no)).abs() > 1e-9, differs);
            assert!(net.operations(25) > 1e4);
        }
        let shape = NetShape { extra_planes: 3, ..NetShape::new(1, 4) };
        let weights = random_weights(&shape, Seed::new(2));
        assert!(NetEstimator::new(shape, &weights, size).is_none());
    }
}
