//! Threads that are late.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

/// Lets the thread that called the search evaluate, and the first of the others that asks wait for leave.
struct Stuck {
    caller: thread::ThreadId,
    leave: Mutex<Option<Receiver<()>>>,
}

impl Stuck {
    /// The evaluator, and what gives leave when it is sent to or dropped.
    fn new() -> (Self, Sender<()>) {
        let (sender, receiver) = channel();
        let caller = thread::current().id();
        (Self { caller, leave: Mutex::new(Some(receiver)) }, sender)
    }
}

impl Evaluator for Stuck {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        if thread::current().id() != self.caller {
            let leave = self.leave.lock().unwrap().take();
            let _ = leave.map(|leave| leave.recv());
        }
        let mut answers = HashedEvaluator.evaluate(batch)?;
        for (answer, position) in answers.iter_mut().zip(batch) {
            // One move has nearly all of it: all threads want to go there.
            let mut points = vec![0.1; position.size().area()];
            points[12] = 10.0;
            answer.policy = Policy::Weights { points, pass: 0.1 };
        }
        Ok(answers)
    }
}

const DEADLINE: Duration = Duration::from_millis(60);

/// Searches to a deadline, or for so many simulations. Two milliseconds go by from look to look.
fn run_until(
    search: &mut Search,
    position: &Position,
    deadline: Duration,
    simulations: Option<u64>,
) -> Result<SearchReport, EvalError> {
    let looks = Cell::new(0);
    let elapsed = || {
        looks.set(looks.get() + 1);
        looks.get() * Duration::from_millis(2)
    };
    let (mut rule, line) = (SimulationLimit(u64::MAX), start(position));
    let request = Request {
        deadline: Some(deadline),
        simulations,
        line: Some(&line),
        ..Request::new(&mut rule, &elapsed)
    };
    search.run(position, request)
}

fn sum_of_visits(report: &SearchReport) -> u64 {
    report.moves.iter().map(|mv| u64::from(mv.visits)).sum()
}

#[test]
fn the_answer_does_not_wait_for_a_thread_that_is_evaluating() {
    for threads in [1, 2] {
        let position = empty(7, Rules::CHINESE);
        let (stuck, leave) = Stuck::new();
        let mut search = search(stuck, params(threads));
        let report = run_until(&mut search, &position, DEADLINE, None).unwrap();
        assert!(report.elapsed >= DEADLINE);
        assert_eq!(report.reason, Some(StopReason::Deadline));
        assert!(report.best().is_some());
        let root = kept(&search).node(kept(&search).root());
        assert!(root.counts().in_flight >= 1, "one is on its way");
        // The next search goes on in the tree when it has come back.
        drop(leave);
        let again = run_line(&mut search, &position, &start(&position), 500);
        assert!(again.visits > report.visits + 500, "{} and {}", again.visits, report.visits);
        assert_eq!(sum_of_visits(&again), again.visits - 1);
        check_tree(kept(&search));
    }
}

#[test]
fn one_late_thread_does_not_stop_the_others() {
    let position = empty(7, Rules::CHINESE);
    let (stuck, leave) = Stuck::new();
    let mut search = search(stuck, params(2));
    // All that is allowed but the one that does not come back.
    let report = run_until(&mut search, &position, 10 * DEADLINE, Some(200)).unwrap();
    assert_eq!((report.simulations, report.reason), (199, Some(StopReason::Deadline)));
    drop(leave);
}

#[test]
fn a_tree_that_a_thread_does_not_let_go_of_is_not_searched_on() {
    let position = empty(7, Rules::CHINESE);
    let (stuck, leave) = Stuck::new();
    let mut search = search(stuck, SearchParams { max_memory: 4, ..params(2) });
    let first = run_until(&mut search, &position, DEADLINE, None).unwrap();
    // Meanwhile other searches have a tree of their own, within the same memory.
    for _ in 0..2 {
        let next = run_until(&mut search, &position, 10_000 * DEADLINE, Some(50)).unwrap();
        assert_eq!((search.unsettled.len(), next.simulations), (1, 50));
        assert!(first.memory + next.memory <= 4 << 20);
    }
    drop(leave);
    while Arc::strong_count(&search.unsettled[0]) > 1 {
        thread::sleep(Duration::from_millis(1));
    }
    let last = run_line(&mut search, &position, &start(&position), 30_000);
    assert!(search.unsettled.is_empty());
    assert!(last.memory <= 4 << 20 && last.full);
    check_tree(kept(&search));
}

#[test]
fn simulations_are_the_same_with_a_deadline() {
    let position = empty(7, Rules::CHINESE);
    let visits = |report: &SearchReport| {
        report.moves.iter().map(|mv| (mv.mv, mv.visits)).collect::<Vec<_>>()
    };
    let expected = visits(&run(&mut search(HashedPriors, params(1)), &position, 300));
    let mut other = search(HashedPriors, params(1));
    let (mut rule, elapsed) = (SimulationLimit(u64::MAX), || Duration::ZERO);
    let request = Request {
        deadline: Some(Duration::from_secs(1000)),
        simulations: Some(300),
        ..Request::new(&mut rule, &elapsed)
    };
    let report = other.run(&position, request).unwrap();
    assert_eq!(report.reason, Some(StopReason::Simulations));
    assert_eq!(visits(&report), expected);
}

/// Fails in threads other than the one that called the search, by an error or by a panic.
struct Failing {
    caller: thread::ThreadId,
    panics: bool,
}

impl Evaluator for Failing {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        if thread::current().id() == self.caller {
            return HashedPriors.evaluate(batch);
        }
        assert!(!self.panics, "smoke");
        Err(EvalError::Device("gone".to_owned()))
    }
}

#[test]
fn what_goes_wrong_in_a_thread_is_told() {
    let position = empty(7, Rules::CHINESE);
    for (panics, expected) in [(false, "gone"), (true, "panicked: smoke")] {
        let failing = Failing { caller: thread::current().id(), panics };
        let mut search = search(failing, params(2));
        for deadline in [None, Some(Duration::from_secs(1000))] {
            let (mut rule, elapsed) = (SimulationLimit(u64::MAX), || Duration::ZERO);
            let request = Request { deadline, ..Request::new(&mut rule, &elapsed) };
            let error = search.run(&position, request).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}

#[test]
fn nobody_waits_for_a_thread_when_the_search_is_dropped() {
    let position = empty(7, Rules::CHINESE);
    let (stuck, leave) = Stuck::new();
    let evaluator: Arc<dyn Evaluator> = Arc::new(stuck);
    let mut search = Search::new(Arc::clone(&evaluator), params(2), Seed::new(3));
    run_until(&mut search, &position, DEADLINE, None).unwrap();
    drop(search);
    assert!(Arc::strong_count(&evaluator) > 1, "it still needs it");
    drop(leave);
    for _ in 0..10_000 {
        if Arc::strong_count(&evaluator) == 1 {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("the threads do not end");
}
