//! Evaluators that are made while other things go on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::{io, thread};

use super::{EvalError, Evaluation, Evaluator, Look, Opinion, Policy};
use crate::game::Position;
use crate::util::{Seed, panic_text};

/// An evaluator that a thread of its own makes, from now on. Whoever asks about a position waits for
/// it; when it cannot be made, all who ask receive the error.
pub struct BackgroundEvaluator {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Default)]
struct State {
    made: Option<Made>,
    /// Where the game began that is played, if somebody has said so.
    game: Option<Seed>,
}

type Made = Result<Arc<dyn Evaluator>, EvalError>;

impl Shared {
    // The lock guards values that are written whole, so a panic elsewhere leaves them in order.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, made: Made) {
        let mut state = self.lock();
        if let (Ok(evaluator), Some(seed)) = (&made, state.game) {
            evaluator.begin_game(seed);
        }
        state.made = Some(made);
        self.done.notify_all();
    }
}

impl BackgroundEvaluator {
    /// Begins to make an evaluator.
    pub fn new(make: impl FnOnce() -> Made + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let result = Arc::clone(&shared);
        thread::Builder::new().name("loading".to_owned()).spawn(move || {
            let made = catch_unwind(AssertUnwindSafe(make));
            result.finish(made.unwrap_or_else(|panic| {
                Err(EvalError::Make(format!("a panic: {}", panic_text(&*panic))))
            }));
        })?;
        Ok(Self { shared })
    }

    /// Waits for the evaluator.
    pub fn wait(&self) -> Result<Arc<dyn Evaluator>, EvalError> {
        let mut state = self.shared.lock();
        loop {
            if let Some(made) = &state.made {
                return made.clone();
            }
            state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Why it could not be made, if that is known already.
    #[must_use]
    pub fn failure(&self) -> Option<EvalError> {
        self.shared.lock().made.as_ref()?.as_ref().err().cloned()
    }
}

impl Evaluator for BackgroundEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        self.wait()?.evaluate(batch)
    }

    fn look(&self, position: &Position, look: Look) -> Result<Opinion, EvalError> {
        self.wait()?.look(position, look)
    }

    fn policy(&self, position: &Position) -> Policy {
        self.wait().map_or(Policy::Sensible, |evaluator| evaluator.policy(position))
    }

    fn search_batch(&self, root: &Position) -> usize {
        self.wait().map_or(1, |made| made.search_batch(root))
    }

    fn begin_search(&self, root: &Position) {
        // Whoever asks about a position will hear why it cannot be made.
        if let Ok(made) = self.wait() {
            made.begin_search(root);
        }
    }

    fn begin_game(&self, seed: Seed) {
        let mut state = self.shared.lock();
        state.game = Some(seed);
        if let Some(Ok(made)) = &state.made {
            made.begin_game(seed);
        }
    }

    fn forget(&self) {
        if let Some(Ok(made)) = &self.shared.lock().made {
            made.forget();
        }
    }

    fn apart(&self, position: &Position, seed: Seed) -> Option<Box<dyn Evaluator>> {
        self.wait().ok()?.apart(position, seed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::eval::UniformEvaluator;
    use crate::game::{BoardSize, Komi, Rules};

    fn position() -> Position {
        Position::new(BoardSize::square(5).unwrap(), Rules::CGOS, Komi::default())
    }

    /// Passes on the seeds of games.
    struct Heard(Mutex<mpsc::Sender<u64>>);

    impl Evaluator for Heard {
        fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
            UniformEvaluator.evaluate(batch)
        }

        fn begin_game(&self, seed: Seed) {
            self.0.lock().unwrap().send(seed.number()).unwrap();
        }
    }

    #[test]
    fn games_begin_at_once_and_questions_wait() {
        let (go, wait) = mpsc::channel();
        let (sender, heard) = mpsc::channel();
        let evaluator = BackgroundEvaluator::new(move || {
            wait.recv().unwrap();
            Ok(Arc::new(Heard(Mutex::new(sender))))
        })
        .unwrap();
        evaluator.begin_game(Seed::new(1));
        evaluator.begin_game(Seed::new(2));
        assert!(heard.try_recv().is_err(), "it is not there yet");
        thread::scope(|scope| {
            let asking = scope.spawn(|| evaluator.evaluate(&[&position()]).unwrap().len());
            go.send(()).unwrap();
            assert_eq!(asking.join().unwrap(), 1);
        });
        evaluator.begin_game(Seed::new(3));
        assert_eq!([2, 3].map(|n| Seed::new(n).number()), [(); 2].map(|()| heard.recv().unwrap()));
        assert!(evaluator.failure().is_none());
    }

    #[test]
    fn everybody_hears_why_it_cannot_be_made() {
        let error = EvalError::Make("no weights".to_owned());
        let failing = BackgroundEvaluator::new(move || Err(error)).unwrap();
        let panicking = BackgroundEvaluator::new(|| panic!("smoke")).unwrap();
        for (evaluator, reason) in [(failing, "no weights"), (panicking, "smoke")] {
            for _ in 0..2 {
                let error = evaluator.evaluate(&[&position()]).unwrap_err().to_string();
                assert!(error.contains(reason), "{error}");
            }
            assert!(evaluator.failure().unwrap().to_string().contains(reason));
        }
    }
}
