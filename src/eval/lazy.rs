//! Evaluators that are made when they are needed.

use std::sync::{Arc, PoisonError, RwLock};

use super::{EvalError, Evaluation, Evaluator, Policy};
use crate::game::Position;

/// How an evaluator is made.
type Make = Box<dyn Fn() -> Result<Arc<dyn Evaluator>, EvalError> + Send + Sync>;

/// An evaluator that is made for the first position that it is asked about, and then kept.
///
/// When it cannot be made, whoever asks receives the error, and the next one tries again.
pub struct LazyEvaluator {
    make: Make,
    made: RwLock<Option<Arc<dyn Evaluator>>>,
}

impl LazyEvaluator {
    /// An evaluator that will be made by `make`, which is called by one thread at a time.
    #[must_use]
    pub fn new(
        make: impl Fn() -> Result<Arc<dyn Evaluator>, EvalError> + Send + Sync + 'static,
    ) -> Self {
        Self { make: Box::new(make), made: RwLock::new(None) }
    }

    fn get(&self) -> Result<Arc<dyn Evaluator>, EvalError> {
        // The locks guard a value that is written whole, so a panic elsewhere leaves it in order.
        if let Some(made) = &*self.made.read().unwrap_or_else(PoisonError::into_inner) {
            return Ok(Arc::clone(made));
        }
        let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*made {
            return Ok(Arc::clone(made));
        }
        Ok(Arc::clone(made.insert((self.make)()?)))
    }
}

impl Evaluator for LazyEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        self.get()?.evaluate(batch)
    }

    fn evaluate_plainly(&self, position: &Position) -> Result<Evaluation, EvalError> {
        self.get()?.evaluate_plainly(position)
    }

    fn policy(&self, position: &Position) -> Policy {
        self.get().map_or(Policy::Sensible, |evaluator| evaluator.policy(position))
    }

    fn begin_search(&self) {
        // What is not made yet has nothing to begin anew.
        if let Some(made) = &*self.made.read().unwrap_or_else(PoisonError::into_inner) {
            made.begin_search();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;
    use crate::eval::UniformEvaluator;
    use crate::game::{BoardSize, Komi, Rules};

    fn position() -> Position {
        Position::new(BoardSize::square(5).unwrap(), Rules::CGOS, Komi::default())
    }

    #[test]
    fn it_is_made_once_whoever_asks() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&calls);
        let lazy = LazyEvaluator::new(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::new(UniformEvaluator))
        });
        assert_eq!(calls.load(Ordering::Relaxed), 0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| lazy.evaluate(&[&position()]).unwrap());
            }
        });
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn an_error_is_told_to_each_who_asks() {
        let lazy = LazyEvaluator::new(|| Err(EvalError::Make("no file".to_owned())));
        for _ in 0..2 {
            let error = lazy.evaluate(&[&position()]).unwrap_err().to_string();
            assert_eq!(error, "the evaluator cannot be made: no file");
        }
    }
}
