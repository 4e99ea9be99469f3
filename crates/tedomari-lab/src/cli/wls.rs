//! `tedomari-lab wls`: the tables of Basaldúa and Moreno Vega (2013) beside ours.

use std::fmt::Write;

use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::budget::Budget;
use tedomari::cli::{print, print_json};
use tedomari::config::Config;
use tedomari::util::Seed;
use tedomari_lab::wls::{REPETITIONS, Row, StepResponse, step_response, table1, table2};
use tedomari_lab::{Finding, findings};

#[derive(Debug, Args)]
pub(super) struct WlsArgs {
    /// Repetitions of each row of the tables
    #[arg(long, default_value_t = REPETITIONS, value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    repetitions: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Repetitions of the step response: the paper's, and enough to see the line through the noise.
const STEPS: [u32; 2] = [25, 400];
/// The paper's adjusted R² of the step response.
const PAPER_R2: f64 = 0.99968;

pub(super) fn run(args: &WlsArgs, config: &Config) -> anyhow::Result<()> {
    let result = result(args.repetitions, Seed::new(config.search.seed), &Budget::unlimited());
    let result = result.context("there was no time")?;
    if args.json { print_json(&result.json()) } else { print(&result.text()?) }
}

/// What the experiments gave.
pub(super) struct WlsResult {
    repetitions: u32,
    seed: u64,
    table1: Vec<Row>,
    table2: Vec<Row>,
    steps: Vec<StepResponse>,
}

/// Runs all experiments; none if there is no time for all of them.
pub(super) fn result(repetitions: u32, seed: Seed, budget: &Budget) -> Option<WlsResult> {
    let in_time = |row: Row| (!budget.is_over()).then_some(row);
    let table1 = table1(repetitions, seed).map(in_time).collect::<Option<_>>()?;
    let table2 = table2(repetitions, seed).map(in_time).collect::<Option<_>>()?;
    let steps = step_response(&STEPS, seed);
    Some(WlsResult { repetitions, seed: seed.number(), table1, table2, steps })
}

impl WlsResult {
    /// As one object; the step response is that with the paper's repetitions.
    pub(super) fn json(&self) -> serde_json::Value {
        let step = |step: &StepResponse| {
            json!({
                "repetitions": step.repetitions,
                "r2": step.r2,
                "slope": step.slope,
                "intercept": step.intercept,
                "points": step.points,
                "paper": { "r2": PAPER_R2 },
            })
        };
        let mut steps = self.steps.iter().map(step);
        json!({
            "repetitions": self.repetitions,
            "seed": self.seed,
            "table1": self.table1,
            "table2": self.table2,
            "step_response": steps.next(),
            "step_response_longer": steps.next(),
        })
    }

    /// What the experiments say of the paper's claims.
    pub(super) fn findings(&self, command: &str) -> Vec<Finding> {
        findings::of_wls((&self.table1, &self.table2, &self.steps[0]), command)
    }

    fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = format!(
            "{} repetitions, seed {}; the paper's numbers in brackets\n\n{:26} {:>35}   {:>35}\n",
            self.repetitions, self.seed, "Table I: updates, no jumps", "SD_r", "S_rc"
        );
        for row in &self.table1 {
            writeln!(text, "{:26} {}", row.updates[0], numbers(row))?;
        }
        writeln!(text, "\nTable II: jumps of K, 150 to 250 updates")?;
        for row in &self.table2 {
            writeln!(text, "{:26.1} {}", row.k, numbers(row))?;
        }
        writeln!(text, "\nStep response, end of scale 25 to 1000")?;
        for step in &self.steps {
            writeln!(
                text,
                "{:4} repetitions: adjusted R² {:.5} ({PAPER_R2}), {:.2} updates for each visit of \
                 the scale",
                step.repetitions, step.r2, step.slope
            )?;
        }
        Ok(text)
    }
}

fn numbers(row: &Row) -> String {
    let (ours, paper) = (&row.measured, &row.paper);
    let pair = |mean: f64, sd: f64| format!("{mean:.4} ± {sd:.4}");
    format!(
        "{} ({})   {} ({})",
        pair(ours.sd_r, ours.sd_r_sd),
        pair(paper.sd_r, paper.sd_r_sd),
        pair(ours.s_rc, ours.s_rc_sd),
        pair(paper.s_rc, paper.s_rc_sd)
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn tables_that_there_is_no_time_for_are_left_out() {
        let seed = Seed::new(1);
        assert!(result(500, seed, &Budget::of(Duration::ZERO).unwrap()).is_none());
        assert!(result(500, seed, &Budget::unlimited()).is_some());
    }
}
