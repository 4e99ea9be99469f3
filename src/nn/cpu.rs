//! The network on a CPU: the same computation as [`ResNet`](super::resnet::ResNet), on the kernels,
//! for one size of board. It runs on the calling thread and allocates nothing.

use super::features::GLOBALS;
use super::init::Tensors;
use super::kernels::{Activation, Conv3x3, Input, Linear, Plan, Scratch, padded, pool_mean_max};
use super::laps::{Laps, LayerKind};
use super::shape::{NetShape, SCALARS};
use crate::game::BoardSize;

/// A network packed for boards of one size.
pub struct CpuNet {
    size: BoardSize,
    shape: NetShape,
    plan: Plan,
    stem: Conv3x3,
    global: Linear,
    blocks: Vec<Block>,
    policy: PolicyHead,
    value: ValueHead,
}

struct Block {
    conv1: Conv3x3,
    pool: Option<Linear>,
    conv2: Conv3x3,
}

struct PolicyHead {
    conv: Linear,
    pool: Linear,
    moves: Linear,
    pass: Linear,
}

struct ValueHead {
    conv: Linear,
    hidden: Linear,
    scalars: Linear,
    ownership: Linear,
}

/// Inputs, outputs and everything between, for up to a number of positions at a time.
pub struct Workspace {
    capacity: usize,
    /// Channels of the input as they are stored.
    stride: usize,
    planes: Vec<f32>,
    globals: Vec<f32>,
    trunk: Vec<f32>,
    next: Vec<f32>,
    inner: Vec<f32>,
    pooled: Vec<f32>,
    bias: Vec<f32>,
    head: Vec<f32>,
    moves: Vec<f32>,
    pass: Vec<f32>,
    hidden: Vec<f32>,
    scalars: Vec<f32>,
    ownership: Vec<f32>,
    scratch: Scratch,
    /// Asked after each layer.
    pub(super) laps: Laps,
}

/// What the network says of one position, before softmax, tanh and sigmoid.
#[derive(Clone, Copy, Debug)]
pub struct CpuOutput<'a> {
    moves: &'a [f32],
    pass: &'a [f32],
    scalars: &'a [f32],
    ownership: &'a [f32],
}

/// Channels of the outputs as they are stored.
const OUTPUTS: usize = 16;

impl CpuNet {
    /// Packs weights for boards of a size.
    ///
    /// # Panics
    /// If a tensor is missing or has another length than the shape says.
    #[must_use]
    pub fn new(shape: &NetShape, weights: &Tensors, size: BoardSize) -> Self {
        let plan = Plan::new(size.width(), size.height());
        let layers = Layers { weights, plan: &plan };
        let (filters, head) = (shape.filters, shape.head_filters);
        let block = |i: usize| Block {
            conv1: layers.conv(&format!("block.{i}.conv1"), filters, filters),
            pool: shape
                .is_pooled(i)
                .then(|| layers.after_pool(&format!("block.{i}.pool"), filters, filters)),
            conv2: layers.conv(&format!("block.{i}.conv2"), filters, filters),
        };
        Self {
            size,
            shape: *shape,
            stem: layers.conv("stem.conv", shape.planes(), filters),
            global: layers.linear("stem.global", GLOBALS, filters),
            blocks: (0..shape.blocks).map(block).collect(),
            policy: PolicyHead {
                conv: layers.linear("policy.conv", filters, head),
                pool: layers.after_pool("policy.pool", head, head),
                moves: layers.linear("policy.moves", head, 2),
                pass: layers.after_pool("policy.pass", head, 2),
            },
            value: ValueHead {
                conv: layers.linear("value.conv", filters, head),
                hidden: layers.after_pool("value.hidden", head, shape.value_neurons),
                scalars: layers.linear("value.scalars", shape.value_neurons, SCALARS),
                ownership: layers.linear("value.ownership", head, 1),
            },
            plan,
        }
    }

    /// The boards it is packed for.
    #[must_use]
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// How many of `batch` positions to run at a time, so that they stay in the cache.
    #[must_use]
    pub fn chunk(&self, batch: usize) -> usize {
        self.plan.chunk(batch)
    }

    /// Room for up to `capacity` positions at a time.
    #[must_use]
    pub fn workspace(&self, capacity: usize) -> Workspace {
        let points = capacity * self.size.area();
        let (filters, head) = (padded(self.shape.filters), padded(self.shape.head_filters));
        let zeros = |count: usize| vec![0.0; count];
        Workspace {
            capacity,
            stride: padded(self.shape.planes()),
            planes: zeros(points * padded(self.shape.planes())),
            globals: zeros(capacity * padded(GLOBALS)),
            trunk: zeros(points * filters),
            next: zeros(points * filters),
            inner: zeros(points * filters),
            pooled: zeros(capacity * 2 * filters.max(head)),
            bias: zeros(capacity * filters.max(head)),
            head: zeros(points * head),
            moves: zeros(points * OUTPUTS),
            pass: zeros(capacity * OUTPUTS),
            hidden: zeros(capacity * padded(self.shape.value_neurons)),
            scalars: zeros(capacity * OUTPUTS),
            ownership: zeros(points * OUTPUTS),
            scratch: Scratch::new(),
            laps: Laps::default(),
        }
    }

    /// Evaluates the first `batch` positions of the workspace's input.
    ///
    /// # Panics
    /// If the workspace is smaller than that.
    pub fn run(&self, work: &mut Workspace, batch: usize) {
        assert!(batch <= work.capacity, "the workspace holds {} positions", work.capacity);
        self.run_stem(work, batch);
        for (index, block) in self.blocks.iter().enumerate() {
            work.laps.enter(index);
            self.run_block(block, work, batch);
            work.laps.leave();
        }
        self.run_policy(work, batch);
        self.run_value(work, batch);
    }

    fn run_stem(&self, work: &mut Workspace, batch: usize) {
        let filters = padded(self.shape.filters);
        let points = self.size.area();
        let bias = &mut work.bias[..batch * filters];
        self.global.run(&work.globals[..batch * padded(GLOBALS)], batch, Activation::None, bias);
        let spread = &mut work.inner[..batch * points * filters];
        for (board, bias) in
            spread.chunks_exact_mut(points * filters).zip(bias.chunks_exact(filters))
        {
            board.chunks_exact_mut(filters).for_each(|point| point.copy_from_slice(bias));
        }
        let input = Input {
            x: &work.planes[..batch * points * work.stride],
            batch,
            residual: Some(&work.inner[..batch * points * filters]),
            activation: Activation::Relu,
        };
        let trunk = &mut work.trunk[..batch * points * filters];
        self.stem.run(&self.plan, input, trunk, &mut work.scratch);
        work.laps.lap("stem", LayerKind::Wide, batch * points * self.stem.operations());
    }

    fn run_block(&self, block: &Block, work: &mut Workspace, batch: usize) {
        let filters = padded(self.shape.filters);
        let points = self.size.area();
        let len = batch * points * filters;
        let Workspace { trunk, next, inner, pooled, bias, scratch, laps, .. } = work;
        let activation = Activation::Relu;
        let first = Input { x: &trunk[..len], batch, residual: None, activation };
        block.conv1.run(&self.plan, first, &mut inner[..len], scratch);
        let operations = batch * points * block.conv1.operations();
        laps.lap("conv1", LayerKind::Wide, operations);
        if let Some(layer) = &block.pool {
            let pooled = &mut pooled[..batch * 2 * filters];
            let bias = &mut bias[..batch * filters];
            pool_mean_max(&inner[..len], batch, points, filters, pooled);
            layer.run(pooled, batch, Activation::None, bias);
            add_and_clip(&mut inner[..len], bias, filters);
            laps.lap("pool", LayerKind::Pool, batch * layer.operations());
        }
        let second = Input { x: &inner[..len], batch, residual: Some(&trunk[..len]), activation };
        block.conv2.run(&self.plan, second, &mut next[..len], scratch);
        laps.lap("conv2", LayerKind::Wide, operations);
        std::mem::swap(trunk, next);
    }

    fn run_policy(&self, work: &mut Workspace, batch: usize) {
        let (filters, head) = (padded(self.shape.filters), padded(self.shape.head_filters));
        let points = self.size.area();
        let rows = batch * points;
        let x = &mut work.head[..rows * head];
        self.policy.conv.run(&work.trunk[..rows * filters], rows, Activation::Relu, x);
        work.laps.lap("policy.conv", LayerKind::Point, rows * self.policy.conv.operations());
        let pooled = &mut work.pooled[..batch * 2 * head];
        let bias = &mut work.bias[..batch * head];
        pool_mean_max(x, batch, points, head, pooled);
        self.policy.pool.run(pooled, batch, Activation::None, bias);
        add_and_clip(x, bias, head);
        work.laps.lap("policy.pool", LayerKind::Pool, batch * self.policy.pool.operations());
        self.policy.moves.run(x, rows, Activation::None, &mut work.moves[..rows * OUTPUTS]);
        work.laps.lap("policy.moves", LayerKind::Point, rows * self.policy.moves.operations());
        pool_mean_max(x, batch, points, head, pooled);
        self.policy.pass.run(pooled, batch, Activation::None, &mut work.pass[..batch * OUTPUTS]);
        work.laps.lap("policy.pass", LayerKind::Pool, batch * self.policy.pass.operations());
    }

    fn run_value(&self, work: &mut Workspace, batch: usize) {
        let (filters, head) = (padded(self.shape.filters), padded(self.shape.head_filters));
        let points = self.size.area();
        let rows = batch * points;
        let x = &mut work.head[..rows * head];
        self.value.conv.run(&work.trunk[..rows * filters], rows, Activation::Relu, x);
        work.laps.lap("value.conv", LayerKind::Point, rows * self.value.conv.operations());
        let pooled = &mut work.pooled[..batch * 2 * head];
        pool_mean_max(x, batch, points, head, pooled);
        let hidden = &mut work.hidden[..batch * padded(self.shape.value_neurons)];
        self.value.hidden.run(pooled, batch, Activation::Relu, hidden);
        let scalars = &mut work.scalars[..batch * OUTPUTS];
        self.value.scalars.run(hidden, batch, Activation::None, scalars);
        let operations = self.value.hidden.operations() + self.value.scalars.operations();
        work.laps.lap("value.scalars", LayerKind::Dense, batch * operations);
        let ownership = &mut work.ownership[..rows * OUTPUTS];
        self.value.ownership.run(x, rows, Activation::None, ownership);
        work.laps.lap(
            "value.ownership",
            LayerKind::Point,
            rows * self.value.ownership.operations(),
        );
    }
}

/// Adds a bias for each position and channel to all its points, and cuts off below zero.
fn add_and_clip(x: &mut [f32], bias: &[f32], channels: usize) {
    let points = x.len() / bias.len();
    for (board, bias) in x.chunks_exact_mut(points * channels).zip(bias.chunks_exact(channels)) {
        for point in board.chunks_exact_mut(channels) {
            for (value, bias) in point.iter_mut().zip(bias) {
                *value = (*value + bias).max(0.0);
            }
        }
    }
}

/// Makes layers from named tensors.
struct Layers<'a> {
    weights: &'a Tensors,
    plan: &'a Plan,
}

impl Layers<'_> {
    fn tensor(&self, name: &str, part: &str) -> &[f32] {
        let name = format!("{name}.{part}");
        self.weights.get(&name).unwrap_or_else(|| panic!("invariant: {name} was checked at load"))
    }

    fn conv(&self, name: &str, inputs: usize, outputs: usize) -> Conv3x3 {
        let (weight, bias) = (self.tensor(name, "weight"), self.tensor(name, "bias"));
        Conv3x3::new(weight, bias, inputs, outputs, self.plan)
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Linear {
        Linear::new(self.tensor(name, "weight"), self.tensor(name, "bias"), inputs, outputs)
    }

    /// A layer whose input is the means and then the maxima of so many channels, each padded.
    fn after_pool(&self, name: &str, channels: usize, outputs: usize) -> Linear {
        let stride = padded(channels);
        let mut spread = vec![0.0; outputs * 2 * stride];
        let rows = self.tensor(name, "weight").chunks_exact(2 * channels);
        for (row, to) in rows.zip(spread.chunks_exact_mut(2 * stride)) {
            to[..channels].copy_from_slice(&row[..channels]);
            to[stride..stride + channels].copy_from_slice(&row[channels..]);
        }
        Linear::new(&spread, self.tensor(name, "bias"), 2 * stride, outputs)
    }
}

impl Workspace {
    /// Positions that fit in.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Where the planes and the globals of a position go, with the stride of the planes, see
    /// [`encode`](super::features::encode).
    pub fn input(&mut self, index: usize) -> (&mut [f32], usize, &mut [f32]) {
        let stride = self.stride;
        let planes = self.planes.len() / self.capacity;
        (
            &mut self.planes[index * planes..][..planes],
            stride,
            &mut self.globals[index * padded(GLOBALS)..][..padded(GLOBALS)],
        )
    }

    /// What the last run said of a position.
    #[must_use]
    pub fn output(&self, index: usize) -> CpuOutput<'_> {
        let points = self.moves.len() / self.capacity;
        CpuOutput {
            moves: &self.moves[index * points..][..points],
            pass: &self.pass[index * OUTPUTS..][..OUTPUTS],
            scalars: &self.scalars[index * OUTPUTS..][..OUTPUTS],
            ownership: &self.ownership[index * points..][..points],
        }
    }
}

impl<'a> CpuOutput<'a> {
    /// Logits of the moves in the network's orientation.
    pub fn policy(self) -> impl Iterator<Item = f32> + 'a {
        self.moves.iter().copied().step_by(OUTPUTS)
    }

    /// Logits of the opponent's reply in the network's orientation.
    pub fn reply(self) -> impl Iterator<Item = f32> + 'a {
        self.moves.iter().copied().skip(1).step_by(OUTPUTS)
    }

    /// Logits of a pass, and of a pass as the reply.
    #[must_use]
    pub const fn pass(self) -> [f32; 2] {
        [self.pass[0], self.pass[1]]
    }

    /// Value, short-term value, score and uncertainty, in the order of [`SCALARS`].
    #[must_use]
    pub fn scalars(self) -> [f32; SCALARS] {
        std::array::from_fn(|i| self.scalars[i])
    }

    /// Ownership in the network's orientation, before tanh.
    pub fn ownership(self) -> impl Iterator<Item = f32> + 'a {
        self.ownership.iter().copied().step_by(OUTPUTS)
    }
}
