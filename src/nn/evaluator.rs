//! A network as an evaluator.

use std::mem;

use super::cpu::{CpuNet, CpuOutput, Workspace};
use super::features::{encode, restore};
use super::init::Tensors;
use super::laps::{Laps, LayerKind};
use super::packed::{Boards, SizedNet, search_batch};
use super::shape::NetShape;
use crate::eval::{
    EvalError, Evaluation, Evaluator, Look, Opinion, Ownership, Policy, Value, symmetry_of,
};
use crate::game::{Color, Game, Move, Position, Symmetry};

/// Points that a network's score of 1 stands for.
pub const SCORE_UNIT: f32 = 10.0;

/// How the board is turned before the network looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orientation {
    /// As it is.
    Upright,
    /// By this symmetry, which the board must have.
    Turned(Symmetry),
    /// By one of its symmetries, chosen by the hash of the position: the same whenever it comes.
    ByHash,
}

/// Evaluates positions on boards of any size on the thread that asks.
pub struct NetEvaluator {
    shape: NetShape,
    weights: Tensors,
    orientation: Orientation,
    boards: Boards<CpuNet>,
}

impl NetEvaluator {
    /// An evaluator with checked weights.
    #[must_use]
    pub fn new(shape: NetShape, weights: Tensors, orientation: Orientation) -> Self {
        Self { shape, weights, orientation, boards: Boards::new() }
    }

    /// The same network with the boards turned otherwise.
    #[must_use]
    pub fn with_orientation(self, orientation: Orientation) -> Self {
        Self { orientation, ..self }
    }

    /// Evaluates positions with a stopwatch at the layers; see [`Evaluator::evaluate`].
    pub fn evaluate_timed(&self, batch: &[&Position], laps: &mut Laps) -> Vec<Evaluation> {
        self.evaluate_by(batch, self.orientation, laps)
    }

    fn evaluate_by(
        &self,
        batch: &[&Position],
        orientation: Orientation,
        laps: &mut Laps,
    ) -> Vec<Evaluation> {
        let mut answers = Vec::with_capacity(batch.len());
        let pack = |size| CpuNet::new(&self.shape, &self.weights, size);
        self.boards.for_each_piece(batch, pack, |some, net, work| {
            mem::swap(&mut work.laps, laps);
            work.laps.start();
            for (index, position) in some.iter().enumerate() {
                let (planes, stride, globals) = work.input(index);
                encode(position, orientation.symmetry(position), planes, stride, globals);
            }
            work.laps.lap("features", LayerKind::Edge, 0);
            net.run(work, some.len());
            for (index, position) in some.iter().enumerate() {
                let symmetry = orientation.symmetry(position);
                answers.push(evaluation(position, symmetry, &work.output(index).into()));
            }
            work.laps.lap("answers", LayerKind::Edge, 0);
            mem::swap(&mut work.laps, laps);
        });
        answers
    }
}

impl Orientation {
    /// How this position is turned.
    pub(super) fn symmetry(self, position: &Position) -> Symmetry {
        match self {
            Orientation::Upright => Symmetry::IDENTITY,
            Orientation::Turned(symmetry) => symmetry,
            Orientation::ByHash => symmetry_of(position),
        }
    }
}

impl SizedNet for CpuNet {
    type Workspace = Workspace;

    fn workspace(&self) -> Workspace {
        self.workspace(self.chunk(usize::MAX))
    }

    fn together(&self, positions: usize) -> usize {
        self.chunk(positions)
    }
}

impl Evaluator for NetEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        Ok(self.evaluate_timed(batch, &mut Laps::default()))
    }

    fn look(&self, position: &Position, look: Look) -> Result<Opinion, EvalError> {
        if look.optimism > 0.0 {
            return Err(EvalError::NoOptimism);
        }
        let orientation = Orientation::Turned(look.symmetry);
        let mut said = self.evaluate_by(&[position], orientation, &mut Laps::default());
        Ok(said.swap_remove(0).into())
    }

    fn search_batch(&self, root: &Position) -> usize {
        search_batch(self.shape.filters, root.size())
    }
}

/// What a network says of a position, as far as a search needs it, before softmax and tanh and in
/// the network's orientation.
pub(super) struct Raw {
    pub(super) moves: Vec<f32>,
    pub(super) pass: f32,
    pub(super) value: f32,
    pub(super) score: f32,
    pub(super) ownership: Vec<f32>,
}

impl From<CpuOutput<'_>> for Raw {
    fn from(output: CpuOutput<'_>) -> Self {
        let [value, _, score, _] = output.scalars();
        let [pass, _] = output.pass();
        let (moves, ownership) = (output.policy().collect(), output.ownership().collect());
        Self { moves, pass, value, score, ownership }
    }
}

/// What the network's output means for a position.
pub(super) fn evaluation(position: &Position, symmetry: Symmetry, raw: &Raw) -> Evaluation {
    let size = position.size();
    let upright = |values: &[f32]| -> Vec<f32> { restore(size, symmetry, values).collect() };
    let sign = if position.to_move() == Color::Black { 1.0 } else { -1.0 };
    let owners = upright(&raw.ownership).into_iter().map(|x| sign * x.tanh()).collect();
    Evaluation {
        value: Value::new(raw.value.tanh()),
        policy: priors(position, upright(&raw.moves), raw.pass),
        score: Some(SCORE_UNIT * raw.score),
        ownership: Some(Ownership::of_black(size, owners)),
        first_moves: None,
    }
}

/// Softmax over the legal moves; the others get nothing.
pub(super) fn priors(position: &Position, mut points: Vec<f32>, pass: f32) -> Policy {
    let color = position.to_move();
    let pass_is_legal = position.rules().game == Game::Go;
    let mut pass = if pass_is_legal { pass } else { f32::NEG_INFINITY };
    for (logit, point) in points.iter_mut().zip(position.size().points()) {
        if !position.is_legal(color, point) {
            *logit = f32::NEG_INFINITY;
        }
    }
    let highest = points.iter().copied().fold(pass, f32::max);
    if highest == f32::NEG_INFINITY {
        return Policy::Uniform;
    }
    for logit in points.iter_mut().chain([&mut pass]) {
        *logit = (*logit - highest).exp();
    }
    let sum: f32 = points.iter().sum::<f32>() + pass;
    for weight in points.iter_mut().chain([&mut pass]) {
        *weight /= sum;
    }
    Policy::Weights { points, pass }
}

/// The move with the highest prior, and that prior.
#[must_use]
pub fn best_move(position: &Position, evaluation: &Evaluation) -> (Move, f32) {
    let color = position.to_move();
    let pass = (position.rules().game == Game::Go).then_some(Move::Pass);
    let stones = position.size().points().filter(|&p| position.is_legal(color, p));
    stones
        .map(Move::Place)
        .chain(pass)
        .map(|mv| (mv, evaluation.policy.weight(position, mv)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((Move::Pass, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Komi, Rules};
    use crate::nn::init::random_weights;
    use crate::util::Seed;

    fn evaluator(orientation: Orientation) -> NetEvaluator {
        let shape = NetShape::new(3, 16);
        NetEvaluator::new(shape, random_weights(&shape, Seed::new(1)), orientation)
    }

    /// Positions of a random game on a board.
    fn game(width: usize, height: usize, rules: Rules) -> Vec<Position> {
        let size = BoardSize::new(width, height).unwrap();
        let mut position = Position::new(size, rules, Komi::from_points(6.5).unwrap());
        let mut positions = vec![position.clone()];
        for i in 0..20 {
            let color = position.to_move();
            let legal: Vec<_> = position.legal_points(color).collect();
            let Some(&point) = legal.get(i * 7 % legal.len().max(1)) else { break };
            position.play(color, Move::Place(point)).unwrap();
            positions.push(position.clone());
        }
        positions
    }

    #[test]
    fn a_position_is_evaluated_alike_alone_and_among_others() {
        let evaluator = evaluator(Orientation::ByHash);
        let mut positions = game(9, 9, Rules::CHINESE);
        positions.extend(game(7, 5, Rules::NOGO));
        let batch: Vec<_> = positions.iter().collect();
        let together = evaluator.evaluate(&batch).unwrap();
        for (position, expected) in batch.into_iter().zip(&together) {
            let alone = evaluator.evaluate(&[position]).unwrap();
            assert_eq!(alone[0].value, expected.value);
            assert_eq!(alone[0].policy, expected.policy);
            assert_eq!(alone[0].ownership, expected.ownership);
        }
    }

    #[test]
    fn priors_add_up_to_one_over_the_legal_moves() {
        let evaluator = evaluator(Orientation::Upright);
        for position in game(9, 9, Rules::CGOS).iter().chain(&game(9, 9, Rules::NOGO)) {
            let answer = evaluator.evaluate(&[position]).unwrap().swap_remove(0);
            let Policy::Weights { points, pass } = &answer.policy else { panic!("no weights") };
            assert!((points.iter().sum::<f32>() + pass - 1.0).abs() < 1e-5);
            for (weight, point) in points.iter().zip(position.size().points()) {
                assert_eq!(*weight > 0.0, position.is_legal(position.to_move(), point));
            }
            assert_eq!(*pass > 0.0, position.rules().game == Game::Go);
        }
    }

    #[test]
    fn threads_agree() {
        let evaluator = evaluator(Orientation::ByHash);
        let positions = game(9, 9, Rules::CHINESE);
        let expected: Vec<_> =
            positions.iter().map(|p| evaluator.evaluate(&[p]).unwrap()[0].value).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for (position, value) in positions.iter().zip(&expected) {
                        assert_eq!(evaluator.evaluate(&[position]).unwrap()[0].value, *value);
                    }
                });
            }
        });
    }
}
