//! A KataGo network on a CPU, on the kernels, for one size of board. It runs on the calling thread
//! and allocates nothing.
//!
//! Blocks are "pre-activated": `x ← x + conv(norm(conv(norm(x))))`. The second normalisation is
//! part of the first convolution. The board is exactly as large as the kernels compute, so that
//! nothing has to be masked.

use super::blocks::{Inner, Needs, Packed, Packer, Pool, Residual};
use super::features::{GLOBALS, PLANES};
use super::model::{self, Model, PassHead};
use super::pack::{Normalize, Stack, Third, after_pool, joined, linear};
use super::packed_transformer::{TransformerSpace, normalisation};
use crate::game::BoardSize;
use crate::nn::kernels::{
    Activation, Columns, Input, Linear, Plan, PlaneConv, RmsNorm, Scratch, padded, pointwise,
    pool_mean_max,
};
use crate::nn::laps::{Laps, LayerKind};

/// A network packed for boards of one size.
pub(super) struct CpuNet {
    plan: Plan,
    stem: PlaneConv,
    global: Linear,
    trunk: usize,
    blocks: Vec<Packed>,
    tip: Tip,
    heads: Heads,
    /// What blocks and heads need of a workspace.
    needs: Needs,
    /// The bias of what has none.
    zeros: Vec<f32>,
}

/// The normalisation at the end of the trunk.
enum Tip {
    Batch(Normalize),
    /// By the mean over so many rows.
    Rms(RmsNorm, usize),
}

struct Heads {
    /// The first layers of the policy, which is pooled, and of the value.
    conv: Stack,
    policy: Pool,
    moves: Linear,
    pass: Pass,
    value: usize,
    value_activation: Activation,
    hidden: Linear,
    hidden_size: usize,
    hidden_activation: Activation,
    scalars: Linear,
    ownership: Linear,
}

enum Pass {
    Direct(Linear),
    Hidden { layer: Linear, size: usize, activation: Activation, last: Linear },
}

/// Inputs, outputs and everything between, for up to a number of positions at a time.
pub(super) struct Workspace {
    capacity: usize,
    planes: Vec<f32>,
    globals: Vec<f32>,
    /// The trunk, and that of the nested blocks.
    x: Vec<Vec<f32>>,
    next: Vec<f32>,
    normed: Vec<f32>,
    wide: Vec<f32>,
    inner: Vec<f32>,
    pooled: Vec<f32>,
    bias: Vec<f32>,
    moves: Vec<f32>,
    pass: Vec<f32>,
    scalars: Vec<f32>,
    ownership: Vec<f32>,
    scratch: Scratch,
    transformer: TransformerSpace,
    /// Asked after each layer.
    pub(super) laps: Laps,
}

/// What the network says of one position, before softmax and all else.
#[derive(Clone, Debug)]
pub(super) struct RawOutput {
    pub(super) moves: Vec<f32>,
    pub(super) pass: f32,
    /// Win, loss, no result; then mean and deviation of the score, and lead.
    pub(super) scalars: [f32; 6],
    pub(super) ownership: Vec<f32>,
}

/// Channels of the outputs as they are stored.
const OUTPUTS: usize = 16;

/// A batch as the input of a layer that adds nothing.
fn plain(x: &[f32], batch: usize, activation: Activation) -> Input<'_> {
    Input { x, batch, residual: None, activation }
}

impl CpuNet {
    /// Packs a model for boards of a size.
    pub(super) fn new(model: &Model, size: BoardSize) -> Self {
        let plan = Plan::new(size.width(), size.height());
        let packer = Packer { plan: &plan, size };
        let model::Trunk { stem, global, blocks, tip } = &model.trunk;
        let blocks = packer.blocks(blocks);
        let heads = heads(&packer, model);
        let trunk = padded(stem.outputs);
        let needs = Needs::of(&blocks);
        let width = needs.width.max(trunk).max(heads.conv.outputs);
        let needs = Needs { width, ..needs };
        Self {
            stem: PlaneConv::new(&stem.weights, PLANES, stem.side, &plan),
            global: linear(global),
            trunk,
            tip: match tip {
                model::Tip::Batch(norm) => Tip::Batch(Normalize::new(norm)),
                model::Tip::Rms(norm) => {
                    Tip::Rms(normalisation(norm), if norm.spatial { plan.points() } else { 1 })
                }
            },
            needs,
            zeros: vec![0.0; width],
            blocks,
            heads,
            plan,
        }
    }

    /// How many of `batch` positions to run at a time, so that they stay in the cache.
    pub(super) fn chunk(&self, batch: usize) -> usize {
        self.plan.chunk(batch)
    }

    /// Room for up to `capacity` positions at a time.
    pub(super) fn workspace(&self, capacity: usize) -> Workspace {
        let points = capacity * self.plan.points();
        let zeros = |count: usize| vec![0.0; count];
        let Needs { width, depth, asked, fed } = self.needs;
        let widest = width.max(self.heads.hidden_size).max(self.heads.pass.size());
        Workspace {
            capacity,
            planes: zeros(points * PLANES),
            globals: zeros(capacity * padded(GLOBALS)),
            x: vec![zeros(points * width); depth + 1],
            next: zeros(points * width),
            normed: zeros(points * width),
            wide: zeros(points * width),
            inner: zeros(points * width),
            pooled: zeros(capacity * 2 * widest),
            bias: zeros(capacity * widest),
            moves: zeros(points * OUTPUTS),
            pass: zeros(capacity * OUTPUTS),
            scalars: zeros(capacity * OUTPUTS),
            ownership: zeros(points * OUTPUTS),
            scratch: Scratch::new(),
            transformer: TransformerSpace::new(points, asked, width, fed),
            laps: Laps::default(),
        }
    }

    /// Evaluates the first `batch` positions of the workspace's input.
    pub(super) fn run(&self, work: &mut Workspace, batch: usize) {
        assert!(batch <= work.capacity, "the workspace holds {} positions", work.capacity);
        self.run_stem(work, batch);
        for (index, block) in self.blocks.iter().enumerate() {
            work.laps.enter(index);
            self.run_block(block, work, batch, 0);
            work.laps.leave();
        }
        let rows = batch * self.plan.points();
        let (x, normed) = (&work.x[0][..rows * self.trunk], &mut work.normed[..rows * self.trunk]);
        match &self.tip {
            Tip::Batch(norm) => norm.run(x, normed),
            Tip::Rms(norm, together) => norm.run(x, *together, normed),
        }
        work.laps.lap("tip", LayerKind::Norm, 0);
        self.run_heads(work, batch);
    }

    fn run_stem(&self, work: &mut Workspace, batch: usize) {
        let (trunk, points) = (self.trunk, self.plan.points());
        let bias = &mut work.bias[..batch * trunk];
        self.global.run(&work.globals[..batch * padded(GLOBALS)], batch, Activation::None, bias);
        let boards = work.planes.chunks_exact(points * PLANES).zip(bias.chunks_exact(trunk));
        for ((planes, bias), x) in boards.zip(work.x[0].chunks_exact_mut(points * trunk)) {
            self.stem.run(planes, bias, x);
        }
        work.laps.lap("stem", LayerKind::Wide, batch * points * self.stem.operations());
    }

    fn run_block(&self, block: &Packed, work: &mut Workspace, batch: usize, depth: usize) {
        let rows = batch * self.plan.points();
        match block {
            Packed::Residual(block) => self.run_residual(block, work, batch, depth),
            Packed::Attention(block) => {
                let len = rows * block.width();
                let Workspace { x, next, normed, wide, transformer, laps, .. } = work;
                block.run(&x[depth][..len], &mut next[..len], (normed, wide), transformer);
                laps.lap("attention", LayerKind::Attention, rows * block.operations());
            }
            Packed::FeedForward(block) => {
                let len = rows * block.width();
                let Workspace { x, next, transformer, laps, .. } = work;
                block.run(&x[depth][..len], &mut next[..len], transformer);
                laps.lap("feed-forward", LayerKind::Point, rows * block.operations());
            }
        }
        std::mem::swap(&mut work.x[depth], &mut work.next);
    }

    /// From `x` to `next`.
    fn run_residual(&self, block: &Residual, work: &mut Workspace, batch: usize, depth: usize) {
        let rows = batch * self.plan.points();
        let Residual { pre, conv1, inner, conv2 } = block;
        let len = rows * pre.channels();
        pre.run(&work.x[depth][..len], &mut work.normed[..len]);
        work.laps.lap("pre", LayerKind::Norm, 0);
        let wide = rows * conv1.outputs;
        match inner {
            Inner::Ordinary(activation) => {
                let input = plain(&work.normed[..len], batch, *activation);
                conv1.run(&self.plan, input, &mut work.inner[..wide], &mut work.scratch);
                work.laps.lap("conv1", conv1.kind, rows * conv1.operations);
            }
            Inner::Pooled(pool) => {
                let input = plain(&work.normed[..len], batch, Activation::None);
                conv1.run(&self.plan, input, &mut work.wide[..wide], &mut work.scratch);
                work.laps.lap("conv1", conv1.kind, rows * conv1.operations);
                self.run_pool(pool, conv1.outputs, work, batch);
                work.laps.lap("pool", LayerKind::Pool, batch * pool.to_bias.operations());
            }
            Inner::Nested(blocks, post) => {
                let input = plain(&work.normed[..len], batch, Activation::None);
                let x = &mut work.x[depth + 1][..wide];
                conv1.run(&self.plan, input, x, &mut work.scratch);
                work.laps.lap("conv1", conv1.kind, rows * conv1.operations);
                for (index, block) in blocks.iter().enumerate() {
                    work.laps.enter(index);
                    self.run_block(block, work, batch, depth + 1);
                    work.laps.leave();
                }
                post.run(&work.x[depth + 1][..wide], &mut work.inner[..wide]);
                work.laps.lap("post", LayerKind::Norm, 0);
            }
        }
        let inner = &work.inner[..rows * block.inner_channels()];
        let residual = Some(&work.x[depth][..len]);
        let input = Input { x: inner, batch, residual, activation: Activation::None };
        conv2.run(&self.plan, input, &mut work.next[..len], &mut work.scratch);
        work.laps.lap("conv2", conv2.kind, rows * conv2.operations);
    }

    /// From `wide`, with rows of `stride`, to `inner`; leaves what was pooled in `pooled`.
    fn run_pool(&self, pool: &Pool, stride: usize, work: &mut Workspace, batch: usize) {
        let points = self.plan.points();
        let Workspace { wide, inner, pooled, bias, .. } = work;
        let second = &mut inner[..batch * points * pool.pooled];
        let columns = Columns { data: &wide[pool.main..], stride };
        pointwise(columns, None, &self.zeros[..pool.pooled], pool.inner, second);
        let pooled = &mut pooled[..batch * 2 * pool.pooled];
        pool_mean_max(second, batch, points, pool.pooled, pooled);
        let bias = &mut bias[..batch * pool.main];
        pool.to_bias.run(pooled, batch, Activation::None, bias);
        let boards = wide.chunks_exact(points * stride).zip(bias.chunks_exact(pool.main));
        for ((x, bias), y) in boards.zip(inner.chunks_exact_mut(points * pool.main)) {
            pointwise(Columns { data: x, stride }, None, bias, pool.activation, y);
        }
    }

    fn run_heads(&self, work: &mut Workspace, batch: usize) {
        let heads = &self.heads;
        let (rows, stride) = (batch * self.plan.points(), heads.conv.outputs);
        let x = &work.normed[..rows * self.trunk];
        let input = plain(x, batch, Activation::None);
        heads.conv.run(&self.plan, input, &mut work.wide[..rows * stride], &mut work.scratch);
        work.laps.lap("heads.conv", heads.conv.kind, rows * heads.conv.operations);
        self.run_pool(&heads.policy, stride, work, batch);
        work.laps.lap("policy.pool", LayerKind::Pool, batch * heads.policy.to_bias.operations());
        let none = Activation::None;
        let moves = &mut work.moves[..rows * OUTPUTS];
        heads.moves.run(&work.inner[..rows * heads.policy.main], rows, none, moves);
        work.laps.lap("policy.moves", LayerKind::Point, rows * heads.moves.operations());
        let pooled = &work.pooled[..batch * 2 * heads.policy.pooled];
        let pass = &mut work.pass[..batch * OUTPUTS];
        let operations = match &heads.pass {
            Pass::Direct(layer) => {
                layer.run(pooled, batch, none, pass);
                layer.operations()
            }
            Pass::Hidden { layer, size, activation, last } => {
                let hidden = &mut work.bias[..batch * size];
                layer.run(pooled, batch, *activation, hidden);
                last.run(hidden, batch, none, pass);
                layer.operations() + last.operations()
            }
        };
        work.laps.lap("policy.pass", LayerKind::Dense, batch * operations);
        self.run_value(work, batch);
    }

    fn run_value(&self, work: &mut Workspace, batch: usize) {
        let heads = &self.heads;
        let (points, none) = (self.plan.points(), Activation::None);
        let first = heads.policy.main + heads.policy.pooled;
        let columns = Columns { data: &work.wide[first..], stride: heads.conv.outputs };
        let x = &mut work.inner[..batch * points * heads.value];
        pointwise(columns, None, &self.zeros[..heads.value], heads.value_activation, x);
        let pooled = &mut work.pooled[..batch * 2 * heads.value];
        pool_mean_max(x, batch, points, heads.value, pooled);
        let hidden = &mut work.bias[..batch * heads.hidden_size];
        heads.hidden.run(pooled, batch, heads.hidden_activation, hidden);
        heads.scalars.run(hidden, batch, none, &mut work.scalars[..batch * OUTPUTS]);
        let operations = heads.hidden.operations() + heads.scalars.operations();
        work.laps.lap("value.scalars", LayerKind::Dense, batch * operations);
        let ownership = &mut work.ownership[..batch * points * OUTPUTS];
        heads.ownership.run(x, batch * points, none, ownership);
        let operations = batch * points * heads.ownership.operations();
        work.laps.lap("value.ownership", LayerKind::Point, operations);
    }
}

impl Pass {
    fn size(&self) -> usize {
        match self {
            Self::Direct(_) => 0,
            Self::Hidden { size, .. } => *size,
        }
    }
}

fn heads(packer: &Packer<'_>, model: &Model) -> Heads {
    let model::PolicyHead { conv, pool, norm, moves, pass } = &model.policy;
    let value = &model.value;
    let behind = |layer, bias: &[f32], third| after_pool(layer, None, bias, third, packer.size);
    let convs =
        [(conv, Some(norm)), (&pool.conv, Some(&pool.norm)), (&value.conv, Some(&value.norm))];
    let hidden = &value.hidden;
    let point = |conv: &model::Conv| {
        Linear::new(&conv.weights, &vec![0.0; conv.outputs], conv.inputs, conv.outputs)
    };
    Heads {
        conv: Stack::new(&convs, packer.plan),
        policy: packer.pool(pool, norm),
        moves: point(moves),
        pass: match pass {
            PassHead::Direct(layer) => {
                Pass::Direct(behind(layer, &vec![0.0; layer.outputs], Third::Maximum))
            }
            PassHead::Hidden(first, last) => Pass::Hidden {
                layer: behind(&first.layer, &first.bias, Third::Maximum),
                size: padded(first.bias.len()),
                activation: first.activation,
                last: linear(last),
            },
        },
        value: padded(value.conv.outputs),
        value_activation: value.norm.activation,
        hidden: behind(&hidden.layer, &hidden.bias, Third::Product),
        hidden_size: padded(hidden.bias.len()),
        hidden_activation: hidden.activation,
        scalars: joined(&[&value.outcome, &value.score]),
        ownership: point(&value.ownership),
    }
}

impl Workspace {
    /// Where the planes and the globals of a position go.
    pub(super) fn input(&mut self, index: usize) -> (&mut [f32], &mut [f32]) {
        let planes = self.planes.len() / self.capacity;
        (
            &mut self.planes[index * planes..][..planes],
            &mut self.globals[index * padded(GLOBALS)..][..GLOBALS],
        )
    }

    /// What the last run said of a position, its policy with so much of the optimistic one.
    pub(super) fn output(&self, index: usize, optimism: f32) -> RawOutput {
        let mixed = |row: &[f32; OUTPUTS]| row[0] + optimism * (row[1] - row[0]);
        RawOutput {
            moves: self.rows(&self.moves, index).map(mixed).collect(),
            pass: mixed(&self.pass.as_chunks().0[index]),
            scalars: std::array::from_fn(|i| self.scalars[index * OUTPUTS + i]),
            ownership: self.rows(&self.ownership, index).map(|row| row[0]).collect(),
        }
    }
    /// The outputs of the points of a position.
    fn rows<'a>(
        &self,
        values: &'a [f32],
        index: usize,
    ) -> impl Iterator<Item = &'a [f32; OUTPUTS]> + use<'a> {
        let points = values.len() / (self.capacity * OUTPUTS);
        values.as_chunks().0[index * points..][..points].iter()
    }
}
