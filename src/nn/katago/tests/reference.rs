//! The same computation as [`CpuNet`](super::super::net::CpuNet), written down as the definition
//! says: no kernels, nothing folded, in double precision. An oracle for tests.

use crate::game::BoardSize;
use crate::nn::katago::features::{GLOBALS, PLANES};
use crate::nn::katago::model::{Block, Conv, Dense, MatMul, Model, Norm, PassHead, Pool, Tip};
use crate::nn::katago::net::RawOutput;
use crate::nn::katago::transformer::{Attention, FeedForward, RmsNorm, Rotation};
use crate::nn::kernels::Activation;

/// `[point][channel]`
type Map = Vec<Vec<f64>>;

pub(super) fn forward(
    model: &Model,
    size: BoardSize,
    planes: &[f32],
    globals: &[f32],
) -> RawOutput {
    let board = Board { width: size.width(), height: size.height() };
    let wide = |values: &[f32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
    let input: Map = planes.chunks_exact(PLANES).map(wide).collect();
    let global = layer(&model.trunk.global, &wide(&globals[..GLOBALS]));
    let mut x = board.conv(&model.trunk.stem, &input);
    add_everywhere(&mut x, &global);
    for block in &model.trunk.blocks {
        board.block(block, &mut x);
    }
    let x = match &model.trunk.tip {
        Tip::Batch(layer) => norm(layer, x),
        Tip::Rms(layer) => rms_norm(layer, &x),
    };
    let policy = &model.policy;
    let pooled = board.pooled(&policy.pool, &x);
    let mut moves = board.conv(&policy.conv, &x);
    let bias = layer(&policy.pool.to_bias, &pooled);
    add_everywhere(&mut moves, &bias);
    let moves = board.conv(&policy.moves, &norm(&policy.norm, moves));
    let pass = match &policy.pass {
        PassHead::Direct(last) => layer(last, &pooled),
        PassHead::Hidden(hidden, last) => layer(last, &dense(hidden, &pooled)),
    };
    let value = norm(&model.value.norm, board.conv(&model.value.conv, &x));
    let mean = mean(&value);
    let side = f64::from(u16::try_from(value.len()).unwrap()).sqrt();
    let [first, second] = [(side - 14.0) * 0.1, (side - 14.0).powi(2) * 0.01 - 0.1];
    let pooled: Vec<f64> =
        [1.0, first, second].iter().flat_map(|f| mean.iter().map(move |m| m * f)).collect();
    let hidden = dense(&model.value.hidden, &pooled);
    let mut scalars = dense(&model.value.outcome, &hidden);
    scalars.extend(dense(&model.value.score, &hidden));
    let ownership = board.conv(&model.value.ownership, &value);
    let firsts = |map: Map| map.iter().map(|point| narrow(point[0])).collect();
    RawOutput {
        moves: firsts(moves),
        pass: narrow(pass[0]),
        scalars: std::array::from_fn(|i| narrow(scalars[i])),
        ownership: firsts(ownership),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "compared with single precision")]
fn narrow(value: f64) -> f32 {
    value as f32
}

struct Board {
    width: usize,
    height: usize,
}

impl Board {
    fn block(&self, block: &Block, x: &mut Map) {
        let change = match block {
            Block::Ordinary { pre, conv1, mid, conv2 } => {
                let inner = self.conv(conv1, &norm(pre, x.clone()));
                self.conv(conv2, &norm(mid, inner))
            }
            Block::Pooled { pre, conv1, pool, mid, conv2 } => {
                let normed = norm(pre, x.clone());
                let bias = layer(&pool.to_bias, &self.pooled(pool, &normed));
                let mut inner = self.conv(conv1, &normed);
                add_everywhere(&mut inner, &bias);
                self.conv(conv2, &norm(mid, inner))
            }
            Block::Nested { pre, conv1, blocks, post, conv2 } => {
                let mut inner = self.conv(conv1, &norm(pre, x.clone()));
                for block in blocks {
                    self.block(block, &mut inner);
                }
                self.conv(conv2, &norm(post, inner))
            }
            Block::Attention(block) => self.attention(block, x),
            Block::FeedForward(FeedForward { norm, first, gate, last }) => {
                let normed = rms_norm(norm, x);
                let point = |point: &Vec<f64>| {
                    let (a, b) = (layer(first, point), layer(gate, point));
                    let both = a.iter().zip(&b).map(|(a, b)| activate(Activation::Silu, *a) * b);
                    layer(last, &both.collect::<Vec<_>>())
                };
                normed.iter().map(point).collect()
            }
        };
        for (point, change) in x.iter_mut().zip(&change) {
            add(point, change);
        }
    }

    fn attention(&self, block: &Attention, x: &Map) -> Map {
        let normed = rms_norm(&block.norm, x);
        let of = |matrix: &MatMul| -> Map { normed.iter().map(|p| layer(matrix, p)).collect() };
        let (mut queries, mut keys, values) = (of(&block.query), of(&block.key), of(&block.value));
        let group = block.queries / block.keys;
        for point in 0..x.len() {
            for head in queries[point].chunks_exact_mut(block.asked).enumerate() {
                self.turn(block, point, head.0 / group, head.1);
            }
            for head in keys[point].chunks_exact_mut(block.asked).enumerate() {
                self.turn(block, point, head.0, head.1);
            }
        }
        let one = |query: &Vec<f64>| {
            let mut mixed = Vec::new();
            for (head, query) in query.chunks_exact(block.asked).enumerate() {
                let key = head / group;
                let score = |point: usize| {
                    let key = &keys[point][key * block.asked..][..block.asked];
                    let product: f64 = query.iter().zip(key).map(|(a, b)| a * b).sum();
                    (product / (block.asked as f64).sqrt()).exp()
                };
                let weights: Vec<_> = (0..x.len()).map(score).collect();
                let sum: f64 = weights.iter().sum();
                mixed.extend((0..block.given).map(|channel| {
                    let value = |point: usize| values[point][key * block.given + channel];
                    weights.iter().enumerate().map(|(p, w)| w * value(p)).sum::<f64>() / sum
                }));
            }
            layer(&block.output, &mixed)
        };
        queries.iter().map(one).collect()
    }

    /// Turns the pairs of channels of a head at a point.
    fn turn(&self, block: &Attention, point: usize, key: usize, head: &mut [f64]) {
        let wide = |number: usize| f64::from(u16::try_from(number).unwrap());
        let (row, column) = (wide(point / self.width), wide(point % self.width));
        let pairs = block.asked / 2;
        for pair in 0..pairs {
            let angle = match &block.rotation {
                Rotation::None => return,
                Rotation::Fixed { base } => {
                    let by_row = pair < pairs / 2;
                    let index = if by_row { pair } else { pair - pairs / 2 };
                    let power = f64::from(*base).powf(-2.0 * wide(index) / wide(pairs));
                    power * if by_row { row } else { column }
                }
                Rotation::Learnt(steps) => {
                    let at = (key * pairs + pair) * 2;
                    f64::from(steps[at]) * column + f64::from(steps[at + 1]) * row
                }
            };
            let (a, b) = (head[2 * pair], head[2 * pair + 1]);
            head[2 * pair] = a * angle.cos() - b * angle.sin();
            head[2 * pair + 1] = a * angle.sin() + b * angle.cos();
        }
    }

    fn pooled(&self, pool: &Pool, x: &Map) -> Vec<f64> {
        let x = norm(&pool.norm, self.conv(&pool.conv, x));
        let mean = mean(&x);
        let factor = (f64::from(u16::try_from(x.len()).unwrap()).sqrt() - 14.0) * 0.1;
        let highest = (0..mean.len())
            .map(|channel| x.iter().map(|point| point[channel]).fold(f64::MIN, f64::max));
        let product = mean.iter().map(|m| m * factor);
        mean.iter().copied().chain(product).chain(highest).collect()
    }

    fn conv(&self, conv: &Conv, x: &Map) -> Map {
        let reach = conv.side / 2;
        let point = |at: usize| {
            let (row, column) = (at / self.width, at % self.width);
            let mut sums = vec![0.0; conv.outputs];
            for tap in 0..conv.side * conv.side {
                let (r, c) = (row + tap / conv.side, column + tap % conv.side);
                let inside = (reach..reach + self.height).contains(&r)
                    && (reach..reach + self.width).contains(&c);
                if !inside {
                    continue;
                }
                let from = &x[(r - reach) * self.width + c - reach];
                for (output, sum) in sums.iter_mut().enumerate() {
                    for (input, value) in from.iter().enumerate() {
                        let index = (output * conv.inputs + input) * conv.side * conv.side + tap;
                        *sum += f64::from(conv.weights[index]) * value;
                    }
                }
            }
            sums
        };
        (0..x.len()).map(point).collect()
    }
}

fn add(point: &mut [f64], more: &[f64]) {
    for (value, more) in point.iter_mut().zip(more) {
        *value += more;
    }
}

fn add_everywhere(x: &mut Map, more: &[f64]) {
    for point in x {
        add(point, more);
    }
}

fn mean(x: &Map) -> Vec<f64> {
    let points = f64::from(u16::try_from(x.len()).unwrap());
    (0..x[0].len()).map(|c| x.iter().map(|point| point[c]).sum::<f64>() / points).collect()
}

fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::None => x,
        Activation::Relu => x.max(0.0),
        Activation::Mish => x * (1.0 + x.exp()).ln().tanh(),
        Activation::Silu => x / (1.0 + (-x).exp()),
    }
}

fn norm(norm: &Norm, mut x: Map) -> Map {
    for point in &mut x {
        for ((value, scale), bias) in point.iter_mut().zip(&norm.scale).zip(&norm.bias) {
            *value = activate(norm.activation, *value * f64::from(*scale) + f64::from(*bias));
        }
    }
    x
}

fn rms_norm(norm: &RmsNorm, x: &Map) -> Map {
    let mean = |values: &[f64]| {
        values.iter().map(|v| v * v).sum::<f64>() / f64::from(u16::try_from(values.len()).unwrap())
    };
    let whole = mean(&x.concat());
    let point = |point: &Vec<f64>| {
        let mean = if norm.spatial { whole } else { mean(point) };
        let root = (mean + f64::from(norm.epsilon)).sqrt();
        let scaled = point.iter().zip(&norm.scale).zip(&norm.bias);
        scaled
            .map(|((v, scale), bias)| v / root * f64::from(*scale) + f64::from(*bias))
            .map(|v| activate(norm.activation, v))
            .collect()
    };
    x.iter().map(point).collect()
}

fn layer(layer: &MatMul, x: &[f64]) -> Vec<f64> {
    let rows = layer.weights.chunks_exact(layer.inputs);
    rows.map(|row| row.iter().zip(x).map(|(w, x)| f64::from(*w) * x).sum()).collect()
}

fn dense(dense: &Dense, x: &[f64]) -> Vec<f64> {
    let sums = layer(&dense.layer, x);
    let biased = sums.iter().zip(&dense.bias).map(|(sum, bias)| sum + f64::from(*bias));
    biased.map(|x| activate(dense.activation, x)).collect()
}
