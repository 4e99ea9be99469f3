//! A KataGo network as an evaluator.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::features::encode;
use super::model::Model;
use super::net::{CpuNet, RawOutput, Workspace};
use crate::eval::{EvalError, Evaluation, Evaluator, Ownership, Value};
use crate::game::{BoardSize, Color, Game, KoRule, Position, Scoring, Symmetry};
use crate::nn::evaluator::{Orientation, priors};
use crate::nn::features::restore;

/// Evaluates positions of Go on boards of any size on the thread that asks.
pub struct KataGoEvaluator {
    model: Arc<Model>,
    orientation: Orientation,
    boards: Mutex<HashMap<BoardSize, Arc<Packed>>>,
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

/// A network packed for one size, with the workspaces that no thread is using.
struct Packed {
    net: CpuNet,
    idle: Mutex<Vec<Workspace>>,
}

impl KataGoEvaluator {
    /// An evaluator with a model.
    #[must_use]
    pub fn new(model: Arc<Model>, orientation: Orientation) -> Self {
        Self { model, orientation, boards: Mutex::new(HashMap::new()) }
    }

    /// Everything that the network says of positions of one game after the other; see
    /// [`Evaluator::evaluate`].
    pub fn outlooks(&self, batch: &[&Position]) -> Result<Vec<Outlook>, EvalError> {
        if batch.iter().any(|position| position.rules().game != Game::Go) {
            return Err(EvalError::Device(NOT_GO.to_owned()));
        }
        let mut answers = Vec::with_capacity(batch.len());
        for same_size in batch.chunk_by(|a, b| a.size() == b.size()) {
            let packed = self.packed(same_size[0].size());
            for some in same_size.chunks(packed.net.chunk(same_size.len())) {
                self.evaluate_some(some, &packed, &mut answers);
            }
        }
        Ok(answers)
    }

    /// The network for a size, packed when it is asked for the first time.
    fn packed(&self, size: BoardSize) -> Arc<Packed> {
        // What a panic could leave behind here is a map without an entry.
        let mut boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        let packed = boards.entry(size).or_insert_with(|| {
            let net = CpuNet::new(&self.model, size);
            Arc::new(Packed { net, idle: Mutex::new(Vec::new()) })
        });
        Arc::clone(packed)
    }

    fn evaluate_some(&self, some: &[&Position], packed: &Packed, answers: &mut Vec<Outlook>) {
        let mut work = packed.take();
        for (index, position) in some.iter().enumerate() {
            let (planes, globals) = work.input(index);
            encode(position, self.orientation.symmetry(position), planes, globals);
        }
        packed.net.run(&mut work, some.len());
        for (index, position) in some.iter().enumerate() {
            let symmetry = self.orientation.symmetry(position);
            answers.push(outlook(position, symmetry, &work.output(index), &self.model));
        }
        packed.give_back(work);
    }
}

/// Why positions of NoGo are refused.
pub const NOT_GO: &str = "KataGo's networks know Go and not NoGo: choose another network";

impl Packed {
    fn take(&self) -> Workspace {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| self.net.workspace(self.net.chunk(usize::MAX)))
    }

    fn give_back(&self, work: Workspace) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(work);
    }
}

impl Evaluator for KataGoEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        Ok(self.outlooks(batch)?.into_iter().map(|outlook| outlook.evaluation).collect())
    }
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
