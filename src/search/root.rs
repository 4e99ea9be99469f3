//! What is special about the root: noise, temperature, and Gumbel's choice.

use rand::distr::Distribution as _;

use super::gumbel::{Gumbel, GumbelParams, completed, improved_policy, logits};
use super::params::SearchParams;
use super::select::{Formula, passed};
use super::tree::{Block, Counts, Node};
use crate::eval::Value;
use crate::util::{Rng, standard_normal};

/// How a move is selected at the root.
pub(super) enum RootRule {
    /// As everywhere else.
    Plain,
    /// With other priors than the tree has.
    Priors(Vec<f32>),
    /// By sequential halving with Gumbel noise.
    Gumbel(Box<GumbelRoot>),
}

/// A Gumbel choice and what it knows of the root.
pub(super) struct GumbelRoot {
    gumbel: Gumbel,
    params: GumbelParams,
    priors: Vec<f32>,
    /// The evaluator's value of the root.
    value: Value,
}

impl GumbelRoot {
    /// Visits of all moves, those under way included, and their completed values.
    fn state(&self, block: Block<'_>) -> (Vec<u32>, Vec<f64>) {
        let mut visits = vec![0; self.priors.len()];
        let mut values = vec![self.value; self.priors.len()];
        block.for_each_child(|index, child| {
            let Counts { visits: done, in_flight } = child.counts();
            visits[index] = done + in_flight;
            if done > 0 {
                let mean = child.value().flipped();
                values[index] = child.proof().map_or(mean, |proof| proof.flipped().value());
            }
        });
        let completed = completed(&self.priors, &values, &visits, self.value);
        (visits, completed)
    }

    fn select(&self, node: Node<'_>, block: Block<'_>) -> usize {
        let (visits, completed) = self.state(block);
        self.gumbel
            .select(u64::from(passed(node)), &visits, &completed)
            .or_else(|| self.gumbel.best(&visits, &completed))
            .unwrap_or(0)
    }
}

impl RootRule {
    /// The rule for a root with these moves.
    pub(super) fn new(
        block: Block<'_>,
        params: &SearchParams,
        value: Value,
        rng: &mut Rng,
    ) -> Self {
        let priors: Vec<_> = (0..block.len()).map(|index| block.edge(index).prior).collect();
        if let Some(gumbel) = params.gumbel() {
            // One of the simulations is the evaluation of the root.
            let simulations = params.max_simulations - 1;
            let choice = Gumbel::new(&logits(&priors), simulations, &gumbel, rng);
            return RootRule::Gumbel(Box::new(GumbelRoot {
                gumbel: choice,
                params: gumbel,
                priors,
                value,
            }));
        }
        let changed = params.noise > 0.0 || (params.root_temperature - 1.0).abs() > 1e-9;
        if !changed {
            return RootRule::Plain;
        }
        let mut priors: Vec<f64> =
            priors.iter().map(|&prior| sharpened(f64::from(prior), params)).collect();
        let sum: f64 = priors.iter().sum();
        let count = priors.len().max(1) as f64;
        for prior in &mut priors {
            *prior = if sum > 0.0 { *prior / sum } else { 1.0 / count };
        }
        if params.noise > 0.0 {
            let noise = dirichlet(priors.len(), params.noise_alpha / count, rng);
            for (prior, noise) in priors.iter_mut().zip(noise) {
                *prior = (1.0 - params.noise) * *prior + params.noise * noise;
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "priors are stored so")]
        RootRule::Priors(priors.iter().map(|&prior| prior as f32).collect())
    }

    /// The index of the move to take.
    pub(super) fn select(&self, formula: Formula, node: Node<'_>, block: Block<'_>) -> usize {
        let formula = formula.at_root();
        match self {
            RootRule::Plain => formula.select(node, block),
            RootRule::Priors(priors) => formula.select_with(node, block, priors),
            RootRule::Gumbel(root) => root.select(node, block),
        }
    }

    /// The move that a Gumbel root plays, and for each move, in the order of the priors, how much a
    /// network should learn to prefer it.
    pub(super) fn improvement(&self, block: Block<'_>) -> Option<(usize, Vec<f64>)> {
        let RootRule::Gumbel(root) = self else { return None };
        let (visits, completed) = root.state(block);
        let policy = improved_policy(&logits(&root.priors), &completed, &visits, &root.params);
        Some((root.gumbel.best(&visits, &completed)?, policy))
    }

    /// Whether all children must exist before the search begins.
    pub(super) fn needs_children(&self) -> bool {
        !matches!(self, RootRule::Plain)
    }
}

fn sharpened(prior: f64, params: &SearchParams) -> f64 {
    if prior > 0.0 { prior.powf(1.0 / params.root_temperature) } else { 0.0 }
}

/// A sample of the symmetric Dirichlet distribution over so many moves.
fn dirichlet(moves: usize, alpha: f64, rng: &mut Rng) -> Vec<f64> {
    let mut sample: Vec<f64> = (0..moves).map(|_| gamma(alpha, rng)).collect();
    let sum: f64 = sample.iter().sum();
    if sum > 0.0 {
        for part in &mut sample {
            *part /= sum;
        }
    }
    sample
}

/// A sample of the gamma distribution with scale 1 (Marsaglia and Tsang 2000).
fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    let uniform = |rng: &mut Rng| -> f64 { rand::distr::Open01.sample(rng) };
    if shape < 1.0 {
        return gamma(shape + 1.0, rng) * uniform(rng).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = (9.0 * d).sqrt().recip();
    loop {
        let normal = standard_normal(rng);
        let cube = (1.0 + c * normal).powi(3);
        if cube > 0.0 && uniform(rng).ln() < 0.5 * normal * normal + d - d * cube + d * cube.ln() {
            return d * cube;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::Seed;

    #[test]
    fn gamma_numbers_have_mean_and_variance_of_their_shape() {
        let mut rng = Seed::new(1).rng();
        for shape in [0.13, 1.0, 3.5] {
            let sample: Vec<_> = (0..40_000).map(|_| gamma(shape, &mut rng)).collect();
            let mean = sample.iter().sum::<f64>() / 4e4;
            let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4e4;
            // Six standard errors of the mean, and a tenth of the variance.
            assert!((mean - shape).abs() < 6.0 * (shape / 4e4).sqrt(), "{shape}: {mean}");
            assert!((variance / shape - 1.0).abs() < 0.1, "{shape}: {variance}");
        }
    }

    #[test]
    fn noise_adds_up_to_one() {
        let mut rng = Seed::new(2).rng();
        let noise = dirichlet(4, 0.5, &mut rng);
        assert!((noise.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(noise.len() == 4 && noise.iter().all(|&part| part >= 0.0));
    }
}
