//! A KataGo network on a CPU, on the kernels, for one size of board. It runs on the calling thread
//! and allocates nothing.
//!
//! Blocks are "pre-activated": `x ← x + conv(norm(conv(norm(x))))`. The second normalisation is
//! part of the first convolution. The board is exactly as large as the kernels compute, so that
//! nothing has to be masked.

use super::features::{GLOBALS, PLANES};
use super::model::{self, Block, Model, PassHead};
use super::pack::{Normalize, Stack, Third, after_pool, joined, linear};
use crate::game::BoardSize;
use crate::nn::kernels::{
    Activation, Columns, Input, Linear, Plan, PlaneConv, Scratch, padded, pointwise, pool_mean_max,
};

/// A network packed for boards of one size.
pub(super) struct CpuNet {
    plan: Plan,
    stem: PlaneConv,
    global: Linear,
    trunk: usize,
    blocks: Vec<Packed>,
    tip: Normalize,
    heads: Heads,
    /// The widest layer, and how deep blocks are nested.
    width: usize,
    depth: usize,
    /// The bias of what has none.
    zeros: Vec<f32>,
}

enum Packed {
    Ordinary { pre: Normalize, conv1: Stack, activation: Activation, conv2: Stack },
    Pooled { pre: Normalize, conv1: Stack, pool: Pool, conv2: Stack },
    Nested { pre: Normalize, conv1: Stack, blocks: Vec<Packed>, post: Normalize, conv2: Stack },
}

/// The second half of a stack, pooled, is added to the first half.
struct Pool {
    /// Channels of both halves with the padding.
    main: usize,
    pooled: usize,
    inner: Activation,
    to_bias: Linear,
    activation: Activation,
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
        let blocks: Vec<_> = blocks.iter().map(|block| packer.block(block)).collect();
        let heads = packer.heads(model);
        let trunk = padded(stem.outputs);
        let width = blocks.iter().map(Packed::width).max().unwrap_or(0);
        let width = width.max(trunk).max(heads.conv.outputs);
        Self {
            stem: PlaneConv::new(&stem.weights, PLANES, stem.side, &plan),
            global: linear(global),
            trunk,
            tip: Normalize::new(tip),
            width,
            zeros: vec![0.0; width],
            depth: blocks.iter().map(Packed::depth).max().unwrap_or(0),
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
        let widest = self.width.max(self.heads.hidden_size).max(self.heads.pass.size());
        Workspace {
            capacity,
            planes: zeros(points * PLANES),
            globals: zeros(capacity * padded(GLOBALS)),
            x: vec![zeros(points * self.width); self.depth + 1],
            next: zeros(points * self.width),
            normed: zeros(points * self.width),
            wide: zeros(points * self.width),
            inner: zeros(points * self.width),
            pooled: zeros(capacity * 2 * widest),
            bias: zeros(capacity * widest),
            moves: zeros(points * OUTPUTS),
            pass: zeros(capacity * OUTPUTS),
            scalars: zeros(capacity * OUTPUTS),
            ownership: zeros(points * OUTPUTS),
            scratch: Scratch::new(),
        }
    }

    /// Evaluates the first `batch` positions of the workspace's input.
    pub(super) fn run(&self, work: &mut Workspace, batch: usize) {
        assert!(batch <= work.capacity, "the workspace holds {} positions", work.capacity);
        self.run_stem(work, batch);
        for block in &self.blocks {
            self.run_block(block, work, batch, 0);
        }
        let rows = batch * self.plan.points();
        self.tip.run(&work.x[0][..rows * self.trunk], &mut work.normed[..rows * self.trunk]);
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
    }

    fn run_block(&self, block: &Packed, work: &mut Workspace, batch: usize, depth: usize) {
        let rows = batch * self.plan.points();
        let (pre, conv1, conv2) = block.layers();
        let len = rows * pre.channels();
        pre.run(&work.x[depth][..len], &mut work.normed[..len]);
        let wide = rows * conv1.outputs;
        match block {
            Packed::Ordinary { activation, .. } => {
                let input = plain(&work.normed[..len], batch, *activation);
                conv1.run(&self.plan, input, &mut work.inner[..wide], &mut work.scratch);
            }
            Packed::Pooled { pool, .. } => {
                let input = plain(&work.normed[..len], batch, Activation::None);
                conv1.run(&self.plan, input, &mut work.wide[..wide], &mut work.scratch);
                self.run_pool(pool, conv1.outputs, work, batch);
            }
            Packed::Nested { blocks, post, .. } => {
                let input = plain(&work.normed[..len], batch, Activation::None);
                let x = &mut work.x[depth + 1][..wide];
                conv1.run(&self.plan, input, x, &mut work.scratch);
                for block in blocks {
                    self.run_block(block, work, batch, depth + 1);
                }
                post.run(&work.x[depth + 1][..wide], &mut work.inner[..wide]);
            }
        }
        let inner = &work.inner[..rows * block.inner()];
        let residual = Some(&work.x[depth][..len]);
        let input = Input { x: inner, batch, residual, activation: Activation::None };
        conv2.run(&self.plan, input, &mut work.next[..len], &mut work.scratch);
        std::mem::swap(&mut work.x[depth], &mut work.next);
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
        self.run_pool(&heads.policy, stride, work, batch);
        let none = Activation::None;
        let moves = &mut work.moves[..rows * OUTPUTS];
        heads.moves.run(&work.inner[..rows * heads.policy.main], rows, none, moves);
        let pooled = &work.pooled[..batch * 2 * heads.policy.pooled];
        let pass = &mut work.pass[..batch * OUTPUTS];
        match &heads.pass {
            Pass::Direct(layer) => layer.run(pooled, batch, none, pass),
            Pass::Hidden { layer, size, activation, last } => {
                let hidden = &mut work.bias[..batch * size];
                layer.run(pooled, batch, *activation, hidden);
                last.run(hidden, batch, none, pass);
            }
        }
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
        let ownership = &mut work.ownership[..batch * points * OUTPUTS];
        heads.ownership.run(x, batch * points, none, ownership);
    }
}

impl Packed {
    fn layers(&self) -> (&Normalize, &Stack, &Stack) {
        let (Self::Ordinary { pre, conv1, conv2, .. }
        | Self::Pooled { pre, conv1, conv2, .. }
        | Self::Nested { pre, conv1, conv2, .. }) = self;
        (pre, conv1, conv2)
    }

    /// Channels of what goes into the last convolution.
    fn inner(&self) -> usize {
        match self {
            Self::Pooled { pool, .. } => pool.main,
            Self::Ordinary { conv1, .. } | Self::Nested { conv1, .. } => conv1.outputs,
        }
    }

    fn width(&self) -> usize {
        let (pre, conv1, _) = self.layers();
        let inside = match self {
            Self::Nested { blocks, .. } => blocks.iter().map(Self::width).max().unwrap_or(0),
            _ => 0,
        };
        inside.max(pre.channels()).max(conv1.outputs)
    }

    fn depth(&self) -> usize {
        match self {
            Self::Nested { blocks, .. } => 1 + blocks.iter().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
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

/// Packs the parts of a model.
struct Packer<'a> {
    plan: &'a Plan,
    size: BoardSize,
}

impl Packer<'_> {
    fn block(&self, block: &Block) -> Packed {
        match block {
            Block::Ordinary { pre, conv1, mid, conv2 } => Packed::Ordinary {
                pre: Normalize::new(pre),
                conv1: Stack::one(conv1, Some(mid), self.plan),
                activation: mid.activation,
                conv2: Stack::one(conv2, None, self.plan),
            },
            Block::Pooled { pre, conv1, pool, mid, conv2 } => Packed::Pooled {
                pre: Normalize::new(pre),
                conv1: Stack::new(&[(conv1, Some(mid)), (&pool.conv, Some(&pool.norm))], self.plan),
                pool: self.pool(pool, mid),
                conv2: Stack::one(conv2, None, self.plan),
            },
            Block::Nested { pre, conv1, blocks, post, conv2 } => Packed::Nested {
                pre: Normalize::new(pre),
                conv1: Stack::one(conv1, None, self.plan),
                blocks: blocks.iter().map(|block| self.block(block)).collect(),
                post: Normalize::new(post),
                conv2: Stack::one(conv2, None, self.plan),
            },
        }
    }

    /// The bias of a pool comes before a normalisation, and is scaled with it.
    fn pool(&self, pool: &model::Pool, norm: &model::Norm) -> Pool {
        let none = vec![0.0; pool.to_bias.outputs];
        Pool {
            main: padded(pool.to_bias.outputs),
            pooled: padded(pool.conv.outputs),
            inner: pool.norm.activation,
            to_bias: after_pool(&pool.to_bias, Some(&norm.scale), &none, Third::Maximum, self.size),
            activation: norm.activation,
        }
    }

    fn heads(&self, model: &Model) -> Heads {
        let model::PolicyHead { conv, pool, norm, moves, pass } = &model.policy;
        let value = &model.value;
        let behind = |layer, bias: &[f32], third| after_pool(layer, None, bias, third, self.size);
        let convs =
            [(conv, Some(norm)), (&pool.conv, Some(&pool.norm)), (&value.conv, Some(&value.norm))];
        let hidden = &value.hidden;
        let point = |conv: &model::Conv| {
            Linear::new(&conv.weights, &vec![0.0; conv.outputs], conv.inputs, conv.outputs)
        };
        Heads {
            conv: Stack::new(&convs, self.plan),
            policy: self.pool(pool, norm),
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

    /// What the last run said of a position.
    pub(super) fn output(&self, index: usize) -> RawOutput {
        let points = self.moves.len() / self.capacity;
        let every = |values: &[f32]| -> Vec<f32> {
            values[index * points..][..points].iter().copied().step_by(OUTPUTS).collect()
        };
        RawOutput {
            moves: every(&self.moves),
            pass: self.pass[index * OUTPUTS],
            scalars: std::array::from_fn(|i| self.scalars[index * OUTPUTS + i]),
            ownership: every(&self.ownership),
        }
    }
}
