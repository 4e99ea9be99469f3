//! How soon an analysis ends. In a file of its own: tests of one file run beside each other, and
//! this one wants the processors for itself.
#![allow(clippy::print_stderr, reason = "figures for people, shown with --nocapture")]
#![allow(clippy::disallowed_methods, reason = "a test of times reads the clock")]

mod client;

use std::time::{Duration, Instant};

use client::Lines;

#[test]
fn an_analysis_ends_within_20_ms() {
    const CYCLES: usize = 200;
    const LIMIT: Duration = Duration::from_millis(20);
    let mut engine = Lines::start(&[]);
    let mut measure = || {
        let mut times = Vec::new();
        for _ in 0..CYCLES {
            engine.analyze("kata-analyze b 1", "= ");
            let asked = Instant::now();
            engine.send("protocol_version");
            let ended = loop {
                let (line, at) = engine.line();
                if line.is_empty() {
                    break at;
                }
            };
            times.push(ended.saturating_duration_since(asked));
            assert_eq!(engine.answer(), ["= 2"]);
        }
        times.sort_unstable();
        (times[CYCLES / 2], times[CYCLES * 99 / 100])
    };
    // Somebody else may use the processors: an engine that is slow is slow every time.
    let mut best = measure();
    for _ in 0..4 {
        if best.1 >= LIMIT {
            best = std::cmp::min_by_key(best, measure(), |times| times.1);
        }
    }
    eprintln!("input to the end of the analysis: median {:?}, 99 % within {:?}", best.0, best.1);
    assert!(best.1 < LIMIT, "{best:?}");
}
