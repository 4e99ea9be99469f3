//! How a 3x3 convolution is computed on a board of a given size.

use super::Cpu;

/// An algorithm for the 3x3 convolution.
///
/// The Winograd methods compute tiles of m x m outputs from (m + 2) x (m + 2) inputs with one
/// multiplication for each of those inputs (Lavin and Gray, "Fast Algorithms for Convolutional
/// Neural Networks", 2016) instead of 9 for each output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// F(2x2, 3x3): 16 multiplications for 4 points.
    Winograd2,
    /// F(3x3, 3x3): 25 multiplications for 9 points, exactly 9 tiles on 9x9.
    Winograd3,
    /// F(4x4, 3x3): 36 multiplications for 16 points.
    Winograd4,
    /// 9 multiplications for each point.
    Direct,
}

/// Tiles of one chunk at the most, so that the transformed chunk stays in the cache.
const TILES_OF_CHUNK: usize = 36;

impl Method {
    /// All methods; among equals, [`Plan::new`] takes the first.
    pub const ALL: [Self; 4] = [Self::Winograd2, Self::Winograd3, Self::Winograd4, Self::Direct];

    /// The methods that [`WeightGradient`](super::WeightGradient) can use.
    pub const WINOGRAD: [Self; 3] = [Self::Winograd2, Self::Winograd3, Self::Winograd4];

    /// Rows and columns of outputs in one tile.
    #[must_use]
    pub fn tile(self) -> usize {
        match self {
            Self::Winograd2 => 2,
            Self::Winograd3 => 3,
            Self::Winograd4 => 4,
            Self::Direct => 1,
        }
    }

    /// Multiplications for one tile, one input channel and one output channel.
    fn multiplications(self) -> usize {
        (self.tile() + 2).pow(2)
    }
}

/// Size of the board, and the method and instructions to use on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    width: usize,
    height: usize,
    method: Method,
    cpu: Cpu,
}

impl Plan {
    /// The method with the fewest multiplications on this board.
    #[must_use]
    pub fn new(width: usize, height: usize) -> Self {
        Self::best(width, height, &Method::ALL)
    }

    /// The Winograd method with the fewest multiplications on this board.
    #[must_use]
    pub fn winograd(width: usize, height: usize) -> Self {
        Self::best(width, height, &Method::WINOGRAD)
    }

    /// A given method.
    #[must_use]
    pub fn with_method(width: usize, height: usize, method: Method) -> Self {
        Self { width, height, method, cpu: Cpu::detect() }
    }

    /// The same plan on other instructions.
    #[must_use]
    pub fn on(self, cpu: Cpu) -> Self {
        Self { cpu, ..self }
    }

    /// Columns of the board.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of the board.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Points of the board.
    #[must_use]
    pub fn points(&self) -> usize {
        self.width * self.height
    }

    /// The method to use.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The instructions to use.
    #[must_use]
    pub fn cpu(&self) -> Cpu {
        self.cpu
    }

    /// Rows and columns of tiles that cover the board.
    pub(super) fn tiling(&self) -> (usize, usize) {
        let tile = self.method.tile();
        (self.height.div_ceil(tile), self.width.div_ceil(tile))
    }

    /// Tiles that cover the board.
    pub(super) fn tiles(&self) -> usize {
        let (rows, columns) = self.tiling();
        rows * columns
    }

    /// Positions of a batch that a layer computes together, at least one. A network that takes so
    /// many positions through all of its layers, before the next so many, keeps their activations
    /// in the cache as well.
    #[must_use]
    pub fn chunk(&self, batch: usize) -> usize {
        let most = (TILES_OF_CHUNK / self.tiles().max(1)).max(1);
        // Equal chunks: eight positions as 4 + 4 rather than 6 + 2.
        batch.div_ceil(batch.div_ceil(most).max(1)).max(1)
    }

    fn best(width: usize, height: usize, methods: &[Method]) -> Self {
        methods
            .iter()
            .map(|&method| Self::with_method(width, height, method))
            .min_by_key(|plan| plan.tiles() * plan.method.multiplications())
            .expect("invariant: both lists of methods hold three or more")
    }
}
