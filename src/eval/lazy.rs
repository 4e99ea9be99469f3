//! Evaluators that are made when they are needed.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{EvalError, Evaluation, Evaluator, Look, Opinion, Policy};
use crate::game::Position;
use crate::util::Seed;

/// How an evaluator is made.
type Make = Box<dyn Fn() -> Result<Arc<dyn Evaluator>, EvalError> + Send + Sync>;

/// An evaluator that is made for the first position that it is asked about, and then kept.
///
/// When it cannot be made, whoever asks receives the error, and the next one tries again.
pub struct LazyEvaluator {
    make: Make,
    made: RwLock<Made>,
}

#[derive(Default)]
struct Made {
    evaluator: Option<Arc<dyn Evaluator>>,
    /// Where the game began that is played, if somebody has said so.
    game: Option<Seed>,
}

impl LazyEvaluator {
    /// An evaluator that will be made by `make`, which is called by one thread at a time.
    #[must_use]
    pub fn new(
        make: impl Fn() -> Result<Arc<dyn Evaluator>, EvalError> + Send + Sync + 'static,
    ) -> Self {
        Self { make: Box::new(make), made: RwLock::default() }
    }

    // The locks guard values that are written whole, so a panic elsewhere leaves them in order.
    fn read(&self) -> RwLockReadGuard<'_, Made> {
        self.made.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Made> {
        self.made.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self) -> Result<Arc<dyn Evaluator>, EvalError> {
        if let Some(made) = &self.read().evaluator {
            return Ok(Arc::clone(made));
        }
        let mut made = self.write();
        if let Some(made) = &made.evaluator {
            return Ok(Arc::clone(made));
        }
        let evaluator = (self.make)()?;
        if let Some(seed) = made.game {
            evaluator.begin_game(seed);
        }
        Ok(Arc::clone(made.evaluator.insert(evaluator)))
    }
}

impl Evaluator for LazyEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        self.get()?.evaluate(batch)
    }

    fn look(&self, position: &Position, look: Look) -> Result<Opinion, EvalError> {
        self.get()?.look(position, look)
    }

    fn policy(&self, position: &Position) -> Policy {
        self.get().map_or(Policy::Sensible, |evaluator| evaluator.policy(position))
    }

    fn search_batch(&self, root: &Position) -> usize {
        self.get().map_or(1, |made| made.search_batch(root))
    }

    fn begin_search(&self, root: &Position) {
        // Whoever asks about a position will hear why it cannot be made.
        if let Ok(made) = self.get() {
            made.begin_search(root);
        }
    }

    fn begin_game(&self, seed: Seed) {
        let mut made = self.write();
        made.game = Some(seed);
        if let Some(made) = &made.evaluator {
            made.begin_game(seed);
        }
    }

    fn forget(&self) {
        if let Some(made) = &self.read().evaluator {
            made.forget();
        }
    }

    fn apart(&self, position: &Position, seed: Seed) -> Option<Box<dyn Evaluator>> {
        self.get().ok()?.apart(position, seed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
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

    /// Hears of games.
    struct Heard(Arc<Mutex<Vec<u64>>>);

    impl Evaluator for Heard {
        fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
            UniformEvaluator.evaluate(batch)
        }

        fn begin_game(&self, seed: Seed) {
            self.0.lock().unwrap().push(seed.number());
        }
    }

    #[test]
    fn what_is_made_in_a_game_hears_of_it() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&heard);
        let lazy = LazyEvaluator::new(move || Ok(Arc::new(Heard(Arc::clone(&list)))));
        lazy.begin_game(Seed::new(1));
        lazy.begin_game(Seed::new(2));
        assert!(heard.lock().unwrap().is_empty());
        lazy.evaluate(&[&position()]).unwrap();
        lazy.begin_game(Seed::new(3));
        let numbers = [2, 3].map(|seed| Seed::new(seed).number());
        assert_eq!(*heard.lock().unwrap(), numbers);
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
