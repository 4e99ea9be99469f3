//! The mean time of each move, drawn.

use crate::cli::chart::{self, Curve};
use crate::timeman::Simulated;

/// Moves that fewer games have than this share of all are not drawn.
const RARE: f64 = 0.05;

/// Draws a line for each strategy as SVG.
pub(super) fn draw(results: &[(String, Simulated)]) -> anyhow::Result<String> {
    let lines: Vec<Curve<'_>> = results
        .iter()
        .map(|(name, result)| {
            let enough = RARE * f64::from(result.games) / 2.0;
            let points = result.seconds.iter().enumerate();
            let common = points.filter(|(_, (_, games))| f64::from(*games) >= enough);
            let line = common.map(|(own, &(seconds, _))| ((own + 1) as f64, seconds)).collect();
            (name.as_str(), line)
        })
        .collect();
    chart::draw(&lines, 1.0, ("own move", "mean seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_strategy() {
        let line = |scale: f64| Simulated {
            games: 10,
            seconds: (0..30).map(|k| (scale * f64::from(k), 10)).collect(),
            ..Simulated::default()
        };
        let drawing = draw(&[("STOP".to_owned(), line(1.0)), ("EXP-SIM".to_owned(), line(0.5))]);
        let drawing = drawing.unwrap();
        assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"));
        assert!(drawing.contains("STOP") && drawing.contains("EXP-SIM"));
        assert!(draw(&[]).is_ok());
    }
}
