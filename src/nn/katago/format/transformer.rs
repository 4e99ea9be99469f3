//! The blocks of transformers and their normalisation in a file.

use super::{MAX_CHANNELS, Reader, expect};
use crate::nn::katago::error::KataGoError;
use crate::nn::katago::model::MatMul;
use crate::nn::katago::transformer::{Attention, FeedForward, RmsNorm, Rotation};
use crate::nn::kernels::Activation;

/// Heads of an attention at the most; the widest nets have some ten.
const MAX_HEADS: usize = 64;

/// Channels of all heads together are at most so many times those of the trunk. They cost memory
/// for each point of a board, of which a file of another kind could ask much with few bytes.
const MAX_WIDENING: usize = 8;

impl Reader<'_> {
    pub(super) fn attention(&mut self, channels: usize) -> Result<Attention, KataGoError> {
        let name = self.name()?;
        let queries = self.source.size(MAX_HEADS, "a number of heads from 1 to 64")?;
        let keys = self.source.size(MAX_HEADS, "a number of heads from 1 to 64")?;
        let (asked, given) = (self.channels()?, self.channels()?);
        let (turns, learnt) = (self.source.flag()?, self.source.flag()?);
        if !queries.is_multiple_of(keys) {
            return Err(self.unsupported(format!("{queries} heads in {keys} groups")));
        }
        if turns && !asked.is_multiple_of(2) {
            return Err(self.unsupported(format!("a rotation of {asked} channels")));
        }
        let most = (MAX_WIDENING * channels).min(MAX_CHANNELS);
        if queries * asked.max(given) > most {
            let wide = asked.max(given);
            return Err(self.unsupported(format!("{queries} heads of {wide} channels")));
        }
        let norm = self.point_norm(channels)?;
        let mut layer = |outputs: usize| -> Result<MatMul, KataGoError> {
            let layer = self.mat_mul(channels)?;
            expect(&self.source.place, layer.outputs, outputs)?;
            Ok(layer)
        };
        let (query, key) = (layer(queries * asked)?, layer(keys * asked)?);
        let value = layer(keys * given)?;
        let output = self.mat_mul(queries * given)?;
        expect(&self.source.place, output.outputs, channels)?;
        let rotation = match (turns, learnt) {
            (false, _) => Rotation::None,
            (true, false) => self.fixed_rotation()?,
            (true, true) => self.learnt_rotation(keys, asked / 2)?,
        };
        self.source.place = name;
        let heads =
            Attention { norm, queries, keys, asked, given, query, key, value, output, rotation };
        Ok(heads)
    }

    fn fixed_rotation(&mut self) -> Result<Rotation, KataGoError> {
        self.name()?;
        let base: f32 = self.source.number("a base")?;
        if base.is_finite() && base > 0.0 {
            return Ok(Rotation::Fixed { base });
        }
        Err(self.source.unexpected(base.to_string().as_bytes(), "a base above 0"))
    }

    fn learnt_rotation(&mut self, keys: usize, pairs: usize) -> Result<Rotation, KataGoError> {
        let name = self.name()?;
        for expected in [keys, pairs, 2] {
            let found = self.channels()?;
            expect(&name, found, expected)?;
        }
        Ok(Rotation::Learnt(self.source.floats(keys * pairs * 2)?))
    }

    pub(super) fn feed_forward(&mut self, channels: usize) -> Result<FeedForward, KataGoError> {
        let name = self.name()?;
        let (found, inner) = (self.channels()?, self.channels()?);
        expect(&name, found, channels)?;
        if !self.source.flag()? {
            return Err(self.unsupported("a feed-forward block without a gate"));
        }
        let norm = self.point_norm(channels)?;
        let first = self.mat_mul(channels)?;
        expect(&self.source.place, first.outputs, inner)?;
        let gate = self.mat_mul(channels)?;
        expect(&self.source.place, gate.outputs, inner)?;
        let last = self.mat_mul(inner)?;
        expect(&self.source.place, last.outputs, channels)?;
        Ok(FeedForward { norm, first, gate, last })
    }

    /// A normalisation of each point without a bias.
    fn point_norm(&mut self, channels: usize) -> Result<RmsNorm, KataGoError> {
        let name = self.name()?;
        let found = self.channels()?;
        expect(&name, found, channels)?;
        let epsilon = self.epsilon()?;
        let scale = self.source.floats(channels)?;
        let bias = vec![0.0; channels];
        Ok(RmsNorm { scale, bias, epsilon, spatial: false, activation: Activation::None })
    }

    /// The normalisation at the end of the trunk and the activation behind it.
    pub(super) fn rms_norm(&mut self, channels: usize) -> Result<RmsNorm, KataGoError> {
        let name = self.name()?;
        let found = self.channels()?;
        expect(&name, found, channels)?;
        let epsilon = self.epsilon()?;
        let spatial = self.source.flag()?;
        self.no_options(1, "a normalisation of groups of channels, of size")?;
        let scale = self.source.floats(channels)?;
        let bias = self.source.floats(channels)?;
        Ok(RmsNorm { scale, bias, epsilon, spatial, activation: self.activation()? })
    }

    fn epsilon(&mut self) -> Result<f32, KataGoError> {
        let epsilon: f32 = self.source.number("a small number")?;
        if epsilon > 0.0 && epsilon <= 1.0 {
            return Ok(epsilon);
        }
        Err(self.source.unexpected(epsilon.to_string().as_bytes(), "a number above 0, up to 1"))
    }
}
