//! The network as a graph on Candle: for training, and for playing on CUDA or Metal.

use candle_core::{D, DType, Device, Result, Tensor, Var};
use candle_nn::{VarBuilder, VarMap};

use super::init::Tensors;
use super::ops::{
    add_bias, add_bias_relu, add_relu, conv3x3, conv3x3_relu, first_maximum, mean_max,
};
use super::shape::NetShape;

/// A residual network. The same constructor serves training, with variables, and loading.
pub struct ResNet {
    stem: Conv,
    global: Linear,
    blocks: Vec<Block>,
    policy: PolicyHead,
    value: ValueHead,
}

/// What goes into a network: a batch of positions on boards that fit into `height` x `width`.
pub struct NetInput<'a> {
    /// `[batch, height, width, planes]`.
    pub planes: &'a Tensor,
    /// `[batch, globals]`.
    pub globals: &'a Tensor,
    /// `[batch, height, width, 1]`, 1 on the board and 0 beside it; none when all boards fill it.
    pub mask: Option<&'a Tensor>,
}

/// What comes out, before any softmax, tanh or sigmoid.
pub struct NetOutput {
    /// `[batch, points + 1]`: the move, the pass last. Beside the board it means nothing.
    pub policy: Tensor,
    /// `[batch, points + 1]`: the opponent's reply.
    pub reply: Tensor,
    /// `[batch]`: the result for the side to move.
    pub value: Tensor,
    /// `[batch]`: the value some moves later.
    pub short_term: Tensor,
    /// `[batch]`: the score for the side to move.
    pub score: Tensor,
    /// `[batch]`: how uncertain the search's answer is.
    pub uncertainty: Tensor,
    /// `[batch, points]`: who will own the point, for the side to move.
    pub ownership: Tensor,
}

impl ResNet {
    /// A network with the weights of `builder`.
    pub fn new(builder: &VarBuilder<'_>, shape: &NetShape) -> Result<Self> {
        let filters = shape.filters;
        let stem = builder.pp("stem");
        let blocks = (0..shape.blocks)
            .map(|i| Block::new(&builder.pp("block").pp(i), filters, shape.is_pooled(i)))
            .collect::<Result<_>>()?;
        Ok(Self {
            stem: Conv::new(&stem.pp("conv"), filters, shape.planes())?,
            global: Linear::new(&stem.pp("global"), filters, super::features::GLOBALS)?,
            blocks,
            policy: PolicyHead::new(&builder.pp("policy"), shape)?,
            value: ValueHead::new(&builder.pp("value"), shape)?,
        })
    }

    /// Evaluates a batch.
    pub fn forward(&self, input: &NetInput<'_>) -> Result<NetOutput> {
        let board = Board::new(input)?;
        let global = self.global.forward(input.globals)?;
        let stem = add_bias_relu(&self.stem.forward(input.planes)?, &global)?;
        let mut x = board.masked(&stem)?;
        for block in &self.blocks {
            x = block.forward(&x, &board)?;
        }
        let [policy, reply] = self.policy.forward(&x, &board)?;
        let (scalars, ownership) = self.value.forward(&x, &board)?;
        let scalar = |i: usize| scalars.narrow(1, i, 1)?.squeeze(1);
        Ok(NetOutput {
            policy,
            reply,
            value: scalar(0)?,
            short_term: scalar(1)?,
            score: scalar(2)?,
            uncertainty: scalar(3)?,
            ownership,
        })
    }
}

/// Variables that hold the given weights, for training.
pub fn variables(shape: &NetShape, weights: &Tensors, device: &Device) -> Result<VarMap> {
    let map = VarMap::new();
    {
        let mut data = map.data().lock().expect("invariant: nobody else has the new map");
        for (name, dims) in shape.tensors() {
            let values = weights
                .get(&name)
                .ok_or_else(|| candle_core::Error::CannotFindTensor { path: name.clone() })?;
            let tensor = Tensor::from_slice(values, dims, device)?;
            data.insert(name, Var::from_tensor(&tensor)?);
        }
    }
    Ok(map)
}

/// A builder that hands out the given weights, for playing.
pub fn builder(
    shape: &NetShape,
    weights: &Tensors,
    dtype: DType,
    device: &Device,
) -> Result<VarBuilder<'static>> {
    let tensors = shape
        .tensors()
        .into_iter()
        .map(|(name, dims)| {
            let values = weights
                .get(&name)
                .ok_or_else(|| candle_core::Error::CannotFindTensor { path: name.clone() })?;
            Ok((name, Tensor::from_slice(values, dims, device)?))
        })
        .collect::<Result<_>>()?;
    Ok(VarBuilder::from_tensors(tensors, dtype, device))
}

/// The boards of a batch: which points count.
struct Board<'a> {
    mask: Option<&'a Tensor>,
    /// `[batch, 1]`: points on each board, where they differ.
    points: Option<Tensor>,
}

impl<'a> Board<'a> {
    fn new(input: &NetInput<'a>) -> Result<Self> {
        let points = input.mask.map(|mask| mask.sum(1)?.sum(1)).transpose()?;
        Ok(Self { mask: input.mask, points })
    }

    /// Zero beside the board.
    fn masked(&self, x: &Tensor) -> Result<Tensor> {
        self.mask.map_or(Ok(x.clone()), |mask| x.broadcast_mul(mask))
    }

    /// Mean and maximum over the points of the board: `[batch, height, width, c]` to
    /// `[batch, 2c]`. What is pooled is masked and never negative.
    fn pool(&self, x: &Tensor) -> Result<Tensor> {
        let Some(points) = &self.points else { return mean_max(x) };
        let mean = x.sum(1)?.sum(1)?.broadcast_div(points)?;
        let highest = first_maximum(&x.flatten(1, 2)?.contiguous()?)?;
        Tensor::cat(&[mean, highest], D::Minus1)
    }
}

struct Conv {
    weight: Tensor,
    bias: Tensor,
}

impl Conv {
    fn new(builder: &VarBuilder<'_>, outputs: usize, inputs: usize) -> Result<Self> {
        Ok(Self {
            weight: builder.get((outputs, inputs, 3, 3), "weight")?,
            bias: builder.get(outputs, "bias")?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        conv3x3(x, &self.weight, &self.bias)
    }

    fn forward_relu(&self, x: &Tensor) -> Result<Tensor> {
        conv3x3_relu(x, &self.weight, &self.bias)
    }
}

/// A fully connected layer, on the last dimension of whatever it is given.
struct Linear {
    weight: Tensor,
    bias: Tensor,
}

impl Linear {
    fn new(builder: &VarBuilder<'_>, outputs: usize, inputs: usize) -> Result<Self> {
        Ok(Self {
            weight: builder.get((outputs, inputs), "weight")?,
            bias: builder.get(outputs, "bias")?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        add_bias(&self.product(x)?, &self.bias.unsqueeze(0)?)
    }

    fn forward_relu(&self, x: &Tensor) -> Result<Tensor> {
        add_bias_relu(&self.product(x)?, &self.bias.unsqueeze(0)?)
    }

    fn product(&self, x: &Tensor) -> Result<Tensor> {
        let mut dims = x.dims().to_vec();
        let inputs = dims.pop().unwrap_or(1);
        dims.push(self.bias.dim(0)?);
        x.reshape(((), inputs))?.matmul(&self.weight.t()?)?.reshape(dims)
    }

    /// Adds what the layer makes of the pooled `x` to every point of it.
    fn add_pooled(&self, x: &Tensor, board: &Board<'_>) -> Result<Tensor> {
        board.masked(&add_bias_relu(x, &self.forward(&board.pool(x)?)?)?)
    }
}

struct Block {
    conv1: Conv,
    pool: Option<Linear>,
    conv2: Conv,
}

impl Block {
    fn new(builder: &VarBuilder<'_>, filters: usize, pooled: bool) -> Result<Self> {
        let pool = || Linear::new(&builder.pp("pool"), filters, 2 * filters);
        Ok(Self {
            conv1: Conv::new(&builder.pp("conv1"), filters, filters)?,
            pool: pooled.then(pool).transpose()?,
            conv2: Conv::new(&builder.pp("conv2"), filters, filters)?,
        })
    }

    fn forward(&self, x: &Tensor, board: &Board<'_>) -> Result<Tensor> {
        let mut inner = board.masked(&self.conv1.forward_relu(x)?)?;
        if let Some(pool) = &self.pool {
            inner = pool.add_pooled(&inner, board)?;
        }
        board.masked(&add_relu(x, &self.conv2.forward(&inner)?)?)
    }
}

struct PolicyHead {
    conv: Linear,
    pool: Linear,
    moves: Linear,
    pass: Linear,
}

impl PolicyHead {
    fn new(builder: &VarBuilder<'_>, shape: &NetShape) -> Result<Self> {
        let head = shape.head_filters;
        Ok(Self {
            conv: Linear::new(&builder.pp("conv"), head, shape.filters)?,
            pool: Linear::new(&builder.pp("pool"), head, 2 * head)?,
            moves: Linear::new(&builder.pp("moves"), 2, head)?,
            pass: Linear::new(&builder.pp("pass"), 2, 2 * head)?,
        })
    }

    /// Policy and reply.
    fn forward(&self, x: &Tensor, board: &Board<'_>) -> Result<[Tensor; 2]> {
        let x = board.masked(&self.conv.forward_relu(x)?)?;
        let x = self.pool.add_pooled(&x, board)?;
        let moves = self.moves.forward(&x)?.flatten(1, 2)?;
        let pass = self.pass.forward(&board.pool(&x)?)?.unsqueeze(1)?;
        let all = Tensor::cat(&[moves, pass], 1)?;
        Ok([all.narrow(2, 0, 1)?.squeeze(2)?, all.narrow(2, 1, 1)?.squeeze(2)?])
    }
}

struct ValueHead {
    conv: Linear,
    hidden: Linear,
    scalars: Linear,
    ownership: Linear,
}

impl ValueHead {
    fn new(builder: &VarBuilder<'_>, shape: &NetShape) -> Result<Self> {
        let head = shape.head_filters;
        let neurons = shape.value_neurons;
        Ok(Self {
            conv: Linear::new(&builder.pp("conv"), head, shape.filters)?,
            hidden: Linear::new(&builder.pp("hidden"), neurons, 2 * head)?,
            scalars: Linear::new(&builder.pp("scalars"), super::shape::SCALARS, neurons)?,
            ownership: Linear::new(&builder.pp("ownership"), 1, head)?,
        })
    }

    /// Scalars, and the ownership of every point.
    fn forward(&self, x: &Tensor, board: &Board<'_>) -> Result<(Tensor, Tensor)> {
        let x = board.masked(&self.conv.forward_relu(x)?)?;
        let hidden = self.hidden.forward_relu(&board.pool(&x)?)?;
        let ownership = self.ownership.forward(&x)?.flatten(1, 3)?;
        Ok((self.scalars.forward(&hidden)?, ownership))
    }
}

#[cfg(test)]
mod tests;
