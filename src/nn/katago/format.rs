//! Reads a model file into a [`Model`].
//!
//! The file names each part before its sizes and weights; the names are used for messages alone.
//! Its sizes are checked against each other as they come, and memory grows with what the file
//! holds.

mod heads;
mod transformer;

use super::error::KataGoError;
use super::features::{Areas, GLOBALS, PLANES};
use super::model::{
    Block, Conv, Dense, MatMul, Model, NEWEST_VERSION, Norm, OLDEST_VERSION, Pool, Scales, Tip,
    Trunk,
};
use super::source::{Source, is_name};
use crate::nn::kernels::Activation;

/// Channels of any layer at the most; the widest nets have some hundreds.
const MAX_CHANNELS: usize = 4096;
/// Blocks in a row at the most.
const MAX_BLOCKS: usize = 256;
/// Blocks in blocks at the most.
const MAX_DEPTH: usize = 2;

impl Model {
    /// Reads a model file, packed or not, binary or text.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KataGoError> {
        let (mut reader, head) = Reader::begin(bytes)?;
        let Head { name, scales, areas } = head;
        let version = reader.version;
        let trunk = reader.trunk()?;
        let channels = trunk.stem.outputs;
        let policy = reader.policy_head(channels)?;
        let value = reader.value_head(channels)?;
        if !reader.source.is_at_end()? {
            "the end of the file".clone_into(&mut reader.source.place);
            return Err(reader.source.unexpected(b"more", "nothing"));
        }
        Ok(Self { name, version, scales, areas, trunk, policy, value })
    }

    /// Whether a file that begins so may be a network that can be used.
    pub(crate) fn check_beginning(bytes: &[u8]) -> Result<(), KataGoError> {
        Reader::begin(bytes).map(drop)
    }
}

/// What stands before the layers.
struct Head {
    name: String,
    scales: Scales,
    areas: Areas,
}

/// Layers that follow each other have the same number of channels.
fn expect(place: &str, found: usize, expected: usize) -> Result<(), KataGoError> {
    if found == expected {
        return Ok(());
    }
    Err(KataGoError::Channels { place: place.to_owned(), found, expected })
}

/// Reads the parts of a network.
struct Reader<'a> {
    source: Source<'a>,
    version: i64,
}

impl<'a> Reader<'a> {
    fn begin(bytes: &'a [u8]) -> Result<(Self, Head), KataGoError> {
        let mut source = Source::new(bytes);
        let is_other = |error| match error {
            KataGoError::Unexpected { .. } | KataGoError::Ended { .. } => KataGoError::NotANet,
            other => other,
        };
        let name = source.word().map_err(is_other)?;
        if !is_name(&name) {
            return Err(KataGoError::NotANet);
        }
        let version = source.number("a model version").map_err(is_other)?;
        if !(OLDEST_VERSION..=NEWEST_VERSION).contains(&version) {
            return Err(KataGoError::Version { found: version });
        }
        let mut reader = Self { source, version };
        let planes = reader.source.size(MAX_CHANNELS, "the number of input planes")?;
        let globals = reader.source.size(MAX_CHANNELS, "the number of global inputs")?;
        expect("the input planes", planes, PLANES)?;
        expect("the global inputs", globals, GLOBALS)?;
        let (scales, areas) = (reader.scales()?, reader.options()?);
        Ok((reader, Head { name, scales, areas }))
    }
}

impl Reader<'_> {
    /// A name, which is the place that messages speak of from now on.
    fn name(&mut self) -> Result<String, KataGoError> {
        let name = self.source.word()?;
        self.source.place.clone_from(&name);
        Ok(name)
    }

    fn unsupported(&self, what: impl Into<String>) -> KataGoError {
        KataGoError::Unsupported { place: self.source.place.clone(), what: what.into() }
    }

    fn channels(&mut self) -> Result<usize, KataGoError> {
        self.source.size(MAX_CHANNELS, "a number of channels from 1 to 4096")
    }

    /// Options that no net which can be used has set.
    fn no_options(&mut self, count: usize, what: &str) -> Result<(), KataGoError> {
        for _ in 0..count {
            let value: i64 = self.source.number("a number")?;
            if value != 0 {
                return Err(self.unsupported(format!("{what} {value}")));
            }
        }
        Ok(())
    }

    fn scales(&mut self) -> Result<Scales, KataGoError> {
        let mut scales = Scales { score_mean: 20.0, score_deviation: 20.0, lead: 20.0 };
        if self.version >= 13 {
            let mut next = || -> Result<f32, KataGoError> {
                let value: f32 = self.source.number("a factor")?;
                if value.is_finite() && value > 0.0 {
                    return Ok(value);
                }
                Err(self.source.unexpected(value.to_string().as_bytes(), "a factor above 0"))
            };
            let [_, score_mean, score_deviation, lead, _, _, _] =
                [next()?, next()?, next()?, next()?, next()?, next()?, next()?];
            scales = Scales { score_mean, score_deviation, lead };
        }
        Ok(scales)
    }

    /// Options of the whole network: how it sees areas.
    fn options(&mut self) -> Result<Areas, KataGoError> {
        if self.version < 15 {
            return Ok(Areas::ByTheRules);
        }
        self.no_options(1, "an encoder of players' ranks (human-SL), version")?;
        let areas = if self.source.flag()? { Areas::WithSuicide } else { Areas::ByTheRules };
        self.no_options(6, "an option with the value")?;
        Ok(areas)
    }

    fn trunk(&mut self) -> Result<Trunk, KataGoError> {
        self.name()?;
        let count = self.source.size(MAX_BLOCKS, "a number of blocks from 1 to 256")?;
        let channels = self.channels()?;
        // Channels inside the blocks, which say so themselves.
        for _ in 0..4 {
            self.source.number::<i64>("a number of channels")?;
        }
        let mut has_rms_tip = false;
        if self.version >= 15 {
            has_rms_tip = self.source.flag()?;
            self.no_options(5, "an option with the value")?;
        }
        let stem = self.conv(PLANES)?;
        expect("the first convolution", stem.outputs, channels)?;
        let global = self.mat_mul(GLOBALS)?;
        expect("the layer of the global inputs", global.outputs, channels)?;
        let blocks = self.blocks(count, channels, MAX_DEPTH)?;
        let tip = if has_rms_tip {
            Tip::Rms(self.rms_norm(channels)?)
        } else {
            Tip::Batch(self.norm(channels)?)
        };
        Ok(Trunk { stem, global, blocks, tip })
    }

    fn blocks(
        &mut self,
        count: usize,
        channels: usize,
        depth: usize,
    ) -> Result<Vec<Block>, KataGoError> {
        let mut blocks = Vec::new();
        for _ in 0..count {
            let kind = self.source.word()?;
            let block = match kind.as_str() {
                "ordinary_block" => self.ordinary(channels)?,
                "gpool_block" => self.pooled(channels)?,
                "transformer_attention_block" => Block::Attention(self.attention(channels)?),
                "transformer_ffn_block" => Block::FeedForward(self.feed_forward(channels)?),
                "nested_bottleneck_block" if depth > 0 => self.nested(channels, depth - 1)?,
                _ => {
                    let kind = kind.chars().filter(|c| !c.is_control()).take(40).collect();
                    let place = format!("the part after {}", self.source.place);
                    return Err(KataGoError::Block { place, kind });
                }
            };
            blocks.push(block);
        }
        Ok(blocks)
    }

    fn ordinary(&mut self, channels: usize) -> Result<Block, KataGoError> {
        self.name()?;
        let pre = self.norm(channels)?;
        let conv1 = self.block_conv(channels)?;
        let mid = self.norm(conv1.outputs)?;
        let conv2 = self.last_conv(conv1.outputs, channels)?;
        Ok(Block::Ordinary { pre, conv1, mid, conv2 })
    }

    fn pooled(&mut self, channels: usize) -> Result<Block, KataGoError> {
        self.name()?;
        let pre = self.norm(channels)?;
        let conv1 = self.block_conv(channels)?;
        let conv = self.block_conv(channels)?;
        if conv.side != conv1.side {
            return Err(self.unsupported("a pair of convolutions of different sizes"));
        }
        let pool = self.pool(conv, conv1.outputs)?;
        let mid = self.norm(conv1.outputs)?;
        let conv2 = self.last_conv(conv1.outputs, channels)?;
        Ok(Block::Pooled { pre, conv1, pool, mid, conv2 })
    }

    fn nested(&mut self, channels: usize, depth: usize) -> Result<Block, KataGoError> {
        self.name()?;
        let count = self.source.size(MAX_BLOCKS, "a number of blocks from 1 to 256")?;
        let pre = self.norm(channels)?;
        let conv1 = self.block_conv(channels)?;
        let blocks = self.blocks(count, conv1.outputs, depth)?;
        let post = self.norm(conv1.outputs)?;
        let conv2 = self.last_conv(conv1.outputs, channels)?;
        Ok(Block::Nested { pre, conv1, blocks, post, conv2 })
    }

    /// What follows the convolution of a pool.
    fn pool(&mut self, conv: Conv, outputs: usize) -> Result<Pool, KataGoError> {
        let norm = self.norm(conv.outputs)?;
        let to_bias = self.mat_mul(3 * conv.outputs)?;
        expect(&self.source.place, to_bias.outputs, outputs)?;
        Ok(Pool { conv, norm, to_bias })
    }

    fn conv(&mut self, inputs: usize) -> Result<Conv, KataGoError> {
        let name = self.name()?;
        let [rows, columns] = [self.conv_side()?, self.conv_side()?];
        let (found, outputs) = (self.channels()?, self.channels()?);
        expect(&name, found, inputs)?;
        let dilation = [self.channels()?, self.channels()?];
        if rows != columns || dilation != [1, 1] {
            return Err(self.unsupported("a dilated or oblong convolution"));
        }
        let floats = self.source.floats(rows * rows * inputs * outputs)?;
        let mut weights = vec![0.0; floats.len()];
        let taps = rows * rows;
        for (tap, floats) in floats.chunks_exact(inputs * outputs).enumerate() {
            for (index, &weight) in floats.iter().enumerate() {
                let (input, output) = (index / outputs, index % outputs);
                weights[(output * inputs + input) * taps + tap] = weight;
            }
        }
        Ok(Conv { name, side: rows, inputs, outputs, weights })
    }

    fn conv_side(&mut self) -> Result<usize, KataGoError> {
        let side = self.source.size(9, "the side of a convolution")?;
        if side % 2 == 1 {
            return Ok(side);
        }
        Err(self.unsupported("a convolution with an even side"))
    }

    /// A convolution inside of a block: 3x3 or 1x1.
    fn block_conv(&mut self, inputs: usize) -> Result<Conv, KataGoError> {
        let conv = self.conv(inputs)?;
        if matches!(conv.side, 1 | 3) {
            return Ok(conv);
        }
        Err(self.unsupported(format!("a {0}x{0} convolution inside of a block", conv.side)))
    }

    /// The convolution that ends a block.
    fn last_conv(&mut self, inputs: usize, outputs: usize) -> Result<Conv, KataGoError> {
        let conv = self.block_conv(inputs)?;
        expect(&conv.name, conv.outputs, outputs)?;
        Ok(conv)
    }

    /// A convolution in a head: 1x1.
    fn head_conv(&mut self, inputs: usize) -> Result<Conv, KataGoError> {
        let conv = self.conv(inputs)?;
        if conv.side == 1 {
            return Ok(conv);
        }
        Err(self.unsupported(format!("a {0}x{0} convolution in a head", conv.side)))
    }

    /// A normalisation and the activation behind it.
    fn norm(&mut self, channels: usize) -> Result<Norm, KataGoError> {
        let name = self.name()?;
        let found = self.channels()?;
        expect(&name, found, channels)?;
        let epsilon: f32 = self.source.number("a small number")?;
        let (has_scale, has_bias) = (self.source.flag()?, self.source.flag()?);
        let mean = self.source.floats(channels)?;
        let variance = self.source.floats(channels)?;
        let gain = if has_scale { self.source.floats(channels)? } else { vec![1.0; channels] };
        let shift = if has_bias { self.source.floats(channels)? } else { vec![0.0; channels] };
        let scale: Vec<f32> =
            gain.iter().zip(&variance).map(|(gain, v)| gain / (v + epsilon).sqrt()).collect();
        let bias: Vec<f32> = (shift.iter().zip(&mean).zip(&scale))
            .map(|((shift, mean), scale)| shift - mean * scale)
            .collect();
        if !scale.iter().chain(&bias).all(|value| value.is_finite()) {
            return Err(KataGoError::NotFinite { place: name });
        }
        Ok(Norm { scale, bias, activation: self.activation()? })
    }

    fn activation(&mut self) -> Result<Activation, KataGoError> {
        self.name()?;
        if self.version < 11 {
            return Ok(Activation::Relu);
        }
        let kind = self.source.word()?;
        match kind.as_str() {
            "ACTIVATION_IDENTITY" => Ok(Activation::None),
            "ACTIVATION_RELU" => Ok(Activation::Relu),
            "ACTIVATION_MISH" => Ok(Activation::Mish),
            "ACTIVATION_SILU" => Ok(Activation::Silu),
            _ => Err(self.source.unexpected(kind.as_bytes(), "an activation")),
        }
    }

    fn mat_mul(&mut self, inputs: usize) -> Result<MatMul, KataGoError> {
        let name = self.name()?;
        // Pooling triples the channels.
        let found = self.source.size(3 * MAX_CHANNELS, "a number of inputs")?;
        let outputs = self.channels()?;
        expect(&name, found, inputs)?;
        let floats = self.source.floats(inputs * outputs)?;
        let mut weights = vec![0.0; floats.len()];
        for (index, &weight) in floats.iter().enumerate() {
            weights[index % outputs * inputs + index / outputs] = weight;
        }
        Ok(MatMul { inputs, outputs, weights })
    }

    fn dense(&mut self, inputs: usize, activated: Activated) -> Result<Dense, KataGoError> {
        let layer = self.mat_mul(inputs)?;
        self.dense_of(layer, activated)
    }

    /// The rest of a layer: its bias, and an activation if there is one.
    fn dense_of(&mut self, layer: MatMul, activated: Activated) -> Result<Dense, KataGoError> {
        let name = self.name()?;
        let found = self.channels()?;
        expect(&name, found, layer.outputs)?;
        let bias = self.source.floats(layer.outputs)?;
        let activation = match activated {
            Activated::Yes => self.activation()?,
            Activated::No => Activation::None,
        };
        Ok(Dense { layer, bias, activation })
    }
}

/// Whether an activation follows a layer in the file.
#[derive(Clone, Copy)]
enum Activated {
    Yes,
    No,
}
