//! Attention: every point of a board looks at all points (Vaswani et al., "Attention Is All You
//! Need", 2017, equation 1).

use super::aligned::Aligned;
use super::cpu::{Arithmetic, Kernel, LANES, Lanes, exp};
use super::gemm::{Finish, Panels, Plain, Product, Rows, Sums};
use super::{Cpu, PANEL, padded};

/// Points whose scores are computed together: with the keys and the values of a head they stay in
/// the nearest cache.
const TOGETHER: usize = 36;

/// What lies so far below the highest score has no weight: it would change no bit of a sum, and
/// products with it would be so small that processors take a hundred times as long for them.
const LEAST: f32 = -50.0;

/// Heads of an attention, and their channels, which are padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Heads that ask.
    pub queries: usize,
    /// Heads that are asked: each by as many of the others, one after the other.
    pub keys: usize,
    /// Channels of a query and of a key.
    pub asked: usize,
    /// Channels of a value.
    pub given: usize,
}

impl Heads {
    /// Channels of all queries, keys and values, which stand side by side in this order.
    #[must_use]
    pub fn inputs(&self) -> usize {
        (self.queries + self.keys) * self.asked + self.keys * self.given
    }

    /// Channels of what comes out: the values of all heads side by side.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.queries * self.given
    }
}

/// Attention on boards of one size. The factor of the scores is part of the queries.
#[derive(Debug)]
pub struct Attention {
    points: usize,
    heads: Heads,
    /// `[point][key head or one for all][cosine, sine][half of the channels]`
    rotation: Option<Vec<f32>>,
    cpu: Cpu,
}

/// Working memory of one thread.
#[derive(Debug, Default)]
pub struct AttentionScratch {
    shape: Option<(usize, Heads)>,
    keys: Option<Panels>,
    values: Option<Panels>,
    scores: Aligned,
    sums: Vec<f32>,
    mixed: Aligned,
}

impl Attention {
    /// Attention over so many points. Before it, queries and keys are turned by angles
    /// `[point][key head][half of the channels]`, or without the heads where all turn alike: the
    /// first half of the channels with the second (Su et al., "`RoFormer`", 2021, equation 34).
    ///
    /// # Panics
    /// If the channels are not padded, the heads do not divide, or there are other angles.
    #[must_use]
    pub fn new(points: usize, heads: Heads, angles: Option<&[f32]>) -> Self {
        let Heads { queries, keys, asked, given } = heads;
        assert!(points > 0 && keys > 0 && queries.is_multiple_of(keys), "heads in groups");
        assert!(asked.is_multiple_of(PANEL) && given.is_multiple_of(PANEL), "padded channels");
        let rotation = angles.map(|angles| {
            let half = asked / 2;
            let one = points * half;
            assert!(angles.len() == one || angles.len() == keys * one, "one angle for each pair");
            let pairs = angles.chunks_exact(half);
            pairs
                .flat_map(|some| {
                    let cosines = some.iter().map(|angle| angle.cos());
                    cosines.chain(some.iter().map(|angle| angle.sin()))
                })
                .collect()
        });
        Self { points, heads, rotation, cpu: Cpu::detect() }
    }

    /// The same on other instructions.
    #[must_use]
    pub fn on(self, cpu: Cpu) -> Self {
        Self { cpu, ..self }
    }

    /// Its heads.
    #[must_use]
    pub fn heads(&self) -> Heads {
        self.heads
    }

    /// Floating point operations for each point: products with keys, and sums of values.
    #[must_use]
    pub fn operations(&self) -> usize {
        let Heads { queries, asked, given, .. } = self.heads;
        2 * self.points * queries * (asked + given)
    }

    /// Computes `[batch][points][outputs]` from `[batch][points][inputs]`, see [`Heads`]; the
    /// queries and keys are turned where they are.
    ///
    /// # Panics
    /// If a length is wrong.
    pub fn run(&self, x: &mut [f32], y: &mut [f32], scratch: &mut AttentionScratch) {
        let (inputs, outputs) = (self.heads.inputs(), self.heads.outputs());
        let size = self.points * inputs;
        assert!(x.len().is_multiple_of(size), "whole positions");
        assert_eq!(y.len() / (self.points * outputs), x.len() / size, "length of the output");
        if let Some(rotation) = &self.rotation {
            self.cpu.run(Rotate {
                heads: self.heads,
                points: self.points,
                table: rotation.as_chunks().0,
                x: x.as_chunks_mut().0,
            });
        }
        scratch.fit(self.points, self.heads);
        let boards = x.chunks_exact(size).zip(y.chunks_exact_mut(self.points * outputs));
        for (x, y) in boards {
            for key in 0..self.heads.keys {
                self.run_group(key, x, y, scratch);
            }
        }
    }

    /// All heads that ask one head.
    fn run_group(&self, key: usize, x: &[f32], y: &mut [f32], scratch: &mut AttentionScratch) {
        let Heads { queries, keys, asked, given } = self.heads;
        let (inputs, outputs) = (self.heads.inputs(), self.heads.outputs());
        let first_key = queries * asked + key * asked;
        let first_value = (queries + keys) * asked + key * given;
        let AttentionScratch {
            keys: Some(packed), values: Some(values), scores, sums, mixed, ..
        } = scratch
        else {
            return;
        };
        pack_keys(
            Part { data: &x[first_key..], stride: inputs, width: asked },
            self.points,
            packed,
        );
        let part = Part { data: &x[first_value..], stride: inputs, width: given };
        pack_values(part, self.points, values);
        let stride = padded(self.points);
        let group = queries / keys;
        for head in key * group..(key + 1) * group {
            for first in (0..self.points).step_by(TOGETHER) {
                let rows = TOGETHER.min(self.points - first);
                let data = &x[first * inputs + head * asked..];
                let scores = &mut scores.floats_mut()[..rows * stride];
                self.cpu.run(Product {
                    rows: Part { data, stride: inputs, width: asked },
                    weights: packed,
                    matrix: 0,
                    panels: 0..packed.width(),
                    finish: Plain,
                    y: scores,
                });
                let sums = &mut sums[..rows];
                self.cpu.run(SoftMax { points: self.points, scores: &mut *scores, sums });
                let mixed = &mut mixed.floats_mut()[..rows * given];
                self.cpu.run(Product {
                    rows: Part { data: scores, stride, width: stride },
                    weights: values,
                    matrix: 0,
                    panels: 0..values.width(),
                    finish: Share { sums, stride: given },
                    y: &mut *mixed,
                });
                let to = y[first * outputs..].chunks_mut(outputs);
                for (row, y) in mixed.chunks_exact(given).zip(to) {
                    y[head * given..][..given].copy_from_slice(row);
                }
            }
        }
    }
}

impl AttentionScratch {
    /// Working memory that is still empty.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn fit(&mut self, points: usize, heads: Heads) {
        if self.shape == Some((points, heads)) {
            return;
        }
        self.shape = Some((points, heads));
        self.keys = Some(Panels::zeros(1, heads.asked, points));
        self.values = Some(Panels::zeros(1, points, heads.given));
        self.scores = Aligned::zeros(TOGETHER * padded(points) / LANES);
        self.sums = vec![0.0; TOGETHER];
        self.mixed = Aligned::zeros(TOGETHER * heads.given / LANES);
    }
}

/// Some columns of a matrix.
#[derive(Clone, Copy)]
struct Part<'a> {
    data: &'a [f32],
    stride: usize,
    width: usize,
}

impl Rows for Part<'_> {
    const SEGMENTS: usize = 1;

    #[inline(always)]
    fn segment(&self, row: usize, _segment: usize) -> &[f32] {
        &self.data[row * self.stride..][..self.width]
    }
}

/// Keys as weights whose outputs are the points.
fn pack_keys(keys: Part<'_>, points: usize, panels: &mut Panels) {
    for panel in 0..points.div_ceil(PANEL) {
        let first = panel * PANEL;
        for channel in 0..keys.width {
            let value = |i: usize| keys.data[(first + i) * keys.stride + channel];
            let column = |i| if first + i < points { value(i) } else { 0.0 };
            panels.set(0, panel, channel, std::array::from_fn(column));
        }
    }
}

/// Values as weights whose inputs are the points.
fn pack_values(values: Part<'_>, points: usize, panels: &mut Panels) {
    for point in 0..points {
        let (some, _) = values.segment(point, 0).as_chunks();
        for (panel, &some) in some.iter().enumerate() {
            panels.set(0, panel, point, some);
        }
    }
}

/// Turns queries and keys.
struct Rotate<'a> {
    heads: Heads,
    points: usize,
    table: &'a [Lanes],
    x: &'a mut [Lanes],
}

impl Kernel for Rotate<'_> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let Heads { queries, keys, asked, .. } = self.heads;
        let (half, row) = (asked / 2 / LANES, self.heads.inputs() / LANES);
        let turns = self.table.len() / (self.points * 2 * half);
        let tables = self.table.chunks_exact(turns * 2 * half).cycle();
        for (x, table) in self.x.chunks_exact_mut(row).zip(tables) {
            let heads = x.chunks_exact_mut(2 * half).take(queries + keys);
            for (index, head) in heads.enumerate() {
                let key = if index < queries { index / (queries / keys) } else { index - queries };
                let table = &table[key % turns * 2 * half..][..2 * half];
                let (cosines, sines) = table.split_at(half);
                let (first, second) = head.split_at_mut(half);
                let turned = first.iter_mut().zip(second).zip(cosines.iter().zip(sines));
                for ((a, b), (&cosine, &sine)) in turned {
                    let minus = sine.map(|sine| -sine);
                    let product = |x: Lanes, y: Lanes| std::array::from_fn(|i| x[i] * y[i]);
                    let turned = A::mul_add(*a, cosine, product(*b, minus));
                    *b = A::mul_add(*a, sine, product(*b, cosine));
                    *a = turned;
                }
            }
        }
    }
}

/// Scores become weights which are not yet divided by their sum; its inverse goes to `sums`.
struct SoftMax<'a> {
    points: usize,
    scores: &'a mut [f32],
    sums: &'a mut [f32],
}

impl Kernel for SoftMax<'_> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let stride = padded(self.points);
        for (row, sum) in self.scores.chunks_exact_mut(stride).zip(self.sums) {
            row[self.points..].fill(f32::NEG_INFINITY);
            let (lanes, _) = row.as_chunks_mut::<PANEL>();
            let mut highest = [f32::NEG_INFINITY; PANEL];
            for lane in &*lanes {
                for (highest, &score) in highest.iter_mut().zip(lane) {
                    *highest = if score > *highest { score } else { *highest };
                }
            }
            let highest = highest.into_iter().fold(f32::NEG_INFINITY, f32::max);
            let mut total = [0.0; PANEL];
            for lane in lanes {
                let below = A::add(*lane, [-highest; PANEL]);
                let weights = exp::<A, PANEL>(below);
                let weight = |i: usize| if below[i] > LEAST { weights[i] } else { 0.0 };
                *lane = std::array::from_fn(weight);
                total = A::add(total, *lane);
            }
            *sum = 1.0 / total.iter().sum::<f32>();
        }
    }
}

/// Divides each row by the sum of its weights.
struct Share<'a> {
    sums: &'a [f32],
    stride: usize,
}

impl Finish for Share<'_> {
    #[inline(always)]
    fn apply<A: Arithmetic>(&self, _column: usize, at: usize, sums: Sums) -> Sums {
        let share = self.sums[at / self.stride];
        std::array::from_fn(|i| sums[i] * share)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::util::{Rng, Seed};

    /// One output of one head of one position, in double precision.
    fn expected(case: &Case, x: &[f32], point: usize, head: usize, channel: usize) -> f64 {
        let Heads { queries, keys, asked, given } = case.heads;
        let (row, key) = (case.heads.inputs(), head / (queries / keys));
        let turned = |point: usize, first: usize, channel: usize| {
            let half = asked / 2;
            let pair = channel % half;
            let Some(angles) = &case.angles else {
                return f64::from(x[point * row + first + channel]);
            };
            let turns = angles.len() / (case.points * half);
            let angle = f64::from(angles[(point * turns + key % turns) * half + pair]);
            let a = f64::from(x[point * row + first + pair]);
            let b = f64::from(x[point * row + first + half + pair]);
            let (sine, cosine) = angle.sin_cos();
            if channel < half { a * cosine - b * sine } else { a * sine + b * cosine }
        };
        let score = |other: usize| -> f64 {
            let product =
                |c| turned(point, head * asked, c) * turned(other, (queries + key) * asked, c);
            (0..asked).map(product).sum()
        };
        let weights: Vec<f64> = (0..case.points).map(|other| score(other).exp()).collect();
        let value = |other: usize| {
            let first = (queries + keys) * asked + key * given;
            f64::from(x[other * row + first + channel])
        };
        let sum: f64 = weights.iter().enumerate().map(|(other, w)| w * value(other)).sum();
        sum / weights.iter().sum::<f64>()
    }

    struct Case {
        points: usize,
        heads: Heads,
        angles: Option<Vec<f32>>,
    }

    #[test]
    fn it_is_what_its_formula_says() {
        let mut rng: Rng = Seed::new(7).rng();
        let heads = |queries, keys, asked, given| Heads { queries, keys, asked, given };
        let shapes = [
            (1, heads(1, 1, 16, 16), 0),
            (35, heads(4, 2, 16, 32), 2),
            (81, heads(3, 3, 32, 16), 1),
            (77, heads(6, 1, 32, 32), 1),
        ];
        for (points, heads, turns) in shapes {
            let mut random = |count: usize| -> Vec<f32> {
                (0..count).map(|_| rng.random_range(-0.8..0.8)).collect()
            };
            let angles = (turns > 0).then(|| random(points * turns * heads.asked / 2));
            let case = Case { points, heads, angles };
            let x = random(2 * points * heads.inputs());
            for cpu in Cpu::all() {
                let attention = Attention::new(points, heads, case.angles.as_deref()).on(cpu);
                let mut y = vec![f32::NAN; 2 * points * heads.outputs()];
                let mut scratch = AttentionScratch::new();
                attention.run(&mut x.clone(), &mut y, &mut scratch);
                for (index, &found) in y.iter().enumerate().step_by(5) {
                    let (row, output) = (index / heads.outputs(), index % heads.outputs());
                    let board = &x[row / points * points * heads.inputs()..];
                    let (head, channel) = (output / heads.given, output % heads.given);
                    let expected = expected(&case, board, row % points, head, channel);
                    assert!((f64::from(found) - expected).abs() < 1e-5, "{found} {expected}");
                }
                // The second position alone, to the bit.
                let mut alone = vec![f32::NAN; points * heads.outputs()];
                let second = &x[points * heads.inputs()..];
                attention.run(&mut second.to_vec(), &mut alone, &mut scratch);
                assert_eq!(alone, y[alone.len()..]);
            }
        }
    }

    #[test]
    fn small_weights_are_none() {
        let mut scores = [-50.5; 16];
        scores[3] = 0.0;
        let mut sums = [0.0];
        Cpu::detect().run(SoftMax { points: 9, scores: &mut scores, sums: &mut sums });
        let mut expected = [0.0; 16];
        expected[3] = 1.0;
        assert_eq!((scores, sums), (expected, [1.0]));
    }

    #[test]
    fn large_scores_do_not_overflow() {
        let heads = Heads { queries: 1, keys: 1, asked: 16, given: 16 };
        let mut x = vec![40.0; 3 * heads.inputs()];
        x[heads.inputs() + 32] = 7.0;
        x[heads.inputs() + 16] = 60.0;
        let mut y = vec![0.0; 3 * 16];
        Attention::new(3, heads, None).run(&mut x, &mut y, &mut AttentionScratch::new());
        assert!(y.iter().all(|y| y.is_finite()), "{y:?}");
        assert!((y[0] - 7.0).abs() < 1e-5, "the second point has by far the highest score: {y:?}");
    }
}
