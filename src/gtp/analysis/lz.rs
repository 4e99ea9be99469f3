//! Leela Zero's format: whole numbers, ten thousand for one.

use super::{Parts, line_of_play};
use crate::search::SearchReport;

/// All moves on one line, for the side to move; nothing when there is none to tell of.
pub(crate) fn lz_line(report: &SearchReport, parts: &Parts) -> Option<String> {
    let infos = parts.moves(report).enumerate().map(|(order, root)| {
        format!(
            "info move {} visits {} winrate {} prior {} lcb {} order {order} pv {}{}",
            report.size.move_text(root.mv),
            root.visits,
            ten_thousandths(root.value.win_rate()),
            ten_thousandths(root.prior),
            ten_thousandths(root.lower_bound.win_rate()),
            line_of_play(report.size, root).join(" "),
            parts.visits_of_line(root),
        )
    });
    let infos: Vec<_> = infos.collect();
    (!infos.is_empty()).then(|| infos.join(" "))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10000")]
fn ten_thousandths(part: f32) -> u32 {
    (part.clamp(0.0, 1.0) * 1e4).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::analysis::sample_report;

    #[test]
    fn numbers_are_whole_and_all_moves_stand_on_one_line() {
        assert_eq!(
            lz_line(&sample_report(), &Parts::default()).unwrap(),
            "info move B2 visits 30 winrate 6250 prior 5000 lcb 5000 order 0 pv B2 A1 pass \
             info move A3 visits 9 winrate 0 prior 1250 lcb 0 order 1 pv A3"
        );
    }

    #[test]
    fn moves_are_limited_both_ways() {
        let count = |min_moves, max_moves| {
            let parts = Parts { min_moves, max_moves, ..Parts::default() };
            lz_line(&sample_report(), &parts).map_or(0, |line| line.matches("info ").count())
        };
        assert_eq!(
            [count(0, 9), count(3, 9), count(9, 9), count(0, 1), count(3, 0)],
            [2, 3, 3, 1, 0]
        );
        let nothing = SearchReport { moves: Vec::new(), ..sample_report() };
        assert_eq!(lz_line(&nothing, &Parts::default()), None);
    }
}
