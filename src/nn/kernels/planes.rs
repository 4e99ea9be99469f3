//! A first convolution, on planes that are nearly all zeros.

use super::cpu::{Arithmetic, Kernel, LANES, Lanes};
use super::{Cpu, Plan, padded};

/// A convolution of a small square on planes of which few values are not zero: each of these is
/// added to the outputs that see it. The first plane is 1 on the whole board and costs nothing.
#[derive(Debug)]
pub struct PlaneConv {
    planes: usize,
    /// Rows and columns.
    side: usize,
    /// `[plane][row][column][padded output]`
    weights: Vec<f32>,
    /// `[point][padded output]`: what the first plane comes to.
    board: Vec<f32>,
    plan: Plan,
    outputs: usize,
}

impl PlaneConv {
    /// Packs weights `[outputs][planes][side][side]` for boards of the plan's size.
    ///
    /// # Panics
    /// If the side is even, or the weights have another length.
    #[must_use]
    pub fn new(weights: &[f32], planes: usize, side: usize, plan: &Plan) -> Self {
        let taps = side * side;
        assert!(side % 2 == 1 && planes > 0, "an odd side, and planes");
        assert!(weights.len().is_multiple_of(planes * taps), "weights for whole outputs");
        let outputs = padded(weights.len() / (planes * taps));
        let mut packed = vec![0.0; planes * taps * outputs];
        for (index, &weight) in weights.iter().enumerate() {
            let (output, rest) = (index / (planes * taps), index % (planes * taps));
            packed[rest * outputs + output] = weight;
        }
        let board = vec![0.0; plan.points() * outputs];
        let mut conv = Self { planes, side, weights: packed, board, plan: *plan, outputs };
        let mut board = vec![0.0; plan.points() * outputs];
        let mut input = vec![0.0; plan.points() * planes];
        input.iter_mut().step_by(planes).for_each(|first| *first = 1.0);
        conv.add_planes(&input, 0, &mut board);
        conv.board = board;
        conv
    }

    /// Floating point operations for each point, counted as if computed directly.
    #[must_use]
    pub fn operations(&self) -> usize {
        2 * self.weights.len()
    }

    /// The output `[points][padded outputs]` for one position with the planes
    /// `[points][planes]` and a bias for each output.
    ///
    /// # Panics
    /// If a length is wrong.
    pub fn run(&self, planes: &[f32], bias: &[f32], y: &mut [f32]) {
        assert_eq!(planes.len(), self.plan.points() * self.planes, "length of the planes");
        assert_eq!(bias.len(), self.outputs, "one bias for each output");
        assert_eq!(y.len(), self.board.len(), "length of the output");
        let boards = self.board.chunks_exact(self.outputs);
        for (y, board) in y.chunks_exact_mut(self.outputs).zip(boards) {
            for ((y, board), bias) in y.iter_mut().zip(board).zip(bias) {
                *y = board + bias;
            }
        }
        self.add_planes(planes, 1, y);
    }

    fn add_planes(&self, planes: &[f32], first: usize, y: &mut [f32]) {
        Cpu::detect().run(AddPlanes { conv: self, planes, first, y: y.as_chunks_mut().0 });
    }
}

struct AddPlanes<'a> {
    conv: &'a PlaneConv,
    planes: &'a [f32],
    /// The first plane that is looked at.
    first: usize,
    y: &'a mut [Lanes],
}

impl Kernel for AddPlanes<'_> {
    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let PlaneConv { planes, side, weights, plan, outputs, .. } = self.conv;
        let (weights, _) = weights.as_chunks::<LANES>();
        let (reach, lanes) = (side / 2, outputs / LANES);
        let (width, height) = (plan.width(), plan.height());
        for (point, values) in self.planes.chunks_exact(*planes).enumerate() {
            let (row, column) = (point / width, point % width);
            // The output at distance d sees this point with the weight at distance -d.
            let columns = column.saturating_sub(reach)..(column + reach + 1).min(width);
            let rows = row.saturating_sub(reach)..(row + reach + 1).min(height);
            for (plane, &value) in values.iter().enumerate().skip(self.first) {
                if value == 0.0 {
                    continue;
                }
                for target in rows.clone() {
                    let tap = (row + reach - target) * side + column + reach - columns.start;
                    let mut weight = (plane * side * side + tap) * lanes;
                    let mut at = (target * width + columns.start) * lanes;
                    for _ in columns.clone() {
                        let y = &mut self.y[at..][..lanes];
                        for (y, &w) in y.iter_mut().zip(&weights[weight..][..lanes]) {
                            *y = A::scale_add(value, w, *y);
                        }
                        at += lanes;
                        weight = weight.wrapping_sub(lanes);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::cast_possible_wrap, reason = "small numbers")]
    fn it_is_a_convolution() {
        let (planes, outputs, width, height) = (3, 5, 4, 3);
        let plan = Plan::new(width, height);
        for side in [1, 3, 5] {
            let reach = (side / 2) as isize;
            let number = |i: usize| ((i * 37 + 11) % 23) as f32 - 11.0;
            let weights: Vec<f32> = (0..outputs * planes * side * side).map(number).collect();
            let input: Vec<f32> = (0..width * height * planes)
                .map(|i| match i % planes {
                    0 => 1.0,
                    _ => [0.0, 1.0, 0.0, 0.5][(i * 7) % 4],
                })
                .collect();
            let bias: Vec<f32> =
                (0..16).map(|i| if i < outputs { number(i) } else { 0.0 }).collect();
            let mut y = vec![f32::NAN; width * height * 16];
            PlaneConv::new(&weights, planes, side, &plan).run(&input, &bias, &mut y);
            for (index, &found) in y.iter().enumerate() {
                let (point, output) = (index / 16, index % 16);
                let (row, column) = ((point / width) as isize, (point % width) as isize);
                let mut expected = bias[output];
                for tap in 0..side * side * usize::from(output < outputs) {
                    let r = row + (tap / side) as isize - reach;
                    let c = column + (tap % side) as isize - reach;
                    if (0..height as isize).contains(&r) && (0..width as isize).contains(&c) {
                        let at = r.unsigned_abs() * width + c.unsigned_abs();
                        for plane in 0..planes {
                            let weight = (output * planes + plane) * side * side + tap;
                            expected += weights[weight] * input[at * planes + plane];
                        }
                    }
                }
                assert!((found - expected).abs() < 1e-4, "{side}: {found} {expected}");
            }
        }
    }
}
