//! Where the time of a network goes, layer by layer.

use std::time::{Duration, Instant};

/// What a layer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayerKind {
    /// A convolution of 3x3 points, or of more.
    Wide,
    /// A 1x1 convolution, or another matrix product for each point.
    Point,
    /// Attention: each point looks at all others.
    Attention,
    /// A fully connected layer for each position.
    Dense,
    /// Every number for itself: scale, bias and activation.
    Norm,
    /// Means and maxima over the board, and what is made of them.
    Pool,
    /// Positions to planes, and outputs to evaluations.
    Edge,
}

impl LayerKind {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Wide, Self::Point, Self::Attention, Self::Dense, Self::Norm, Self::Pool, Self::Edge];

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Wide => "3x3",
            Self::Point => "1x1",
            Self::Attention => "attention",
            Self::Dense => "dense",
            Self::Norm => "norm",
            Self::Pool => "pool",
            Self::Edge => "edge",
        }
    }
}

/// The time of one layer over all evaluations.
#[derive(Clone, Debug)]
pub struct LayerTime {
    /// Blocks by their numbers: `block.3.1.conv2`.
    pub name: String,
    /// What it does.
    pub kind: LayerKind,
    /// Spent in it and in what little comes before it.
    pub time: Duration,
    /// Floating point operations, convolutions counted as if computed directly.
    pub operations: f64,
}

/// A stopwatch that is asked after each layer; off unless made by [`Laps::on`].
#[derive(Debug, Default)]
pub struct Laps(Option<Recorder>);

/// Tells the time.
type Clock = fn() -> Instant;

#[derive(Debug)]
struct Recorder {
    clock: Clock,
    layers: Vec<LayerTime>,
    /// The layer that comes next, in the order of the computation.
    next: usize,
    /// The numbers of the block and of those around it.
    path: Vec<usize>,
    last: Instant,
}

impl Laps {
    /// A stopwatch that runs by a clock.
    #[must_use]
    pub fn on(clock: Clock) -> Self {
        let (layers, path) = (Vec::new(), Vec::new());
        Self(Some(Recorder { clock, layers, next: 0, path, last: clock() }))
    }

    /// The layers in the order of the computation.
    #[must_use]
    pub fn layers(&self) -> &[LayerTime] {
        self.0.as_ref().map_or(&[], |recorder| &recorder.layers)
    }

    /// Adds the times of another thread with the same network.
    pub fn merge(&mut self, other: &Self) {
        let Some(recorder) = &mut self.0 else { return };
        if recorder.layers.is_empty() {
            recorder.layers = other.layers().to_vec();
            return;
        }
        for (layer, other) in recorder.layers.iter_mut().zip(other.layers()) {
            layer.time += other.time;
            layer.operations += other.operations;
        }
    }

    /// Before the first layer.
    pub(super) fn start(&mut self) {
        if let Some(recorder) = &mut self.0 {
            recorder.next = 0;
            recorder.last = (recorder.clock)();
        }
    }

    /// Before the layers of a block inside the last.
    pub(super) fn enter(&mut self, block: usize) {
        if let Some(recorder) = &mut self.0 {
            recorder.path.push(block);
        }
    }

    /// Behind the last layer of a block.
    pub(super) fn leave(&mut self) {
        if let Some(recorder) = &mut self.0 {
            recorder.path.pop();
        }
    }

    /// Behind a layer, which has done so many operations.
    pub(super) fn lap(&mut self, part: &str, kind: LayerKind, operations: usize) {
        let Some(recorder) = &mut self.0 else { return };
        let time = (recorder.clock)();
        if recorder.next == recorder.layers.len() {
            let mut name = String::new();
            if !recorder.path.is_empty() {
                let numbers: Vec<_> = recorder.path.iter().map(ToString::to_string).collect();
                name = format!("block.{}.", numbers.join("."));
            }
            let layer =
                LayerTime { name: name + part, kind, time: Duration::ZERO, operations: 0.0 };
            recorder.layers.push(layer);
        }
        let layer = &mut recorder.layers[recorder.next];
        layer.time += time - recorder.last;
        layer.operations += operations as f64;
        recorder.next += 1;
        recorder.last = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a stopwatch is tested")]
    fn now() -> Instant {
        Instant::now()
    }

    #[test]
    fn layers_are_named_once_and_summed() {
        let mut laps = Laps::on(now);
        for _ in 0..3 {
            laps.start();
            laps.lap("stem", LayerKind::Wide, 10);
            laps.enter(4);
            laps.enter(1);
            laps.lap("conv1", LayerKind::Point, 2);
            laps.leave();
            laps.leave();
        }
        let names: Vec<_> = laps.layers().iter().map(|layer| layer.name.as_str()).collect();
        assert_eq!(names, ["stem", "block.4.1.conv1"]);
        assert!((laps.layers()[0].operations - 30.0).abs() < 1e-9);
        let mut both = Laps::on(now);
        both.merge(&laps);
        both.merge(&laps);
        assert!((both.layers()[1].operations - 12.0).abs() < 1e-9);
        let mut off = Laps::default();
        off.lap("stem", LayerKind::Wide, 10);
        assert!(off.layers().is_empty());
    }
}
