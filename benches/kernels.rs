//! Speed of the convolution kernels: GFLOP/s by the count of the direct convolution, beside the
//! peak of the processor and candle's own convolution, and positions per second of whole towers.
//!
//! Our kernels run on one thread, candle and the training on `RAYON_NUM_THREADS`. With the argument
//! `training` only the training is measured.
#![expect(clippy::print_stdout, reason = "a report for people")]

mod measure;

use std::hint::black_box;
use std::time::Duration;

use candle_core::{Device, Result, Tensor, Var};
use candle_nn::{AdamW, Optimizer, ParamsAdamW};
use measure::{fma_peak, numbers, seconds};
use tedomari::nn::kernels::{Activation, Conv3x3, Input, Plan, Scratch, padded};
use tedomari::nn::ops::{add_relu, conv3x3, conv3x3_relu};

/// Time spent on one figure of the kernels.
const BUDGET: Duration = Duration::from_millis(300);

/// Time spent on one figure of the training, of which a step takes long.
const TRAINING_BUDGET: Duration = Duration::from_secs(4);

/// Planes of the input of a network.
const PLANES: usize = 20;

fn main() {
    if !std::env::args().any(|argument| argument == "training") {
        inference();
    }
    println!("\ntraining of 6x64 on 9x9, batch 128, {} threads:", rayon::current_num_threads());
    for layers in [Layers::Ours, Layers::Candle] {
        let speed = Training::new(6, 64, layers).speed(9, 128);
        println!("{layers:?}: {speed:.0} samples per second");
    }
}

fn inference() {
    println!("FMA peak of one thread: {:.0} GFLOP/s", fma_peak());
    println!("\nconvolution        ours  candle   (GFLOP/s of the direct convolution)");
    for side in [9, 13, 19] {
        for channels in [64, 96, 128] {
            for batch in [1, 8] {
                layer(side, channels, batch);
            }
        }
    }
    println!("\ntower, positions per second");
    for (blocks, channels, side) in
        [(6, 64, 9), (6, 96, 9), (10, 128, 9), (6, 96, 13), (6, 64, 19), (6, 96, 19)]
    {
        for batch in [1, 8] {
            let speed = Tower::new(blocks, channels, side).speed(batch);
            println!("{blocks}x{channels} {side}x{side} batch {batch}: {speed:.0}");
        }
    }
}

fn layer(side: usize, channels: usize, batch: usize) {
    let flops = (2 * 9 * side * side * channels * channels * batch) as f64;
    let plan = Plan::new(side, side);
    let (weights, bias) = (numbers(channels * channels * 9), numbers(channels));
    let conv = Conv3x3::new(&weights, &bias, channels, channels, &plan);
    let x = numbers(batch * side * side * channels);
    let (mut y, mut scratch) = (vec![0.0; x.len()], Scratch::new());
    let input = Input { x: &x, batch, residual: None, activation: Activation::Relu };
    let ours = seconds(BUDGET, || conv.run(&plan, black_box(input), &mut y, &mut scratch));

    let x = Tensor::from_vec(x, (batch, channels, side, side), &Device::Cpu).expect("a tensor");
    let weights =
        Tensor::from_vec(weights, (channels, channels, 3, 3), &Device::Cpu).expect("a tensor");
    let candle = seconds(BUDGET, || {
        black_box(x.conv2d(&weights, 1, 1, 1, 1).expect("a convolution"));
    });
    let (ours, candle) = (flops / ours / 1e9, flops / candle / 1e9);
    println!("{side:2}x{side:<2} {channels:3} batch {batch} {ours:7.1} {candle:7.1}");
}

/// A residual tower with its buffers.
struct Tower {
    plan: Plan,
    stem: Conv3x3,
    blocks: Vec<[Conv3x3; 2]>,
    channels: usize,
}

impl Tower {
    fn new(blocks: usize, channels: usize, side: usize) -> Self {
        let plan = Plan::new(side, side);
        let conv = |inputs: usize| {
            let weights: Vec<f32> =
                numbers(channels * inputs * 9).iter().map(|w| w / (inputs as f32)).collect();
            Conv3x3::new(&weights, &numbers(channels), inputs, channels, &plan)
        };
        let stem = conv(PLANES);
        let blocks = (0..blocks).map(|_| [conv(channels), conv(channels)]).collect();
        Self { plan, stem, blocks, channels }
    }

    fn speed(&self, batch: usize) -> f64 {
        let points = batch * self.plan.points();
        let planes = numbers(points * padded(PLANES));
        let mut buffers = [(); 3].map(|()| vec![0.0; points * padded(self.channels)]);
        let mut scratch = Scratch::new();
        let chunk = self.plan.chunk(batch) * self.plan.points() * padded(PLANES);
        let time = seconds(BUDGET, || {
            planes.chunks(chunk).for_each(|x| self.run(black_box(x), &mut buffers, &mut scratch));
        });
        batch as f64 / time
    }

    fn run(&self, x: &[f32], buffers: &mut [Vec<f32>; 3], scratch: &mut Scratch) {
        let points = x.len() / padded(PLANES);
        let (batch, activation) = (points / self.plan.points(), Activation::Relu);
        let [mut a, b, mut c] =
            buffers.each_mut().map(|buffer| &mut buffer[..points * padded(self.channels)]);
        let input = Input { x, batch, residual: None, activation };
        self.stem.run(&self.plan, input, a, scratch);
        for [first, second] in &self.blocks {
            let input = Input { x: a, batch, residual: None, activation };
            first.run(&self.plan, input, b, scratch);
            let input = Input { x: b, batch, residual: Some(a), activation };
            second.run(&self.plan, input, c, scratch);
            std::mem::swap(&mut a, &mut c);
        }
    }
}

/// Who computes the layers of a graph.
#[derive(Clone, Copy, Debug)]
enum Layers {
    /// Our operations, channels last.
    Ours,
    /// Candle's own, channels first.
    Candle,
}

impl Layers {
    fn conv(self, x: &Tensor, [weight, bias]: &[Var; 2]) -> Result<Tensor> {
        match self {
            Self::Ours => conv3x3(x, weight, bias),
            Self::Candle => {
                x.conv2d(weight, 1, 1, 1, 1)?.broadcast_add(&bias.reshape((1, (), 1, 1))?)
            }
        }
    }

    fn conv_relu(self, x: &Tensor, weights: &[Var; 2]) -> Result<Tensor> {
        match self {
            Self::Ours => conv3x3_relu(x, &weights[0], &weights[1]),
            Self::Candle => self.conv(x, weights)?.relu(),
        }
    }

    fn add_relu(self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        match self {
            Self::Ours => add_relu(a, b),
            Self::Candle => (a + b)?.relu(),
        }
    }

    fn shape(self, batch: usize, side: usize) -> [usize; 4] {
        match self {
            Self::Ours => [batch, side, side, PLANES],
            Self::Candle => [batch, PLANES, side, side],
        }
    }
}

/// A residual tower that learns to be zero.
struct Training {
    layers: Layers,
    weights: Vec<[Var; 2]>,
}

impl Training {
    fn new(blocks: usize, channels: usize, layers: Layers) -> Self {
        let variable = |shape: &[usize], scale: f32| {
            let values = numbers(shape.iter().product()).into_iter().map(|v| v * scale).collect();
            let tensor = Tensor::from_vec(values, shape, &Device::Cpu).expect("a tensor");
            Var::from_tensor(&tensor).expect("a variable")
        };
        let layer = |index: usize| {
            let inputs = if index == 0 { PLANES } else { channels };
            [variable(&[channels, inputs, 3, 3], 0.1), variable(&[channels], 0.1)]
        };
        Self { layers, weights: (0..=2 * blocks).map(layer).collect() }
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let layers = self.layers;
        let mut x = layers.conv_relu(x, &self.weights[0])?;
        for block in self.weights[1..].chunks_exact(2) {
            let y = layers.conv_relu(&x, &block[0])?;
            x = layers.add_relu(&layers.conv(&y, &block[1])?, &x)?;
        }
        Ok(x)
    }

    fn speed(&self, side: usize, batch: usize) -> f64 {
        let planes = numbers(batch * side * side * PLANES);
        let x = Tensor::from_vec(planes, &self.layers.shape(batch, side), &Device::Cpu)
            .expect("a tensor");
        let variables = self.weights.iter().flatten().cloned().collect();
        let mut optimizer = AdamW::new(variables, ParamsAdamW::default()).expect("an optimizer");
        let mut step = || -> Result<()> {
            let loss = self.forward(&x)?.sqr()?.mean_all()?;
            optimizer.step(&loss.backward()?)
        };
        batch as f64 / seconds(TRAINING_BUDGET, || step().expect("a step"))
    }
}
