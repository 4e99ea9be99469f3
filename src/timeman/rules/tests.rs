use proptest::prelude::*;

use super::*;
use crate::timeman::{Budget, SearchProgress, Stop as _, StopChain};

/// A root with fixed visits; the first move is the most visited.
struct Fixed {
    visits: Vec<u32>,
    win_rate: f64,
    highest: bool,
    kappa: Option<f64>,
}

impl Fixed {
    fn new(visits: &[u32]) -> Self {
        Self { visits: visits.to_vec(), win_rate: 0.55, highest: true, kappa: None }
    }
}

impl Root for Fixed {
    fn summary(&self) -> Option<Summary> {
        let mut sorted = self.visits.clone();
        sorted.sort_unstable_by_key(|&n| std::cmp::Reverse(n));
        Some(Summary {
            best: sorted[0],
            second: sorted.get(1).copied().unwrap_or(0),
            win_rate: self.win_rate,
            best_is_highest: self.highest,
        })
    }

    fn visits(&self) -> Vec<u32> {
        self.visits.clone()
    }

    fn criticality(&self) -> Option<f64> {
        self.kappa
    }
}

fn secs(s: f64) -> Duration {
    Duration::from_secs_f64(s)
}

fn at(root: &Fixed, simulations: u64, elapsed: f64, planned: f64) -> Progress<'_> {
    Progress {
        planned: secs(planned),
        search: SearchProgress {
            simulations,
            elapsed: secs(elapsed),
            root: Some(root),
            ..SearchProgress::default()
        },
    }
}

fn with<'a>(
    mut progress: Progress<'a>,
    change: impl FnOnce(&mut SearchProgress<'a>),
) -> Progress<'a> {
    change(&mut progress.search);
    progress
}

const STOPPED: Verdict = Verdict::Stop(StopReason::CannotChange);

/// A judgement before the search and the root's evaluation used to count as slow simulations.
#[test]
fn what_was_before_the_first_simulation_says_nothing_of_the_speed() {
    let root = Fixed::new(&[380, 219]);
    // 600 simulations from 2 s to 5 s of 7 s: 400 are to come, not 240.
    let late = with(at(&root, 600, 5.0, 7.0), |search| search.before = secs(2.0));
    assert!((expected_simulations(&late) - 400.0).abs() < 1e-9);
    // None so far, though earlier searches have left visits: they are no reason to stop.
    let first =
        with(at(&root, 0, 2.01, 7.0), |search| (search.before, search.reused) = (secs(2.0), 599));
    assert_eq!(EarlyStop { p: 0.4 }.check(&first), Verdict::GoOn);
    let budget = Budget { planned: secs(3.0), minimum: secs(0.0), hard: secs(3.0) };
    let mut chain = StopChain::new(budget, vec![Box::new(EarlyStop { p: 0.4 })]);
    assert_eq!(chain.should_stop(&first.search), None);
}

#[test]
fn equation_9_by_hand() {
    // 600 simulations in 3 of 5 seconds: 400 are to come; 0.4 of them are 160.
    let root = Fixed::new(&[380, 219]);
    assert!((expected_simulations(&at(&root, 600, 3.0, 5.0)) - 400.0).abs() < 1e-9);
    let check = |p, visits: &[u32]| EarlyStop { p }.check(&at(&Fixed::new(visits), 600, 3.0, 5.0));
    assert_eq!(check(0.4, &[380, 219]), STOPPED);
    assert_eq!(check(0.4, &[380, 220]), Verdict::GoOn, "160 could just catch up");
    assert_eq!(check(1.0, &[380, 219]), Verdict::GoOn);
    assert_eq!(check(1.0, &[500, 99]), STOPPED);
}

#[test]
fn the_simulation_form_is_the_same_function() {
    // 300 of 500 simulations done, however much time there would be.
    let root = Fixed::new(&[250, 49]);
    let progress =
        |left| with(at(&root, 300, 0.0, 1e6), |search| search.simulations_left = Some(left));
    assert_eq!(EarlyStop { p: 1.0 }.check(&progress(200)), STOPPED);
    assert_eq!(EarlyStop { p: 1.0 }.check(&progress(201)), Verdict::GoOn);
}

/// Gives simulations to moves as the stream says, with the rule asked after each, and returns where
/// it stopped and which move was best then and would have been at the end.
fn run_stream(stream: &[usize], p: f64, reused: &[u32]) -> (usize, usize, usize) {
    let planned = stream.len();
    let best =
        |visits: &[u32]| (0..visits.len()).max_by_key(|&k| (visits[k], usize::MAX - k)).unwrap();
    let mut visits = reused.to_vec();
    let mut stopped = None;
    for (done, &mv) in stream.iter().enumerate() {
        let root = Fixed::new(&visits);
        let progress = Progress {
            planned: secs(1e9),
            search: SearchProgress {
                simulations: done as u64,
                simulations_left: Some((planned - done) as u64),
                reused: reused.iter().copied().map(u64::from).sum(),
                root: Some(&root),
                ..SearchProgress::default()
            },
        };
        let verdict = EarlyStop { p }.check(&progress);
        if stopped.is_none() && verdict == STOPPED {
            stopped = Some((done, best(&visits)));
        }
        visits[mv] += 1;
    }
    let (when, then) = stopped.unwrap_or((planned, best(&visits)));
    (when, then, best(&visits))
}

proptest! {
    #[test]
    fn safe_stopping_changes_no_move_and_waits_for_half(
        favourite in 0..6usize,
        bias in 0.0..1.0f64,
        draws in proptest::collection::vec((0.0..1.0f64, 0..6usize), 2..300),
    ) {
        let stream: Vec<_> =
            draws.iter().map(|&(x, mv)| if x < bias { favourite } else { mv }).collect();
        let (when, then, end) = run_stream(&stream, 1.0, &[0; 6]);
        prop_assert_eq!(then, end);
        prop_assert!(2 * when > stream.len() || when == stream.len());
    }

    #[test]
    fn reused_visits_count_as_planned(
        reused in proptest::collection::vec(0..50u32, 6),
        stream in proptest::collection::vec(0..6usize, 2..100),
    ) {
        let (when, then, end) = run_stream(&stream, 1.0, &reused);
        prop_assert_eq!(then, end);
        let before: usize = reused.iter().map(|&n| n as usize).sum();
        prop_assert!(2 * (before + when) >= before + stream.len());
    }
}

#[test]
fn prolonging_rules_wait_for_the_end_and_count_their_loops() {
    let extend = |s, reason| Verdict::Extend(secs(s), reason);
    // BEHIND: f 0.5, v 0.6; BEHIND-L: f 0.25, v 0.6, l 2.
    let root = Fixed::new(&[90, 10]);
    let mut behind = Prolong::new(Doubt::Behind(0.6), 0.5, 1);
    assert_eq!(behind.check(&at(&root, 100, 1.9, 2.0)), Verdict::GoOn);
    assert_eq!(behind.check(&at(&root, 100, 2.0, 2.0)), extend(1.0, StopReason::Behind));
    assert_eq!(behind.check(&at(&root, 150, 3.0, 3.0)), Verdict::GoOn, "only once");
    let mut looped = Prolong::new(Doubt::Behind(0.6), 0.25, 2);
    assert_eq!(looped.check(&at(&root, 100, 2.0, 2.0)), extend(0.5, StopReason::Behind));
    assert_eq!(looped.check(&at(&root, 125, 2.5, 2.5)), extend(0.625, StopReason::Behind));
    assert_eq!(looped.check(&at(&root, 156, 3.125, 3.125)), Verdict::GoOn);
    let ahead = Fixed { win_rate: 0.6, ..Fixed::new(&[90, 10]) };
    let mut behind = Prolong::new(Doubt::Behind(0.6), 0.5, 1);
    assert_eq!(behind.check(&at(&ahead, 100, 2.0, 2.0)), Verdict::GoOn);
    // UNST: f 1.5.
    let mut unstable = Prolong::new(Doubt::Unstable, 1.5, 1);
    assert_eq!(unstable.check(&at(&root, 100, 2.0, 2.0)), Verdict::GoOn);
    let other = Fixed { highest: false, ..Fixed::new(&[60, 40]) };
    assert_eq!(unstable.check(&at(&other, 100, 2.0, 2.0)), extend(3.0, StopReason::Unstable));
    // CLOSE: f 1.5, d 0.4: 60 and 40 differ by a third of 60.
    let mut close = Prolong::new(Doubt::Close(0.4), 1.5, 1);
    assert_eq!(close.check(&at(&other, 100, 2.0, 2.0)), extend(3.0, StopReason::Close));
    let mut close = Prolong::new(Doubt::Close(0.3), 1.5, 1);
    assert_eq!(close.check(&at(&other, 100, 2.0, 2.0)), Verdict::GoOn);
}

#[test]
fn kappa_cm_shortens_and_prolongs() {
    let line = KappaLine { slope: 8.33, intercept: -1.33, low: 0.6, high: 10.0 };
    // Equation 8 by hand: 0.28 · 8.33 - 1.33 = 1.0024.
    assert!((line.factor(0.28) - 1.0024).abs() < 1e-9);
    assert!((line.factor(0.0) - 0.6).abs() < 1e-12 && (line.factor(2.0) - 10.0).abs() < 1e-12);
    let rule = || KappaCurrent::new(line, Duration::from_millis(100));
    let critical = Fixed { kappa: Some(0.5), ..Fixed::new(&[5, 4]) };
    let mut longer = rule();
    assert_eq!(longer.check(&at(&critical, 9, 0.09, 1.0)), Verdict::GoOn);
    let Verdict::Extend(more, StopReason::Criticality) = longer.check(&at(&critical, 9, 0.1, 1.0))
    else {
        panic!("2.835 times the plan is longer");
    };
    assert!((more.as_secs_f64() - 1.835).abs() < 1e-9);
    let calm = Fixed { kappa: Some(0.1), ..Fixed::new(&[5, 4]) };
    let mut shorter = rule();
    assert_eq!(shorter.check(&at(&calm, 9, 0.1, 1.0)), Verdict::GoOn);
    assert_eq!(shorter.check(&at(&calm, 9, 0.59, 1.0)), Verdict::GoOn);
    assert_eq!(shorter.check(&at(&calm, 9, 0.6, 1.0)), Verdict::Stop(StopReason::Criticality));
    let unknown = Fixed::new(&[5, 4]);
    assert_eq!(rule().check(&at(&unknown, 9, 0.9, 1.0)), Verdict::GoOn);
}

#[test]
fn kld_stops_when_the_shares_stand_still() {
    // KL((0.5, 0.5) ‖ (0.75, 0.25)) = 0.5 ln(2/3) + 0.5 ln 2 = 0.143841.
    assert!((divergence(&[50, 50], &[150, 50]) - 0.143_841).abs() < 1e-6);
    let mut rule = KldGain::new(1e-5, 100);
    assert_eq!(rule.check(&at(&Fixed::new(&[50, 50]), 100, 0.1, 1.0)), Verdict::GoOn);
    assert_eq!(rule.check(&at(&Fixed::new(&[90, 59]), 150, 0.1, 1.0)), Verdict::GoOn);
    // 0.00143841 for each of 100 simulations.
    assert_eq!(rule.check(&at(&Fixed::new(&[150, 50]), 200, 0.2, 1.0)), Verdict::GoOn);
    assert_eq!(
        rule.check(&at(&Fixed::new(&[225, 75]), 300, 0.3, 1.0)),
        Verdict::Stop(StopReason::Settled)
    );
}

#[test]
fn chance_stops_at_its_share() {
    let root = Fixed::new(&[5, 4]);
    let stop = Verdict::Stop(StopReason::Chance);
    assert_eq!(RandomStop { share: 0.25 }.check(&at(&root, 9, 0.2, 1.0)), Verdict::GoOn);
    assert_eq!(RandomStop { share: 0.25 }.check(&at(&root, 9, 0.25, 1.0)), stop);
    assert_eq!(RandomStop { share: 2.0 }.check(&at(&root, 9, 0.9, 1.0)), Verdict::GoOn);
    let few = with(at(&root, 9, 0.0, 1e9), |search| search.simulations_left = Some(27));
    assert_eq!(RandomStop { share: 0.25 }.check(&few), stop);
}

#[test]
fn reuse_saves_what_was_done_but_not_everything() {
    let root = Fixed::new(&[5, 4]);
    // 1000 a second: 300 visits are worth 0.3 s.
    let progress = |millis: u32, reused| {
        let at = at(&root, u64::from(millis), f64::from(millis) / 1000.0, 1.0);
        with(at, |search| search.reused = reused)
    };
    let stop = Verdict::Stop(StopReason::Reuse);
    assert_eq!(Reuse { most: 0.5 }.check(&progress(690, 300)), Verdict::GoOn);
    assert_eq!(Reuse { most: 0.5 }.check(&progress(710, 300)), stop);
    assert_eq!(Reuse { most: 0.5 }.check(&progress(490, 5000)), Verdict::GoOn);
    assert_eq!(Reuse { most: 0.5 }.check(&progress(510, 5000)), stop);
    assert_eq!(Reuse { most: 0.5 }.check(&progress(900, 0)), Verdict::GoOn);
}
