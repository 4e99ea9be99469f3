use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::game::{BoardSize, Komi, Rules};
use crate::timeman::{Root, SearchProgress, Summary};

/// Says the numbers of a list, one after the other, and remembers what it was shown.
struct Says(Mutex<Vec<f64>>, Arc<Mutex<Vec<(u32, u32)>>>);

impl Estimator for Says {
    fn estimate(&self, look: &Look<'_>) -> f64 {
        self.1.lock().unwrap().push((look.now[0].visits, look.half[0].visits));
        self.0.lock().unwrap().remove(0)
    }

    fn operations(&self, _points: usize) -> f64 {
        1.0
    }
}

/// One move that has all visits but that of the root.
struct OneMove(u32);

impl Root for OneMove {
    fn summary(&self) -> Option<Summary> {
        None
    }

    fn visits(&self) -> Vec<u32> {
        vec![self.0]
    }

    fn criticality(&self) -> Option<f64> {
        None
    }

    fn tallies(&self) -> Vec<Tally> {
        vec![Tally { visits: self.0, ..Tally::default() }]
    }
}

type Asked = Arc<Mutex<Vec<(u32, u32)>>>;

fn rule(at_once: &[f64], during: &[f64]) -> (DynamicStop, Asked) {
    let asked = Asked::default();
    let says = |list: &[f64]| Box::new(Says(Mutex::new(list.to_vec()), Arc::clone(&asked)));
    let checks = Checks {
        most: 100,
        points: vec![(0, 0.1), (10, 0.2), (40, 0.3)],
        at_once: says(at_once),
        during: says(during),
    };
    let size = BoardSize::square(5).unwrap();
    let position = Position::new(size, Rules::NOGO, Komi::default());
    (DynamicStop::new(Arc::new(checks), position), asked)
}

/// Runs up to so many simulations on top of earlier visits, and tells where it stopped.
fn run(rule: &mut DynamicStop, reused: u64, most: u64, step: usize) -> Option<u64> {
    (1..=most).step_by(step).find(|&simulations| {
        let root = OneMove(u32::try_from(reused + simulations - 1).unwrap());
        let progress = Progress {
            planned: Duration::MAX,
            search: SearchProgress {
                simulations,
                simulations_left: Some(most - simulations),
                reused,
                root: Some(&root),
                ..SearchProgress::default()
            },
        };
        rule.check(&progress) == Verdict::Stop(StopReason::Certain)
    })
}

#[test]
fn a_position_that_is_certain_at_once_is_not_searched() {
    let (mut rule, asked) = rule(&[0.05], &[]);
    assert_eq!(run(&mut rule, 0, 100, 1), Some(1));
    assert_eq!(*asked.lock().unwrap(), [(0, 0)]);
    let text = rule.certainty().unwrap().to_string();
    assert_eq!(text, "stopped at 1 of 100: u = 0.050 < 0.100");
}

#[test]
fn each_checkpoint_has_its_own_threshold() {
    // Not below: equal goes on.
    let (mut first, _) = rule(&[0.1], &[0.19]);
    assert_eq!(run(&mut first, 0, 100, 1), Some(10));
    let (mut second, asked) = rule(&[0.9], &[0.2, 0.29]);
    assert_eq!(run(&mut second, 0, 100, 1), Some(40));
    // The root has one visit more than its move; halves are at 5 and 20.
    assert_eq!(*asked.lock().unwrap(), [(0, 0), (9, 4), (39, 19)]);
    let (mut never, asked) = rule(&[0.9], &[0.9, 0.3]);
    assert_eq!(run(&mut never, 0, 100, 1), None);
    assert_eq!(asked.lock().unwrap().len(), 3);
    assert_eq!(never.certainty().unwrap().to_string(), "went on at 40 of 100: u = 0.300 ≥ 0.300");
}

#[test]
fn checkpoints_are_shares_of_another_length() {
    let (mut longer, asked) = rule(&[0.9], &[0.9, 0.0]);
    assert_eq!(run(&mut longer, 0, 1000, 1), Some(400));
    assert_eq!(*asked.lock().unwrap(), [(0, 0), (99, 49), (399, 199)]);
    // Batches of seven pass the checkpoint by a little.
    let (mut batches, _) = rule(&[0.9], &[0.0]);
    assert_eq!(run(&mut batches, 0, 1000, 7), Some(106));
}

/// With visits of an earlier search and a clock, nothing is known of the speed at first: that is no
/// reason to pass by the checkpoints that are still to come.
#[test]
fn checkpoints_wait_until_the_speed_is_known() {
    let (mut rule, asked) = rule(&[0.9], &[0.0]);
    let stopped = (0..=900).find(|&simulations| {
        let root = OneMove(u32::try_from(100 + simulations).unwrap());
        // The evaluation of the root comes before the first simulation.
        let progress = Progress {
            planned: Duration::from_millis(902),
            search: SearchProgress {
                simulations,
                elapsed: Duration::from_millis(2 + simulations),
                reused: 100,
                root: Some(&root),
                ..SearchProgress::default()
            },
        };
        rule.check(&progress) == Verdict::Stop(StopReason::Certain)
    });
    // Of 1,000 visits 100 were there: the first checkpoint is passed, and had no half-way.
    assert!(stopped.is_some_and(|at| (295..=305).contains(&at)), "{stopped:?}");
    let asked = asked.lock().unwrap().clone();
    assert_eq!((asked.len(), asked[0]), (2, (100, 100)));
    assert!(asked[1].1.abs_diff(200) < 8, "{asked:?}");
}

#[test]
fn a_clock_plans_a_search_too() {
    let (mut rule, _) = rule(&[0.9], &[0.0]);
    // A simulation takes a millisecond, and 500 are planned.
    let stopped = (1..=500).find(|&simulations| {
        let root = OneMove(u32::try_from(simulations - 1).unwrap());
        let progress = Progress {
            planned: Duration::from_millis(500),
            search: SearchProgress {
                simulations,
                elapsed: Duration::from_millis(simulations),
                root: Some(&root),
                ..SearchProgress::default()
            },
        };
        rule.check(&progress) == Verdict::Stop(StopReason::Certain)
    });
    assert_eq!(stopped, Some(50));
}

#[test]
fn a_tree_that_was_there_counts() {
    // 300 visits and 100 to come: the checkpoints are at 40 and 160, both passed before.
    // There is no half to compare with: the position alone is asked about.
    let (mut late, asked) = rule(&[0.9], &[]);
    assert_eq!(run(&mut late, 300, 100, 1), None);
    assert_eq!(*asked.lock().unwrap(), [(300, 300)]);
    let (mut certain, _) = rule(&[0.09], &[]);
    assert_eq!(run(&mut certain, 300, 100, 1), Some(1));
    // 15 and 100: the half of 11.5 has passed, that of 46 is still to come.
    let (mut some, asked) = rule(&[0.9], &[0.0]);
    assert_eq!(run(&mut some, 15, 100, 1), Some(31));
    assert_eq!(*asked.lock().unwrap(), [(15, 15), (45, 22)]);
    // A tree of a few visits is as good as none.
    let (mut few, asked) = rule(&[0.01], &[]);
    assert_eq!(run(&mut few, 3, 100, 1), Some(1));
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[test]
fn without_an_end_or_a_root_nothing_is_certain() {
    let (mut rule, asked) = rule(&[0.9], &[0.0, 0.0]);
    for simulations in 1..1000 {
        let root = OneMove(simulations);
        let endless = Progress {
            planned: Duration::MAX,
            search: SearchProgress {
                simulations: simulations.into(),
                root: Some(&root),
                ..SearchProgress::default()
            },
        };
        assert_eq!(rule.check(&endless), Verdict::GoOn);
    }
    assert_eq!(asked.lock().unwrap().len(), 1);
    let nothing = Progress {
        search: SearchProgress {
            simulations: 50,
            simulations_left: Some(50),
            ..SearchProgress::default()
        },
        ..Progress::default()
    };
    assert_eq!(rule.check(&nothing), Verdict::GoOn);
}
