use rand::RngExt as _;

use super::*;
use crate::eval::{HashedEvaluator, LastMoveEvaluator, Value};
use crate::game::{BoardSize, Komi, Move, Rules};

/// Says something else each time.
struct Random(Mutex<crate::util::Rng>);

impl Evaluator for Random {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let mut answers = HashedEvaluator.evaluate(batch)?;
        for answer in &mut answers {
            answer.value = Value::new(self.0.lock().unwrap().random_range(-1.0..1.0));
        }
        Ok(answers)
    }

    fn apart(&self, _position: &Position, seed: Seed) -> Option<Box<dyn Evaluator>> {
        Some(Box::new(Self(Mutex::new(seed.rng()))))
    }
}

#[test]
fn positions_are_searched_alike_whatever_is_searched_beside_them() {
    let size = BoardSize::square(5).unwrap();
    let mut position = Position::new(size, Rules::NOGO, Komi::default());
    let mut positions = vec![position.clone()];
    for point in [0, 6, 12, 3] {
        let mv = Move::Place(size.point_at_offset(point).unwrap());
        position.play(position.to_move(), mv).unwrap();
        positions.push(position.clone());
    }
    let random = Random(Mutex::new(Seed::new(1).rng()));
    let run = |beside, together, threads, positions: &[Position]| {
        let params = UncertaintyParams { simulations: 60, together, threads, ..Default::default() };
        let stop = AtomicBool::new(false);
        let advisers = Advisers { net: &LastMoveEvaluator, beside };
        research(advisers, positions, &params, &stop, &|| {}).unwrap().unwrap()
    };
    let back: Vec<_> = positions.iter().rev().cloned().collect();
    let mut all = Vec::new();
    for beside in [None, Some((&random as &dyn Evaluator, 0.5))] {
        let alone = run(beside, 1, 1, &positions);
        assert_eq!(alone, run(beside, 8, 2, &positions));
        let mut turned = run(beside, 2, 1, &back);
        turned.reverse();
        assert_eq!(alone, turned);
        assert!(alone.iter().flatten().all(|trace| trace.simulations() == 60));
        assert!(alone.iter().flatten().count() >= 4);
        all.push(alone);
    }
    assert_ne!(all[0], all[1]);
    let stop = AtomicBool::new(true);
    let params = UncertaintyParams::default();
    let advisers = Advisers { net: &LastMoveEvaluator, beside: None };
    assert_eq!(research(advisers, &positions, &params, &stop, &|| {}).unwrap(), None);
}
