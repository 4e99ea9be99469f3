//! Batches for devices that want many positions at a time.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use super::{EvalError, Evaluation, Evaluator, Look, Opinion};
use crate::game::Position;
use crate::util::panic_text;

/// How many leaves a thread of a search sends at a time, if nobody says otherwise: such a device takes hardly longer
/// for some positions than for one. Not measured, for want of a device.
const SEARCH_BATCH: usize = 8;

/// Collects the positions of all threads that wait for an answer into common batches.
///
/// A thread of its own runs the inner evaluator on whatever has come in while the batch before was
/// running. It never waits for a batch to fill: as soon as the device is idle it goes on, with a
/// single position if there is no more.
///
/// What one caller asks at once stays in one batch, unless it is more than a batch can hold.
///
/// An error goes to all callers of its batch. When the inner evaluator panics, its thread ends,
/// and all who wait, and all who ask later, receive an error. Nobody can wait for ever: a request
/// holds the way back to its caller, and whoever drops the one closes the other.
pub struct BatchingEvaluator {
    /// Taken on drop, which tells the thread to end.
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
    max_batch: NonZeroUsize,
    /// For questions that come alone and seldom.
    inner: Arc<dyn Evaluator>,
}

type Answer = Result<Vec<Evaluation>, EvalError>;

/// What a caller wants to know.
struct Request {
    positions: Vec<Position>,
    answer: Sender<Answer>,
}

impl BatchingEvaluator {
    /// Starts the thread of an evaluator that takes up to `max_batch` positions at a time.
    pub fn new(
        inner: impl Evaluator + 'static,
        max_batch: NonZeroUsize,
    ) -> Result<Self, EvalError> {
        let (sender, receiver) = mpsc::channel();
        let inner: Arc<dyn Evaluator> = Arc::new(inner);
        let asked = Arc::clone(&inner);
        let thread = thread::Builder::new()
            .name("batches".to_owned())
            .spawn(move || run(&*asked, max_batch.get(), &receiver))
            .map_err(|error| EvalError::Device(format!("no thread for batches: {error}")))?;
        Ok(Self { requests: Some(sender), thread: Some(thread), max_batch, inner })
    }

    /// Hands in positions; the answer comes through the channel.
    fn submit(&self, positions: &[&Position]) -> Receiver<Answer> {
        let (answer, receiver) = mpsc::channel();
        let positions = positions.iter().map(|&position| position.clone()).collect();
        if let Some(requests) = &self.requests {
            // If the thread has ended, the request comes back and is dropped here, and with it the
            // way to answer it.
            let _ = requests.send(Request { positions, answer });
        }
        receiver
    }
}

impl Evaluator for BatchingEvaluator {
    fn evaluate(&self, batch: &[&Position]) -> Answer {
        let pending: Vec<_> =
            batch.chunks(self.max_batch.get()).map(|chunk| self.submit(chunk)).collect();
        let mut answers = Vec::with_capacity(batch.len());
        for answer in pending {
            answers.extend(wait(&answer)?);
        }
        Ok(answers)
    }

    fn look(&self, position: &Position, look: Look) -> Result<Opinion, EvalError> {
        self.inner.look(position, look)
    }

    fn search_batch(&self, _root: &Position) -> usize {
        SEARCH_BATCH.min(self.max_batch.get())
    }
}

impl Drop for BatchingEvaluator {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // Panics of the inner evaluator are caught in the thread and reported to the callers.
            let _ = thread.join();
        }
    }
}

fn wait(answer: &Receiver<Answer>) -> Answer {
    answer.recv().unwrap_or_else(|_| {
        Err(EvalError::Device("the evaluator has panicked earlier and is gone".to_owned()))
    })
}

/// The work of the thread, until nobody can ask any more or the evaluator has panicked.
fn run(inner: &dyn Evaluator, max_batch: usize, requests: &Receiver<Request>) {
    // A request that found no room in the batch before.
    let mut waiting = None;
    while let Some(first) = waiting.take().or_else(|| requests.recv().ok()) {
        let mut room = max_batch - first.positions.len();
        let mut batch = vec![first];
        while let Ok(request) = requests.try_recv() {
            let Some(rest) = room.checked_sub(request.positions.len()) else {
                waiting = Some(request);
                break;
            };
            room = rest;
            batch.push(request);
        }
        let positions: Vec<_> = batch.iter().flat_map(|request| &request.positions).collect();
        // After a panic the evaluator is not used again, whatever state it was left in.
        match catch_unwind(AssertUnwindSafe(|| inner.evaluate(&positions))) {
            Ok(Ok(answers)) if answers.len() != positions.len() => {
                let counts = format!("{} answers for {}", answers.len(), positions.len());
                refuse(&batch, &EvalError::Device(counts + " positions"));
            }
            Ok(Ok(answers)) => hand_out(&batch, answers),
            Ok(Err(error)) => refuse(&batch, &error),
            Err(panic) => {
                let message = panic_text(panic.as_ref());
                refuse(&batch, &EvalError::Device(format!("the evaluator panicked: {message}")));
                return;
            }
        }
    }
}

/// Gives each caller its part of the answers. A caller that has gone does no harm.
fn hand_out(batch: &[Request], answers: Vec<Evaluation>) {
    let mut answers = answers.into_iter();
    for request in batch {
        let part = answers.by_ref().take(request.positions.len()).collect();
        let _ = request.answer.send(Ok(part));
    }
}

fn refuse(batch: &[Request], error: &EvalError) {
    for request in batch {
        let _ = request.answer.send(Err(error.clone()));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::eval::{HashedEvaluator, Policy};
    use crate::game::{BoardSize, Color, Komi, Move, Rules};

    /// Says when a batch has started and how large it is, and waits for leave to answer.
    struct Slow {
        started: Mutex<Sender<usize>>,
        leave: Mutex<Receiver<Verdict>>,
    }

    #[derive(Clone, Copy)]
    enum Verdict {
        Answer,
        Fail,
        Panic,
    }

    impl Evaluator for Slow {
        fn evaluate(&self, batch: &[&Position]) -> Answer {
            self.started.lock().unwrap().send(batch.len()).unwrap();
            match self.leave.lock().unwrap().recv().unwrap() {
                Verdict::Answer => HashedEvaluator.evaluate(batch),
                Verdict::Fail => Err(EvalError::Device("unplugged".to_owned())),
                Verdict::Panic => panic!("smoke"),
            }
        }
    }

    /// A slow evaluator of batches of four, and the two ends that hold its strings.
    fn slow() -> (BatchingEvaluator, Receiver<usize>, Sender<Verdict>) {
        let (started, starts) = mpsc::channel();
        let (verdicts, leave) = mpsc::channel();
        let slow = Slow { started: Mutex::new(started), leave: Mutex::new(leave) };
        let evaluator = BatchingEvaluator::new(slow, NonZeroUsize::new(4).unwrap()).unwrap();
        (evaluator, starts, verdicts)
    }

    /// As many positions as asked for, all with values of their own.
    fn positions(count: usize) -> Vec<Position> {
        let size = BoardSize::square(9).unwrap();
        let play = |point| {
            let mut position = Position::new(size, Rules::NOGO, Komi::default());
            position.play(Color::Black, Move::Place(point)).unwrap();
            position
        };
        size.points().take(count).map(play).collect()
    }

    fn check_answer(answer: &Answer, asked: &[&Position]) {
        let expected = HashedEvaluator.evaluate(asked).unwrap();
        let found = answer.as_ref().unwrap();
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(&expected).all(|(a, b)| a.value == b.value));
        assert!(found.iter().all(|answer| answer.policy == Policy::Uniform));
    }

    #[test]
    fn what_comes_while_a_batch_runs_is_the_next_batch() {
        let (evaluator, starts, verdicts) = slow();
        let all = positions(9);
        let all: Vec<_> = all.iter().collect();
        // The first is alone and starts at once. Of the others 1 + 2 fit into a batch, the three
        // that would make it six do not, and come with the last one.
        let asked = [&all[..1], &all[1..2], &all[2..4], &all[4..7], &all[7..8]];
        let first = evaluator.submit(asked[0]);
        assert_eq!(starts.recv(), Ok(1));
        let others: Vec<_> = asked[1..].iter().map(|part| evaluator.submit(part)).collect();
        for _ in 0..3 {
            verdicts.send(Verdict::Answer).unwrap();
        }
        check_answer(&wait(&first), asked[0]);
        for (answer, part) in others.iter().zip(&asked[1..]) {
            check_answer(&wait(answer), part);
        }
        assert_eq!(starts.try_iter().collect::<Vec<_>>(), [3, 4]);
    }

    #[test]
    fn one_caller_never_waits_for_others_and_may_ask_for_much() {
        let (evaluator, starts, verdicts) = slow();
        let all = positions(10);
        let all: Vec<_> = all.iter().collect();
        for _ in 0..3 {
            verdicts.send(Verdict::Answer).unwrap();
        }
        check_answer(&evaluator.evaluate(&all), &all);
        assert_eq!(starts.try_iter().sum::<usize>(), 10);
        check_answer(&evaluator.evaluate(&[]), &[]);
        for _ in 0..100 {
            verdicts.send(Verdict::Answer).unwrap();
            check_answer(&evaluator.evaluate(&all[..1]), &all[..1]);
        }
        assert_eq!(starts.try_iter().collect::<Vec<_>>(), [1; 100]);
    }

    #[test]
    fn an_error_goes_to_all_callers_of_its_batch_and_to_no_others() {
        let (evaluator, starts, verdicts) = slow();
        let all = positions(4);
        let all: Vec<_> = all.iter().collect();
        let first = evaluator.submit(&all[..1]);
        assert_eq!(starts.recv(), Ok(1));
        let failing = [evaluator.submit(&all[1..2]), evaluator.submit(&all[2..3])];
        for verdict in [Verdict::Answer, Verdict::Fail, Verdict::Answer] {
            verdicts.send(verdict).unwrap();
        }
        check_answer(&wait(&first), &all[..1]);
        for answer in failing {
            let error = wait(&answer).unwrap_err();
            assert_eq!(error.to_string(), "the evaluation failed: unplugged");
        }
        check_answer(&evaluator.evaluate(&all[3..]), &all[3..]);
    }

    #[test]
    fn after_a_panic_everybody_receives_an_error() {
        let (evaluator, starts, verdicts) = slow();
        let all = positions(8);
        let all: Vec<_> = all.iter().collect();
        let first = evaluator.submit(&all[..1]);
        assert_eq!(starts.recv(), Ok(1));
        let queued = evaluator.submit(&all[1..5]);
        verdicts.send(Verdict::Panic).unwrap();
        let error = wait(&first).unwrap_err();
        assert_eq!(error.to_string(), "the evaluation failed: the evaluator panicked: smoke");
        for error in [wait(&queued), evaluator.evaluate(&all)] {
            assert!(error.unwrap_err().to_string().contains("panicked earlier"));
        }
    }

    #[test]
    fn who_waits_is_answered_before_the_thread_ends() {
        let (evaluator, starts, verdicts) = slow();
        let all = positions(2);
        let pending = [evaluator.submit(&[&all[0]]), evaluator.submit(&[&all[1]])];
        assert!(starts.recv().is_ok());
        let dropping = thread::spawn(move || drop(evaluator));
        for _ in 0..2 {
            // Both may have been in one batch, and the evaluator gone by now.
            let _ = verdicts.send(Verdict::Answer);
        }
        for (answer, position) in pending.iter().zip(&all) {
            check_answer(&wait(answer), &[position]);
        }
        dropping.join().unwrap();
        // The inner evaluator is gone with its thread.
        assert!(starts.iter().count() <= 1);
    }

    #[test]
    fn many_threads_receive_what_they_asked_for() {
        struct Counting(Arc<AtomicUsize>);
        impl Evaluator for Counting {
            fn evaluate(&self, batch: &[&Position]) -> Answer {
                assert!((1..=16).contains(&batch.len()));
                self.0.fetch_add(batch.len(), Ordering::Relaxed);
                HashedEvaluator.evaluate(batch)
            }
        }
        let count = Arc::new(AtomicUsize::new(0));
        let inner = Counting(Arc::clone(&count));
        let evaluator = BatchingEvaluator::new(inner, NonZeroUsize::new(16).unwrap()).unwrap();
        let all = positions(80);
        thread::scope(|scope| {
            for caller in 0..8 {
                let (evaluator, all) = (&evaluator, &all);
                scope.spawn(move || {
                    for round in 0..200 {
                        let start = (caller * 7 + round) % 60;
                        let asked: Vec<_> = all[start..start + round % 20].iter().collect();
                        check_answer(&evaluator.evaluate(&asked), &asked);
                    }
                });
            }
        });
        let asked: usize = (0..200).map(|round| round % 20).sum();
        assert_eq!(count.load(Ordering::Relaxed), 8 * asked);
    }
}
