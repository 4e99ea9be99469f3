//! Which move a descent takes.

mod rave;

use super::params::{SearchParams, Selection, Unvisited};
use super::report::Proof;
use super::tree::{Block, Counts, Glance, Node};
use crate::game::Position;
use rave::Rave;

/// How moves are selected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Formula {
    kind: Kind,
    /// What later moves tell, where the tree has room for it.
    rave: Option<Rave>,
    virtual_loss: f64,
    equals: Equals,
}

/// Which of moves that are equally good is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Equals {
    #[default]
    First,
    Last,
}

impl Equals {
    /// For a thread by its number: neighbours begin at different ends, and seldom write to the same
    /// nodes where an evaluator knows little.
    pub(super) fn for_thread(number: usize) -> Self {
        if number.is_multiple_of(2) { Equals::First } else { Equals::Last }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Equation 1 of Lan et al. (2021) with what is assumed of moves without visits.
    Puct { c: f64, growth: f64, first_play: FirstPlay, root_first_play: FirstPlay },
    /// Auer, Cesa-Bianchi and Fischer (2002).
    Ucb1 { c: f64 },
    /// The same with the variance that was found, as Takeuchi et al. (2010) use it.
    Tuned,
    /// All moves alike.
    Flat,
}

/// What is assumed of moves without visits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FirstPlay {
    /// The value of the parent less this times the square root of the priors of visited moves.
    Parent(f64),
    /// This value.
    Fixed(f64),
}

/// Visits at which the growth of PUCT's constant sets in.
const GROWTH_BASE: f64 = 500.0;

impl Formula {
    /// The formula that the parameters name; `has_priors` says whether moves are
    /// told apart before they are visited.
    pub(super) fn new(params: &SearchParams, has_priors: bool) -> Self {
        let first_play = |reduction| match params.first_play {
            Unvisited::Draw => FirstPlay::Fixed(0.0),
            Unvisited::Loss => FirstPlay::Fixed(-1.0),
            Unvisited::Parent => FirstPlay::Parent(reduction),
        };
        let elsewhere = params.first_play_reduction;
        let at_root = params.root_first_play_reduction;
        let kind = match params.formula {
            Selection::Ucb1Tuned => Kind::Tuned,
            Selection::Flat => Kind::Flat,
            Selection::Ucb1 => Kind::Ucb1 { c: params.exploration },
            Selection::Auto if !has_priors => Kind::Ucb1 { c: params.exploration },
            Selection::Auto | Selection::Puct => Kind::Puct {
                c: params.c_puct,
                growth: params.c_puct_growth,
                first_play: first_play(elsewhere),
                root_first_play: first_play(if at_root < 0.0 { elsewhere } else { at_root }),
            },
        };
        Self {
            kind,
            rave: Rave::new(params),
            virtual_loss: params.virtual_loss,
            equals: Equals::First,
        }
    }

    /// The same with another choice among equals.
    pub(super) fn taking(self, equals: Equals) -> Self {
        Self { equals, ..self }
    }

    /// The same for the root.
    pub(super) fn at_root(self) -> Self {
        match self.kind {
            Kind::Puct { c, growth, root_first_play, .. } => {
                let first_play = root_first_play;
                Self { kind: Kind::Puct { c, growth, first_play, root_first_play }, ..self }
            }
            _ => self,
        }
    }

    /// Nodes of a path at the most: games without superko may go on for ever, and a flat search ends
    /// after one move.
    pub(super) fn longest_path(&self, position: &Position) -> usize {
        match self.kind {
            Kind::Flat => 2,
            _ => 3 * position.size().area() + 100,
        }
    }

    /// The index of the move to take at a node that the descent has entered. Children come into
    /// question, and of the moves that have none yet the first, whose prior is the highest.
    #[inline]
    pub(super) fn select(&self, node: Node<'_>, block: Block<'_>) -> usize {
        if let Some(index) = self.select_rave(node, block, |_, prior| prior) {
            return index;
        }
        match self.kind {
            Kind::Puct { c, growth, first_play, .. } => {
                let puct = Puct::at(node, c, growth, first_play);
                self.select_puct(block, &puct)
            }
            Kind::Ucb1 { .. } | Kind::Tuned | Kind::Flat => self.select_by_values(node, block),
        }
    }

    /// The same with other priors. All children exist.
    pub(super) fn select_with(&self, node: Node<'_>, block: Block<'_>, priors: &[f32]) -> usize {
        if let Some(index) = self.select_rave(node, block, |index, _| priors[index]) {
            return index;
        }
        let mut best = Best::new(self.equals);
        match self.kind {
            Kind::Puct { c, growth, first_play, .. } => {
                let puct = Puct::at(node, c, growth, first_play);
                let mut mass = 0.0;
                block.for_each_child(|index, child| {
                    if child.counts() != Counts::default() {
                        mass += f64::from(priors[index]);
                    }
                });
                let first_play = puct.first_play(mass);
                block.for_each_child(|index, child| {
                    let (visits, value) = self.seen(child);
                    let value = if visits > 0.0 { value } else { first_play };
                    best.offer(index, puct.score(value, priors[index], visits), child.proof());
                });
            }
            Kind::Ucb1 { .. } | Kind::Tuned | Kind::Flat => {
                let log = natural_log(passed(node).max(1));
                block.for_each_child(|index, child| {
                    best.offer(index, self.bound(child, log), child.proof());
                });
            }
        }
        best.index
    }

    #[inline]
    fn select_puct(&self, block: Block<'_>, puct: &Puct) -> usize {
        let mut best = Best::new(self.equals);
        let mut mass = 0.0;
        let mut created = 0;
        block.for_each_child(|index, child| {
            let Glance { prior, counts, value_sum, proof } = child.glance();
            mass += f64::from(prior);
            created = index + 1;
            if counts.visits == 0 || counts.in_flight > 0 || proof {
                let (visits, value) = self.seen(child);
                let value = if visits > 0.0 { value } else { puct.first_play(mass) };
                best.offer(index, puct.score(value, prior, visits), child.proof());
                return;
            }
            // The child's values are the opponent's.
            let visits = f64::from(counts.visits);
            best.offer(index, puct.score(-value_sum / visits, prior, visits), None);
        });
        if created < block.len() {
            let score = puct.score(puct.first_play(mass), block.edge(created).prior, 0.0);
            best.offer(created, score, None);
        }
        best.index
    }

    fn select_by_values(&self, node: Node<'_>, block: Block<'_>) -> usize {
        let log = natural_log(passed(node).max(1));
        let mut best = Best::new(self.equals);
        block.for_each_child(|index, child| {
            best.offer(index, self.bound(child, log), child.proof());
        });
        let created = block.created();
        // A move without any prior is tried when all others are known to lose.
        let tries = |created| block.edge(created).prior > 0.0 || best.is_lost();
        let new = created < block.len() && !best.is_won() && tries(created);
        if new { created } else { best.index }
    }

    /// How good a move may be; moves without visits come first.
    fn bound(&self, child: Node<'_>, log_parent_visits: f64) -> f64 {
        let (visits, value) = self.seen(child);
        if visits <= 0.0 {
            return f64::MAX;
        }
        match self.kind {
            Kind::Ucb1 { c } => value + c * (log_parent_visits / visits).sqrt(),
            Kind::Tuned => tuned(value, visits, log_parent_visits),
            Kind::Flat | Kind::Puct { .. } => -visits,
        }
    }

    /// Visits of a child, descents under way included as losses, and its mean value for the parent.
    #[inline]
    fn seen(&self, child: Node<'_>) -> (f64, f64) {
        let Counts { visits, in_flight } = child.counts();
        let lost = self.virtual_loss * f64::from(in_flight);
        let visits = f64::from(visits) + lost;
        // The child's values are the opponent's.
        (visits, (-child.value_sum() - lost) / visits)
    }
}

/// UCB1-Tuned as Takeuchi et al. (2010) write it, `p + sqrt(ln n / s · min(1/4, p - p² + sqrt(2 ln n / s)))`,
/// with the win rate `p` and twice the sum for values in [-1, 1].
fn tuned(value: f64, visits: f64, log_parent_visits: f64) -> f64 {
    let p = f64::midpoint(value, 1.0).clamp(0.0, 1.0);
    let ratio = log_parent_visits / visits;
    let variance = (p - p * p + (2.0 * ratio).sqrt()).min(0.25);
    value + 2.0 * (ratio * variance).sqrt()
}

/// Descents that have passed a node and gone on to a child, with those under way but the one that
/// asks: the first visit ended at the node.
#[inline]
pub(super) fn passed(node: Node<'_>) -> u32 {
    let Counts { visits, in_flight } = node.counts();
    visits.saturating_sub(1) + in_flight.saturating_sub(1)
}

/// What PUCT needs to know of the parent.
struct Puct {
    scale: f64,
    value: f64,
    first_play: FirstPlay,
}

impl Puct {
    #[inline]
    fn at(node: Node<'_>, c: f64, growth: f64, first_play: FirstPlay) -> Self {
        let passed = passed(node);
        let grown = if growth > 0.0 {
            c + growth * natural_log_of(1.0 + f64::from(passed) / GROWTH_BASE)
        } else {
            c
        };
        Self {
            scale: grown * f64::from(passed).sqrt(),
            value: f64::from(node.value().get()),
            first_play,
        }
    }

    /// What is assumed of a move without visits when the visited ones have so much of the priors.
    #[inline]
    fn first_play(&self, mass: f64) -> f64 {
        match self.first_play {
            FirstPlay::Parent(reduction) => (self.value - reduction * mass.sqrt()).max(-1.0),
            FirstPlay::Fixed(value) => value,
        }
    }

    #[inline]
    fn score(&self, value: f64, prior: f32, visits: f64) -> f64 {
        value + self.scale * f64::from(prior) / (1.0 + visits)
    }
}

/// The best move so far.
struct Best {
    index: usize,
    score: f64,
    /// Whether the last of equals counts.
    last: bool,
}

impl Best {
    fn new(equals: Equals) -> Self {
        Self { index: usize::MAX, score: f64::NEG_INFINITY, last: equals == Equals::Last }
    }

    /// A proof, which is the opponent's, outweighs any score.
    #[inline]
    fn offer(&mut self, index: usize, score: f64, proof: Option<Proof>) {
        let score = match proof {
            None => score,
            Some(Proof::Loss) => f64::INFINITY,
            Some(Proof::Draw) => 0.0,
            Some(Proof::Win) => f64::MIN,
        };
        if score > self.score || self.last && score >= self.score {
            (self.index, self.score) = (index, score);
        }
    }

    fn is_lost(&self) -> bool {
        self.score <= f64::MIN
    }

    fn is_won(&self) -> bool {
        self.score == f64::INFINITY
    }
}

/// The natural logarithm from additions, multiplications and divisions alone, so that a search
/// takes the same way on every machine: libraries differ in the last digit.
fn natural_log(n: u32) -> f64 {
    natural_log_of(f64::from(n))
}

/// The natural logarithm of a number of at least one.
fn natural_log_of(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52).saturating_sub(1023).min(1023) as i32;
    let mantissa = x / f64::from_bits((1023 + u64::from(exponent.cast_unsigned())) << 52);
    // ln(m) = 2 artanh((m - 1) / (m + 1)), and the argument is below 1/3.
    let x = (mantissa - 1.0) / (mantissa + 1.0);
    let square = x * x;
    let series = (0..12).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * x * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_logarithm() {
        for n in (1..1000).chain([12_345, 1 << 20, u32::MAX]) {
            assert!((natural_log(n) - f64::from(n).ln()).abs() < 1e-10, "{n}");
        }
        for x in [1.0, 1.001, 1.5, 1.999, 2.5, 1e9] {
            assert!((natural_log_of(x) - x.ln()).abs() < 1e-10, "{x}");
        }
    }

    #[test]
    fn tuned_bounds_agree_with_values_worked_by_hand() {
        // p = 0.9 after 800 visits of e^8 ≈ 2981: 0.09 + sqrt(0.02) = 0.2314…, below 1/4.
        let expected = 0.8 + 2.0 * (0.01f64 * (0.09 + 0.02f64.sqrt())).sqrt();
        assert!((tuned(0.8, 800.0, 8.0) - expected).abs() < 1e-12);
        // Few visits: the variance is at most 1/4, so that 2 · sqrt(2 / 4) is added.
        assert!((tuned(0.0, 4.0, 8.0) - 2.0f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn scores_agree_with_values_worked_by_hand() {
        let puct = Puct { scale: 1.25 * 10.0, value: 0.2, first_play: FirstPlay::Parent(0.5) };
        // 0.5 + 1.25 · 0.08 · sqrt(100) / (1 + 4) = 0.5 + 0.2
        assert!((puct.score(0.5, 0.08, 4.0) - 0.7).abs() < 1e-7);
        // 0.2 - 0.5 · sqrt(0.36) = -0.1
        assert!((puct.first_play(0.36) + 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_root_may_have_a_reduction_of_its_own() {
        let formula = |at_root| {
            let params = SearchParams {
                first_play_reduction: 0.2,
                root_first_play_reduction: at_root,
                ..SearchParams::default()
            };
            Formula::new(&params, true)
        };
        let reduction = |formula: Formula| match formula.kind {
            Kind::Puct { first_play: FirstPlay::Parent(reduction), .. } => reduction,
            other => panic!("{other:?}"),
        };
        for (at_root, expected) in [(-1.0, 0.2), (0.0, 0.0), (0.1, 0.1)] {
            assert!((reduction(formula(at_root)) - 0.2).abs() < 1e-12);
            assert!((reduction(formula(at_root).at_root()) - expected).abs() < 1e-12);
        }
    }
}
