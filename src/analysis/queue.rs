//! What waits and what is being searched.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::query::Query;
use super::service::Listener;

/// A query as it was submitted.
pub(super) struct Submitted {
    pub(super) query: Query,
    pub(super) listener: Arc<dyn Listener>,
    /// Who asked.
    pub(super) client: u64,
}

/// One position of a query.
pub(super) struct Task {
    pub(super) submitted: Arc<Submitted>,
    pub(super) turn: usize,
    /// Its share of the memory that waiting queries take.
    cost: usize,
    stop: AtomicBool,
}

impl Task {
    /// Asks its search to come to an end.
    fn stop(&self) {
        // Ordering: the flag is all that is exchanged.
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Which positions an order is about, by the query's name and the turn.
pub(super) type Which<'a> = &'a dyn Fn(&str, usize) -> bool;

/// Every task is in one place: it waits, or it is being searched. Whoever takes it out answers it.
#[derive(Default)]
pub(super) struct Queue {
    /// By falling priority, and those of the same as they came.
    waiting: BTreeMap<(Reverse<i64>, u64), Task>,
    running: Vec<Arc<Task>>,
    next: u64,
    cost: usize,
    /// Whether nothing more will come.
    pub(super) closing: bool,
}

impl Queue {
    /// Adds all positions of a query.
    pub(super) fn push(&mut self, submitted: &Arc<Submitted>) {
        let turns = &submitted.query.turns;
        let cost = submitted.query.cost() / turns.len().max(1);
        for &(turn, priority) in turns {
            let submitted = Arc::clone(submitted);
            let task = Task { submitted, turn, cost, stop: AtomicBool::new(false) };
            self.waiting.insert((Reverse(priority), self.next), task);
            self.next += 1;
            self.cost += cost;
        }
    }

    /// Takes out the position that is to be searched next.
    pub(super) fn pop(&mut self) -> Option<Arc<Task>> {
        let (_, task) = self.waiting.pop_first()?;
        self.cost -= task.cost;
        let task = Arc::new(task);
        self.running.push(Arc::clone(&task));
        Some(task)
    }

    /// A position has been answered.
    pub(super) fn done(&mut self, task: &Arc<Task>) {
        self.running.retain(|running| !Arc::ptr_eq(running, task));
    }

    /// Ends the searches of some positions of a client, and takes out those that wait.
    pub(super) fn terminate(&mut self, client: u64, which: Which<'_>) -> Vec<Task> {
        let concerned = |task: &Task| {
            task.submitted.client == client && which(&task.submitted.query.id, task.turn)
        };
        self.running.iter().filter(|task| concerned(task)).for_each(|task| task.stop());
        let waiting = self.waiting.iter().filter(|(_, task)| concerned(task));
        let keys: Vec<_> = waiting.map(|(&key, _)| key).collect();
        let out: Vec<_> = keys.iter().filter_map(|key| self.waiting.remove(key)).collect();
        self.cost -= out.iter().map(|task| task.cost).sum::<usize>();
        out
    }

    /// Ends everything. What waits is gone.
    pub(super) fn abandon(&mut self) {
        self.closing = true;
        self.waiting.clear();
        self.cost = 0;
        self.running.iter().for_each(|task| task.stop());
    }

    /// Bytes that what waits takes, about.
    pub(super) fn cost(&self) -> usize {
        self.cost
    }

    /// Positions that wait, and positions that are being searched.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.running.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::query::tests::query;
    use crate::analysis::worker::Outcome;
    use crate::game::Rules;

    fn submitted(client: u64, id: &str, turns: &[(usize, i64)]) -> Arc<Submitted> {
        let query = Query {
            id: id.to_owned(),
            turns: turns.to_vec(),
            ..query(Rules::CGOS, "b A1 w B1 b C1 w D1")
        };
        let listener = Arc::new(|_: &Query, _: usize, _: Outcome<'_>| {});
        Arc::new(Submitted { query, listener, client })
    }

    fn names(tasks: &[&Task]) -> String {
        let name = |task: &&Task| format!("{}{}", task.submitted.query.id, task.turn);
        tasks.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn higher_priorities_come_first_and_equal_ones_in_order() {
        let mut queue = Queue::default();
        queue.push(&submitted(1, "a", &[(0, 0), (1, 5), (2, -3)]));
        queue.push(&submitted(1, "b", &[(0, 5), (3, 0)]));
        assert!(queue.cost() > 0);
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        let order: Vec<_> = order.iter().map(AsRef::as_ref).collect();
        assert_eq!(names(&order), "a1 b0 a0 b3 a2");
        assert_eq!((queue.cost(), queue.counts()), (0, (0, 5)));
    }

    #[test]
    fn terminations_concern_a_client_by_name_and_turn() {
        let mut queue = Queue::default();
        queue.push(&submitted(1, "a", &[(0, 9), (1, 0), (2, 0)]));
        queue.push(&submitted(2, "a", &[(1, 0)]));
        let running = queue.pop().unwrap();
        let out = queue.terminate(1, &|id, turn| id == "a" && turn != 2);
        assert_eq!(names(&out.iter().collect::<Vec<_>>()), "a1");
        assert!(running.is_stopped());
        queue.done(&running);
        assert_eq!(queue.counts(), (2, 0));
        queue.abandon();
        assert_eq!((queue.cost(), queue.counts(), queue.closing), (0, (0, 0), true));
    }
}
