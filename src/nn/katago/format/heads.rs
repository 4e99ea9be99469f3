//! The heads of a network in a file.

use super::{Activated, Reader, expect};
use crate::nn::katago::error::KataGoError;
use crate::nn::katago::model::{PassHead, PolicyHead, ValueHead};

impl Reader<'_> {
    pub(super) fn policy_head(&mut self, channels: usize) -> Result<PolicyHead, KataGoError> {
        self.name()?;
        let outputs = self.policies()?;
        let conv = self.head_conv(channels)?;
        let pool_conv = self.head_conv(channels)?;
        let pool = self.pool(pool_conv, conv.outputs)?;
        let norm = self.norm(conv.outputs)?;
        let moves = self.head_conv(conv.outputs)?;
        expect(&moves.name, moves.outputs, outputs)?;
        let first = self.mat_mul(3 * pool.conv.outputs)?;
        let (pass, found) = if self.version >= 15 {
            let hidden = self.dense_of(first, Activated::Yes)?;
            let last = self.mat_mul(hidden.bias.len())?;
            let found = last.outputs;
            (PassHead::Hidden(hidden, last), found)
        } else {
            let found = first.outputs;
            (PassHead::Direct(first), found)
        };
        expect(&self.source.place, found, outputs)?;
        Ok(PolicyHead { conv, pool, norm, moves, pass })
    }

    /// Outputs of the policy: the policy, an optimistic one, and what every move would come to,
    /// which nobody asks for.
    fn policies(&mut self) -> Result<usize, KataGoError> {
        match self.version {
            ..12 => Ok(1),
            12..16 => Ok(2),
            16 => Ok(4),
            17.. => {
                let outputs = self.source.size(4, "a number of policies")?;
                if !matches!(outputs, 2 | 4) {
                    return Err(self.unsupported(format!("a policy with {outputs} outputs")));
                }
                self.no_options(3, "an option with the value")?;
                Ok(outputs)
            }
        }
    }

    pub(super) fn value_head(&mut self, channels: usize) -> Result<ValueHead, KataGoError> {
        self.name()?;
        if self.version >= 17 {
            self.no_options(3, "an option with the value")?;
        }
        let conv = self.head_conv(channels)?;
        let norm = self.norm(conv.outputs)?;
        let hidden = self.dense(3 * conv.outputs, Activated::Yes)?;
        let outcome = self.dense(hidden.bias.len(), Activated::No)?;
        expect("the outcome", outcome.bias.len(), 3)?;
        let score = self.dense(hidden.bias.len(), Activated::No)?;
        expect("the score", score.bias.len(), if self.version >= 9 { 6 } else { 4 })?;
        let ownership = self.head_conv(conv.outputs)?;
        expect(&ownership.name, ownership.outputs, 1)?;
        Ok(ValueHead { conv, norm, hidden, outcome, score, ownership })
    }
}
