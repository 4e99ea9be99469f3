//! A KataGo network as an evaluator.

use std::mem;
use std::sync::Arc;

use super::features::encode_by;
use super::model::Model;
use super::net::{CpuNet, RawOutput, Workspace};
use crate::eval::{EvalError, Evaluation, Evaluator, Look, Opinion, Ownership, Value};
use crate::game::{Color, Game, KoRule, Position, Scoring, Symmetry};
use crate::nn::evaluator::{Orientation, priors};
use crate::nn::features::restore;
use crate::nn::laps::{Laps, LayerKind};
use crate::nn::packed::{Boards, SizedNet, search_batch};

/// Evaluates positions of Go on boards of any size on the thread that asks.
pub struct KataGoEvaluator {
    model: Arc<Model>,
    orientation: Orientation,
    boards: Boards<CpuNet>,
}

/// What a network says of a position, all of it for the side to move.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// Value, policy, lead and ownership.
    pub evaluation: Evaluation,
    /// Probability to win.
    pub win: f32,
    /// Probability to lose.
    pub loss: f32,
    /// Probability that a repetition leaves the game without a result.
    pub no_result: f32,
    /// Expected score.
    pub score_mean: f32,
    /// Standard deviation of the score.
    pub score_deviation: f32,
    /// Points by which the side to move is ahead.
    pub lead: f32,
}

/// How a network looks at positions.
#[derive(Clone, Copy)]
struct View {
    orientation: Orientation,
    optimism: f32,
}

impl KataGoEvaluator {
    /// An evaluator with a model.
    #[must_use]
    pub fn new(model: Arc<Model>, orientation: Orientation) -> Self {
        Self { model, orientation, boards: Boards::new() }
    }

    /// Everything that the network says of positions of one game after the other; see
    /// [`Evaluator::evaluate`].
    pub fn outlooks(&self, batch: &[&Position]) -> Result<Vec<Outlook>, EvalError> {
        self.outlooks_timed(batch, &mut Laps::default())
    }

    /// The same with a stopwatch at the layers.
    pub fn outlooks_timed(
        &self,
        batch: &[&Position],
        laps: &mut Laps,
    ) -> Result<Vec<Outlook>, EvalError> {
        let view = View { orientation: self.orientation, optimism: 0.0 };
        self.outlooks_by(batch, view, laps)
    }

    fn outlooks_by(
        &self,
        batch: &[&Position],
        View { orientation, optimism }: View,
        laps: &mut Laps,
    ) -> Result<Vec<Outlook>, EvalError> {
        if batch.iter().any(|position| position.rules().game != Game::Go) {
            return Err(EvalError::Device(NOT_GO.to_owned()));
        }
        let mut answers = Vec::with_capacity(batch.len());
        let pack = |size| CpuNet::new(&self.model, size);
        self.boards.for_each_piece(batch, pack, |some, net, work| {
            mem::swap(&mut work.laps, laps);
            work.laps.start();
            for (index, position) in some.iter().enumerate() {
                let (planes, globals) = work.input(index);
                let symmetry = orientation.symmetry(position);
                encode_by(self.model.areas, position, symmetry, planes, globals);
            }
            work.laps.lap("features", LayerKind::Edge, 0);
            net.run(work, some.len());
            for (index, position) in some.iter().enumerate() {
                let symmetry = orientation.symmetry(position);
                let raw = work.output(index, optimism);
                answers.push(outlook(position, symmetry, &raw, &self.model));
            }
            work.laps.lap("answers", LayerKind::Edge, 0);
            mem::swap(&mut work.laps, laps);
        });
        Ok(answers)
    }
}

/// Why positions of NoGo are refused.
pub(super) const NOT_GO: &str = "KataGo's networks know Go and not NoGo: choose another network";

impl SizedNet for CpuNet {
    type Workspace = Workspace;

    fn workspace(&self) -> Workspace {
        self.workspace(self.chunk(usize::MAX))
    }

    fn together(&self, positions: usize) -> usize {
        self.chunk(positions)
    }
}

impl Evaluator for KataGoEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        Ok(self.outlooks(batch)?.into_iter().map(|outlook| outlook.evaluation).collect())
    }

    fn look(&self, position: &Position, look: Look) -> Result<Opinion, EvalError> {
        check_optimism(&self.model, look.optimism)?;
        let view =
            View { orientation: Orientation::Turned(look.symmetry), optimism: look.optimism };
        let mut said = self.outlooks_by(&[position], view, &mut Laps::default())?;
        Ok(said.swap_remove(0).into())
    }

    fn search_batch(&self, root: &Position) -> usize {
        search_batch(self.model.trunk.stem.outputs, root.size())
    }
}

impl From<Outlook> for Opinion {
    fn from(outlook: Outlook) -> Self {
        let score = Some((outlook.score_mean, outlook.score_deviation));
        Self { evaluation: outlook.evaluation, no_result: outlook.no_result, score }
    }
}

/// Not every network has a second policy.
pub(super) fn check_optimism(model: &Model, optimism: f32) -> Result<(), EvalError> {
    if optimism > 0.0 && !model.policy.has_optimism() {
        return Err(EvalError::NoOptimism);
    }
    Ok(())
}

/// What the network's output means for a position.
pub(super) fn outlook(
    position: &Position,
    symmetry: Symmetry,
    raw: &RawOutput,
    model: &Model,
) -> Outlook {
    let size = position.size();
    let upright = |values: &[f32]| -> Vec<f32> { restore(size, symmetry, values).collect() };
    let sign = if position.to_move() == Color::Black { 1.0 } else { -1.0 };
    let owners = upright(&raw.ownership).into_iter().map(|x| sign * x.tanh()).collect();
    let [win, loss, no_result, mean, deviation, lead] = raw.scalars;
    let [win, loss, no_result] = outcome(position, [win, loss, no_result]);
    // The score is that of games with a result; a game without one counts as even.
    let result = 1.0 - no_result;
    let mean = mean * model.scales.score_mean;
    let deviation = soft_plus(deviation) * model.scales.score_deviation;
    let score_mean = mean * result;
    let variance = (mean * mean + deviation * deviation) * result - score_mean * score_mean;
    let lead = lead * model.scales.lead * result;
    Outlook {
        evaluation: Evaluation {
            value: Value::new(win - loss),
            policy: priors(position, upright(&raw.moves), raw.pass),
            score: Some(lead),
            ownership: Some(Ownership::of_black(size, owners)),
            first_moves: None,
        },
        win,
        loss,
        no_result,
        score_mean,
        score_deviation: variance.max(0.0).sqrt(),
        lead,
    }
}

/// Softmax over win, loss and no result, which there is by some rules only.
fn outcome(position: &Position, logits: [f32; 3]) -> [f32; 3] {
    let rules = position.rules();
    let may_repeat = rules.ko == KoRule::Simple || rules.scoring == Scoring::Territory;
    let [win, loss, none] = logits;
    let none = if may_repeat { none } else { f32::NEG_INFINITY };
    let highest = win.max(loss).max(none);
    let weights = [win, loss, none].map(|logit| (logit - highest).exp());
    let sum: f32 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

fn soft_plus(x: f32) -> f32 {
    if x > 40.0 { x } else { x.exp().ln_1p() }
}
