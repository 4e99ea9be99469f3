//! Whose points go with the result: what criticality is made of.

use super::{Evaluation, Ownership};
use crate::game::{BoardSize, Color};

/// Evaluations below which owners tell nothing.
const ENOUGH: u32 = 16;

/// Sums over evaluations: of the owner of each point, of the result, and of their product.
#[derive(Clone, Debug, PartialEq)]
pub struct Criticality {
    ownership: Ownership,
    /// For each point in reading order, its owner times the result, both 1 for Black.
    products: Vec<f32>,
    /// The results, 1 for Black.
    values: f64,
    /// Moves from the root to the positions, together.
    depths: f64,
}

impl Criticality {
    /// Nothing known yet.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        Self {
            ownership: Ownership::new(size),
            products: vec![0.0; size.area()],
            values: 0.0,
            depths: 0.0,
        }
    }

    /// Adds an evaluation with `color` to move, `depth` moves below the root.
    pub fn add(&mut self, color: Color, evaluation: &Evaluation, depth: usize) {
        let Some(owners) = &evaluation.ownership else { return };
        let value = match color {
            Color::Black => evaluation.value.get(),
            Color::White => -evaluation.value.get(),
        };
        for (sum, owner) in self.products.iter_mut().zip(owners.sums()) {
            *sum += owner * value;
        }
        self.values += f64::from(value);
        self.ownership.add(owners);
        self.depths += depth as f64;
    }

    /// Adds what another has found.
    pub fn merge(&mut self, other: &Self) {
        for (sum, more) in self.products.iter_mut().zip(&other.products) {
            *sum += more;
        }
        self.values += other.values;
        self.ownership.add(&other.ownership);
        self.depths += other.depths;
    }

    /// The owners alone.
    #[must_use]
    pub const fn ownership(&self) -> &Ownership {
        &self.ownership
    }

    /// Mean length of the simulated games from the root on, if they were played to the end.
    #[must_use]
    pub fn playout_length(&self) -> Option<f64> {
        let below = self.ownership.mean_moves()?;
        Some(below + self.depths / f64::from(self.ownership.samples().max(1)))
    }

    /// The highest kappa of a point: Baier and Winands 2015, equation 5, with the means `o` of the
    /// owner, `v` of the result and `p` of their product as `(p - o·v) / (1 - o·v)`.
    #[must_use]
    pub fn highest(&self) -> Option<f64> {
        let samples = self.ownership.samples();
        if samples < ENOUGH {
            return None;
        }
        let mean = |sum: f64| sum / f64::from(samples);
        let value = mean(self.values);
        let kappa = |(&product, &owner): (&f32, &f32)| {
            let chance = mean(f64::from(owner)) * value;
            let product = mean(f64::from(product));
            if chance >= 1.0 { 0.0 } else { (product - chance) / (1.0 - chance) }
        };
        self.products.iter().zip(self.ownership.sums()).map(kappa).reduce(f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Policy, Value};

    fn game(owners: [f32; 4], black: f32) -> Evaluation {
        let size = BoardSize::square(2).unwrap();
        Evaluation {
            value: Value::new(black),
            policy: Policy::Uniform,
            score: None,
            ownership: Some(Ownership::of_black(size, owners.to_vec()).after(10)),
            first_moves: None,
        }
    }

    #[test]
    fn kappa_by_hand() {
        // 100 games: White owns the first point in 40 and wins 30; the winner owns it in 80. That
        // is Black in 55 and White in 25; Black owns 5 that White wins, White 15 that Black wins.
        let mut sum = Criticality::new(BoardSize::square(2).unwrap());
        for (owner, black, games) in
            [(1.0, 1.0, 55), (-1.0, -1.0, 25), (1.0, -1.0, 5), (-1.0, 1.0, 15)]
        {
            for _ in 0..games {
                sum.add(Color::Black, &game([owner, 1.0, -1.0, 0.0], black), 2);
            }
        }
        // (0.8 - 0.54) / (1 - 0.54).
        assert!((sum.highest().unwrap() - 0.565_217).abs() < 1e-5);
        assert!((sum.playout_length().unwrap() - 12.0).abs() < 1e-9);
    }

    #[test]
    fn results_are_turned_and_parts_merged() {
        let size = BoardSize::square(2).unwrap();
        let (mut one, mut other) = (Criticality::new(size), Criticality::new(size));
        for _ in 0..10 {
            // Black wins with the first point: White to move has lost.
            one.add(Color::White, &game([1.0, 1.0, 1.0, 1.0], -1.0), 0);
            other.add(Color::Black, &game([-1.0, 1.0, 1.0, 1.0], -1.0), 0);
        }
        assert_eq!(one.highest(), None, "too few");
        one.merge(&other);
        assert!((one.highest().unwrap() - 1.0).abs() < 1e-6);
        assert_eq!(one.ownership().samples(), 20);
    }
}
