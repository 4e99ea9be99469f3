//! The shape of a network, and the tensors that it is made of.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::features::{GLOBALS, PLANES};

/// Blocks, filters and heads of a residual network.
///
/// `S = relu(conv3x3(planes) + global · W)`, then blocks
/// `x ← relu(x + conv3x3(relu(conv3x3(x))))`, some of which add a bias from the mean and the
/// maximum over the board between their convolutions; then the heads. There is no normalisation,
/// so that training and playing are one graph, and nothing depends on the size of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetShape {
    /// Residual blocks.
    pub blocks: usize,
    /// Channels of the trunk.
    pub filters: usize,
    /// Every so many blocks one pools over the whole board; 0 for none.
    pub pool_every: usize,
    /// Channels of the heads.
    pub head_filters: usize,
    /// Neurons between the pooled value features and the values.
    pub value_neurons: usize,
    /// Planes of the input beside those of the position.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub extra_planes: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Scalars that the value head gives, in this order.
pub const SCALARS: usize = 4;

/// The text is no shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no shape of a network: write BLOCKSxFILTERS such as 6x96, with 1 to {max_blocks} blocks and 1 to {max_filters} filters",
    max_blocks = NetShape::MAX_BLOCKS,
    max_filters = NetShape::MAX_FILTERS
)]
pub struct NotAShape(pub String);

impl NetShape {
    /// The deepest network.
    pub const MAX_BLOCKS: usize = 100;
    /// The widest network.
    pub const MAX_FILTERS: usize = 1024;

    /// A network of so many blocks and filters with the usual heads.
    #[must_use]
    pub const fn new(blocks: usize, filters: usize) -> Self {
        Self {
            blocks,
            filters,
            pool_every: 3,
            head_filters: 32,
            value_neurons: 64,
            extra_planes: 0,
        }
    }

    /// Planes of the input.
    #[must_use]
    pub const fn planes(&self) -> usize {
        PLANES + self.extra_planes
    }

    /// Whether all sizes are in range: what comes from a file may be anything.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let sizes = 1..=Self::MAX_FILTERS;
        (1..=Self::MAX_BLOCKS).contains(&self.blocks)
            && self.pool_every <= Self::MAX_BLOCKS
            && self.extra_planes <= Self::MAX_FILTERS
            && [self.filters, self.head_filters, self.value_neurons]
                .iter()
                .all(|n| sizes.contains(n))
    }

    /// Whether the block with this index pools over the board.
    #[must_use]
    pub const fn is_pooled(&self, block: usize) -> bool {
        self.pool_every > 0 && (block + 1).is_multiple_of(self.pool_every)
    }

    /// The names and sizes of all tensors, in the order of the computation.
    #[must_use]
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let (filters, head) = (self.filters, self.head_filters);
        let mut list = Tensors::default();
        list.conv("stem.conv", filters, self.planes());
        list.linear("stem.global", filters, GLOBALS);
        for block in 0..self.blocks {
            list.conv(&format!("block.{block}.conv1"), filters, filters);
            if self.is_pooled(block) {
                list.linear(&format!("block.{block}.pool"), filters, 2 * filters);
            }
            list.conv(&format!("block.{block}.conv2"), filters, filters);
        }
        list.linear("policy.conv", head, filters);
        list.linear("policy.pool", head, 2 * head);
        list.linear("policy.moves", 2, head);
        list.linear("policy.pass", 2, 2 * head);
        list.linear("value.conv", head, filters);
        list.linear("value.hidden", self.value_neurons, 2 * head);
        list.linear("value.scalars", SCALARS, self.value_neurons);
        list.linear("value.ownership", 1, head);
        list.0
    }

    /// Numbers in all tensors.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.tensors().iter().map(|(_, dims)| dims.iter().product::<usize>()).sum()
    }

    /// Floating point operations of one evaluation on a board of so many points, a multiplication
    /// and an addition counting two, convolutions counted as if computed directly.
    #[must_use]
    pub fn operations(&self, points: usize) -> f64 {
        let per_point = |name: &str| {
            name.contains("conv") || name == "policy.moves" || name == "value.ownership"
        };
        self.tensors()
            .iter()
            .filter(|(name, _)| name.ends_with(".weight"))
            .map(|(name, dims)| {
                let name = name.trim_end_matches(".weight");
                let times = if per_point(name) { points } else { 1 };
                2.0 * (dims.iter().product::<usize>() * times) as f64
            })
            .sum()
    }
}

#[derive(Default)]
struct Tensors(Vec<(String, Vec<usize>)>);

impl Tensors {
    fn conv(&mut self, name: &str, outputs: usize, inputs: usize) {
        self.0.push((format!("{name}.weight"), vec![outputs, inputs, 3, 3]));
        self.0.push((format!("{name}.bias"), vec![outputs]));
    }

    fn linear(&mut self, name: &str, outputs: usize, inputs: usize) {
        self.0.push((format!("{name}.weight"), vec![outputs, inputs]));
        self.0.push((format!("{name}.bias"), vec![outputs]));
    }
}

impl fmt::Display for NetShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.blocks, self.filters)
    }
}

impl FromStr for NetShape {
    type Err = NotAShape;

    fn from_str(text: &str) -> Result<Self, NotAShape> {
        let parts =
            text.split_once('x').and_then(|(b, f)| Some((b.parse().ok()?, f.parse().ok()?)));
        match parts {
            Some((blocks, filters)) if Self::new(blocks, filters).is_valid() => {
                Ok(Self::new(blocks, filters))
            }
            _ => Err(NotAShape(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_and_written() {
        assert_eq!("6x96".parse(), Ok(NetShape::new(6, 96)));
        assert_eq!(NetShape::new(6, 96).to_string(), "6x96");
        for text in ["", "6", "x", "0x64", "6x0", "6x1025", "101x6", "-1x3", "6x96x2"] {
            assert!(text.parse::<NetShape>().is_err(), "{text}");
        }
    }

    #[test]
    fn operations_are_those_of_the_trunk_and_a_little_more() {
        // Twelve 3x3 convolutions 64 → 64 on 81 points: 12 · 2 · 9 · 64 · 64 · 81.
        let trunk = 71_663_616.0;
        let all = NetShape::new(6, 64).operations(81);
        assert!(all > trunk && all < 1.1 * trunk, "{all}");
    }

    #[test]
    fn tensors_have_unique_names() {
        let tensors = NetShape::new(6, 64).tensors();
        let names: std::collections::HashSet<_> = tensors.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), tensors.len());
        assert!(names.contains(&"block.2.pool.weight".to_owned()));
        assert!(!names.contains(&"block.1.pool.weight".to_owned()));
    }
}
